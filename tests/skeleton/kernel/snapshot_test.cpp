// SPDX-License-Identifier: Apache-2.0
// A search that was stopped is resumed from its snapshot, on another number of threads; a snapshot
// that is foreign or damaged is refused.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <cleave/dc_call.hpp>
#include <cleave/file.hpp>
#include <cleave/kernel/snapshot.hpp>

#include "tests/skeleton/examples.hpp"
#include "tests/skeleton/kernel/trees.hpp"
#include "tests/support/temporary_folder.hpp"

namespace cleave {

using namespace cleave::detail;
namespace {

using examples::Counted;
using examples::RandomTree;
using examples::world;

/// One folder for all ranks, removed by rank 0.
class SharedFolder {
 public:
  SharedFolder() {
    if (world().rank() == 0) {
      folder_.emplace();
    }
    path_ = world().bcast(folder_ ? folder_->path().string() : "", 0);
  }
  ~SharedFolder() { world().barrier(); }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::optional<testing::TemporaryFolder> folder_;
  std::filesystem::path path_;
};

/// Wants a snapshot and an end after some visits on rank 0.
struct Stopping : RandomTree {
  std::atomic<bool>* stop = nullptr;
  std::atomic<int>* visits = nullptr;

  void visit(const Node& node, Children<Node>& children, Counted& total) const {
    RandomTree::visit(node, children, total);
    if (++*visits == 2000) {
      *stop = true;
    }
  }
};

constexpr RandomTree::Node kStart{.number = 77};
constexpr int kChildren = 100'000;  // so many that none is done before rank 0 stops them all

Options options_for(const std::filesystem::path& folder, int threads, bool resume,
                    const std::atomic<bool>* stop, CheckpointReport* report) {
  return {.comm = MPI_COMM_WORLD,
          .stealing = {.threads = threads, .stop = stop},
          .checkpoint = CheckpointOptions{.folder = folder,
                                          .every_s = 1000,
                                          .resume = resume,
                                          .app = "random tree",
                                          .instance = "77",
                                          .report = report}};
}

TEST(Snapshots, ASearchWhoseNextIsDueInAThousandYearsEnds) {
  const SharedFolder folder;
  CheckpointReport report;
  Options options = options_for(folder.path(), 1, false, nullptr, &report);
  options.checkpoint->every_s = 1e10;
  const RandomTree app{.children_of_root = 100};
  EXPECT_EQ(DC_Call(DC_Type::work_stealing, app, kStart, options),
            search_sequentially(app, kStart));
  EXPECT_EQ(report.written, 0);
}

/// A snapshot whenever one is over would let the search visit a node or two between them.
TEST(Snapshots, ASearchWhoseNextIsAlwaysDueGoesOnBetweenThem) {
  const SharedFolder folder;
  CheckpointReport report;
  Options options = options_for(folder.path(), 1, false, nullptr, &report);
  options.checkpoint->every_s = 1e-9;
  const RandomTree app{.children_of_root = kChildren};
  const auto expected = search_sequentially(app, kStart);
  EXPECT_EQ(DC_Call(DC_Type::work_stealing, app, kStart, options), expected);
  EXPECT_LT(report.written, kChildren / 100);
}

std::string refusal(const std::function<void()>& run) {
  try {
    run();
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

/// Runs until it is stopped. \return  what it said
template <class App = Stopping>
std::string stop_early(const std::filesystem::path& folder, int threads = 1, App app = {}) {
  std::atomic<bool> stop = false;
  std::atomic<int> visits = 0;
  app.children_of_root = kChildren;
  app.stop = &stop;
  app.visits = &visits;
  return refusal([&] {
    DC_Call(DC_Type::work_stealing, app, kStart,
            options_for(folder, threads, true, &stop, nullptr));
  });
}

/// Resumes to the end. \return  what it was refused with
std::string resume(const std::filesystem::path& folder, int children = kChildren) {
  return refusal([&] {
    DC_Call(DC_Type::work_stealing, RandomTree{.children_of_root = children}, kStart,
            options_for(folder, 1, true, nullptr, nullptr));
  });
}

/// On rank 0, between two moments that all ranks come to.
void on_first_rank(const std::function<void()>& act) {
  world().barrier();
  if (world().rank() == 0) {
    act();
  }
  world().barrier();
}

TEST(Snapshots, WithoutATimeBetweenThemOrAFolderAreRefused) {
  const SharedFolder folder;
  const auto refused = [](const std::filesystem::path& path, double every_s) {
    Options options = options_for(path, 1, false, nullptr, nullptr);
    options.checkpoint->every_s = every_s;
    return refusal([&] { DC_Call(DC_Type::work_stealing, RandomTree{}, kStart, options); });
  };
  const std::string line = "snapshots need a folder and a time between two that is above 0, not '";
  const std::string path = folder.path().string();
  EXPECT_EQ(refused(path, std::numeric_limits<double>::quiet_NaN()), line + path + "' and nan s");
  EXPECT_EQ(refused(path, 0), line + path + "' and 0 s");
  EXPECT_EQ(refused("", 60), line + "' and 60 s");
}

TEST(Snapshot, AStoppedSearchIsResumedExactly) {
  const RandomTree app{.children_of_root = kChildren};
  const Counted expected = search_sequentially(app, kStart);
  for (const int threads : {1, 2}) {
    const SharedFolder folder;
    EXPECT_EQ(stop_early(folder.path(), threads), "stopped before the search was done; " +
                                                      folder.path().string() + " holds a snapshot");
    EXPECT_NE(stop_early(folder.path(), 3 - threads), "");  // from there, stopped again
    CheckpointReport report;
    EXPECT_EQ(DC_Call(DC_Type::work_stealing, app, kStart,
                      options_for(folder.path(), threads, true, nullptr, &report)),
              expected);
    EXPECT_EQ(report.resumed_from, 2);
  }
}

/// Loses its folder before it wants a snapshot.
struct LosesItsFolder : Stopping {
  std::filesystem::path folder;

  void visit(const Node& node, Children<Node>& children, Counted& total) const {
    if (*visits == 1999) {
      std::filesystem::remove_all(folder);
    }
    Stopping::visit(node, children, total);
  }
};

TEST(Snapshot, ThatCannotBeWrittenEndsTheSearchOfAllRanks) {
  const SharedFolder folder;
  const std::string said = stop_early(folder.path(), 1, LosesItsFolder{{}, folder.path()});
  EXPECT_NE(said.find(folder.path().string()), std::string::npos) << said;
  EXPECT_EQ(said.find("holds a snapshot"), std::string::npos) << said;
}

TEST(Snapshot, WhoseManifestCannotBeWrittenEndsTheSearchOfAllRanks) {
  const SharedFolder folder;
  on_first_rank(
      [&] { std::filesystem::create_directory(folder.path() / "cleave-snapshot-000001.json"); });
  const std::string said = stop_early(folder.path());
  EXPECT_NE(said.find("cleave-snapshot-000001.json: cannot write: it is a folder"),
            std::string::npos)
      << said;
}

/// Gives all files of generation `from` the names of `to`.
void renumber(const std::filesystem::path& folder, const std::string& from, const std::string& to) {
  on_first_rank([&] {
    const std::filesystem::directory_iterator all(folder);
    for (const auto& entry : std::vector<std::filesystem::directory_entry>(begin(all), end(all))) {
      std::string name = entry.path().filename().string();
      if (const std::size_t at = name.find(from); at != std::string::npos) {
        std::filesystem::rename(entry, folder / name.replace(at, from.size(), to));
      }
    }
  });
}

TEST(Snapshot, OfAnotherSearchOrDamagedIsRefusedAndKept) {
  const SharedFolder folder;
  EXPECT_NE(stop_early(folder.path()), "");
  Options options = options_for(folder.path(), 1, true, nullptr, nullptr);
  const auto refused = [&] {
    return refusal([&] {
      DC_Call(DC_Type::work_stealing, RandomTree{.children_of_root = kChildren}, kStart, options);
    });
  };
  options.checkpoint->resume = false;
  EXPECT_EQ(refused(), folder.path().string() +
                           ": holds a snapshot: resume from it, or choose another folder");
  options.checkpoint->resume = true;
  const std::filesystem::path manifest = folder.path() / "cleave-snapshot-000001.json";
  const std::string whole = read_file(manifest);
  const std::string this_version = version();
  for (const auto& [field, found, expected] :
       {std::tuple("instance", "78", "77"), std::tuple("app", "another", "random tree"),
        std::tuple("program_version", "0.0", this_version.c_str())}) {
    on_first_rank([&] {
      auto object = nlohmann::json::parse(whole);
      object[field] = found;
      write_file(manifest, object.dump());
    });
    EXPECT_EQ(refused(), fmt::format("{}: field '{}' is '{}', but this run's is '{}'",
                                     manifest.string(), field, found, expected));
  }
  on_first_rank([&] { write_file(manifest, whole); });

  const std::filesystem::path part = folder.path() / "cleave-snapshot-000001.rank-00000";
  for (const std::filesystem::path& file : {manifest, part}) {
    const std::string before = read_file(file);
    std::string changed = before;
    changed[before.size() / 2] ^= 1;
    for (const std::string& damaged :
         {changed, before.substr(0, before.size() / 2), std::string()}) {
      on_first_rank([&] { write_file(file, damaged); });
      EXPECT_NE(refused().find(file.string()), std::string::npos);
    }
    on_first_rank([&] { write_file(file, before); });
  }
  renumber(folder.path(), "000001", "000009");
  EXPECT_NE(refused().find("is not the part that its name says"), std::string::npos);
  renumber(folder.path(), "000009", "000001");
  if (world().size() > 1) {
    const std::string own = read_file(part);
    const auto other = folder.path() / "cleave-snapshot-000001.rank-00001";
    on_first_rank([&] { write_file(part, read_file(other)); });
    EXPECT_NE(refused().find("is not the part that its name says"), std::string::npos);
    on_first_rank([&] { write_file(part, own); });
  }
  EXPECT_EQ(refused(), "");  // nothing was lost
}

TEST(Snapshot, ReplacesTheOneBeforeAndPartsWithoutAManifest) {
  const SharedFolder folder;
  EXPECT_NE(stop_early(folder.path()), "");
  renumber(folder.path(), "000001.json", "000001.json.0a1b2c3d.partial");  // as after a kill
  const auto generations = [&] {
    std::set<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
      if (const std::string name = entry.path().filename(); name.starts_with("cleave-snapshot-0")) {
        found.insert(name.substr(0, 22));
      }
    }
    world().barrier();
    return found;
  };
  EXPECT_EQ(resume(folder.path(), 10), "");  // and writes none
  EXPECT_EQ(generations(), std::set<std::string>{"cleave-snapshot-000001"});
  for (const char* newest : {"cleave-snapshot-000002", "cleave-snapshot-000003"}) {
    EXPECT_NE(stop_early(folder.path()), "");
    EXPECT_EQ(generations(), std::set<std::string>{newest});
  }
}

TEST(Snapshot, AFolderThatAnotherRunUsesIsRefused) {
  const SharedFolder folder;
  {
    std::shared_ptr<const int> other;
    on_first_rank([&] { other = lock_folder(folder.path()); });
    EXPECT_EQ(resume(folder.path(), 10),
              folder.path().string() +
                  ": another run writes its snapshots here: wait for its end, or "
                  "choose another folder");
    on_first_rank([&] { remove_snapshots(folder.path()); });
    EXPECT_TRUE(std::filesystem::exists(folder.path() / "cleave-snapshot.lock"));
    world().barrier();
  }
  world().barrier();
  EXPECT_EQ(resume(folder.path(), 10), "");
}

TEST(Snapshot, FilesOfOtherNamesAreLeftAlone) {
  const SharedFolder folder;
  const std::vector<std::string> names = {"snapshot-2026-11-25.tar.gz",
                                          "snapshot-000001.json",
                                          "snapshot-000001.rank-00000",
                                          "cleave-snapshot-000001.tar.gz",
                                          "cleave-snapshot-1.json",
                                          "cleave-snapshot-000001.json.bak",
                                          "cleave-snapshot-000003.json.partial",
                                          "cleave-snapshot-000004.rank-00000.old.partial"};
  on_first_rank([&] {
    for (const std::string& name : names) {
      write_file(folder.path() / name, "mine");
    }
    write_file(folder.path() / "cleave-snapshot-000007.rank-00000", "of a run that was killed");
    write_file(folder.path() / "cleave-snapshot-000007.rank-00001.0a1b2c3d.partial", "as well");
  });
  EXPECT_NE(stop_early(folder.path()), "");
  on_first_rank([&] {
    bool is_safe = false;  // once synced: no manifest can come back without its parts
    const auto fsync = std::exchange(detail::sync, [&](int, const std::filesystem::path& path) {
      is_safe = !std::filesystem::exists(path / "cleave-snapshot-000008.json") &&
                std::filesystem::exists(path / "cleave-snapshot-000008.rank-00000");
      return 0;
    });
    remove_snapshots(folder.path());
    detail::sync = fsync;
    EXPECT_TRUE(is_safe);
    for (const std::string& name : names) {
      EXPECT_EQ(read_file(folder.path() / name), "mine");
    }
    const auto begin = std::filesystem::directory_iterator(folder.path());
    EXPECT_EQ(std::distance(begin, std::filesystem::directory_iterator()), std::ssize(names));
  });
}

TEST(Snapshot, AFolderThatCannotBeUsedIsRefused) {
  EXPECT_EQ(resume("/dev/null/folder"), "/dev/null/folder: Not a directory");
  const SharedFolder folder;
  const std::filesystem::path lock = folder.path() / "cleave-snapshot.lock";
  on_first_rank([&] { std::filesystem::create_symlink("elsewhere", lock); });
  EXPECT_EQ(resume(folder.path()),
            lock.string() + ": cannot write: Too many levels of symbolic links");
}

}  // namespace
}  // namespace cleave
