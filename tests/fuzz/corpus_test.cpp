// SPDX-License-Identifier: Apache-2.0
// The short form of fuzzing: every input of a folder, and copies of it that are cut or changed, to
// the reader that CLEAVE_READER names (reader_fuzzer.cpp).
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <random>
#include <string>

#include <cleave/error.hpp>
#include <cleave/file.hpp>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

void give(const std::string& bytes) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
}

/// Up to four bytes of it are others.
std::string changed(std::string bytes, std::mt19937& random) {
  for (std::uint32_t change = random() % 4 + 1; change > 0 && !bytes.empty(); --change) {
    bytes[random() % bytes.size()] = static_cast<char>(random());
  }
  return bytes;
}

void give_with_changes(const std::string& bytes) {
  constexpr std::size_t kCopies = 50;
  std::mt19937 random(1);
  give(bytes);
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
