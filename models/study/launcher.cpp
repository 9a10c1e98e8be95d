// SPDX-License-Identifier: Apache-2.0
#include "models/study/launcher.hpp"

#include <fmt/format.h>

#include <sstream>

#include <cleave/error.hpp>
#include <cleave/host/provenance_here.hpp>

namespace cleave::models {

Ended Launcher::run(const RanksAndThreads& workers, const std::filesystem::path& program,
                    const std::vector<std::string>& options) const {
  std::vector<std::string> line = words(workers);
  line.push_back(program.string());
  line.insert(line.end(), options.begin(), options.end());
  try {
    return run_program(line);
  } catch (const Stopped&) {
    throw;
  } catch (const Error& e) {
    throw Error(fmt::format(
        "ranks cannot be started: {}; say how by --launcher, for example --launcher \"mpiexec -n "
        "{{ranks}}\"",
        e.what()));
  }
}

std::vector<std::string> Launcher::words(const RanksAndThreads& workers) const {
  const std::string cores = workers.threads == 1 ? "core" : fmt::format("core:{}", workers.threads);
  const std::string bound = fmt::format("{} -bind-to {} -n {{ranks}}", CLEAVE_MPIEXEC, cores);
  const std::string unbound = std::string(CLEAVE_MPIEXEC) + " -n {ranks}";
  const bool have_cores = workers.ranks * workers.threads <= detail::usable_cores();
  std::istringstream text(is_given() ? given_ : have_cores ? bound : unbound);
  std::vector<std::string> all;
  for (std::string word; text >> word;) {
    constexpr std::string_view kRanks = "{ranks}";
    if (const auto at = word.find(kRanks); at != std::string::npos) {
      word.replace(at, kRanks.size(), std::to_string(workers.ranks));
    }
    all.push_back(std::move(word));
  }
  return all;
}

}  // namespace cleave::models
