// SPDX-License-Identifier: Apache-2.0
#include "apps/components/graph_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <utility>

#include <cleave/error.hpp>
#include <cleave/sizes.hpp>

namespace cleave::components {

namespace {

constexpr std::string_view kBlanks = " \t\r";
constexpr std::string_view kMatrixMarket = "%%MatrixMarket";
constexpr std::array<std::pair<std::string_view, GraphFormat>, 4> kFormats = {
    {{"text", GraphFormat::text},
     {"binary", GraphFormat::binary},
     {"matrix-market", GraphFormat::matrix_market},
     {"metis", GraphFormat::metis}}};

/// A file in memory, page by page as it is read.
class MappedFile {
 public:
  explicit MappedFile(const std::filesystem::path& path) {
    if (std::filesystem::is_directory(path)) {
      throw FileError(path, "cannot read: it is a folder");
    }
    file_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat status {};
    if (file_ < 0 || ::fstat(file_, &status) != 0) {
      fail(path);
    }
    if (!S_ISREG(status.st_mode)) {
      ::close(file_);
      throw FileError(path, "cannot read: it is not a regular file");
    }
    size_ = static_cast<std::size_t>(status.st_size);
    if (size_ > 0) {
      data_ = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file_, 0);
      if (data_ == MAP_FAILED) {
        fail(path);
      }
      ::madvise(data_, size_, MADV_SEQUENTIAL);
    }
  }
  ~MappedFile() {
    if (size_ > 0) {
      ::munmap(data_, size_);
    }
    ::close(file_);
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::string_view contents() const { return {static_cast<const char*>(data_), size_}; }

 private:
  [[noreturn]] void fail(const std::filesystem::path& path) const {
    const std::string reason = std::strerror(errno);
    if (file_ >= 0) {
      ::close(file_);
    }
    throw FileError(path, "cannot read: " + reason);
  }

  int file_ = -1;
  void* data_ = nullptr;
  std::size_t size_ = 0;
};

/// The next part of `line` between blanks, which is taken off it; empty at its end.
std::string_view take_token(std::string_view& line) {
  line.remove_prefix(std::min(line.find_first_not_of(kBlanks), line.size()));
  const std::string_view token = line.substr(0, line.find_first_of(kBlanks));
  line.remove_prefix(token.size());
  return token;
}

std::string shortened(std::string_view text) {
  constexpr std::size_t kMax = 40;
  return std::string(text.substr(0, kMax));
}

/// Where a reader is in a file, and how it refuses what it finds there.
class Lines {
 public:
  Lines(std::string_view contents, const std::filesystem::path& file)
      : contents_(contents), file_(file) {}

  const std::filesystem::path& file() const { return file_; }
  std::size_t at() const { return next_; }
  std::size_t size() const { return contents_.size(); }

  /// Goes on at the first line that starts at `offset` or after it.
  void go_to_line_from(std::size_t offset) {
    if (offset <= next_) {
      return;
    }
    const auto end = contents_.find('\n', offset - 1);
    next_ = end == std::string_view::npos ? contents_.size() : end + 1;
  }

  bool take_line(std::string_view& line) {
    if (next_ >= contents_.size()) {
      return false;
    }
    begin_ = next_;
    const auto end = contents_.find('\n', next_);
    line = contents_.substr(begin_, end - begin_);
    next_ = end == std::string_view::npos ? contents_.size() : end + 1;
    return true;
  }

  /// \throws FileError  naming the line taken last
  [[noreturn]] void refuse(const std::string& what) const {
    const auto before = contents_.substr(0, begin_);
    const auto line = std::count(before.begin(), before.end(), '\n') + 1;
    throw FileError(file_, fmt::format("line {}: {}", line, what));
  }

  /// A whole number in [least, most], the next on `line`. \throws FileError
  std::int64_t take_number(std::string_view& line, std::string_view what, std::int64_t minimum,
                           std::int64_t maximum) const {
    const std::string_view token = take_token(line);
    if (token.empty()) {
      refuse(fmt::format("the {} is missing", what));
    }
    std::int64_t number = 0;
    const char* const token_end = token.data() + token.size();
    const auto [end, error] = std::from_chars(token.data(), token_end, number);
    if (error == std::errc::invalid_argument || end != token_end || token.front() == '-') {
      refuse(fmt::format("'{}' is not a {}", shortened(token), what));
    }
    if (error == std::errc::result_out_of_range || number < minimum || number > maximum) {
      refuse(fmt::format("{} {} is out of range: from {} to {}", what, shortened(token), minimum,
                         maximum));
    }
    return number;
  }

 private:
  std::string_view contents_;
  const std::filesystem::path& file_;
  std::size_t begin_ = 0;
  std::size_t next_ = 0;
};

/// The edges read so far, within the memory allowed.
class EdgeStore {
 public:
  EdgeStore(const std::filesystem::path& file, std::int64_t max_bytes)
      : file_(file), max_edges_(static_cast<std::size_t>(max_bytes) / sizeof(Edge)) {}

  void reserve(std::size_t edges) {
    if (edges > max_edges_) {
      throw FileError(file_,
                      fmt::format("too large for this machine: a rank's share is {} edges or "
                                  "more, {} of them fit into memory",
                                  edges, max_edges_));
    }
    edges_.reserve(edges);
  }

  void add(Edge edge) {
    if (edges_.size() == edges_.capacity()) {
      reserve(std::max(edges_.size() + 1, std::min(2 * edges_.size(), max_edges_)));
    }
    edges_.push_back(edge);
  }

  std::size_t size() const { return edges_.size(); }
  Edges take() { return std::move(edges_); }

 private:
  const std::filesystem::path& file_;
  std::size_t max_edges_;
  Edges edges_;
};

GraphSlice parse_text(std::string_view contents, const std::filesystem::path& file,
                      const ReadOptions& options, Slice slice) {
  Lines lines(contents, file);
  const auto size = static_cast<std::int64_t>(contents.size());
  const std::int64_t last_allowed =
      options.vertices ? std::int64_t{*options.vertices} - 1 : kMaxVertices - 1;
  EdgeStore edges(file, options.max_bytes);
  Vertex maximum = 0;
  lines.go_to_line_from(static_cast<std::size_t>(slice.begin(size)));
  const auto end = static_cast<std::size_t>(slice.end(size));
  for (std::string_view line; lines.at() < end && lines.take_line(line);) {
    if (line.starts_with(kMatrixMarket)) {
      lines.refuse(
          "this is a Matrix Market file, whose sizes would be read as an edge; read it by "
          "--format matrix-market");
    }
    std::string_view rest = line;
    const std::string_view first = take_token(rest);
    if (first.empty() || first.front() == '#' || first.front() == '%') {
      continue;
    }
    const auto from =
        static_cast<Vertex>(lines.take_number(line, "vertex number", 0, last_allowed));
    const auto to = static_cast<Vertex>(lines.take_number(line, "vertex number", 0, last_allowed));
    maximum = std::max({maximum, from, to});
    edges.add({from, to});
  }
  const auto count = static_cast<std::int64_t>(edges.size());
  const Vertex seen = count == 0 ? 0 : maximum + 1;
  return {.edges = edges.take(), .vertices = options.vertices.value_or(seen), .entries = count};
}

GraphSlice parse_binary(std::string_view contents, const std::filesystem::path& file,
                        const ReadOptions& options, Slice slice) {
  if (contents.size() % sizeof(Edge) != 0) {
    throw FileError(file, fmt::format("holds {} bytes, which is not a whole number of edges of {} "
                                      "bytes",
                                      contents.size(), sizeof(Edge)));
  }
  const auto total = static_cast<std::int64_t>(contents.size() / sizeof(Edge));
  const std::int64_t first = slice.begin(total);
  const auto count = static_cast<std::size_t>(slice.end(total) - first);
  EdgeStore(file, options.max_bytes).reserve(count);
  GraphSlice read{.edges = Edges(count),
                  .vertices = options.vertices.value_or(0),
                  .entries = static_cast<std::int64_t>(count)};
  if (count > 0) {
    std::memcpy(read.edges.data(), contents.data() + static_cast<std::size_t>(first) * sizeof(Edge),
                count * sizeof(Edge));
  }
  const std::int64_t maximum =
      options.vertices ? std::int64_t{*options.vertices} - 1 : kMaxVertices - 1;
  for (std::size_t i = 0; i < count; ++i) {
    const Vertex greater = std::max(read.edges[i].from, read.edges[i].to);
    if (greater > maximum) {
      throw FileError(file, fmt::format("edge {}: vertex number {} is out of range: from 0 to {}",
                                        static_cast<std::size_t>(first) + i + 1, greater, maximum));
    }
    read.vertices = std::max(read.vertices, greater + 1);
  }
  return read;
}

std::string lower(std::string_view text) {
  std::string copy(text);
  std::transform(copy.begin(), copy.end(), copy.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return copy;
}

GraphSlice parse_matrix_market(std::string_view contents, const std::filesystem::path& file,
                               const ReadOptions& options, Slice slice) {
  Lines lines(contents, file);
  std::string_view line;
  if (!lines.take_line(line) || !line.starts_with(kMatrixMarket)) {
    throw FileError(file, "is not a Matrix Market file: line 1 must begin with %%MatrixMarket");
  }
  take_token(line);
  const std::string object = lower(take_token(line));
  const std::string layout = lower(take_token(line));
  if (object != "matrix" || layout != "coordinate") {
    lines.refuse(fmt::format("'{} {}' is not a graph, expected 'matrix coordinate'",
                             shortened(object), shortened(layout)));
  }
  do {
    if (!lines.take_line(line)) {
      throw FileError(file, "cut short: the line of sizes is missing");
    }
  } while (line.starts_with('%') || line.find_first_not_of(kBlanks) == std::string_view::npos);
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  const std::int64_t rows = lines.take_number(line, "number of rows", 0, kMaxVertices);
  const std::int64_t columns = lines.take_number(line, "number of columns", 0, kMaxVertices);
  const std::int64_t told = lines.take_number(line, "number of entries", 0, kMax);
  if (rows != columns) {
    lines.refuse(fmt::format("{} rows and {} columns, a graph's matrix is square", rows, columns));
  }
  if (options.vertices && rows > *options.vertices) {
    lines.refuse(
        fmt::format("{} rows, more than the {} vertices asked for", rows, *options.vertices));
  }

  EdgeStore edges(file, options.max_bytes);
  const std::size_t begin = lines.at();
  const auto size = static_cast<std::int64_t>(contents.size() - begin);
  lines.go_to_line_from(begin + static_cast<std::size_t>(slice.begin(size)));
  const std::size_t end = begin + static_cast<std::size_t>(slice.end(size));
  while (lines.at() < end && lines.take_line(line)) {
    if (line.starts_with('%') || line.find_first_not_of(kBlanks) == std::string_view::npos) {
      continue;
    }
    const auto from = static_cast<Vertex>(lines.take_number(line, "row", 1, rows) - 1);
    const auto to = static_cast<Vertex>(lines.take_number(line, "column", 1, rows) - 1);
    edges.add({from, to});
  }
  const auto count = static_cast<std::int64_t>(edges.size());
  return {.edges = edges.take(),
          .vertices = options.vertices.value_or(static_cast<Vertex>(rows)),
          .entries = count,
          .entries_told = told};
}

/// The header of a METIS graph, and what stands on a line before and between its neighbours.
struct MetisHeader {
  std::int64_t vertices = 0;
  std::int64_t edges = 0;
  std::int64_t numbers_before = 0;  ///< a vertex's size and weights
  bool has_edge_weights = false;
};

MetisHeader take_metis_header(const Lines& lines, std::string_view line) {
  constexpr std::int64_t kMaxEdges = std::numeric_limits<std::int64_t>::max() / 2;
  MetisHeader header;
  header.vertices = lines.take_number(line, "number of vertices", 0, kMaxVertices);
  header.edges = lines.take_number(line, "number of edges", 0, kMaxEdges);
  std::string format(take_token(line));
  if (format.size() > 3 || format.find_first_not_of("01") != std::string::npos) {
    lines.refuse(
        fmt::format("'{}' is not a format: up to three digits, each 0 or 1", shortened(format)));
  }
  format.insert(0, 3 - format.size(), '0');
  header.has_edge_weights = format[2] == '1';
  std::int64_t weights = format[1] == '1' ? 1 : 0;
  if (line.find_first_not_of(kBlanks) != std::string_view::npos) {
    constexpr std::int64_t kMaxWeights = 1000;
    const std::int64_t told = lines.take_number(line, "number of weights", 0, kMaxWeights);
    weights = format[1] == '1' ? told : 0;
  }
  header.numbers_before = weights + (format[0] == '1' ? 1 : 0);
  return header;
}

GraphSlice parse_metis(std::string_view contents, const std::filesystem::path& file,
                       const ReadOptions& options, Slice slice) {
  Lines lines(contents, file);
  std::string_view line;
  do {
    if (!lines.take_line(line)) {
      throw FileError(file, "cut short: the line of sizes is missing");
    }
  } while (line.starts_with('%'));
  const MetisHeader header = take_metis_header(lines, line);
  if (options.vertices && header.vertices > *options.vertices) {
    lines.refuse(
        fmt::format("{} vertices, more than the {} asked for", header.vertices, *options.vertices));
  }

  EdgeStore edges(file, options.max_bytes);
  const std::size_t begin = lines.at();
  const auto size = static_cast<std::int64_t>(contents.size() - begin);
  const std::size_t from = begin + static_cast<std::size_t>(slice.begin(size));
  const std::size_t end = begin + static_cast<std::size_t>(slice.end(size));
  constexpr std::int64_t kMaxWeight = std::numeric_limits<std::int64_t>::max();
  std::int64_t vertex = 0;
  std::int64_t mentions = 0;
  // The lines before the slice are counted, since a line's number is its vertex.
  while (lines.at() < end) {
    const bool is_mine = lines.at() >= from;
    if (!lines.take_line(line)) {
      break;
    }
    if (line.starts_with('%')) {
      continue;
    }
    ++vertex;
    if (vertex > header.vertices) {
      if (line.find_first_not_of(kBlanks) != std::string_view::npos) {
        lines.refuse(fmt::format("more lines than the {} vertices told", header.vertices));
      }
      continue;
    }
    if (!is_mine) {
      continue;
    }
    for (std::int64_t i = 0; i < header.numbers_before; ++i) {
      lines.take_number(line, "weight", 0, kMaxWeight);
    }
    while (line.find_first_not_of(kBlanks) != std::string_view::npos) {
      const std::int64_t neighbour = lines.take_number(line, "vertex", 1, header.vertices);
      if (header.has_edge_weights) {
        lines.take_number(line, "edge weight", 0, kMaxWeight);
      }
      ++mentions;
      // Each edge is mentioned by both of its ends and taken from the lesser.
      if (neighbour > vertex) {
        edges.add({static_cast<Vertex>(vertex - 1), static_cast<Vertex>(neighbour - 1)});
      }
    }
  }
  if (slice.index == slice.count - 1 && vertex < header.vertices) {
    throw FileError(file, fmt::format("cut short: {} lines of neighbours for {} vertices", vertex,
                                      header.vertices));
  }
  return {.edges = edges.take(),
          .vertices = options.vertices.value_or(static_cast<Vertex>(header.vertices)),
          .entries = mentions,
          .entries_told = 2 * header.edges};
}

}  // namespace

GraphFormat graph_format_named(std::string_view name) {
  for (const auto& [known, format] : kFormats) {
    if (known == name) {
      return format;
    }
  }
  throw UsageError(
      fmt::format("'{}' is not one of auto, text, binary, matrix-market, metis", name));
}

GraphFormat graph_format_of(const std::filesystem::path& file) {
  const std::string extension = lower(file.extension().string());
  if (extension == ".mtx") {
    return GraphFormat::matrix_market;
  }
  if (extension == ".graph" || extension == ".metis") {
    return GraphFormat::metis;
  }
  if (extension == ".bin") {
    return GraphFormat::binary;
  }
  const MappedFile mapped(file);
  return mapped.contents().starts_with(kMatrixMarket) ? GraphFormat::matrix_market
                                                      : GraphFormat::text;
}

GraphSlice read_graph(const std::filesystem::path& file, GraphFormat format,
                      const ReadOptions& options, Slice slice) {
  const MappedFile mapped(file);
  return parse_graph(mapped.contents(), file, format, options, slice);
}

GraphSlice parse_graph(std::string_view contents, const std::filesystem::path& file,
                       GraphFormat format, const ReadOptions& options, Slice slice) {
  switch (format) {
    case GraphFormat::text:
      return parse_text(contents, file, options, slice);
    case GraphFormat::binary:
      return parse_binary(contents, file, options, slice);
    case GraphFormat::matrix_market:
      return parse_matrix_market(contents, file, options, slice);
    case GraphFormat::metis:
      return parse_metis(contents, file, options, slice);
  }
  return {};
}

void check_entries(const std::filesystem::path& file, std::int64_t entries,
                   std::optional<std::int64_t> entries_told) {
  if (entries_told && entries != *entries_told) {
    throw FileError(file,
                    fmt::format("says that it has {} entries, but has {}", *entries_told, entries));
  }
  if (!entries_told && entries == 0) {
    throw FileError(file, "holds no edge");
  }
}

}  // namespace cleave::components
