// SPDX-License-Identifier: Apache-2.0
// The time of an exchange: equation 9 with the l and g of a machine, and how many bytes are moved.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/block_fit.hpp"
#include "models/files.hpp"
#include "models/latency_gap.hpp"
#include "models/samples.hpp"

namespace cleave::models {

/// Bytes of the header that goes before every payload, and beyond how many bytes of payload each
/// side says first that it has room (skeleton/hypercube/link.hpp).
inline constexpr double kHeaderBytes = 16;
inline constexpr double kMaxBytesUnasked = 64 << 10;

/// What the headers around one exchange of messages of `message_bytes` take: one swap of headers,
/// and one of a single byte before a long payload.
double header_seconds(const Communication& entry, double message_bytes);

/// Bytes that a rank tells its group of its part, of whether it is well and of its partition: all
/// to all, once a run and twice a level (skeleton/hypercube/split_parts.hpp).
inline constexpr double kPartBytes = 8;
/// Times that all ranks of a call agree on something: on the call, and on whether one has failed.
inline constexpr int kAgreements = 2;
inline constexpr double kStatusBytes = 1;
inline constexpr double kReportBytes = 40;

/// What it takes that each of `ranks` ranks has `bytes` of every other: ceil(log2 ranks) exchanges,
/// each of twice as much.
double all_gather_seconds(const Communication& entry, int ranks, double bytes);

/// How many of `elements` the sorting form takes as a sample (skeleton/hypercube/split_parts.hpp).
double sampled(double elements);

/// In the sorting form a rank has its share of all elements at every level, of which about half is
/// moved; nothing for blocks of the whole group and for the leaves.
std::optional<double> part_of(Block block, double elements, int ranks);

/// What the sorting form's `sample` and `pivot` are functions of, in a group of `ranks` ranks that
/// has `elements`, each of `splitter_bytes` in a sample: "samples", of one rank or of all, and for
/// the pivot "tree", the seconds that gathering them and telling the splitter take.
NamedValues sampling_sizes(Block block, const Communication& entry, int ranks, double elements,
                           double splitter_bytes);

/// What `ranks` ranks take to agree on 8 bytes once all are there: ceil(log2 ranks) exchanges
/// (recursive doubling).
double agreement_seconds(const Communication& entry, int ranks);

/// The l and g of one machine, without the samples that they were fitted to.
struct LatencyGaps {
  std::string source;                    ///< the machine's name, or "traces"
  std::vector<Communication> alltoallv;  ///< MPI_Alltoallv under full load, by number of ranks
  std::vector<Communication> exchange;   ///< the skeleton's exchange, by number of ranks and level
};

LatencyGaps latency_gaps_of(const Machine& machine);

/// l and g of the exchanges in traces, of headers and of payloads, for each number of ranks:
/// seconds = factor (l + K g) with the paper's factor. Numbers of ranks whose exchanges determine
/// no l and g are left out.
LatencyGaps latency_gaps_of(const std::vector<Sample>& samples, const std::string& placement);

/// The entry that stands for an exchange at `level` of `ranks` ranks, and a remark if it is of
/// another number of ranks or level. Taken is the first there is of: the skeleton's exchange at
/// this level, MPI_Alltoallv on as many ranks, the exchange on the nearest number of ranks,
/// MPI_Alltoallv there. Where `between_hosts` is known and entries of that kind are, only these are
/// looked at. \throws Error  if there is no entry at all
struct ChosenLatencyGap {
  Communication entry;
  std::optional<std::string> remark;
};
ChosenLatencyGap choose_latency_gap(const LatencyGaps& gaps, int ranks, int level,
                                    std::optional<bool> between_hosts = std::nullopt);

/// Equation 9's factor: 2 where partners send and receive at once, 1 where data goes one way.
double paper_factor(const std::string& placement);

/// How the exchanges of an application use l and g: a level takes
///
///     messages * factor * (l + K g),
///
/// K being the bytes of one message.
struct ExchangeModel {
  double factor = 2;
  double factor_error = 0;
  bool factor_is_fitted = false;
  double messages = 1;          ///< at one level on one rank
  bool has_headers = false;     ///< whether a header goes before every payload
  double agreement_factor = 0;  ///< all agreements of a run, in agreement_seconds; 0: none
  double splitter_bytes = 0;  ///< of an element in a sample of the sorting form; 0 for other forms
  BlockFit bytes;             ///< K as a function of the sizes of what is moved
};

/// What the times of exchanges and agreements in traces are to l and g.
enum class ExchangeTimes {
  made_gaps,      ///< these come from them: `factor` is the paper's, `agreement_factor` fitted
  tell_factors,   ///< these come from elsewhere: both are fitted
  are_not_known,  ///< `factor` is the paper's, `agreement_factor` kAgreements
};

/// The exchanges in `samples` as a function of sizes, l and g.
std::variant<ExchangeModel, Refusal> fit_exchange(const std::vector<Sample>& samples,
                                                  const std::string& placement,
                                                  const LatencyGaps& gaps, ExchangeTimes times);

}  // namespace cleave::models
