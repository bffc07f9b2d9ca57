#include "engine/state/ignored_kinds.hpp"

#include <gtest/gtest.h>

namespace assetc::engine {
namespace {

std::string said(std::initializer_list<const char*> paths) {
  IgnoredKinds kinds;
  for (const char* path : paths) kinds.add(path);
  return ignored_text(kinds.list(), paths.size());
}

TEST(IgnoredKinds, are_told_by_suffix_most_files_first) {
  EXPECT_EQ(said({}), "");
  EXPECT_EQ(said({"a/readme.md"}), "1 file ignored, no importer: .md 1");
  EXPECT_EQ(said({"a.xcf", "walls/b.BLEND", "c.blend", "LICENSE", "x/.hidden", "end."}),
            "6 files ignored, no importer: without a suffix 3, .blend 2, .xcf 1");
}

TEST(IgnoredKinds, of_cooks_are_told_apart) {
  EXPECT_EQ(said({"a.wav", "b.blend", "c.wav"}),
            "1 file ignored, no importer: .blend 1, 2 files ignored, compiled only by cook: .wav 2");
}

TEST(IgnoredKinds, past_those_that_a_line_holds_are_counted) {
  IgnoredKinds kinds;
  for (int i = 10; i < 60; ++i) {
    for (int n = i; n < 60; ++n) kinds.add("a.x" + std::to_string(i));
  }
  EXPECT_EQ(kinds.list().size(), 32u);
  EXPECT_EQ(ignored_text(kinds.list(), 1275),
            "1,275 files ignored, no importer: .x10 50, .x11 49, .x12 48, .x13 47, .x14 46, .x15 45, .x16 44, .x17 43, "
            "others 903");
}

}  // namespace
}  // namespace assetc::engine
