#include "identity/merge.hpp"

#include <gtest/gtest.h>

#include "identity/meta.hpp"

namespace assetc::identity {
namespace {

constexpr const char* kBase = R"({
  "Uuid": "a9c1b3c0-6d6e-4e16-9f4d-2d0a4f2d9a0b",
  "Type": "Texture2D",
  "VirtualPath": "Engine/Wood",
  "SourcePath": "Assets/Wood.png",
  "ImportSettings": {"SRGB": true,   "texture": {"quality": "best"}},
  "Tags": ["Wood"],
  "Studio": {"Ticket": 17.0},
  "License": ""
}
)";

std::string changed(std::string text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}
MergedMeta merged(const std::string& ours, const std::string& theirs, std::string_view base = kBase) {
  auto result = merge_metas(base, ours, theirs);
  EXPECT_TRUE(result) << result.error().to_string();
  return result ? std::move(*result) : MergedMeta{};
}

TEST(Merge, takes_what_either_changed_and_keeps_every_other_byte) {
  const std::string ours = changed(kBase, "\"License\": \"\"", "\"License\": \"CC0\"");
  const std::string theirs = changed(kBase, "17.0", "18.50");
  const MergedMeta both = merged(ours, theirs);
  EXPECT_TRUE(both.conflicts.empty());
  EXPECT_EQ(both.text, changed(ours, "17.0", "18.50"));
  EXPECT_EQ(merged(kBase, theirs).text, theirs);
  EXPECT_EQ(merged(ours, kBase).text, ours);
}

TEST(Merge, stamps_of_two_cooks_are_no_conflict) {
  const auto cooked = [](const std::string& key) {
    return changed(kBase, "\"License\": \"\"", "\"License\": \"\",\n  \"CookKey\": \"sha256:" + key + "\"");
  };
  const MergedMeta both = merged(cooked("1"), cooked("2"));
  EXPECT_TRUE(both.conflicts.empty());
  EXPECT_EQ(both.text, cooked("1"));
}

TEST(Merge, merges_lists_by_item_and_objects_by_key) {
  const MergedMeta lists =
      merged(changed(kBase, "[\"Wood\"]", "[\"Wood\", \"Oak\"]"), changed(kBase, "[\"Wood\"]", "[\"New\"]"));
  EXPECT_TRUE(lists.conflicts.empty());
  EXPECT_EQ(MetaFile::parse(lists.text)->meta().tags, (std::vector<std::string>{"Oak", "New"}));
  const MergedMeta objects = merged(changed(kBase, "\"SRGB\": true", "\"SRGB\": false"),
                                    changed(kBase, "\"quality\": \"best\"", "\"quality\": \"fast\""));
  EXPECT_TRUE(objects.conflicts.empty());
  const std::vector<ImportSetting> expected{{"SRGB", "false"}, {"texture.quality", "fast"}};
  EXPECT_EQ(MetaFile::parse(objects.text)->meta().import_settings, expected);
}

TEST(Merge, adds_and_removes_members) {
  const std::string ours = changed(kBase, "  \"Studio\": {\"Ticket\": 17.0},\n", "");
  const std::string theirs = changed(kBase, "\"License\": \"\"", "\"License\": \"\",\n  \"Owner\": \"Ann\"");
  EXPECT_EQ(merged(ours, theirs).text, changed(ours, "\"License\": \"\"", "\"License\": \"\",\n  \"Owner\": \"Ann\""));
  EXPECT_EQ(merged(theirs, ours).text, merged(ours, theirs).text);
  const std::string without_last = changed(kBase, ",\n  \"License\": \"\"", "");
  EXPECT_EQ(merged(kBase, without_last).text, without_last);
}

TEST(Merge, marks_what_both_changed_as_git_does_and_no_import_overwrites_it) {
  const MergedMeta both = merged(changed(kBase, "\"License\": \"\"", "\"License\": \"CC0\""),
                                 changed(kBase, "\"License\": \"\"", "\"License\": \"MIT\""));
  EXPECT_EQ(both.conflicts, std::vector<std::string>{"License"});
  EXPECT_EQ(both.text,
            changed(kBase, "  \"License\": \"\"\n",
                    "<<<<<<< ours\n  \"License\": \"CC0\"\n=======\n  \"License\": \"MIT\"\n>>>>>>> theirs\n"));
  EXPECT_FALSE(MetaFile::parse(both.text));
  const MergedMeta inside =
      merged(changed(kBase, "\"Engine/Wood\"", "\"Engine/Oak\""), changed(kBase, "\"Engine/Wood\"", "\"Engine/Pine\""));
  EXPECT_EQ(inside.text, changed(kBase, "  \"VirtualPath\": \"Engine/Wood\",\n",
                                 "<<<<<<< ours\n  \"VirtualPath\": \"Engine/Oak\",\n=======\n"
                                 "  \"VirtualPath\": \"Engine/Pine\",\n>>>>>>> theirs\n"));
}

TEST(Merge, leaves_to_the_next_import_what_it_works_out) {
  const MergedMeta both =
      merged(changed(kBase, "Assets/Wood.png", "Assets/A.png"), changed(kBase, "Assets/Wood.png", "Assets/B.png"));
  EXPECT_TRUE(both.conflicts.empty());
  EXPECT_EQ(MetaFile::parse(both.text)->meta().source_path, "Assets/A.png");
}

TEST(Merge, two_uuids_are_a_conflict_of_the_whole) {
  const std::string theirs = changed(kBase, "a9c1b3c0", "b9c1b3c0");
  const MergedMeta both = merged(kBase, theirs, "");
  EXPECT_EQ(both.conflicts, std::vector<std::string>{"Uuid"});
  EXPECT_EQ(both.text, std::string("<<<<<<< ours\n") + kBase + "=======\n" + theirs + ">>>>>>> theirs\n");
}

TEST(Merge, refuses_what_is_no_meta) {
  EXPECT_FALSE(merge_metas(kBase, "{", kBase));
  EXPECT_FALSE(merge_metas(kBase, kBase, "[]"));
}

TEST(Merge, takes_a_byte_order_mark_and_line_ends_of_windows_on_any_side) {
  const auto of_windows = [](const std::string& text) {
    std::string saved = "\xEF\xBB\xBF";
    for (const char c : text) saved += c == '\n' ? "\r\n" : std::string(1, c);
    return saved;
  };
  const std::string ours = changed(kBase, "\"License\": \"\"", "\"License\": \"CC0\"");
  const std::string theirs =
      changed(kBase, "\"Tags\": [\"Wood\"]", "\"Tags\": [\"Wood\", \"Oak\"],\n  \"Mine\": {\n  }");
  const MergedMeta plain = merged(ours, theirs);
  EXPECT_TRUE(plain.conflicts.empty());
  EXPECT_EQ(merged(ours, of_windows(theirs), of_windows(kBase)).text, plain.text);
  EXPECT_EQ(merged(of_windows(ours), theirs).text, of_windows(plain.text));
  const std::string other = changed(kBase, "\"License\": \"\"", "\"License\": \"MIT\"");
  EXPECT_EQ(merged(of_windows(ours), of_windows(other)).text, of_windows(merged(ours, other).text));
}

}  // namespace
}  // namespace assetc::identity
