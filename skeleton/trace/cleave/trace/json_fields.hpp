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
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <cleave/error.hpp>
#include <cleave/trace/words.hpp>

namespace cleave::detail {

/// `value` on one line, or indented by `indent` blanks a level. Bytes that are not UTF-8 become
/// U+FFFD.
std::string json_text(const nlohmann::json& value, int indent = -1);

/// The fields of one JSON object that is read or written.
class JsonFields {
 public:
  /// The object `text`, to be read; its texts as a terminal may show them. `where` is its place in
  /// `file`, such as "line 3", or empty. \throws FileError  if `text` is no JSON object, or is
  /// nested deeper than 100
  static JsonFields parse(const std::string& file, const std::string& where, std::string_view text);
  /// An object without fields yet, to be written.
  JsonFields();

  bool reads() const { return reads_; }
  bool has(const std::string& name) const { return object_->contains(name); }

  /// Reads the field `name` into `value`, or writes it from there. `value` is a text, a bool, a
  /// number, a struct that has `fields`, a function of the JsonFields of an object, a std::optional
  /// (without a value: no field), or a vector, set, map by names or pair of such. `limits` are the
  /// minimum and maximum of the numbers in it; either may be left out from the back.
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

  const nlohmann::json& raw() const { return *object_; }

  /// The field `name`, which is read.
  template <class T, class... Limits>
  T get(const char* name, Limits... limits) {
    T value{};
    (*this)(name, value, limits...);
    return value;
  }

 private:
  using Json = nlohmann::json;

  JsonFields(std::string file, std::string where, std::shared_ptr<Json> object, bool reads);

  template <class T, class... Limits>
  void visit(const std::string& name, Json& json, T& value, Limits... limits) {
    if constexpr (std::is_same_v<T, bool>) {
      plain(name, json, value, json.is_boolean(), "true or false");
    } else if constexpr (std::is_same_v<T, std::uint64_t>) {
      plain(name, json, value, json.is_number_unsigned(), "an unsigned integer");
    } else if constexpr (std::is_arithmetic_v<T>) {
      using Number = std::conditional_t<std::integral<T>, std::int64_t, double>;
      struct Range {
        Number minimum = std::numeric_limits<T>::lowest();
        Number maximum = std::numeric_limits<T>::max();
      };
      const Range range{static_cast<Number>(limits)...};
      value = static_cast<T>(
          number(name, json, static_cast<Number>(value), range.minimum, range.maximum));
    } else if constexpr (std::is_same_v<T, std::string>) {
      plain(name, json, value, json.is_string(), "a string");
      if (reads_) {
        value = visible(value);
      }
    } else if constexpr (std::convertible_to<T&, std::string_view>) {
      json = std::string_view(value);
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
        for (const auto& item : json.items()) {
          object.visit(item.key(), item.value(), value[visible(item.key())], limits...);
        }
      } else {
        for (auto& [key, inner_value] : value) {
          object(key, inner_value, limits...);
        }
      }
    } else if constexpr (requires { value.first, value.second; }) {
      open_array(name, json, 2);
      visit(name + "[0]", json[0], value.first, limits...);
      visit(name + "[1]", json[1], value.second, limits...);
    } else {
      using Element = typename T::value_type;
      open_array(name, json);
      if (reads_) {
        value.clear();
        for (std::size_t i = 0; i < json.size(); ++i) {
          Element element{};
          visit(name + '[' + std::to_string(i) + ']', json[i], element, limits...);
          value.insert(value.end(), std::move(element));
        }
      } else {
        for (const Element& element : value) {
          visit(name, json.emplace_back(), const_cast<Element&>(element), limits...);
        }
      }
    }
  }

  template <class T>
  void plain(const std::string& name, Json& json, T& value, bool is_right,
             const char* right) const {
    if (reads_) {
      refuse_unless(is_right, name, json, right);
      value = json.get<T>();
    } else {
      json = value;
    }
  }

  Json& at(const std::string& name);
  /// The fields of the object `json`, which is made to be written.
  JsonFields inner(const std::string& name, Json& json) const;
  /// Makes `json` an array to be written. One that is read has `size` elements unless that is 0.
  void open_array(const std::string& name, Json& json, std::size_t size = 0) const;
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

/// The JSON of a struct that has `fields`. \throws Error  if a number in it is not finite
template <class T>
  requires requires(JsonFields& object, T& value) { fields(object, value); }
std::string json_text(const T& value, int indent = -1) {
  JsonFields object;
  fields(object, const_cast<T&>(value));
  return json_text(object.raw(), indent);
}

}  // namespace cleave::detail
