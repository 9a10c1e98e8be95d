// SPDX-License-Identifier: Apache-2.0
#include <cleave/wire.hpp>

namespace cleave {

void Packer::put(const void* data, std::size_t bytes) {
  const auto* first = static_cast<const std::byte*>(data);
  bytes_.insert(bytes_.end(), first, first + bytes);
}

void Packer::put_count(std::size_t count) {
  const auto wide = static_cast<std::uint64_t>(count);
  put(&wide, sizeof(wide));
}

std::size_t Unpacker::take_count(std::size_t element_bytes) {
  std::uint64_t count = 0;
  take(&count, sizeof(count));
  if (element_bytes != 0 && count > bytes_.size() / element_bytes) {
    throw Error("message cut short: it holds fewer elements than it says");
  }
  return static_cast<std::size_t>(count);
}

void Unpacker::throw_cut_short() { throw Error("message cut short"); }

}  // namespace cleave
