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
#include <regex>
#include <string>
#include <tuple>
#include <utility>

#include <cleave/error.hpp>
#include <cleave/file.hpp>
#include <cleave/host/provenance_here.hpp>
#include <cleave/kernel/snapshot.hpp>
#include <cleave/trace/json_fields.hpp>
#include <cleave/trace/provenance.hpp>
#include <cleave/wire.hpp>

namespace cleave::detail {

namespace {

constexpr int kVersion = 2;
constexpr const char* kLockFile = "cleave-snapshot.lock";
constexpr std::size_t kChecksumBytes = sizeof(std::uint64_t);

/// The beginning of a part, which tells one that was mixed up.
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

/// A part as the manifest knows it.
struct PartEntry {
  std::int64_t bytes = 0;
  std::uint64_t checksum = 0;
};

void fields(JsonFields& object, PartEntry& part) {
  std::string text = hexadecimal(part.checksum);
  object("bytes", part.bytes, 0)("checksum", text);
  const char* const end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, part.checksum, 16);
  object.require(result.ec == std::errc{} && result.ptr == end, "checksum",
                 "is not a hexadecimal number");
}

struct Manifest {
  std::string app;
  std::string instance;
  std::string program_version = version();
  std::int64_t generation = 0;
  std::vector<PartEntry> parts;
};

void fields(JsonFields& object, Manifest& m) {
  object.format("cleave-snapshot", kVersion);
  object("app", m.app)("instance", m.instance)("program_version", m.program_version);
  object("generation", m.generation, 1)("parts", m.parts);
}

/// The checksum of a manifest, of all other fields.
std::string checksum_of(nlohmann::json manifest) {
  manifest.erase("checksum");
  return hexadecimal(crc_64(manifest.dump()));
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

/// Removes the files of all generations but two, manifests first.
void remove_all_but(std::int64_t newest, std::int64_t before, const std::filesystem::path& folder) {
  const std::vector<File> files = snapshot_files(folder);
  for (const bool is_manifest : {true, false}) {
    for (const File& file : files) {
      const bool is_kept = file.generation == newest || file.generation == before;
      if (!file.is_link && !is_kept && file.is_manifest == is_manifest) {
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

/// Makes names that were given to files in `folder` last.
void sync_folder(const std::filesystem::path& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY);
  const int error = descriptor < 0 || ::fsync(descriptor) != 0 ? errno : 0;
  ::close(descriptor);
  if (error != 0) {
    throw FileError(folder, std::string("cannot sync: ") + std::strerror(error));
  }
}

std::filesystem::path manifest_path(const std::filesystem::path& folder, std::int64_t generation) {
  return folder / fmt::format("cleave-snapshot-{:06}.json", generation);
}

std::filesystem::path part_path(const std::filesystem::path& folder, std::int64_t generation,
                                int rank) {
  return folder / fmt::format("cleave-snapshot-{:06}.rank-{:05}", generation, rank);
}

/// \throws FileError  if it is damaged, or of another version
Manifest read_manifest(const std::filesystem::path& folder, std::int64_t generation) {
  const std::filesystem::path path = manifest_path(folder, generation);
  auto object = JsonFields::parse(path, "", read_file(path));
  Manifest manifest;
  fields(object, manifest);
  object.require(object.get<std::string>("checksum") == checksum_of(object.raw()), "checksum",
                 "does not fit: the manifest is damaged");
  object.require(
      manifest.program_version == version(), "program_version",
      fmt::format("is '{}', but this run's is '{}'", manifest.program_version, version()));
  object.require(manifest.generation == generation, "generation", "is not that of the file's name");
  return manifest;
}

SnapshotPart read_part(const std::filesystem::path& path, const PartHeader& header,
                       const PartEntry& expected) {
  const std::string text = read_file(path);
  const std::span bytes = std::as_bytes(std::span(text));
  const std::span content = bytes.first(bytes.size() - std::min(bytes.size(), kChecksumBytes));
  if (std::ssize(bytes) != expected.bytes || crc_64(content) != expected.checksum) {
    throw FileError(path, "is damaged: its length or its checksum is not the manifest's");
  }
  Unpacker unpacker(content);
  auto file = wire<PartFile>::unpack(unpacker);
  if (file.header != header) {
    throw FileError(path, "is not the part that its name says");
  }
  return std::move(file.part);
}

/// `ns` and `seconds`, a hundred years at most, so that the sum is a time.
std::int64_t later(std::int64_t ns, double seconds) {
  constexpr double kMax_s = 100 * 365.25 * 24 * 3600;
  return ns + static_cast<std::int64_t>(std::min(seconds, kMax_s) * 1e9);
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
  std::string other_search;
  for (const std::int64_t generation : generations) {
    try {
      other_search = agree(comm_, [&] { return read_share(generation); });
      resumed_from_ = newest_whole_ = generation;
      break;
    } catch (const std::exception& e) {
      damage = damage.empty() ? e.what() : damage;
    }
  }
  if (!other_search.empty() || (resumed_from_ == 0 && !damage.empty())) {
    throw Error(other_search.empty() ? damage : other_search);
  }
  if (!damage.empty() && comm_.rank() == 0 && options_.warn) {
    options_.warn(fmt::format("{}; resuming from snapshot {}", damage, resumed_from_));
  }
}

/// Takes the folder; what is in it stays until a snapshot of this run is whole.
/// \return  the snapshots to resume from, the newest first
std::vector<std::int64_t> SnapshotFolder::open() {
  const std::filesystem::path& folder = options_.folder;
  if (folder.empty() || !(options_.every_s > 0)) {
    throw Error(
        fmt::format("snapshots need a folder and a time between two that is above 0, not "
                    "'{}' and {} s",
                    folder.string(), options_.every_s));
  }
  std::filesystem::create_directories(folder);
  lock_ = std::make_unique<FolderLock>(folder);
  if (lock_->state() == FolderLock::State::of_another_run) {
    throw FileError(folder,
                    "another run writes its snapshots here: wait for its end, or choose another "
                    "folder");
  }
  if (lock_->state() == FolderLock::State::unsupported && options_.warn) {
    options_.warn(folder.string() +
                  ": cannot be locked here: no other run may use it at the same time");
  }
  const std::vector<std::int64_t> generations = complete_generations(folder);
  if (!generations.empty() && !options_.resume) {
    throw FileError(folder, "holds a snapshot: resume from it, or choose another folder");
  }
  for (const File& file : snapshot_files(folder)) {
    next_generation_ = std::max(next_generation_, file.generation + 1);
  }
  return generations;
}

/// Reads the parts of every `comm_.size()`-th rank of then. \throws FileError  if one is damaged
/// \return  why it is the snapshot of another search; empty if it is not
std::string SnapshotFolder::read_share(std::int64_t generation) {
  const Manifest manifest = read_manifest(options_.folder, generation);
  for (const auto& [name, found, expected] :
       {std::tuple("app", manifest.app, options_.app),
        std::tuple("instance", manifest.instance, options_.instance)}) {
    if (found != expected) {
      return fmt::format("{}: field '{}' is '{}', but this run's is '{}'",
                         manifest_path(options_.folder, generation).string(), name, found,
                         expected);
    }
  }
  parts_.clear();
  for (int rank = comm_.rank(); rank < std::ssize(manifest.parts); rank += comm_.size()) {
    parts_.push_back(read_part(part_path(options_.folder, generation, rank),
                               {.generation = generation, .rank = rank}, manifest.parts[rank]));
  }
  return "";
}

bool SnapshotFolder::is_due(std::int64_t now_ns) {
  if (!due_ns_) {
    due_ns_ = later(now_ns, options_.every_s);
  } else if (is_newly_complete_) {
    // The search goes on for as long as the snapshot took at least, or it might never end.
    due_ns_ = std::max(later(now_ns, options_.every_s), now_ns + (now_ns - *due_ns_));
    is_newly_complete_ = false;
  }
  return now_ns >= *due_ns_;
}

void SnapshotFolder::write_part(SnapshotPart part) {
  const std::int64_t generation = next_generation_++;
  Packer packer;
  wire<PartFile>::pack(packer, {.header = {.generation = generation, .rank = comm_.rank()},
                                .part = std::move(part)});
  const std::uint64_t checksum = crc_64(packer.bytes());
  packer.put(&checksum, kChecksumBytes);
  const std::span<const std::byte> bytes = packer.bytes();
  write_file(part_path(options_.folder, generation, comm_.rank()),
             {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

void SnapshotFolder::complete() {
  Manifest manifest{.app = options_.app,
                    .instance = options_.instance,
                    .generation = next_generation_ - 1,
                    .parts = {}};
  for (int rank = 0; rank < comm_.size(); ++rank) {
    const auto path = part_path(options_.folder, manifest.generation, rank);
    std::ifstream stream(path, std::ios::binary);
    std::uint64_t checksum = 0;
    stream.seekg(-static_cast<std::streamoff>(kChecksumBytes), std::ios::end);
    stream.read(reinterpret_cast<char*>(&checksum), kChecksumBytes);
    if (!stream) {
      throw FileError(path, "cannot read: do all ranks see the same folder?");
    }
    manifest.parts.push_back({.bytes = stream.tellg(), .checksum = checksum});
  }
  JsonFields object;
  fields(object, manifest);
  object("checksum", checksum_of(object.raw()));
  sync_folder(options_.folder);
  write_file(manifest_path(options_.folder, manifest.generation),
             json_text(object.raw(), 1) + "\n");
  sync_folder(options_.folder);
  remove_all_but(manifest.generation, newest_whole_, options_.folder);
  newest_whole_ = manifest.generation;
  ++written_;
  is_newly_complete_ = true;
}

void remove_snapshots(const std::filesystem::path& folder) {
  const FolderLock lock(folder);
  if (lock.state() != FolderLock::State::of_another_run) {
    remove_all_but(0, 0, folder);
  }
}

}  // namespace cleave::detail
