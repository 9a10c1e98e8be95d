// SPDX-License-Identifier: Apache-2.0
// Predictions over ranks in a thread of their own, so that fields and answers never wait for them.
"use strict";

// Runs in the worker, after predictor.js.
const kWorkerText = `
let predictor;
onmessage = async ({ data }) => {
  if (data.bytes) {
    predictor = await openPredictor(data.bytes, data.model);
    postMessage({ isReady: true });
    return;
  }
  try {
    postMessage({ id: data.id, prediction: predictor.ask(data.question) });
  } catch (error) {
    postMessage({ id: data.id, refusal: error.message });
  }
};`;

// `ask(question, done)` predicts it on each of kPlanRanks and on its own ranks, and calls done(predictions) unless
// another question came in between. Ranks that cannot be predicted are left out.
function makeCurve(predictorText, bytes, model) {
  const worker = new Worker(URL.createObjectURL(new Blob([predictorText, kWorkerText], { type: "text/javascript" })));
  let job = null;
  let isReady = false;
  const next = () => {
    if (!isReady || job === null || job.isSent) {
      return;
    }
    const ranks = job.ranks.shift();
    if (ranks === undefined) {
      const { done, predictions } = job;
      job = null;
      done(predictions);
      return;
    }
    job.isSent = true;
    const question = ranks === 1 ? alone(job.question) : { ...job.question, ranks };
    worker.postMessage({ id: job.id, question });
  };
  let id = 0;
  worker.onmessage = ({ data }) => {
    isReady = true;
    if (job !== null && data.id === job.id) {
      job.isSent = false;
      if (data.prediction?.is_answer) {
        job.predictions.push(data.prediction);
      }
    }
    next();
  };
  worker.postMessage({ bytes, model });
  return (question, done) => {
    const ranks = [...new Set([...kPlanRanks, question.ranks])].sort((a, b) => a - b);
    job = { id: ++id, question, done, ranks, predictions: [], isSent: false };
    next();
  };
}
