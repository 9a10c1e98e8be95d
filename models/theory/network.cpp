// SPDX-License-Identifier: Apache-2.0
#include "models/theory/network.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>

#include <cleave/schedule/schedule.hpp>
#include <cleave/trace.hpp>

namespace cleave::models {

namespace {

using detail::Communication;

/// A network between hosts by its name. Bytes a second are from line rate less the framing of IEEE
/// 802.3 and TCP, or of InfiniBand, Omni-Path and Slingshot, down to 40 % of that. So much is left
/// where hosts share the links between switches. A stream of kernel TCP has 20 Gb/s on a core.
/// Latencies are what MPI's half round trip takes (OSU micro-benchmarks as published by vendors and
/// MVAPICH). Over kernel TCP that is 10 us in one rack with tuned interrupts to 50 us through a
/// busy switch. On Slingshot up to three switches are passed (De Sensi et al., SC20).
struct Preset {
  const char* name;
  double min_latency_s;  ///< of a message, one way: 2 l
  double max_latency_s;
  double min_bytes_per_s;  ///< one way: 1 / (2 g)
  double max_bytes_per_s;
};
constexpr std::array<Preset, 9> kPresets = {{{"ethernet-1g", 15e-6, 80e-6, 0.047e9, 0.118e9},
                                             {"ethernet-10g", 10e-6, 50e-6, 0.47e9, 1.18e9},
                                             {"ethernet-25g", 8e-6, 40e-6, 1.2e9, 2.95e9},
                                             {"ethernet-100g", 5e-6, 40e-6, 2.5e9, 11.8e9},
                                             {"infiniband-edr", 0.9e-6, 2.5e-6, 4.9e9, 12.2e9},
                                             {"infiniband-hdr", 0.9e-6, 2.5e-6, 9.8e9, 24.4e9},
                                             {"infiniband-ndr", 0.9e-6, 2.5e-6, 19.6e9, 48.8e9},
                                             {"omni-path", 0.9e-6, 2.5e-6, 4.9e9, 12.3e9},
                                             {"slingshot", 1.5e-6, 4e-6, 9.6e9, 24e9}}};

}  // namespace

std::string Network::assumed() const { return is_preset(source) ? source : ""; }

bool Network::knows_between_hosts() const {
  return std::ranges::any_of(
      exchange, [&](const Communication& e) { return e.between_hosts || !tells_hosts_apart; });
}

Network network_of(const detail::Machine& machine) {
  Network network{.source = machine.name,
                  .exchange = machine.exchange,
                  .tells_hosts_apart = !machine.provenance.program.empty()};
  std::erase_if(network.exchange, [](const Communication& entry) { return entry.oversubscribed; });
  for (Communication& entry : network.exchange) {
    entry.samples.clear();
  }
  return network;
}

Network with_machine(const Network& network, const detail::Machine& machine) {
  Network other = network_of(machine);
  const auto is_between = [&](const Communication& e) { return e.between_hosts; };
  if (other.tells_hosts_apart && std::ranges::all_of(other.exchange, is_between)) {
    std::ranges::remove_copy_if(network.exchange, std::back_inserter(other.exchange), is_between);
  }
  return other;
}

Network network_of(const std::vector<Sample>& samples, const std::string& placement) {
  std::map<std::pair<int, bool>, std::vector<MessagePoint>> messages;
  for (const Sample& sample : samples) {
    if (sample.block == detail::Block::exchange && sample.spans > 0 && sample.bytes > 0) {
      const bool leaves_host = sample.group > sample.ranks_per_host;
      messages[{sample.ranks, leaves_host}].push_back(
          {.message_bytes = sample.bytes / sample.spans,
           .seconds = detail::median(sample.seconds) / sample.spans * 2 / paper_factor(placement)});
    }
  }
  Network network{.source = "traces"};
  for (const auto& [of, points] : messages) {
    Communication entry{.ranks = of.first, .between_hosts = of.second};
    try {
      fit_latency_gap(entry, points);
    } catch (const Error&) {
      continue;  // documented: these exchanges determine no l and g
    }
    network.exchange.push_back(std::move(entry));
  }
  return network;
}

std::vector<std::string> preset_names() {
  std::vector<std::string> names;
  std::ranges::transform(kPresets, std::back_inserter(names), &Preset::name);
  return names;
}

bool is_preset(const std::string& name) {
  return std::ranges::find(kPresets, name, &Preset::name) != kPresets.end();
}

detail::Machine preset_machine(const std::string& name) {
  const Preset& preset = *std::ranges::find(kPresets, name, &Preset::name);
  // The middle of a range on the scale of logarithms, and the error whose 95 % reach its ends.
  const auto between = [](double low, double high) {
    const double middle = std::sqrt(low * high);
    return std::pair(middle, middle * std::log(high / low) / 2 / kDeviationsOf95);
  };
  const auto [l, l_error] = between(preset.min_latency_s / 2, preset.max_latency_s / 2);
  const auto [g, g_error] = between(0.5 / preset.max_bytes_per_s, 0.5 / preset.min_bytes_per_s);
  return {.name = name,
          .exchange = {{.ranks = 2,
                        .between_hosts = true,
                        .latency_s = l,
                        .latency_error_s = l_error,
                        .gap_s_per_byte = g,
                        .gap_error_s_per_byte = g_error}},
          .provenance = {.program = "cleave"}};
}

double half_width_of(const Communication& entry, double message_bytes) {
  const detail::MessageSegment s = entry.segment_of(message_bytes);
  const double unit = entry.unit_seconds(message_bytes);
  return unit > 0
             ? kDeviationsOf95 * (s.latency_error_s + message_bytes * s.gap_error_s_per_byte) / unit
             : 0;
}

const Communication& entry_for(const Network& network, int ranks, int level, bool leaves_host) {
  const Communication* entry =
      nearest(network.exchange, ranks, level, leaves_host, !network.tells_hosts_apart);
  if (entry == nullptr) {
    throw Error(
        fmt::format("no latency and gap of exchanges are known of {}, so none can be "
                    "predicted; give a --machine, or traces on 2 or more ranks",
                    network.source));
  }
  return *entry;
}

double paper_factor(const std::string& placement) {
  const std::optional<detail::Way> way = detail::way_of(placement, false);
  return way && !detail::swaps(*way) ? 1 : 2;
}

double header_seconds(const Communication& entry, double message_bytes) {
  const double asking =
      message_bytes > static_cast<double>(detail::kMaxBytesUnasked) ? entry.unit_seconds(1) : 0;
  return 2 * (entry.unit_seconds(detail::kHeaderBytes) + asking);
}

double all_gather_seconds(const Communication& entry, int ranks, double bytes) {
  double seconds = 0;
  for (const detail::Round& round : detail::rounds_of(ranks)) {
    seconds += 2 * entry.unit_seconds(round.more * bytes);
  }
  return seconds;
}

/// A message of `bytes` both ways in each round.
static double rounds_seconds(const Communication& entry, int ranks, std::size_t bytes) {
  return static_cast<double>(detail::rounds_of(ranks).size()) * 2 *
         entry.unit_seconds(static_cast<double>(bytes));
}

double choose_seconds(const Communication& entry, int ranks, double bytes, double splitter_bytes) {
  return all_gather_seconds(entry, ranks, bytes / ranks) +
         rounds_seconds(entry, ranks,
                        detail::choice_bytes(static_cast<std::size_t>(splitter_bytes)));
}

double agreement_seconds(const Communication& entry, int ranks) {
  return rounds_seconds(entry, ranks, detail::kAgreementBytes);
}

void fit_latency_gap(Communication& entry, std::span<const MessagePoint> points) {
  const std::vector<double> ones(points.size(), 1);
  Columns relative(2);
  std::vector<double> seconds;
  for (const MessagePoint& p : points) {
    seconds.push_back(std::max(p.seconds, kShortest_s));
    relative[0].push_back(1 / seconds.back());
    relative[1].push_back(p.message_bytes / seconds.back());
  }
  if (points.size() < 3 || !dependent_columns(relative, 2).empty()) {
    throw Error(
        fmt::format("latency and gap: {} {} of different lengths determine no line: at least 3 are "
                    "needed",
                    points.size(), points.size() == 1 ? "message" : "messages"));
  }
  std::array<double, 2> units{};
  for (std::size_t i = 0; i < 2; ++i) {
    units[i] = std::sqrt(
        std::inner_product(relative[i].begin(), relative[i].end(), relative[i].begin(), 0.0));
    std::ranges::for_each(relative[i], [&](double& x) { x /= units[i]; });
  }
  const std::vector<double> line = solve_non_negative(ones, relative, ones);
  const std::vector<double> covariance = solve(ones, relative, ones).covariance;
  const double mean =
      std::accumulate(seconds.begin(), seconds.end(), 0.0) / static_cast<double>(points.size());
  double squares = 0;
  double total = 0;
  double unexplained = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double left = 1 - line[0] * relative[0][i] - line[1] * relative[1][i];
    squares += left * left;
    unexplained += std::pow(left * seconds[i], 2);
    total += std::pow(seconds[i] - mean, 2);
  }
  const double deviation = std::sqrt(squares / static_cast<double>(points.size() - 2));
  entry.latency_s = line[0] / units[0] / 2;
  entry.latency_error_s = deviation * std::sqrt(covariance[0]) / units[0] / 2;
  entry.gap_s_per_byte = line[1] / units[1] / 2;
  entry.gap_error_s_per_byte = deviation * std::sqrt(covariance[3]) / units[1] / 2;
  entry.r_squared = total > 0 ? 1 - unexplained / total : 1;
}

void fit_communication(Communication& pattern) {
  std::vector<MessagePoint> medians;
  for (const detail::MessageSamples& s : pattern.samples) {
    medians.push_back({static_cast<double>(s.message_bytes), detail::median(s.seconds)});
  }
  fit_latency_gap(pattern, medians);
  pattern.segments.clear();
  for (std::size_t i = 0; i + 1 < medians.size(); ++i) {
    const auto& [bytes, seconds] = medians[i];
    const auto& [next_bytes, next_s] = medians[i + 1];
    const double gap_s = std::max(0.0, next_s - seconds) / (next_bytes - bytes) / 2;
    const double latency_s = seconds / 2 - bytes * gap_s;
    const std::vector<double>& all = pattern.samples[i].seconds;
    const double error = relative_spread(all) / std::sqrt(static_cast<double>(all.size()));
    pattern.segments.push_back({.from_bytes = i == 0 ? 0 : bytes,
                                .latency_s = latency_s,
                                .latency_error_s = error * std::abs(latency_s),
                                .gap_s_per_byte = gap_s,
                                .gap_error_s_per_byte = error * gap_s});
  }
}

}  // namespace cleave::models
