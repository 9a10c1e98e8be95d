// SPDX-License-Identifier: Apache-2.0
// Figures of the page: 200 questions against `cleave predict`, how long each takes, the first paint of 98 runs. Writes JSON to CLEAVE_FIGURES.
import { statSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";

import { ask, fileOf, hasPredictor, makeRandom, openPage, randomFields, runCommand, startBrowser } from "./browser.mjs";

const kQuestions = 200;

function quantiles(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (part) => sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))];
  return { median: at(0.5), p95: at(0.95), largest: sorted.at(-1) };
}

async function askMany(browser, name) {
  const page = await openPage(browser, name);
  if (!(await hasPredictor(page))) {
    await page.close();
    return "this build has no compiler for WebAssembly";
  }
  const random = makeRandom(1);
  const errors = [];
  const milliseconds = [];
  let refused = 0;
  for (let i = 0; i < kQuestions; ++i) {
    const answer = await ask(page, await randomFields(page, random));
    if (Number.isNaN(answer.seconds)) {
      refused += 1;
      continue;
    }
    errors.push(Math.abs(answer.seconds / runCommand(answer.commands[0]).predictions[0].seconds - 1));
    milliseconds.push(answer.milliseconds);
  }
  await page.close();
  return { questions: kQuestions, refused, relative_error: quantiles(errors), milliseconds: quantiles(milliseconds) };
}

// Of five visits, in milliseconds from the start of the navigation.
async function openings(browser, name) {
  const paints = [];
  const readies = [];
  for (let i = 0; i < 5; ++i) {
    const page = await openPage(browser, name);
    paints.push(await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0].startTime));
    readies.push(await page.evaluate(() => Number(document.documentElement.dataset.ready)));
    await page.close();
  }
  return { first_paint_ms: quantiles(paints), all_shown_ms: quantiles(readies), bytes: statSync(fileOf(name)).size };
}

const browser = await startBrowser();
const figures = {
  cpu: cpus()[0].model, cores: cpus().length, browser: browser.context.browser()?.version() ?? "Chromium", node: process.version,
  questions: { sort: await askMany(browser, "sort"), search: await askMany(browser, "search") },
  runs_98: await openings(browser, "many"),
};
await browser.close();
const text = JSON.stringify(figures, null, 2);
writeFileSync(process.env.CLEAVE_FIGURES, `${text}\n`);
console.log(text);
