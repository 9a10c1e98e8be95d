#include "apps/uts/check.hpp"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <new>
#include <vector>

#include "skeleton/trace/error.hpp"

namespace cleave {

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

  IdBytes operator()(const std::array<unsigned char, kIdBytes + 4>& message) {
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

bool is_interior(const PrinsTree& tree, const IdBytes& id) {
  double value = 0;
  for (std::size_t i = kIdBytes - 4; i < kIdBytes; ++i) {
    value = value * 256 + id.at(i);
  }
  return value / std::pow(2.0, 32) < tree.interior_probability;
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

TreeCounts count_by_levels(const PrinsTree& tree) {
  Sha1 sha1;
  IdBytes root{};
  for (std::size_t i = 0; i < tree.root_id.size(); ++i) {
    store_big_endian(root, 4 * i, tree.root_id[i]);
  }
  TreeCounts counts;
  std::vector<IdBytes> level = {root};
  std::vector<IdBytes> next;
  for (; !level.empty(); level.swap(next), next.clear()) {
    const bool at_root = counts.nodes == 0;
    for (const IdBytes& id : level) {
      ++counts.nodes;
      if (!at_root && !is_interior(tree, id)) {
        ++counts.leaves;
        continue;
      }
      std::array<unsigned char, kIdBytes + 4> message{};
      std::copy(id.begin(), id.end(), message.begin());
      const std::uint32_t children = at_root ? tree.root_children : tree.interior_children;
      for (std::uint32_t i = 0; i < children; ++i) {
        store_big_endian(message, kIdBytes, i);
        next.push_back(sha1(message));
      }
    }
    counts.max_depth += next.empty() ? 0 : 1;
  }
  return counts;
}

std::optional<std::string> wrong_counts(const PrinsTree& tree, const TreeCounts& counts) {
  if (tree.known_counts) {
    if (auto wrong = difference(counts, *tree.known_counts, "the published tree")) {
      return wrong;
    }
  }
  return difference(counts, count_by_levels(tree), "a second traversal");
}

}  // namespace cleave
