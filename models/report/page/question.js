// SPDX-License-Identifier: Apache-2.0
// The form of a question, and the answer beside it. The predictor reads the fields and words the answer.
"use strict";

const kPlanRanks = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024];

// The form's rows by the ids of their fields.
function makeForm(form, fields) {
  const rows = new Map();
  for (const { id, label, value, hint, options } of fields) {
    const attributes = { id, "aria-describedby": `${id}-hint` };
    const input = options.length === 0
      ? element("input", { ...attributes, type: "text", autocomplete: "off", spellcheck: "false" })
      : element("select", attributes, ...options.map(([key, text]) => element("option", { value: key }, text)));
    input.value = value;
    const row = element("div", { class: "field" }, element("label", { for: id }, label), input,
                        element("small", { id: `${id}-hint` }, hint));
    rows.set(id, { row, input, start: value });
    form.append(row);
  }
  return rows;
}

// Calls `ask(texts by field)` now and whenever a field changes; it returns the id of a wrong field, or "".
function makeControls(form, fields, ask) {
  const rows = makeForm(form, fields);
  const answer = () => {
    const wrong = ask(Object.fromEntries([...rows].map(([id, { input }]) => [id, input.value.trim()])));
    for (const [id, { row, input }] of rows) {
      row.classList.toggle("wrong", id === wrong);
      input.setAttribute("aria-invalid", id === wrong);
    }
  };
  const reset = element("button", { type: "button" }, "Start again");
  reset.addEventListener("click", () => {
    rows.forEach((row) => { row.input.value = row.start; });
    answer();
  });
  form.append(reset);
  form.addEventListener("input", answer);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.hidden = false;
  answer();
}

function showAnswer(place, answer, heads) {
  const uses = answer.row.map(([exact, shown], i) => [heads[i], shown, exact]).slice(4).filter(([, shown]) => shown !== "");
  const parts = [
    element("p", { class: "asked" }, answer.asked),
    element("p", { class: "time" }, element("strong", { title: `${answer.seconds} s` }, answer.time),
            element("span", { title: `${answer.low} s to ${answer.high} s` }, answer.interval)),
    element("p", { class: "single-run" }, answer.run),
    element("dl", { class: "uses" }, ...uses.map(([name, shown, exact]) =>
      element("div", { title: `${exact}` }, element("dt", {}, name), element("dd", {}, shown)))),
  ];
  if (answer.deadline) {
    const [look, text] = answer.deadline;
    parts.push(element("p", { class: `deadline ${look}` }, text));
  }
  parts.push(element("div", { class: `grounds ${answer.state === "checked" ? "within" : "beyond"}` },
                     element("strong", {}, answer.verdict),
                     element("ul", {}, ...answer.grounds.map((sentence) => element("li", {}, sentence)))));
  place.replaceChildren(...parts);
  Object.assign(place.dataset, { seconds: answer.seconds, low: answer.low, high: answer.high });
}

function showCommands(place, commands) {
  place.replaceChildren(element("h2", {}, "The same from a shell"), ...commands.map((text) =>
    element("div", { class: "command" }, element("code", { tabindex: "0" }, text),
            makeCopyButton(() => text, `Copy ${text}`))));
}

// The answers on each of kPlanRanks and on the asked ranks, and which keeps the deadline on the fewest nodes, fastest.
function showPlan(place, curve, heads) {
  const shown = heads.map((_, i) => i).filter((i) => curve.some(({ row }) => row[i][1] !== ""));
  const [first] = curve.filter((answer) => answer.fits).sort((a, b) => a.nodes - b.nodes || a.seconds - b.seconds);
  const rows = curve.map((answer) => element("tr", answer === first ? { class: "chosen" } : {}, ...shown.map((i) => {
    const [exact, text] = answer.row[i];
    return element("td", { class: "number", "data-exact": exact, title: `${exact}` },
                   answer === first && i === 0 ? `take ${text}` : text);
  })));
  const head = element("tr", {}, ...shown.map((i) => element("th", { scope: "col", class: "number" }, heads[i])));
  const table = element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Plan over ranks" },
                        element("table", {}, element("thead", {}, head), element("tbody", {}, ...rows)));
  place.replaceChildren(element("h2", {}, "Plan"),
                        element("p", {}, `${curve[0].asked.replace(/ on .*/, "")}. Speed-up and efficiency are against one rank.`),
                        table);
  enhanceTable(table, "plan");
}

// Runs in a thread of its own, after predictor.js, so that fields and answers never wait for it.
const kWorkerText = `
let predictor;
onmessage = async ({ data: { bytes, model, fields, ranks } }) => {
  predictor ??= await openPredictor(bytes, model);
  const curve = [];
  for (const count of ranks) {
    try {
      curve.push(predictor.ask({ ...fields, ranks: String(count) }));
    } catch {}  // left out, as what is beyond the measured host
  }
  postMessage({ fields, curve });
};`;

// A function that asks over ranks, and calls `show(curve)` with the answer to the last question.
function makeCurve(predictorText, bytes, model, show) {
  const worker = new Worker(URL.createObjectURL(new Blob([predictorText, kWorkerText], { type: "text/javascript" })));
  let isBusy = false;
  let next = null;
  const send = () => {
    isBusy = next !== null;
    if (isBusy) {
      const ranks = [...new Set([...kPlanRanks, next.asked])].sort((a, b) => a - b);
      worker.postMessage({ bytes, model, fields: next.fields, ranks });
      next = null;
    }
  };
  worker.onmessage = ({ data: { curve } }) => {
    if (next === null && curve.length > 0) {
      show(curve);
    }
    send();
  };
  return (fields, asked) => {
    next = { fields, asked };
    if (!isBusy) {
      send();
    }
  };
}
