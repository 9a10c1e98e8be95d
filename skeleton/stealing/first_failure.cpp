// SPDX-License-Identifier: Apache-2.0
#include <cleave/stealing/first_failure.hpp>

namespace cleave::detail {

void FirstFailure::note(const char* block) {
  const std::lock_guard guard(mutex_);
  if (!failure_) {
    failure_ = failure_of_exception(0, block);
  }
  is_set_.store(true);
}

}  // namespace cleave::detail
