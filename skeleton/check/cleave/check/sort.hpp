// SPDX-License-Identifier: Apache-2.0
// The promises of an application that sorts parts.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include <cleave/application.hpp>
#include <cleave/check/equal.hpp>
#include <cleave/check/promises.hpp>

namespace cleave::detail {

/// Whether two sequences hold the same elements, byte by byte, in any order.
template <class Element>
bool same_elements(std::span<const Element> a, std::span<const Element> b) {
  using Bytes = std::array<std::byte, sizeof(Element)>;
  const auto sorted = [](std::span<const Element> elements) {
    std::vector<Bytes> bytes(elements.size());
    if (!elements.empty()) {
      std::memcpy(bytes.data(), elements.data(), elements.size_bytes());
    }
    std::sort(bytes.begin(), bytes.end());
    return bytes;
  };
  return sorted(a) == sorted(b);
}

template <SplitsParts App>
class SortCheck {
 public:
  using Element = typename App::Element;
  using Splitter = typename App::Splitter;

  SortCheck(const App& app, std::span<const Element> part, std::span<const Element> solution,
            Promises& promises)
      : app_(app), part_(part), solution_(solution), promises_(promises) {}

  void run() {
    promises_.require(same_elements(part_, solution_),
                      "the solution does not hold the elements of the problem");
    if (part_.empty() || !check_sample()) {
      return;
    }
    for (const Share share : {Share{.left = 1, .total = 2}, Share{.left = 1, .total = 4},
                              Share{.left = 3, .total = 4}}) {
      const Split<Splitter> split = app_.splitter(splitters_, share);
      const auto cut = check_partition(split);
      if (!cut) {
        return;
      }
      check_splitter(split, *cut, share);
      check_solution(split);
    }
  }

 private:
  enum class Class { before, equal, after };

  Class class_of(Element element, const Split<Splitter>& split) const {
    const Cut cut = app_.partition(std::span(&element, 1), split, ClassOrder::ascending);
    return cut.less > 0 ? Class::before : cut.equal > 0 ? Class::equal : Class::after;
  }

  bool is_of_part(const Splitter& splitter) const {
    return std::any_of(splitters_.begin(), splitters_.end(),
                       [&](const Splitter& one) { return equal(one, splitter); });
  }

  /// Sets the splitter of each element: the sample of a part that holds it alone.
  bool check_sample() {
    constexpr std::size_t kLookedFor = 32;
    constexpr const char* kOtherNumber = "sample returns another number than it was asked for";
    for (const Element& element : part_) {
      const auto one = app_.sample(std::span(&element, 1), 1, 1);
      if (!promises_.require(one.size() == 1, kOtherNumber)) {
        return false;
      }
      splitters_.push_back(one.front());
    }
    for (const std::size_t count : {std::size_t{1}, (part_.size() + 1) / 2, part_.size()}) {
      for (const std::uint64_t seed : {std::uint64_t{0}, std::uint64_t{3} << 32 | 5}) {
        const auto samples = app_.sample(part_, count, seed);
        if (!promises_.require(samples.size() == count, kOtherNumber)) {
          return false;
        }
        promises_.require(
            std::all_of(samples.begin(), samples.begin() + std::min(count, kLookedFor),
                        [&](const Splitter& splitter) { return is_of_part(splitter); }),
            "sample returns a splitter of no element of the part");
      }
    }
    return true;
  }

  /// \return  nothing, if the cut cannot be one
  std::optional<Cut> check_partition(const Split<Splitter>& split) {
    std::optional<Cut> of_ascending;
    for (const ClassOrder order : {ClassOrder::ascending, ClassOrder::descending}) {
      std::vector<Element> elements(part_.begin(), part_.end());
      const Cut cut = app_.partition(elements, split, order);
      if (!promises_.require(cut.less <= elements.size() && cut.equal <= elements.size() - cut.less,
                             "partition counts more elements than there are")) {
        return std::nullopt;
      }
      promises_.require(split.has_ties || cut.equal == 0,
                        "partition counts ties that it was not asked for");
      promises_.require(same_elements<Element>(part_, elements),
                        "partition loses or changes elements");
      if (order == ClassOrder::descending) {
        std::reverse(elements.begin(), elements.end());
        promises_.require(cut.less == of_ascending->less && cut.equal == of_ascending->equal,
                          "partition counts otherwise in descending order");
      }
      bool in_order = true;
      for (std::size_t i = 0; i < elements.size(); ++i) {
        const Class expected = i < cut.less               ? Class::before
                               : i < cut.less + cut.equal ? Class::equal
                                                          : Class::after;
        in_order = in_order && class_of(elements[i], split) == expected;
      }
      promises_.require(in_order,
                        "partition does not put the elements in the order of their classes");
      of_ascending = of_ascending.value_or(cut);
    }
    return of_ascending;
  }

  /// "About" is an eighth of the samples here.
  void check_splitter(const Split<Splitter>& split, const Cut& cut, Share share) {
    const std::size_t n = splitters_.size();
    const auto ties = static_cast<std::size_t>(
        std::count_if(splitters_.begin(), splitters_.end(),
                      [&](const Splitter& one) { return equal(one, split.splitter); }));
    const bool is_among = ties > 0 || cut.equal > 0 || (cut.less > 0 && cut.less < n);
    if (!promises_.require(is_among, "splitter does not lie among the samples")) {
      return;
    }
    const std::size_t wanted = n * share.left / share.total;
    const std::size_t slack = n / 8 + 1;
    promises_.require(
        cut.less <= wanted + slack && wanted <= cut.less + std::max(ties, cut.equal) + slack,
        "splitter divides the samples in another proportion than the share");
  }

  void check_solution(const Split<Splitter>& split) {
    promises_.require(std::is_sorted(solution_.begin(), solution_.end(),
                                     [&](const Element& a, const Element& b) {
                                       return class_of(a, split) < class_of(b, split);
                                     }),
                      "the solution is not in the order in which partition puts the classes");
  }

  const App& app_;
  std::span<const Element> part_;
  std::span<const Element> solution_;
  Promises& promises_;
  std::vector<Splitter> splitters_;  ///< of each element of the part
};

}  // namespace cleave::detail
