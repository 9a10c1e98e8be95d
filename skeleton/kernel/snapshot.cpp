// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <regex>
#include <string>
#include <utility>

#include <cleave/error.hpp>
#include <cleave/file.hpp>
#include <cleave/host/provenance_here.hpp>
#include <cleave/kernel/snapshot.hpp>
#include <cleave/trace/checksum.hpp>
#include <cleave/trace/json_fields.hpp>
#include <cleave/trace/provenance.hpp>
#include <cleave/wire.hpp>

namespace cleave::detail {

using nlohmann::json;

namespace {

constexpr const char* kFormat = "cleave-snapshot";
constexpr int kVersion = 2;
constexpr const char* kLockFile = "cleave-snapshot.lock";
constexpr std::size_t kKept = 2;
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

/// A file of a snapshot in a folder.
struct File {
  std::filesystem::path path;
  std::int64_t generation;
  bool is_manifest;
  bool is_link;  ///< somebody else's: it is neither read nor removed, nor written through
};

/// The files in `folder` that a snapshot writes, the unfinished ones of a killed run among them.
/// Also links of such names, and nothing else that is there.
std::vector<File> snapshot_files(const std::filesystem::path& folder) {
  static const std::regex kName(
      R"(cleave-snapshot-(\d{6,18})(\.json|\.rank-\d{5,9})(\.[0-9a-f]{8}\.partial)?)");
  std::vector<File> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename();
    std::smatch match;
    const bool is_link = entry.is_symlink();
    if ((is_link || entry.is_regular_file()) && std::regex_match(name, match, kName)) {
      files.push_back({.path = entry.path(),
                       .generation = std::stoll(match[1]),
                       .is_manifest = match[2] == ".json" && !match[3].matched,
                       .is_link = is_link});
    }
  }
  return files;
}

/// Removes the files of all generations that `unwanted` says yes to, manifests first.
template <class Unwanted>
void remove_generations(const std::filesystem::path& folder, Unwanted&& unwanted) {
  const std::vector<File> files = snapshot_files(folder);
  for (const bool is_manifest : {true, false}) {
    for (const File& file : files) {
      if (!file.is_link && file.is_manifest == is_manifest && unwanted(file.generation)) {
        std::filesystem::remove(file.path);
      }
    }
  }
}

/// The generations that have a manifest, the newest first.
std::vector<std::int64_t> complete_generations(const std::filesystem::path& folder) {
  std::vector<std::int64_t> generations;
  for (const File& file : snapshot_files(folder)) {
    if (!file.is_link && file.is_manifest) {
      generations.push_back(file.generation);
    }
  }
  std::sort(generations.rbegin(), generations.rend());
  return generations;
}

}  // namespace

FolderLock::FolderLock(const std::filesystem::path& folder) : path_(folder / kLockFile) {
  for (;;) {
    file_ = ::open(path_.c_str(), O_CREAT | O_RDWR | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (file_ < 0) {
      throw FileError(path_, std::string("cannot write: ") + std::strerror(errno));
    }
    if (::flock(file_, LOCK_EX | LOCK_NB) != 0) {
      state_ = errno == EWOULDBLOCK ? State::of_another_run : State::unsupported;
      return;
    }
    struct stat of_file {};
    struct stat of_name {};
    if (::fstat(file_, &of_file) == 0 && ::stat(path_.c_str(), &of_name) == 0 &&
        of_file.st_dev == of_name.st_dev && of_file.st_ino == of_name.st_ino) {
      return;
    }
    ::close(file_);  // the run that held it has removed it
  }
}

FolderLock::~FolderLock() {
  if (file_ >= 0) {
    if (state_ != State::of_another_run) {
      ::unlink(path_.c_str());
    }
    ::close(file_);
  }
}

SnapshotFolder::SnapshotFolder(const Comm& comm, const CheckpointOptions& options)
    : comm_(comm), options_(options) {
  std::vector<std::int64_t> generations = agree(comm_, [&] {
    try {
      return comm_.rank() == 0 ? open() : std::vector<std::int64_t>();
    } catch (const std::filesystem::filesystem_error& e) {
      throw FileError(options_.folder, e.code().message());
    }
  });
  next_generation_ = comm_.allreduce_max(next_generation_);
  generations.resize(static_cast<std::size_t>(comm_.allreduce_max(std::ssize(generations))));
  comm_.bcast(std::as_writable_bytes(std::span(generations)), 0);
  std::string damage;
  for (const std::int64_t generation : generations) {
    try {
      parts_ = agree(comm_, [&] { return read_share(generation); });
      resumed_from_ = generation;
      break;
    } catch (const std::exception& e) {
      damage = damage.empty() ? e.what() : damage;
      damaged_.push_back(generation);
    }
  }
  if (generations.empty()) {
    return;
  }
  if (resumed_from_ == 0) {
    throw Error(damage);
  }
  if (!damage.empty() && comm_.rank() == 0 && options_.warn) {
    options_.warn(fmt::format("{}; resuming from snapshot {}", damage, resumed_from_));
  }
}

/// Takes the folder; what is in it stays until a snapshot of this run is whole.
/// \return  the snapshots to resume from, the newest first
std::vector<std::int64_t> SnapshotFolder::open() {
  if (options_.folder.empty() || !(options_.every_s > 0)) {
    throw Error(
        fmt::format("snapshots need a folder and a time between two that is above 0, not "
                    "'{}' and {} s",
                    options_.folder.string(), options_.every_s));
  }
  std::filesystem::create_directories(options_.folder);
  lock_ = std::make_unique<FolderLock>(options_.folder);
  if (lock_->state() == FolderLock::State::of_another_run) {
    throw FileError(options_.folder,
                    "another run writes its snapshots here: wait for its end, or choose another "
                    "folder");
  }
  if (lock_->state() == FolderLock::State::unsupported && options_.warn) {
    options_.warn(options_.folder.string() +
                  ": cannot be locked here: no other run may use it at the same time");
  }
  const std::vector<std::int64_t> generations = complete_generations(options_.folder);
  if (!generations.empty() && !options_.resume) {
    throw FileError(options_.folder, "holds a snapshot: resume from it, or choose another folder");
  }
  require_same_search(generations);
  for (const File& file : snapshot_files(options_.folder)) {
    next_generation_ = std::max(next_generation_, file.generation + 1);
  }
  return generations;
}

/// By the first manifest that can be read. \throws FileError  if it is of another search
void SnapshotFolder::require_same_search(const std::vector<std::int64_t>& generations) const {
  for (const std::int64_t generation : generations) {
    std::optional<Manifest> manifest;
    try {
      manifest = read_manifest(generation);
    } catch (const FileError&) {
      continue;  // damaged
    }
    const auto require = [&](const char* name, const std::string& found,
                             const std::string& expected) {
      if (found != expected) {
        throw FileError(
            manifest_path(generation),
            fmt::format("field '{}' is '{}', but this run's is '{}'", name, found, expected));
      }
    };
    require("app", manifest->app, options_.app);
    require("instance", manifest->instance, options_.instance);
    return;
  }
}

SnapshotFolder::Manifest SnapshotFolder::read_manifest(std::int64_t generation) const {
  const std::filesystem::path path = manifest_path(generation);
  const json object = parse_json_object(path, "", read_file(path));
  const JsonFields fields(path, "", object);
  check_format(fields, kFormat, kVersion);
  json unsigned_object = object;
  unsigned_object.erase("checksum");
  if (read_hexadecimal(fields, "checksum") != crc_64(unsigned_object.dump())) {
    fields.refuse("checksum", "does not fit: the manifest is damaged");
  }
  if (fields.text("program_version") != version()) {
    fields.refuse("program_version", fmt::format("is '{}', but this run's is '{}'",
                                                 fields.text("program_version"), version()));
  }
  if (fields.integer<std::int64_t>("generation", 1) != generation) {
    fields.refuse("generation", "is not that of the file's name");
  }
  Manifest manifest{.app = fields.text("app"), .instance = fields.text("instance"), .parts = {}};
  for (const JsonFields& part : fields.objects("parts")) {
    manifest.parts.push_back({.bytes = part.integer<std::int64_t>("bytes", 0),
                              .checksum = read_hexadecimal(part, "checksum")});
  }
  return manifest;
}

/// The parts of every `comm_.size()`-th rank of then. \throws FileError  if one is damaged
std::vector<SnapshotPart> SnapshotFolder::read_share(std::int64_t generation) const {
  const Manifest manifest = read_manifest(generation);
  std::vector<SnapshotPart> parts;
  for (int rank = comm_.rank(); rank < std::ssize(manifest.parts); rank += comm_.size()) {
    parts.push_back(read_part(generation, rank, manifest.parts[rank]));
  }
  return parts;
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
  if (crc_64(content) != expected.checksum) {
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
  if (due_ns_ == kNotStarted) {
    due_ns_ = next_due_ns(now_ns);
  } else if (is_newly_complete_) {
    // The search goes on for as long as the snapshot took at least, or it might never end.
    due_ns_ = std::max(next_due_ns(now_ns), now_ns + (now_ns - due_ns_));
    is_newly_complete_ = false;
  }
  return now_ns >= due_ns_;
}

/// In a hundred years at the latest, so that the sum is a time.
std::int64_t SnapshotFolder::next_due_ns(std::int64_t now_ns) const {
  constexpr double kMax_s = 100 * 365.25 * 24 * 3600;
  return now_ns + static_cast<std::int64_t>(std::min(options_.every_s, kMax_s) * 1e9);
}

void SnapshotFolder::write_part(std::span<const std::byte> nodes, std::span<const std::byte> totals,
                                std::int64_t incumbent) {
  const std::int64_t generation = next_generation_++;
  Packer packer;
  wire<PartFile>::pack(packer, {.header = {.generation = generation, .rank = comm_.rank()},
                                .part = {.nodes = {nodes.begin(), nodes.end()},
                                         .totals = {totals.begin(), totals.end()},
                                         .incumbent = incumbent}});
  const std::uint64_t checksum = crc_64(packer.bytes());
  packer.put(&checksum, kChecksumBytes);
  const std::span<const std::byte> bytes = packer.bytes();
  write_file(part_path(generation, comm_.rank()),
             {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

void SnapshotFolder::complete() {
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
  manifest["checksum"] = hexadecimal(crc_64(manifest.dump()));
  sync_folder(options_.folder);
  write_file(manifest_path(generation), manifest.dump(1) + "\n");
  sync_folder(options_.folder);
  std::vector<std::int64_t> kept = complete_generations(options_.folder);
  std::erase_if(kept, [&](std::int64_t other) { return std::ranges::count(damaged_, other) > 0; });
  kept.resize(std::min(kept.size(), kKept));
  remove_generations(options_.folder,
                     [&](std::int64_t other) { return std::ranges::count(kept, other) == 0; });
  ++written_;
  is_newly_complete_ = true;
}

std::filesystem::path SnapshotFolder::manifest_path(std::int64_t generation) const {
  return options_.folder / fmt::format("cleave-snapshot-{:06}.json", generation);
}

std::filesystem::path SnapshotFolder::part_path(std::int64_t generation, int rank) const {
  return options_.folder / fmt::format("cleave-snapshot-{:06}.rank-{:05}", generation, rank);
}

void remove_snapshots(const std::filesystem::path& folder) {
  const FolderLock lock(folder);
  if (lock.state() != FolderLock::State::of_another_run) {
    remove_generations(folder, [](std::int64_t) { return true; });
  }
}

}  // namespace cleave::detail
