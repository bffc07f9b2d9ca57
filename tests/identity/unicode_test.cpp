#include "identity/unicode.hpp"

#include <gtest/gtest.h>

namespace assetc::identity {
namespace {

TEST(FileKey, is_one_for_names_that_some_file_systems_take_for_one) {
  EXPECT_EQ(file_key("Assets/Wood.PNG"), file_key("assets/wood.png"));
  EXPECT_EQ(file_key("caf\xc3\xa9"), file_key("cafe\xcc\x81"));           // e with an acute accent
  EXPECT_EQ(file_key("\xc3\x9c_"), file_key("u\xcc\x88_"));               // U with two dots
  EXPECT_EQ(file_key("\xce\xa3\xce\xa3"), file_key("\xcf\x83\xcf\x82"));  // both small sigmas
  EXPECT_NE(file_key("caf\xc3\xa9"), file_key("cafe"));
  EXPECT_NE(file_key("a\xc2\xb2"), file_key("a2"));  // a superscript is another character
}

TEST(FileKey, of_bytes_that_are_no_utf_8_tells_them_apart) {
  EXPECT_NE(file_key("a\xff"), file_key("a\xfe"));
  EXPECT_EQ(file_key("A\xff"), file_key("a\xff"));
}

TEST(AsciiSpelling, is_readable_and_leaves_what_it_cannot_spell) {
  EXPECT_EQ(ascii_spelling("plain name"), "plain name");
  EXPECT_EQ(ascii_spelling("\xc3\xa9t\xc3\xa9"), "ete");
  EXPECT_EQ(ascii_spelling("e\xcc\x81"), "e");
  EXPECT_EQ(ascii_spelling("\xff"), "\xff");
}

}  // namespace
}  // namespace assetc::identity
