// SPDX-License-Identifier: Apache-2.0
// A search that was stopped is resumed from its snapshot, on another number of threads; a snapshot
// that is foreign or damaged is refused.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include <cleave/dc_call.hpp>
#include <cleave/file.hpp>
#include <cleave/host/provenance_here.hpp>
#include <cleave/kernel/snapshot.hpp>

#include "tests/skeleton/kernel/trees.hpp"
#include "tests/support/temporary_folder.hpp"

namespace cleave {

using namespace cleave::detail;
namespace {

using examples::Counted;
using examples::RandomTree;

const Comm& world() {
  static const Comm comm(MPI_COMM_WORLD);
  return comm;
}

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

/// Gives a field of a manifest another value, and the manifest the checksum of that.
void forge(const std::filesystem::path& manifest, const char* name, const nlohmann::json& value) {
  on_first_rank([&] {
    auto object = nlohmann::json::parse(read_file(manifest));
    object[name] = value;
    object.erase("checksum");
    const std::string checksum = hexadecimal(crc_64(object.dump()));
    object["checksum"] = checksum;
    write_file(manifest, object.dump());
  });
}

TEST(Snapshot, OfAnotherVersionOrWithThePartsOfAnotherIsRefused) {
  const SharedFolder folder;
  EXPECT_NE(stop_early(folder.path()), "");
  const std::filesystem::path manifest = folder.path() / "cleave-snapshot-000001.json";
  forge(manifest, "program_version", "0.0");
  EXPECT_EQ(resume(folder.path()), manifest.string() +
                                       ": field 'program_version' is '0.0', but this run's is '" +
                                       version() + "'");
  forge(manifest, "program_version", version());
  renumber(folder.path(), "000001", "000009");
  forge(folder.path() / "cleave-snapshot-000009.json", "generation", 9);
  EXPECT_NE(resume(folder.path()).find("is not the part that its name says"), std::string::npos);
}

TEST(Snapshot, OfAnotherSearchOrDamagedIsRefusedAndKept) {
  const SharedFolder folder;
  const RandomTree app{.children_of_root = kChildren};
  EXPECT_NE(stop_early(folder.path()), "");
  Options options = options_for(folder.path(), 1, true, nullptr, nullptr);
  const auto run = [&] { DC_Call(DC_Type::work_stealing, app, kStart, options); };

  options.checkpoint->resume = false;
  EXPECT_EQ(refusal(run), folder.path().string() +
                              ": holds a snapshot: resume from it, or choose another folder");
  options.checkpoint->resume = true;
  options.checkpoint->instance = "78";
  const std::filesystem::path manifest = folder.path() / "cleave-snapshot-000001.json";
  EXPECT_EQ(refusal(run), manifest.string() + ": field 'instance' is '77', but this run's is '78'");
  options.checkpoint->instance = "77";
  options.checkpoint->app = "another";
  EXPECT_NE(refusal(run).find("field 'app'"), std::string::npos);
  options.checkpoint->app = "random tree";

  const std::filesystem::path part = folder.path() / "cleave-snapshot-000001.rank-00000";
  for (const std::filesystem::path& file : {manifest, part}) {
    const std::string whole = read_file(file);
    std::string changed = whole;
    changed[whole.size() / 2] ^= 1;
    for (const std::string& damaged : {changed, whole.substr(0, whole.size() / 2), std::string()}) {
      on_first_rank([&] { write_file(file, damaged); });
      EXPECT_NE(refusal(run).find(file.string()), std::string::npos);
    }
    on_first_rank([&] { write_file(file, whole); });
  }
  renumber(folder.path(), "000001", "000009");
  EXPECT_EQ(refusal(run), (folder.path() / "cleave-snapshot-000009.json").string() +
                              ": field 'generation' is not that of the file's name");
  renumber(folder.path(), "000009", "000001");
  EXPECT_EQ(refusal(run), "");  // nothing was lost
}

TEST(Snapshot, ThatIsDamagedGivesWayToTheOneBefore) {
  const RandomTree app{.children_of_root = kChildren};
  const Counted expected = search_sequentially(app, kStart);
  for (const char* name : {"cleave-snapshot-000002.json", "cleave-snapshot-000002.rank-00000"}) {
    for (const bool is_missing : {false, true}) {
      const SharedFolder folder;
      EXPECT_NE(stop_early(folder.path()), "");
      EXPECT_NE(stop_early(folder.path()), "");
      const std::filesystem::path file = folder.path() / name;
      const bool is_snapshot_gone = is_missing && file.extension() == ".json";
      on_first_rank([&] {
        const std::string whole = read_file(file);
        std::filesystem::remove(file);
        if (!is_missing) {
          write_file(file, whole.substr(0, whole.size() / 2));
        }
      });
      CheckpointReport report;
      Options options = options_for(folder.path(), 1, true, nullptr, &report);
      std::vector<std::string> warnings;
      options.checkpoint->warn = [&](const std::string& text) { warnings.push_back(text); };
      EXPECT_EQ(DC_Call(DC_Type::work_stealing, app, kStart, options), expected);
      EXPECT_EQ(report.resumed_from, 1);
      const bool warns = world().rank() == 0 && !is_snapshot_gone;
      EXPECT_EQ(warnings.size(), warns ? 1U : 0U);
      if (!warnings.empty()) {
        EXPECT_TRUE(warnings[0].starts_with(file.string() + ": ")) << warnings[0];
        EXPECT_TRUE(warnings[0].ends_with("; resuming from snapshot 1")) << warnings[0];
      }
    }
  }
}

TEST(Snapshot, ThatIsDamagedIsNotOneOfTheTwoThatAreKept) {
  const SharedFolder folder;
  const auto damage = [&](int generation) {
    on_first_rank([&] {
      write_file(folder.path() / fmt::format("cleave-snapshot-{:06}.rank-00000", generation), "");
    });
  };
  EXPECT_NE(stop_early(folder.path()), "");
  EXPECT_NE(stop_early(folder.path()), "");
  damage(2);
  EXPECT_NE(stop_early(folder.path()), "");  // from 1, and leaves 3
  on_first_rank([&] {
    EXPECT_FALSE(std::filesystem::exists(folder.path() / "cleave-snapshot-000002.json"));
  });
  damage(3);
  const RandomTree app{.children_of_root = kChildren};
  CheckpointReport report;
  EXPECT_EQ(DC_Call(DC_Type::work_stealing, app, kStart,
                    options_for(folder.path(), 1, true, nullptr, &report)),
            search_sequentially(app, kStart));
  EXPECT_EQ(report.resumed_from, 1);
}

TEST(Snapshot, WithoutItsManifestStaysUntilThatOfAnotherRunIsWhole) {
  const SharedFolder folder;
  EXPECT_NE(stop_early(folder.path()), "");
  EXPECT_NE(stop_early(folder.path()), "");
  const std::filesystem::path manifest = folder.path() / "cleave-snapshot-000002.json";
  const std::filesystem::path before = folder.path() / "cleave-snapshot-000001.json";
  const std::filesystem::path part = folder.path() / "cleave-snapshot-000002.rank-00000";
  std::string whole;
  on_first_rank([&] {
    whole = read_file(before);
    std::filesystem::rename(manifest, folder.path() / "kept.json");
    write_file(before, "damaged");
  });
  EXPECT_NE(resume(folder.path()), "");
  EXPECT_TRUE(std::filesystem::exists(part));  // the run was refused

  on_first_rank([&] { write_file(before, whole); });
  EXPECT_NE(stop_early(folder.path()), "");
  world().barrier();
  EXPECT_FALSE(std::filesystem::exists(part));
  EXPECT_TRUE(std::filesystem::exists(before));
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "cleave-snapshot-000003.json"));
  world().barrier();
}

TEST(Snapshot, AFolderThatAnotherRunUsesIsRefused) {
  const SharedFolder folder;
  {
    std::optional<FolderLock> other;
    on_first_rank([&] { other.emplace(folder.path()); });
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
    std::filesystem::create_symlink("elsewhere", folder.path() / "cleave-snapshot-000009.json");
    std::filesystem::create_symlink(names[1], folder.path() / "cleave-snapshot-000008.rank-00000");
    write_file(folder.path() / "cleave-snapshot-000007.rank-00000", "of a run that was killed");
    write_file(folder.path() / "cleave-snapshot-000007.rank-00001.0a1b2c3d.partial", "as well");
  });
  EXPECT_NE(stop_early(folder.path()), "");
  on_first_rank([&] {
    remove_snapshots(folder.path());
    for (const std::string& name : names) {
      EXPECT_EQ(read_file(folder.path() / name), "mine");
    }
    const auto begin = std::filesystem::directory_iterator(folder.path());
    EXPECT_EQ(std::distance(begin, std::filesystem::directory_iterator()), std::ssize(names) + 2);
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
