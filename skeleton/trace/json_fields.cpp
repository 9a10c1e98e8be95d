// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include <cleave/trace/json_fields.hpp>
#include <cleave/trace/words.hpp>

namespace cleave::detail {

using nlohmann::json;

namespace {

std::string with_place(const std::string& where, const std::string& what) {
  return where.empty() ? what : where + ": " + what;
}

/// A short form of a value for a message.
std::string shown(const json& value) {
  std::string text = value.dump(-1, ' ', false, json::error_handler_t::replace);
  constexpr std::size_t kMaxShown = 40;
  return text.size() <= kMaxShown ? text : text.substr(0, kMaxShown) + "...";
}

/// `value` with all its texts and names as a terminal may show them.
json made_visible(json value) {
  if (value.is_string()) {
    return visible(value.get_ref<const std::string&>());
  }
  if (value.is_object()) {
    json object = json::object();
    for (auto& [name, member] : value.items()) {
      object[visible(name)] = made_visible(std::move(member));
    }
    return object;
  }
  if (value.is_array()) {
    for (json& element : value) {
      element = made_visible(std::move(element));
    }
  }
  return value;
}

/// Whether texts in it may hold control characters: those below a blank stand in JSON as escapes.
bool may_hold_controls(std::string_view text) {
  return text.find_first_of("\\\x7f\xc2") != std::string_view::npos;
}

/// What `from` makes of each element of the field `name`, whose value must be `array`.
template <class From>
auto list_of(const JsonFields& fields, const char* name, const json& value, const char* array,
             From&& from) {
  if (!value.is_array()) {
    fields.refuse(name, fmt::format("must be {}, found {}", array, shown(value)));
  }
  std::vector<std::decay_t<decltype(from(value))>> list;
  list.reserve(value.size());
  for (const json& element : value) {
    list.push_back(from(element));
  }
  return list;
}

}  // namespace

json parse_json_object(const std::filesystem::path& file, const std::string& where,
                       std::string_view text) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    throw FileError(file, with_place(where, "empty, expected a JSON object"));
  }
  json value;
  try {
    value = json::parse(text);
  } catch (const json::parse_error& e) {
    throw FileError(file, with_place(where, fmt::format("not JSON (at byte {})", e.byte)));
  } catch (const json::out_of_range&) {
    throw FileError(file, with_place(where, "holds a number that is too large"));
  }
  if (!value.is_object()) {
    throw FileError(file, with_place(where, "expected a JSON object, found " + shown(value)));
  }
  return may_hold_controls(text) ? made_visible(std::move(value)) : value;
}

JsonFields::JsonFields(const std::filesystem::path& file, std::string where, const json& object)
    : file_(file), where_(std::move(where)), object_(object) {
  if (!object_.is_object()) {
    throw FileError(file_, with_place(where_, "expected a JSON object, found " + shown(object_)));
  }
}

void JsonFields::refuse(const char* name, const std::string& what) const {
  throw FileError(file_, with_place(where_, fmt::format("field '{}' {}", name, what)));
}

const json& JsonFields::at(const char* name) const {
  const auto found = object_.find(name);
  if (found == object_.end()) {
    refuse(name, "is missing");
  }
  return *found;
}

bool JsonFields::has(const char* name) const { return object_.contains(name); }

std::string JsonFields::text(const char* name) const {
  const json& value = at(name);
  if (!value.is_string()) {
    refuse(name, "must be a string, found " + shown(value));
  }
  return value.get<std::string>();
}

bool JsonFields::boolean(const char* name) const {
  const json& value = at(name);
  if (!value.is_boolean()) {
    refuse(name, "must be true or false, found " + shown(value));
  }
  return value.get<bool>();
}

double JsonFields::number(const char* name) const {
  const json& value = at(name);
  if (!value.is_number() || !std::isfinite(value.get<double>())) {
    refuse(name, "must be a number, found " + shown(value));
  }
  return value.get<double>();
}

double JsonFields::non_negative(const char* name) const {
  const double value = number(name);
  if (value < 0) {
    refuse(name, fmt::format("must be at least 0, found {}", value));
  }
  return value;
}

std::int64_t JsonFields::integer_between(const char* name, const json& value, std::int64_t minimum,
                                         std::int64_t maximum) const {
  const bool fits = value.is_number_integer() &&
                    (!value.is_number_unsigned() ||
                     value.get<std::uint64_t>() <=
                         static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()));
  if (!fits || value.get<std::int64_t>() < minimum || value.get<std::int64_t>() > maximum) {
    refuse(name, fmt::format("must be an integer from {} to {}, found {}", minimum, maximum,
                             shown(value)));
  }
  return value.get<std::int64_t>();
}

JsonFields JsonFields::object(const char* name) const {
  const json& value = at(name);
  if (!value.is_object()) {
    refuse(name, "must be an object, found " + shown(value));
  }
  return {file_, with_place(where_, fmt::format("in '{}'", name)), value};
}

std::vector<JsonFields> JsonFields::objects(const char* name) const {
  return list_of(*this, name, at(name), "an array", [&, i = 0](const json& element) mutable {
    return JsonFields(file_, with_place(where_, fmt::format("in '{}[{}]'", name, i++)), element);
  });
}

std::vector<double> JsonFields::numbers(const char* name) const {
  return numbers_in(name, at(name));
}

std::vector<std::vector<double>> JsonFields::lists(const char* name) const {
  return list_of(*this, name, at(name), "an array of arrays",
                 [&](const json& element) { return numbers_in(name, element); });
}

std::vector<double> JsonFields::numbers_in(const char* name, const json& value) const {
  return list_of(*this, name, value, "an array of numbers", [&](const json& element) {
    if (!element.is_number() || !std::isfinite(element.get<double>())) {
      refuse(name, "must hold numbers only, found " + shown(element));
    }
    return element.get<double>();
  });
}

std::vector<std::string> JsonFields::texts(const char* name) const {
  return list_of(*this, name, at(name), "an array of strings", [&](const json& element) {
    if (!element.is_string()) {
      refuse(name, "must hold strings only, found " + shown(element));
    }
    return element.get<std::string>();
  });
}

std::vector<std::int64_t> JsonFields::integers(const char* name, std::int64_t minimum,
                                               std::int64_t maximum) const {
  return list_of(*this, name, at(name), "an array of integers", [&](const json& element) {
    return integer_between(name, element, minimum, maximum);
  });
}

void check_format(const JsonFields& fields, const std::string& format,
                  std::span<const int> versions) {
  const std::string found = fields.text("format");
  if (found != format) {
    fields.refuse("format", fmt::format("is '{}', expected '{}'", found, format));
  }
  const auto found_version = fields.integer<std::int64_t>("version");
  if (std::ranges::find(versions, found_version) == versions.end()) {
    fields.refuse("version", fmt::format("is {}, this program reads version {} of {}",
                                         found_version, fmt::join(versions, " and "), format));
  }
}

}  // namespace cleave::detail
