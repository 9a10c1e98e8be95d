// SPDX-License-Identifier: Apache-2.0
// Counts the Langford pairings of 1 to N (langford.cpp), a row and its mirror image once, as exact
// covers: each of N numbers and 2 N places is covered by one pair. Algorithm X on dancing links
// (D. E. Knuth, "Dancing Links", Millennial Perspectives in Computer Science, 2000). Compared with
// OEIS A014552. Shown: links that a thread builds once, and takes apart and mends at each visit.
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <cleave/program.hpp>

namespace {

struct Choices {
  std::array<std::int32_t, 4> pairs{};  // nodes of the matrix
  std::int32_t count = 0;
  std::int32_t n = 0;
};

struct Covers {
  std::int64_t nodes = 0;
  std::int64_t covers = 0;
};

// The matrix: a column for each number and place, a row of three ones for each pair. Node 0 is the
// root, node c heads column c.
struct Links {
  std::vector<int> L, R, U, D, column, size;  // as in the paper
  explicit Links(int n) : size(3 * n + 1) {
    for (int c = 0; c <= 3 * n; ++c) add(c == 0 ? 3 * n : c - 1, c == 3 * n ? 0 : c + 1, c, c, c);
    for (int k = 1; k <= n; ++k) {
      // One row of two mirror images has the largest odd pair before the middle.
      for (int at = 1; at + k + 1 <= 2 * n && (k != ((n - 1) | 1) || 2 * at + k < 2 * n); ++at) {
        const int first = static_cast<int>(U.size());
        for (const int c : {k, n + at, n + at + k + 1}) {
          const int node = static_cast<int>(U.size()), i = node - first;
          add(first + (i + 2) % 3, first + (i + 1) % 3, U[c], c, c);
          D[U[c]] = node, U[c] = node, ++size[c];
        }
      }
    }
  }
  void add(int l, int r, int u, int d, int c) {
    L.push_back(l), R.push_back(r), U.push_back(u), D.push_back(d), column.push_back(c);
  }
  void cover(int c) {
    R[L[c]] = R[c], L[R[c]] = L[c];
    for (int i = D[c]; i != c; i = D[i]) {
      for (int j = R[i]; j != i; j = R[j]) U[D[j]] = U[j], D[U[j]] = D[j], --size[column[j]];
    }
  }
  void uncover(int c) {
    for (int i = U[c]; i != c; i = U[i]) {
      for (int j = L[i]; j != i; j = L[j]) U[D[j]] = D[U[j]] = j, ++size[column[j]];
    }
    R[L[c]] = L[R[c]] = c;
  }
  void choose(int node) {
    for (int i = 0; i < 3; ++i, node = R[node]) cover(column[node]);
  }
  void take_back(int node) {
    for (int i = 0; i < 3; ++i) node = L[node], uncover(column[node]);
  }
  // Calls `use` with each pair of the column with the fewest; counts a cover where none is left.
  void for_each_pair(Covers& total, const auto& use) {
    ++total.nodes, total.covers += R[0] == 0 ? 1 : 0;
    int best = R[0];
    for (int c = best; c != 0; c = R[c]) best = size[c] < size[best] ? c : best;
    for (int node = D[best]; node != best; node = D[node]) use(node);
  }
  void search(Covers& total) {
    for_each_pair(total, [&](int node) { choose(node), search(total), take_back(node); });
  }
};

struct ExactCover {
  using Problem = Choices;
  using Solution = Covers;
  struct Worker {
    std::optional<Links> links;  // made at the first visit, which knows N
  };
  void visit(const Choices& chosen, cleave::Children<Choices>& children, Covers& total,
             Worker& worker) const {
    Links& links = worker.links ? *worker.links : worker.links.emplace(chosen.n);
    for (int i = 0; i < chosen.count; ++i) links.choose(chosen.pairs[i]);
    if (chosen.count == std::ssize(chosen.pairs)) {
      links.search(total);
    } else {
      links.for_each_pair(total, [&](int node) {
        Choices child = chosen;
        child.pairs[child.count++] = node;
        children.push(child);
      });
    }
    for (int i = chosen.count; i-- > 0;) links.take_back(chosen.pairs[i]);
  }
  Covers combine(Covers a, Covers b) const { return {a.nodes + b.nodes, a.covers + b.covers}; }
  cleave::Sizes solution_sizes(Covers total) const { return {{"nodes", total.nodes}}; }
};

constexpr std::array kPublished = {0, 0, 1, 1, 0, 0, 26, 150, 0, 0, 17792, 108144};
cleave::Figures figures(const Covers& all) { return {{"rows", all.covers}}; }

}  // namespace

int main(int argc, char** argv) {
  return cleave::run(
      argc, argv,
      cleave::Program<ExactCover>{
          .summary = "Counts the Langford pairings of 1 to N by exact covers.",
          .sizes = {{"N", 9, kPublished.size()}},
          .make_problem =
              [](const cleave::NamedSizes& sizes, std::uint64_t) {
                return Choices{.n = static_cast<std::int32_t>(sizes.at("N"))};
              },
          .is_generated = [] { return false; },
          .wrong = [](const Choices& none, const Covers& found) -> std::optional<std::string> {
            if (found.covers == kPublished[none.n - 1]) return std::nullopt;
            return "there are " + std::to_string(kPublished[none.n - 1]);
          },
          .figures = figures,
      });
}
