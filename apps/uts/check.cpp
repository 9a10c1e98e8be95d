// SPDX-License-Identifier: Apache-2.0
#include "apps/uts/check.hpp"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <span>
#include <vector>

#include <cleave/error.hpp>

namespace cleave::uts {

namespace {

constexpr std::size_t kIdBytes = 20;
using IdBytes = std::array<unsigned char, kIdBytes>;

template <std::size_t n>
void store_big_endian(std::array<unsigned char, n>& bytes, std::size_t at, std::uint32_t number) {
  for (std::size_t i = 0; i < 4; ++i) {
    bytes.at(at + 3 - i) = static_cast<unsigned char>(number % 256);
    number /= 256;
  }
}

/// SHA-1 of any message, the documented way.
class Sha1 {
 public:
  Sha1()
      : context_(EVP_MD_CTX_new(), EVP_MD_CTX_free),
        sha1_(EVP_MD_fetch(nullptr, "SHA1", nullptr), EVP_MD_free) {
    if (!context_ || !sha1_) {
      throw Error("this OpenSSL has no SHA-1");
    }
  }

  IdBytes operator()(std::span<const unsigned char> message) {
    IdBytes digest{};
    if (EVP_DigestInit_ex2(context_.get(), sha1_.get(), nullptr) != 1 ||
        EVP_DigestUpdate(context_.get(), message.data(), message.size()) != 1 ||
        EVP_DigestFinal_ex(context_.get(), digest.data(), nullptr) != 1) {
      throw Error("OpenSSL failed to compute SHA-1");
    }
    return digest;
  }

 private:
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_;
  std::unique_ptr<EVP_MD, decltype(&EVP_MD_free)> sha1_;
};

/// The node's last `bits` bits as a number in [0, 1).
double value_of(const IdBytes& id, int bits) {
  double value = 0;
  for (std::size_t i = kIdBytes - 4; i < kIdBytes; ++i) {
    value = value * 256 + id.at(i);
  }
  return std::fmod(value / std::pow(2.0, bits), 1.0);
}

/// UTS 1.1: the mean number of children of a geometric node.
double mean_of(const TreeParameters& p, int depth) {
  const double b = p.root_branching;
  const double d = p.depth_parameter;
  if (depth == 0) {
    return b;
  }
  switch (p.shape) {
    case Shape::linear:
      return b * (1.0 - depth / d);
    case Shape::exp_dec:
      return b * std::pow(depth, -std::log(b) / std::log(d));
    case Shape::cyclic:
      return depth > 5 * d ? 0.0 : std::pow(b, std::sin(2.0 * 3.141592653589793 * depth / d));
    case Shape::fixed:
      return depth < d ? b : 0.0;
  }
  return 0;
}

double children_of(const TreeParameters& p, const IdBytes& id, int depth) {
  const double u = value_of(id, p.is_prins ? 32 : 31);
  const double maximum = p.is_prins ? 256 : 100;
  const double binomial =
      u < p.interior_probability ? std::min<double>(p.interior_children, maximum) : 0.0;
  const bool is_above = depth < p.binomial_from * p.depth_parameter;
  switch (p.type) {
    case TreeType::binomial:
      return depth == 0 ? std::floor(p.root_branching) : binomial;
    case TreeType::balanced:
      return depth < static_cast<int>(p.depth_parameter)
                 ? std::min(std::floor(p.root_branching), maximum)
                 : 0.0;
    case TreeType::hybrid:
      if (!is_above) {
        return binomial;
      }
      break;
    case TreeType::geometric:
      break;
  }
  const double stop = 1.0 / (1.0 + mean_of(p, depth));
  return std::min(std::floor(std::log(1.0 - u) / std::log(1.0 - stop)), maximum);
}

std::optional<std::string> difference(const TreeCounts& counts, const TreeCounts& expected,
                                      const char* source) {
  if (counts == expected) {
    return std::nullopt;
  }
  return fmt::format("{} nodes, {} leaves, depth {}; {} has {}, {}, {}", counts.nodes,
                     counts.leaves, counts.max_depth, source, expected.nodes, expected.leaves,
                     expected.max_depth);
}

}  // namespace

TreeCounts count_by_definition(const TreeParameters& parameters) {
  struct Waiting {
    IdBytes id;
    int depth;
  };
  Sha1 sha1;
  IdBytes root{};
  for (std::size_t i = 0; i < parameters.root.size(); ++i) {
    store_big_endian(root, 4 * i, parameters.root[i]);
  }
  if (!parameters.is_prins) {
    root = sha1(root);
  }
  TreeCounts counts;
  std::vector<Waiting> stack = {{root, 0}};
  while (!stack.empty()) {
    const auto [id, depth] = stack.back();
    stack.pop_back();
    const auto children = static_cast<std::uint32_t>(children_of(parameters, id, depth));
    ++counts.nodes;
    counts.leaves += children == 0 ? 1 : 0;
    counts.max_depth = std::max<std::int64_t>(counts.max_depth, depth);
    std::array<unsigned char, kIdBytes + 4> message{};
    std::copy(id.begin(), id.end(), message.begin());
    for (std::uint32_t i = 0; i < children; ++i) {
      store_big_endian(message, kIdBytes, i);
      stack.push_back({sha1(message), depth + 1});
    }
  }
  return counts;
}

std::optional<std::string> unlike_known_counts(const TreeParameters& parameters,
                                               const TreeCounts& counts) {
  const auto known = known_counts(parameters);
  if (!known) {
    return std::nullopt;
  }
  TreeCounts expected = *known;
  expected.leaves = expected.leaves == 0 ? counts.leaves : expected.leaves;
  expected.max_depth = expected.max_depth == 0 ? counts.max_depth : expected.max_depth;
  return difference(counts, expected, "the published tree");
}

std::optional<std::string> wrong_counts(const TreeParameters& parameters,
                                        const TreeCounts& counts) {
  if (auto wrong = unlike_known_counts(parameters, counts)) {
    return wrong;
  }
  return difference(counts, count_by_definition(parameters), "a second traversal");
}

}  // namespace cleave::uts
