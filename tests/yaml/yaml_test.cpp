#include "yaml/yaml.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace assetc {
namespace {

Yaml parsed(std::string_view text) {
  auto node = Yaml::parse(text);
  EXPECT_TRUE(node) << node.error().to_string();
  return std::move(node).value();
}

TEST(Yaml, values_keep_their_text_and_lines) {
  const Yaml root = parsed("size: 64M\nlist: [a, 'b c',\n  \"true\"]\nnothing:\ntilde: ~\nquoted: \"~\"\n");
  const std::vector<YamlMember> members = root.members();
  ASSERT_EQ(members.size(), 5u);
  EXPECT_EQ(members[0].key.text(), "size");
  EXPECT_EQ(members[0].value.text(), "64M");
  EXPECT_EQ(members[0].value.describe(), "\"64M\"");
  const std::vector<Yaml> items = members[1].value.items();
  ASSERT_EQ(items.size(), 3u);
  EXPECT_EQ(items[1].text(), "b c");
  EXPECT_EQ(items[2].place(), "line 3");
  EXPECT_EQ(members[1].value.describe(), "a list of 3");
  EXPECT_TRUE(members[2].value.is_null());
  EXPECT_TRUE(members[3].value.is_null());
  EXPECT_EQ(members[4].value.text(), "~");
  EXPECT_EQ(root.describe(), "a block of keys");
  EXPECT_TRUE(root.items().empty());
  EXPECT_TRUE(items[0].members().empty());
}

TEST(Yaml, a_text_without_a_document_is_null) {
  for (const char* const text : {"", "\n", "# only a comment\n", "---\n", "\xEF\xBB\xBF"}) {
    EXPECT_TRUE(parsed(text).is_null()) << text;
  }
}

TEST(Yaml, windows_lines_and_a_byte_order_mark_change_nothing) {
  const std::vector<YamlMember> members = parsed(
                                              "\xEF\xBB\xBF"
                                              "a: 1\r\nb: 2\r\n")
                                              .members();
  ASSERT_EQ(members.size(), 2u);
  EXPECT_EQ(members[0].key.text(), "a");
  EXPECT_EQ(members[1].value.text(), "2");
  EXPECT_EQ(members[1].value.line(), 2);
}

TEST(Yaml, both_of_two_equal_keys_are_there) { EXPECT_EQ(parsed("a: 1\na: 2\n").members().size(), 2u); }

TEST(Yaml, an_alias_is_its_anchor) {
  const std::vector<YamlMember> members = parsed("a: &x [1, 2]\nb: *x\n").members();
  ASSERT_EQ(members.size(), 2u);
  EXPECT_EQ(members[1].value.items()[1].text(), "2");
  EXPECT_EQ(members[1].value.place(), "line 1");
}

TEST(Yaml, a_document_that_contains_itself_is_read) {
  const Yaml root = parsed("&x [*x]");
  EXPECT_EQ(root.items()[0].items()[0].describe(), "a list of 1");
}

// Each line doubles what the line before stands for: 2^40 items, if they were copied.
TEST(Yaml, aliases_of_aliases_cost_nothing) {
  std::string text = "a0: &a0 [x, x]\n";
  for (int i = 1; i < 40; ++i) {
    const std::string name = "a" + std::to_string(i), before = "*a" + std::to_string(i - 1);
    text += name + ": &" + name + " [" + before + ", " + before + "]\n";
  }
  EXPECT_EQ(parsed(text).members().size(), 40u);
}

TEST(Yaml, an_error_names_its_line) {
  const auto node = Yaml::parse("a: 1\nb: [1, 2\nc: 3\n");
  ASSERT_FALSE(node);
  EXPECT_EQ(node.error().to_string().find("line "), 0u) << node.error().to_string();
  EXPECT_NE(node.error().to_string().find("not valid YAML: "), std::string::npos) << node.error().to_string();
  EXPECT_FALSE(Yaml::parse("a: *unknown\n"));
}

TEST(Yaml, deep_nesting_is_an_error_not_a_crash) { EXPECT_FALSE(Yaml::parse(std::string(100'000, '['))); }

}  // namespace
}  // namespace assetc
