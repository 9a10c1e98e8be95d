// SPDX-License-Identifier: Apache-2.0
// Opens pages of predictions in headless Chromium as a reader does, and keeps what they say and ask for.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

export const work = process.env.CLEAVE_PAGE_TESTS;  // has node_modules and pages
export const cleave = process.env.CLEAVE_PROGRAM;
const require = createRequire(resolve(work, "package.json"));
const { chromium } = require("playwright-core");
export const axePath = require.resolve("axe-core/axe.min.js");

export async function startBrowser() {
  const profile = mkdtempSync(join(tmpdir(), "cleave-page-"));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: process.env.CLEAVE_CHROMIUM ?? "/usr/bin/chromium",
    headless: true,
    viewport: { width: 1280, height: 900 },
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
           "--disable-component-update", "--disable-sync"],
  });
  return {
    context,
    close: async () => {
      await context.close();
      rmSync(profile, { recursive: true, force: true });
    },
  };
}

export const fileOf = (name) => join(work, "pages", name, "report.html");

// A page with `messages`, what the console says, and `requests`, what is asked of a network.
export async function openPage(browser, name, { width = 1280, height = 900, colorScheme = "light" } = {}) {
  const page = await browser.context.newPage();
  const messages = [];
  const requests = [];
  page.on("console", (message) => messages.push(message.text()));
  page.on("pageerror", (error) => messages.push(error.message));
  page.on("request", (request) => {
    if (!/^(file|blob|data):/.test(request.url())) {
      requests.push(request.url());
    }
  });
  await page.setViewportSize({ width, height });
  await page.emulateMedia({ colorScheme });
  await page.goto(pathToFileURL(fileOf(name)).href);
  await page.waitForFunction(() => document.documentElement.dataset.ready !== undefined, null, { timeout: 60000 });
  if (await hasPredictor(page)) {
    await page.waitForSelector("#plan table");  // of what the controls begin with
  }
  return Object.assign(page, { messages, requests });
}

export const hasPredictor = (page) => page.evaluate(() => document.getElementById("predictor-wasm") !== null);

// Sets fields by their ids and gives what the page shows then.
export function ask(page, values) {
  return page.evaluate((given) => {
    for (const [id, value] of Object.entries(given)) {
      document.getElementById(id).value = value;
    }
    document.getElementById("controls").dispatchEvent(new Event("input", { bubbles: true }));
    const { seconds, low, high, milliseconds } = document.getElementById("answer").dataset;
    return {
      seconds: Number(seconds), low: Number(low), high: Number(high), milliseconds: Number(milliseconds),
      text: document.getElementById("answer").textContent,
      commands: [...document.querySelectorAll("#commands code")].map((code) => code.textContent),
    };
  }, values);
}

// The output of a command that the page gives. Its folder or model is told from where the pages lie.
export function runCommand(command) {
  const line = command.replace(/^cleave /, `'${cleave}' `);
  return JSON.parse(execFileSync("sh", ["-c", `${line} --json`], { cwd: work, encoding: "utf8" }));
}

// A generator of the same numbers every time.
export function makeRandom(seed) {
  let state = seed >>> 0;
  const next = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  return { between: (low, high) => low + next() * (high - low), pick: (values) => values[Math.floor(next() * values.length)] };
}

// The fields of a question that a reader might ask of a page, all inside what the command line takes.
export async function randomFields(page, random) {
  const ids = await page.evaluate(() => [...document.querySelectorAll("#controls input, #controls select")].map((f) => f.id));
  const fields = {};
  for (const id of ids) {
    if (id.startsWith("size-")) {
      fields[id] = `${Math.round(2 ** random.between(18, 28))}`;
    }
  }
  const example = /for example (\S+);/.exec(await page.locator("#what-if-hint").textContent())[1];
  fields["what-if"] = random.pick(["", "", example]);
  if (ids.includes("threads")) {  // a search, whose model knows one host
    fields.ranks = random.pick(["1", "2"]);
    fields.threads = random.pick(["1", "2"]);
    return fields;
  }
  fields.ranks = `${random.pick([1, 2, 3, 4, 5, 8, 16, 31, 64, 100, 128, 256, 500, 1024])}`;
  fields["ranks-per-host"] = random.pick(["", "", "1", "2", "4"]);
  fields.network = "ethernet-10g";
  return fields;
}
