// SPDX-License-Identifier: Apache-2.0
// The answer beside the controls: how long, how certain, what it costs, what holds it back, what it rests on.
"use strict";

function makeCopyButton(text, label) {
  const button = element("button", { type: "button", class: "copy", "aria-label": label }, "Copy");
  button.addEventListener("click", async () => {
    button.textContent = (await copyText(text())) ? "Copied" : "Select and copy by hand";
    setTimeout(() => { button.textContent = "Copy"; }, 2000);
  });
  return button;
}

// Also where a page from a file has no clipboard. Whether it worked.
async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = element("textarea", { class: "off-screen", "aria-hidden": "true" });
    area.value = text;
    document.body.append(area);
    area.select();
    const worked = document.execCommand("copy");
    area.remove();
    return worked;
  }
}

function command(text, label) {
  return element("div", { class: "command" }, element("code", { tabindex: "0" }, text),
                 makeCopyButton(() => text, `Copy ${label}`));
}

function term(name, value, title = "") {
  return element("div", title ? { title } : {}, element("dt", {}, name), element("dd", {}, value));
}

function deadlineVerdict(prediction, deadline) {
  const [low, high] = prediction.as_the_host_was;
  return !prediction.is_answer ? ["no", `Whether it keeps ${deadline.text} is not known.`]
       : high <= deadline.seconds ? ["yes", `Keeps ${deadline.text} with 95 % probability.`]
       : low > deadline.seconds   ? ["no", `Misses ${deadline.text} with 95 % probability.`]
                                  : ["no", `May miss ${deadline.text}: the interval ends at ${formatSeconds(high)}.`];
}

function termsOf(prediction, aloneSeconds) {
  const { speedup, efficiency, coreHours } = usesOf(prediction, aloneSeconds);
  const held = heldBackBy(prediction);
  const terms = [
    term("Speed-up", `${formatNumber(speedup, 3)} ×`, "time on one rank / this time"),
    term("Efficiency", formatPercent(efficiency), "speed-up / ranks"),
    term("Cost", `${formatCoreHours(coreHours)} core\u00a0hours`, `${coreHours} core hours`),
  ];
  if (held.block !== "") {
    terms.push(term("Held back by", `${held.block}, ${formatPercent(held.part, 2).replace(" ", "\u00a0")}`, "the block that takes most of the time"));
  }
  if (prediction.memory_bytes_per_rank) {
    terms.push(term("Memory of a rank", formatBytes(prediction.memory_bytes_per_rank)));
  }
  return terms;
}

function groundsOf(prediction, controls) {
  const sentences = restsOn(prediction, controls);
  const place = element("div", { class: prediction.outside_fitted_range ? "grounds beyond" : "grounds within" });
  place.append(element("strong", {}, prediction.outside_fitted_range
    ? "Beyond what was fitted." : "Within what was fitted."));
  if (sentences.length > 0) {
    place.append(" The answer rests on:",
                 element("ul", {}, ...sentences.map((sentence) => element("li", {}, sentence))));
  }
  return place;
}

// Shows one answer in `place`.
function showAnswer(place, prediction, aloneSeconds, controls, deadline) {
  const [low, high] = prediction.interval;
  const [runLow, runHigh] = prediction.as_the_host_was;
  const parts = [
    element("p", { class: "asked" }, `${formatSizes(prediction.sizes)} on ` +
            formatWorkers(prediction.ranks, prediction.threads) +
            (controls.is_table ? "" : `, ${prediction.ranks_per_host} per host`)),
    element("p", { class: "time" },
            element("strong", { title: `${prediction.seconds} s` },
                    prediction.is_answer ? formatSeconds(prediction.seconds) : "not known"),
            element("span", { title: `${low} s to ${high} s` }, prediction.is_answer
                    ? `when quiet, 95 %: ${formatSeconds(low)} to ${formatSeconds(high)}`
                    : "what was fitted allows too wide a range of times")),
  ];
  if (prediction.is_answer) {
    parts.push(element("p", { class: "single-run", title: `${runLow} s to ${runHigh} s` },
                       prediction.knows_runs
                       ? `As this host was: 95 % of runs between ${formatSeconds(runLow)} and ${formatSeconds(runHigh)}`
                       : "As this host was: the times of single runs are not known"),
               element("dl", { class: "uses" }, ...termsOf(prediction, aloneSeconds)));
  }
  if (deadline.seconds !== null) {
    const [look, text] = deadlineVerdict(prediction, deadline);
    parts.push(element("p", { class: `deadline ${look}` }, text));
  }
  parts.push(groundsOf(prediction, controls));
  place.replaceChildren(...parts);
  place.dataset.seconds = prediction.seconds;
  place.dataset.low = low;
  place.dataset.high = high;
}

function showRefusal(place, text) {
  place.replaceChildren(element("p", { class: "refused" }, text));
  delete place.dataset.seconds;
}

function showCommands(place, question, controls, deadline) {
  const ask = predictCommand(question, controls);
  const plan = planCommand(question, controls, deadline.text);
  place.replaceChildren(element("h2", {}, "The same from a shell"), command(ask, "the question"),
                        command(plan, "the plan"));
}
