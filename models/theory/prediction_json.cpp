// SPDX-License-Identifier: Apache-2.0
#include "models/theory/prediction_json.hpp"

#include <nlohmann/json.hpp>

namespace cleave::models {

nlohmann::json to_json(const Prediction& p) {
  nlohmann::json shares = nlohmann::json::array();
  for (const BlockShare& share : p.shares) {
    shares.push_back({{"block", share.name()}, {"level", share.level}, {"seconds", share.seconds}});
  }
  nlohmann::json object = {{"ranks", p.ranks},
                           {"threads", p.threads},
                           {"ranks_per_host", p.ranks_per_host},
                           {"sizes", p.sizes},
                           {"seconds", p.seconds},
                           {"interval", {p.low, p.high}},
                           {"as_the_host_was", {p.run_low, p.run_high}},
                           {"is_answer", p.is_answer()},
                           {"knows_runs", p.knows_runs()},
                           {"rehearsed", p.is_rehearsed},
                           {"outside_fitted_range", p.outside_fitted_range},
                           {"remarks", p.remarks},
                           {"shares", std::move(shares)}};
  if (!p.assumed_network.empty()) {
    object["assumed_network"] = p.assumed_network;
  }
  if (p.memory_bytes) {
    object["memory_bytes_per_rank"] = *p.memory_bytes;
  }
  if (p.cache_left_bytes) {
    object["cache_left_bytes"] = *p.cache_left_bytes;
  }
  return object;
}

}  // namespace cleave::models
