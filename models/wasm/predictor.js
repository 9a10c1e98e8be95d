// SPDX-License-Identifier: Apache-2.0
// Predictions as `cleave predict` makes them: predictor.cpp, compiled to WebAssembly.
"use strict";

/// Opens a predictor for one model.
/// \param bytes      of the WebAssembly module, a Uint8Array
/// \param modelText  a model file
/// \return  a promise of an object with `ask(question)`, which returns an entry of `cleave predict
///          --json` or throws an Error with the message of `cleave predict`. A question is
///          {ranks, sizes: {N: 1024}} and may have threads, ranks_per_host, assume_network (a
///          name), and change: {l: 0.1, g: 1, blocks: {divide: 2}}, factors of what takes time.
async function openPredictor(bytes, modelText) {
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  let wasm = null;

  const textAt = (address, length) =>
    decoder.decode(new Uint8Array(wasm.memory.buffer, address, length));
  const put = (text) => {
    const encoded = encoder.encode(text);
    const address = wasm.buffer(encoded.length);
    new Uint8Array(wasm.memory.buffer, address, encoded.length).set(encoded);
  };
  const fail = (address) => {
    const memory = new Uint8Array(wasm.memory.buffer);
    throw new Error(textAt(address, memory.indexOf(0, address) - address));
  };
  /// Calls into the module. After an error its stack is where it was before.
  const call = (run) => {
    const stack = wasm.__stack_pointer.value;
    try {
      return run();
    } catch (error) {
      wasm.__stack_pointer.value = stack;
      throw error;
    }
  };

  const module = await WebAssembly.compile(bytes);
  // The module asks the system for nothing that a prediction needs.
  const imports = {};
  for (const { module: from, name } of WebAssembly.Module.imports(module)) {
    imports[from] ??= {};
    imports[from][name] = from === "page" ? fail : () => 52;  // ENOSYS
  }
  wasm = (await WebAssembly.instantiate(module, imports)).exports;
  wasm._initialize();
  call(() => {
    put(modelText);
    wasm.open();
  });
  return {
    ask: (question) => call(() => {
      put(JSON.stringify(question));
      const address = wasm.ask();
      return JSON.parse(textAt(address, wasm.answer_bytes()));
    }),
  };
}
