// SPDX-License-Identifier: Apache-2.0
// What a file from outside holds, and of which kind it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace cleave::reading {

/// A file in memory: page by page as it is read, or unpacked if it is a gzip file.
class Contents {
 public:
  /// \param max_bytes  that an unpacked file may take
  /// \throws FileError  if it cannot be read, is packed in another way, is damaged or too long
  explicit Contents(const std::filesystem::path& path,
                    std::int64_t max_bytes = std::numeric_limits<std::int64_t>::max());
  ~Contents();
  Contents(const Contents&) = delete;
  Contents& operator=(const Contents&) = delete;

  std::string_view text() const { return text_; }

 private:
  void map(const std::filesystem::path& path);

  void* mapped_ = nullptr;
  std::size_t mapped_bytes_ = 0;
  std::string unpacked_;
  std::string_view text_;
};

/// "a NumPy file" and the like, by how a file begins; nothing for other files.
std::optional<std::string_view> kind_of(std::string_view head);

/// Whether all of the first bytes are printed characters, blanks and line ends, in UTF-8 or, most
/// of them in ASCII, in another code.
bool is_text(std::string_view contents);

}  // namespace cleave::reading
