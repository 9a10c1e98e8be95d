// SPDX-License-Identifier: Apache-2.0
// Answers inside a page, as WebAssembly that wasm/predictor.js calls. Texts go in by a buffer and
// come out as a pointer and a length. An exception ends the call as an error of JavaScript's
// (runtime.cpp).
#include <string>

#include "models/report/page/page.hpp"
#include "models/theory/model_file.hpp"

namespace cleave::models {

namespace {

std::string input;
std::string output;
std::string field;  // of the question, which is being read
Model model;

}  // namespace

}  // namespace cleave::models

using namespace cleave::models;

extern "C" {

/// The caller writes the text of `bytes` there that the next call reads.
[[clang::export_name("buffer")]] char* cleave_buffer(std::size_t bytes) {
  input.resize(bytes);
  return input.data();
}

/// Reads the text of a model file.
[[clang::export_name("open")]] void cleave_open() {
  model = model_from("the model of this page", input);
}

/// Answers the question in the buffer (page_answer).
[[clang::export_name("ask")]] const char* cleave_ask() {
  output = page_answer(model, input, field);
  return output.data();
}

[[clang::export_name("answer_bytes")]] std::size_t cleave_answer_bytes() { return output.size(); }

/// After an error: the field of the question that cannot be read; may be empty.
[[clang::export_name("wrong_field")]] const char* cleave_wrong_field() { return field.c_str(); }

}  // extern "C"
