// SPDX-License-Identifier: Apache-2.0
// Numbers, sizes and times as people and the command line read them.
"use strict";

const kUnits = [["G", 2 ** 30], ["M", 2 ** 20], ["K", 2 ** 10]];

// As the command line prints counts: 4M where it is a whole number of them, else all digits.
function formatCount(value) {
  for (const [letter, unit] of kUnits) {
    if (value >= unit && value % unit === 0) {
      return `${value / unit}${letter}`;
    }
  }
  return `${value}`;
}

// "4M", "1G", "1000"; null where the text is no count of at least 1.
function parseCount(text) {
  const match = /^\s*(\d{1,16})\s*([KMG]?)\s*$/i.exec(text);
  if (match === null) {
    return null;
  }
  const unit = kUnits.find(([letter]) => letter === match[2].toUpperCase());
  const value = Number(match[1]) * (unit ? unit[1] : 1);
  return Number.isSafeInteger(value) && value >= 1 ? value : null;
}

// "0.1" or "0.1x"; null where the text is no factor that --what-if takes.
function parseFactor(text) {
  const value = /^\s*[\d.]+(e[-+]?\d+)?\s*x?\s*$/i.test(text) ? parseFloat(text) : NaN;
  return value > 0 && value <= 1e9 ? value : null;
}

// "90", "20ms", "60s", "15m", "1h30m", "2d" in seconds; null where the text is no time above 0.
function parseDuration(text) {
  const number = "([\\d.]+)";
  const parts = [["d", 86400], ["h", 3600], ["m(?:in)?", 60], ["s", 1], ["ms", 1e-3]];
  const units = new RegExp(`^${parts.map(([unit]) => `(?:${number}${unit}(?![a-z]))?`).join("")}$`);
  const word = text.trim();
  const match = units.exec(/^[\d.]+$/.test(word) ? `${word}s` : word);
  const seconds = (match ?? []).slice(1).reduce((sum, count, i) => sum + Number(count ?? 0) * parts[i][1], 0);
  return seconds > 0 && seconds <= 1e9 ? seconds : null;
}

function formatNumber(value, digits = 4) {
  if (value === 0) {
    return "0";
  }
  const size = Math.abs(value);
  return size >= 1e-4 && size < 1e7 ? `${+value.toPrecision(digits)}` : value.toExponential(digits - 2);
}

// As `cleave plan` writes them.
const formatCoreHours = (hours) => hours < 0.01 ? "<0.01" : hours < 1000 ? `${+hours.toPrecision(3)}` : hours.toFixed(0);

// With the unit in which the number is easy to read.
function formatSeconds(seconds, digits = 4) {
  for (const [unit, scale] of [["d", 86400], ["h", 3600], ["min", 60]]) {
    if (seconds >= 2 * scale) {
      return `${formatNumber(seconds / scale, 3)} ${unit}`;
    }
  }
  for (const [unit, scale] of [["s", 1], ["ms", 1e-3], ["µs", 1e-6]]) {
    if (seconds >= scale) {
      return `${formatNumber(seconds / scale, digits)} ${unit}`;
    }
  }
  return `${formatNumber(seconds * 1e9, digits)} ns`;
}

function formatBytes(bytes) {
  for (const [unit, scale] of [["GiB", 2 ** 30], ["MiB", 2 ** 20], ["KiB", 2 ** 10]]) {
    if (bytes >= scale) {
      return `${formatNumber(bytes / scale)} ${unit}`;
    }
  }
  return `${formatNumber(bytes)} B`;
}

const formatPercent = (part, digits = 3) => `${formatNumber(100 * part, digits)} %`;
const formatRanks = (ranks) => `${ranks} ${ranks === 1 ? "rank" : "ranks"}`;
const formatSizes = (sizes) =>
  Object.entries(sizes).map(([name, value]) => `${name}=${formatCount(value)}`).join(", ");

// "4 ranks of 2 threads".
function formatWorkers(ranks, threads) {
  return threads > 1 ? `${formatRanks(ranks)} of ${threads} threads` : formatRanks(ranks);
}

// As one word of a shell.
function quoted(word) {
  return /^[\w./:=,+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

// An element with text and attributes.
function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
}
