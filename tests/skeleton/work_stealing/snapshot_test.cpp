// SPDX-License-Identifier: Apache-2.0
// A search that was stopped is resumed from its snapshot, on another number of threads; a snapshot
// that is foreign or damaged is refused.
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include <cleave/dc_call.hpp>
#include <cleave/detail/work_stealing/snapshot.hpp>
#include <cleave/file.hpp>

#include "tests/skeleton/work_stealing/trees.hpp"
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

/// Runs until it is stopped. \return  what it said
std::string stop_early(const std::filesystem::path& folder, int threads) {
  std::atomic<bool> stop = false;
  std::atomic<int> visits = 0;
  const Stopping app{{.children_of_root = kChildren}, &stop, &visits};
  try {
    DC_Call(DC_Type::work_stealing, app, kStart,
            options_for(folder, threads, true, &stop, nullptr));
  } catch (const Interrupted& e) {
    return e.what();
  }
  return "";
}

std::string refusal(const std::function<void()>& run) {
  try {
    run();
  } catch (const Error& e) {
    return e.what();
  }
  return "";
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

TEST(Snapshot, OfAnotherSearchOrDamagedIsRefusedAndKept) {
  const SharedFolder folder;
  const RandomTree app{.children_of_root = kChildren};
  EXPECT_NE(stop_early(folder.path(), 1), "");
  Options options = options_for(folder.path(), 1, true, nullptr, nullptr);
  const auto run = [&] { DC_Call(DC_Type::work_stealing, app, kStart, options); };

  options.checkpoint->resume = false;
  EXPECT_EQ(refusal(run), folder.path().string() +
                              ": holds a snapshot: resume from it, or choose another folder");
  options.checkpoint->resume = true;
  options.checkpoint->instance = "78";
  const std::filesystem::path manifest = folder.path() / "snapshot-000001.json";
  EXPECT_EQ(refusal(run), manifest.string() + ": field 'instance' is '77', but this run's is '78'");
  options.checkpoint->instance = "77";
  options.checkpoint->app = "another";
  EXPECT_NE(refusal(run).find("field 'app'"), std::string::npos);
  options.checkpoint->app = "random tree";

  const std::filesystem::path part = folder.path() / "snapshot-000001.rank-00000";
  for (const std::filesystem::path& file : {manifest, part}) {
    const std::string whole = read_file(file);
    std::string changed = whole;
    changed[whole.size() / 2] ^= 1;
    for (const std::string& damaged : {changed, whole.substr(0, whole.size() / 2), std::string()}) {
      world().barrier();
      if (world().rank() == 0) {
        write_file(file, damaged);
      }
      world().barrier();
      EXPECT_NE(refusal(run).find(file.string()), std::string::npos);
    }
    world().barrier();
    if (world().rank() == 0) {
      write_file(file, whole);
    }
    world().barrier();
  }
  EXPECT_EQ(refusal(run), "");  // nothing was lost
}

TEST(Snapshot, AFolderThatCannotBeUsedIsRefused) {
  EXPECT_EQ(refusal([] {
              DC_Call(DC_Type::work_stealing, RandomTree{}, kStart,
                      options_for("/dev/null/folder", 1, false, nullptr, nullptr));
            }),
            "/dev/null/folder: Not a directory");
}

}  // namespace
}  // namespace cleave
