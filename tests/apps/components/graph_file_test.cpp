// SPDX-License-Identifier: Apache-2.0
#include "apps/components/graph_file.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <cleave/error.hpp>
#include <cleave/file.hpp>

#include "tests/support/mutations.hpp"
#include "tests/support/temporary_folder.hpp"

namespace cleave::components {
namespace {

/// The whole graph, read in `slices`. \throws FileError
Graph parse(std::string_view contents, GraphFormat format, const ReadOptions& options = {},
            int slices = 1, std::vector<std::string>* notes = nullptr) {
  Edges edges;
  Row<IdEdge> id_edges;
  GraphFacts facts;
  GraphHead head;
  for (int i = 0; i < slices; ++i) {
    GraphSlice part = parse_graph(contents, "graph", format, options, {i, slices});
    edges.insert(edges.end(), part.edges.begin(), part.edges.end());
    id_edges.insert(id_edges.end(), part.id_edges.begin(), part.id_edges.end());
    facts.add(part.facts);
    head = std::move(part.head);
  }
  const std::vector<std::string> all_notes = check_graph("graph", options, facts, head);
  if (notes != nullptr) {
    *notes = all_notes;
  }
  if (options.renumbers) {
    const std::vector<Id> ids = ids_of(id_edges);
    return {.vertices = static_cast<Vertex>(ids.size()), .edges = renumber(id_edges, ids)};
  }
  return {.vertices = facts.vertices, .edges = std::move(edges)};
}

std::size_t components(const Graph& graph) {
  Labels labels(graph.vertices);
  std::iota(labels.begin(), labels.end(), Vertex{0});
  for (Vertex i = 0; i < graph.vertices; ++i) {  // as often as a label may travel
    for (const Edge& edge : graph.edges) {
      labels[edge.from] = labels[edge.to] = std::min(labels[edge.from], labels[edge.to]);
    }
  }
  return std::set<Vertex>(labels.begin(), labels.end()).size();
}

std::string refusal(std::string_view contents, GraphFormat format,
                    const ReadOptions& options = {}) {
  try {
    parse(contents, format, options);
  } catch (const FileError& error) {
    return error.what();
  }
  return "accepted";
}

const std::string kText = "# Directed graph: web.txt\n% asym\n\n0\t1\n  5 2  \r\n3 3 \n4 0";
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
  EXPECT_EQ(parse(kText, GraphFormat::text, {.vertices = 10}).vertices, 10U);
}

TEST(GraphFile, InSlicesIsTheWhole) {
  const std::pair<GraphFormat, std::string> files[] = {{GraphFormat::text, kText},
                                                       {GraphFormat::matrix_market, kMatrix},
                                                       {GraphFormat::metis, kMetis},
                                                       {GraphFormat::binary, kBinary}};
  for (const auto& [format, contents] : files) {
    for (const int slices : {2, 3, 5, 8, 50}) {
      const Graph whole = parse(contents, format);
      const Graph sliced = parse(contents, format, {}, slices);
      EXPECT_EQ(sliced.edges, whole.edges) << slices;
      EXPECT_EQ(sliced.vertices, whole.vertices);
    }
  }
}

TEST(GraphFile, OfTextIsRefusedByLine) {
  const auto refused = [](std::string_view text, std::optional<Vertex> vertices = std::nullopt) {
    return refusal(text, GraphFormat::text, {.vertices = vertices});
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
            "1048575; --size N=COUNT allows more vertices, --renumber numbers of 64 bits");
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
  EXPECT_EQ(refused("3 3 1\n1 2 0.5\n"), "graph: line 3: 3 fields, the header promises 2");
  EXPECT_EQ(refused("3 3 1 4\n1 2\n"),
            "graph: line 2: ' 4' follows the numbers of rows, columns and entries");
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
  EXPECT_EQ(refused("2 1 0 1 7\n2\n1\n"), "graph: line 1: ' 7' follows the header's numbers");
  EXPECT_EQ(refused("3 1\n2\n1\n"), "graph: cut short: 2 lines of neighbours for 3 vertices");
  EXPECT_EQ(refused("2 1\n2\n1\n1\n"), "graph: line 4: more lines than the 2 vertices told");
  EXPECT_EQ(refused("2 1\n3\n1\n"), "graph: line 2: vertex 3 is out of range: from 1 to 2");
  EXPECT_EQ(refused(""), "graph: cut short: the line of sizes is missing");
}

TEST(GraphFile, OfALineEndOfEachKindIsRead) {
  for (const char* text : {"0 1\n1 2\n2 3\n4 5\n", "0 1\r\n1 2\r\n2 3\r\n4 5\r\n",
                           "0 1\r1 2\r2 3\r4 5\r", "0 1\r1 2\n2 3\r\n4 5"}) {
    for (const int slices : {1, 2, 3, 20}) {
      const Graph graph = parse(text, GraphFormat::text, {}, slices);
      EXPECT_EQ(graph.vertices, 6U);
      EXPECT_EQ(components(graph), 2U);
    }
    EXPECT_EQ(refusal(std::string(text) + "\n\rx", GraphFormat::text).substr(0, 12),
              "graph: line ");
  }
  EXPECT_EQ(refusal("0 1\r1 2\r\n2 x\r", GraphFormat::text),
            "graph: line 3: 'x' is not a vertex number");
}

TEST(GraphFile, OfCommaSeparatedValuesIsRead) {
  for (const char* text : {"0,1\n1,2\n3,4\n", "source,target\n0,1\n1,2\n3,4\n", "0;1\r\n1;2\r\n3;4",
                           "\"0\",\"1\"\n\"1\",\"2\"\n\"3\",\"4\"\n",
                           "\xef\xbb\xbf"
                           "0 1\n1 2\n3 4\n"}) {
    for (const int slices : {1, 3}) {
      const Graph graph = parse(text, GraphFormat::text, {}, slices);
      EXPECT_EQ(graph.vertices, 5U);
      EXPECT_EQ(components(graph), 2U);
    }
  }
  EXPECT_EQ(refusal("\xff\xfe"
                    "0\0 \0",
                    GraphFormat::text),
            "graph: is text in UTF-16: make it UTF-8 or ASCII");
}

TEST(GraphFile, OfAnotherShapeThanEdgesIsRefusedByLine) {
  const auto refused = [](std::string_view text) { return refusal(text, GraphFormat::text); };
  const std::string alike =
      ": all lines of an edge list are alike; begin a line of counts with '#', read lists of "
      "neighbours by --format metis";
  EXPECT_EQ(refused("0 1 2 3\n4 5 6\n"), "graph: line 2: 3 fields, the first edge has 4" + alike);
  EXPECT_EQ(refused("5 5 4\n1 2\n2 3\n"), "graph: line 2: 2 fields, the first edge has 3" + alike);
  EXPECT_EQ(refused("6 3\n0 1\n1 2\n3 4\n"),
            "graph: line 1: '6 3' reads like a line of counts, 6 vertices and 3 edges: begin it "
            "with '#', or take --size N=7 if it is an edge");
  const auto is_counts = [&](std::string_view text) {
    return refused(text).find("reads like a line of counts, 6 vertices and 3 edges") !=
           std::string::npos;
  };
  EXPECT_TRUE(is_counts("6 3\n1 2\n2 1\n3 4\n4 3\n5 6\n6 5\n")) << "each edge on two lines";
  EXPECT_TRUE(is_counts("3 6\n1 2\n3 4\n5 6\n")) << "edges first";
  const std::string weighted = "4 3 2\n0 1 1\n1 2 5\n";
  EXPECT_EQ(refused(weighted),
            "graph: line 1: '4 3 2' reads like a line of counts, 4 vertices and 2 edges: begin it "
            "with '#', or take --size N=5 if it is an edge");
  EXPECT_EQ(components(parse(weighted, GraphFormat::text, {.vertices = 5})), 2U);
  EXPECT_EQ(refusal(weighted, GraphFormat::text, {.renumbers = true}),
            "graph: line 1: '4 3 2' reads like a line of counts, 4 vertices and 2 edges: begin it "
            "with '#', or move it behind another if it is an edge");
  EXPECT_EQ(components(parse("0 1 1\n4 3 2\n1 2 5\n", GraphFormat::text, {.renumbers = true})), 2U);
  EXPECT_EQ(refused("0 1 2 3 4\n"),
            "graph: line 1: 5 fields: an edge is two vertices, perhaps with a weight and a date; "
            "lists of neighbours are read by --format metis");
  EXPECT_EQ(refused("6\n0 1\n"),
            "graph: line 1: '6' stands alone, an edge has two vertices: begin a line of counts "
            "with '#'");
  EXPECT_EQ(refused("0 1 {}\n"), "graph: line 1: field 3 is '{}', neither a weight nor a date");
  EXPECT_EQ(refused("c DIMACS 9\np sp 5 4\na 1 2 10\n"),
            "graph: line 1: this is a DIMACS file, which is not read: keep its edges, by grep "
            "'^[ae] ' FILE | cut -d' ' -f2-3");
  EXPECT_EQ(refused(std::string("\x1b[31m 1\n")), "graph: line 1: '?[31m' is not a vertex number");
  EXPECT_EQ(components(parse("6 3\n0 1\n1 2\n3 4\n", GraphFormat::text, {.vertices = 7})), 3U);
}

TEST(GraphFile, WhoseColumnsBeginWithOthersThanVerticesIsRefused) {
  for (const char* const names : {"id,source,target", "\"\",\"source\",\"target\"", "w;From;To"}) {
    const std::string error = refusal(std::string(names) + "\n7,0,1\n8,1,2\n", GraphFormat::text);
    EXPECT_TRUE(error.starts_with("graph: line 1: column 3 is 't")) << names << ": " << error;
  }
  EXPECT_EQ(components(parse("source,target,weight\n0,1,7\n1,2,8\n", GraphFormat::text)), 1U);
}

TEST(GraphFile, OfWeightsAndDatesOnEveryLineIsRead) {
  for (const int slices : {1, 2, 5}) {
    EXPECT_EQ(components(parse("0 1 0.5\n1 2 -3e5\n3 4 .1\n", GraphFormat::text, {}, slices)), 2U);
    EXPECT_EQ(
        components(parse("0 1 1 1082040961\n2 1 1 2004-05-12\n", GraphFormat::text, {}, slices)),
        1U);
  }
}

TEST(GraphFile, ThatMayBeMeantOtherwiseIsNoted) {
  const auto notes_of = [](std::string_view text, const ReadOptions& options = {}) {
    std::vector<std::string> notes;
    parse(text, GraphFormat::text, options, 2, &notes);
    return notes;
  };
  EXPECT_EQ(notes_of("1 11\n1 7\n2 4\n"),
            std::vector<std::string>{
                "graph: no line names vertex 0, which is a component of its own; --renumber counts "
                "only vertices that are named"});
  EXPECT_TRUE(notes_of("1 11\n0 7\n2 4\n").empty());
  EXPECT_TRUE(notes_of("1 11\n1 7\n2 4\n", {.renumbers = true}).empty());
  EXPECT_EQ(notes_of("0 1 2\n1 0 2\n").size(), 1U);
  EXPECT_TRUE(notes_of("0 1 2.5\n1 0 2\n").empty());
}

TEST(GraphFile, OfNumbersOf64BitsIsRenumbered) {
  const std::string text = "10995116284808 4139\n4139 32985348838375\n7 18446744073709551615\n";
  for (const int slices : {1, 2, 5}) {
    const Graph graph = parse(text, GraphFormat::text, {.renumbers = true}, slices);
    EXPECT_EQ(graph.vertices, 5U);
    EXPECT_EQ(components(graph), 2U);
    EXPECT_EQ(graph.edges, (SharedEdges{{2, 1}, {1, 3}, {0, 4}}));
  }
  EXPECT_EQ(refusal("0 18446744073709551616\n", GraphFormat::text, {.renumbers = true}),
            "graph: line 1: vertex number 18446744073709551616 is out of range: from 0 to "
            "18446744073709551615");
}

TEST(GraphFile, OfMatrixMarketWithAnUnusualBannerIsRead) {
  const std::string rest = " matrix coordinate pattern symmetric\n4 4 2\n2 1\n3 2\n";
  for (const char* banner : {"%MatrixMarket", " %%MatrixMarket", "%%matrixmarket"}) {
    EXPECT_EQ(components(parse(banner + rest, GraphFormat::matrix_market)), 2U);
    EXPECT_EQ(refusal(banner + rest, GraphFormat::text),
              "graph: line 1: this is a Matrix Market file, whose sizes would be read as an edge; "
              "read it by --format matrix-market");
  }
  EXPECT_EQ(refusal("%%MatrixMarket matrix coordinate patern general\n1 1 0\n",
                    GraphFormat::matrix_market),
            "graph: line 1: 'patern' is not a kind of values: pattern, real, integer or complex");
}

TEST(GraphFile, OfMetisWithAnEdgeOnOneSideIsRefused) {
  const std::string one_sided =
      "graph: has an edge on the line of one of its ends alone: METIS lists each on the lines of "
      "both";
  EXPECT_EQ(refusal("4 3\n\n1\n1\n1\n", GraphFormat::metis), one_sided);
  EXPECT_EQ(refusal("4 2\n\n1\n1\n1 2\n", GraphFormat::metis), one_sided);
  for (const int slices : {1, 2, 4}) {
    EXPECT_EQ(components(parse("4 3\n2 3 4\n1\n1\n1\n", GraphFormat::metis, {}, slices)), 1U);
  }
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
  EXPECT_EQ(graph_format_of(file), GraphFormat::matrix_market);
  EXPECT_EQ(read_graph(file, GraphFormat::matrix_market, {}).edges,
            parse_graph(kMatrix, file, GraphFormat::matrix_market, {}).edges);
  const auto refused = [&file](const ReadOptions& options = {}) -> std::string {
    try {
      read_graph(file, GraphFormat::matrix_market, options);
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
  EXPECT_EQ(refused(), file.string() + ": cannot be unpacked: cut short");
  write_file(file, whole + "3 4\n");
  EXPECT_EQ(refused(), file.string() + ": cannot be unpacked: incorrect header check");
  write_file(file, "BZh91AY&SY");
  EXPECT_EQ(refused(), file.string() + ": is a bzip2 file: unpack it first, or take gzip");
}

TEST(GraphFile, OfBinaryIsRefusedByEdge) {
  EXPECT_EQ(refusal("0 1\n1 2\n", GraphFormat::binary),
            "graph: is text, not 32-bit vertex numbers: read it by --format text");
  EXPECT_EQ(refusal("\1\2\3\4\5", GraphFormat::binary),
            "graph: holds 5 bytes, which is not a whole number of edges of 8 bytes");
  EXPECT_EQ(refusal(kBinary, GraphFormat::binary, {.vertices = 5}),
            "graph: edge 2: vertex number 5 is out of range: from 0 to 4");
  EXPECT_EQ(refusal(std::string("\x93NUMPY\1\0v\0{'descr", 16), GraphFormat::binary),
            "graph: is a NumPy file, not 32-bit vertex numbers and nothing else");
}

TEST(GraphFile, OfBinaryNumbersOf64BitsIsRefused) {
  const std::vector<std::uint64_t> wide = {0, 1, 1, 2, 3, 4};
  const std::string text(reinterpret_cast<const char*>(wide.data()), wide.size() * sizeof(wide[0]));
  EXPECT_TRUE(refusal(text, GraphFormat::binary)
                  .starts_with("graph: reads like vertex numbers of 64 bits"));
  EXPECT_EQ(components(parse(text, GraphFormat::binary, {.vertices = 5})), 1U) << "a star";
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
        const Graph graph = parse(damaged, format, {}, i % 3 + 1);
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
