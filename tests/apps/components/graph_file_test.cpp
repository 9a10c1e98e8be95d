// SPDX-License-Identifier: Apache-2.0
#include "apps/components/graph_file.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

#include <filesystem>
#include <string>

#include <cleave/error.hpp>
#include <cleave/file.hpp>

#include "tests/support/temporary_folder.hpp"

namespace cleave::components {
namespace {

/// The whole graph, read in `slices`. \throws FileError
Graph parse(std::string_view contents, const ReadOptions& options = {}, int slices = 1) {
  Edges edges;
  GraphFacts facts;
  GraphHead head;
  for (int i = 0; i < slices; ++i) {
    const GraphSlice part = parse_graph(contents, "graph", options, {i, slices});
    edges.insert(edges.end(), part.edges.begin(), part.edges.end());
    facts.add(part.facts);
    head = part.head;
  }
  check_graph("graph", options, facts, head);
  return {.vertices = facts.vertices, .edges = std::move(edges)};
}

/// The refusal by `read`.
template <class Read>
std::string refusal(Read&& read) {
  try {
    read();
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
    // The first edge reads like counts.
    EXPECT_EQ(parse("6 3\n0 1\n1 2\n3 4\n", {.vertices = 7}, slices).edges.size(), 4U);
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
  EXPECT_EQ(read_graph(file, {}).edges, parse_graph(kMatrix, file, {}).edges);
  EXPECT_EQ(refusal([&] { read_graph(file, {.max_bytes = 50}); }),
            file.string() + ": too large for this machine: unpacked it has more than 50 bytes");
  const std::string whole = read_file(file);
  write_file(file, whole.substr(0, whole.size() - 5));
  const std::string cut = refusal([&] { read_graph(file, {}); });
  EXPECT_TRUE(cut.starts_with(file.string() + ": cannot be unpacked: ")) << cut;
}

TEST(GraphFile, LargerThanMemoryIsRefused) {
  for (const std::string& contents : {kText, kBinary}) {
    EXPECT_EQ(refusal([&] { parse(contents, {.max_bytes = 8}); }),
              "graph: too large for this machine: a rank's share is 2 edges or more, 1 of them fit "
              "into memory");
  }
}

}  // namespace
}  // namespace cleave::components
