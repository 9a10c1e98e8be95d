#include "models/latency_gap.hpp"

#include "models/least_squares.hpp"
#include "skeleton/trace/error.hpp"

namespace cleave {

LatencyGap fit_latency_gap(std::span<const MessagePoint> points) {
  const auto rows = static_cast<Eigen::Index>(points.size());
  Design design{.names = {"1", "bytes"}, .columns = {rows, 2}, .measured = Eigen::VectorXd(rows)};
  for (Eigen::Index i = 0; i < rows; ++i) {
    const MessagePoint& point = points[static_cast<std::size_t>(i)];
    design.columns.row(i) << 2, 2 * point.message_bytes;
    design.measured[i] = point.seconds;
  }
  const auto result = least_squares(design, Weights::relative, Sign::non_negative);
  if (const auto* refusal = std::get_if<Refusal>(&result)) {
    throw Error("latency and gap: " + refusal->reason);
  }
  const auto& fit = std::get<LinearFit>(result);
  const Eigen::VectorXd errors = fit.standard_errors();
  return {.latency_s = fit.coefficients[0],
          .latency_error_s = errors[0],
          .gap_s_per_byte = fit.coefficients[1],
          .gap_error_s_per_byte = errors[1],
          .r_squared = fit.r_squared};
}

}  // namespace cleave
