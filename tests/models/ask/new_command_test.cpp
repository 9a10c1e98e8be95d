// SPDX-License-Identifier: Apache-2.0
// `cleave new` and the small parts of the command; what it writes is built by tests/project.

#include "tests/models/ask/command_fixture.hpp"

namespace cleave::models {
namespace {

TEST_F(Command, HelpNamesTheProgramsBesideIt) {
  install();
  const Result help = run("--help", "./cleave");
  EXPECT_EQ(help.status, 0);
  EXPECT_NE(help.out.find("applications under mpiexec:\n  sort\n"), std::string::npos) << help.out;
}

TEST_F(Command, NewWritesAProject) {
  const Result result = run("new my-sort_2");
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_NE(result.out.find("cleave study build/my-sort_2 --quick\n"), std::string::npos)
      << result.out;
  for (const char* file :
       {"CMakeLists.txt", "README.md", "my-sort_2.hpp", "my-sort_2.cpp", "test_my-sort_2.cpp"}) {
    const std::string text = read_file(folder_ / "my-sort_2" / file);
    EXPECT_FALSE(text.empty()) << file;
    EXPECT_EQ(text.find('@'), std::string::npos) << file;
  }
  EXPECT_NE(read_file(folder_ / "my-sort_2" / "my-sort_2.hpp").find("struct MySort2 {"),
            std::string::npos);
  EXPECT_EQ(read_file(folder_ / "my-sort_2" / "my-sort_2.cpp").find("#include \"my-sort_2.hpp\""),
            0U);
  expect_one_line(run("new my-sort_2"), 1, "my-sort_2: is there already");
}

TEST_F(Command, NewRefusesWhatItCannotName) {
  expect_one_line(run("new"), 2, "a name is required, for example cleave new mysort --form sort");
  for (const char* name : {"2sort", "my.sort", "a/b", "_x", "'my sort'", "ä", "''"}) {
    expect_one_line(run(std::string("new ") + name), 2, "name");
  }
  expect_one_line(run("new test"), 2, "CMake has a target of this name");
  expect_one_line(run("new mine --form halfs"), 2,
                  "--form: halfs not in {halves,merge,sort,search,bound}");
  expect_one_line(run("new board --form search"), 2,
                  "the example of the form search has a type Board");
  std::ofstream(folder_ / "taken") << "a file";
  expect_one_line(run("new taken"), 1, "taken: is there already");
  EXPECT_EQ(read_file(folder_ / "taken"), "a file");
  for (const auto& entry : fs::directory_iterator(folder_)) {
    EXPECT_FALSE(entry.is_directory()) << entry.path();
  }
}

}  // namespace
}  // namespace cleave::models
