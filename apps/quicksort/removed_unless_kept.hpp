// SPDX-License-Identifier: Apache-2.0
// A file that several processes write by its name, which is to appear whole or not at all.
#pragma once

#include <filesystem>

namespace cleave::quicksort {

/// Removes a file once this process has ended, however it ends, unless `keep` is called before.
/// Cost: a process that waits.
class RemovedUnlessKept {
 public:
  /// Does nothing where no process can be started.
  explicit RemovedUnlessKept(const std::filesystem::path& path);
  /// Removes it, unless it is kept.
  ~RemovedUnlessKept();
  RemovedUnlessKept(const RemovedUnlessKept&) = delete;
  RemovedUnlessKept& operator=(const RemovedUnlessKept&) = delete;

  void keep();

 private:
  std::filesystem::path path_;
  int to_watcher_ = -1;  ///< closed at the end of this process
  int watcher_ = -1;
};

}  // namespace cleave::quicksort
