// SPDX-License-Identifier: Apache-2.0
// Tests of what happens without memory.
#pragma once

#include <sys/resource.h>
#include <unistd.h>

#include <fstream>

namespace cleave::testing {

/// While it lives, this process gets so many bytes more of address space at most.
class AddressSpace {
 public:
  explicit AddressSpace(rlim_t more_bytes) {
    ::getrlimit(RLIMIT_AS, &before_);
    rlim_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    const rlimit tight{
        .rlim_cur = pages * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE)) + more_bytes,
        .rlim_max = before_.rlim_max};
    ::setrlimit(RLIMIT_AS, &tight);
  }
  ~AddressSpace() { ::setrlimit(RLIMIT_AS, &before_); }
  AddressSpace(const AddressSpace&) = delete;
  AddressSpace& operator=(const AddressSpace&) = delete;

 private:
  rlimit before_{};
};

}  // namespace cleave::testing
