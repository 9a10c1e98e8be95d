// SPDX-License-Identifier: Apache-2.0
// What is written appears whole or not at all, and no other file is touched.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <thread>

#include <cleave/file.hpp>

#include "tests/support/message_of.hpp"
#include "tests/support/temporary_folder.hpp"

namespace cleave {
namespace {

namespace fs = std::filesystem;
using ::cleave::testing::message_of;

class AtomicFiles : public ::testing::Test {
 protected:
  std::ptrdiff_t files() const { return std::distance(fs::directory_iterator(folder_.path()), {}); }

  testing::TemporaryFolder folder_;
  const std::string x_ = folder_ / "x";
};

TEST_F(AtomicFiles, ReplaceAnOlderOneOnlyWhenWholeAndKeepItsPermissions) {
  write_file(x_, "old");
  const mode_t mask = ::umask(0);
  ::umask(mask);
  EXPECT_EQ(fs::status(x_).permissions(), fs::perms{0666U & ~mask});
  for (const unsigned mode : {0600U, 0666U, 0755U}) {
    fs::permissions(x_, fs::perms{mode});
    AtomicFile(x_).write("half");
    EXPECT_EQ(read_file(x_), "old");
    EXPECT_EQ(files(), 1);
    write_file(x_, "old");
    EXPECT_EQ(fs::status(x_).permissions(), fs::perms{mode});
  }
}

TEST_F(AtomicFiles, TouchNoFileOfAnotherName) {
  write_file(folder_ / "mine", "mine");
  write_file(folder_ / "x.partial", "mine, too");
  fs::create_symlink("mine", folder_ / "y.partial");
  write_file(x_, "new");
  write_file(folder_ / "y", "new");
  EXPECT_EQ(read_file(folder_ / "mine"), "mine");
  EXPECT_EQ(read_file(folder_ / "x.partial"), "mine, too");
  EXPECT_TRUE(fs::is_symlink(folder_ / "y.partial"));
}

TEST_F(AtomicFiles, OfOneNameWrittenTwiceAtOnceAreTheOneCommittedLast) {
  AtomicFile first(x_);
  AtomicFile second(x_);
  first.write("first");
  second.write("second, longer");
  second.commit();
  EXPECT_EQ(read_file(x_), "second, longer");
  first.commit();
  EXPECT_EQ(read_file(x_), "first");
  EXPECT_EQ(files(), 1);
}

TEST_F(AtomicFiles, ThatMayNotBeWrittenAreRefused) {
  if (::geteuid() == 0) {
    GTEST_SKIP() << "root may write every file";
  }
  write_file(x_, "old");
  fs::permissions(x_, fs::perms{0400});
  EXPECT_EQ(message_of([&] { write_file(x_, "new"); }), x_ + ": cannot write: Permission denied");
  EXPECT_EQ(read_file(x_), "old");
}

TEST_F(AtomicFiles, HaveNamesOfTheirOwnUntilTheyAreCommitted) {
  const std::string path = folder_ / std::string(250, 'x');
  std::set<fs::path> names;
  for (int i = 0; i < 10; ++i) {
    names.insert(AtomicFile(path).written());
    names.insert(make_folder_beside(path));
    names.insert(make_folder_beside(path + "/"));
  }
  EXPECT_EQ(names.size(), 30U);
  for (const fs::path& name : names) {
    EXPECT_EQ(name.parent_path(), folder_.path());
  }
  EXPECT_EQ(message_of([] { make_folder_beside("/nonexistent/x"); }),
            "/nonexistent/x: cannot make this folder: No such file or directory");
}

TEST_F(AtomicFiles, AreComparedByTheirContentAndLongOnesByTheirTimesToo) {
  write_file(x_, "a");
  write_file(folder_ / "y", "a");
  const std::string content = detail::content_of(x_);
  EXPECT_EQ(content, "330284772e652b05") << "CRC-64 as xz has it";
  EXPECT_EQ(detail::content_of(folder_ / "y"), content);
  write_file(x_, "b");
  EXPECT_NE(detail::content_of(x_), content);
  fs::resize_file(x_, (64 << 20) + 1);
  const std::string whole = detail::content_of(x_);
  EXPECT_EQ(detail::content_of(x_), whole);
  fs::last_write_time(x_, fs::file_time_type::min());
  EXPECT_NE(detail::content_of(x_), whole);
}

TEST_F(AtomicFiles, AreNoFoldersAndLieInFolders) {
  for (const auto& [path, reason] : std::map<std::string, std::string>{
           {folder_.path(), "it is a folder"}, {"/nonexistent/x", "No such file or directory"}}) {
    EXPECT_EQ(message_of([&] { write_file(path, ""); }), path + ": cannot write: " + reason);
    EXPECT_EQ(message_of([&] { read_file(path); }), path + ": cannot read: " + reason);
  }
  {
    AtomicFile file(x_);
    fs::create_directory(x_);
    EXPECT_EQ(message_of([&] { file.commit(); }),
              x_ + ": cannot rename into place: Is a directory");
  }
  EXPECT_EQ(files(), 1);
}

TEST_F(AtomicFiles, AreReadWholeAtAnyLengthOrRefused) {
  for (const std::size_t length : {0, 1, 65535, 65536, 65537, 200000}) {
    const std::string text(length, 'a');
    write_file(x_, text);
    EXPECT_EQ(read_file(x_), text) << length;
  }
  EXPECT_EQ(message_of([] { read_file("/proc/self/mem"); }),
            "/proc/self/mem: cannot read: Input/output error");
}

TEST_F(AtomicFiles, OfADeviceOrAFifoAreWrittenInPlace) {
  write_file("/dev/null", "text");
  EXPECT_EQ(message_of([] { write_file("/dev/full", std::string(100000, 'a')); }),
            "/dev/full: cannot write: No space left on device");
  EXPECT_TRUE(fs::is_character_file("/dev/null") && fs::is_character_file("/dev/full"));
  ASSERT_EQ(::mkfifo(x_.c_str(), 0600), 0);
  check_writable(x_);
  std::string got;
  std::thread reader([&] { std::getline(std::ifstream(x_), got); });
  write_file(x_, "text\n");
  reader.join();
  EXPECT_EQ(got, "text");
  EXPECT_TRUE(fs::is_fifo(x_));
}

TEST_F(AtomicFiles, OfALinkAreItsTarget) {
  fs::create_directory(folder_ / "elsewhere");
  fs::create_symlink("elsewhere/x", folder_ / "link");
  for (const char* text : {"new", "newer"}) {  // without a target, and with one
    write_file(folder_ / "link", text);
    EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
    EXPECT_EQ(read_file(folder_ / "elsewhere/x"), text);
  }
  fs::create_symlink("round", folder_ / "round");
  const std::string reason = ": Too many levels of symbolic links";
  for (const char* const name : {"round", "round/x"}) {
    const std::string path = folder_ / name;
    EXPECT_EQ(message_of([&] { write_file(path, ""); }), path + ": cannot write" + reason);
    EXPECT_EQ(message_of([&] { read_file(path); }), path + ": cannot read" + reason);
  }
}

}  // namespace
}  // namespace cleave
