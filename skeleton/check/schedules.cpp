// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <filesystem>
#include <random>
#include <set>

#include <cleave/check.hpp>
#include <cleave/comm/virtual_ranks.hpp>
#include <cleave/dc_call.hpp>
#include <cleave/error.hpp>
#include <cleave/trace/words.hpp>

namespace cleave::detail {
namespace {

namespace fs = std::filesystem;

/// The time of all ranks, which goes on by each block: so every schedule is the same again.
thread_local std::int64_t blocks_ns = 0;

class Attempt {
 public:
  Attempt(const CheckedSchedule& schedule, const CheckedProblem& problem,
          std::vector<std::string>* blocks)
      : schedule_(schedule), problem_(problem), told_(blocks) {
    if (schedule.killed) {
      const fs::path memory = fs::exists("/dev/shm") ? "/dev/shm" : fs::temp_directory_path();
      folder_ = make_folder_beside(memory / "cleave-check");
      sync = [this](int /*file*/, const fs::path& path) { return put_on_disk(path); };
    }
  }
  ~Attempt() {
    sync = before_;
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  std::string broken() {
    std::string broken = broken_once();
    if (schedule_.killed && broken.empty() && fs::exists(folder_ / "killed")) {
      schedule_.ranks = static_cast<int>(1 + random_() % 8);
      snapshots_ = "killed";
      broken = is_lost_ ? "a snapshot is lost" : broken_once();
    }
    return broken;
  }

 private:
  std::string broken_once() {
    given_ = given();
    if (given_.empty()) {
      return "";
    }
    solutions_ = Values(given_.size());
    failures_.assign(given_.size(), "");
    VirtualNetwork network;
    network.more_ns = [this] {
      step("running");
      return schedule_.delays ? any_ns() : 0;
    };
    const Clock clock = schedule_.threads > 1 ? nullptr : Clock([] { return blocks_ns; });
    try {
      run_virtual_ranks(schedule_.ranks, std::bind_front(&Attempt::call_as, this), network, clock);
    } catch (const std::exception& failure) {
      return failure.what();
    }
    const auto before = std::ranges::adjacent_find(failures_, std::not_equal_to());
    if (before != failures_.end()) {
      return fmt::format("a block throws, of which rank 0 is told '{}', rank {} '{}'",
                         failures_.front(), before - failures_.begin() + 1, before[1]);
    }
    solutions_.resize(schedule_.placement == Placement::rooted ? 1 : given_.size());
    return problem_.is_solution(solutions_) ? "" : "the solution is not that of one rank";
  }
  /// A message or a sync, at which all ranks may be killed: keeps what is on the disk then. After a
  /// power cut names are those of now, or of when their folder was synced; files that were not
  /// synced end anywhere. \param sure  has the snapshot that must be left, or a newer one
  void step(const fs::path& sure) {
    if (schedule_.killed != steps_++) {
      return;
    }
    const std::uint64_t forgets = random_() % 2;
    std::set<fs::path> names;
    for (const auto& file : fs::recursive_directory_iterator(folder_)) {
      names.insert(file.path().filename());
    }
    fs::create_directory(folder_ / "killed");
    for (const fs::path& name : names) {
      const fs::path file = folder_ / (random_() % 2 < forgets ? "disk" : "running") / name;
      std::error_code none;
      const bool is_kept = fs::copy_file(file, folder_ / "killed" / name, none);
      if (is_kept && fs::last_write_time(file) != fs::file_time_type()) {
        fs::resize_file(folder_ / "killed" / name, random_() % (fs::file_size(file) + 1));
      }
      if (name.extension() == ".json") {
        is_lost_ = !is_kept && (is_lost_ || fs::exists(folder_ / sure / name));
      }
    }
  }
  /// In place of fsync. The names in the folder last once its own does.
  int put_on_disk(const fs::path& path) {
    step("disk");
    if (steps_ > schedule_.killed || !fs::is_directory(path)) {  // what a kill leaves is kept
      fs::last_write_time(path, fs::file_time_type());
    } else if (path.filename() == "..") {
      fs::create_directory(folder_ / "disk");
    } else if (fs::remove_all(folder_ / "disk") > 0) {
      constexpr auto kLinks = fs::copy_options::recursive | fs::copy_options::create_hard_links;
      fs::copy(path, folder_ / "disk", kLinks);
    }
    return 0;
  }
  Values given() const {
    return problem_.given(schedule_.ranks, schedule_.placement == Placement::distributed);
  }
  /// Waits a moment for another thread, a few times: the functors of two are then called at once.
  void meet() {
    const std::uint64_t met = met_.fetch_add(1);
    const std::int64_t end_ns = monotonic_ns() + 20'000;
    while (met < 40 && met % 2 == 0 && met_.load() == met + 1 && monotonic_ns() < end_ns) {
    }
  }
  std::int64_t any_ns() { return std::int64_t{1} << random_() % 14; }
  /// Calls as this rank, and once more if a block has thrown.
  void call_as(const SearchMessages& ranks) {
    const auto rank = static_cast<std::size_t>(ranks.rank());
    CallOptions options{{.placement = schedule_.placement}};
    options.stealing.threads = schedule_.threads;
    if (!folder_.empty()) {
      options.checkpoint = {folder_ / snapshots_, every_s_, true};
    }
    options.before_block = [this, rank](Block block, int level) {
      if (schedule_.threads > 1) {
        return meet();
      }
      blocks_ns += schedule_.delays ? any_ns() << (*schedule_.delays >> rank) % 4 : 30'000;
      if (told_ != nullptr) {
        told_->push_back(fmt::format("rank {}: {} at level {}", rank, name_of(block), level));
      }
      if (schedule_.throws == begun_++) {
        throw std::bad_alloc();
      }
    };
    const auto solve = [&](ErasedValue problem) {
      solutions_[rank] = call_on(
          ranks, *problem_.app, [&] { return std::move(problem); }, options, schedule_.type);
    };
    try {
      return solve(std::move(given_[rank]));
    } catch (const std::exception& failure) {
      failures_[rank] = failure.what();
    }
    if (schedule_.throws.value_or(begun_) >= begun_) {
      throw Error(failures_[rank]);
    }
    solve(std::move(given()[rank]));
  }
  CheckedSchedule schedule_;
  const CheckedProblem& problem_;
  std::vector<std::string>* const told_;
  std::mt19937_64 random_{schedule_.delays.value_or(0)};
  fs::path folder_;
  const decltype(sync) before_ = sync;
  const char* snapshots_ = "running";                          ///< in that folder
  const double every_s_ = 1e-9 * std::pow(2, random_() % 24);  ///< between two snapshots
  Values given_;
  Values solutions_;
  std::vector<std::string> failures_;   ///< what each rank is told of a block that throws
  std::atomic<std::uint64_t> met_ = 0;  ///< threads at the begin of a block
  std::uint64_t begun_ = 0;             ///< blocks
  std::uint64_t steps_ = 0;             ///< messages and syncs
  bool is_lost_ = false;                ///< the snapshot that the kill must leave
};

/// Makes the schedule shorter, if a promise is broken then, too. \return  whether it did
bool shorten(CheckedSchedule& schedule, CheckedProblem& problem) {
  std::vector<std::pair<CheckedSchedule, CheckedProblem>> shorter;
  for (auto& each : problem.smaller ? problem.smaller() : std::vector<CheckedProblem>()) {
    shorter.emplace_back(schedule, std::move(each));
  }
  for (int ranks = 1; ranks < schedule.ranks; ++ranks) {
    shorter.emplace_back(schedule, problem).first.ranks = ranks;
  }
  for (const auto part :
       {&CheckedSchedule::delays, &CheckedSchedule::throws, &CheckedSchedule::killed}) {
    if (schedule.*part) {
      (shorter.emplace_back(schedule, problem).first.*part).reset();
    }
  }
  const auto found = std::ranges::find_if(
      shorter, [](const auto& each) { return !broken_in(each.first, each.second).empty(); });
  if (found != shorter.end()) {
    std::tie(schedule, problem) = *found;
  }
  return found != shorter.end();
}

}  // namespace

std::vector<CheckedSchedule> plain_schedules(const AppTraits& app) {
  const bool crosses = app.problem.make != nullptr && !app.splits_parts;
  const bool divides = app.runs_on_hypercube && !app.splits_parts;
  std::vector<CheckedSchedule> plain;
  for (const auto& [can_be, type, placement] :
       {std::tuple(divides, DC_Type::hypercube, Placement::replicated),
        std::tuple(divides && crosses, DC_Type::hypercube, Placement::rooted),
        std::tuple(app.is_distributable, DC_Type::hypercube, Placement::distributed),
        std::tuple(app.searches || crosses, DC_Type::work_stealing, Placement::rooted)}) {
    if (can_be) {
      plain.push_back({type, placement});
    }
  }
  return plain;
}

std::string broken_in(const CheckedSchedule& schedule, const CheckedProblem& problem,
                      std::vector<std::string>* blocks) {
  const auto& [type, placement, ranks, delays, throws, killed, threads] = schedule;
  const std::string broken = Attempt(schedule, problem, blocks).broken();
  const char* const shared = ", by threads, whose functors may share state";
  return broken.empty()
             ? ""
             : fmt::format("on {}, {}, {}{}{}{}{}: {}", format_ranks(ranks), name_of(type),
                           name_of(placement), delays ? ", with delays" : "",
                           throws ? ", a block throws" : "", threads > 1 ? shared : "",
                           killed ? ", killed and resumed" : "", broken);
}

std::string first_broken(const std::vector<CheckedProblem>& problems, const CheckOptions& options) {
  for (std::uint64_t i = 0; i < (problems.empty() ? 0 : options.schedules); ++i) {
    std::mt19937_64 random(options.seed + i);
    std::uniform_real_distribution<double> share(0, 1);
    CheckedProblem problem = problems[random() % problems.size()];
    const std::vector<CheckedSchedule> plain = plain_schedules(problem.app->traits());
    CheckedSchedule schedule = plain[random() % plain.size()];
    schedule.ranks = static_cast<int>(std::pow(64, share(random) * share(random)));
    schedule.delays = random();
    if (random() % 4 == 0) {
      schedule.throws = random() % (std::uint64_t{1} << random() % 12);
    }
    if (problem.app->traits().searches && random() % 8 == 0) {
      schedule.killed = random() % (std::uint64_t{1} << random() % 12);
    }
    if (schedule.type == DC_Type::work_stealing && random() % 128 == 0) {
      schedule = {schedule.type, schedule.placement, 1};
      schedule.threads = static_cast<int>(2 + random() % 3);
    }
    std::string broken = broken_in(schedule, problem);
    if (broken.empty()) {
      continue;
    }
    std::vector<std::string> blocks(schedule.threads > 1, "by chance: try it again and again");
    while (schedule.threads == 1 && shorten(schedule, problem)) {
    }
    broken = schedule.threads > 1 ? broken : broken_in(schedule, problem, &blocks);
    const auto told = blocks.end() - std::min<std::ptrdiff_t>(20, std::ssize(blocks));
    return fmt::format("{}: {} (seed {})\n  {}", problem.name, broken, options.seed + i,
                       fmt::join(told, blocks.end(), "\n  "));
  }
  return "";
}

}  // namespace cleave::detail
