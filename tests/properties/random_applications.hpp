// SPDX-License-Identifier: Apache-2.0
// Applications of every form whose problems follow from a seed. What they compute depends on the
// order of combine, on empty solutions and on types that are hard to send, unless the form forbids
// that. Each functor says that it is called, and may be told to throw.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <cleave/application.hpp>
#include <cleave/random.hpp>
#include <cleave/tree_search.hpp>
#include <cleave/wire.hpp>

namespace cleave::properties {

/// The `index`-th number that follows from `seed`.
inline std::uint64_t drawn(std::uint64_t seed, std::uint64_t index = 0) {
  return CounterRandom(seed)(index);
}

/// The exception that a functor of this rank is to throw, and when.
struct Fault {
  enum class Kind { error, number, literal, no_memory, long_text, no_message };
  std::string_view block;  ///< the functor; none where it is empty
  int call = 1;            ///< of its calls on this rank
  Kind kind = Kind::error;
};

/// The functors of this rank, which many threads may call.
class Calls {
 public:
  void expect(const Fault& fault) {
    fault_ = fault;
    count_ = 0;
    has_thrown_ = false;
  }
  bool has_thrown() const { return has_thrown_; }

  void of(std::string_view block) {
    if (block != fault_.block || ++count_ != fault_.call) {
      return;
    }
    has_thrown_ = true;
    switch (fault_.kind) {
      case Fault::Kind::error:
        throw std::runtime_error("what " + std::string(block) + " throws");
      case Fault::Kind::number:
        throw 42;
      case Fault::Kind::literal:
        throw "a literal";
      case Fault::Kind::no_memory:
        throw std::bad_alloc();
      case Fault::Kind::long_text:
        throw std::runtime_error("two\nlines" + std::string(100'000, '.'));
      case Fault::Kind::no_message:
        struct NoMessage : std::exception {
          const char* what() const noexcept override { return nullptr; }
        };
        throw NoMessage();
    }
  }

 private:
  Fault fault_;
  std::atomic<int> count_ = 0;
  std::atomic<bool> has_thrown_ = false;
};
inline Calls calls;

/// Uneven halves, chains among them; combine keeps the order and is not associative.
struct Brackets {
  struct Problem {
    std::uint64_t seed = 0;
    std::uint32_t size = 0;
    std::uint8_t shape = 0;
    std::string text;
  };
  using Solution = std::string;

  bool trivial(const Problem& p) const {
    calls.of("trivial");
    return p.size <= 1 || p.seed % 23 == 0;
  }
  Solution conquer(const Problem& p) const {
    calls.of("conquer");
    return p.seed % 5 == 0 ? ""
                           : std::string(p.seed % 7, static_cast<char>('a' + p.seed % 26)) + p.text;
  }
  Halves<Problem> divide(const Problem& p) const {
    calls.of("divide");
    const std::uint32_t rest = p.size - 1;
    const std::uint32_t left = p.shape == 0   ? rest / 2
                               : p.shape == 1 ? rest
                               : p.shape == 2
                                   ? 0
                                   : static_cast<std::uint32_t>(drawn(p.seed, 3) % (rest + 1));
    return {{drawn(p.seed, 1), left, p.shape, p.text},
            {drawn(p.seed, 2), rest - left, p.shape, p.text.substr(p.text.empty() ? 0 : 1)}};
  }
  Solution combine(const Solution& left, const Solution& right) const {
    calls.of("combine");
    if (left.empty() && right.empty()) {
      return {};
    }
    constexpr std::size_t kLongest = 100'000;
    return left.size() + right.size() > kLongest
               ? left.substr(0, 1000) + "~" + right.substr(right.size() / 2)
               : "(" + left + "," + right + ")";
  }
  Sizes sizes(const Problem& p) const {
    calls.of("sizes");
    return {{"n", p.size}};
  }

  static Problem problem(std::uint64_t seed) {
    return {seed, static_cast<std::uint32_t>(drawn(seed, 1) % (seed % 6 == 0 ? 3000 : 200)),
            static_cast<std::uint8_t>(seed % 4),
            std::string(seed % 9 == 0 ? drawn(seed, 2) % 3000 : seed % 5, 'z')};
  }
};

/// Divides by the shares of its groups, and has a `sequential`.
struct Index {
  using Problem = std::vector<std::string>;
  using Solution = std::map<std::string, std::vector<std::vector<int>>>;

  bool trivial(const Problem& p) const {
    calls.of("trivial");
    return p.size() < 2;
  }
  Solution conquer(const Problem& p) const {
    calls.of("conquer");
    return solve(p);
  }
  Halves<Problem> divide(const Problem& p, Share share) const {
    calls.of("divide");
    const auto middle = p.begin() + std::ssize(p) * share.left / share.total;
    return {Problem(p.begin(), middle), Problem(middle, p.end())};
  }
  Solution combine(Solution left, const Solution& right) const {
    calls.of("combine");
    for (const auto& [key, lists] : right) {
      left[key].insert(left[key].end(), lists.begin(), lists.end());
    }
    return left;
  }
  Solution sequential(const Problem& p) const {
    calls.of("sequential");
    return solve(p);
  }
  bool small(const Problem& p) const { return p.size() < 5; }
  Sizes solution_sizes(const Solution& s) const {
    calls.of("solution_sizes");
    return {{"keys", s.size()}};
  }

  static Problem problem(std::uint64_t seed) {
    Problem texts;
    for (std::uint64_t i = 0; i < drawn(seed) % 100; ++i) {
      const std::uint64_t bits = drawn(seed, i);
      texts.push_back(std::string(bits % 12, static_cast<char>('a' + bits % 4)) +
                      std::string(bits % 40 == 0 ? bits % 9000 : 0, '\0'));
    }
    return texts;
  }

 private:
  static Solution solve(const Problem& p) {
    Solution solution;
    for (const std::string& text : p) {
      solution[text.substr(0, 2)].emplace_back(text.begin(), text.end());
    }
    return solution;
  }
};

/// A parts-merging form of it: the keys in their order over all parts.
struct MergedIndex : Index {
  static constexpr bool kMergesParts = true;
};

/// Numbers that can be moved but not copied, with a wire of their own.
struct Numbers {
  std::unique_ptr<std::vector<int>> all;
  friend bool operator==(const Numbers& left, const Numbers& right) {
    return (left.all == nullptr) == (right.all == nullptr) &&
           (left.all == nullptr || *left.all == *right.all);
  }
};

struct Moved {
  using Problem = Numbers;
  using Solution = Numbers;

  static Numbers of(std::vector<int> numbers) {
    return {std::make_unique<std::vector<int>>(std::move(numbers))};
  }

  bool trivial(const Problem& p) const {
    calls.of("trivial");
    return p.all == nullptr || p.all->size() < 2;
  }
  Solution conquer(Problem p) const {
    calls.of("conquer");
    return p;
  }
  Halves<Problem> divide(Problem p) const {
    calls.of("divide");
    const auto middle = p.all->begin() + 1 + std::ssize(*p.all) / 5;
    return {of({p.all->begin(), middle}), of({middle, p.all->end()})};
  }
  Solution combine(Solution left, Solution right) const {
    calls.of("combine");
    std::vector<int> numbers = left.all == nullptr ? std::vector<int>() : std::move(*left.all);
    numbers.push_back(-1);
    if (right.all != nullptr) {
      numbers.insert(numbers.end(), right.all->begin(), right.all->end());
    }
    return of(std::move(numbers));
  }

  static Problem problem(std::uint64_t seed) {
    if (seed % 8 == 0) {
      return {};
    }
    std::vector<int> numbers(drawn(seed) % 200);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      numbers[i] = static_cast<int>(i);
    }
    return of(std::move(numbers));
  }
};

/// Any number of subproblems.
struct Many {
  struct Problem {
    std::uint64_t seed = 0;
    int depth = 0;
    std::optional<std::string> name;
  };
  struct Solution {
    std::string text;
    std::vector<std::string> names;
    bool operator==(const Solution&) const = default;
  };

  bool trivial(const Problem& p) const {
    calls.of("trivial");
    return p.depth == 0 || p.seed % 7 == 0;
  }
  Solution conquer(const Problem& p) const {
    calls.of("conquer");
    return {std::to_string(p.seed % 1000), {p.name.value_or("-")}};
  }
  std::vector<Problem> divide(const Problem& p) const {
    calls.of("divide");
    std::vector<Problem> parts;
    for (std::uint64_t i = 0; i <= drawn(p.seed, 9) % 5; ++i) {
      parts.push_back({drawn(p.seed, i), p.depth - 1,
                       i % 2 == 0 ? std::nullopt : std::optional("n" + std::to_string(i))});
    }
    return parts;
  }
  Solution combine(Solution left, const Solution& right) const {
    calls.of("combine");
    left.text = "[" + left.text + "|" + right.text + "]";
    if (left.text.size() > 5000) {
      left.text = left.text.substr(0, 2000) + right.text.substr(right.text.size() / 2);
    }
    left.names.insert(left.names.end(), right.names.begin(), right.names.end());
    left.names.resize(std::min<std::size_t>(left.names.size(), 50));
    return left;
  }

  static Problem problem(std::uint64_t seed) {
    return {seed, static_cast<int>(drawn(seed) % 7), "root"};
  }
};

/// An application with work on the parent.
struct ManyAfter : Many {
  Solution after(const Problem& p, Solution solution) const {
    calls.of("after");
    solution.text = std::to_string(p.depth) + "{" + solution.text + "}";
    solution.names.push_back(p.name.value_or("unnamed"));
    return solution;
  }
};

/// All solutions of a division are combined at once, those of one part too.
struct AtOnce : Many {
  Solution combine(const std::vector<Solution>& parts) const {
    calls.of("combine");
    Solution all{.text = std::to_string(parts.size()), .names = {}};
    for (const Solution& part : parts) {
      all.text = all.text.substr(0, 3000) + "/" + part.text.substr(0, 1000);
      all.names.insert(all.names.end(), part.names.begin(), part.names.end());
    }
    all.names.resize(std::min<std::size_t>(all.names.size(), 50));
    return all;
  }
};

/// Halves with work on the parent.
struct BracketsAfter : Brackets {
  Solution after(const Problem& p, const Solution& solution) const {
    calls.of("after");
    return std::to_string(p.size) + p.text + solution.substr(0, 50'000);
  }
};

/// Any number of subproblems that can be moved but not copied.
struct MovedInMany : Moved {
  std::vector<Problem> divide(Problem p) const {
    calls.of("divide");
    std::vector<Problem> parts;
    const std::ptrdiff_t most = 1 + std::ssize(*p.all) / 3;
    for (auto begin = p.all->begin(); begin != p.all->end();) {
      const auto end = begin + std::min(most, p.all->end() - begin);
      parts.push_back(of({begin, end}));
      begin = end;
    }
    return parts;
  }
};

/// A commutative combine whose default solution is not neutral.
struct Counts {
  struct Problem {
    std::uint64_t seed = 0;
    int size = 0;
  };
  struct Solution {
    std::map<int, std::int64_t> counts{{-5, 1000}};
    std::int64_t all = 1000;
    bool operator==(const Solution&) const = default;
  };

  bool trivial(const Problem& p) const {
    calls.of("trivial");
    return p.size <= 1;
  }
  Solution conquer(const Problem& p) const {
    calls.of("conquer");
    return {{{static_cast<int>(p.seed % 17), 1}}, 1};
  }
  Halves<Problem> divide(const Problem& p) const {
    calls.of("divide");
    const int left = 1 + static_cast<int>(drawn(p.seed, 4) % static_cast<unsigned>(p.size - 1));
    return {{drawn(p.seed, 1), left}, {drawn(p.seed, 2), p.size - left}};
  }
  Solution combine(Solution left, const Solution& right) const {
    calls.of("combine");
    for (const auto& [key, count] : right.counts) {
      left.counts[key] += count;
    }
    left.all += right.all;
    return left;
  }

  static Problem problem(std::uint64_t seed) { return {seed, static_cast<int>(drawn(seed) % 200)}; }
};

/// A tree whose nodes are of many bytes, wide, deep or ending early.
struct Searched {
  struct Node {
    std::uint64_t seed = 0;
    int depth = 0;
    std::string path;
    std::optional<std::vector<bool>> bits;
  };
  struct Problem {
    std::uint64_t seed = 0;
    int depth = 0;
  };
  struct Solution {
    std::int64_t nodes = 0;
    std::uint64_t sum = 0;
    std::map<int, int> of_depth;
    bool operator==(const Solution&) const = default;
  };

  void begin(const Problem& p, Children<Node>& children, Solution& total) const {
    calls.of("begin");
    total.sum += p.seed;
    children.push({p.seed, p.depth, std::string(p.seed % 40, 'p'), std::nullopt});
  }
  void visit(const Node& node, Children<Node>& children, Solution& total) const {
    const std::uint64_t all = count(node, total);
    for (std::uint64_t i = 0; i < all; ++i) {
      children.push(child_of(node, i));
    }
  }
  Solution combine(Solution left, const Solution& right) const {
    calls.of("combine");
    left.nodes += right.nodes;
    left.sum += right.sum;
    for (const auto& [depth, count] : right.of_depth) {
      left.of_depth[depth] += count;
    }
    return left;
  }
  Sizes solution_sizes(const Solution& s) const { return {{"nodes", s.nodes}}; }

  static Problem problem(std::uint64_t seed) { return {seed, static_cast<int>(drawn(seed) % 12)}; }

 protected:
  /// Adds the node. \return  how many children it has
  static std::uint64_t count(const Node& node, Solution& total) {
    calls.of("visit");
    ++total.nodes;
    total.sum += drawn(node.seed, 77) + node.path.size() * 31 + (node.bits ? node.bits->size() : 0);
    ++total.of_depth[node.depth % 8];
    return node.depth <= 0        ? 0
           : node.seed % 50 == 0  ? 40
           : node.seed % 100 < 48 ? 2
                                  : node.seed % 3;
  }
  static Node child_of(const Node& parent, std::uint64_t i) {
    return {drawn(parent.seed, i), parent.depth - 1,
            parent.path.substr(0, parent.seed % 20) + static_cast<char>('a' + i % 26),
            i % 3 == 0 ? std::nullopt : std::optional(std::vector<bool>(parent.seed % 13, true))};
  }
};

/// A tree whose children are made when they are visited.
struct SearchedLazily : Searched {
  void visit(const Node& node, LazyChildren& children, Solution& total) const {
    children.lazy(static_cast<std::int64_t>(count(node, total)));
  }
  Node child(const Node& parent, std::int64_t index) const {
    calls.of("child");
    return child_of(parent, static_cast<std::uint64_t>(index));
  }
};

/// Branch-and-bound for the greatest real number. Only the value is determined.
struct Bounded {
  struct Node {
    std::uint64_t seed = 0;
    std::int32_t depth = 0;
    double gain = 0;
  };
  using Problem = Node;
  using Bound = Maximise<double>;
  struct Solution {
    double best = 0;
    std::int64_t nodes = 0;
    bool operator==(const Solution& other) const { return best == other.best; }
  };

  void visit(const Node& node, Children<Node>& children, Solution& total,
             Incumbent<Bound>& incumbent) const {
    calls.of("visit");
    ++total.nodes;
    if (incumbent.offer(node.gain)) {
      total.best = std::max(total.best, node.gain);
    }
    if (node.gain + node.depth <= incumbent.value()) {  // less than 1 is gained at each level
      return;
    }
    for (std::uint64_t i = 0; node.depth > 0 && i <= node.seed % 3; ++i) {
      children.push({drawn(node.seed, i), node.depth - 1,
                     node.gain + static_cast<double>(drawn(node.seed, i + 9) % 1000) / 1001});
    }
  }
  Solution combine(const Solution& left, const Solution& right) const {
    calls.of("combine");
    return {std::max(left.best, right.best), left.nodes + right.nodes};
  }

  static Problem problem(std::uint64_t seed) {
    return {seed, static_cast<std::int32_t>(drawn(seed) % 12), 0};
  }
};

/// A search whose child is made when it is visited, unless the bound rules it out.
struct BoundedLazily : Bounded {
  void visit(const Node& node, LazyChildren& children, Solution& total,
             Incumbent<Bound>& incumbent) const {
    calls.of("visit");
    ++total.nodes;
    if (incumbent.offer(node.gain)) {
      total.best = std::max(total.best, node.gain);
    }
    children.lazy(node.depth > 0 ? 1 + static_cast<std::int64_t>(node.seed % 3) : 0);
  }
  std::optional<Node> child(const Node& parent, std::int64_t index,
                            Incumbent<Bound>& incumbent) const {
    calls.of("child");
    const auto i = static_cast<std::uint64_t>(index);
    const double gain = parent.gain + static_cast<double>(drawn(parent.seed, i + 9) % 1000) / 1001;
    return gain + parent.depth - 1 <= incumbent.value()
               ? std::nullopt
               : std::optional(Node{drawn(parent.seed, i), parent.depth - 1, gain});
  }
};

}  // namespace cleave::properties

template <>
struct cleave::wire<cleave::properties::Numbers> {
  static void pack(Packer& packer, const properties::Numbers& numbers) {
    properties::calls.of("pack");
    wire<bool>::pack(packer, numbers.all != nullptr);
    if (numbers.all != nullptr) {
      wire<std::vector<int>>::pack(packer, *numbers.all);
    }
  }
  static properties::Numbers unpack(Unpacker& unpacker) {
    properties::calls.of("unpack");
    return wire<bool>::unpack(unpacker)
               ? properties::Moved::of(wire<std::vector<int>>::unpack(unpacker))
               : properties::Numbers{};
  }
};
