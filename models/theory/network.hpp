// SPDX-License-Identifier: Apache-2.0
// What messages take: equation 9 with the l and g of a machine.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <cleave/error.hpp>
#include <cleave/trace/machine_file.hpp>

#include "models/theory/samples.hpp"

namespace cleave::models {

/// The l and g of one machine, without the samples that they were fitted to.
struct Network {
  std::string source;  ///< the machine's name, or "traces"
  std::vector<detail::Communication>
      alltoallv;  ///< MPI_Alltoallv under full load, by number of ranks
  std::vector<detail::Communication>
      exchange;  ///< the skeleton's exchange, by number of ranks and level
  /// Whether entries say which of them leave a host; a machine written by hand stands for both.
  bool tells_hosts_apart = true;
  /// A network between hosts that nobody measured, by name (`assumable_networks`).
  std::string assumed;
  /// By what gaps between hosts are multiplied in groups of more ranks than were measured.
  double unseen_gap_factor = 1;

  bool is_empty() const { return alltoallv.empty() && exchange.empty(); }
  /// Whether it says what messages between hosts take.
  bool knows_between_hosts() const;
  /// Whether it was measured on as many ranks.
  bool is_of(int ranks) const;
  /// Of its entries between hosts; 0 if there are none.
  int most_ranks_between_hosts() const;
};

Network network_of(const detail::Machine& machine);

/// l and g of the exchanges in traces, for each number of ranks: seconds = factor (l + K g) with
/// the paper's factor. Numbers of ranks whose exchanges determine no l and g are left out.
Network network_of(const std::vector<Sample>& samples, const std::string& placement);

/// A network between hosts by its name. Times are wide ranges, since machines of one name differ.
struct AssumableNetwork {
  std::string_view name;
  double least_latency_s;  ///< of a message, one way: 2 l
  double most_latency_s;
  double least_bytes_per_s;  ///< one way: 1 / (2 g)
  double most_bytes_per_s;
  std::string_view source;
};
const std::vector<AssumableNetwork>& assumable_networks();
bool is_assumable(const std::string& name);

/// `network` whose messages between hosts are those of the assumed one.
/// \throws UsageError  if there is none of this name
Network with_assumed(Network network, const std::string& name);

/// By what the latency of the assumed network `name` is multiplied at `part` of its range, from the
/// best (0) to the worst (1). \pre  is_assumable(name)
double assumed_latency_factor(const std::string& name, double part);
/// `network` at `part` of the range of what is assumed of it. \pre  is_assumable(network.assumed)
Network assumed_at(Network network, double part);

/// `network` where groups of more ranks than it was measured on share links between switches. That
/// may leave them 40 % of their bandwidth: at `part` 1 it does, at 0 they have all of it.
Network with_shared_links(Network network, double part);

/// The entry that stands for an exchange at `level` of `ranks` ranks, and a remark if it is of
/// another number of ranks. Taken is the first there is of: the skeleton's exchange at this level,
/// MPI_Alltoallv on as many ranks, the exchange on the nearest number of ranks, MPI_Alltoallv
/// there. Of entries between hosts where `leaves_host`, else of those inside one. \throws Error  if
/// there is no such entry, with what would measure it
struct ChosenEntry {
  detail::Communication entry;
  std::optional<std::string> remark;
};
ChosenEntry entry_for(const Network& network, int ranks, int level, bool leaves_host);

/// Equation 9's factor: 2 where partners send and receive at once, 1 where data goes one way.
double paper_factor(const std::string& placement);

/// What the headers around one exchange of messages of `message_bytes` take: one swap of headers,
/// and one of a single byte before a long payload.
double header_seconds(const detail::Communication& entry, double message_bytes);

/// What it takes that each of `ranks` ranks has `bytes` of every other.
double all_gather_seconds(const detail::Communication& entry, int ranks, double bytes);

/// What it takes that the first of `ranks` ranks gets samples of all, `bytes` in total, and tells a
/// splitter of `splitter_bytes`.
double choose_seconds(const detail::Communication& entry, int ranks, double bytes,
                      double splitter_bytes);

/// What `ranks` ranks take for one agreement once all are there.
double agreement_seconds(const detail::Communication& entry, int ranks);

}  // namespace cleave::models
