// SPDX-License-Identifier: Apache-2.0
// Reads fields of a JSON object that came from outside. Whatever is missing, of the wrong kind or
// out of range is a FileError that names the file, the place and the field.
#pragma once

#include <cmath>
#include <concepts>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <cleave/error.hpp>

namespace cleave::detail {

/// Parses `text`, which came from `file`. `where` says which part, e.g. "line 3"; may be empty.
/// Control characters in its texts and names become '?'.
/// \throws FileError  if it is not a JSON object
nlohmann::json parse_json_object(const std::filesystem::path& file, const std::string& where,
                                 std::string_view text);

/// Numbers beyond these are mistakes, and no arithmetic of ours overflows up to them.
inline constexpr int kMaxRanks = 1 << 24;
inline constexpr int kMaxThreads = 1 << 16;

/// The fields of one JSON object. Refers to it: the object must outlive this.
class JsonFields {
 public:
  JsonFields(const std::filesystem::path& file, std::string where, const nlohmann::json& object);

  bool has(const char* name) const;

  std::string text(const char* name) const;
  bool boolean(const char* name) const;
  /// A finite number.
  double number(const char* name) const;
  /// A finite number that is at least 0.
  double non_negative(const char* name) const;

  /// An integer in [minimum, maximum].
  template <std::integral T = std::int64_t>
  T integer(const char* name, T minimum = std::numeric_limits<T>::min(),
            T maximum = std::numeric_limits<T>::max()) const {
    return static_cast<T>(integer_between(name, at(name), static_cast<std::int64_t>(minimum),
                                          static_cast<std::int64_t>(maximum)));
  }

  /// The object inside field `name`.
  JsonFields object(const char* name) const;
  /// The objects inside the array `name`.
  std::vector<JsonFields> objects(const char* name) const;
  /// The strings inside the array `name`.
  std::vector<std::string> texts(const char* name) const;
  /// The finite numbers inside each array inside the array `name`.
  std::vector<std::vector<double>> lists(const char* name) const;
  /// The finite numbers inside the array `name`.
  std::vector<double> numbers(const char* name) const;
  /// The integers inside the array `name`, each in [minimum, maximum].
  std::vector<std::int64_t> integers(
      const char* name, std::int64_t minimum,
      std::int64_t maximum = std::numeric_limits<std::int64_t>::max()) const;

  const nlohmann::json& raw() const { return object_; }

  /// Refuses the file because of field `name`. \throws FileError always
  [[noreturn]] void refuse(const char* name, const std::string& what) const;

 private:
  const nlohmann::json& at(const char* name) const;
  std::vector<double> numbers_in(const char* name, const nlohmann::json& value) const;
  std::int64_t integer_between(const char* name, const nlohmann::json& value, std::int64_t minimum,
                               std::int64_t maximum) const;

  const std::filesystem::path& file_;
  std::string where_;
  const nlohmann::json& object_;
};

/// Checks that a file's first object says `"format": format` and a version that is read here.
/// \throws FileError  naming the field and what is read here
void check_format(const JsonFields& fields, const std::string& format,
                  std::span<const int> versions);
inline void check_format(const JsonFields& fields, const std::string& format, int version) {
  check_format(fields, format, {&version, 1});
}

}  // namespace cleave::detail
