// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstdlib>
#include <functional>
#include <string_view>
#include <utility>

#include <cleave/comm/message_check.hpp>
#include <cleave/error.hpp>

namespace cleave::detail {

namespace {

/// The message to damage. Only the thread that calls MPI comes here.
struct Damage {
  int messages_to_come = 0;  ///< including the one; 0: none
  std::shared_ptr<std::atomic<int>> happened;
};
Damage damage;

}  // namespace

bool asks_for_checksums() {
  const char* const wish = std::getenv("CLEAVE_CHECK_MESSAGES");
  return wish != nullptr && std::string_view(wish) == "1";
}

std::uint64_t checksum(std::span<const std::byte> message) {
  const std::string_view text(reinterpret_cast<const char*>(message.data()), message.size());
  return std::hash<std::string_view>{}(text);
}

void check_message(std::span<std::byte> message, std::uint64_t sent_checksum, int from) {
  if (message.empty()) {
    return;
  }
  if (damage.messages_to_come > 0 && --damage.messages_to_come == 0) {
    message[message.size() / 2] ^= std::byte{1};
    ++*damage.happened;
  }
  if (checksum(message) != sent_checksum) {
    throw Error(
        fmt::format("a message of {} bytes from rank {} is damaged: its checksum is not "
                    "that of what was sent",
                    message.size(), from));
  }
}

void damage_message(int nth, std::shared_ptr<std::atomic<int>> happened) {
  damage = {.messages_to_come = nth, .happened = std::move(happened)};
}

}  // namespace cleave::detail
