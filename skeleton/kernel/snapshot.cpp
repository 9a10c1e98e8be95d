// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <functional>
#include <optional>
#include <regex>
#include <string>
#include <system_error>
#include <tuple>

#include <cleave/error.hpp>
#include <cleave/file.hpp>
#include <cleave/host/host.hpp>
#include <cleave/kernel/snapshot.hpp>
#include <cleave/trace.hpp>
#include <cleave/trace/json_fields.hpp>
#include <cleave/wire.hpp>

namespace cleave::detail {

namespace {

constexpr int kVersion = 3;
constexpr const char* kLockFile = "cleave-snapshot.lock";

struct Manifest {
  std::string app;
  std::string instance;
  std::string program_version = version();
  int ranks = 0;
};

void fields(JsonFields& object, Manifest& m) {
  object.format("cleave-snapshot", kVersion);
  object("app", m.app)("instance", m.instance)("program_version", m.program_version);
  object("ranks", m.ranks, 1, kMaxRanks);
}

/// A file of a snapshot in a folder.
struct File {
  std::filesystem::path path;
  std::int64_t generation;
  bool is_manifest;
};

/// The files of snapshots in `folder`, manifests first, the unfinished ones of a killed run, too.
std::vector<File> snapshot_files(const std::filesystem::path& folder) {
  static const std::regex kName(
      R"(cleave-snapshot-(\d{6,18})(\.json|\.rank-\d{5,9})(\.[0-9a-f]{8}\.partial)?)");
  std::vector<File> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename();
    std::smatch match;
    if (!entry.is_directory() && std::regex_match(name, match, kName)) {
      files.push_back({.path = entry.path(),
                       .generation = std::stoll(match[1]),
                       .is_manifest = match[2] == ".json" && !match[3].matched});
    }
  }
  std::ranges::partition(files, &File::is_manifest);
  return files;
}

void remove_files(const std::filesystem::path& folder,
                  const std::function<bool(const File&)>& is_removed) {
  for (const File& file : snapshot_files(folder)) {
    if (is_removed(file)) {
      std::filesystem::remove(file.path);
    }
  }
}

/// Makes names that were given to files in `folder` last.
void sync_folder(const std::filesystem::path& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY);
  const int error = descriptor < 0 || sync(descriptor, folder) != 0 ? errno : 0;
  ::close(descriptor);
  if (error != 0) {
    throw FileError(folder, std::string("cannot sync: ") + std::strerror(error));
  }
}

/// The part of a rank, or the manifest without one.
std::filesystem::path path_of(const std::filesystem::path& folder, std::int64_t generation,
                              std::optional<int> rank = {}) {
  return folder / (fmt::format("cleave-snapshot-{:06}", generation) +
                   (rank ? fmt::format(".rank-{:05}", *rank) : ".json"));
}

SnapshotPart read_part(const std::filesystem::path& path, std::int64_t generation, int rank) {
  const std::string text = read_file(path);
  std::uint64_t checksum = 0;
  const std::span bytes = std::as_bytes(std::span(text));
  const std::span content = bytes.first(bytes.size() - std::min(bytes.size(), sizeof(checksum)));
  std::ranges::copy(bytes.subspan(content.size()),
                    std::as_writable_bytes(std::span(&checksum, 1)).begin());
  if (content.empty() || crc_64(content) != checksum) {
    throw FileError(path, "is damaged: its checksum does not fit");
  }
  Unpacker unpacker(content);
  auto part = wire<SnapshotPart>::unpack(unpacker);
  if (part.generation != generation || part.rank != rank) {
    throw FileError(path, "is not the part that its name says");
  }
  return part;
}

}  // namespace

std::shared_ptr<const int> lock_folder(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / kLockFile;
  const int file = ::open(path.c_str(), O_CREAT | O_RDWR | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (file < 0) {
    throw FileError(path, std::string("cannot write: ") + std::strerror(errno));
  }
  const auto close = [](const int* descriptor) {
    ::close(*descriptor);
    delete descriptor;
  };
  std::shared_ptr<const int> lock(new int(file), close);
  return ::flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK ? nullptr : lock;
}

SnapshotFolder::SnapshotFolder(const Messages& ranks, const Transport& clock,
                               const CheckpointOptions& options)
    : ranks_(ranks), clock_(clock), options_(options) {
  cleave::agree(ranks_, [&] {
    if (ranks_.rank() == 0) {
      open();
    }
  });
  std::array<std::int64_t, 2> least{-resumed_from_, -newest_};
  ranks_.allreduce_min(least);
  std::tie(resumed_from_, newest_) = std::tuple(-least[0], -least[1]);
}

/// Takes the folder; what is in it stays until a snapshot of this run is whole.
void SnapshotFolder::open() {
  const std::filesystem::path& folder = options_.folder;
  if (folder.empty() || !(options_.every_s > 0)) {
    throw Error(
        fmt::format("snapshots need a folder and a time between two that is above 0, not "
                    "'{}' and {} s",
                    folder.string(), options_.every_s));
  }
  std::error_code error;
  std::filesystem::path made;
  for (const std::filesystem::path& name : folder) {
    made /= name;
    if (!std::filesystem::exists(made, error) && std::filesystem::create_directory(made, error)) {
      sync_folder(made / "..");
    }
    if (error) {
      throw FileError(folder, error.message());
    }
  }
  lock_ = lock_folder(folder);
  if (!lock_) {
    throw FileError(folder,
                    "another run writes its snapshots here: wait for its end, or choose another "
                    "folder");
  }
  for (const File& file : snapshot_files(folder)) {
    newest_ = std::max(newest_, file.generation);
    resumed_from_ = std::max(resumed_from_, file.is_manifest ? file.generation : 0);
  }
  if (resumed_from_ > 0 && !options_.resume) {
    throw FileError(folder, "holds a snapshot: resume from it, or choose another folder");
  }
}

std::vector<SnapshotPart> SnapshotFolder::read_share() const {
  const std::filesystem::path path = path_of(options_.folder, resumed_from_);
  auto object = JsonFields::parse(path, "", read_file(path));
  Manifest manifest;
  fields(object, manifest);
  for (const auto& [name, found, expected] :
       {std::tuple("app", manifest.app, options_.app),
        std::tuple("instance", manifest.instance, options_.instance),
        std::tuple("program_version", manifest.program_version, version())}) {
    object.require(found == expected, name,
                   fmt::format("is '{}', but this run's is '{}'", found, expected));
  }
  std::vector<SnapshotPart> parts;
  for (int rank = ranks_.rank(); rank < manifest.ranks; rank += ranks_.size()) {
    parts.push_back(read_part(path_of(options_.folder, resumed_from_, rank), resumed_from_, rank));
  }
  return parts;
}

void SnapshotFolder::write_part(SnapshotPart part) {
  part.generation = ++newest_;
  part.rank = ranks_.rank();
  Packer packer;
  wire<SnapshotPart>::pack(packer, part);
  const std::uint64_t checksum = crc_64(packer.bytes());
  packer.put(&checksum, sizeof(checksum));
  const std::span<const std::byte> bytes = packer.bytes();
  write_file(path_of(options_.folder, newest_, ranks_.rank()),
             {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

void SnapshotFolder::complete() {
  for (int rank = 0; rank < ranks_.size(); ++rank) {
    if (const auto path = path_of(options_.folder, newest_, rank); !std::filesystem::exists(path)) {
      throw FileError(path, "is not there: do all ranks see the same folder?");
    }
  }
  const Manifest manifest{
      .app = options_.app, .instance = options_.instance, .ranks = ranks_.size()};
  sync_folder(options_.folder);
  write_file(path_of(options_.folder, newest_), json_text(manifest, 1) + "\n");
  sync_folder(options_.folder);
  remove_files(options_.folder, [&](const File& file) { return file.generation != newest_; });
  ++written_;
  // The search goes on for as long as the snapshot took at least, or it might never end.
  due_s_ = now_s() + std::max(options_.every_s, now_s() - due_s_);
}

void remove_snapshots(const std::filesystem::path& folder) {
  if (const auto lock = lock_folder(folder)) {
    remove_files(folder, &File::is_manifest);
    sync_folder(folder);  // a manifest that came back would lack its parts
    remove_files(folder, [](const File& /*any*/) { return true; });
    std::filesystem::remove(folder / kLockFile);
  }
}

}  // namespace cleave::detail
