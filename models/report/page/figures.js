// SPDX-License-Identifier: Apache-2.0
// Figures: time, efficiency and blocks over ranks, as the controls ask; and what was measured.
"use strict";

// Okabe and Ito: told apart by the colour-blind. Yellow and black are left out, which light or dark grounds hide.
const kColours = ["#0072b2", "#e69f00", "#009e73", "#d55e00", "#cc79a7", "#56b4e9", "#8c6d31", "#7f7f7f"];
// The labels of axes and points, as the terminal writes times.
function formatSeconds(seconds, digits = 4) {
  const units = [["d", 86400, 2], ["h", 3600, 2], ["min", 60, 2], ["s", 1, 1], ["ms", 1e-3, 1], ["us", 1e-6, 1], ["ns", 1e-9, 0]];
  const [unit, scale] = units.find(([, of, least]) => seconds >= least * of);
  return `${+(seconds / scale).toPrecision(scale > 1 ? 3 : digits)} ${unit}`;
}

// The colour of a name in page.css, in the light or the dark.
function css(name) {
  document.documentElement.style.color = `var(${name})`;  // which shows nowhere: the body has its own
  return getComputedStyle(document.documentElement).color;
}

const charts = new Map();  // all figures by their ids, to be drawn again

// Shows what `options()` makes for ECharts below a heading and a sentence; nothing where `options` is null.
function showFigure(place, id, title, note, options) {
  if (!charts.has(id)) {
    const plot = element("div", { class: "plot" });
    const save = element("button", { type: "button", class: "save", "aria-label": `Save as SVG: ${title}` }, "Save as SVG");
    place.append(element("figure", { id: `figure-${id}` },
                         element("figcaption", {}, save, element("h2", {}, title), element("p", {}, note)), plot));
    charts.set(id, { title, plot });
    save.addEventListener("click", () => {
      const { drawn } = charts.get(id);
      drawn.setOption({ title: { show: true } });
      const download = `${title.toLowerCase().replaceAll(" ", "-")}.svg`;
      element("a", { href: drawn.getDataURL({ type: "svg" }), download }).click();
      drawn.setOption({ title: { show: false } });
    });
  }
  const chart = charts.get(id);
  chart.options = options;
  chart.plot.parentElement.hidden = options === null;
  draw(chart);
}

// Nothing while it is folded.
function draw(chart) {
  const { title, options, plot } = chart;
  if (plot.clientWidth === 0) {
    return;
  }
  chart.drawn ??= echarts.init(plot, null, { renderer: "svg" });
  chart.drawn.resize();
  const { fontFamily } = getComputedStyle(document.body);
  const aria = { enabled: true, decal: { show: true }, label: { description: `${title}. The tables below hold the numbers.` } };
  const { about, ...drawn } = options();
  chart.drawn.setOption({
    animation: false, aria, textStyle: { color: css("--ink"), fontFamily }, color: kColours, backgroundColor: css("--panel"),
    title: { show: false, text: `${title}${about}`, right: 8, bottom: 0, textStyle: { fontSize: 12 } }, ...drawn,
  }, { notMerge: true });
  chart.drawn.getZr().flush();
}

function watchPage() {
  const drawAll = () => charts.forEach((chart) => draw(chart));
  let folded = [];
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
  matchMedia("print").addEventListener("change", ({ matches }) => {
    folded = matches ? [...document.querySelectorAll("details:not([open])")] : folded;
    folded.forEach((details) => { details.open = matches; });
    drawAll();
  });
  let pending;
  new ResizeObserver(() => {
    clearTimeout(pending);
    pending = setTimeout(drawAll, 100);
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

// An axis of [x, text] in ascending order; four are labelled.
function doublingAxis(name, marks) {
  const texts = new Map(marks);
  const values = [...texts.keys()];
  const labels = values.filter((_, i) => values.length < 5 || i % 3 === 0);
  return axis(name, (x) => texts.get(x) ?? "", {
    type: "log", logBase: 2, min: values[0], max: values.at(-1), splitLine: { show: false },
    axisTick: { customValues: values }, axisLabel: { customValues: labels } });
}

// Labelled are four decades at most.
function timeAxis(name, values, more = {}) {
  const exponents = values.filter((value) => value > 0).map(Math.log10);
  const [first, last] = [Math.floor(Math.min(...exponents)), Math.ceil(Math.max(...exponents) + 1e-4)];
  const step = Math.ceil((last - first) / 3);
  return axis(name, (s) => ((Math.round(Math.log10(s)) - first) % step === 0 ? formatSeconds(s, 3) : ""),
              { type: "log", min: 10 ** first, max: 10 ** last, ...more });
}

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
    type: "custom", name: "interval", silent: true, clip: true, z: 1, itemStyle: { color: colour },
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

// Time of [x, answer], and of runs as [x, seconds]. A shade lies right of the largest x that was fitted.
function timeOptions(about, name, points, runs, { textOf, known, asked, ideal = [] }) {
  const times = [...points.flatMap(([, { low, high }]) => [low, high]), ...runs.map(([, seconds]) => seconds)];
  const [[first], [last]] = [points[0], points.at(-1)];
  const quiet = css("--quiet");
  const shade = known >= last ? {} : { markArea: {
    silent: true, itemStyle: { color: css("--beyond"), decal: { symbol: "none" } },
    label: { color: quiet, fontSize: 12, position: "insideBottomRight", formatter: "beyond what was fitted" },
    data: [[{ xAxis: Math.max(known, first) }, { xAxis: last }]] } };
  return {
    about, ...base(({ seriesName, data: [x, seconds] }) => `${seriesName}, ${name} ${textOf(x)}: ${formatSeconds(seconds)}`),
    xAxis: doublingAxis(name, points.map(([x]) => [x, textOf(x)])), yAxis: timeAxis("", times),
    series: [band(points.map(([x, { low, high }]) => [x, low, high]), kColours[0]),
             { type: "line", name: "predicted", data: points.map(([x, { seconds }]) => [x, seconds]), symbol: "circle", z: 3,
               symbolSize: ([x]) => (x === asked ? 12 : 5), lineStyle: { width: 2 }, color: kColours[0], ...shade },
             { type: "scatter", name: "measured", data: runs, symbol: "diamond", symbolSize: 13, color: kColours[3], z: 4 },
             ...(ideal.length === 0 ? [] : [{ type: "line", name: "ideal", data: ideal, symbol: "none", color: quiet,
                                              lineStyle: { type: "dashed", width: 1.5 } }])],
  };
}

const sizesOf = ({ asked }) => asked.replace(/(^| on )[^=]*$/, "");

// Whether the sizes of a run are those of `answer`, but for those that `varying` names: these are in proportion.
function isAlike({ threads, sizes }, answer, varying) {
  const factor = sizes[varying[0]] / answer.sizes[varying[0]];
  return threads === answer.threads && Object.entries(answer.sizes).every(([name, value]) =>
    Math.abs(sizes[name] / value / (varying.includes(name) ? factor : 1) - 1) < 0.01);
}

function overRanks(curve, asked, runs, maxRanks) {
  const measured = runs.filter((run) => isAlike(run, asked, [])).map((run) => [run.ranks, run.measured]);
  return timeOptions(`: ${sizesOf(asked)}`, "ranks", curve.map((answer) => [answer.ranks, answer]), measured, {
    textOf: (x) => `${x}`, known: maxRanks, asked: asked.ranks,
    ideal: curve.map(({ ranks, efficiency, seconds }) => [ranks, efficiency * seconds]) });
}

function overSizes(curve, asked, runs, varying) {
  const [name] = varying;
  const sizeOf = ({ sizes }) => sizes[name];
  const texts = new Map(curve.map((answer) => [sizeOf(answer), sizesOf(answer).match(`\\b${name}=([^,]+)`)[1]]));
  const measured = runs.filter((run) => run.ranks === asked.ranks && isAlike(run, asked, varying));
  return timeOptions(`, ${asked.asked}`, name, curve.map((answer) => [sizeOf(answer), answer]),
                     measured.map((run) => [sizeOf(run), run.measured]),
                     { textOf: (x) => texts.get(x) ?? `${x}`, known: Math.max(...runs.map(sizeOf)), asked: sizeOf(asked) });
}

function blocksOptions(curve) {
  const seconds = curve.map(({ blocks }) => new Map(blocks));
  const part = (i, name) => (100 * (seconds[i].get(name) ?? 0)) / curve[i].seconds;
  const names = [...new Set(seconds.flatMap((of) => [...of.keys()]))].filter((name) => curve.some((_, i) => part(i, name) >= 0.05));
  return {
    about: `: ${sizesOf(curve[0])}`,
    ...base(({ seriesName, value, dataIndex }) => `${curve[dataIndex].ranks} ranks, ${seriesName}: ${+value.toPrecision(3)} %, ` +
                                                  formatSeconds(seconds[dataIndex].get(seriesName) ?? 0)),
    xAxis: axis("ranks", undefined, { type: "category", data: curve.map(({ ranks }) => `${ranks}`) }),
    yAxis: axis("", "{value} %", { type: "value", min: 0, max: 100 }),
    series: names.map((name) => ({ type: "bar", stack: "time", name, barWidth: "70%",
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
    about: "", ...base(({ data }) => data.text, 84), xAxis, yAxis: timeAxis("predicted", times, { nameGap: 58 }),
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

// Draws what was measured, and returns a function that draws the answers over ranks and sizes.
function makeFigures(place, { runs, max_ranks: maxRanks }, varying) {
  if (runs.length > 0) {
    const inside = element("div", { class: "figures" });
    document.querySelector("#predictions p").after(inside);
    showFigure(inside, "comparison", "Predicted against measured", "Every run. On the dashed line both " +
               "are equal; held out: kept from the fit to test it.", () => comparisonOptions(runs));
  }
  watchPage();
  return (asked, ofRanks, ofSizes) => {
    const [byRanks, bySizes] = [ofRanks, ofSizes].map((curve) => curve.filter(({ seconds }) => seconds));
    const optionsOf = (curve, options) => (curve.length === 0 ? null : options);
    showFigure(place, "time", "Time against ranks", "Ideal: the time of one rank, divided by the ranks.",
               optionsOf(byRanks, () => overRanks(byRanks, asked, runs, maxRanks)));
    if (varying.length > 0) {
      const others = varying.slice(1).join(", ");
      showFigure(place, "size", `Time against ${varying[0]}`, `On the asked ranks${others && `, ${others} in proportion`}.`,
                 optionsOf(bySizes, () => overSizes(bySizes, asked, runs, varying)));
    }
    const blocks = byRanks.filter((answer) => answer.blocks.length > 0);
    if (blocks.length > 0) {
      showFigure(document.getElementById("shares"), "shares", "Where the time goes",
                 "Shares of the blocks on the rank that ends last.", () => blocksOptions(blocks));
    }
  };
}
