#include <gtest/gtest.h>

#include <random>
#include <string>

#include "apps/components/input.hpp"
#include "skeleton/trace/error.hpp"
#include "tests/support/mutations.hpp"

namespace cleave {
namespace {

Graph parse(std::string_view text, std::optional<Vertex> vertices = std::nullopt) {
  return parse_edge_list(text, "graph.txt", vertices);
}

std::string refusal(std::string_view text, std::optional<Vertex> vertices = std::nullopt) {
  try {
    parse(text, vertices);
  } catch (const FileError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(EdgeList, IsReadAsArchivesPublishIt) {
  const Graph graph = parse(
      "# Directed graph: web.txt\n"
      "% asym unweighted\n"
      "\n"
      "0\t1\n"
      "  5 2  \r\n"
      "3 3 0.25\n"
      "4 0 1 1082040961");
  EXPECT_EQ(graph.edges, (std::vector<Edge>{{0, 1}, {5, 2}, {3, 3}, {4, 0}}));
  EXPECT_EQ(graph.vertices, 6U);
}

TEST(EdgeList, HasTheVerticesThatAreAskedFor) {
  EXPECT_EQ(parse("0 1\n", 10).vertices, 10U);
  EXPECT_EQ(refusal("0 1\n9 10\n", 10),
            "graph.txt: line 2: vertex 10 is out of range, the greatest allowed is 9");
}

TEST(EdgeList, ThatIsNoneIsRefusedByLine) {
  EXPECT_EQ(refusal(""), "graph.txt: holds no edge");
  EXPECT_EQ(refusal("# nothing\n"), "graph.txt: holds no edge");
  EXPECT_EQ(refusal("0 1\n\n2\n"), "graph.txt: line 3: one vertex number, expected two");
  EXPECT_EQ(refusal("0 1\n1 x\n"), "graph.txt: line 2: 'x' is not a vertex number");
  EXPECT_EQ(refusal("0 1.5\n"), "graph.txt: line 1: '1.5' is not a vertex number");
  EXPECT_EQ(refusal("0 -1\n"), "graph.txt: line 1: '-1' is not a vertex number");
  EXPECT_EQ(refusal("0,1\n"), "graph.txt: line 1: '0,1' is not a vertex number");
  EXPECT_EQ(refusal("0 4294967295\n"),
            "graph.txt: line 1: vertex 4294967295 is out of range, the greatest allowed is "
            "4294967294");
  EXPECT_EQ(refusal("99999999999999999999 0\n"),
            "graph.txt: line 1: vertex 99999999999999999999 is out of range, the greatest allowed "
            "is 4294967294");
  EXPECT_EQ(
      refusal("%%MatrixMarket matrix coordinate\n5 5 2\n1 2\n"),
      "graph.txt: line 1: this is a Matrix Market file, whose sizes would be read as an edge; "
      "remove its header and the line of sizes");
}

TEST(EdgeList, DamagedInAnyWayIsReadOrRefusedByName) {
  const std::string good = "# header\n0 1\n12\t34 5\n% more\n7 8\r\n100 99\n";
  std::mt19937 random(1);
  for (int i = 0; i < 20000; ++i) {
    const std::string text = testing::damaged(good, random);
    try {
      const Graph graph = parse(text, 1000);
      for (const Edge& edge : graph.edges) {
        ASSERT_LT(std::max(edge.from, edge.to), graph.vertices) << text;
      }
    } catch (const FileError& error) {
      ASSERT_TRUE(std::string_view(error.what()).starts_with("graph.txt: ")) << text;
    }
  }
}

}  // namespace
}  // namespace cleave
