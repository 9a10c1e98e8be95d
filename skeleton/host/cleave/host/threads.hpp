// SPDX-License-Identifier: Apache-2.0
// Threads that sleep between two pieces of work, until the process ends: one that sleeps begins
// sooner than a new one.
#pragma once

#include <functional>
#include <memory>

namespace cleave::detail {

/// A piece of work for a thread.
struct Errand;

/// Gives `work`, which must not throw, to a thread that sleeps, or to a new one if none does.
/// \throws std::system_error  if the system starts no more threads
std::shared_ptr<Errand> give_to_thread(std::function<void()> work);

/// Takes the work back if no thread has begun it; else waits for its end.
void finish(const std::shared_ptr<Errand>& errand);

}  // namespace cleave::detail
