// SPDX-License-Identifier: Apache-2.0
#include "apps/components/graph_file.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include <cleave/error.hpp>
#include <cleave/file.hpp>

#include "tests/support/mutations.hpp"
#include "tests/support/temporary_folder.hpp"

namespace cleave::components {
namespace {

/// The whole graph, read in `slices`. \throws FileError
Graph parse(std::string_view contents, const ReadOptions& options = {}, int slices = 1,
            std::string* note = nullptr) {
  Edges edges;
  GraphFacts facts;
  GraphHead head;
  for (int i = 0; i < slices; ++i) {
    const GraphSlice part = parse_graph(contents, "graph", options, {i, slices});
    edges.insert(edges.end(), part.edges.begin(), part.edges.end());
    facts.add(part.facts);
    head = part.head;
  }
  const std::string said = check_graph("graph", options, facts, head);
  if (note != nullptr) {
    *note = said;
  }
  return {.vertices = facts.vertices, .edges = std::move(edges)};
}

std::string refusal(std::string_view contents, const ReadOptions& options = {}) {
  try {
    parse(contents, options);
  } catch (const FileError& error) {
    return error.what();
  }
  return "accepted";
}

const std::string kText = "# Directed graph: web.txt\n#\n\n0\t1\n  5 2  \r\n3 3 \n4 0";
const std::string kMatrix =
    "%%MatrixMarket matrix coordinate real symmetric\n% about\n\n6 6 3\n2 1 0.5\n6 3 1\n5 1 2\n";
const std::string kBinary("CleaveG1\6\0\0\0\0\0\0\0\0\0\0\0\1\0\0\0\5\0\0\0\2\0\0\0", 32);

TEST(GraphFile, OfEveryFormIsReadInAnySlices) {
  for (const int slices : {1, 2, 3, 5, 8, 50}) {
    EXPECT_EQ(parse(kText, {}, slices).edges, (SharedEdges{{0, 1}, {5, 2}, {3, 3}, {4, 0}}));
    EXPECT_EQ(parse(kMatrix, {}, slices).edges, (SharedEdges{{1, 0}, {5, 2}, {4, 0}}));
    EXPECT_EQ(parse(kBinary, {}, slices).edges, (SharedEdges{{0, 1}, {5, 2}}));
    for (const std::string& contents : {kText, kMatrix, kBinary}) {
      EXPECT_EQ(parse(contents, {}, slices).vertices, 6U);
      EXPECT_EQ(parse(contents, {.vertices = 10}, slices).vertices, 10U);
    }
    EXPECT_EQ(parse("0 1 0.5\n1 2 -3e5\n", {.has_weights = true}, slices).edges,
              (SharedEdges{{0, 1}, {1, 2}}));
  }
}

TEST(GraphFile, OfAnotherFormIsRefusedInOneLine) {
  const std::string convert = "; python -m cleave.convert FILE makes other files one that is read";
  const std::string of_numbers = "; --size N=COUNT allows more vertices" + convert;
  const std::string pattern = "%%MatrixMarket matrix coordinate pattern general\n";
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"", "holds no edge"},
      {"# nothing\n", "holds no edge"},
      {"0 1\n\n2\n", "line 3: the vertex number is missing" + of_numbers},
      {"0 1\n1 x\n", "line 2: 'x' is not a vertex number" + of_numbers},
      {"0 -1\n", "line 1: '-1' is not a vertex number" + of_numbers},
      {"0,1\n", "line 1: '0,1' is not a vertex number" + of_numbers},
      {"% asym\n0 1\n", "line 1: '%' is not a vertex number" + of_numbers},
      {"p sp 5 4\n", "line 1: 'p' is not a vertex number" + of_numbers},
      {"\x1b[31m 1\n", "line 1: '?[31m' is not a vertex number" + of_numbers},
      {"\xef\xbb\xbf"
       "0 1\n",
       "line 1: '\xef\xbb\xbf"
       "0' is not a vertex number" +
           of_numbers},
      {"0 1 2\n", "line 1: ' 2' follows the edge" + convert},
      {"99999999999 0\n",
       "line 1: vertex number 99999999999 is out of range: from 0 to 1048575" + of_numbers},
      {"6 3\n0 1\n1 2\n3 4\n",
       "the first edge, 6 3, reads like a line of counts: begin it with '#', or take --size N=7 if "
       "it is an edge"},
      {"6 3\n1 2\n2 1\n3 4\n4 3\n5 6\n6 5\n",
       "the first edge, 6 3, reads like a line of counts: begin it with '#', or take --size N=7 if "
       "it is an edge"},
      {pattern + "3 3 2\n1 2\n", "says that it has 2 entries, but has 1"},
      {pattern + "3 3 1\n1 2\n2 3\n", "says that it has 1 entries, but has 2"},
      {pattern + "3 3 1\n1 2 0.5\n", "line 3: ' 0.5' follows the edge" + convert},
      {pattern + "3 3 1 4\n1 2\n", "line 2: ' 4' follows the line of sizes"},
      {pattern + "3 3 1\n1 4\n", "line 3: column 4 is out of range: from 1 to 3"},
      {pattern + "3 4 1\n1 1\n", "line 2: 3 rows and 4 columns, a graph's matrix is square"},
      {pattern, "cut short: the line of sizes is missing"},
      {"%%MatrixMarket matrix array real general\n2 2\n",
       "line 1: expected '%%MatrixMarket matrix coordinate VALUES SYMMETRY', VALUES pattern, real, "
       "integer or complex, SYMMETRY general, symmetric, skew-symmetric or hermitian"},
      {"%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2\n",
       "line 3: the entry has 0 values, the first line promises 1"},
      {kBinary.substr(0, 27), "holds 27 bytes: 16, and 8 for each edge, are expected"},
      {kBinary.substr(0, 24) + std::string("\6\0\0\0\0\0\0\0", 8),
       "edge 2: vertex number 6 is out of range: 6 vertices"},
      {std::string("CleaveG1\0\0\0\0\1\0\0\0", 16),
       "has 4294967296 vertices, at most 4294967295 are labelled"}};
  for (const auto& [contents, expected] : rows) {
    EXPECT_EQ(refusal(contents), "graph: " + expected) << contents;
  }
  EXPECT_EQ(refusal("9 10\n", {.vertices = 10}),
            "graph: line 1: vertex number 10 is out of range: from 0 to 9");
  EXPECT_EQ(refusal("0 1 x\n", {.has_weights = true}),
            "graph: line 1: 'x' is not a weight, --weights says that each line has one");
  EXPECT_EQ(refusal(kMatrix, {.vertices = 5}), "graph: line 4: 6 rows, more than N=5");
  EXPECT_EQ(parse("6 3\n0 1\n1 2\n3 4\n", {.vertices = 7}).edges.size(), 4U);
}

TEST(GraphFile, WithoutVertexZeroIsNoted) {
  const auto note_of = [](std::string_view text, const ReadOptions& options = {}) {
    std::string note;
    parse(text, options, 2, &note);
    return note;
  };
  EXPECT_EQ(note_of("1 11\n1 7\n2 4\n"),
            "graph: no line names vertex 0, which is a component of its own");
  EXPECT_EQ(note_of("1 11\n0 7\n2 4\n"), "");
  EXPECT_EQ(note_of("1 11\n1 7\n2 4\n", {.vertices = 12}), "");
}

TEST(GraphFile, PackedByGzipIsRead) {
  const testing::TemporaryFolder folder;
  const std::filesystem::path file = folder / "graph.mtx.gz";
  const auto pack = [&file](const std::string& text, const char* mode) {
    const gzFile packed = ::gzopen(file.c_str(), mode);
    ::gzwrite(packed, text.data(), static_cast<unsigned>(text.size()));
    ::gzclose(packed);
  };
  pack(kMatrix.substr(0, 70), "wb");
  pack(kMatrix.substr(70), "ab");  // as a second member
  EXPECT_EQ(read_graph(file, {}).edges, parse_graph(kMatrix, file, {}).edges);
  const auto refused = [&file](const ReadOptions& options = {}) -> std::string {
    try {
      read_graph(file, options);
    } catch (const FileError& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_EQ(refused({.max_bytes = 50}), file.string() +
                                            ": too large for this machine: unpacked it has more "
                                            "than 50 bytes");
  const std::string whole = read_file(file);
  write_file(file, whole.substr(0, whole.size() - 5));
  EXPECT_TRUE(refused().starts_with(file.string() + ": cannot be unpacked: ")) << refused();
}

TEST(GraphFile, LargerThanMemoryIsRefused) {
  for (const std::string& contents : {kText, kBinary}) {
    EXPECT_EQ(refusal(contents, {.max_bytes = 8}),
              "graph: too large for this machine: a rank's share is 2 edges or more, 1 of them fit "
              "into memory");
  }
}

TEST(GraphFile, DamagedInAnyWayIsReadOrRefusedByName) {
  std::mt19937 random(1);
  for (const std::string& contents : {kText, kMatrix, kBinary}) {
    for (int i = 0; i < 10000; ++i) {
      const std::string damaged = testing::damaged(contents, random);
      try {
        const Graph graph = parse(damaged, {}, i % 3 + 1);
        for (const Edge& edge : graph.edges) {
          ASSERT_LT(std::max(edge.from, edge.to), graph.vertices) << damaged;
        }
      } catch (const FileError& error) {
        ASSERT_TRUE(std::string_view(error.what()).starts_with("graph: ")) << damaged;
      }
    }
  }
}

}  // namespace
}  // namespace cleave::components
