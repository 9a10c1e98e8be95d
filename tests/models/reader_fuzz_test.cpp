// SPDX-License-Identifier: Apache-2.0
// Files from outside, damaged in every way that comes to mind: they are read or refused with a
// FileError, and nothing else happens.
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>

#include <cleave/error.hpp>
#include <cleave/file.hpp>
#include <cleave/host/host.hpp>
#include <cleave/trace/machine_file.hpp>

#include "models/theory/fit.hpp"
#include "models/theory/model_file.hpp"
#include "tests/models/synthetic_runs.hpp"
#include "tests/support/temporary_folder.hpp"

namespace cleave::models {

using namespace cleave::detail;
namespace {

using nlohmann::json;

enum class Kind { trace, machine, model };

class DamagedFile : public ::testing::TestWithParam<Kind> {
 protected:
  void SetUp() override {
    const SyntheticApp app;
    if (GetParam() == Kind::trace) {
      write_synthetic_trace(file_, synthetic_trace(app, 2, sort_sizes().front()));
    } else if (GetParam() == Kind::machine) {
      Communication entry{.ranks = 2, .latency_s = 2e-6, .gap_s_per_byte = 5e-11, .r_squared = 1};
      entry.samples = {{.message_bytes = 8, .stable = true, .seconds = {1e-6, 2e-6}},
                       {.message_bytes = 1 << 20, .stable = false, .seconds = {1e-3, 2e-3}}};
      write_machine(file_, {.name = "test",
                            .exchange = {entry, entry},
                            .provenance = provenance_here("test", "", "none")});
    } else {
      const std::vector<Trace> traces = synthetic_traces(app, {1, 2}, sort_sizes());
      write_model(file_, fit_model(collect_measurements(traces), std::nullopt, {},
                                   provenance_here("test", "", "none")));
    }
    text_ = read_file(file_);
  }

  /// Returns whether `text` was read.
  bool is_read(const std::string& text) const {
    write_file(file_, text);
    try {
      if (GetParam() == Kind::trace) {
        const Trace trace = read_trace(file_);
        collect_measurements({&trace, 1});
      } else if (GetParam() == Kind::machine) {
        read_machine(file_);
      } else {
        predict(read_model(file_), 2, {{"N", 1000}});
      }
      return true;
    } catch (const Error& e) {
      EXPECT_EQ(std::string(e.what()).find('\n'), std::string::npos);
      return false;
    }
  }

  testing::TemporaryFolder folder_;
  std::filesystem::path file_ = folder_ / "file.json";
  std::string text_;
};

TEST_P(DamagedFile, IsReadWhenItIsWhole) { EXPECT_TRUE(is_read(text_)); }

TEST_P(DamagedFile, CutShortAnywhereIsRefused) {
  for (std::size_t length = 0; length + 2 < text_.size(); length += 1 + text_.size() / 100) {
    EXPECT_FALSE(is_read(text_.substr(0, length))) << length;
  }
}

/// Replaces each value in `value` in turn, and erases each member of an object in turn.
void at_every_value(json& value, const std::function<void()>& changed) {
  const std::vector<json> replacements = {nullptr,       -1,   1e300, "text",
                                          json::array(), true, 0,     json::object()};
  const json original = value;
  for (const json& replacement : replacements) {
    value = replacement;
    changed();
  }
  value = original;
  if (value.is_object()) {
    for (const auto& [name, member] : original.items()) {
      value.erase(name);
      changed();
      value = original;
    }
  }
  if (value.is_structured()) {
    for (auto& element : value) {
      at_every_value(element, changed);
      if (value.is_array()) {
        break;  // its elements are alike
      }
    }
  }
}

TEST_P(DamagedFile, WithAnyValueOfAnyKindIsReadOrRefused) {
  if (GetParam() == Kind::trace) {
    // The header, a repetition, the first span and the end.
    std::istringstream stream(text_);
    std::vector<std::string> lines;
    for (std::string line; std::getline(stream, line);) {
      lines.push_back(line);
    }
    for (const std::size_t i : {std::size_t{0}, std::size_t{1}, std::size_t{6}, lines.size() - 1}) {
      json object = json::parse(lines[i]);
      const std::string original = lines[i];
      at_every_value(object, [&] {
        lines[i] = object.dump();
        std::string text;
        for (const std::string& line : lines) {
          text += line + '\n';
        }
        is_read(text);
      });
      lines[i] = original;
    }
  } else {
    json object = json::parse(text_);
    at_every_value(object, [&] { is_read(object.dump()); });
  }
}

INSTANTIATE_TEST_SUITE_P(Readers, DamagedFile,
                         ::testing::Values(Kind::trace, Kind::machine, Kind::model));

}  // namespace
}  // namespace cleave::models
