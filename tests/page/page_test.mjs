// SPDX-License-Identifier: Apache-2.0
// The page of predictions as a reader meets it. tests/page/run makes the pages and starts this.
import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { after, before, test } from "node:test";

import { ask, axePath, fileOf, hasPredictor, makeRandom, openPage, randomFields, runCommand, startBrowser } from "./browser.mjs";

const kQuestions = Number(process.env.CLEAVE_QUESTIONS ?? 9);
const kPages = ["sort", "search", "hostile", "many"];
let browser;
before(async () => { browser = await startBrowser(); });
after(async () => { await browser.close(); });

function assertQuiet(page) {
  assert.deepEqual(page.messages, []);
  assert.deepEqual(page.requests, []);
}

async function findings(page) {
  await page.addScriptTag({ path: axePath });
  const result = await page.evaluate(() => axe.run());
  return result.violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.target.join(" ")).join(", ")}`);
}

// Opens what is folded, so that it is judged too.
const unfold = (page) => page.evaluate(() => document.querySelectorAll("details").forEach((d) => { d.open = true; }));

for (const name of kPages) {
  test(`${name}: one file of at most 5 MB, silent, asks no network`, async () => {
    assert.ok(statSync(fileOf(name)).size <= 5e6);
    const page = await openPage(browser, name);
    assert.ok((await page.locator("figure").count()) >= 5);
    assertQuiet(page);
    await page.close();
  });
}

for (const [width, colorScheme] of [[1280, "light"], [400, "dark"]]) {
  for (const name of ["sort", "search"]) {
    test(`${name} at ${width} px, ${colorScheme}: axe-core finds nothing, and nothing is cut off`, async () => {
      const page = await openPage(browser, name, { width, colorScheme });
      await unfold(page);
      assert.deepEqual(await findings(page), []);
      const overhang = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(overhang <= 0, `${overhang} px beyond the window`);
      assertQuiet(page);
      await page.close();
    });
  }
}

test("a table of run times has no blocks, and its page none", async () => {
  const page = await openPage(browser, "table");
  assert.equal(await page.locator("#plan tbody tr").count() > 0, true);
  assert.equal(await page.locator("#figure-shares").count(), 0);
  assert.deepEqual((await page.locator("#plan th").allTextContents()).at(-1), "core hours");
  assert.doesNotMatch(await page.locator("body").innerText(), /held back by/i);
  assertQuiet(page);
  await page.close();
});

test("a table sorts by a column, both ways, and can be copied in full", async () => {
  const page = await openPage(browser, "sort");
  const errors = () => page.$$eval("#predictions tbody tr", (rows) => rows.map((row) => Number(row.cells[2].dataset.exact)));
  const button = page.locator("#predictions th button", { hasText: /^N$/ });
  await button.focus();
  await page.keyboard.press("Enter");
  const ascending = await errors();
  assert.deepEqual(ascending, [...ascending].sort((a, b) => a - b));
  await page.keyboard.press("Enter");
  assert.deepEqual(await errors(), [...ascending].reverse());
  const text = await page.evaluate(() => textOf(document.querySelector("#predictions table")));
  assert.match(text, /\t33554432\t/);
  await page.close();
});

test("a dark page is printed in dark ink on white", async () => {
  const page = await openPage(browser, "sort", { colorScheme: "dark" });
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const labels = () => page.$eval("#figure-comparison svg text", (text) => getComputedStyle(text).fill);
  const dark = [await ground(), await labels()];
  await page.emulateMedia({ media: "print" });
  await page.waitForTimeout(100);
  assert.notEqual(await ground(), dark[0]);
  assert.notEqual(await labels(), dark[1]);
  await page.close();
});

test("without a predictor the page says so, and shows what was predicted when it was made", async (context) => {
  const page = await openPage(browser, "sort");
  if (await hasPredictor(page)) {
    context.skip("this build has a predictor");
  } else {
    assert.equal(await page.locator("#controls").isVisible(), false);
    assert.match(await page.locator(".missing").textContent(), /cannot answer other questions/);
    assert.equal(await page.locator("#answer li").count(), 3);
    }
  await page.close();
});

for (const [name, questions] of [["sort", kQuestions], ["search", kQuestions], ["hostile", 2]]) {
  test(`${name}: the page answers as the commands that it gives`, async (context) => {
    const page = await openPage(browser, name);
    if (!(await hasPredictor(page))) {
      context.skip("this build has no compiler for WebAssembly");
    } else {
      const random = makeRandom(7);
      const milliseconds = [];
      let apart = 0;
      for (let i = 0; i < questions; ++i) {
        const answer = await ask(page, await randomFields(page, random));
        const [said] = runCommand(answer.commands[0]).predictions;
        apart = Math.max(apart, Math.abs(answer.seconds / said.seconds - 1), Math.abs(answer.high / said.interval[1] - 1));
        assert.ok(apart < 1e-6, `${answer.commands[0]}: ${said.seconds} s, on the page ${answer.seconds} s`);
        milliseconds.push(answer.milliseconds);
      }
      milliseconds.sort((a, b) => a - b);
      console.log(JSON.stringify({ page: name, bytes: statSync(fileOf(name)).size, questions, apart,
                                   median_ms: milliseconds[questions >> 1], longest_ms: milliseconds.at(-1),
                                   shown_ms: await page.evaluate(() => Number(document.documentElement.dataset.ready)) }));
      assertQuiet(page);
    }
    await page.close();
  });
}

test("of a size that a study has rehearsed the page and its command give the answer by the law", async (context) => {
  const page = await openPage(browser, "study");
  if (!(await hasPredictor(page))) {
    context.skip("this build has no compiler for WebAssembly");
  } else {
    const answer = await ask(page, { "size-N": "32M", ranks: "8", network: "ethernet-10g" });
    const [said] = runCommand(answer.commands[0]).predictions;
    assert.ok(Math.abs(answer.seconds / said.seconds - 1) < 1e-6, `${said.seconds} s, on the page ${answer.seconds} s`);
    const [rehearsed] = runCommand(answer.commands[0].replace("/sort.model.json", "")).predictions;
    assert.ok(rehearsed.rehearsed && rehearsed.seconds > 1.05 * said.seconds, `${rehearsed.seconds} s`);
  }
  await page.close();
});

test("every control is reached by keys; a wrong value is named, a deadline judged", async (context) => {
  const page = await openPage(browser, "sort");
  if (!(await hasPredictor(page))) {
    context.skip("this build has no compiler for WebAssembly");
  } else {
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
    assert.match(plan, /^cleave plan \S+ --deadline 1h --size N=16M .*--slurm job\.sh$/);
    await page.fill("#deadline", "");
    await page.getByRole("button", { name: "Start again" }).press("Enter");
    assert.equal(await page.inputValue("#ranks"), "8");
    assertQuiet(page);
  }
  await page.close();
});
