// SPDX-License-Identifier: Apache-2.0
// The form beside the answer: it makes a question of what its fields hold.
"use strict";

// A labelled field. `parse` gives the value, or null where the text is none; `hint` is what is allowed.
function makeField(place, { id, label, value, unit = "", hint, parse, optional = false }) {
  const input = element("input", { id, type: "text", value, autocomplete: "off", spellcheck: "false",
                                   "aria-describedby": `${id}-hint` });
  const help = element("small", { id: `${id}-hint` }, hint);
  const row = element("div", { class: "field" }, element("label", { for: id }, label),
                      element("span", { class: "with-unit" }, input, unit), help);
  place.append(row);
  const read = () => {
    const isEmpty = optional && input.value.trim() === "";
    const parsed = isEmpty ? undefined : parse(input.value);
    const isWrong = parsed === null;
    input.setAttribute("aria-invalid", isWrong);
    row.classList.toggle("wrong", isWrong);
    return parsed;
  };
  return { input, help, read, reset: () => { input.value = value; } };
}

function makeSelect(place, { id, label, options, value, hint }) {
  const select = element("select", { id, "aria-describedby": `${id}-hint` },
                         ...options.map(([key, text]) => element("option", { value: key }, text)));
  select.value = value;
  place.append(element("div", { class: "field" }, element("label", { for: id }, label), select,
                       element("small", { id: `${id}-hint` }, hint)));
  return { input: select, read: () => select.value, reset: () => { select.value = value; } };
}

// A count that the program takes of a size.
function parseSize(text, step) {
  const value = parseCount(text);
  if (value === null || step === undefined) {
    return value;
  }
  let power = 1;
  while (step.is_of_powers && power < value) {
    power *= step.number;
  }
  return (step.is_of_powers ? power === value : value % step.number === 0) ? value : null;
}

function parseWhole(text) {
  const value = parseCount(text);
  return value !== null && value <= 2 ** 20 ? value : null;
}

function parseThreads(text) {
  const value = parseCount(text);
  return value !== null && value <= 1024 ? value : null;
}

function makeDeadline(place) {
  return makeField(place, { id: "deadline", label: "Deadline", value: "", optional: true, parse: parseDuration,
                            hint: "20ms, 60s, 15m, 1h30m" });
}

function makeFields(form, controls) {
  const fields = { sizes: {}, blocks: {} };
  const main = element("fieldset", {}, element("legend", {}, "Run"));
  const change = element("details", {}, element("summary", {}, "What if messages or blocks took another time?"));
  form.append(main);
  for (const size of controls.sizes) {
    fields.sizes[size.name] = makeField(main, {
      id: `size-${size.name}`, label: `Size ${size.name}`, value: formatCount(size.start),
      parse: (text) => parseSize(text, size.step),
      hint: `${size.step ? `${size.step.text}; ` : ""}fitted: ${formatCount(size.minimum)} to ${formatCount(size.maximum)}` });
  }
  fields.ranks = makeField(main, { id: "ranks", label: "Ranks", value: controls.is_search ? `${controls.max_ranks}` : "8",
                                   parse: parseWhole, hint: `fitted: up to ${controls.max_ranks}` });
  if (controls.is_search) {
    fields.threads = makeField(main, {
      id: "threads", label: "Threads of a rank", value: `${controls.start_threads}`, parse: parseThreads,
      hint: `fitted: ${controls.threads.join(", ")}` });
  }
  if (controls.is_table) {  // it has no hosts, no network and no blocks
    fields.deadline = makeDeadline(main);
    return fields;
  }
  form.append(change);
  fields.ranksPerHost = makeField(main, { id: "ranks-per-host", label: "Ranks per host", value: "", optional: true,
                                          parse: parseWhole, hint: "empty: as in the fitted runs" });
  if (!controls.is_search) {  // whose model has the network of its runs
    fields.network = makeSelect(main, {
      id: "network", label: "Network", hint: "between hosts; a name is a wide range",
      value: controls.knows_between_hosts ? "" : controls.usual_network,
      options: [["", controls.knows_between_hosts ? "as measured" : "none: one host"],
                ...controls.networks.map((name) => [name, name])] });
  }
  fields.deadline = makeDeadline(main);
  const addFactor = (id, label) => makeField(change, {
    id, label, value: "1", unit: "×", parse: parseFactor, hint: "0.1: a tenth of the time; 10: ten times" });
  if (!controls.is_search) {
    fields.l = addFactor("factor-l", "Latency l");
    fields.g = addFactor("factor-g", "Gap g");
  }
  for (const block of controls.blocks) {
    fields.blocks[block] = addFactor(`factor-${block}`, `Time of ${block}`);
  }
  return fields;
}

function readAll(fields) {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field.read()]));
}

// The question, or null where some field holds no value.
function questionOf(fields) {
  const question = {
    ranks: fields.ranks.read(),
    sizes: readAll(fields.sizes),
    change: { l: fields.l ? fields.l.read() : 1, g: fields.g ? fields.g.read() : 1, blocks: readAll(fields.blocks) },
    assume_network: fields.network?.read() ?? "",
  };
  const threads = fields.threads?.read();
  const ranksPerHost = fields.ranksPerHost?.read();
  const values = [question.ranks, threads, ranksPerHost, question.change.l, question.change.g,
                  ...Object.values(question.sizes), ...Object.values(question.change.blocks)];
  if (values.includes(null)) {
    return null;
  }
  if (threads !== undefined) {
    question.threads = threads;
  }
  if (ranksPerHost !== undefined) {
    question.ranks_per_host = ranksPerHost;
  }
  return question;
}

// Calls `ask(question or null, deadline)` now and whenever a field changes. `deadline` has text and seconds.
function makeControls(form, controls, ask) {
  const fields = makeFields(form, controls);
  const answer = () => {
    const seconds = fields.deadline.read();
    const text = seconds == null ? "" : fields.deadline.input.value.trim();
    ask(questionOf(fields), { text, seconds: seconds ?? null });
  };
  const reset = element("button", { type: "button" }, "Start again");
  form.append(reset);
  reset.addEventListener("click", () => {
    const { sizes, blocks, ...others } = fields;
    [...Object.values(sizes), ...Object.values(blocks), ...Object.values(others)].forEach((f) => f?.reset());
    answer();
  });
  form.addEventListener("input", answer);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.hidden = false;
  answer();
}
