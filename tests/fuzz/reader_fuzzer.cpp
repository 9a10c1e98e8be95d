// SPDX-License-Identifier: Apache-2.0
// Every reader of files from outside under libFuzzer: whatever the bytes are, it answers or throws
// an Error of one line. The reader's name is in the environment (CLEAVE_READER), or the program's.
#include <mpi.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <cleave/comm.hpp>
#include <cleave/error.hpp>
#include <cleave/file.hpp>
#include <cleave/host/host.hpp>
#include <cleave/kernel/snapshot.hpp>
#include <cleave/trace/json_fields.hpp>
#include <cleave/trace/machine_file.hpp>
#include <cleave/trace/words.hpp>
#include <cleave/wire.hpp>

#include "apps/components/graph_file.hpp"
#include "apps/flowshop/instance.hpp"
#include "apps/quicksort/key_file.hpp"
#include "apps/reading/reading.hpp"
#include "apps/splitting/plan_file.hpp"
#include "apps/splitting/tree.hpp"
#include "models/tables/table.hpp"
#include "models/theory/model_file.hpp"
#include "models/theory/prediction.hpp"
#include "models/theory/samples.hpp"

namespace cleave {
namespace {

/// A message of this type has everything that the wire knows in it.
struct Anything {
  std::vector<std::string> texts;
  std::map<std::int32_t, std::optional<double>> numbers;
  std::variant<std::int64_t, std::vector<bool>, std::string> one;
  std::vector<std::pair<std::int8_t, std::array<std::uint16_t, 3>>> pairs;
};

/// Bytes as a file that readers open by a name.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view bytes) : file_(::memfd_create("input", 0)) {
    if (::write(file_, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) {
      std::abort();
    }
  }
  ~MemoryFile() { ::close(file_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  std::filesystem::path path() const { return "/proc/self/fd/" + std::to_string(file_); }

 private:
  int file_;
};

/// A value that has been read is written, and read as the same. An exception is a finding.
void go_round(const std::string& text,
              std::string (*again)(const std::filesystem::path&)) noexcept {
  if (again(MemoryFile(text).path()) != text) {
    std::abort();
  }
}

void read_model_and_ask(const std::filesystem::path& path) {
  const models::Model model = models::read_model(path);
  go_round(models::model_text(model),
           [](const auto& again) { return models::model_text(models::read_model(again)); });
  for (const models::RunPoint& run : model.fitted) {
    for (const int ranks : {1, 2, 3}) {
      models::predict(model, ranks, run.sizes);
    }
  }
}

void read_trace_and_collect(const std::filesystem::path& path) {
  const detail::Trace trace = detail::read_trace(path);
  models::collect_measurements({&trace, 1});
}

constexpr std::int64_t kMaxBytes = 64 << 20;

/// In slices, as ranks do, which must have together what the whole has.
void read_graph(std::string_view bytes) {
  const components::ReadOptions options = {.max_bytes = kMaxBytes};
  const auto whole = components::parse_graph(bytes, "graph", options);
  components::check_graph("graph", options, whole.facts, whole.head);
  components::GraphFacts together;
  for (int i = 0; i < 3; ++i) {
    together.add(components::parse_graph(bytes, "graph", options, {i, 3}).facts);
  }
  if (together.entries != whole.facts.entries || together.vertices != whole.facts.vertices) {
    std::abort();
  }
}

void read_packed(const std::filesystem::path& path) { reading::Contents(path, kMaxBytes).text(); }

template <class Key>
void read_text_keys(std::string_view bytes) {
  std::size_t in_slices = 0;
  for (int i = 0; i < 3; ++i) {
    in_slices += quicksort::parse_keys<Key>(bytes, "keys", {i, 3}).size();
  }
  if (in_slices != quicksort::parse_keys<Key>(bytes, "keys").size()) {
    std::abort();
  }
}

/// This process alone, with MPI begun.
Comm alone() {
  int is_begun = 0;
  MPI_Initialized(&is_begun);
  if (is_begun == 0) {
    MPI_Init(nullptr, nullptr);
  }
  return Comm(MPI_COMM_SELF);
}

/// The first line is a manifest, the rest rank 0's part. They get the version and the checksum
/// without which they would not be looked at.
void resume_from_snapshot(std::string_view bytes) {
  const std::size_t end = bytes.find('\n');
  std::string manifest(bytes.substr(0, end));
  std::string part(end == bytes.npos ? "" : bytes.substr(end + 1));
  const std::uint64_t of_part = detail::crc_64(std::as_bytes(std::span(part)));
  part.append(reinterpret_cast<const char*>(&of_part), sizeof(of_part));
  auto object = nlohmann::json::parse(manifest, nullptr, false);
  if (object.is_object()) {
    object["program_version"] = detail::version();
    manifest = object.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  }
  const Comm comm = alone();
  static const std::string folder = [] {
    std::string name = std::filesystem::temp_directory_path() / "cleave-fuzz-XXXXXX";
    if (::mkdtemp(name.data()) == nullptr) {
      std::abort();
    }
    return name;
  }();
  std::ofstream(folder + "/cleave-snapshot-000001.json", std::ios::binary) << manifest;
  std::ofstream(folder + "/cleave-snapshot-000001.rank-00000", std::ios::binary) << part;
  const CheckpointOptions options{.folder = folder, .resume = true, .app = "a", .instance = "i"};
  detail::SnapshotFolder(comm, *comm.transport(), options).read_share();
}

void read_keys(const std::filesystem::path& path) {
  alone();
  const quicksort::KeyFile file(path, sizeof(std::int32_t));
  std::vector<std::int32_t> keys(static_cast<std::size_t>(file.keys()));
  file.read<std::int32_t>(0, keys);
}

using Reader = std::function<void(std::string_view)>;

Reader of_file(void (*read)(const std::filesystem::path&)) {
  return [read](std::string_view bytes) { read(MemoryFile(bytes).path()); };
}

const std::map<std::string_view, Reader>& readers() {
  static const std::map<std::string_view, Reader> all = {
      {"trace", of_file(read_trace_and_collect)},
      {"machine", of_file([](const auto& path) {
         go_round(detail::json_text(detail::read_machine(path)),
                  [](const auto& again) { return detail::json_text(detail::read_machine(again)); });
       })},
      {"model", of_file(read_model_and_ask)},
      {"tree", of_file([](const auto& path) { splitting::parse_tree(path, read_file(path)); })},
      {"plan", of_file([](const auto& path) {
         splitting::PlanFile plan;
         auto object = detail::JsonFields::parse(path.string(), "", read_file(path));
         fields(object, plan);
       })},
      {"graph", read_graph},
      {"table", [](std::string_view bytes) { models::rows_of("table", bytes); }},
      {"keys", of_file(read_keys)},
      {"keys-text", read_text_keys<std::int32_t>},
      {"keys-text-float", read_text_keys<float>},
      {"packed", of_file(read_packed)},
      {"snapshot", resume_from_snapshot},
      {"instance", [](std::string_view bytes) { flowshop::parse_instance(bytes, "file"); }},
      {"wire", [](std::string_view bytes) {
         Unpacker unpacker(std::as_bytes(std::span(bytes.data(), bytes.size())));
         wire<Anything>::unpack(unpacker);
       }}};
  return all;
}

}  // namespace
}  // namespace cleave

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const auto reader = [] {
    const char* const name = std::getenv("CLEAVE_READER");
    const auto found =
        cleave::readers().find(name == nullptr ? program_invocation_short_name : name);
    if (found == cleave::readers().end()) {
      std::cerr << "reader_fuzzer: CLEAVE_READER must be one of";
      for (const auto& [known, read] : cleave::readers()) {
        std::cerr << ' ' << known;
      }
      std::cerr << '\n';
      std::exit(2);
    }
    return found;
  }();
  try {
    reader->second({reinterpret_cast<const char*>(data), size});
  } catch (const cleave::Error& e) {
    if (std::string_view(e.what()).find('\n') != std::string_view::npos) {
      std::cerr << "more than one line: " << e.what() << '\n';
      std::abort();
    }
  }
  return 0;
}
