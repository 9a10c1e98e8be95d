// SPDX-License-Identifier: Apache-2.0
// Every reader of files from outside under libFuzzer: whatever the bytes are, it answers or throws
// an Error of one line, and takes no more memory than a multiple of them. The environment variable
// CLEAVE_READER names the reader.
#include <sanitizer/allocator_interface.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <iostream>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <cleave/detail/trace/machine_file.hpp>
#include <cleave/error.hpp>
#include <cleave/wire.hpp>

#include "apps/components/graph_file.hpp"
#include "apps/flowshop/taillard.hpp"
#include "models/model/model_file.hpp"
#include "models/network/machine_import.hpp"
#include "models/predict/prediction.hpp"
#include "models/traces/samples.hpp"
#include "skeleton/splitting/ledger/plan_file.hpp"
#include "skeleton/splitting/tree/tree_file.hpp"

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

void read_model_and_ask(const std::filesystem::path& path) {
  const models::Model model = models::read_model(path);
  for (const models::RunOfModel& run : model.fitted) {
    for (const int ranks : {1, 2, 3}) {
      models::predict(model, ranks, run.sizes);
    }
  }
}

void read_trace_and_collect(const std::filesystem::path& path) {
  const detail::Trace trace = detail::read_trace(path);
  models::collect_measurements({&trace, 1});
}

template <components::GraphFormat format>
void read_graph(std::string_view bytes) {
  constexpr std::int64_t kMaxBytes = 64 << 20;
  components::parse_graph(bytes, "graph", format, {.max_bytes = kMaxBytes});
}

/// How much memory is in use beyond what was when the reader began.
class Memory {
 public:
  static void watch() {
    __sanitizer_install_malloc_and_free_hooks(
        [](const volatile void* /*memory*/, std::size_t bytes) {
          used += static_cast<std::ptrdiff_t>(bytes);
          most = std::max(most, used);
        },
        [](const volatile void* memory) {
          if (memory != nullptr) {
            used -= static_cast<std::ptrdiff_t>(
                __sanitizer_get_allocated_size(const_cast<const void*>(memory)));
          }
        });
  }
  static void begin() { used = most = 0; }

  /// Ends the process, as a finding, if a reader has taken more than it may for so many bytes.
  static void check(std::size_t input_bytes) {
    constexpr std::ptrdiff_t kAtOnce = 4 << 20;
    constexpr std::ptrdiff_t kMultiple = 256;
    if (most > kAtOnce + kMultiple * static_cast<std::ptrdiff_t>(input_bytes)) {
      std::cerr << "an input of " << input_bytes << " bytes takes " << most << '\n';
      std::abort();
    }
  }

 private:
  static inline std::ptrdiff_t used = 0;
  static inline std::ptrdiff_t most = 0;
};

using Reader = std::function<void(std::string_view)>;

Reader of_file(void (*read)(const std::filesystem::path&)) {
  return [read](std::string_view bytes) { read(MemoryFile(bytes).path()); };
}

const std::map<std::string_view, Reader>& readers() {
  using components::GraphFormat;
  static const std::map<std::string_view, Reader> all = {
      {"trace", of_file(read_trace_and_collect)},
      {"machine", of_file([](const auto& path) { detail::read_machine(path); })},
      {"model", of_file(read_model_and_ask)},
      {"osu", of_file([](const auto& path) { models::read_osu_table(path); })},
      {"tree", of_file([](const auto& path) { splitting::read_tree(path); })},
      {"plan", of_file([](const auto& path) { splitting::read_plan(path); })},
      {"graph-text", read_graph<GraphFormat::text>},
      {"graph-binary", read_graph<GraphFormat::binary>},
      {"graph-matrix-market", read_graph<GraphFormat::matrix_market>},
      {"graph-metis", read_graph<GraphFormat::metis>},
      {"instance", [](std::string_view bytes) { flowshop::parse_taillard_file(bytes, "file"); }},
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
    const auto found = cleave::readers().find(name == nullptr ? "" : name);
    if (found == cleave::readers().end()) {
      std::cerr << "reader_fuzzer: CLEAVE_READER must be one of";
      for (const auto& [known, read] : cleave::readers()) {
        std::cerr << ' ' << known;
      }
      std::cerr << '\n';
      std::exit(2);
    }
    cleave::Memory::watch();
    return found;
  }();
  cleave::Memory::begin();
  try {
    reader->second({reinterpret_cast<const char*>(data), size});
  } catch (const cleave::Error& e) {
    if (std::string_view(e.what()).find('\n') != std::string_view::npos) {
      std::cerr << "more than one line: " << e.what() << '\n';
      std::abort();
    }
  }
  cleave::Memory::check(size);
  return 0;
}
