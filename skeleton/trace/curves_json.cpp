// SPDX-License-Identifier: Apache-2.0
// Declared curves as traces and models have them.
#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>

#include <cleave/trace/json_fields.hpp>
#include <cleave/trace/trace_file.hpp>

namespace cleave::detail {

using nlohmann::json;

namespace {

Curve curve_from(const JsonFields& fields) {
  Curve curve{.name = fields.text("name"),
              .size = fields.text("size"),
              .per = fields.text("per"),
              .ratios = fields.numbers("ratios"),
              .values = fields.numbers("values")};
  if (curve.ratios.size() < 2 || curve.ratios.front() <= 0 ||
      !std::ranges::is_sorted(curve.ratios, std::less_equal())) {
    fields.refuse("ratios", "must be at least two ascending numbers above 0");
  }
  if (curve.values.size() != curve.ratios.size() || std::ranges::min(curve.values) < 0) {
    fields.refuse("values", "must be one number of at least 0 for each ratio");
  }
  return curve;
}

}  // namespace

json to_json(const std::vector<Curve>& curves) {
  json array = json::array();
  for (const Curve& curve : curves) {
    array.push_back({{"name", curve.name},
                     {"size", curve.size},
                     {"per", curve.per},
                     {"ratios", curve.ratios},
                     {"values", curve.values}});
  }
  return array;
}

std::vector<Curve> curves_from(const JsonFields& fields) {
  std::vector<Curve> curves;
  for (const JsonFields& curve : fields.objects("curves")) {
    curves.push_back(curve_from(curve));
  }
  return curves;
}

}  // namespace cleave::detail
