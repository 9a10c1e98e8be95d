// SPDX-License-Identifier: Apache-2.0
#include "apps/splitting/drawing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace cleave::spacetree {

using namespace splitting;

namespace {

constexpr double kWidth = 640;  // of the tree, in pixels
constexpr double kRow = 60;     // from level to level
constexpr double kMargin = 30;
constexpr double kDomain = 320;  // edge of the domain

/// Hues a golden angle apart: any number of owners, neighbours well apart.
std::string colour(int owner) {
  return fmt::format("hsl({:.0f},65%,{}%)", std::fmod(48 + owner * 137.508, 360),
                     owner % 2 == 0 ? 55 : 45);
}

void draw_tree(const Ledger& ledger, fmt::memory_buffer& svg) {
  const Tree& tree = ledger.growth().tree();
  const double scale = kWidth / static_cast<double>(tree.leaves());
  const auto x = [&](int level, Index node) {
    return kMargin + scale * (static_cast<double>(tree.first_leaf(level, node)) +
                              static_cast<double>(tree.leaves_below(level, node)) / 2);
  };
  const auto y = [](int level) { return kMargin + level * kRow; };
  const int deepest = std::min(ledger.growth().stage(), tree.l_max());
  auto out = std::back_inserter(svg);
  for (int level = 1; level <= deepest; ++level) {
    for (Index node = 0; node < tree.nodes_of_level(level); ++node) {
      fmt::format_to(out,
                     R"(<path d="M{:.1f} {:.0f}L{:.1f} {:.0f}" stroke="#999"/>)"
                     "\n",
                     x(level - 1, tree.parent(level, node)), y(level - 1), x(level, node),
                     y(level));
    }
  }
  for (int level = 0; level <= deepest; ++level) {
    const double crowd = kWidth / static_cast<double>(tree.nodes_of_level(level));
    const double radius = std::clamp(crowd / 3, 1.0, 9.0);
    for (Index node = 0; node < tree.nodes_of_level(level); ++node) {
      const int owner = ledger.owner(level, node);
      if (owner >= 0) {
        fmt::format_to(out,
                       R"(<circle cx="{:.1f}" cy="{:.0f}" r="{:.1f}" fill="{}"/>)"
                       "\n",
                       x(level, node), y(level), radius, colour(owner));
      }
    }
  }
}

void draw_domain(const Ledger& ledger, const Curve& curve, fmt::memory_buffer& svg) {
  const Growth& growth = ledger.growth();
  const auto cells = cells_of(growth.tree(), curve);
  auto out = std::back_inserter(svg);
  for (Index leaf = 0; leaf < growth.leaves(); ++leaf) {
    const Cell& cell = cells[static_cast<std::size_t>(growth.level(leaf))]
                            [static_cast<std::size_t>(growth.node(leaf))];
    const double edge = kDomain / std::pow(growth.tree().shape().k, cell.level);
    fmt::format_to(
        out,
        R"(<rect x="{:.2f}" y="{:.2f}" width="{:.2f}" height="{:.2f}" fill="{}" stroke="#fff" )"
        R"(stroke-width="{:.1f}"/>)"
        "\n",
        2 * kMargin + kWidth + edge * cell.at[0], kMargin + kDomain - edge * (cell.at[1] + 1), edge,
        edge, colour(ledger.owner(growth.level(leaf), growth.node(leaf))), edge > 8 ? 1.0 : 0.2);
  }
}

std::string svg_of(double width, double height, const fmt::memory_buffer& body) {
  return fmt::format(R"(<svg xmlns="http://www.w3.org/2000/svg" width="{0:.0f}" height="{1:.0f}" )"
                     R"(viewBox="0 0 {0:.0f} {1:.0f}" font-family="sans-serif" font-size="12">)"
                     "\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n{2}</svg>\n",
                     width, height, fmt::to_string(body));
}

std::string escaped(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    safe += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : std::string(1, c);
  }
  return safe;
}

}  // namespace

std::string stage_picture(const Ledger& ledger, const Curve& curve) {
  const Tree& tree = ledger.growth().tree();
  const bool flat = tree.shape().d == 2;
  fmt::memory_buffer body;
  draw_tree(ledger, body);
  if (flat) {
    draw_domain(ledger, curve, body);
  }
  const double height = 2 * kMargin + std::max(flat ? kDomain : 0.0, tree.l_max() * kRow) + kMargin;
  fmt::format_to(std::back_inserter(body),
                 R"(<text x="{:.0f}" y="{:.0f}">stage {}: N = {}, splits so far {}, cost {}</text>)"
                 "\n",
                 kMargin, height - kMargin / 2, ledger.growth().stage(), ledger.growth().leaves(),
                 ledger.entries().size(), ledger.cost());
  return svg_of(2 * kMargin + kWidth + (flat ? kDomain + kMargin : 0), height, body);
}

std::string front_picture(const std::vector<FrontPoint>& front, const std::string& title) {
  constexpr double kHeight = 360;
  double max_cost = 1;
  Index max_imbalance = 1;
  for (const FrontPoint& point : front) {
    max_cost = std::max(max_cost, point.planned.cost);
    max_imbalance = std::max(max_imbalance, point.imbalance);
  }
  // Imbalance grows by orders of magnitude: logarithmic, 0 at the left.
  const auto x = [&](Index imbalance) {
    return 3 * kMargin + kWidth * std::log1p(static_cast<double>(imbalance)) /
                             std::log1p(static_cast<double>(max_imbalance));
  };
  const auto y = [&](double cost) { return kMargin + kHeight * (1 - cost / max_cost); };
  fmt::memory_buffer body;
  auto out = std::back_inserter(body);
  fmt::format_to(out,
                 R"(<path d="M{0:.1f} {1:.1f}V{2:.1f}H{3:.1f}" fill="none" stroke="#333"/>)"
                 "\n",
                 x(0), y(max_cost), y(0), x(max_imbalance));
  std::string path;
  for (const FrontPoint& point : front) {
    path += path.empty() ? fmt::format("M{:.1f} {:.1f}", x(point.imbalance), y(point.planned.cost))
                         : fmt::format("H{:.1f}V{:.1f}", x(point.imbalance), y(point.planned.cost));
    fmt::format_to(
        out,
        R"(<circle cx="{:.1f}" cy="{:.1f}" r="4" fill="{}"><title>imbalance {}, cost {}, )"
        R"(planner {}{}</title></circle>)"
        "\n",
        x(point.imbalance), y(point.planned.cost), point.planned.exact ? "#1f6f5c" : "#c46210",
        point.imbalance, point.planned.cost, name_of(point.planned.planner),
        point.planned.exact ? ", exact" : "");
    fmt::format_to(out,
                   R"(<text x="{:.1f}" y="{:.1f}" text-anchor="middle">{}</text>)"
                   "\n",
                   x(point.imbalance), y(0) + 16, point.imbalance);
  }
  fmt::format_to(out,
                 R"(<path d="{}" fill="none" stroke="#1f6f5c"/>)"
                 "\n",
                 path);
  fmt::format_to(
      out,
      R"(<text x="{0:.0f}" y="18">{1}</text><text x="{0:.0f}" y="{2:.0f}">imbalance: most )"
      R"(less fewest leaves of a processor (logarithmic)</text>)"
      R"(<text x="8" y="{3:.0f}">cost {4}</text><text x="8" y="{5:.0f}">0</text>)"
      "\n",
      x(0), escaped(title), y(0) + 36, y(max_cost) + 4, max_cost, y(0));
  return svg_of(5 * kMargin + kWidth, kHeight + 3 * kMargin, body);
}

}  // namespace cleave::spacetree
