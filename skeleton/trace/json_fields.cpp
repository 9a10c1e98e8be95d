// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include <cleave/trace/json_fields.hpp>
#include <cleave/trace/trace_file.hpp>
#include <cleave/trace/words.hpp>

namespace cleave::detail {

using nlohmann::json;

namespace {

std::string with_place(const std::string& where, const std::string& what) {
  return where.empty() ? what : where + ": " + what;
}

/// A short form of a value for a message.
std::string shown(const json& value) {
  const std::string text = visible(value.dump(-1, ' ', false, json::error_handler_t::replace));
  constexpr std::size_t kMaxShown = 40;
  return text.size() <= kMaxShown ? text : text.substr(0, kMaxShown) + "...";
}

}  // namespace

std::string json_text(const json& value, int indent) {
  return value.dump(indent, ' ', false, json::error_handler_t::replace);
}

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

void JsonFields::refuse(const std::string& name, const std::string& what) const {
  throw FileError(file_, visible(with_place(where_, fmt::format("field '{}' {}", name, what))));
}

void JsonFields::refuse_unless(bool is_right, const std::string& name, const json& value,
                               const char* right) const {
  if (!is_right) {
    refuse(name, fmt::format("must be {}, found {}", right, shown(value)));
  }
}

bool JsonFields::has(const std::string& name) const { return object_->contains(name); }

std::vector<std::string> JsonFields::names() const {
  std::vector<std::string> names;
  for (const auto& [name, value] : object_->items()) {
    names.push_back(name);
  }
  return names;
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
  if (reads_) {
    refuse_unless(value.is_object(), name, value, "an object");
  } else {
    value = json::object();
  }
  const std::string where = reads_ ? with_place(where_, fmt::format("in '{}'", name)) : "";
  return {file_, where, {object_, &value}, reads_};
}

std::size_t JsonFields::elements_of(const std::string& name, json& value) const {
  if (reads_) {
    refuse_unless(value.is_array(), name, value, "an array");
  } else {
    value = json::array();
  }
  return value.size();
}

json& JsonFields::element(json& array, std::size_t i) { return array[i]; }

std::string JsonFields::element_name(const std::string& name, std::size_t i) {
  return fmt::format("{}[{}]", name, i);
}

std::size_t JsonFields::choose(const std::string& name, std::size_t value,
                               std::span<const std::string_view> names) {
  if (!reads_) {
    at(name) = names[value];
    return value;
  }
  const auto text = get<std::string>(name.c_str());
  const auto found = std::ranges::find(names, text);
  if (found == names.end()) {
    refuse(name, fmt::format("is '{}', allowed are {}", text, fmt::join(names, ", ")));
  }
  return static_cast<std::size_t>(found - names.begin());
}

int JsonFields::format(const std::string& name, int version, std::initializer_list<int> versions) {
  const std::vector<int> allowed = versions.size() == 0 ? std::vector{version} : versions;
  std::string format = name;
  (*this)("format", format);
  if (format != name) {
    refuse("format", fmt::format("is '{}', expected '{}'", format, name));
  }
  (*this)("version", version);
  if (std::ranges::find(allowed, version) == allowed.end()) {
    refuse("version", fmt::format("is {}, this program reads version {} of {}", version,
                                  fmt::join(allowed, " and "), name));
  }
  return version;
}

template <class T>
void JsonFields::scalar(const std::string& name, json& field, T& value, bool is_right,
                        const char* right) const {
  if (reads_) {
    refuse_unless(is_right, name, field, right);
    value = field.get<T>();
  } else {
    field = value;
  }
}

void JsonFields::scalar(const std::string& name, json& field, std::string& value) const {
  scalar(name, field, value, field.is_string(), "a string");
  value = reads_ ? visible(value) : value;
}

void JsonFields::scalar(const std::string& name, json& field, bool& value) const {
  scalar(name, field, value, field.is_boolean(), "true or false");
}

void JsonFields::scalar(const std::string& name, json& field, std::uint64_t& value) const {
  scalar(name, field, value, field.is_number_unsigned(), "an unsigned integer");
}

std::int64_t JsonFields::number_between(const std::string& name, json& field, std::int64_t value,
                                        std::int64_t minimum, std::int64_t maximum) const {
  if (!reads_) {
    field = value;
    return value;
  }
  const bool fits =
      field.is_number_integer() &&
      (!field.is_number_unsigned() || std::in_range<std::int64_t>(field.get<std::uint64_t>()));
  value = fits ? field.get<std::int64_t>() : 0;
  if (!fits || value < minimum || value > maximum) {
    refuse(name, fmt::format("must be an integer from {} to {}, found {}", minimum, maximum,
                             shown(field)));
  }
  return value;
}

double JsonFields::number_between(const std::string& name, json& field, double value,
                                  double minimum, double maximum) const {
  if (!reads_) {
    if (!std::isfinite(value)) {
      throw Error(fmt::format("cannot write '{}' as JSON: it is {}", name, value));
    }
    field = value;
    return value;
  }
  refuse_unless(field.is_number(), name, field, "a number");
  value = field.get<double>();
  if (value > maximum) {
    refuse(name, fmt::format("must be from {} to {}, found {}", minimum, maximum, value));
  }
  if (value < minimum) {
    refuse(name, fmt::format("must be at least {}, found {}", minimum, value));
  }
  return value;
}

void fields(JsonFields& object, Provenance& p) {
  object("program", p.program)("version", p.version)("commit", p.commit);
  object("command_line", p.command_line)("host", p.host)("processor", p.processor);
  object("cores", p.cores, 1).optional("cache_bytes", p.cache_bytes, 0);
  object("mpi_library", p.mpi_library)("clock", p.clock)("created", p.created);
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
