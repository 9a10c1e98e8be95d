// SPDX-License-Identifier: Apache-2.0
#include "models/theory/search_time.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <cleave/schedule/messages.hpp>

namespace cleave::models {

namespace {

/// Messages in a row, for each doubling of the ranks, in which the end of a search is found. Waves
/// go down and up a tree of kWaveFanOut children a rank, which take turns at their parent.
constexpr double kEndingMessages = detail::kWaveFanOut;

double doublings_of(int ranks) { return static_cast<double>(detail::rounds_of(ranks).size()); }

std::string steals_refused(const Model& model, const std::string& where) {
  for (const RefusedBlock& refused : model.refused) {
    if (refused.block == detail::Block::steal && refused.reason.starts_with(where)) {
      return refused.reason;
    }
  }
  return where + ": the traces show none";
}

}  // namespace

NamedValues sizes_of_search(double nodes, double requests) {
  return {{"nodes", nodes}, {"requests", requests}};
}

NamedValues sizes_of_steals(int sharers, double nodes) {
  return {{"nodes", nodes}, {"doublings", std::log2(sharers)}};
}

NamedValues sizes_of_rounds(int ranks, int threads) {
  return {{"doublings", doublings_of(ranks)}, {"helpers", static_cast<double>(threads - 1)}};
}

SearchMessages search_messages(const Network& network, int ranks, bool leaves_host, double bytes) {
  if (ranks == 1 || network.is_empty()) {
    return {};
  }
  const detail::Communication entry = entry_for(network, ranks, 0, leaves_host).entry;
  // A message goes one way in the time of an exchange: l and g are halves of that (eq. 9).
  const auto seconds = [&](double payload) {
    return 2 * entry.unit_seconds(detail::kSearchMessageBytes + payload);
  };
  const double rounds = doublings_of(ranks);
  return {.steal_s = seconds(0) + seconds(bytes),
          .in_vain_s = 2 * seconds(0),
          .start_up_s = rounds * seconds(bytes),
          .termination_s = kEndingMessages * rounds * seconds(0)};
}

SearchTime::SearchTime(const Model& model, const Network& network, int ranks, int ranks_per_host,
                       int threads, double nodes)
    : model_(model),
      search_(*model.search()),
      network_(network),
      ranks_(ranks),
      ranks_per_host_(ranks_per_host),
      threads_(threads),
      nodes_(nodes) {
  const auto require = [&](bool is_there, detail::Block block) {
    if (!is_there) {
      throw Error(
          fmt::format("{} cannot be predicted: {}", name_of(block), model_.reason_of(block)));
    }
  };
  require(search_.search.has_value(), detail::Block::sequential);
  require(search_.start_up.has_value(), detail::Block::skeleton);
  require(search_.termination.has_value(), detail::Block::idle);
  if (threads_ > 1 && !search_.inside) {
    throw Error("steals cannot be predicted " + steals_refused(model_, "inside a rank"));
  }
  if (ranks_ > 1 && !search_.between) {
    throw Error("steals cannot be predicted " + steals_refused(model_, "between ranks"));
  }
  if (ranks_ > ranks_per_host_ && !model_.has_left_host()) {
    entry_for(network_, ranks_, 0, true);  // says what is missing
  }
  if (search_.knows_network) {
    messages_ = search_messages(network_, ranks_, ranks_ > ranks_per_host_,
                                search_.between ? search_.between->bytes : 0);
  } else if (!network_.is_empty() && ranks_ > 1) {
    throw Error(
        "the model was fitted without a machine, so that the network's part of a steal is not "
        "known: fit it with --machine");
  }
}

SearchParts SearchTime::parts(double Estimate::*end, double latency_factor) const {
  SearchMessages messages = messages_;
  for (double* seconds :
       {&messages.steal_s, &messages.in_vain_s, &messages.start_up_s, &messages.termination_s}) {
    *seconds *= latency_factor;
  }
  const auto value = [end](const Law& law, const NamedValues& sizes,
                           int workers_per_host = kOneRankPerHost) {
    return law.at(sizes, workers_per_host).*end;
  };
  const auto in_vain = [&](const Steals& steals, int sharers, double nodes) {
    return steals.in_vain ? value(*steals.in_vain, sizes_of_steals(sharers, nodes)) : 0.0;
  };
  const auto count = [&](const Steals& steals, int sharers, double nodes) {
    return value(steals.count, sizes_of_steals(sharers, nodes));
  };
  const auto steal = [&](const Steals& steals, int sharers, double nodes,
                         const SearchMessages& network) {
    return value(steals.seconds, sizes_of_steals(sharers, nodes)) +
           count(steals, sharers, nodes) * network.steal_s +
           in_vain(steals, sharers, nodes) * network.in_vain_s;
  };
  const int workers = ranks_ * threads_;
  SearchParts parts;
  double requests = 0;
  if (threads_ > 1) {
    parts.steal_s += steal(*search_.inside, threads_, nodes_ / workers, {});
  }
  if (ranks_ > 1) {
    const double of_rank = nodes_ / ranks_;
    parts.steal_s += steal(*search_.between, ranks_, of_rank, messages);
    requests =
        (count(*search_.between, ranks_, of_rank) + in_vain(*search_.between, ranks_, of_rank)) /
        threads_;
  }
  parts.search_s = value(*search_.search, sizes_of_search(nodes_ / workers, requests),
                         ranks_per_host_ * threads_);
  parts.start_up_s =
      value(*search_.start_up, sizes_of_rounds(ranks_, threads_)) + messages.start_up_s;
  parts.termination_s =
      value(*search_.termination, sizes_of_rounds(ranks_, threads_)) + messages.termination_s;
  return parts;
}

}  // namespace cleave::models
