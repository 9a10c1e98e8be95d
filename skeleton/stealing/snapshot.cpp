// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <boost/crc.hpp>
#include <charconv>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <cleave/error.hpp>
#include <cleave/file.hpp>
#include <cleave/host/provenance_here.hpp>
#include <cleave/stealing/snapshot.hpp>
#include <cleave/trace/json_fields.hpp>
#include <cleave/wire.hpp>

namespace cleave::detail {

using nlohmann::json;

namespace {

constexpr const char* kFormat = "cleave-snapshot";
constexpr int kVersion = 1;
constexpr std::string_view kPrefix = "snapshot-";
constexpr std::string_view kManifestEnd = ".json";
constexpr std::int64_t kKept = 2;
constexpr std::size_t kChecksumBytes = sizeof(std::uint64_t);

/// What a part begins with, so that one that was mixed up is told apart.
struct PartHeader {
  std::uint64_t magic = 0x7061'7274'636c'6576;
  std::int64_t version = kVersion;
  std::int64_t generation = 0;
  std::int64_t rank = 0;

  friend bool operator==(const PartHeader&, const PartHeader&) = default;
};

struct PartFile {
  PartHeader header;
  SnapshotPart part;
};

/// CRC-64 of ECMA-182, as in the xz format.
std::uint64_t checksum_of(std::span<const std::byte> bytes) {
  boost::crc_optimal<64, 0x42F0E1EBA9EA3693, ~0ULL, ~0ULL, true, true> crc;
  crc.process_bytes(bytes.data(), bytes.size());
  return crc.checksum();
}

std::uint64_t checksum_of(const std::string& text) {
  return checksum_of(std::as_bytes(std::span(text)));
}

std::string hexadecimal(std::uint64_t number) { return fmt::format("{:016x}", number); }

std::uint64_t read_hexadecimal(const JsonFields& fields, const char* name) {
  const std::string text = fields.text(name);
  std::uint64_t number = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), number, 16);
  if (result.ec != std::errc{} || result.ptr != text.data() + text.size()) {
    fields.refuse(name, "is not a hexadecimal number");
  }
  return number;
}

/// Makes names that were given to files in `folder` last.
void sync_folder(const std::filesystem::path& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY);
  const bool is_synced = descriptor >= 0 && ::fsync(descriptor) == 0;
  const int error = errno;
  if (descriptor >= 0) {
    ::close(descriptor);
  }
  if (!is_synced) {
    throw FileError(folder, std::string("cannot sync: ") + std::strerror(error));
  }
}

/// The generation of a file's name, "snapshot-000012..."; none if it is no snapshot's.
std::optional<std::int64_t> generation_of(const std::string& name) {
  if (!name.starts_with(kPrefix)) {
    return std::nullopt;
  }
  std::int64_t generation = 0;
  const auto result =
      std::from_chars(name.data() + kPrefix.size(), name.data() + name.size(), generation);
  return result.ec == std::errc{} ? std::optional(generation) : std::nullopt;
}

/// Removes the files of all generations that `unwanted` says yes to, manifests first.
template <class Unwanted>
void remove_generations(const std::filesystem::path& folder, Unwanted&& unwanted) {
  std::vector<std::filesystem::path> manifests;
  std::vector<std::filesystem::path> parts;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename();
    const auto generation = generation_of(name);
    if (generation && unwanted(*generation)) {
      (name.ends_with(kManifestEnd) ? manifests : parts).push_back(entry.path());
    }
  }
  for (const auto* paths : {&manifests, &parts}) {
    for (const std::filesystem::path& path : *paths) {
      std::filesystem::remove(path);
    }
  }
}

/// The generations that have a manifest, the newest last.
std::vector<std::int64_t> complete_generations(const std::filesystem::path& folder) {
  std::vector<std::int64_t> generations;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename();
    const auto generation = generation_of(name);
    if (generation && name.ends_with(kManifestEnd)) {
      generations.push_back(*generation);
    }
  }
  std::sort(generations.begin(), generations.end());
  return generations;
}

}  // namespace

SnapshotFolder::SnapshotFolder(const Comm& comm, const CheckpointOptions& options)
    : comm_(comm), options_(options) {
  agree(comm_, [&] {
    if (comm_.rank() == 0) {
      try {
        open();
      } catch (const std::filesystem::filesystem_error& e) {
        throw FileError(options_.folder, e.code().message());
      }
    }
  });
  resumed_from_ = comm_.allreduce_max(resumed_from_);
  next_generation_ = comm_.allreduce_max(next_generation_);
}

void SnapshotFolder::open() {
  std::filesystem::create_directories(options_.folder);
  const std::vector<std::int64_t> generations = complete_generations(options_.folder);
  if (!generations.empty()) {
    const std::int64_t newest = generations.back();
    if (!options_.resume) {
      throw FileError(options_.folder,
                      "holds a snapshot: resume from it, or choose another folder");
    }
    read_manifest(newest);
    resumed_from_ = newest;
    next_generation_ = newest + 1;
  }
  remove_generations(options_.folder, [&](std::int64_t generation) {
    return std::find(generations.begin(), generations.end(), generation) == generations.end();
  });
}

SnapshotFolder::Manifest SnapshotFolder::read_manifest(std::int64_t generation) const {
  const std::filesystem::path path = manifest_path(generation);
  const json object = parse_json_object(path, "", read_file(path));
  const JsonFields fields(path, "", object);
  check_format(fields, kFormat, kVersion);
  json unsigned_object = object;
  unsigned_object.erase("checksum");
  if (read_hexadecimal(fields, "checksum") != checksum_of(unsigned_object.dump())) {
    fields.refuse("checksum", "does not fit: the manifest is damaged");
  }
  const auto require = [&fields](const char* name, const std::string& expected) {
    if (fields.text(name) != expected) {
      fields.refuse(name,
                    fmt::format("is '{}', but this run's is '{}'", fields.text(name), expected));
    }
  };
  require("app", options_.app);
  require("instance", options_.instance);
  require("program_version", version());
  Manifest manifest{.generation = fields.integer<std::int64_t>("generation", 1)};
  if (manifest.generation != generation) {
    fields.refuse("generation", "is not that of the file's name");
  }
  for (const JsonFields& part : fields.objects("parts")) {
    manifest.parts.push_back({.bytes = part.integer<std::int64_t>("bytes", 0),
                              .checksum = read_hexadecimal(part, "checksum")});
  }
  return manifest;
}

std::vector<SnapshotPart> SnapshotFolder::restore() const {
  return agree(comm_, [&] {
    std::vector<SnapshotPart> parts;
    if (resumed_from_ > 0) {
      const Manifest manifest = read_manifest(resumed_from_);
      for (int rank = comm_.rank(); rank < std::ssize(manifest.parts); rank += comm_.size()) {
        parts.push_back(read_part(resumed_from_, rank, manifest.parts[rank]));
      }
    }
    return parts;
  });
}

SnapshotPart SnapshotFolder::read_part(std::int64_t generation, int rank,
                                       const Part& expected) const {
  const std::filesystem::path path = part_path(generation, rank);
  const std::string text = read_file(path);
  const std::span bytes = std::as_bytes(std::span(text));
  if (std::ssize(bytes) != expected.bytes || bytes.size() < kChecksumBytes) {
    throw FileError(path, fmt::format("is damaged: it has {} bytes, expected {}", bytes.size(),
                                      expected.bytes));
  }
  const std::span content = bytes.first(bytes.size() - kChecksumBytes);
  if (checksum_of(content) != expected.checksum) {
    throw FileError(path, "is damaged: its checksum is not the manifest's");
  }
  Unpacker unpacker(content);
  auto file = wire<PartFile>::unpack(unpacker);
  if (file.header != PartHeader{.generation = generation, .rank = rank}) {
    throw FileError(path, "is not the part that its name says");
  }
  return std::move(file.part);
}

bool SnapshotFolder::is_due(std::int64_t now_ns) {
  const auto every_ns = static_cast<std::int64_t>(options_.every_s * 1e9);
  if (due_ns_ == kNotStarted) {
    due_ns_ = now_ns + every_ns;
  }
  return now_ns >= due_ns_;
}

void SnapshotFolder::write_part(std::span<const std::byte> nodes, std::span<const std::byte> totals,
                                std::int64_t incumbent) {
  const std::int64_t generation = next_generation_++;
  Packer packer;
  wire<PartFile>::pack(packer, {.header = {.generation = generation, .rank = comm_.rank()},
                                .part = {.nodes = {nodes.begin(), nodes.end()},
                                         .totals = {totals.begin(), totals.end()},
                                         .incumbent = incumbent}});
  const std::uint64_t checksum = checksum_of(packer.bytes());
  packer.put(&checksum, kChecksumBytes);
  const std::span<const std::byte> bytes = packer.bytes();
  write_file(part_path(generation, comm_.rank()),
             {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

void SnapshotFolder::complete(std::int64_t now_ns) {
  const std::int64_t generation = next_generation_ - 1;
  json parts = json::array();
  for (int rank = 0; rank < comm_.size(); ++rank) {
    const std::filesystem::path path = part_path(generation, rank);
    std::ifstream stream(path, std::ios::binary);
    std::uint64_t checksum = 0;
    stream.seekg(-static_cast<std::streamoff>(kChecksumBytes), std::ios::end);
    stream.read(reinterpret_cast<char*>(&checksum), kChecksumBytes);
    if (!stream) {
      throw FileError(path, "cannot read: do all ranks see the same folder?");
    }
    parts.push_back({{"bytes", static_cast<std::int64_t>(stream.tellg())},
                     {"checksum", hexadecimal(checksum)}});
  }
  json manifest = {{"format", kFormat},
                   {"version", kVersion},
                   {"app", options_.app},
                   {"instance", options_.instance},
                   {"program_version", version()},
                   {"generation", generation},
                   {"parts", std::move(parts)}};
  manifest["checksum"] = hexadecimal(checksum_of(manifest.dump()));
  sync_folder(options_.folder);
  write_file(manifest_path(generation), manifest.dump(1) + "\n");
  sync_folder(options_.folder);
  remove_generations(options_.folder,
                     [&](std::int64_t other) { return other <= generation - kKept; });
  ++written_;
  due_ns_ = now_ns + static_cast<std::int64_t>(options_.every_s * 1e9);
}

std::filesystem::path SnapshotFolder::manifest_path(std::int64_t generation) const {
  return options_.folder / fmt::format("{}{:06}{}", kPrefix, generation, kManifestEnd);
}

std::filesystem::path SnapshotFolder::part_path(std::int64_t generation, int rank) const {
  return options_.folder / fmt::format("{}{:06}.rank-{:05}", kPrefix, generation, rank);
}

void remove_snapshots(const std::filesystem::path& folder) {
  remove_generations(folder, [](std::int64_t) { return true; });
}

}  // namespace cleave::detail
