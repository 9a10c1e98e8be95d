// SPDX-License-Identifier: Apache-2.0
// Reads what the page holds and starts its parts: first the answer, then figures.
"use strict";

// The bytes of a script element: gzip in base64 (page.cpp). Null if the page has none.
async function bytesOf(id) {
  const text = document.getElementById(id)?.textContent.trim();
  if (!text) {
    return null;
  }
  const packed = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

const textOfPacked = async (id) => new TextDecoder().decode(await bytesOf(id));

// Waits until what is on the screen was painted.
const idle = () => new Promise((done) => setTimeout(done, 0));

// Answers each question at once; `showCurves` gets the answers over ranks and over sizes, later.
async function startAsking(data, varying, showCurves) {
  const bytes = await bytesOf("predictor-wasm");
  if (bytes === null) {
    return;
  }
  const model = await textOfPacked("model");
  const predictor = await openPredictor(bytes, model);
  const askCurves = makeCurves(document.getElementById("predictor-js").textContent, bytes, model, varying, showCurves);
  const { dataset } = document.getElementById("answer");
  makeControls(document.getElementById("controls"), data.fields, (texts, flaw) => {
    const fields = { ...texts, file: data.file, machine: data.machine };
    const begin = performance.now();
    try {
      if (flaw !== "") {
        throw new Error(flaw);
      }
      const answer = predictor.ask(fields);
      showAnswer(answer, data.plan_heads);
      askCurves(fields, answer);
      return "";
    } catch (error) {
      showRefusal(error.message);
      return error.field ?? "";
    } finally {
      dataset.milliseconds = performance.now() - begin;
    }
  });
}

async function start() {
  for (const place of document.querySelectorAll(".scroll")) {
    enhanceTable(place, place.getAttribute("aria-label"));
  }
  const data = JSON.parse(await textOfPacked("data"));
  const names = Object.keys(data.runs[0]?.sizes ?? {});
  const varying = names.filter((name) => new Set(data.runs.map(({ sizes }) => sizes[name])).size > 1 &&
                                         data.fields.some(({ id }) => id === `size-${name}`));
  await idle();
  let figures = null;
  let last = null;
  const asking = startAsking(data, varying, (...curves) => {
    last = curves;
    figures?.(...curves);
    showPlan(curves[0], curves[1], curves[3], data.plan_heads);
  });
  document.head.append(element("script", {}, await textOfPacked("echarts")));
  figures = makeFigures(document.getElementById("figures"), data, varying);
  if (last !== null) {
    figures(...last);
  }
  await asking;
  document.documentElement.dataset.ready = Math.round(performance.now());
}

start();
