// SPDX-License-Identifier: Apache-2.0
#include "models/theory/latency_gap.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include <cleave/error.hpp>
#include <cleave/trace/machine_file.hpp>
#include <cleave/trace/median.hpp>

#include "models/theory/least_squares.hpp"

namespace cleave::models {

namespace {

constexpr double kMinSpan = 4;        ///< most / least message of a piece
constexpr double kNegligible = 0.01;  ///< relative residuals of medians that are known to 2 %

/// The line seconds = 2 (l + bytes g) through points, with relative weights.
struct Line {
  Eigen::VectorXd coefficients;
  Eigen::VectorXd errors;  ///< standard errors
};

/// Nothing where the points do not determine both.
std::optional<Line> fit_line(std::span<const MessagePoint> points, Sign sign) {
  const auto [least, most] = std::ranges::minmax(points, {}, &MessagePoint::message_bytes);
  if (points.size() < 3 || least.message_bytes == most.message_bytes) {
    return std::nullopt;
  }
  Eigen::MatrixXd columns(std::ssize(points), 2);
  for (Eigen::Index i = 0; i < columns.rows(); ++i) {
    const MessagePoint& point = points[static_cast<std::size_t>(i)];
    columns.row(i) = Eigen::RowVector2d(2, 2 * point.message_bytes) / std::max(point.seconds, 1e-9);
  }
  const Eigen::VectorXd ones = Eigen::VectorXd::Ones(columns.rows());
  Line line{.coefficients = least_squares(columns, ones, sign)};
  const double squares = (columns * line.coefficients - ones).squaredNorm();
  line.errors = standard_errors(columns, squares / (static_cast<double>(points.size()) - 2));
  return line;
}

/// A line whose slope is not negative, or the constant that is left without it.
std::optional<detail::MessageSegment> fit_piece(std::span<const MessagePoint> points) {
  std::optional<Line> line = fit_line(points, Sign::any);
  if (line && line->coefficients[1] < 0) {
    line = fit_line(points, Sign::non_negative);
  }
  if (!line) {
    return std::nullopt;
  }
  return detail::MessageSegment{points.front().message_bytes, line->coefficients[0],
                                line->errors[0], line->coefficients[1], line->errors[1]};
}

/// What a piece leaves, relative; infinite where it is none. Sizes close together show the noise
/// between them rather than a law.
double residual_squares(std::span<const MessagePoint> points) {
  constexpr std::size_t kMinPoints = 4;
  const bool is_narrow =
      points.size() < kMinPoints ||
      points.back().message_bytes < kMinSpan * std::max(1.0, points.front().message_bytes);
  const auto piece = is_narrow ? std::nullopt : fit_piece(points);
  if (!piece) {
    return std::numeric_limits<double>::infinity();
  }
  double sum = 0;
  for (const MessagePoint& p : points) {
    const double fitted = 2 * (piece->latency_s + p.message_bytes * piece->gap_s_per_byte);
    sum += std::pow((p.seconds - fitted) / std::max(p.seconds, 1e-9), 2);
  }
  return sum;
}

/// The pieces of `points` that begin at these, ascending; the first is 0.
std::vector<std::span<const MessagePoint>> pieces_of(std::span<const MessagePoint> points,
                                                     const std::vector<std::size_t>& starts) {
  std::vector<std::span<const MessagePoint>> pieces;
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const std::size_t end = i + 1 < starts.size() ? starts[i + 1] : points.size();
    pieces.push_back(points.subspan(starts[i], end - starts[i]));
  }
  return pieces;
}

/// n ln(R / n) + p ln n (Schwarz, 1978): a piece has two parameters, and a cut is one, too.
double criterion(std::span<const MessagePoint> points, const std::vector<std::size_t>& starts) {
  const auto n = static_cast<double>(points.size());
  double squares = 0;
  for (const auto& piece : pieces_of(points, starts)) {
    squares += residual_squares(piece);
  }
  return n * std::log(std::max(squares / n, kNegligible * kNegligible)) +
         (3 * static_cast<double>(starts.size()) - 1) * std::log(n);
}

/// Where pieces begin.
std::vector<std::size_t> best_starts(std::span<const MessagePoint> points) {
  constexpr std::size_t kMaxPieces = 4;
  std::vector<std::size_t> best = {0};
  for (double least = criterion(points, best); best.size() < kMaxPieces;) {
    std::vector<std::size_t> further;
    for (std::size_t start = 1; start < points.size(); ++start) {
      std::vector<std::size_t> starts = best;
      starts.insert(std::ranges::upper_bound(starts, start), start);
      if (const double of_these = criterion(points, starts); of_these < least) {
        least = of_these;
        further = std::move(starts);
      }
    }
    if (further.empty()) {
      break;
    }
    best = std::move(further);
  }
  return best;
}

/// Medians of neighbours where there are more points than kMaxPoints: pieces are looked for in
/// time that grows with the square of the points. A group that lies across a break has the median
/// of one side of it. \pre  ascending in the message size
std::vector<MessagePoint> thinned(std::vector<MessagePoint> points) {
  constexpr std::size_t kMaxPoints = 96;
  const std::size_t at_once = (points.size() + kMaxPoints - 1) / kMaxPoints;
  if (at_once <= 1) {
    return points;
  }
  std::vector<MessagePoint> medians;
  for (std::size_t first = 0; first < points.size(); first += at_once) {
    std::vector<double> bytes;
    std::vector<double> seconds;
    for (std::size_t i = first; i < std::min(first + at_once, points.size()); ++i) {
      bytes.push_back(points[i].message_bytes);
      seconds.push_back(points[i].seconds);
    }
    medians.push_back({detail::median(std::move(bytes)), detail::median(std::move(seconds))});
  }
  return medians;
}

}  // namespace

LatencyGap fit_latency_gap(std::span<const MessagePoint> points) {
  const std::optional<Line> line =
      points.empty() ? std::nullopt : fit_line(points, Sign::non_negative);
  if (!line) {
    throw Error(
        fmt::format("latency and gap: {} {} of different lengths determine no line: at least 3 are "
                    "needed",
                    points.size(), points.size() == 1 ? "message" : "messages"));
  }
  double mean = 0;
  for (const MessagePoint& point : points) {
    mean += point.seconds / static_cast<double>(points.size());
  }
  double total = 0;
  double unexplained = 0;
  for (const MessagePoint& point : points) {
    const double fitted = 2 * (line->coefficients[0] + point.message_bytes * line->coefficients[1]);
    total += std::pow(point.seconds - mean, 2);
    unexplained += std::pow(point.seconds - fitted, 2);
  }
  return {.latency_s = line->coefficients[0],
          .latency_error_s = line->errors[0],
          .gap_s_per_byte = line->coefficients[1],
          .gap_error_s_per_byte = line->errors[1],
          .r_squared = total > 0 ? 1 - unexplained / total : 1};
}

std::vector<detail::MessageSegment> fit_message_segments(std::vector<MessagePoint> points) {
  std::sort(points.begin(), points.end(), [](const MessagePoint& a, const MessagePoint& b) {
    return a.message_bytes < b.message_bytes;
  });
  points = thinned(std::move(points));
  std::vector<detail::MessageSegment> segments;
  double longest_before = 0;
  for (const auto& piece : pieces_of(points, best_starts(points))) {
    std::optional<detail::MessageSegment> segment = fit_piece(piece);
    if (!segment) {
      fit_latency_gap(points);  // says what is missing
      throw Error("latency and gap: a piece of the message sizes determines no line");
    }
    // Between two measured sizes the law changes somewhere: halfway on a logarithmic scale.
    segment->from_bytes = std::sqrt(longest_before * piece.front().message_bytes);
    longest_before = piece.back().message_bytes;
    segments.push_back(*segment);
  }
  return segments;
}

void fit_communication(detail::Communication& pattern) {
  std::vector<MessagePoint> medians;
  std::vector<MessagePoint> longest;
  for (const detail::MessageSamples& s : pattern.samples) {
    const auto bytes = static_cast<double>(s.message_bytes);
    medians.push_back({bytes, detail::median(s.seconds)});
    longest.push_back({bytes, *std::max_element(s.seconds.begin(), s.seconds.end())});
  }
  const LatencyGap fit = fit_latency_gap(medians);
  pattern.latency_s = fit.latency_s;
  pattern.latency_error_s = fit.latency_error_s;
  pattern.gap_s_per_byte = fit.gap_s_per_byte;
  pattern.gap_error_s_per_byte = fit.gap_error_s_per_byte;
  pattern.r_squared = fit.r_squared;
  const LatencyGap worst = fit_latency_gap(longest);
  pattern.worst_latency_s = worst.latency_s;
  pattern.worst_gap_s_per_byte = worst.gap_s_per_byte;
  pattern.segments = fit_message_segments(std::move(medians));
}

}  // namespace cleave::models
