// SPDX-License-Identifier: Apache-2.0
// Answers as C++ words them: predictor.cpp, compiled to WebAssembly.
"use strict";

/// Opens a predictor for one model.
/// \param bytes      of the WebAssembly module, a Uint8Array
/// \param modelText  a model file
/// \return  a promise of an object with `ask(fields)`, which returns an answer or throws an Error
///          with a message for people and the `field` that is wrong (page.hpp, page_answer).
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
  const textEndingAtZero = (address) =>
    textAt(address, new Uint8Array(wasm.memory.buffer).indexOf(0, address) - address);
  const fail = (address) => { throw new Error(textEndingAtZero(address)); };
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
    ask: (fields, choices = []) => call(() => {
      put(JSON.stringify({ fields, choices }));
      try {
        const address = wasm.ask();
        return JSON.parse(textAt(address, wasm.answer_bytes()));
      } catch (error) {
        error.field = textEndingAtZero(wasm.wrong_field());
        throw error;
      }
    }),
  };
}
