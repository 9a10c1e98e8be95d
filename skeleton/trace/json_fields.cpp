// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include <cleave/trace/json_fields.hpp>
#include <cleave/trace/trace_file.hpp>

namespace cleave::detail {

using json = nlohmann::ordered_json;

namespace {

std::string with_place(const std::string& where, const std::string& what) {
  return where.empty() ? what : where + ": " + what;
}

std::string text_of(const json& value, int indent = -1) {
  return value.dump(indent, ' ', false, json::error_handler_t::replace);
}

/// A short form of a value for a message.
std::string shown(const json& value) {
  constexpr std::size_t kMaxShown = 40;
  const std::string text = visible(text_of(value));
  return text.size() <= kMaxShown ? text : text.substr(0, kMaxShown) + "...";
}

}  // namespace

JsonFields JsonFields::parse(const std::string& file, const std::string& where,
                             std::string_view text) {
  const auto refuse_text = [&](const std::string& what) {
    throw FileError(file, with_place(where, what));
  };
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    refuse_text("empty, expected a JSON object");
  }
  constexpr int kMaxDepth = 100;
  const auto limit_depth = [&](int depth, json::parse_event_t, const json& /*value*/) {
    if (depth > kMaxDepth) {
      refuse_text(fmt::format("nested deeper than {}", kMaxDepth));
    }
    return true;
  };
  const auto opened = std::ranges::count_if(text, [](char c) { return c == '[' || c == '{'; });
  const auto value = std::make_shared<json>();
  try {
    *value = opened > kMaxDepth ? json::parse(text, limit_depth) : json::parse(text);
  } catch (const json::parse_error& e) {
    refuse_text(fmt::format("not JSON (at byte {})", e.byte));
  } catch (const json::out_of_range&) {
    refuse_text("holds a number that is too large");
  }
  if (!value->is_object()) {
    refuse_text("expected a JSON object, found " + shown(*value));
  }
  return {file, where, value, true};
}

JsonFields::JsonFields() : JsonFields("", "", std::make_shared<json>(json::object()), false) {}

JsonFields::JsonFields(std::string file, std::string where, std::shared_ptr<json> object,
                       bool reads)
    : file_(std::move(file)), where_(std::move(where)), object_(std::move(object)), reads_(reads) {}

bool JsonFields::has(const std::string& name) const { return object_->contains(name); }

std::string JsonFields::text(int indent) const { return text_of(*object_, indent); }

std::vector<std::string> JsonFields::names() const {
  std::vector<std::string> names;
  for (const auto& item : object_->items()) {
    names.push_back(item.key());
  }
  return names;
}

void JsonFields::refuse(const std::string& name, const std::string& what) const {
  throw FileError(file_, visible(with_place(where_, fmt::format("field '{}' {}", name, what))));
}

void JsonFields::refuse_unless(bool is_right, const std::string& name, const json& value,
                               const char* right) const {
  if (!is_right) {
    refuse(name, fmt::format("must be {}, found {}", right, shown(value)));
  }
}

json& JsonFields::at(const std::string& name) {
  if (!reads_) {
    return (*object_)[name];
  }
  const auto found = object_->find(name);
  if (found == object_->end()) {
    refuse(name, "is missing");
  }
  return *found;
}

JsonFields JsonFields::inner(const std::string& name, json& value) const {
  if (!reads_) {
    value = json::object();
    return {"", "", {object_, &value}, false};
  }
  refuse_unless(value.is_object(), name, value, "an object");
  return {file_, with_place(where_, fmt::format("in '{}'", name)), {object_, &value}, true};
}

std::size_t JsonFields::open_array(const std::string& name, json& value, std::size_t size) const {
  if (!reads_) {
    value = json::array();
  } else if (!value.is_array() || (size != 0 && value.size() != size)) {
    refuse_unless(false, name, value, size == 0 ? "an array" : "an array of 2");
  }
  return value.size();
}

json& JsonFields::element(json& array, std::size_t index) { return array[index]; }

template <class T>
void JsonFields::plain(const std::string& name, json& field, T& value) const {
  constexpr bool kIsText = std::is_same_v<T, std::string>;
  if (!reads_) {
    field = value;
    return;
  }
  const auto [is_right, right] = kIsText ? std::pair(field.is_string(), "a string")
                                 : std::is_same_v<T, bool>
                                     ? std::pair(field.is_boolean(), "true or false")
                                     : std::pair(field.is_number_unsigned(), "an unsigned integer");
  refuse_unless(is_right, name, field, right);
  value = field.get<T>();
  if constexpr (kIsText) {
    value = visible(value);
  }
}

std::size_t JsonFields::choose(const std::string& name, std::size_t value,
                               std::span<const std::string_view> names) {
  std::string text(names[value]);
  (*this)(name, text);
  const auto found = std::ranges::find(names, text);
  if (found == names.end()) {
    refuse(name, fmt::format("is '{}', allowed are {}", text, fmt::join(names, ", ")));
  }
  return static_cast<std::size_t>(found - names.begin());
}

int JsonFields::format(const std::string& name, int version, int newest) {
  const std::set<int> allowed = {version, std::max(version, newest)};
  std::string format = name;
  (*this)("format", format);
  require(format == name, "format", fmt::format("is '{}', expected '{}'", format, name));
  (*this)("version", version);
  require(allowed.contains(version), "version",
          fmt::format("is {}, this program reads version {} of {}", version,
                      fmt::join(allowed, " and "), name));
  return version;
}

template <class Number>
Number JsonFields::number(const std::string& name, json& field, Number value, Number minimum,
                          Number maximum) const {
  constexpr bool kIsInteger = std::integral<Number>;
  if (!reads_) {
    if (!std::isfinite(static_cast<double>(value))) {
      throw Error(fmt::format("cannot write '{}' as JSON: it is {}", name, value));
    }
    field = value;
    return value;
  }
  const bool is_too_large =
      field.is_number_unsigned() && !std::in_range<std::int64_t>(field.get<std::uint64_t>());
  const bool is_number =
      kIsInteger ? field.is_number_integer() && !is_too_large : field.is_number();
  value = is_number ? field.get<Number>() : Number();
  if (!is_number || value < minimum || value > maximum) {
    const std::string range = maximum < std::numeric_limits<Number>::max()
                                  ? fmt::format(" from {} to {}", minimum, maximum)
                              : minimum > std::numeric_limits<Number>::lowest()
                                  ? fmt::format(" of at least {}", minimum)
                                  : "";
    refuse(name, fmt::format("must be {}{}, found {}", kIsInteger ? "an integer" : "a number",
                             range, shown(field)));
  }
  return value;
}

template void JsonFields::plain(const std::string&, json&, bool&) const;
template void JsonFields::plain(const std::string&, json&, std::uint64_t&) const;
template void JsonFields::plain(const std::string&, json&, std::string&) const;
template std::int64_t JsonFields::number(const std::string&, json&, std::int64_t, std::int64_t,
                                         std::int64_t) const;
template double JsonFields::number(const std::string&, json&, double, double, double) const;

void fields(JsonFields& object, Provenance& p) {
  object("program", p.program)("version", p.version)("commit", p.commit);
  object("command_line", p.command_line)("host", p.host)("processor", p.processor);
  object("cores", p.cores, 0)("mpi_library", p.mpi_library);
  object("clock", p.clock)("created", p.created);
}

std::string wrong_size_name(std::string_view name) {
  return fmt::format(
      "'{}' is not a name of a size: a letter, then letters, digits and '_', at most 64",
      visible(name));
}

void sizes_field(JsonFields& object, NamedSizes& sizes) {
  object("sizes", sizes, 0);
  for (const auto& [name, value] : sizes) {
    object.require(is_size_name(name), "sizes", wrong_size_name(name));
  }
}

}  // namespace cleave::detail
