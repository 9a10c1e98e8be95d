// SPDX-License-Identifier: Apache-2.0
// The page of predictions as a reader meets it, in headless Chromium. tests/page/run makes the pages and starts this.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";

const work = process.env.CLEAVE_PAGE_TESTS;  // has node_modules and pages
const kQuestions = Number(process.env.CLEAVE_QUESTIONS ?? 9);
const require = createRequire(resolve(work, "package.json"));
const profile = mkdtempSync(join(tmpdir(), "cleave-page-"));
let browser;
before(async () => {
  browser = await require("playwright-core").chromium.launchPersistentContext(profile, {
    executablePath: process.env.CLEAVE_CHROMIUM ?? "/usr/bin/chromium",
    headless: true,
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
           "--disable-component-update", "--disable-sync"],
  });
});
after(async () => {
  await browser.close();
  rmSync(profile, { recursive: true, force: true });
});

const fileOf = (name) => join(work, "pages", name, "report.html");
const hasPredictor = (page) => page.evaluate(() => document.getElementById("predictor-wasm") !== null);

// A test of a page. The console then has said nothing, and the page has asked nothing of a network.
function testPage(title, name, body, { width = 1280, height = 900, colorScheme = "light" } = {}) {
  test(`${name}: ${title}`, async (context) => {
    const page = await browser.newPage();
    const said = [];
    page.on("console", (message) => said.push(message.text()));
    page.on("pageerror", (error) => said.push(error.message));
    page.on("request", (request) => {
      if (!/^(file|blob|data):/.test(request.url())) {
        said.push(request.url());
      }
    });
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ colorScheme });
    await page.goto(pathToFileURL(fileOf(name)).href);
    await page.waitForFunction(() => document.documentElement.dataset.ready !== undefined, null, { timeout: 60000 });
    if (await hasPredictor(page)) {
      await page.waitForSelector("#plan table", { state: "attached" });  // of what the controls begin with
    }
    await body(page, context);
    assert.deepEqual(said, []);
    await page.close();
  });
}

// A test of a page that has a predictor, if this build does.
function testPredictor(title, name, body, window) {
  testPage(title, name, async (page, context) => {
    if (await hasPredictor(page)) {
      await body(page);
    } else {
      context.skip("this build has no compiler for WebAssembly");
    }
  }, window);
}

// Sets fields by their ids and gives what the page shows then.
function ask(page, values) {
  return page.evaluate((given) => {
    for (const [id, value] of Object.entries(given)) {
      document.getElementById(id).value = value;
    }
    document.getElementById("controls").dispatchEvent(new Event("input", { bubbles: true }));
    const { seconds, high, milliseconds } = document.getElementById("answer").dataset;
    return {
      seconds: Number(seconds), high: Number(high), milliseconds: Number(milliseconds),
      command: document.querySelector("#commands code").textContent,
    };
  }, values);
}

// The prediction of a command that the page gives. Its folder or model is told from where the pages lie.
function predictionBy(command) {
  const line = command.replace(/^cleave /, `'${process.env.CLEAVE_PROGRAM}' `);
  return JSON.parse(execFileSync("sh", ["-c", `${line} --json`], { cwd: work, encoding: "utf8" })).predictions[0];
}

// A generator of the same numbers every time.
function makeRandom(seed) {
  let state = seed >>> 0;
  const next = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  return { between: (low, high) => low + next() * (high - low), pick: (values) => values[Math.floor(next() * values.length)] };
}

// The fields of a question that a reader might ask of a page, all inside what the command line takes.
async function randomFields(page, random) {
  const ids = await page.$$eval("#controls input, #controls select", (fields) => fields.map((field) => field.id));
  const fields = {};
  for (const id of ids.filter((some) => some.startsWith("size-"))) {
    fields[id] = `${Math.round(2 ** random.between(18, 28))}`;
  }
  if (ids.includes("threads")) {  // a search, whose model knows one host
    return { ...fields, ranks: random.pick(["1", "2"]), threads: random.pick(["1", "2"]) };
  }
  fields.ranks = `${random.pick([1, 2, 3, 4, 5, 8, 16, 31, 64, 100, 128, 256, 500, 1024])}`;
  fields["ranks-per-host"] = random.pick(["", "", "1", "2", "4"]);
  fields.network = "ethernet-10g";
  return fields;
}

// What a reader meets before scrolling: numbers of all texts that begin there, of figures and fields, too; and stops of a key.
const firstScreen = (page) => page.evaluate(() => {
  const all = (selector) => [...document.querySelectorAll(selector)].filter((each) => each.checkVisibility());
  const boxOf = (each) => each.getBoundingClientRect();
  const texts = all("body :not(script, style, option)").filter((each) => boxOf(each).top < innerHeight)
    .flatMap(({ childNodes, value }) => [value, ...[...childNodes].map(({ data }) => data)]);
  return { numbers: texts.join(" ").match(/\d[\d.,]*/g).length, buttons: all("button").length,
           tab_stops: all("a, button, input, select, summary, [tabindex='0']").length,
           answer_px: boxOf(document.getElementById("judged")).bottom, figures_px: boxOf(document.getElementById("figures")).bottom };
});

// Opens what is folded, so that it is judged too.
const unfold = (page) => page.evaluate(() => document.querySelectorAll("details").forEach((d) => { d.open = true; }));

for (const name of ["sort", "search", "hostile", "many"]) {
  testPage("one file of at most 5 MB", name, async (page) => {
    assert.ok(statSync(fileOf(name)).size <= 5e6);
    assert.ok((await page.locator("figure").count()) >= 4);
  });
}

for (const [width, colorScheme] of [[1280, "light"], [400, "dark"]]) {
  for (const name of ["sort", "search"]) {
    testPage(`at ${width} px, ${colorScheme}, axe-core finds nothing, and nothing is cut off`, name, async (page) => {
      await unfold(page);
      await page.addScriptTag({ path: require.resolve("axe-core/axe.min.js") });
      const { violations } = await page.evaluate(() => axe.run());
      assert.deepEqual(violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.target.join(" ")).join(", ")}`), []);
      const overhang = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(overhang <= 0, `${overhang} px beyond the window`);
    }, { width, colorScheme });
  }
}

for (const [name, width, height] of ["sort", "search", "table"].flatMap((page) => [[page, 1280, 800], [page, 390, 844]])) {
  testPredictor(`the first screen of ${width} x ${height} has the answer and at most 30 numbers`, name, async (page) => {
    const screen = await firstScreen(page);
    console.log(JSON.stringify({ page: name, width, ...screen }));
    if (process.env.CLEAVE_PICTURES && name === "sort") {  // a folder
      await page.screenshot({ path: join(process.env.CLEAVE_PICTURES, `report-${width}.png`) });
    }
    assert.ok(screen.numbers <= 30 && screen.buttons <= 3 && screen.tab_stops <= 16);
    assert.ok(screen.answer_px > 0 && screen.answer_px <= height / 1.5);
    assert.ok(width < height || screen.figures_px <= height);
    assert.deepEqual(await page.$$eval("[aria-live], [role=status], output", (spoken) => spoken.map(({ id }) => id)), ["time"]);
  }, { width, height });
}

testPredictor("mailed alone and offline it asks what its link asks, and answers as the shell", "sort", async (page) => {
  const alone = mkdtempSync(join(profile, "mailed-"));
  copyFileSync(fileOf("sort"), join(alone, "report.html"));
  const fields = { "size-N": "48M", ranks: "16", "ranks-per-host": "", network: "infiniband-hdr", deadline: "2s" };
  const { seconds, command } = await ask(page, fields);
  const link = pathToFileURL(join(alone, "report.html")).href + new URL(page.url()).hash;
  await browser.setOffline(true);
  await page.goto(link);
  await page.locator("#figure-size svg").waitFor();
  await browser.setOffline(false);
  const texts = await page.$$eval("#controls input, #controls select", (all) => all.map(({ value }) => value));
  assert.deepEqual([page.url(), ...texts], [link, ...Object.values(fields)]);
  assert.equal(Number(await page.getAttribute("#answer", "data-seconds")), seconds);
  assert.ok(Math.abs(predictionBy(command).seconds / seconds - 1) < 1e-6);
  for (const [wrong, message] of [["rank=3", "'rank' in the link is not known here: size-N, ranks, "], ["network=fast", "'fast' in "]]) {
    await page.evaluate((hash) => { location.hash = hash; }, wrong);
    await page.locator("#time .refused", { hasText: message }).waitFor();
    await page.getByRole("button", { name: "Start again" }).click();
  }
});

testPredictor("the first key leads to the answer; a figure is saved as SVG with its question", "sort", async (page) => {
  const question = page.url();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.waitForFunction((url) => location.href === url && document.activeElement.id === "answer", question);
  const [saved] = await Promise.all([page.waitForEvent("download"), page.click("#figure-size .save")]);
  assert.equal(saved.suggestedFilename(), "time-against-n.svg");
  assert.match(readFileSync(await saved.path(), "utf8"), /^<svg .*>Time against N, N=32M on 8 ranks<\/text>/s);
});

testPredictor("every row of a plan says what speaks for it or against it", "search", async (page) => {
  await ask(page, { deadline: "100ms" });
  await page.waitForSelector("#plan tr.chosen", { state: "attached" });
  const rows = await page.$$eval("#plan tbody tr", (all) => all.map(({ cells }) => [...cells].map((cell) => cell.textContent)));
  assert.deepEqual([rows.length, rows.filter(([, , time]) => time === "").length], [11, 9], "its model knows one host");
  rows.forEach(([, why, time]) => assert.match(why, time ? /^(not )?checked.*(Keeps|May miss|Misses) 100ms/ : /ranks/));
});

testPage("run times have no blocks, and their page none", "table", async (page) => {
  assert.equal(await page.locator("#plan tbody tr").count() > 0, true);
  assert.equal(await page.locator("#figure-shares").count(), 0);
  assert.deepEqual((await page.locator("#plan th").allTextContents()).at(-1), "core hours");
  assert.match(await page.locator("#choices .tools").textContent(), /In every row: .*core hours <0\.01/);
  assert.doesNotMatch(await page.locator("body").innerText(), /held back by/i);
});

testPage("a table sorts by a column, both ways, and can be copied in full", "sort", async (page) => {
  await unfold(page);
  const errors = () => page.$$eval("#predictions tbody tr", (rows) => rows.map((row) => Number(row.cells[2].dataset.exact)));
  await page.locator("#predictions th button", { hasText: /^N$/ }).focus();
  await page.keyboard.press("Enter");
  const ascending = await errors();
  assert.deepEqual(ascending, [...ascending].sort((a, b) => a - b));
  await page.keyboard.press("Enter");
  assert.deepEqual(await errors(), [...ascending].reverse());
  const text = await page.evaluate(() => textOf(document.querySelector("#predictions table")));
  assert.match(text, /\t33554432\t/);
});

testPage("a dark page is printed in dark ink on white", "sort", async (page) => {
  await unfold(page);
  await page.locator("#figure-comparison svg").waitFor();
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const labels = () => page.$eval("#figure-comparison svg text", (text) => getComputedStyle(text).fill);
  const dark = [await ground(), await labels()];
  await page.emulateMedia({ media: "print" });
  await page.waitForTimeout(100);
  assert.notEqual(await ground(), dark[0]);
  assert.notEqual(await labels(), dark[1]);
}, { colorScheme: "dark" });

testPage("without a predictor it says so, and shows what was predicted when it was made", "sort", async (page, context) => {
  if (await hasPredictor(page)) {
    context.skip("this build has a predictor");
  } else {
    assert.equal(await page.locator("#controls").isVisible(), false);
    assert.match(await page.locator(".missing").textContent(), /cannot answer other questions/);
    assert.equal(await page.locator("#answer li").count(), 3);
  }
});

for (const [name, questions] of [["sort", kQuestions], ["search", kQuestions], ["hostile", 2]]) {
  testPredictor("the page answers as the commands that it gives", name, async (page) => {
    const random = makeRandom(7);
    const milliseconds = [];
    let apart = 0;
    for (let i = 0; i < questions; ++i) {
      const answer = await ask(page, await randomFields(page, random));
      const said = predictionBy(answer.command);
      apart = Math.max(apart, Math.abs(answer.seconds / said.seconds - 1), Math.abs(answer.high / said.interval[1] - 1));
      assert.ok(apart < 1e-6, `${answer.command}: ${said.seconds} s, on the page ${answer.seconds} s`);
      milliseconds.push(answer.milliseconds);
    }
    milliseconds.sort((a, b) => a - b);
    console.log(JSON.stringify({ page: name, bytes: statSync(fileOf(name)).size, questions, apart,
                                 median_ms: milliseconds[questions >> 1], longest_ms: milliseconds.at(-1),
                                 shown_ms: await page.evaluate(() => Number(document.documentElement.dataset.ready)) }));
  });
}

testPredictor("of a size that was rehearsed the page, its command and the folder give one answer", "study", async (page) => {
  const answer = await ask(page, { "size-N": "32M", ranks: "8", network: "ethernet-10g" });
  const said = predictionBy(answer.command);
  assert.ok(Math.abs(answer.seconds / said.seconds - 1) < 1e-6, `${said.seconds} s, on the page ${answer.seconds} s`);
  const rehearsed = predictionBy(answer.command.replace("/sort.model.json", ""));
  assert.equal(rehearsed.seconds, said.seconds);
});

testPredictor("every control is reached by keys; a wrong value is named, a deadline judged", "sort", async (page) => {
  await unfold(page);
  const ids = await page.$$eval("#controls input, #controls select", (fields) => fields.map((field) => field.id));
  const reached = [];
  await page.focus(`#${ids[0]}`);
  for (let i = 0; i < ids.length + 3; ++i) {
    reached.push(await page.evaluate(() => document.activeElement.id));
    await page.keyboard.press("Tab");
  }
  assert.deepEqual(ids.filter((id) => !reached.includes(id)), []);
  await page.fill("#ranks", "-3");
  assert.equal(await page.getAttribute("#ranks", "aria-invalid"), "true");
  assert.match(await page.locator("#answer").textContent(), /'-3' is not a count/);
  assert.equal(await page.locator("#commands code").count(), 0, "of a question that stands no longer");
  await page.fill("#ranks", "2");
  await page.fill("#deadline", "1h");
  assert.match(await page.locator("#answer").textContent(), /Keeps 1h with 95 % probability/);
  await page.waitForSelector("#plan tr.chosen");
  const plan = (await page.locator("#commands code").allTextContents())[1];
  assert.match(plan, /^cleave plan \S+ --deadline 1h --size N=32M .*--slurm job\.sh$/);
  await page.fill("#deadline", "");
  await page.getByRole("button", { name: "Start again" }).press("Enter");
  assert.equal(await page.inputValue("#ranks"), "8");
});
