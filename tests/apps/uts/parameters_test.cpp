// SPDX-License-Identifier: Apache-2.0
#include "apps/uts/parameters.hpp"

#include <gtest/gtest.h>

#include <string>

#include <cleave/error.hpp>

namespace cleave::uts {

namespace {

TEST(PrinsParameters, TakeRootsOfUpTo160Bits) {
  const auto root = [](const std::string& r) {
    return parse_tree("prins:n=1,q=0,m=1,r=" + r).root;
  };
  EXPECT_EQ(root("0x101"), (NodeId{0, 0, 0, 0, 0x101}));
  EXPECT_EQ(root("257"), root("0x101"));
  EXPECT_EQ(root("18446744073709551615"), (NodeId{0, 0, 0, 0xffffffff, 0xffffffff}));
  EXPECT_EQ(root("0x0123456789abcdef0123456789abcdef01234567"),
            (NodeId{0x01234567, 0x89abcdef, 0x01234567, 0x89abcdef, 0x01234567}));
}

TEST(Parameters, ThatAreNoneAreRefused) {
  for (const char* text :
       {"", "T6", "t1", "prins:", "prins:T4", "prins:n=1,q=0.1", "prins:n=1,q=0.1,m=4,x=2",
        "prins:n=1,n=2,q=0.1,m=4", "prins:n=0,q=0.1,m=4", "prins:n=1,q=1.5,m=4",
        "prins:n=1,q=nan,m=4", "prins:n=1,q=,m=4", "prins:n=1,q=0.1,m=257", "prins:n=-1,q=0.1,m=4",
        "prins:n=1e9,q=0.1,m=4", "prins:r=0x,n=1,q=0.1,m=4", "prins:r=0x-1,n=1,q=0.1,m=4",
        "prins:r=0x00000000000000000000000000000000000000000,n=1,q=0.1,m=4",
        "prins:n=1,,q=0.1,m=4"}) {
    EXPECT_THROW(parse_tree(text), UsageError) << text;
  }
}

TEST(Letters, DescribeTheNamedTrees) {
  TreeParameters parameters;
  EXPECT_EQ(text_of(parameters), "-t 1 -a 0 -d 6 -b 4 -r 0");
  for (const auto& [letter, value] :
       {std::pair{'a', "3"}, {'d', "13"}, {'b', "4.0"}, {'r', "29"}}) {
    set_by_letter(parameters, letter, value);
  }
  EXPECT_EQ(parameters, parse_tree("T1L"));
  EXPECT_EQ(known_counts(parameters), (TreeCounts{102'181'082, 81'746'377, 13}));
  set_by_letter(parameters, 'r', "30");
  EXPECT_EQ(known_counts(parameters), std::nullopt);
}

TEST(Letters, OutOfRangeAreRefused) {
  for (const auto& [letter, value] : {std::pair{'t', "4"},
                                      {'t', ""},
                                      {'a', "-1"},
                                      {'a', "LINEAR"},
                                      {'b', "0"},
                                      {'b', "nan"},
                                      {'b', "1e99"},
                                      {'r', "-1"},
                                      {'r', "2147483648"},
                                      {'q', "1.01"},
                                      {'m', "-1"},
                                      {'d', "0"},
                                      {'d', "1000001"},
                                      {'f', "2"},
                                      {'x', "1"}}) {
    TreeParameters parameters;
    EXPECT_THROW(set_by_letter(parameters, letter, value), UsageError) << letter << ' ' << value;
    EXPECT_EQ(parameters, TreeParameters{}) << letter << ' ' << value;
  }
}

TEST(Text, OfATreeOfPrinsIsReadAgain) {
  for (const char* name : {"prins:T1", "prins:T2", "prins:T3",
                           "prins:r=0x123456789abcdef0123456789,n=16777216,q=0.1,m=256"}) {
    const TreeParameters parameters = parse_tree(name);
    EXPECT_EQ(parse_tree(text_of(parameters)), parameters) << text_of(parameters);
  }
}

}  // namespace
}  // namespace cleave::uts
