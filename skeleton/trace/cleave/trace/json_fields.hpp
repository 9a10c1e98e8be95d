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
#include <cassert>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <cleave/error.hpp>
#include <cleave/trace/words.hpp>

namespace cleave::detail {

/// Numbers beyond these are mistakes, and no arithmetic of ours overflows up to them.
inline constexpr int kMaxRanks = 1 << 24;
inline constexpr int kMaxThreads = 1 << 16;

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
  bool has(const std::string& name) const;

  /// Reads the field `name` into `value`, or writes it from there. `value` is a text, a bool, a
  /// number, a struct that has `fields`, a function of the JsonFields of an object, a std::optional
  /// (without a value: no field), or a vector, set, map by names or pair of such. `limits` are the
  /// minimum and maximum of the numbers in it; either may be left out from the back.
  template <class T, class... Limits>
  JsonFields& operator()(const std::string& name, T&& value, Limits... limits) {
    using Value = std::remove_cvref_t<T>;
    assert(!reads_ || !std::is_const_v<std::remove_reference_t<T>>);
    auto& variable = const_cast<Value&>(value);  // only read where this writes
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

  /// The fields "format" and "version": writes `version`, reads it or any of `versions`.
  /// \return  the version
  int format(const std::string& name, int version, std::initializer_list<int> versions = {});

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
  T get(const char* name, Limits... limits) const {
    T value{};
    const_cast<JsonFields&>(*this)(name, value, limits...);
    return value;
  }

 private:
  using Json = nlohmann::json;

  template <class T>
  struct Range {
    using Bound = std::conditional_t<std::integral<T>, std::int64_t, double>;
    Bound minimum = std::numeric_limits<T>::lowest();
    Bound maximum = std::numeric_limits<T>::max();
  };

  JsonFields(std::string file, std::string where, std::shared_ptr<Json> object, bool reads);

  template <class T, class... Limits>
  void visit(const std::string& name, Json& json, T& value, Limits... limits) {
    if constexpr (requires { scalar(name, json, value); }) {
      scalar(name, json, value, limits...);
    } else if constexpr (std::is_arithmetic_v<T>) {
      using Bound = typename Range<T>::Bound;
      const Range<T> range{static_cast<Bound>(limits)...};
      value = static_cast<T>(
          number_between(name, json, static_cast<Bound>(value), range.minimum, range.maximum));
    } else if constexpr (requires(JsonFields& object) { value(object); }) {
      JsonFields object = inner(name, json);
      value(object);
    } else if constexpr (requires(JsonFields& object) { fields(object, value); }) {
      JsonFields object = inner(name, json);
      fields(object, value);
    } else if constexpr (std::convertible_to<T&, std::string_view>) {
      std::string text(value);
      scalar(name, json, text);
    } else if constexpr (requires { typename T::mapped_type; }) {
      visit_map(name, json, value, limits...);
    } else if constexpr (requires { value.first, value.second; }) {
      refuse_unless(!reads_ || elements_of(name, json) == 2, name, json, "an array of 2");
      visit(name + "[0]", element(json, 0), value.first, limits...);
      visit(name + "[1]", element(json, 1), value.second, limits...);
    } else {
      visit_array(name, json, value, limits...);
    }
  }

  template <class T, class... Limits>
  void visit_map(const std::string& name, Json& json, T& map, Limits... limits) {
    JsonFields object = inner(name, json);
    if (!reads_) {
      for (auto& [key, value] : map) {
        object(key, value, limits...);
      }
      return;
    }
    map.clear();
    for (const std::string& key : object.names()) {
      object(key, map[visible(key)], limits...);
    }
  }

  template <class T, class... Limits>
  void visit_array(const std::string& name, Json& json, T& array, Limits... limits) {
    using Element = typename T::value_type;
    const std::size_t size = elements_of(name, json);
    if (!reads_) {
      for (std::size_t i = 0; const Element& value : array) {
        visit(name, element(json, i++), const_cast<Element&>(value), limits...);
      }
      return;
    }
    array.clear();
    for (std::size_t i = 0; i < size; ++i) {
      Element value{};
      visit(element_name(name, i), element(json, i), value, limits...);
      array.insert(array.end(), std::move(value));
    }
  }

  std::vector<std::string> names() const;
  Json& at(const std::string& name);
  JsonFields inner(const std::string& name, Json& json) const;
  /// How many elements the array `json` has. Makes it an empty one to be written.
  std::size_t elements_of(const std::string& name, Json& json) const;
  static Json& element(Json& json, std::size_t i);
  static std::string element_name(const std::string& name, std::size_t i);
  void refuse_unless(bool is_right, const std::string& name, const Json& json,
                     const char* right) const;
  std::size_t choose(const std::string& name, std::size_t value,
                     std::span<const std::string_view> names);

  template <class T>
  void scalar(const std::string& name, Json& json, T& value, bool is_right,
              const char* right) const;
  void scalar(const std::string& name, Json& json, std::string& value) const;
  void scalar(const std::string& name, Json& json, bool& value) const;
  void scalar(const std::string& name, Json& json, std::uint64_t& value) const;
  std::int64_t number_between(const std::string& name, Json& json, std::int64_t value,
                              std::int64_t minimum, std::int64_t maximum) const;
  double number_between(const std::string& name, Json& json, double value, double minimum,
                        double maximum) const;

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
