// SPDX-License-Identifier: Apache-2.0
#include <cleave/kernel/blocks.hpp>

namespace cleave::detail {

namespace {

/// The exception that is being handled: of a functor where it tells one, else of `block`.
Failure failure_of_exception(int level, std::string_view block) {
  try {
    throw;
  } catch (const BlockFailed& e) {
    return {level, e.block, e.what(), std::current_exception()};
  } catch (...) {
    return {level, std::string(block), message_of_exception(), std::current_exception()};
  }
}

}  // namespace

void throw_block_failed(const char* name) { throw BlockFailed(name, message_of_exception()); }

void FirstFailure::note(const char* block) {
  const std::lock_guard guard(mutex_);
  if (!failure_) {
    failure_ = failure_of_exception(0, block);
  }
  is_set_.store(true);
}

std::int64_t BlockRunner::now_ns() const { return recorder_ != nullptr ? recorder_->now_ns() : 0; }

void BlockRunner::record(Block block, Level level, std::int64_t begin_ns, std::int64_t end_ns,
                         std::int64_t bytes, const Sizes& sizes) {
  recorder_->record(block, level.index, level.group, begin_ns, end_ns, bytes, sizes);
}

void BlockRunner::announce(Block block, Level level) const {
  if (options_.hooks.before_block) {
    options_.hooks.before_block(block, level.index);
  }
}

void BlockRunner::fail(Level level, std::string_view name) {
  if (!failure_) {
    failure_ = failure_of_exception(level.index, name);
  }
}

}  // namespace cleave::detail
