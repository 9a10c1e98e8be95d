// SPDX-License-Identifier: Apache-2.0
#include "apps/quicksort/key_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <numeric>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <cleave/error.hpp>
#include <cleave/file.hpp>
namespace cleave::quicksort {

namespace {

static_assert(std::endian::native == std::endian::little,
              "keys are read and written as they stand");

/// One MPI call carries less than 2^31 bytes; records are turned around in pieces of this length.
constexpr std::size_t kPieceBytes = std::size_t{4} << 20;

void check(const std::filesystem::path& path, const char* what, int code) {
  if (code != MPI_SUCCESS) {
    std::array<char, MPI_MAX_ERROR_STRING> text{};
    int length = 0;
    MPI_Error_string(code, text.data(), &length);
    throw FileError(path, fmt::format("{}: {}", what, text.data()));
  }
}

/// Refuses a file that begins as text.
void check_is_not_text(const std::filesystem::path& path) {
  constexpr std::size_t kLooked = 4096;
  std::string head(kLooked, '\0');
  std::ifstream stream(path, std::ios::binary);
  stream.read(head.data(), kLooked);
  head.resize(static_cast<std::size_t>(stream.gcount()));
  const auto is_printed = [](char c) { return (c >= ' ' && c <= '~') || (c >= '\t' && c <= '\r'); };
  if (!head.empty() && std::ranges::all_of(head, is_printed)) {
    throw FileError(path,
                    "is text: --format text reads the numbers, --format binary its bytes as keys");
  }
}

}  // namespace

KeyFile::KeyFile(std::filesystem::path path, std::size_t key_bytes, KeyFormat format)
    : path_(std::move(path)) {
  std::error_code error;
  const auto bytes = static_cast<std::int64_t>(std::filesystem::file_size(path_, error));
  if (error) {
    throw FileError(path_, "cannot read: " + error.message());
  }
  if (format == KeyFormat::automatic) {
    check_is_not_text(path_);
  }
  if (bytes % static_cast<std::int64_t>(key_bytes) != 0) {
    throw FileError(path_, fmt::format("its {} bytes are not a whole number of keys of {} bytes",
                                       bytes, key_bytes));
  }
  check(path_, "cannot read",
        MPI_File_open(MPI_COMM_SELF, path_.c_str(), MPI_MODE_RDONLY, MPI_INFO_NULL, &file_));
  keys_ = bytes / static_cast<std::int64_t>(key_bytes);
}

KeyFile::~KeyFile() {
  if (file_ != MPI_FILE_NULL) {
    MPI_File_close(&file_);
  }
}

void KeyFile::read_bytes(std::int64_t at, std::span<std::byte> bytes) const {
  while (!bytes.empty()) {
    const std::size_t piece = std::min(kPieceBytes, bytes.size());
    MPI_Status status;
    check(path_, "cannot read",
          MPI_File_read_at(file_, at, bytes.data(), static_cast<int>(piece), MPI_BYTE, &status));
    int count = 0;
    MPI_Get_count(&status, MPI_BYTE, &count);
    if (static_cast<std::size_t>(count) != piece) {
      throw FileError(path_, "cannot read to its end");
    }
    at += count;
    bytes = bytes.subspan(piece);
  }
}

void check_key_path(const std::filesystem::path& path) {
  std::error_code none;
  const std::filesystem::file_status status = std::filesystem::status(path, none);
  if (std::filesystem::is_directory(status)) {
    throw FileError(path, "is a folder, expected a file to write the keys to");
  }
  if (path == "-" || std::filesystem::is_fifo(status) || std::filesystem::is_socket(status)) {
    throw FileError(path, "cannot write: several ranks write to their places of a regular file");
  }
  check_writable(path);
}

namespace {

void write_pieces(MPI_File file, const std::filesystem::path& path, std::int64_t at,
                  std::span<const std::byte> bytes, bool are_records) {
  std::vector<Record> turned(are_records ? kPieceBytes / sizeof(Record) : 0);
  while (!bytes.empty()) {
    const std::size_t piece = std::min(kPieceBytes, bytes.size());
    const void* from = bytes.data();
    if (are_records) {
      std::memcpy(turned.data(), bytes.data(), piece);
      for (Record& record : turned) {
        std::swap(record.key, record.value);
      }
      from = turned.data();
    }
    MPI_Status status;
    check(path, "cannot write",
          MPI_File_write_at(file, at, from, static_cast<int>(piece), MPI_BYTE, &status));
    int count = 0;
    MPI_Get_count(&status, MPI_BYTE, &count);
    if (static_cast<std::size_t>(count) != piece) {
      throw FileError(path, "cannot write to its end");
    }
    at += count;
    bytes = bytes.subspan(piece);
  }
}

/// Where this rank's part begins.
std::int64_t bytes_before(const Comm& comm, std::size_t mine) {
  std::vector<std::int64_t> all = comm.gather(static_cast<std::int64_t>(mine));
  all.resize(comm.size());
  comm.bcast(std::as_writable_bytes(std::span(all)), 0);
  return std::accumulate(all.begin(), all.begin() + comm.rank(), std::int64_t{0});
}

}  // namespace

void write_bytes(const Comm& comm, const std::filesystem::path& path,
                 std::span<const std::byte> mine, bool are_records) {
  const std::int64_t at = bytes_before(comm, mine.size());
  std::optional<AtomicFile> target;  // of rank 0
  agree(comm, [&] {
    if (comm.rank() == 0) {
      check_key_path(path);
      target.emplace(path);
    }
  });
  const std::string written = comm.bcast(target ? target->written().string() : std::string(), 0);
  const bool is_device =
      comm.allreduce_max(target && std::filesystem::is_character_file(target->written()) ? 1 : 0) !=
      0;
  MPI_File file = MPI_FILE_NULL;
  try {
    agree(comm, [&] {
      check(path, "cannot write",
            MPI_File_open(comm.handle(), written.c_str(), MPI_MODE_WRONLY, MPI_INFO_NULL, &file));
    });
    agree(comm, [&] { write_pieces(file, path, at, mine, are_records); });
    agree(comm, [&] {
      if (!is_device) {  // which has nothing to sync
        check(path, "cannot write", MPI_File_sync(file));
      }
    });
    MPI_File_close(&file);
    agree(comm, [&] {
      if (target) {
        target->commit();
      }
    });
  } catch (...) {
    if (file != MPI_FILE_NULL) {
      MPI_File_close(&file);
    }
    throw;
  }
}

}  // namespace cleave::quicksort
