// SPDX-License-Identifier: Apache-2.0
#include "models/communication.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "models/files.hpp"
#include "models/forms.hpp"
#include "models/selection.hpp"
#include "models/statistics.hpp"

namespace cleave::models {

namespace {

std::vector<Communication> without_samples(std::vector<Communication> entries) {
  std::erase_if(entries, [](const Communication& entry) { return entry.oversubscribed; });
  for (Communication& entry : entries) {
    entry.samples.clear();
  }
  return entries;
}

/// The entry whose number of ranks, then level, is nearest, of those that stay on a host or leave
/// it; of all where there are none of that kind. Null if there is none.
const Communication* nearest(const std::vector<Communication>& entries, int ranks, int level,
                             std::optional<bool> between_hosts) {
  const auto is_other_kind = [&](const Communication& entry) {
    return between_hosts && entry.between_hosts != *between_hosts;
  };
  const auto distance = [&](const Communication& entry) {
    return std::tuple(is_other_kind(entry),
                      std::abs(std::log2(static_cast<double>(entry.ranks) / ranks)),
                      std::abs(entry.level - level));
  };
  const auto found =
      std::min_element(entries.begin(), entries.end(),
                       [&](const auto& a, const auto& b) { return distance(a) < distance(b); });
  return found == entries.end() ? nullptr : &*found;
}

bool is_exchange(const Sample& sample) {
  return sample.block == Block::exchange && sample.spans > 0 && sample.bytes > 0;
}

/// Waiting for a header that says what comes.
bool is_header(const Sample& sample) {
  return sample.block == Block::wait && sample.spans > 0 &&
         sample.bytes / sample.spans == kHeaderBytes;
}

/// Waiting of all ranks of the run for what they agree on at the start and at the end.
bool is_agreement(const Sample& sample) {
  return sample.block == Block::wait && sample.bytes == 0 && sample.level == 0 &&
         sample.group == sample.ranks;
}

/// What is left of some ranks' waiting without the waiting for the last of them: that one's own.
/// The median over repetitions.
double min_waiting(const std::vector<const Sample*>& together) {
  std::vector<double> minimum = together.front()->seconds;
  for (const Sample* sample : together) {
    for (std::size_t i = 0; i < std::min(minimum.size(), sample->seconds.size()); ++i) {
      minimum[i] = std::min(minimum[i], sample->seconds[i]);
    }
  }
  return median(std::move(minimum));
}

/// The swaps of headers as exchanges of their length: the partner that comes last does not wait for
/// the other one. One point a level, the median over the pairs.
std::map<int, std::vector<MessagePoint>> header_points(const std::vector<Sample>& samples) {
  std::map<std::tuple<int, NamedSizes, int>, std::map<int, std::vector<const Sample*>>> levels;
  for (const Sample& sample : samples) {
    const bool has_one_partner_each = (sample.ranks & (sample.ranks - 1)) == 0;
    if (is_header(sample) && has_one_partner_each) {
      const int pair = sample.rank & ~(sample.group / 2);
      levels[{sample.ranks, sample.run_sizes, sample.level}][pair].push_back(&sample);
    }
  }
  std::map<int, std::vector<MessagePoint>> points;
  for (const auto& [level, pairs] : levels) {
    std::vector<double> of_pairs;
    for (const auto& [pair, both] : pairs) {
      of_pairs.push_back(min_waiting(both) / both.front()->spans);
    }
    points[std::get<0>(level)].push_back({kHeaderBytes, median(std::move(of_pairs))});
  }
  return points;
}

/// Whether payloads have enough lengths, far enough apart, for a line without the headers.
bool determine_line(const std::vector<MessagePoint>& payloads) {
  constexpr std::size_t kMinLengths = 3;
  constexpr double kMinSpan = 4;
  std::set<double> lengths;
  for (const MessagePoint& payload : payloads) {
    lengths.insert(payload.message_bytes);
  }
  return *lengths.begin() > kHeaderBytes && lengths.size() >= kMinLengths &&
         *lengths.rbegin() >= kMinSpan * *lengths.begin();
}

/// The pieces of l and g of payloads alone, and for what is shorter than all of them the straight
/// line from the headers to theirs. \pre  determine_line(payloads); there are headers
std::vector<MessageSegment> segments_apart(const std::vector<MessagePoint>& headers,
                                           const std::vector<MessagePoint>& payloads) {
  std::vector<MessageSegment> segments = fit_message_segments(payloads);
  MessageSegment& first = segments.front();
  first.from_bytes = std::ranges::min(payloads, {}, &MessagePoint::message_bytes).message_bytes;
  std::vector<double> unit_seconds;
  for (const MessagePoint& header : headers) {
    unit_seconds.push_back(header.seconds / 2);
  }
  const double of_header = median(unit_seconds);
  const double of_shortest = first.latency_s + first.from_bytes * first.gap_s_per_byte;
  const double gap = std::max(0.0, of_shortest - of_header) / (first.from_bytes - kHeaderBytes);
  segments.insert(segments.begin(),
                  {.from_bytes = 0,
                   .latency_s = of_header - kHeaderBytes * gap,
                   .latency_error_s = of_header * relative_spread(unit_seconds) /
                                      std::sqrt(static_cast<double>(unit_seconds.size())),
                   .gap_s_per_byte = gap,
                   .gap_error_s_per_byte = first.gap_error_s_per_byte});
  return segments;
}

double seconds_of_message(const Sample& sample) { return median(sample.seconds) / sample.spans; }

double bytes_of_message(const Sample& sample) { return sample.bytes / sample.spans; }

/// The largest message of each level of each run, with the largest sizes over its ranks.
std::vector<Observation> message_bytes(const std::vector<Sample>& samples) {
  std::map<std::tuple<int, NamedSizes, int>, Observation> largest;
  for (const Sample& sample : samples) {
    if (!is_exchange(sample)) {
      continue;
    }
    Observation& level = largest[{sample.ranks, sample.run_sizes, sample.level}];
    level.run_sizes = sample.run_sizes;
    level.value = std::max(level.value, bytes_of_message(sample));
    for (const auto& [name, value] : sample.sizes) {
      double& size = level.sizes[name];
      size = std::max(size, value);
    }
  }
  std::vector<Observation> observations;
  for (auto& [key, observation] : largest) {
    observations.push_back(std::move(observation));
  }
  return observations;
}

/// Bytes of one element in the samples of the sorting form, 0 where the traces show none.
double splitter_bytes(const std::vector<Sample>& samples) {
  std::vector<double> bytes;
  for (const Sample& sample : samples) {
    const auto elements = sample.sizes.find("N");
    if (sample.block == Block::pivot && elements != sample.sizes.end() && elements->second > 0) {
      bytes.push_back(std::round(sample.bytes / sampled(elements->second)));
    }
  }
  return bytes.empty() ? 0 : median(std::move(bytes));
}

/// How much longer than agreement_seconds says the agreements of the runs took.
double agreement_factor(const std::vector<Sample>& samples, const LatencyGaps& gaps) {
  std::map<std::pair<int, NamedSizes>, std::vector<const Sample*>> runs;
  for (const Sample& sample : samples) {
    if (is_agreement(sample) && sample.spans <= kAgreements) {
      runs[{sample.ranks, sample.run_sizes}].push_back(&sample);
    }
  }
  std::vector<double> factors;
  for (const auto& [run, of_run] : runs) {
    const Communication entry = choose_latency_gap(gaps, run.first, 0).entry;
    const double expected = agreement_seconds(entry, run.first);
    if (run.first > 1 && expected > 0) {
      factors.push_back(min_waiting(of_run) / expected);
    }
  }
  return factors.empty() ? 0 : median(std::move(factors));
}

}  // namespace

LatencyGaps latency_gaps_of(const Machine& machine) {
  return {.source = machine.name,
          .alltoallv = without_samples(machine.alltoallv),
          .exchange = without_samples(machine.exchange)};
}

LatencyGaps latency_gaps_of(const std::vector<Sample>& samples, const std::string& placement) {
  const bool is_two_way = paper_factor(placement) == 2;
  auto headers = is_two_way ? header_points(samples) : std::map<int, std::vector<MessagePoint>>();
  std::map<int, std::vector<MessagePoint>> payloads;
  for (const Sample& sample : samples) {
    if (is_exchange(sample)) {
      payloads[sample.ranks].push_back(
          {.message_bytes = bytes_of_message(sample),
           .seconds = seconds_of_message(sample) * 2 / paper_factor(placement)});
    }
  }
  LatencyGaps gaps{.source = "traces"};
  for (const auto& [ranks, of_payloads] : payloads) {
    const std::vector<MessagePoint>& of_headers = headers[ranks];
    std::vector<MessagePoint> both = of_headers;
    both.insert(both.end(), of_payloads.begin(), of_payloads.end());
    // A header is far shorter than most payloads and would tilt the line through them.
    const bool are_apart = !of_headers.empty() && determine_line(of_payloads);
    try {
      const LatencyGap fit = fit_latency_gap(both);
      gaps.exchange.push_back({.ranks = ranks,
                               .latency_s = fit.latency_s,
                               .latency_error_s = fit.latency_error_s,
                               .gap_s_per_byte = fit.gap_s_per_byte,
                               .gap_error_s_per_byte = fit.gap_error_s_per_byte,
                               .r_squared = fit.r_squared,
                               .worst_latency_s = fit.latency_s,
                               .worst_gap_s_per_byte = fit.gap_s_per_byte,
                               .segments = are_apart ? segments_apart(of_headers, of_payloads)
                                                     : fit_message_segments(std::move(both))});
    } catch (const Error&) {
      continue;  // documented: these exchanges determine no l and g
    }
  }
  return gaps;
}

ChosenLatencyGap choose_latency_gap(const LatencyGaps& gaps, int ranks, int level,
                                    std::optional<bool> between_hosts) {
  const Communication* exchange = nearest(gaps.exchange, ranks, level, between_hosts);
  if (exchange != nullptr && exchange->ranks == ranks && exchange->level == level) {
    return {*exchange, std::nullopt};
  }
  const Communication* alltoallv = nearest(gaps.alltoallv, ranks, 0, between_hosts);
  if (alltoallv != nullptr && alltoallv->ranks == ranks) {
    return {*alltoallv, std::nullopt};
  }
  if (exchange == nullptr && alltoallv == nullptr) {
    throw Error(
        fmt::format("no latency and gap are known of {}, so no exchange can be predicted; "
                    "give a --machine, or traces on 2 or more ranks",
                    gaps.source));
  }
  const Communication& entry = exchange != nullptr ? *exchange : *alltoallv;
  if (entry.ranks == ranks) {
    return {entry, std::nullopt};
  }
  return {entry, fmt::format("l and g are those of {} ranks", entry.ranks)};
}

double header_seconds(const Communication& entry, double message_bytes) {
  const double asking = message_bytes > kMaxBytesUnasked ? entry.unit_seconds(1) : 0;
  return 2 * (entry.unit_seconds(kHeaderBytes) + asking);
}

double all_gather_seconds(const Communication& entry, int ranks, double bytes) {
  double seconds = 0;
  for (int have = 1; have < ranks; have *= 2) {
    seconds += 2 * entry.unit_seconds(std::min(have, ranks - have) * bytes);
  }
  return seconds;
}

double sampled(double elements) {
  return std::min(elements, std::clamp<double>(elements / 64, 4096, 1 << 15));
}

std::optional<double> part_of(Block block, double elements, int ranks) {
  switch (block) {
    case Block::sample:
    case Block::partition:
      return elements / ranks;
    case Block::exchange:
      return elements / ranks / 2;
    default:
      return std::nullopt;
  }
}

NamedValues sampling_sizes(Block block, const Communication& entry, int ranks, double elements,
                           double splitter_bytes) {
  const double samples = sampled(elements);
  if (block == Block::sample) {
    return {{"samples", samples / ranks}};
  }
  constexpr double kSplitterBytes = 24;
  double tree = 0;
  for (int have = 1; have < ranks; have *= 2) {
    const double gathered = samples * std::min(have, ranks - have) / ranks;
    tree +=
        2 * (entry.unit_seconds(gathered * splitter_bytes) + entry.unit_seconds(kSplitterBytes));
  }
  return {{"samples", samples}, {"tree", tree}};
}

double agreement_seconds(const Communication& entry, int ranks) {
  constexpr double kBytes = 8;
  return std::ceil(std::log2(static_cast<double>(ranks))) * 2 * entry.unit_seconds(kBytes);
}

double paper_factor(const std::string& placement) { return placement == "rooted" ? 1 : 2; }

std::variant<ExchangeModel, Refusal> fit_exchange(const std::vector<Sample>& samples,
                                                  const std::string& placement,
                                                  const LatencyGaps& gaps, ExchangeTimes times) {
  const std::vector<Observation> observations = message_bytes(samples);
  if (observations.empty()) {
    return Refusal{"the traces show no exchange between ranks"};
  }
  auto bytes =
      fit_best_form(observations, linear_forms(varying_sizes(observations)), Weights::relative);
  if (auto* refusal = std::get_if<Refusal>(&bytes)) {
    return Refusal{"bytes of a message: " + refusal->reason};
  }
  ExchangeModel model{.factor = paper_factor(placement), .bytes = std::get<BlockFit>(bytes)};

  std::vector<double> messages;
  std::vector<double> unit_seconds;
  std::vector<double> measured;
  for (const Sample& sample : samples) {
    if (is_exchange(sample)) {
      messages.push_back(sample.spans);
      if (times == ExchangeTimes::tell_factors) {
        const Communication entry = choose_latency_gap(gaps, sample.ranks, sample.level).entry;
        unit_seconds.push_back(entry.unit_seconds(bytes_of_message(sample)));
        measured.push_back(seconds_of_message(sample));
      }
    }
  }
  model.messages = median(std::move(messages));
  model.has_headers = std::any_of(samples.begin(), samples.end(), is_header);
  model.agreement_factor = agreement_factor(samples, gaps);
  model.splitter_bytes = splitter_bytes(samples);
  // The sorting form's traces do not tell it from the other agreements.
  if (model.splitter_bytes > 0 ||
      (times == ExchangeTimes::are_not_known && model.agreement_factor > 0)) {
    model.agreement_factor = kAgreements;
  }
  if (times == ExchangeTimes::tell_factors) {
    const auto rows = static_cast<Eigen::Index>(measured.size());
    const auto fitted =
        least_squares({.names = {"l + K g"},
                       .columns = Eigen::Map<const Eigen::MatrixXd>(unit_seconds.data(), rows, 1),
                       .measured = Eigen::Map<const Eigen::VectorXd>(measured.data(), rows)},
                      Weights::relative, Sign::any, Loss::huber);
    if (const auto* fit = std::get_if<LinearFit>(&fitted); fit && fit->coefficients[0] > 0) {
      model.factor = fit->coefficients[0];
      model.factor_error = fit->standard_errors()[0];
      model.factor_is_fitted = true;
    }
  }
  return model;
}

}  // namespace cleave::models
