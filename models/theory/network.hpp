// SPDX-License-Identifier: Apache-2.0
// What messages take: equation 9 with the latency l and the gap g of a machine, which are fitted to
// the times of messages of several sizes.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <cleave/error.hpp>
#include <cleave/trace/machine_file.hpp>

#include "models/theory/samples.hpp"

namespace cleave::models {

/// The l and g of one machine, without the samples that they were fitted to.
struct Network {
  std::string source;  ///< the machine's name, "traces", or the preset between hosts
  std::vector<detail::Communication>
      exchange;  ///< the skeleton's exchange, by number of ranks and level
  /// Whether entries say which of them leave a host; a machine written by hand stands for both.
  bool tells_hosts_apart = true;

  bool is_empty() const { return exchange.empty(); }
  /// The preset that stands for messages between hosts; empty if none.
  std::string assumed() const;
  /// Whether it says what messages between hosts take.
  bool knows_between_hosts() const;
};

/// l and g of the exchanges in traces, for each number of ranks that determines them.
Network network_of(const std::vector<Sample>& samples, const std::string& placement);
Network network_of(const detail::Machine& machine);
/// `network` with what `machine` says; of messages between hosts alone, those in a host stay.
Network with_machine(const Network& network, const detail::Machine& machine);

/// The network between hosts that is assumed if nobody measured one.
inline constexpr const char* kAssumedNetwork = "ethernet-10g";

/// Networks between hosts that nobody needs to measure, each with an error that covers its kind.
std::vector<std::string> preset_names();
bool is_preset(const std::string& name);
/// \pre  is_preset(name)
detail::Machine preset_machine(const std::string& name);

/// Half the range that holds a message with 95 %, as a logarithm, by the errors of l and g.
double half_width_of(const detail::Communication& entry, double message_bytes);

/// The entry for exchanges at `level` of `ranks` ranks: the nearest number of ranks, then level,
/// between hosts where `leaves_host`. \throws Error  if there is none, with what would measure it
const detail::Communication& entry_for(const Network& network, int ranks, int level,
                                       bool leaves_host);

/// Equation 9's factor: 2 where partners send and receive at once, 1 where data goes one way.
double paper_factor(const std::string& placement);

/// Seconds of the headers around an exchange: one swap, and one of a byte before a long payload.
double header_seconds(const detail::Communication& entry, double message_bytes);

/// Seconds until each of `ranks` ranks has `bytes` of every other.
double all_gather_seconds(const detail::Communication& entry, int ranks, double bytes);

/// Seconds until the first of `ranks` ranks has samples of all, `bytes` in total, and has told a
/// splitter of `splitter_bytes`.
double choose_seconds(const detail::Communication& entry, int ranks, double bytes,
                      double splitter_bytes);

/// Seconds of one agreement of `ranks` ranks once all are there.
double agreement_seconds(const detail::Communication& entry, int ranks);

/// The time of one message size: a median over repetitions of the longest time over the ranks.
struct MessagePoint {
  double message_bytes = 0;  ///< sent, and as many received, by each rank
  double seconds = 0;
};

/// Fills in l and g, at least 0, and their errors by relative residuals of equation 9.
/// \throws Error  if the points do not determine both: fewer than three, or one size only
void fit_latency_gap(detail::Communication& entry, std::span<const MessagePoint> points);

/// Fills in l and g of `pattern` by the medians of its samples, and the segments between them,
/// which meet every median. \throws Error  as fit_latency_gap
void fit_communication(detail::Communication& pattern);

}  // namespace cleave::models
