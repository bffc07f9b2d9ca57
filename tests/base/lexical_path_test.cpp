#include "base/lexical_path.hpp"

#include <gtest/gtest.h>

namespace assetc {
namespace {

TEST(LexicalPath, in_a_folder) {
  EXPECT_EQ(path_in("/c", "a/../b"), "/c/b");
  EXPECT_EQ(path_in("/c/d", "../b.png"), "/c/b.png");
  EXPECT_EQ(path_in("/c", "caf\xc3\xa9.png"), "/c/caf\xc3\xa9.png");
  EXPECT_EQ(path_in("/c", "/a/b"), "/a/b") << "an absolute path stays";
}

TEST(LexicalPath, from_a_folder) {
  EXPECT_EQ(path_from("/a", "/a/b/c"), "b/c");
  EXPECT_EQ(path_from("/a/x", "/a/b"), "../b");
}

}  // namespace
}  // namespace assetc
