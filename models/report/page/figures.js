// SPDX-License-Identifier: Apache-2.0
// Figures of what was measured: predicted against measured, residuals of the blocks, messages, workers.
"use strict";

const nameOfRun = (run) => `${formatSizes(run.sizes)} on ${formatWorkers(run.ranks, run.threads)}`;

// Vertical lines from low to high: data of [x, middle, low, high].
function whiskers(data, colour) {
  return {
    type: "custom", name: "95 % interval", silent: true, z: 1, data, itemStyle: { color: colour }, encode: { x: 0, y: [2, 3] },
    renderItem: (params, api) => {
      const [x, top] = api.coord([api.value(0), api.value(3)]);
      const [, bottom] = api.coord([api.value(0), api.value(2)]);
      return { type: "line", shape: { x1: x, y1: top, x2: x, y2: bottom }, style: { stroke: colour, lineWidth: 1.2, opacity: 0.55 } };
    },
  };
}

function comparisonOptions(judged) {
  const runs = judged.filter((run) => run.is_answer);
  const times = runs.flatMap((run) => [run.measured, ...run.interval]);
  const xAxis = logAxis("measured", times, (s) => formatSeconds(s, 3));
  const yAxis = logAxis("predicted", times, (s) => formatSeconds(s, 3), { nameGap: 58 });
  const points = (isHeldOut) => runs.filter((run) => run.held_out === isHeldOut).map((run) => ({
    value: [run.measured, run.predicted],
    text: `${nameOfRun(run)}\nmeasured ${formatSeconds(run.measured)}, predicted ${formatSeconds(run.predicted)}\n` +
          `error ${formatPercent(run.relative_error)}, repetitions scatter by ${formatPercent(run.spread)}`,
  }));
  const ends = [xAxis.min, xAxis.max];
  return {
    grid: grid({ left: 84 }), legend: legend(), xAxis, yAxis, tooltip: tooltip(({ data }) => data.text ?? ""),
    series: [
      whiskers(runs.map((run) => [run.measured, run.predicted, ...run.interval]), css("--quiet")),
      { type: "line", name: "equal", data: ends.map((end) => [end, end]), symbol: "none", silent: true,
        lineStyle: { type: "dashed", width: 1, color: css("--quiet") }, color: css("--quiet") },
      { type: "scatter", name: "fitted", data: points(false), symbol: "circle", symbolSize: 9, color: colourOf(0),
        itemStyle: { color: "transparent", borderColor: colourOf(0), borderWidth: 2 } },
      { type: "scatter", name: "held out", data: points(true), symbol: "diamond", symbolSize: 11, color: colourOf(3) },
    ],
  };
}

function residualOptions(residuals) {
  const blocks = [...new Set(residuals.map((r) => r.block))];
  const yAxis = axis("", { type: "value" });
  yAxis.axisLabel = { ...yAxis.axisLabel, formatter: "{value} %" };
  return {
    grid: grid(), legend: legend(), yAxis, tooltip: tooltip(({ data }) => data.text),
    xAxis: logAxis("measured time of the block", residuals.map((r) => r.measured_s), (s) => formatSeconds(s, 3)),
    series: blocks.map((block, i) => ({
      type: "scatter", name: block, color: blockColour(block), symbol: symbolOf(i), symbolSize: 8, itemStyle: { opacity: 0.8 },
      data: residuals.filter((r) => r.block === block).map((r) => ({
        value: [r.measured_s, 100 * r.relative],
        text: `${block}, ${formatSizes(r.sizes)}\nmeasured ${formatSeconds(r.measured_s)}, ` +
              `fitted ${formatPercent(r.relative)} away` })),
    })),
  };
}

// l + bytes g of the segment that a message of so many bytes is in.
function messageSeconds(entry, bytes) {
  const { latency_s, gap_s_per_byte } = entry.segments.findLast(({ from_bytes }) => bytes >= from_bytes) ?? entry;
  return Math.max(0, latency_s + bytes * gap_s_per_byte);
}

function nameOfMessages(entry) {
  const where = entry.between_hosts ? ", between hosts" : "";
  const pattern = entry.pattern === "exchange" ? "exchange" : "MPI_Alltoallv";
  const level = entry.pattern === "exchange" ? `, level ${entry.level}` : "";
  const latency = entry.latency_s < 0 ? "" : `l = ${formatSeconds(entry.latency_s, 3)}, `;  // a line need not hold at 0 bytes
  return `${pattern}, ${formatRanks(entry.ranks)}${level}${where}: ${latency}` +
         `g = ${formatNumber(1e9 * entry.gap_s_per_byte, 3)} ns/byte`;
}

function messageOptions(messages) {
  const sizes = Array.from({ length: 27 }, (_, i) => 2 ** i);
  const curves = messages.map((entry) => sizes.map((bytes) => [bytes, messageSeconds(entry, bytes)]).filter(([, s]) => s > 0));
  const xAxis = axis("bytes of a message", { type: "log", logBase: 2, min: 1, max: 2 ** 26 });
  xAxis.axisLabel = { ...xAxis.axisLabel, formatter: formatBytes };
  return {
    grid: grid({ top: 30 + 22 * Math.min(messages.length, 6) }), xAxis,
    legend: legend({ type: messages.length > 6 ? "scroll" : "plain", orient: messages.length > 6 ? "horizontal" : "vertical" }),
    yAxis: logAxis("", curves.flat().map(([, s]) => s), (s) => formatSeconds(s, 3)),
    tooltip: tooltip(({ seriesName, data }) => `${seriesName}\n${formatBytes(data[0])}: ${formatSeconds(data[1])}`),
    series: messages.map((entry, i) => ({
      type: "line", name: nameOfMessages(entry), data: curves[i], symbol: symbolOf(i), symbolSize: 6, color: colourOf(i),
      lineStyle: { width: 2, type: ["solid", "dashed", "dotted"][i % 3] } })),
  };
}

function workerOptions(workers) {
  const most = Math.max(...workers.map((run) => run.of_even.length));
  return {
    grid: grid(), legend: legend(), xAxis: axis("worker, by rank and thread", { type: "value", min: 0, max: most - 1, minInterval: 1 }),
    yAxis: axis("share / even share", { type: "value", nameGap: 44 }),
    tooltip: tooltip(({ seriesName, data }) => `${seriesName}, worker ${data[0]}: ${formatNumber(data[1], 4)} of an even share`),
    series: workers.map((run, i) => ({
      type: "scatter", name: formatWorkers(run.ranks, run.threads), symbol: symbolOf(i), symbolSize: 10, color: colourOf(i),
      data: run.of_even.map((share, worker) => [worker, share]) })),
  };
}

function makeFigures(place, { runs, residuals, messages, workers }) {
  const add = (id, title, note, values, options, more = {}) => {
    if (values.length > 0) {
      addFigure(place, { id, title, note, options: () => options(values), ...more });
    }
  };
  add("comparison", "Predicted against measured", "Every run of which a time is known. On the dashed line both are equal; held out: kept from the fit to test it.",
      runs, comparisonOptions);
  add("residuals", "Residuals of the blocks", "Above 0: the fit is longer than what was measured.", residuals, residualOptions);
  add("messages", "Latency l and gap g", "A message of K bytes takes l + K g, one way.", messages, messageOptions, { isWide: true });
  add("workers", "Shares of the workers", "Nodes that each worker visited, relative to an even share; the longest runs.",
      workers, workerOptions, { isWide: true });
}
