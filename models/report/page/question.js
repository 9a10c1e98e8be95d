// SPDX-License-Identifier: Apache-2.0
// What is asked of the predictor, what the answer means, and the commands that ask the same.
"use strict";

const kPlanRanks = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024];

// The seconds of each block, all levels added up, in the order in which the blocks come.
function secondsByBlock(prediction) {
  const blocks = new Map();
  for (const { block, seconds } of prediction.shares) {
    blocks.set(block, (blocks.get(block) ?? 0) + seconds);
  }
  return blocks;
}

// The block that takes most, with its part of the time.
function heldBackBy(prediction) {
  let most = ["", 0];
  for (const entry of secondsByBlock(prediction)) {
    most = entry[1] > most[1] ? entry : most;
  }
  return { block: most[0], part: most[1] / prediction.seconds };
}

// As models/theory/plan.cpp: against the same program on one rank.
function usesOf(prediction, aloneSeconds) {
  const speedup = aloneSeconds / prediction.seconds;
  return {
    speedup,
    efficiency: speedup / prediction.ranks,
    coreHours: (prediction.seconds * prediction.ranks * prediction.threads) / 3600,
  };
}

// The same question on one rank.
function alone(question) {
  return { ...question, ranks: 1, ranks_per_host: 1 };
}

// Sizes and ranks that no run had.
function beyond(prediction, controls) {
  const sentences = [];
  for (const { name, minimum, maximum } of controls.sizes) {
    const value = prediction.sizes[name];
    const isLarger = value > maximum;
    if (isLarger || value < minimum) {
      const times = formatNumber(isLarger ? value / maximum : minimum / value, 3);
      sentences.push(`${name}=${formatCount(value)} is ${times} times ${isLarger ? "the largest" : "below the smallest"} ` +
                     `that was fitted (${formatCount(isLarger ? maximum : minimum)}): blocks go on to grow as they do there`);
    }
  }
  if (prediction.ranks > controls.max_ranks) {
    sentences.push(`${formatRanks(prediction.ranks)} are ${formatNumber(prediction.ranks / controls.max_ranks, 3)} times ` +
                   `as many as were fitted (${controls.max_ranks})`);
  }
  return sentences;
}

// What an answer rests on that was not measured, in sentences.
function restsOn(prediction, controls) {
  const sentences = [...beyond(prediction, controls), ...prediction.remarks];
  if (prediction.cache_left_bytes) {
    sentences.push(`the data of a rank no longer fits into its cache of ${formatBytes(prediction.cache_left_bytes)}, ` +
                   "as it did in every run that was fitted");
  }
  return sentences;
}

// "g=0.1x,divide=2x", or nothing.
function whatIfText(change) {
  const factors = [["l", change.l], ["g", change.g], ...Object.entries(change.blocks)];
  return factors.filter(([, factor]) => factor !== 1).map(([name, factor]) => `${name}=${factor}x`).join(",");
}

function optionsOf(question, controls) {
  const sizes = Object.entries(question.sizes).map(([name, value]) => `${name}=${formatCount(value)}`);
  const options = ["--size", quoted(sizes.join(","))];
  const add = (name, value) => {
    if (value !== undefined && value !== "") {
      options.push(name, quoted(`${value}`));
    }
  };
  add("--threads", question.threads);
  add("--ranks-per-host", question.ranks_per_host);
  add("--machine", controls.machine);
  add("--assume-network", question.assume_network);
  add("--what-if", whatIfText(question.change));
  return options.join(" ");
}

function predictCommand(question, controls) {
  return `cleave predict ${quoted(controls.model)} --ranks ${question.ranks} ${optionsOf(question, controls)}`;
}

// With a deadline the fewest ranks that keep it, else the most that are used half.
function planCommand(question, controls, deadlineText) {
  const goal = deadlineText === "" ? "--efficiency 0.5" : `--deadline ${quoted(deadlineText)}`;
  return `cleave plan ${quoted(controls.model)} ${goal} ${optionsOf(question, controls)} --slurm job.sh`;
}
