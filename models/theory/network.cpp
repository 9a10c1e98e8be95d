// SPDX-License-Identifier: Apache-2.0
#include "models/theory/network.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <cleave/schedule/messages.hpp>
#include <cleave/schedule/schedule.hpp>
#include <cleave/trace/median.hpp>

#include "models/theory/latency_gap.hpp"

namespace cleave::models {

namespace {

std::vector<detail::Communication> without_samples(std::vector<detail::Communication> entries) {
  std::erase_if(entries, [](const detail::Communication& entry) { return entry.oversubscribed; });
  for (detail::Communication& entry : entries) {
    entry.samples.clear();
  }
  return entries;
}

std::string no_entry(const Network& network, bool leaves_host) {
  if (!leaves_host) {
    return fmt::format(
        "no latency and gap are known of {}, so no exchange can be predicted; give a --machine, or "
        "traces on 2 or more ranks",
        network.source);
  }
  std::vector<std::string_view> names;
  for (const AssumableNetwork& assumable : assumable_networks()) {
    names.push_back(assumable.name);
  }
  return fmt::format(
      "so many ranks leave the host that was measured, and l and g between hosts are not known: "
      "measure them with mpiexec -hosts A,B -n 2 cleave-calibrate --out two.machine.json and give "
      "--machine two.machine.json, or give --assume-network {}",
      fmt::join(names, ", "));
}

}  // namespace

bool Network::is_of(int ranks) const {
  const auto is_same = [ranks](const detail::Communication& entry) { return entry.ranks == ranks; };
  return std::ranges::any_of(alltoallv, is_same) || std::ranges::any_of(exchange, is_same);
}

int Network::most_ranks_between_hosts() const {
  int most = 0;
  for (const auto* const entries : {&exchange, &alltoallv}) {
    for (const detail::Communication& entry : *entries) {
      most = std::max(most, entry.between_hosts || !tells_hosts_apart ? entry.ranks : 0);
    }
  }
  return most;
}

bool Network::knows_between_hosts() const { return most_ranks_between_hosts() > 0; }

Network network_of(const detail::Machine& machine) {
  return {.source = machine.name,
          .alltoallv = without_samples(machine.alltoallv),
          .exchange = without_samples(machine.exchange),
          .tells_hosts_apart = !machine.provenance.program.empty()};
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
  for (auto& [of, points] : messages) {
    try {
      const LatencyGap fit = fit_latency_gap(points);
      network.exchange.push_back({.ranks = of.first,
                                  .between_hosts = of.second,
                                  .latency_s = fit.latency_s,
                                  .latency_error_s = fit.latency_error_s,
                                  .gap_s_per_byte = fit.gap_s_per_byte,
                                  .gap_error_s_per_byte = fit.gap_error_s_per_byte,
                                  .r_squared = fit.r_squared,
                                  .worst_latency_s = fit.latency_s,
                                  .worst_gap_s_per_byte = fit.gap_s_per_byte,
                                  .segments = fit_message_segments(std::move(points))});
    } catch (const Error&) {
      continue;  // documented: these exchanges determine no l and g
    }
  }
  return network;
}

const std::vector<AssumableNetwork>& assumable_networks() {
  // Bytes a second are from line rate less the framing of IEEE 802.3 and TCP, or of InfiniBand,
  // down to 40 % of that. So much is left where hosts share the links between switches. Latencies
  // are what MPI's half round trip takes (OSU micro-benchmarks as published by vendors and
  // MVAPICH). Over kernel TCP that is 10 us in one rack with tuned interrupts to 50 us through a
  // busy switch.
  static const std::vector<AssumableNetwork> kAll = {
      {"ethernet-1g", 15e-6, 80e-6, 0.047e9, 0.118e9, "TCP on 1 Gb/s"},
      {"ethernet-10g", 10e-6, 50e-6, 0.47e9, 1.18e9, "TCP on 10 Gb/s"},
      {"ethernet-25g", 8e-6, 40e-6, 1.2e9, 2.95e9, "TCP on 25 Gb/s"},
      {"infiniband-edr", 0.9e-6, 2.5e-6, 4.9e9, 12.2e9, "verbs on 100 Gb/s"},
      {"infiniband-hdr", 0.9e-6, 2.5e-6, 9.8e9, 24.4e9, "verbs on 200 Gb/s"}};
  return kAll;
}

namespace {

const AssumableNetwork* assumable(const std::string& name) {
  const auto& all = assumable_networks();
  const auto found = std::ranges::find(all, name, &AssumableNetwork::name);
  return found == all.end() ? nullptr : &*found;
}

double middle_of(double low, double high) { return std::sqrt(low * high); }

/// The factor of a quantity between two bounds whose middle is 1.
double factor_at(double low, double high, double part) { return std::pow(high / low, part - 0.5); }

}  // namespace

bool is_assumable(const std::string& name) { return assumable(name) != nullptr; }

Network with_assumed(Network network, const std::string& name) {
  const AssumableNetwork* const found = assumable(name);
  if (found == nullptr) {
    std::vector<std::string_view> names;
    for (const AssumableNetwork& other : assumable_networks()) {
      names.push_back(other.name);
    }
    throw UsageError(fmt::format("--assume-network: '{}' is not known, allowed are {}", name,
                                 fmt::join(names, ", ")));
  }
  std::erase_if(network.exchange,
                [](const detail::Communication& entry) { return entry.between_hosts; });
  std::erase_if(network.alltoallv,
                [](const detail::Communication& entry) { return entry.between_hosts; });
  network.exchange.push_back(
      {.ranks = 2,
       .between_hosts = true,
       .latency_s = middle_of(found->least_latency_s, found->most_latency_s) / 2,
       .gap_s_per_byte = 1 / middle_of(found->least_bytes_per_s, found->most_bytes_per_s) / 2});
  network.tells_hosts_apart = true;
  network.assumed = name;
  return network;
}

double assumed_latency_factor(const std::string& name, double part) {
  const AssumableNetwork& found = *assumable(name);
  return factor_at(found.least_latency_s, found.most_latency_s, part);
}

Network assumed_at(Network network, double part) {
  const AssumableNetwork& found = *assumable(network.assumed);
  for (detail::Communication& entry : network.exchange) {
    if (entry.between_hosts) {
      entry.latency_s *= assumed_latency_factor(network.assumed, part);
      entry.gap_s_per_byte *= factor_at(found.least_bytes_per_s, found.most_bytes_per_s, part);
    }
  }
  return network;
}

Network with_shared_links(Network network, double part) {
  constexpr double kLeastShare = 0.4;  // as of assumable_networks
  network.unseen_gap_factor = std::pow(1 / kLeastShare, part);
  return network;
}

ChosenEntry entry_for(const Network& network, int ranks, int level, bool leaves_host) {
  const detail::Communication* exchange =
      nearest(network.exchange, ranks, level, leaves_host, !network.tells_hosts_apart);
  if (exchange != nullptr && exchange->ranks == ranks && exchange->level == level) {
    return {*exchange, std::nullopt};
  }
  const detail::Communication* alltoallv =
      nearest(network.alltoallv, ranks, 0, leaves_host, !network.tells_hosts_apart);
  if (alltoallv != nullptr && alltoallv->ranks == ranks) {
    return {*alltoallv, std::nullopt};
  }
  if (exchange == nullptr && alltoallv == nullptr) {
    throw Error(no_entry(network, leaves_host));
  }
  const detail::Communication& entry = exchange != nullptr ? *exchange : *alltoallv;
  const bool is_assumed = leaves_host && !network.assumed.empty();
  if (is_assumed || entry.ranks == ranks) {
    return {entry, std::nullopt};
  }
  return {entry, fmt::format("l and g are those of {} ranks", entry.ranks)};
}

double paper_factor(const std::string& placement) {
  const std::optional<detail::Way> way = detail::way_of(placement, false);
  return way && !detail::swaps(*way) ? 1 : 2;
}

double header_seconds(const detail::Communication& entry, double message_bytes) {
  const double asking =
      message_bytes > static_cast<double>(detail::kMaxBytesUnasked) ? entry.unit_seconds(1) : 0;
  return 2 * (entry.unit_seconds(detail::kHeaderBytes) + asking);
}

double all_gather_seconds(const detail::Communication& entry, int ranks, double bytes) {
  double seconds = 0;
  for (const detail::Round& round : detail::rounds_of(ranks)) {
    seconds += 2 * entry.unit_seconds(round.more * bytes);
  }
  return seconds;
}

double choose_seconds(const detail::Communication& entry, int ranks, double bytes,
                      double splitter_bytes) {
  const auto choice =
      static_cast<double>(detail::choice_bytes(static_cast<std::size_t>(splitter_bytes)));
  double seconds = 0;
  for (const detail::Round& round : detail::rounds_of(ranks)) {
    seconds += 2 * (entry.unit_seconds(bytes * round.more / ranks) + entry.unit_seconds(choice));
  }
  return seconds;
}

double agreement_seconds(const detail::Communication& entry, int ranks) {
  return static_cast<double>(detail::rounds_of(ranks).size()) * 2 *
         entry.unit_seconds(detail::kAgreementBytes);
}

}  // namespace cleave::models
