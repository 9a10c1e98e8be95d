// SPDX-License-Identifier: Apache-2.0
// What all figures have in common: colours, axes, places in the page, and a second drawing for paper.
"use strict";

// Okabe and Ito: told apart by the colour-blind. Yellow and black are left out, which light or dark grounds hide.
const kColours = ["#0072b2", "#e69f00", "#009e73", "#d55e00", "#cc79a7", "#56b4e9", "#8c6d31", "#7f7f7f"];
const kSymbols = ["circle", "rect", "triangle", "diamond", "roundRect", "pin", "arrow"];
const kBlockColours = {
  sequential: 0, search: 0, divide: 1, combine: 2, exchange: 3, skeleton: 4, partition: 5, steal: 5,
  sample: 6, pivot: 6, conquer: 2, wait: 7, idle: 7,
};
const colourOf = (index) => kColours[index % kColours.length];
const symbolOf = (index) => kSymbols[index % kSymbols.length];
const blockColour = (block) => colourOf(kBlockColours[block] ?? 7);

const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

const charts = [];  // all figures, to be drawn again

// A place for a figure: a heading, a sentence, the plot. `options()` makes what ECharts draws.
function addFigure(place, { id, title, note, isWide = false, height, options, renderer = "svg" }) {
  const plot = element("div", { class: "plot", ...(height ? { style: `height: ${height}px` } : {}) });
  const figure = element("figure", { id: `figure-${id}`, ...(isWide ? { class: "wide" } : {}) },
                         element("figcaption", {}, element("h2", {}, title), element("p", {}, note)), plot);
  place.append(figure);
  const chart = { id, plot, options, figure, title, renderer };
  charts.push(chart);
  draw(chart);
  return chart;
}

function draw(chart) {
  chart.drawn ??= echarts.init(chart.plot, null, { renderer: chart.renderer });
  const { fontFamily } = getComputedStyle(document.body);
  const aria = { enabled: true, decal: { show: true }, label: { description: `${chart.title}. The tables below hold the numbers.` } };
  chart.drawn.setOption({ animation: false, aria, textStyle: { color: css("--ink"), fontFamily },
                          color: kColours, ...chart.options() }, { notMerge: true });
  chart.drawn.getZr().flush();
}

const drawAll = () => charts.forEach(draw);

function watchTheme() {
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
  matchMedia("print").addEventListener("change", ({ matches }) => {
    drawAll();
    const notes = document.getElementById("notes");
    notes?.toggleAttribute("open", matches);
  });
  let pending;
  new ResizeObserver(() => {
    clearTimeout(pending);
    pending = setTimeout(() => charts.forEach((chart) => chart.drawn.resize()), 100);
  }).observe(document.querySelector("main"));
}

function axis(name, more = {}) {
  const quiet = css("--quiet");
  return {
    name, nameLocation: "middle", nameGap: 30, nameTextStyle: { color: quiet, fontSize: 13 },
    axisLabel: { color: quiet, fontSize: 12, hideOverlap: true }, axisLine: { lineStyle: { color: css("--edge") } },
    splitLine: { lineStyle: { color: css("--rule") } }, minorSplitLine: { show: false }, ...more,
  };
}

// Ranks, each a power of two or not.
function ranksAxis(ranks) {
  const marks = ranks.filter((rank) => Number.isInteger(Math.log2(rank)));
  const base = axis("ranks", { type: "log", logBase: 2, min: Math.min(...ranks), max: Math.max(...ranks),
                               splitLine: { show: false }, axisTick: { customValues: marks } });
  base.axisLabel = { ...base.axisLabel, customValues: marks, formatter: (rank) => `${rank}` };
  return base;
}

function logAxis(name, values, format, more = {}) {
  const positive = values.filter((value) => value > 0);
  const low = 10 ** Math.floor(Math.log10(Math.min(...positive)));
  const high = 10 ** Math.ceil(Math.log10(Math.max(...positive) * 1.0001));
  const base = axis(name, { type: "log", min: low, max: high, ...more });
  base.axisLabel = { ...base.axisLabel, formatter: format };
  return base;
}

function legend(more = {}) {
  return { type: "scroll", top: 0, left: 0, textStyle: { color: css("--ink"), fontSize: 12 }, itemGap: 18,
           pageTextStyle: { color: css("--ink") }, pageIconColor: css("--ink"), ...more };
}

function tooltip(formatter, more = {}) {
  return { trigger: "item", confine: true, transitionDuration: 0, backgroundColor: css("--panel"),
           borderColor: css("--edge"), textStyle: { color: css("--ink"), fontSize: 13 },
           formatter: (hovered) => escaped(formatter(hovered)), ...more };
}

// Tooltips are HTML; names come from files.
function escaped(text) {
  const entities = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\n": "<br>" };
  return text.replace(/[&<>"\n]/g, (letter) => entities[letter]);
}

const grid = (more = {}) => ({ left: 72, right: 24, top: 44, bottom: 48, ...more });

// The interval of a curve: points of [x, low, high] become one area.
function band(points, colour) {
  return {
    type: "custom", name: "95 % interval", silent: true, z: 1, itemStyle: { color: colour }, data: [points.flat()],
    renderItem: (params, api) => {
      const upper = points.map(([x, , high]) => api.coord([x, high]));
      const lower = points.map(([x, low]) => api.coord([x, low])).reverse();
      return { type: "polygon", shape: { points: [...upper, ...lower] }, style: { fill: colour, opacity: 0.22 } };
    },
  };
}

// What lies right of the largest number of ranks that was measured.
function beyondArea(maxRanks, last) {
  return maxRanks >= last ? {} : {
    markArea: { silent: true, itemStyle: { color: css("--beyond"), decal: { symbol: "none" } },
                label: { color: css("--quiet"), fontSize: 12, position: "insideBottom", formatter: "beyond what was fitted" },
                data: [[{ xAxis: maxRanks }, { xAxis: last }]] },
  };
}
