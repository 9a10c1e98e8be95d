// SPDX-License-Identifier: Apache-2.0
// Fields of JSON objects. One list of fields for each struct both reads and writes it:
//
//   void fields(JsonFields& object, MessageSegment& s) {
//     object("from_bytes", s.from_bytes, 0)("latency_s", s.latency_s);
//   }
//
//   fields(JsonFields::parse(file, "", text), segment);  // throws FileError
//   write_file(file, json_text(segment));
//
// A field of a file that is missing, of the wrong kind or out of range is a FileError that names
// the file, the place, the field, its value and what is allowed.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <limits>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <cleave/error.hpp>
#include <cleave/trace/words.hpp>

namespace cleave::detail {

/// The fields of one JSON object that is read, or written in the order in which they are named.
class JsonFields {
 public:
  /// The object `text`, to be read; its texts as a terminal may show them. `where` is its place in
  /// `file`, such as "line 3", or empty. \throws FileError  if `text` is no JSON object, or is
  /// nested deeper than 100
  static JsonFields parse(const std::string& file, const std::string& where, std::string_view text);
  /// An object without fields yet, to be written.
  JsonFields();

  bool reads() const { return reads_; }
  bool has(const std::string& name) const;
  /// JSON on one line, or indented by `indent` blanks a level; bytes that are no UTF-8 are U+FFFD.
  std::string text(int indent = -1) const;

  /// Reads the field `name` into `value`, or writes it from there. `value` is a text, a bool, a
  /// number, a struct that has `fields`, a function of the JsonFields of an object, a std::optional
  /// (without a value: no field), or a vector, set, map by names or pair of such. Written are also
  /// nullptr, a variant, and what a value's `written()` gives. `limits` are the minimum and maximum
  /// of the numbers in it; either may be left out from the back.
  template <class T, class... Limits>
  JsonFields& operator()(const std::string& name, T&& value, Limits... limits) {
    auto& variable = const_cast<std::remove_cvref_t<T>&>(value);  // only read where this writes
    if constexpr (requires { value.has_value(); }) {
      if (reads_ ? has(name) : value.has_value()) {
        visit(name, at(name), reads_ ? variable.emplace() : *variable, limits...);
      }
    } else {
      visit(name, at(name), variable, limits...);
    }
    return *this;
  }

  /// A field that a file may leave out: `value` then stays as it is.
  template <class T, class... Limits>
  JsonFields& optional(const std::string& name, T& value, Limits... limits) {
    return reads_ && !has(name) ? *this : (*this)(name, value, limits...);
  }

  /// Writes null where there is no value.
  template <class T>
  JsonFields& or_null(const std::string& name, const std::optional<T>& value) {
    return value ? (*this)(name, *value) : (*this)(name, nullptr);
  }

  /// An enumerator by its name; `names` are in the order of the enumerators, from 0 on.
  template <class Enum, std::size_t size>
  JsonFields& choice(const std::string& name, Enum& value,
                     const std::array<std::string_view, size>& names) {
    value = static_cast<Enum>(choose(name, static_cast<std::size_t>(value), names));
    return *this;
  }

  /// The fields "format" and "version": writes `version`, reads it or `newest`.
  /// \return  the version
  int format(const std::string& name, int version, int newest = 0);

  /// Refuses the file because of field `name`. \throws FileError always
  [[noreturn]] void refuse(const std::string& name, const std::string& what) const;
  /// Refuses the file that is read unless `is_right`.
  void require(bool is_right, const std::string& name, const std::string& what) const {
    if (reads_ && !is_right) {
      refuse(name, what);
    }
  }

 private:
  using Json = nlohmann::ordered_json;

  JsonFields(std::string file, std::string where, std::shared_ptr<Json> object, bool reads);

  template <class T, class... Limits>
  void visit(const std::string& name, Json& json, T& value, Limits... limits) {
    if constexpr (std::is_same_v<T, bool> || std::is_same_v<T, std::uint64_t> ||
                  std::is_same_v<T, std::string>) {
      plain(name, json, value);
    } else if constexpr (std::is_arithmetic_v<T>) {
      using Number = std::conditional_t<std::integral<T>, std::int64_t, double>;
      struct Range {
        Number minimum = std::numeric_limits<T>::lowest();
        Number maximum = std::numeric_limits<T>::max();
      };
      const Range range{static_cast<Number>(limits)...};
      value = static_cast<T>(
          number(name, json, static_cast<Number>(value), range.minimum, range.maximum));
    } else if constexpr (std::is_null_pointer_v<T>) {
      // A field that is named alone is null.
    } else if constexpr (std::convertible_to<T&, std::string_view>) {
      std::string text{std::string_view(value)};
      plain(name, json, text);
    } else if constexpr (requires { value.written(); }) {
      std::visit([&]<class Each>(const Each& each) { visit(name, json, const_cast<Each&>(each)); },
                 value.written());
    } else if constexpr (requires { value.has_value(); }) {
      if (value.has_value()) {
        visit(name, json, *value);
      }
    } else if constexpr (requires(JsonFields& object) { value(object); }) {
      JsonFields object = inner(name, json);
      value(object);
    } else if constexpr (requires(JsonFields& object) { fields(object, value); }) {
      JsonFields object = inner(name, json);
      fields(object, value);
    } else if constexpr (requires { typename T::mapped_type; }) {
      JsonFields object = inner(name, json);
      if (reads_) {
        value.clear();
        for (const std::string& key : object.names()) {
          object(key, value[visible(key)], limits...);
        }
      } else {
        for (auto& [key, inner_value] : value) {
          object(key, inner_value, limits...);
        }
      }
    } else if constexpr (requires { value.first, value.second; }) {
      open_array(name, json, 2);
      visit(name + "[0]", element(json, 0), value.first, limits...);
      visit(name + "[1]", element(json, 1), value.second, limits...);
    } else {
      using Element = typename T::value_type;
      const std::size_t size = open_array(name, json);
      if (reads_) {
        value.clear();
        for (std::size_t i = 0; i < size; ++i) {
          Element read{};
          visit(name + '[' + std::to_string(i) + ']', element(json, i), read, limits...);
          value.insert(value.end(), std::move(read));
        }
      } else {
        for (std::size_t i = 0; const Element& each : value) {
          visit(name, element(json, i++), const_cast<Element&>(each), limits...);
        }
      }
    }
  }

  template <class T>
  void plain(const std::string& name, Json& json, T& value) const;
  Json& at(const std::string& name);
  /// The fields of the object `json`, which is made to be written.
  JsonFields inner(const std::string& name, Json& json) const;
  std::vector<std::string> names() const;
  /// Makes `json` an array to be written. One that is read has `size` elements unless that is 0.
  /// \return  how many it has
  std::size_t open_array(const std::string& name, Json& json, std::size_t size = 0) const;
  /// One more where `index` is their number.
  static Json& element(Json& array, std::size_t index);
  void refuse_unless(bool is_right, const std::string& name, const Json& json,
                     const char* right) const;
  std::size_t choose(const std::string& name, std::size_t value,
                     std::span<const std::string_view> names);
  template <class Number>
  Number number(const std::string& name, Json& json, Number value, Number minimum,
                Number maximum) const;

  std::string file_;
  std::string where_;
  std::shared_ptr<Json> object_;
  bool reads_;
};

/// The JSON of a struct that has `fields`, or of what a function of JsonFields writes.
/// \throws Error  if a number in it is not finite
template <class T>
std::string json_text(const T& value, int indent = -1) {
  JsonFields object;
  if constexpr (requires { value(object); }) {
    value(object);
  } else {
    fields(object, const_cast<T&>(value));
  }
  return object.text(indent);
}

}  // namespace cleave::detail
