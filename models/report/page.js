// SPDX-License-Identifier: Apache-2.0
// Draws the figures of a report with uPlot. The data is in the page, as JSON.
"use strict";

const figures = JSON.parse(document.getElementById("figures").textContent);

const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const colours = 8;  // in page.css
const colour = (index) => css(`--c${index % colours}`);
const faint = (index) => `color-mix(in srgb, ${colour(index)} 18%, transparent)`;

// As the command line takes counts: 4M where it is a whole number of them, else all digits.
function formatCount(value) {
  for (const [letter, unit] of [["G", 2 ** 30], ["M", 2 ** 20], ["K", 2 ** 10]]) {
    if (value >= unit && value % unit === 0) {
      return `${value / unit}${letter}`;
    }
  }
  return value.toLocaleString("en");
}

function formatNumber(value) {
  return `${+value.toPrecision(4)}`;
}

// How often a count can be halved: 512K is rounder than 768K.
function roundness(value) {
  let halvings = 0;
  for (; value >= 2 && value % 2 === 0; value /= 2) {
    halvings++;
  }
  return halvings;
}

// Labels of those counts that have room, the roundest first.
function countLabels(plot, counts) {
  const room = 40;
  const labels = counts.map(() => "");
  const kept = [];
  const rounder = (a, b) => roundness(counts[b]) - roundness(counts[a]);
  for (const i of [...counts.keys()].sort(rounder)) {
    const at = plot.valToPos(counts[i], "x");
    if (kept.every((other) => Math.abs(other - at) >= room)) {
      labels[i] = formatCount(counts[i]);
      kept.push(at);
    }
  }
  return labels;
}

// Each curve and each edge of a band becomes one series over the union of all x.
function columnsOf(figure) {
  const columns = [];
  for (const series of figure.series) {
    columns.push({ ...series, values: series.y });
    if (series.style === "band") {
      columns.push({ ...series, values: series.low, lowerEdge: true });
    }
  }
  const x = [...new Set(figure.series.flatMap((s) => s.x))].sort((a, b) => a - b);
  const data = columns.map((column) => {
    const at = new Map(column.x.map((value, i) => [value, column.values[i]]));
    return x.map((value) => (at.has(value) ? at.get(value) : null));
  });
  return { columns, x, data: [x, ...data] };
}

function seriesOptions(column) {
  const line = colour(column.colour);
  const none = { show: false };
  switch (column.style) {
    case "line":
      return { stroke: line, width: 2, spanGaps: true, points: none };
    case "band":
      return { stroke: "transparent", width: 0, spanGaps: true, points: none };
    default:
      return {
        stroke: line,
        paths: () => null,
        points: {
          show: true,
          size: 8,
          width: 2,
          stroke: line,
          fill: column.style === "filled_points" ? line : css("--panel"),
        },
      };
  }
}

function bandsOf(columns) {
  const bands = [];
  columns.forEach((column, i) => {
    if (column.lowerEdge) {
      bands.push({ series: [i, i + 1], fill: faint(column.colour) });
    }
  });
  return bands;
}

function rangeOf(isLog, guides) {
  return (plot, low, high) => {
    if (isLog) {
      const pad = low === high ? 2 : (high / low) ** 0.06;
      return [low / pad, high * pad];
    }
    for (const value of guides.length > 0 ? guides : [0]) {
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
    const pad = (high - low) * 0.08 || 1;
    return [low === 0 ? 0 : low - pad, high + pad];
  };
}

// Evenly spread ranks or sizes: a little room beside the first and the last.
function rangeOfCounts(isLog) {
  return (plot, low, high) => {
    const pad = isLog ? (low === high ? 2 : (high / low) ** 0.06) : (high - low) * 0.08 || 1;
    return isLog ? [low / pad, high * pad] : [low - pad, high + pad];
  };
}

// 1, 2 and 5 times powers of ten.
function logSplits(plot, axisIndex, low, high) {
  const splits = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.log10(high); power++) {
    for (const digit of [1, 2, 5]) {
      const value = +`${digit}e${power}`;
      if (value >= low && value <= high) {
        splits.push(value);
      }
    }
  }
  return splits;
}

function drawGuides(guides) {
  return (plot) => {
    const { ctx, bbox } = plot;
    ctx.save();
    ctx.strokeStyle = css("--quiet");
    ctx.lineWidth = devicePixelRatio;
    for (const guide of guides) {
      const y = Math.round(plot.valToPos(guide, "y", true)) + 0.5;
      ctx.setLineDash(guide === 0 ? [] : [6 * devicePixelRatio, 5 * devicePixelRatio]);
      ctx.globalAlpha = guide === 0 ? 0.5 : 0.9;
      ctx.beginPath();
      ctx.moveTo(bbox.left, y);
      ctx.lineTo(bbox.left + bbox.width, y);
      ctx.stroke();
    }
    ctx.restore();
  };
}

// A label beside the point or curve that is nearest to the pointer.
function hintPlugin(figure, columns) {
  let hint;
  return {
    hooks: {
      init: (plot) => {
        hint = document.createElement("div");
        hint.className = "hint";
        hint.hidden = true;
        plot.over.append(hint);
      },
      setCursor: (plot) => {
        const { left, top } = plot.cursor;
        let best = { distance: 30 };
        if (left >= 0) {
          columns.forEach((column, i) => {
            if (column.style === "band") {
              return;
            }
            plot.data[i + 1].forEach((y, k) => {
              if (y !== null) {
                const px = plot.valToPos(plot.data[0][k], "x");
                const py = plot.valToPos(y, "y");
                const distance = Math.hypot(px - left, py - top);
                if (distance < best.distance) {
                  best = { distance, px, py, x: plot.data[0][k], y, name: column.name };
                }
              }
            });
          });
        }
        hint.hidden = best.name === undefined;
        if (!hint.hidden) {
          const x = figure.counts_on_x ? formatCount(best.x) : formatNumber(best.x);
          hint.textContent = `${best.name}\n${figure.x_axis}: ${x}\n${figure.y_axis}: ${formatNumber(best.y)}`;
          hint.style.left = `${best.px}px`;
          hint.style.top = `${best.py}px`;
        }
      },
    },
  };
}

function axis(title, size) {
  return {
    label: title,
    labelSize: 24,
    size,
    labelFont: "13px system-ui, sans-serif",
    font: "12px system-ui, sans-serif",
    stroke: css("--quiet"),
    grid: { stroke: css("--rule"), width: 1 },
    ticks: { stroke: css("--rule"), width: 1, size: 5 },
  };
}

function draw(figure, place) {
  const { columns, x, data } = columnsOf(figure);
  const format = (plot, splits) => splits.map((value) => (value === null ? "" : formatNumber(value)));
  const xAxis = { ...axis(figure.x_axis, 40), values: format };
  const yAxis = { ...axis(figure.y_axis, 62), values: format };
  for (const [each, isLog] of [[xAxis, figure.log_x], [yAxis, figure.log_y]]) {
    if (isLog) {
      each.splits = logSplits;
      each.filter = (plot, splits) => splits;
    }
  }
  if (figure.counts_on_x) {
    xAxis.splits = () => x;
    xAxis.filter = (plot, splits) => splits;
    xAxis.values = countLabels;
  }
  const xRange = figure.counts_on_x ? rangeOfCounts(figure.log_x) : rangeOf(figure.log_x, []);
  const yRange = rangeOf(figure.log_y, figure.guides);
  const scale = (isLog, range) => ({ time: false, distr: isLog ? 3 : 1, range });
  place.replaceChildren();
  return new uPlot(
    {
      width: place.clientWidth,
      height: place.clientHeight,
      scales: { x: scale(figure.log_x, xRange), y: scale(figure.log_y, yRange) },
      axes: [xAxis, yAxis],
      series: [{}, ...columns.map(seriesOptions)],
      bands: bandsOf(columns),
      legend: { show: false },
      cursor: { points: { show: false }, drag: { x: false, y: false } },
      hooks: { drawAxes: [drawGuides(figure.guides)] },
      plugins: [hintPlugin(figure, columns)],
    },
    data,
    place,
  );
}

// One entry a name; points that several colours share are shown in none of them.
function fillLegend(figure, legend) {
  legend.replaceChildren();
  const byName = new Map();
  for (const series of figure.series.filter((s) => s.style !== "band")) {
    byName.set(series.name, [...(byName.get(series.name) ?? []), series]);
  }
  for (const [name, [first, ...others]] of byName) {
    const entry = document.createElement("span");
    const mark = document.createElement("i");
    mark.className = { line: "line", filled_points: "filled" }[first.style] ?? "";
    if (others.every((other) => other.colour === first.colour)) {
      mark.style.color = colour(first.colour);
    }
    entry.append(mark, name);
    legend.append(entry);
  }
}

function drawAll() {
  for (const figure of figures) {
    const element = document.getElementById(`figure-${figure.id}`);
    draw(figure, element.querySelector(".plot"));
    fillLegend(figure, element.querySelector(".legend"));
  }
}

drawAll();
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
let pending;
addEventListener("resize", () => {
  clearTimeout(pending);
  pending = setTimeout(drawAll, 150);
});
