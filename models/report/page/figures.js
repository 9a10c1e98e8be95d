// SPDX-License-Identifier: Apache-2.0
// Figures: time, efficiency and blocks over ranks, as the controls ask; and what was measured.
"use strict";

// Okabe and Ito: told apart by the colour-blind. Yellow and black are left out, which light or dark grounds hide.
const kColours = ["#0072b2", "#e69f00", "#009e73", "#d55e00", "#cc79a7", "#56b4e9", "#8c6d31", "#7f7f7f"];
const kBlockColours = {
  sequential: 0, search: 0, divide: 1, combine: 2, exchange: 3, skeleton: 4, partition: 5, steal: 5,
  sample: 6, pivot: 6, conquer: 2, wait: 7, idle: 7,
};
const blockColour = (block) => kColours[kBlockColours[block] ?? 7];

function formatNumber(value, digits) {
  const size = Math.abs(value);
  return value === 0 || (size >= 1e-4 && size < 1e7) ? `${+value.toPrecision(digits)}` : value.toExponential(digits - 2);
}

// The labels of axes and points, as the terminal writes times.
function formatSeconds(seconds, digits = 4) {
  for (const [unit, scale, least] of [["d", 86400, 2], ["h", 3600, 2], ["min", 60, 2], ["s", 1, 1], ["ms", 1e-3, 1], ["us", 1e-6, 1]]) {
    if (seconds >= least * scale) {
      return `${formatNumber(seconds / scale, scale > 1 ? 3 : digits)} ${unit}`;
    }
  }
  return `${formatNumber(seconds * 1e9, digits)} ns`;
}

const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

const charts = [];  // all figures, to be drawn again

// A place for a figure: a heading, a sentence, the plot. `options()` makes what ECharts draws.
function addFigure(place, id, title, note, options) {
  const plot = element("div", { class: "plot" });
  place.append(element("figure", { id: `figure-${id}` },
                       element("figcaption", {}, element("h2", {}, title), element("p", {}, note)), plot));
  const chart = { title, options, drawn: echarts.init(plot, null, { renderer: "svg" }) };
  charts.push(chart);
  draw(chart);
}

function draw({ title, options, drawn }) {
  const { fontFamily } = getComputedStyle(document.body);
  const aria = { enabled: true, decal: { show: true }, label: { description: `${title}. The tables below hold the numbers.` } };
  drawn.setOption({ animation: false, aria, textStyle: { color: css("--ink"), fontFamily },
                    color: kColours, ...options() }, { notMerge: true });
  drawn.getZr().flush();
}

function watchTheme() {
  const drawAll = () => charts.forEach(draw);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
  matchMedia("print").addEventListener("change", ({ matches }) => {
    drawAll();
    document.getElementById("notes")?.toggleAttribute("open", matches);
  });
  let pending;
  new ResizeObserver(() => {
    clearTimeout(pending);
    pending = setTimeout(() => charts.forEach(({ drawn }) => drawn.resize()), 100);
  }).observe(document.querySelector("main"));
}

function axis(name, formatter, more = {}) {
  const quiet = css("--quiet");
  const { axisLabel, ...others } = more;
  return {
    name, nameLocation: "middle", nameGap: 30, nameTextStyle: { color: quiet, fontSize: 13 },
    axisLabel: { color: quiet, fontSize: 12, hideOverlap: true, formatter, ...axisLabel },
    axisLine: { lineStyle: { color: css("--edge") } }, splitLine: { lineStyle: { color: css("--rule") } }, ...others,
  };
}

function ranksAxis(curve) {
  const ranks = curve.map((answer) => answer.ranks);
  const marks = ranks.filter((count) => Number.isInteger(Math.log2(count)));
  return axis("ranks", (count) => `${count}`, {
    type: "log", logBase: 2, min: ranks[0], max: ranks.at(-1), splitLine: { show: false },
    axisTick: { customValues: marks }, axisLabel: { customValues: marks } });
}

function timeAxis(name, values, more = {}) {
  const positive = values.filter((value) => value > 0);
  return axis(name, (s) => formatSeconds(s, 3), {
    type: "log", min: 10 ** Math.floor(Math.log10(Math.min(...positive))),
    max: 10 ** Math.ceil(Math.log10(Math.max(...positive) * 1.0001)), ...more });
}

const percentAxis = (more = {}) => axis("", "{value} %", { type: "value", ...more });

// Options of all figures. Tooltips are HTML, and names come from files.
function base(tooltip, left = 72) {
  const entities = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\n": "<br>" };
  return {
    grid: { left, right: 24, top: 44, bottom: 48 },
    legend: { type: "scroll", top: 0, left: 0, textStyle: { color: css("--ink"), fontSize: 12 }, itemGap: 18,
              pageTextStyle: { color: css("--ink") }, pageIconColor: css("--ink") },
    tooltip: { trigger: "item", confine: true, transitionDuration: 0, backgroundColor: css("--panel"),
               borderColor: css("--edge"), textStyle: { color: css("--ink"), fontSize: 13 },
               formatter: (hovered) => (tooltip(hovered) ?? "").replace(/[&<>"\n]/g, (letter) => entities[letter]) },
  };
}

// Points of [x, low, high]: one area, or a line at each x.
function band(points, colour, areLines = false) {
  return {
    type: "custom", name: "95 % interval", silent: true, clip: true, z: 1, itemStyle: { color: colour },
    data: areLines ? points : [points.flat()], encode: { x: 0, y: [1, 2] },
    renderItem: ({ dataIndex }, api) => {
      const corner = (x, y) => api.coord([x, y]);
      if (areLines) {
        const [x, low, high] = points[dataIndex];
        const [[x1, y1], [x2, y2]] = [corner(x, low), corner(x, high)];
        return { type: "line", shape: { x1, y1, x2, y2 }, style: { stroke: colour, lineWidth: 1.2, opacity: 0.55 } };
      }
      const outline = [...points.map(([x, , high]) => corner(x, high)), ...points.map(([x, low]) => corner(x, low)).reverse()];
      return { type: "polygon", shape: { points: outline }, style: { fill: colour, opacity: 0.22 } };
    },
  };
}

// A line over ranks, and a shade right of the largest number of ranks that was measured.
function overRanks(name, points, colour, maxRanks) {
  const last = points.at(-1)[0];
  const shade = maxRanks >= last ? {} : {
    markArea: { silent: true, itemStyle: { color: css("--beyond"), decal: { symbol: "none" } },
                label: { color: css("--quiet"), fontSize: 12, position: "insideBottom", formatter: "beyond what was fitted" },
                data: [[{ xAxis: maxRanks }, { xAxis: last }]] },
  };
  return { type: "line", name, data: points, symbol: "circle", symbolSize: 7, lineStyle: { width: 2 }, color: colour, z: 3, ...shade };
}

const textOfRanks = (answer) => `${answer.ranks} ${answer.ranks === 1 ? "rank" : "ranks"}`;

function timeOptions(curve, runs, maxRanks) {
  const [{ threads, sizes }] = curve;
  const measured = runs.filter((run) => run.threads === threads &&
    Object.entries(sizes).every(([name, value]) => run.sizes[name] === value));
  const times = [...curve.flatMap(({ low, high }) => [low, high]), ...measured.map((run) => run.measured)];
  return {
    ...base(({ seriesName, data }) => `${seriesName}, ${textOfRanks({ ranks: data[0] })}: ${formatSeconds(data[1])}`),
    xAxis: ranksAxis(curve), yAxis: timeAxis("", times),
    series: [band(curve.map(({ ranks, low, high }) => [ranks, low, high]), kColours[0]),
             overRanks("predicted", curve.map(({ ranks, seconds }) => [ranks, seconds]), kColours[0], maxRanks),
             { type: "scatter", name: "measured", data: measured.map((run) => [run.ranks, run.measured]), symbol: "diamond",
               symbolSize: 13, color: kColours[3], z: 4 }],
  };
}

function efficiencyOptions(curve, maxRanks) {
  const part = ({ efficiency, seconds }, time) => 100 * efficiency * seconds / time;
  const bands = curve.map((answer) => [answer.ranks, part(answer, answer.high), part(answer, answer.low)]);
  const most = Math.min(Math.max(...bands.map(([, , high]) => high)), 200 * Math.max(...curve.map(({ efficiency }) => efficiency)));
  return {
    ...base(({ data }) => `${textOfRanks({ ranks: data[0] })}: efficiency ${formatNumber(data[1], 3)} %`),
    xAxis: ranksAxis(curve), yAxis: percentAxis({ min: 0, max: 10 * Math.ceil(most / 10) }),
    series: [band(bands, kColours[2]),
             overRanks("efficiency", curve.map((answer) => [answer.ranks, 100 * answer.efficiency]), kColours[2], maxRanks)],
  };
}

function blocksOptions(curve) {
  const seconds = curve.map(({ blocks }) => new Map(blocks));
  const part = (i, name) => (100 * (seconds[i].get(name) ?? 0)) / curve[i].seconds;
  const names = [...new Set(seconds.flatMap((of) => [...of.keys()]))].filter((name) => curve.some((_, i) => part(i, name) >= 0.05));
  return {
    ...base(({ seriesName, value, dataIndex }) => `${textOfRanks(curve[dataIndex])}, ${seriesName}: ${formatNumber(value, 3)} %, ` +
                                                  formatSeconds(seconds[dataIndex].get(seriesName) ?? 0)),
    xAxis: axis("ranks", undefined, { type: "category", data: curve.map(({ ranks }) => `${ranks}`) }),
    yAxis: percentAxis({ min: 0, max: 100 }),
    series: names.map((name) => ({ type: "bar", stack: "time", name, color: blockColour(name), barWidth: "70%",
                                   data: curve.map((_, i) => part(i, name)) })),
  };
}

function comparisonOptions(runs) {
  const times = runs.flatMap((run) => [run.measured, run.low, run.high]);
  const xAxis = timeAxis("measured", times);
  const ends = [xAxis.min, xAxis.max];
  const points = (isHeldOut) => runs.filter((run) => run.held_out === isHeldOut)
    .map(({ measured, predicted, text }) => ({ value: [measured, predicted], text }));
  return {
    ...base(({ data }) => data.text, 84), xAxis, yAxis: timeAxis("predicted", times, { nameGap: 58 }),
    series: [
      band(runs.map(({ measured, low, high }) => [measured, low, high]), css("--quiet"), true),
      { type: "line", name: "equal", data: ends.map((end) => [end, end]), symbol: "none", silent: true,
        lineStyle: { type: "dashed", width: 1, color: css("--quiet") }, color: css("--quiet") },
      { type: "scatter", name: "fitted", data: points(false), symbol: "circle", symbolSize: 9, color: kColours[0],
        itemStyle: { color: "transparent", borderColor: kColours[0], borderWidth: 2 } },
      { type: "scatter", name: "held out", data: points(true), symbol: "diamond", symbolSize: 11, color: kColours[3] },
    ],
  };
}

// Draws what was measured, and returns a function that draws the answers over ranks.
function makeFigures(place, { runs, max_ranks: maxRanks }) {
  let curve = null;
  const above = element("section", { class: "figures", id: "over-ranks" });
  place.before(above);
  if (runs.length > 0) {
    addFigure(place, "comparison", "Predicted against measured", "Every run. On the dashed line both " +
              "are equal; held out: kept from the fit to test it.", () => comparisonOptions(runs));
  }
  watchTheme();
  return (next) => {
    const isFirst = curve === null;
    curve = next;
    if (!isFirst) {
      charts.forEach(draw);
      return;
    }
    addFigure(above, "time", "Time against ranks", "Predicted with its 95 % interval, and what was measured of these sizes.",
              () => timeOptions(curve, runs, maxRanks));
    addFigure(above, "efficiency", "Efficiency against ranks", "Speed-up over one rank, divided by ranks; with its 95 % interval.",
              () => efficiencyOptions(curve, maxRanks));
    if (curve.some(({ blocks }) => blocks.length > 0)) {
      addFigure(above, "shares", "Where the time goes", "Shares of the blocks on the rank that ends last.", () => blocksOptions(curve));
    }
    charts.forEach(({ drawn }) => drawn.resize());  // those before had the place of these
  };
}
