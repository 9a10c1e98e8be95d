// SPDX-License-Identifier: Apache-2.0
// One run over time: ranks as rows, blocks as colours. Spans that are too short to be seen are drawn together, as the
// block that takes most of their time, so that a picture of many spans costs no more than one of few.
"use strict";

const kMaxShapes = 6000;
const kDecals = [[1, 0], [[6, 3], Math.PI / 4], [[2, 5], 0], [[6, 3], -Math.PI / 4], [[3, 3], Math.PI / 2], [[1, 4], Math.PI / 6]];

function rowsOf(trace) {
  const workers = trace.levels_are_workers ? trace.threads : 1;
  const rows = Array.from({ length: trace.ranks * workers }, (_, row) => ({
    name: workers > 1 ? `rank ${Math.floor(row / workers)}, worker ${row % workers}` : `rank ${row}`, spans: [] }));
  trace.rank.forEach((rank, span) => {
    rows[rank * workers + (workers > 1 ? trace.level[span] : 0)]?.spans.push(span);
  });
  return rows;
}

// A test of spans for words such as "divide rank:1 level:0 >10ms"; every word must hold.
function matcherOf(trace, text) {
  const tests = text.trim().toLowerCase().split(/\s+/).filter((word) => word !== "").map((word) => {
    const [, name, number] = /^(rank|level|worker):(\d+)$/.exec(word) ?? [];
    const [, sign, value, unit] = /^([<>])([\d.]+)(ns|us|µs|ms|s)$/.exec(word) ?? [];
    if (name) {
      const column = name === "rank" ? trace.rank : trace.level;
      return (span) => column[span] === Number(number);
    }
    if (sign) {
      const limit = Number(value) * { ns: 1, us: 1e3, "µs": 1e3, ms: 1e6, s: 1e9 }[unit];
      return (span) => (sign === ">" ? trace.duration_ns[span] > limit : trace.duration_ns[span] < limit);
    }
    return (span) => trace.blocks[trace.block[span]].includes(word);
  });
  return (span) => tests.every((test) => test(span));
}

// The shapes of one row in a window: [row, begin, end, block, span or -1, matches].
function addShapes(shapes, trace, row, index, view, shortest) {
  let bucket = null;
  const flush = () => {
    if (bucket !== null) {
      const totals = [...bucket.time.entries()];
      const [key] = totals.reduce((most, entry) => (entry[1] > most[1] ? entry : most));
      shapes.push([index, bucket.begin, Math.max(bucket.end, bucket.begin + shortest), key >> 1, -1, key & 1]);
      bucket = null;
    }
  };
  for (const span of row.spans) {
    const begin = trace.begin_ns[span];
    const duration = trace.duration_ns[span];
    if (begin + duration < view.from || begin > view.to) {
      continue;
    }
    const isMatch = view.matches === null ? 1 : view.matches[span];
    if (duration >= shortest) {
      flush();
      shapes.push([index, begin, begin + duration, trace.block[span], span, isMatch]);
      continue;
    }
    if (bucket !== null && begin > bucket.begin + shortest) {
      flush();
    }
    bucket ??= { begin, end: begin, time: new Map() };
    bucket.end = Math.max(bucket.end, begin + duration);
    const key = 2 * trace.block[span] + isMatch;
    // Something that was searched for is shown, however short.
    bucket.time.set(key, (bucket.time.get(key) ?? 0) + duration + (view.matches !== null && isMatch ? 1e12 : 1));
  }
  flush();
}

function shapesOf(trace, rows, view, width) {
  const shapes = [];
  const pixels = Math.max(1.5, (rows.length * width) / kMaxShapes);
  const shortest = ((view.to - view.from) / width) * pixels;
  rows.forEach((row, index) => addShapes(shapes, trace, row, index, view, shortest));
  return shapes;
}

function textOfSpan(trace, span) {
  const where = trace.levels_are_workers ? "worker" : "level";
  const bytes = trace.bytes[span] > 0 ? `, ${formatBytes(trace.bytes[span])}` : "";
  return `${trace.blocks[trace.block[span]]}, rank ${trace.rank[span]}, ${where} ${trace.level[span]}\n` +
         `${formatSeconds(trace.duration_ns[span] / 1e9)} from ${formatSeconds(trace.begin_ns[span] / 1e9)}${bytes}`;
}

function renderShape(trace) {
  const colours = trace.blocks.map(blockColour);
  const faint = css("--rule");
  return (params, api) => {
    const [left, y] = api.coord([api.value(1), api.value(0)]);
    const [right] = api.coord([api.value(2), api.value(0)]);
    const height = Math.max(1, api.size([0, 1])[1] * 0.78);
    const block = api.value(3);
    const shape = echarts.graphic.clipRectByRect({ x: left, y: y - height / 2, width: Math.max(1, right - left), height },
                                                 params.coordSys);
    if (!shape) {
      return null;
    }
    const isMatch = api.value(5) === 1;
    const style = { fill: isMatch ? colours[block] : faint, opacity: isMatch ? 1 : 0.7 };
    if (isMatch && shape.width > 14 && height > 5) {
      const [dashes, rotation] = kDecals[block % kDecals.length];
      style.decal = { symbol: "rect", color: "rgba(255,255,255,0.35)", dashArrayX: dashes, dashArrayY: [2, 4], rotation };
    }
    return { type: "rect", shape, style };
  };
}

function timelineOptions(trace, rows, view, width) {
  const end = trace.end_ns;
  const time = axis("", { type: "value", min: 0, max: end });
  time.axisLabel = { ...time.axisLabel, formatter: (ns) => formatSeconds(ns / 1e9, 3) };
  const shown = [...new Set(trace.block)];
  const zoom = { xAxisIndex: 0, filterMode: "none", startValue: view.from, endValue: view.to };
  return {
    grid: grid({ left: 24 + 7 * Math.max(...rows.map((row) => row.name.length)), bottom: 76 }), xAxis: time,
    yAxis: axis("", { type: "category", data: rows.map((row) => row.name), inverse: true, splitLine: { show: false } }),
    dataZoom: [{ type: "inside", ...zoom, zoomOnMouseWheel: "ctrl" },
               { type: "slider", ...zoom, bottom: 10, height: 24, labelFormatter: (ns) => formatSeconds(ns / 1e9, 3),
                 textStyle: { color: css("--quiet") }, brushSelect: false }],
    legend: legend({ data: shown.map((block) => trace.blocks[block]), selectedMode: false }),
    tooltip: tooltip(({ data }) => (data?.[4] >= 0 ? textOfSpan(trace, data[4])
      : data?.length ? `${trace.blocks[data[3]]} and other short spans: zoom in` : "")),
    series: [
      { type: "custom", id: "spans", data: shapesOf(trace, rows, view, width), renderItem: renderShape(trace),
        encode: { x: [1, 2], y: 0 }, clip: true },
      ...shown.map((block) => ({ type: "bar", name: trace.blocks[block], color: blockColour(trace.blocks[block]), data: [] })),
    ],
  };
}

// Buttons and the search field; `act` moves the window, `find` takes the text.
function makeTools(view, act, find) {
  const input = element("input", { type: "search", id: "find-spans", placeholder: "divide rank:1 >10ms", autocomplete: "off" });
  const status = element("span", { role: "status", class: "quiet" });
  const button = (text, label, action) => {
    const made = element("button", { type: "button", "aria-label": label }, text);
    made.addEventListener("click", action);
    return made;
  };
  input.addEventListener("input", () => { status.textContent = find(input.value); });
  const go = (step) => { status.textContent = act.goTo(step); };
  input.addEventListener("keydown", (event) => event.key === "Enter" && go(event.shiftKey ? -1 : 1));
  return element("div", { class: "tools" }, element("label", { for: "find-spans" }, "Find spans"), input,
                 button("‹", "Previous match", () => go(-1)), button("›", "Next match", () => go(1)),
                 button("+", "Zoom in", () => act.zoom(0.5)), button("−", "Zoom out", () => act.zoom(2)),
                 button("All", "Show all of the run", act.all), status);
}

function makeActions(trace, view, show) {
  const end = trace.end_ns;
  const move = (from, to) => {
    const length = Math.min(end, Math.max(100, to - from));
    view.from = Math.min(Math.max(0, from), end - length);
    view.to = view.from + length;
    show();
  };
  return {
    all: () => move(0, end),
    zoom: (factor) => {
      const middle = (view.from + view.to) / 2;
      const half = ((view.to - view.from) / 2) * factor;
      move(middle - half, middle + half);
    },
    pan: (part) => move(view.from + part * (view.to - view.from), view.to + part * (view.to - view.from)),
    goTo: (step) => {
      const count = view.found.length;
      if (count === 0) {
        return "No span matches.";
      }
      view.at = (view.at + step + count) % count;
      const span = view.found[view.at];
      const room = Math.max(4 * trace.duration_ns[span], 1000);
      move(trace.begin_ns[span] - room, trace.begin_ns[span] + trace.duration_ns[span] + room);
      return `${view.at + 1} of ${count}: ${textOfSpan(trace, span).replace("\n", ", ")}`;
    },
  };
}

function watchKeys(place, act) {
  place.addEventListener("keydown", (event) => {
    const action = { ArrowLeft: () => act.pan(-0.25), ArrowRight: () => act.pan(0.25), "+": () => act.zoom(0.5),
                     "=": () => act.zoom(0.5), "-": () => act.zoom(2), Home: act.all }[event.key];
    if (action && event.target === place) {
      event.preventDefault();
      action();
    }
  });
}

function noteOf(trace) {
  const left = trace.left_out > 0 ? ` The ${trace.left_out.toLocaleString("en")} shortest spans are left out.` : "";
  return `${formatSizes(trace.sizes)} on ${formatWorkers(trace.ranks, trace.threads)}, ${formatSeconds(trace.elapsed_ns / 1e9)}: ` +
         `repetition ${trace.repetition} of ${trace.file}, ${trace.rank.length.toLocaleString("en")} spans.${left} ` +
         "Arrow keys move, + and - zoom, Home shows all; with the mouse drag, or turn the wheel with Ctrl.";
}

function makeTimeline(place, trace) {
  trace.end_ns = trace.begin_ns.reduce((end, begin, span) => Math.max(end, begin + trace.duration_ns[span]), trace.elapsed_ns);
  const rows = rowsOf(trace);
  const view = { from: 0, to: trace.end_ns, matches: null, found: trace.rank.map((_, span) => span), at: -1 };
  view.found.sort((a, b) => trace.begin_ns[a] - trace.begin_ns[b]);
  const all = view.found;
  const width = () => Math.max(200, place.clientWidth - 120);
  const holder = element("div", { class: "timeline", tabindex: "0", role: "group", "aria-label": "Timeline of one run" });
  place.append(holder);
  const chart = addFigure(holder, {
    id: "timeline", title: "Timeline of one run", note: noteOf(trace), isWide: true, renderer: "canvas",
    height: Math.min(640, 150 + 26 * rows.length), options: () => timelineOptions(trace, rows, view, width()) });
  const show = () => draw(chart);
  const act = makeActions(trace, view, show);
  const find = (text) => {
    const matches = matcherOf(trace, text);
    view.matches = text.trim() === "" ? null : Uint8Array.from(trace.rank, (_, span) => Number(matches(span)));
    view.found = view.matches === null ? all : all.filter((span) => view.matches[span]);
    view.at = -1;
    show();
    return view.matches === null ? "" : `${view.found.length.toLocaleString("en")} of ${all.length.toLocaleString("en")} spans match.`;
  };
  chart.plot.before(makeTools(view, act, find));
  watchKeys(holder, act);
  chart.drawn.on("datazoom", (event) => {
    const { start, end } = event.batch?.[0] ?? event;
    if (start !== undefined) {
      [view.from, view.to] = [(start / 100) * trace.end_ns, (end / 100) * trace.end_ns];
      chart.drawn.setOption({ series: [{ id: "spans", data: shapesOf(trace, rows, view, width()) }] });
    }
  });
}
