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

// Answers each question at once; `showCurve` gets the answers over ranks, later.
async function startAsking(data, showCurve) {
  const bytes = await bytesOf("predictor-wasm");
  if (bytes === null) {
    return;
  }
  const model = await textOfPacked("model");
  const predictor = await openPredictor(bytes, model);
  const askCurve = makeCurve(document.getElementById("predictor-js").textContent, bytes, model, showCurve);
  const place = document.getElementById("answer");
  const commands = document.getElementById("commands");
  makeControls(document.getElementById("controls"), data.fields, (texts) => {
    const fields = { ...texts, file: data.file, machine: data.machine };
    const begin = performance.now();
    try {
      const answer = predictor.ask(fields);
      showAnswer(place, answer, data.plan_heads);
      showCommands(commands, answer.commands);
      askCurve(fields, answer.ranks);
      return "";
    } catch (error) {
      place.replaceChildren(element("p", { class: "refused" }, error.message));
      delete place.dataset.seconds;
      commands.replaceChildren();
      return error.field ?? "";
    } finally {
      place.dataset.milliseconds = performance.now() - begin;
    }
  });
}

async function start() {
  for (const place of document.querySelectorAll("section.table > .scroll")) {
    enhanceTable(place, place.getAttribute("aria-label"));
  }
  const data = JSON.parse(await textOfPacked("data"));
  await idle();
  let figures = null;
  let last = null;
  const asking = startAsking(data, (curve) => {
    last = curve;
    figures?.(curve);
    showPlan(document.getElementById("plan"), curve, data.plan_heads);
  });
  document.head.append(element("script", {}, await textOfPacked("echarts")));
  figures = makeFigures(document.getElementById("figures"), data);
  if (last !== null) {
    figures(last);
  }
  await asking;
  document.documentElement.dataset.ready = Math.round(performance.now());
}

start();
