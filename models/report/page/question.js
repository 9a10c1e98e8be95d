// SPDX-License-Identifier: Apache-2.0
// The form of a question, and the answer beside it. The predictor reads the fields and words the answer.
"use strict";

const kPlanRanks = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024];
const kSizeFactors = [1 / 64, 1 / 32, 1 / 16, 1 / 8, 1 / 4, 1 / 2, 1, 2, 4, 8];

// The form's rows by the ids of their fields. What few questions need is folded.
function makeForm(form, fields) {
  const rows = new Map();
  const summary = element("summary");
  const more = element("details", {}, summary);
  for (const { id, label, value, hint, options } of fields) {
    const attributes = { id, "aria-describedby": `${id}-hint` };
    const input = options.length === 0
      ? element("input", { ...attributes, type: "text", autocomplete: "off", spellcheck: "false" })
      : element("select", attributes, ...options.map(([key, text]) => element("option", { value: key }, text)));
    input.value = value;
    const row = element("div", { class: "field" }, element("label", { for: id }, label), input,
                        element("small", { id: `${id}-hint` }, hint));
    rows.set(id, { row, input, start: value });
    if (/^(size-.*|ranks|threads)$/.test(id)) {
      form.append(row);
    } else {
      more.append(row);
      summary.append(more.children.length > 2 ? ", " : "", label);
    }
  }
  form.append(more);
  return rows;
}

// Calls `ask(texts by field, flaw of the link)` now and whenever a field changes; it returns the id of a wrong field, or "".
// The question stands in the address behind #, so that a link asks it.
function makeControls(form, fields, ask) {
  const rows = makeForm(form, fields);
  const answer = (flaw = "") => {
    const texts = [...rows].map(([id, { input }]) => [id, input.value.trim()]);
    const wrong = ask(Object.fromEntries(texts), flaw);
    for (const [id, { row, input }] of rows) {
      row.classList.toggle("wrong", id === wrong);
      input.setAttribute("aria-invalid", id === wrong);
    }
    if (flaw === "") {
      history.replaceState(null, "", `#${new URLSearchParams(texts)}`);
    }
  };
  const set = (texts) => {
    for (const [id, text] of texts) {
      const { row, input, start } = rows.get(id) ?? {};
      if (input) {
        input.value = text;
        row.parentElement.open ||= text !== start;
      }
      if (input?.value !== text) {
        const allowed = input ? [...input.options].map(({ value }) => value) : [...rows.keys()];
        return answer(`'${input ? text : id}' in the link is not known here: ${allowed.filter(Boolean).join(", ")}`);
      }
    }
    return answer();
  };
  const follow = () => set(new URLSearchParams(location.hash.includes("=") ? location.hash.slice(1) : ""));  // else a place
  const reset = element("button", { type: "button" }, "Start again");
  reset.addEventListener("click", () => set([...rows].map(([id, { start }]) => [id, start])));
  form.append(reset);
  form.addEventListener("input", () => answer());
  form.addEventListener("submit", (event) => event.preventDefault());
  addEventListener("hashchange", follow);
  form.hidden = false;
  follow();
}

const fill = (id, ...children) => document.getElementById(id).replaceChildren(...children);

// Instead of an answer, where a question has none.
function showRefusal(message) {
  fill("time", element("span", { class: "refused" }, message));
  ["judged", "uses", "commands"].forEach((id) => fill(id));
  delete document.getElementById("answer").dataset.seconds;
}

// A look and a sentence of the deadline and of the memory of a node, where they are asked for.
const reasonsOf = ({ deadline, memory }) => [deadline, memory].filter(Boolean);

function showAnswer(answer, heads) {
  const { time, interval, seconds, low, high, row, state } = answer;
  const [verdict, ...rest] = answer.verdict.split("; ");
  const uses = row.map(([exact, shown], i) => [heads[i], shown, exact]).slice(4).filter(([, shown]) => shown !== "");
  const judged = [[{ checked: "yes", failed: "no" }[state] ?? "", verdict], ...reasonsOf(answer)];
  fill("time", element("strong", { title: `${seconds} s` }, time), element("span", { title: `${low} s to ${high} s` }, interval));
  fill("judged", ...judged.map(([look, text]) => element("p", { class: look }, text)));
  fill("uses", element("p", {}, answer.run),
       element("dl", {}, ...uses.map(([name, shown, exact]) =>
         element("div", { title: `${exact}` }, element("dt", {}, name), element("dd", {}, shown)))),
       element("ul", {}, ...[...rest, ...answer.grounds].map((sentence) => element("li", {}, sentence))));
  fill("commands", element("h2", {}, "The same from a shell"), ...answer.commands.map((text) =>
    element("div", { class: "command" }, element("code", { tabindex: "0" }, text),
            makeCopyButton(() => text, `Copy ${text}`))));
  Object.assign(document.getElementById("answer").dataset, { seconds, low, high });
}

// The answers on each of kPlanRanks and on the asked ranks, or why there is none, and the ranks that a plan takes; 0: none.
function showPlan(asked, answers, chosen, planHeads) {
  const heads = ["ranks", "verdict", ...planHeads.slice(1)];
  const why = (answer) => [answer.verdict.replace(/^(checked).*|;.*/, "$1"), ...reasonsOf(answer).map(([, text]) => text)].join(". ");
  const lines = answers.map((answer) => [[answer.ranks, `${answer.ranks}`], ["", answer.reason ?? why(answer)],
                                         ...(answer.row ?? heads.map(() => ["", ""])).slice(1)]);
  const shown = heads.map((_, i) => i).filter((i) => lines.some((line) => line[i][1] !== ""));
  const first = answers.findIndex(({ ranks }) => ranks === chosen);
  const rows = lines.map((line, l) => element("tr", l === first ? { class: "chosen" } : {}, ...shown.map((i) => {
    const [exact, text] = line[i];
    return i === 1 ? element("td", {}, text) : element("td", { class: "number", "data-exact": exact, title: `${exact}` },
                                                       l === first && i === 0 ? `take ${text}` : text);
  })));
  const head = element("tr", {}, ...shown.map((i) => element("th", { scope: "col", class: i === 1 ? "" : "number" }, heads[i])));
  const table = element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Plan over ranks" },
                        element("table", {}, element("thead", {}, head), element("tbody", {}, ...rows)));
  fill("choices", element("p", {}, `${sizesOf(asked)}; speed-up and efficiency are against one rank.`), table);
  enhanceTable(table, "plan");
}

// Runs in a thread of its own, after predictor.js, so that fields and answers never wait for it.
const kWorkerText = `
let predictor;
onmessage = async ({ data: { bytes, model, asked, curves } }) => {
  predictor ??= await openPredictor(bytes, model);
  const ask = (fields, choices) => {
    try {
      return predictor.ask(fields, choices);
    } catch (error) {
      return { ranks: Number(fields.ranks), reason: error.message };
    }
  };
  const [overRanks, overSizes] = curves.map((curve) => curve.map((fields) => ask(fields)));
  const answered = curves[0].filter((_, i) => !overRanks[i].reason);
  const chosen = answered.length > 0 ? ask(answered[0], answered.map(({ ranks }) => Number(ranks))).chosen : 0;
  postMessage([asked, overRanks, overSizes, chosen]);
};`;

// A function that asks over ranks and sizes, and calls `show(asked, answers over ranks, over sizes, chosen ranks)` of the last question.
function makeCurves(predictorText, bytes, model, varying, show) {
  const worker = new Worker(URL.createObjectURL(new Blob([predictorText, kWorkerText], { type: "text/javascript" })));
  let isBusy = false;
  let next = null;
  const send = () => {
    isBusy = next !== null;
    if (isBusy) {
      worker.postMessage({ bytes, model, ...next });
      next = null;
    }
  };
  worker.onmessage = ({ data }) => {
    if (next === null) {
      show(...data);
    }
    send();
  };
  return (fields, asked) => {
    const ranks = [...new Set([...kPlanRanks, asked.ranks])].sort((a, b) => a - b);
    const scaled = (factor) => varying.map((name) => [`size-${name}`, `${Math.ceil(asked.sizes[name] * factor)}`]);
    next = { asked, curves: [ranks.map((count) => ({ ...fields, ranks: `${count}` })),
                             kSizeFactors.map((factor) => ({ ...fields, ...Object.fromEntries(scaled(factor)) }))] };
    if (!isBusy) {
      send();
    }
  };
}
