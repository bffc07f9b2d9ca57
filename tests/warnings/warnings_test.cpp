#include "warnings/warnings.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <type_traits>

namespace assetc {
namespace {

static_assert(!std::is_default_constructible_v<Warning>, "a warning has a kind");
static_assert(!std::is_convertible_v<Error, Warning>);

TEST(Warnings, names_are_stable_words_and_each_is_found_again) {
  std::set<std::string_view> names;
  for (const WarningRow& row : warning_rows()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name << " twice";
    EXPECT_TRUE(std::ranges::all_of(row.name, [](char c) { return std::islower(c) || c == '-'; })) << row.name;
    EXPECT_EQ(parse_warning_kind(row.name), row.kind);
    EXPECT_EQ(to_string(row.kind), row.name);
  }
  EXPECT_EQ(parse_warning_kind("no-such-kind"), std::nullopt);
  EXPECT_EQ(parse_warning_kind(""), std::nullopt);
}

TEST(Warnings, each_kind_says_in_a_sentence_what_it_means_and_what_to_do) {
  for (const WarningRow& row : warning_rows()) {
    for (const std::string_view sentence : {row.means, row.remedy}) {
      EXPECT_TRUE(sentence.ends_with('.')) << row.name << ": " << sentence;
      EXPECT_EQ(sentence.find('|'), std::string_view::npos) << row.name << ": it stands in a table";
    }
  }
}

TEST(Warnings, kinds_that_builds_do_not_repeat_cannot_be_accepted) {
  const auto names = acceptable_kinds();
  EXPECT_NE(std::ranges::find(names, "merged-nodes"), names.end());
  EXPECT_EQ(std::ranges::find(names, "other-preset"), names.end());
}

TEST(Warnings, keep_their_kind_in_a_file) {
  const Warning warning = Warning(WarningKind::kMergedNodes, {ErrorCode::kInvalidData, {}, {}, "a", {}}).in("b.gltf");
  EXPECT_EQ(warning.kind, WarningKind::kMergedNodes);
  EXPECT_EQ(warning.to_string(), "b.gltf: a");
}

}  // namespace
}  // namespace assetc
