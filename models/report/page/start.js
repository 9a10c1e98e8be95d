// SPDX-License-Identifier: Apache-2.0
// Reads what the page holds and starts its parts: first the answer, then figures.
"use strict";

// The bytes of a script element: gzip in base64 (packed.cpp). Null where the page has none.
async function bytesOf(id) {
  const text = document.getElementById(id)?.textContent.trim();
  if (!text) {
    return null;
  }
  const letters = atob(text);
  const packed = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; ++i) {
    packed[i] = letters.charCodeAt(i);
  }
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

async function textOfPacked(id) {
  const bytes = await bytesOf(id);
  return bytes === null ? null : new TextDecoder().decode(bytes);
}

async function jsonOf(id) {
  const text = await textOfPacked(id);
  return text === null ? null : JSON.parse(text);
}

async function loadPlots() {
  const script = document.createElement("script");
  script.textContent = await textOfPacked("echarts");
  document.head.append(script);
}

// After what is on the screen was painted.
const idle = () => new Promise((done) => setTimeout(done, 0));

// Answers each question at once; `show` gets curves over ranks, later. The predictor is compiled to WebAssembly.
async function startAsking(data, showCurve) {
  const bytes = await bytesOf("predictor-wasm");
  const model = await textOfPacked("model");
  const predictor = await openPredictor(bytes, model);
  const askCurve = makeCurve(document.getElementById("predictor-js").textContent, bytes, model);
  const place = document.getElementById("answer");
  const commands = document.getElementById("commands");
  let lastCurve = "";
  const ask = (question, deadline) => {
    const begin = performance.now();
    if (question === null) {
      commands.replaceChildren();
      showRefusal(place, "A field holds no value that can be asked for; what it takes stands below it.");
      return;
    }
    try {
      const aloneSeconds = predictor.ask(alone(question)).seconds;
      showAnswer(place, predictor.ask(question), aloneSeconds, data.controls, deadline);
    } catch (error) {
      showRefusal(place, error.message);
    }
    showCommands(commands, question, data.controls, deadline);
    place.dataset.milliseconds = performance.now() - begin;
    const asked = JSON.stringify([question, deadline]);
    if (asked !== lastCurve) {
      lastCurve = asked;
      askCurve(question, (predictions) => showCurve(predictions, deadline));
    }
  };
  makeControls(document.getElementById("controls"), data.controls, ask);
}

async function start() {
  enhanceTables();
  const data = await jsonOf("data");
  const hasPredictor = document.getElementById("predictor-wasm") !== null;
  await idle();
  let overRanks = null;
  const waiting = [];
  const showCurve = (predictions, deadline) => {
    if (predictions.length > 0 && predictions[0].ranks === 1) {
      overRanks === null ? waiting.push([predictions, deadline]) : overRanks(predictions, deadline);
    }
  };
  const asking = hasPredictor ? startAsking(data, showCurve) : null;
  await loadPlots();
  overRanks = makeOverRanks(document.getElementById("over-ranks"), data.runs, data.controls.max_ranks);
  if (waiting.length > 0) {
    overRanks(...waiting.at(-1));
  } else {
    showCurve(data.examples, { text: "", seconds: null });  // of what the controls begin with
  }
  await idle();
  makeFigures(document.getElementById("figures"), data);
  watchTheme();
  await asking;
  document.documentElement.dataset.ready = Math.round(performance.now());
}

start();
