// SPDX-License-Identifier: Apache-2.0
// The short form of fuzzing: every input of a folder, and copies of it that are cut or changed or
// have another value in JSON, to the reader that CLEAVE_READER names (reader_fuzzer.cpp).
#include <cstdint>
#include <filesystem>
#include <functional>
#include <iostream>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include <cleave/file.hpp>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using nlohmann::json;

void give(const std::string& bytes) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
}

/// Up to four bytes of it are others, or pieces are lost or twice.
std::string changed(std::string bytes, std::mt19937& random) {
  for (std::uint32_t change = random() % 4 + 1; change > 0 && !bytes.empty(); --change) {
    const std::size_t at = random() % bytes.size();
    switch (random() % 4) {
      case 0:
        bytes.erase(at, random() % 40);
        break;
      case 1:
        bytes.insert(at, bytes.substr(at, random() % 40));
        break;
      default:
        bytes[at] = static_cast<char>(random());
    }
  }
  return bytes;
}

/// Calls `changed` with each value in `value` replaced in turn, and each member erased.
void at_every_value(json& value, const std::function<void()>& changed) {
  const json original = value;
  const json deep = json::parse(std::string(200, '[') + std::string(200, ']'));
  for (const json& replacement :
       {json(), json(-1), json(1e308), json("\xe2\x80\xae"), json::array(), json(true),
        json::object(), deep, json(std::vector<int>(5000))}) {
    value = replacement;
    changed();
  }
  value = original;
  if (value.is_object()) {
    for (const auto& [name, member] : original.items()) {
      value.erase(name);
      changed();
      value = original;
    }
  }
  if (value.is_structured()) {
    for (json& element : value) {
      at_every_value(element, changed);
      if (value.is_array()) {
        break;  // its elements are alike
      }
    }
  }
}

/// Copies in which a value of the first lines is another, where these are JSON.
void give_with_values(const std::string& bytes) {
  constexpr int kLines = 8;
  std::size_t begin = 0;
  for (int line = 0; line < kLines && begin < bytes.size(); ++line) {
    const std::size_t end = std::min(bytes.find('\n', begin), bytes.size());
    if (json object = json::parse(bytes.substr(begin, end - begin), nullptr, false);
        object.is_object()) {
      at_every_value(object,
                     [&] { give(bytes.substr(0, begin) + object.dump() + bytes.substr(end)); });
    }
    begin = end + 1;
  }
}

void give_with_changes(const std::string& bytes) {
  constexpr std::size_t kCopies = 50;
  std::mt19937 random(1);
  give(bytes);
  give_with_values(bytes);
  for (std::size_t i = 0; i < kCopies; ++i) {
    give(bytes.substr(0, bytes.size() * i / kCopies));
    give(changed(bytes, random));
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: corpus_test FOLDER\n";
    return 2;
  }
  int inputs = 0;
  for (const auto& entry : std::filesystem::directory_iterator(argv[1])) {
    give_with_changes(cleave::read_file(entry.path()));
    ++inputs;
  }
  std::cout << inputs << " inputs\n";
  return inputs > 0 ? 0 : 1;
}
