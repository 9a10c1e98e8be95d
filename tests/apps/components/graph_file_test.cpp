// SPDX-License-Identifier: Apache-2.0
#include "apps/components/graph_file.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include <cleave/error.hpp>

#include "tests/support/mutations.hpp"

namespace cleave::components {
namespace {

/// The whole graph, read in `slices`. \throws FileError
Graph parse(std::string_view contents, GraphFormat format,
            std::optional<Vertex> vertices = std::nullopt, int slices = 1) {
  Vertex all_vertices = 0;
  Edges edges;
  std::int64_t entries = 0;
  std::optional<std::int64_t> told;
  for (int i = 0; i < slices; ++i) {
    const GraphSlice part =
        parse_graph(contents, "graph", format, {.vertices = vertices}, {i, slices});
    all_vertices = std::max(all_vertices, part.vertices);
    edges.insert(edges.end(), part.edges.begin(), part.edges.end());
    entries += part.entries;
    told = part.entries_told;
  }
  check_entries("graph", entries, told);
  return {.vertices = all_vertices, .edges = std::move(edges)};
}

std::string refusal(std::string_view contents, GraphFormat format,
                    std::optional<Vertex> vertices = std::nullopt) {
  try {
    parse(contents, format, vertices);
  } catch (const FileError& error) {
    return error.what();
  }
  return "accepted";
}

const std::string kText =
    "# Directed graph: web.txt\n% asym\n\n0\t1\n  5 2  \r\n3 3 0.25\n4 0 1 1082040961";
const std::string kMatrix =
    "%%MatrixMarket matrix coordinate real symmetric\n% about\n\n6 6 3\n2 1 0.5\n6 3 1\n5 1 2\n";
const std::string kMetis = "% about\n5 4 001\n2 7 3 1\n1 7\n1 1 5 9 4 2\n3 2\n3 9\n";
const std::string kBinary("\0\0\0\0\1\0\0\0\5\0\0\0\2\0\0\0", 16);

TEST(GraphFile, OfEveryFormatIsRead) {
  const Graph text = parse(kText, GraphFormat::text);
  EXPECT_EQ(text.edges, (SharedEdges{{0, 1}, {5, 2}, {3, 3}, {4, 0}}));
  EXPECT_EQ(text.vertices, 6U);
  const Graph matrix = parse(kMatrix, GraphFormat::matrix_market);
  EXPECT_EQ(matrix.edges, (SharedEdges{{1, 0}, {5, 2}, {4, 0}}));
  EXPECT_EQ(matrix.vertices, 6U);
  const Graph metis = parse(kMetis, GraphFormat::metis);
  EXPECT_EQ(metis.edges, (SharedEdges{{0, 1}, {0, 2}, {2, 4}, {2, 3}}));
  EXPECT_EQ(metis.vertices, 5U);
  const Graph binary = parse(kBinary, GraphFormat::binary);
  EXPECT_EQ(binary.edges, (SharedEdges{{0, 1}, {5, 2}}));
  EXPECT_EQ(binary.vertices, 6U);
  EXPECT_EQ(parse(kText, GraphFormat::text, 10).vertices, 10U);
}

TEST(GraphFile, InSlicesIsTheWhole) {
  const std::pair<GraphFormat, std::string> files[] = {{GraphFormat::text, kText},
                                                       {GraphFormat::matrix_market, kMatrix},
                                                       {GraphFormat::metis, kMetis},
                                                       {GraphFormat::binary, kBinary}};
  for (const auto& [format, contents] : files) {
    for (const int slices : {2, 3, 5, 8, 50}) {
      const Graph whole = parse(contents, format);
      const Graph sliced = parse(contents, format, std::nullopt, slices);
      EXPECT_EQ(sliced.edges, whole.edges) << slices;
      EXPECT_EQ(sliced.vertices, whole.vertices);
    }
  }
}

TEST(GraphFile, OfTextIsRefusedByLine) {
  const auto refused = [](std::string_view text, std::optional<Vertex> vertices = std::nullopt) {
    return refusal(text, GraphFormat::text, vertices);
  };
  EXPECT_EQ(refused(""), "graph: holds no edge");
  EXPECT_EQ(refused("# nothing\n"), "graph: holds no edge");
  EXPECT_EQ(refused("0 1\n\n2\n"), "graph: line 3: the vertex number is missing");
  EXPECT_EQ(refused("0 1\n1 x\n"), "graph: line 2: 'x' is not a vertex number");
  EXPECT_EQ(refused("0 1.5\n"), "graph: line 1: '1.5' is not a vertex number");
  EXPECT_EQ(refused("0 -1\n"), "graph: line 1: '-1' is not a vertex number");
  EXPECT_EQ(refused("0 1\n9 10\n", 10),
            "graph: line 2: vertex number 10 is out of range: from 0 to 9");
  EXPECT_EQ(refused("99999999999999999999 0\n"),
            "graph: line 1: vertex number 99999999999999999999 is out of range: from 0 to "
            "1048575; --size N=COUNT allows more vertices");
  EXPECT_EQ(refused("2000000000 0\n", 100),
            "graph: line 1: vertex number 2000000000 is out of range: from 0 to 99");
  EXPECT_NE(refused(kMatrix).find("this is a Matrix Market file"), std::string::npos);
}

TEST(GraphFile, OfAMatrixThatLiesIsRefused) {
  const auto refused = [](const std::string& rest) {
    return refusal("%%MatrixMarket matrix coordinate pattern general\n" + rest,
                   GraphFormat::matrix_market);
  };
  EXPECT_EQ(refused("3 3 2\n1 2\n"), "graph: says that it has 2 entries, but has 1");
  EXPECT_EQ(refused("3 3 1\n1 2\n2 3\n"), "graph: says that it has 1 entries, but has 2");
  EXPECT_EQ(refused("3 3 1\n1 4\n"), "graph: line 3: column 4 is out of range: from 1 to 3");
  EXPECT_EQ(refused("3 3 1\n0 1\n"), "graph: line 3: row 0 is out of range: from 1 to 3");
  EXPECT_EQ(refused("3 4 1\n1 1\n"),
            "graph: line 2: 3 rows and 4 columns, a graph's matrix is square");
  EXPECT_EQ(refused(""), "graph: cut short: the line of sizes is missing");
  EXPECT_EQ(refusal("1 2\n", GraphFormat::matrix_market),
            "graph: is not a Matrix Market file: line 1 must begin with %%MatrixMarket");
}

TEST(GraphFile, OfMetisThatLiesIsRefused) {
  const auto refused = [](const std::string& text) { return refusal(text, GraphFormat::metis); };
  EXPECT_EQ(refused("2 2\n2\n1\n"), "graph: says that it has 4 entries, but has 2");
  EXPECT_EQ(refused("3 1\n2\n1\n"), "graph: cut short: 2 lines of neighbours for 3 vertices");
  EXPECT_EQ(refused("2 1\n2\n1\n1\n"), "graph: line 4: more lines than the 2 vertices told");
  EXPECT_EQ(refused("2 1\n3\n1\n"), "graph: line 2: vertex 3 is out of range: from 1 to 2");
  EXPECT_EQ(refused(""), "graph: cut short: the line of sizes is missing");
}

TEST(GraphFile, OfBinaryIsRefusedByEdge) {
  EXPECT_EQ(refusal("12345", GraphFormat::binary),
            "graph: holds 5 bytes, which is not a whole number of edges of 8 bytes");
  EXPECT_EQ(refusal(kBinary, GraphFormat::binary, 5),
            "graph: edge 2: vertex number 5 is out of range: from 0 to 4");
}

TEST(GraphFile, LargerThanMemoryIsRefused) {
  for (const GraphFormat format : {GraphFormat::text, GraphFormat::binary}) {
    const std::string& contents = format == GraphFormat::text ? kText : kBinary;
    try {
      parse_graph(contents, "graph", format, {.max_bytes = 8});
      ADD_FAILURE() << "accepted";
    } catch (const FileError& error) {
      EXPECT_STREQ(error.what(),
                   "graph: too large for this machine: a rank's share is 2 edges or more, 1 of "
                   "them fit into memory");
    }
  }
}

TEST(GraphFile, DamagedInAnyWayIsReadOrRefusedByName) {
  const std::pair<GraphFormat, std::string> files[] = {{GraphFormat::text, kText},
                                                       {GraphFormat::matrix_market, kMatrix},
                                                       {GraphFormat::metis, kMetis},
                                                       {GraphFormat::binary, kBinary}};
  std::mt19937 random(1);
  for (const auto& [format, contents] : files) {
    for (int i = 0; i < 10000; ++i) {
      const std::string damaged = testing::damaged(contents, random);
      try {
        const Graph graph = parse(damaged, format, std::nullopt, i % 3 + 1);
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
