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

#include <cleave/error.hpp>
#include <cleave/file.hpp>

#include "tests/support/message_of.hpp"
#include "tests/support/temporary_folder.hpp"

namespace cleave {
namespace {

using ::cleave::testing::message_of;
using ::cleave::testing::TemporaryFolder;

std::ptrdiff_t files_in(const TemporaryFolder& folder) {
  return std::distance(std::filesystem::directory_iterator(folder.path()), {});
}

TEST(AtomicFile, ReplacesAnOlderFileOnlyWhenWhole) {
  const TemporaryFolder folder;
  write_file(folder / "x", "old");
  AtomicFile(folder / "x").write("half");
  EXPECT_EQ(read_file(folder / "x"), "old");
  EXPECT_EQ(files_in(folder), 1);
  write_file(folder / "x", "new");
  EXPECT_EQ(read_file(folder / "x"), "new");
}

std::filesystem::perms permissions_of(const std::filesystem::path& path) {
  return std::filesystem::status(path).permissions();
}

TEST(AtomicFile, KeepsThePermissionsOfTheFileThatItReplaces) {
  const TemporaryFolder folder;
  write_file(folder / "new", "");
  const mode_t mask = ::umask(0);
  ::umask(mask);
  EXPECT_EQ(permissions_of(folder / "new"), std::filesystem::perms{0666U & ~mask});
  for (const unsigned mode : {0600U, 0666U, 0755U}) {
    write_file(folder / "x", "old");
    std::filesystem::permissions(folder / "x", std::filesystem::perms{mode});
    write_file(folder / "x", "new");
    EXPECT_EQ(permissions_of(folder / "x"), std::filesystem::perms{mode});
    const std::filesystem::path beside = make_file_beside(folder / "x");
    EXPECT_EQ(permissions_of(beside), std::filesystem::perms{mode});
  }
}

TEST(AtomicFile, TouchesNoFileOfAnotherName) {
  const TemporaryFolder folder;
  write_file(folder / "mine", "mine");
  write_file(folder / "x.partial", "mine, too");
  std::filesystem::create_symlink("mine", folder / "y.partial");
  for (const char* name : {"x", "y"}) {
    write_file(folder / name, "new");
    EXPECT_EQ(read_file(folder / name), "new");
  }
  EXPECT_EQ(read_file(folder / "mine"), "mine");
  EXPECT_EQ(read_file(folder / "x.partial"), "mine, too");
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "y.partial"));
}

TEST(AtomicFile, OfOneNameWrittenTwiceAtOnceIsTheOneCommittedLast) {
  const TemporaryFolder folder;
  AtomicFile first(folder / "x");
  AtomicFile second(folder / "x");
  first.write("first");
  second.write("second, longer");
  second.commit();
  EXPECT_EQ(read_file(folder / "x"), "second, longer");
  first.commit();
  EXPECT_EQ(read_file(folder / "x"), "first");
  EXPECT_EQ(files_in(folder), 1);
}

TEST(AtomicFile, OfAFileThatMayNotBeWrittenIsRefused) {
  if (::geteuid() == 0) {
    GTEST_SKIP() << "root may write every file";
  }
  const TemporaryFolder folder;
  write_file(folder / "x", "old");
  std::filesystem::permissions(folder / "x", std::filesystem::perms{0400});
  EXPECT_EQ(message_of([&] { write_file(folder / "x", "new"); }),
            (folder / "x").string() + ": cannot write: Permission denied");
  EXPECT_EQ(read_file(folder / "x"), "old");
}

TEST(Beside, EachNameIsNobodysElse) {
  const TemporaryFolder folder;
  const std::string path = folder / std::string(250, 'x');
  std::set<std::filesystem::path> names;
  for (int i = 0; i < 10; ++i) {
    names.insert(make_file_beside(path));
    names.insert(make_folder_beside(path));
    names.insert(make_folder_beside(path + "/"));
  }
  EXPECT_EQ(names.size(), 30U);
  for (const std::filesystem::path& name : names) {
    EXPECT_EQ(name.parent_path(), folder.path());
    EXPECT_TRUE(std::filesystem::is_empty(name));
  }
  EXPECT_EQ(message_of([] { make_file_beside("/nonexistent/x"); }),
            "/nonexistent/x: cannot write: No such file or directory");
  EXPECT_EQ(message_of([] { make_folder_beside("/nonexistent/x"); }),
            "/nonexistent/x: cannot make this folder: No such file or directory");
}

TEST(AtomicFile, AFolderAndAFileOfNoFolderAreNeitherWrittenNorRead) {
  const TemporaryFolder folder;
  for (const auto& [path, reason] : std::map<std::string, std::string>{
           {folder.path(), "it is a folder"}, {"/nonexistent/x", "No such file or directory"}}) {
    EXPECT_EQ(message_of([&] { write_file(path, ""); }), path + ": cannot write: " + reason);
    EXPECT_EQ(message_of([&] { read_file(path); }), path + ": cannot read: " + reason);
  }
}

TEST(AtomicFile, WhoseNameHasBecomeAFolderLeavesThatAlone) {
  const TemporaryFolder folder;
  {
    AtomicFile file(folder / "x");
    std::filesystem::create_directory(folder / "x");
    EXPECT_EQ(message_of([&] { file.commit(); }),
              (folder / "x").string() + ": cannot rename into place: Is a directory");
  }
  EXPECT_EQ(files_in(folder), 1);
}

TEST(ReadFile, IsWholeAtAnyLengthOrRefused) {
  const TemporaryFolder folder;
  for (const std::size_t length : {0, 1, 65535, 65536, 65537, 200000}) {
    const std::string text(length, 'a');
    write_file(folder / "x", text);
    EXPECT_EQ(read_file(folder / "x"), text) << length;
  }
  EXPECT_EQ(message_of([] { read_file("/proc/self/mem"); }),
            "/proc/self/mem: cannot read: Input/output error");
}

TEST(AtomicFile, OfADeviceIsWrittenInPlace) {
  write_file("/dev/null", "text");
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
  EXPECT_EQ(message_of([] { write_file("/dev/full", std::string(100000, 'a')); }),
            "/dev/full: cannot write: No space left on device");
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
}

TEST(AtomicFile, OfALinkIsItsTarget) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "elsewhere");
  std::filesystem::create_symlink("elsewhere/x", folder / "link");
  for (const char* text : {"new", "newer"}) {  // without a target, and with one
    write_file(folder / "link", text);
    EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
    EXPECT_EQ(read_file(folder / "elsewhere/x"), text);
  }
  std::filesystem::create_symlink("round", folder / "round");
  const std::string reason = ": Too many levels of symbolic links";
  for (const char* const name : {"round", "round/x"}) {
    const std::string path = folder / name;
    EXPECT_EQ(message_of([&] { write_file(path, ""); }), path + ": cannot write" + reason);
    EXPECT_EQ(message_of([&] { read_file(path); }), path + ": cannot read" + reason);
  }
}

TEST(AtomicFile, OfAFifoIsWrittenToItsReader) {
  const TemporaryFolder folder;
  const std::filesystem::path fifo = folder / "fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  check_writable(fifo);
  std::string got;
  std::thread reader([&] { std::getline(std::ifstream(fifo), got); });
  write_file(fifo, "text\n");
  reader.join();
  EXPECT_EQ(got, "text");
  EXPECT_TRUE(std::filesystem::is_fifo(fifo));
}

}  // namespace
}  // namespace cleave
