// SPDX-License-Identifier: Apache-2.0
#include "models/theory/model_file.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include <cleave/error.hpp>
#include <cleave/file.hpp>
#include <cleave/host/provenance_here.hpp>

#include "models/theory/fit.hpp"
#include "models/theory/prediction.hpp"
#include "tests/models/synthetic_runs.hpp"

namespace cleave::models {

using namespace cleave::detail;
namespace {

using nlohmann::json;

class ModelFile : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(::testing::TempDir()) /
              ("model_file_" +
               std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()));
    std::filesystem::create_directories(folder_);
    file_ = folder_ / "x.model.json";
    write_model(file_, fit_model(collect_measurements(synthetic_traces(synthetic_components(),
                                                                       {1, 2}, graph_sizes())),
                                 std::nullopt, {.hold_out = HoldOut::every_second},
                                 provenance_here("test", "", "none")));
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  /// Whether `text` is read as a model or refused with a FileError, rather than anything else.
  void expect_read_or_refused(const std::string& text) {
    write_file(file_, text);
    try {
      const Model model = read_model(file_);
      predict(model, 2, {{"N", 1000}, {"M", 1000}});
    } catch (const Error&) {
      SUCCEED();
    }
  }

  std::filesystem::path folder_;
  std::filesystem::path file_;
};

/// Calls `change` for every place in `value`, with the changed copy of the whole.
template <class Visit>
void at_every_place(json& whole, json& value, Visit visit) {
  if (value.is_structured()) {
    for (auto& element : value) {
      at_every_place(whole, element, visit);
      if (value.is_array()) {
        break;  // the elements of an array are alike
      }
    }
  }
  visit(value);
}

TEST_F(ModelFile, PredictsAfterReadingWhatItPredictedBefore) {
  const Model model = read_model(file_);
  const Model again = [&] {
    write_model(file_, model);
    return read_model(file_);
  }();
  const NamedSizes sizes = {{"N", 777777}, {"M", 3333333}};
  for (const int ranks : {1, 2, 3, 16}) {
    const Prediction a = predict(model, ranks, sizes, {.ranks_per_host = ranks});
    const Prediction b = predict(again, ranks, sizes, {.ranks_per_host = ranks});
    EXPECT_EQ(a.seconds, b.seconds);
    EXPECT_EQ(a.low, b.low);
    EXPECT_EQ(a.outside_fitted_range, b.outside_fitted_range);
    EXPECT_EQ(a.high, b.high);
    EXPECT_EQ(a.sum_of_maxima_s, b.sum_of_maxima_s);
  }
  EXPECT_EQ(again.held_out.size(), 16U);
  EXPECT_EQ(again.hypercube()->blocks.front().samples, model.hypercube()->blocks.front().samples);
}

TEST_F(ModelFile, WritingTwiceGivesTheSameBytes) {
  const std::string first = read_file(file_);
  write_model(file_, read_model(file_));
  EXPECT_EQ(read_file(file_), first);
}

TEST_F(ModelFile, AMissingFieldIsNamed) {
  const json whole = json::parse(read_file(file_));
  for (const auto& [name, value] : whole.items()) {
    if (name == "memory") {
      continue;  // of some models only
    }
    json damaged = whole;
    damaged.erase(name);
    write_file(file_, damaged.dump());
    try {
      read_model(file_);
      ADD_FAILURE() << name;
    } catch (const FileError& e) {
      EXPECT_NE(std::string(e.what()).find(name), std::string::npos) << e.what();
      EXPECT_NE(std::string(e.what()).find("x.model.json"), std::string::npos) << e.what();
    }
  }
}

TEST_F(ModelFile, AnotherVersionOrFormatIsRefused) {
  json damaged = json::parse(read_file(file_));
  damaged["version"] = 99;
  write_file(file_, damaged.dump());
  EXPECT_THROW(read_model(file_), FileError);
  damaged["version"] = 1;
  damaged["format"] = "cleave-machine";
  write_file(file_, damaged.dump());
  EXPECT_THROW(read_model(file_), FileError);
}

TEST_F(ModelFile, AnyValueOfAnyKindAnywhereIsReadOrRefused) {
  json whole = json::parse(read_file(file_));
  const std::vector<json> replacements = {json(nullptr), json(-1),       json(1e300), json("text"),
                                          json::array(), json::object(), json(true),  json(0)};
  at_every_place(whole, whole, [&](json& place) {
    const json original = place;
    for (const json& replacement : replacements) {
      place = replacement;
      expect_read_or_refused(whole.dump());
    }
    place = original;
  });
}

TEST_F(ModelFile, ALawThatCannotBeEvaluatedIsRefusedByName) {
  const json whole = json::parse(read_file(file_));
  const std::vector<std::pair<const char*, json>> kTable = {
      {"coefficients", {1, 1, 1, 1, 1}},
      {"coefficients", json::array()},
      {"coefficients", {-1}},
      {"covariance", {1, 2, 3}},
      {"deviation", 0},
      {"freedom", 0.5},
      {"terms", {"N*unknown(M/N)"}},
      {"terms", {"1", "N", "M", "N*M", "N^2"}},
      {"ranks_per_host_factors", {{"two", 1}}}};
  for (const auto& [field, value] : kTable) {
    json damaged = whole;
    damaged["hypercube"]["blocks"][0]["law"]["forms"][0][field] = value;
    write_file(file_, damaged.dump());
    try {
      read_model(file_);
      ADD_FAILURE() << field << " " << value;
    } catch (const FileError& e) {
      EXPECT_NE(std::string(e.what()).find(field), std::string::npos) << e.what();
    }
  }
  json without = whole;
  without["hypercube"]["blocks"][0]["law"]["forms"] = json::array();
  write_file(file_, without.dump());
  EXPECT_THROW(read_model(file_), FileError);
}

TEST_F(ModelFile, CutShortAnywhereIsRefused) {
  const std::string text = read_file(file_);
  for (std::size_t length = 0; length + 2 < text.size(); length += 997) {
    write_file(file_, text.substr(0, length));
    EXPECT_THROW(read_model(file_), FileError) << length;
  }
}

TEST_F(ModelFile, BytesChangedAtRandomAreReadOrRefused) {
  const std::string text = read_file(file_);
  std::mt19937 random(11);
  for (int trial = 0; trial < 300; ++trial) {
    std::string damaged = text;
    for (int i = 0; i < 3; ++i) {
      damaged[random() % damaged.size()] = static_cast<char>(random() % 256);
    }
    expect_read_or_refused(damaged);
  }
}

}  // namespace
}  // namespace cleave::models
