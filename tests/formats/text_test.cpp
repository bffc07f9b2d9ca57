#include "formats/text.hpp"

#include <gtest/gtest.h>

#include "assetc/formats/fourcc.hpp"
#include "formats/message.hpp"

namespace assetc::formats {
namespace {

using namespace std::string_view_literals;

TEST(Text, accepts_utf8_and_nothing_else) {
  for (const auto good : {""sv, "plain"sv, "\xc3\xbc"sv, "\xe2\x82\xac"sv, "\xf0\x9f\x98\x80"sv, "\xf4\x8f\xbf\xbf"sv,
                          "\xef\xbf\xbf"sv}) {
    EXPECT_TRUE(is_utf8(good)) << good;
  }
  // A lone continuation byte, a truncated sequence, an overlong one, a surrogate, a value past the end of Unicode,
  // invalid bytes.
  for (const auto bad : {"\x80"sv, "\xc3"sv, "\xe2\x82"sv, "\xc0\xaf"sv, "\xe0\x80\xaf"sv, "\xed\xa0\x80"sv,
                         "\xf4\x90\x80\x80"sv, "\xff"sv, "\xc3\x28"sv}) {
    EXPECT_FALSE(is_utf8(bad)) << quote(bad);
  }
}

TEST(Text, paths_stay_under_their_root) {
  for (const auto good : {"a"sv, "a/b.ktx2"sv, "a/..b/c"sv, ".hidden"sv, "a b/\xc3\xbc"sv})
    EXPECT_EQ(path_fault(good), "") << good;
  EXPECT_EQ(path_fault(""), "it is empty");
  EXPECT_EQ(path_fault("/a"), "it has an empty segment");
  EXPECT_EQ(path_fault("a/"), "it has an empty segment");
  EXPECT_EQ(path_fault("a//b"), "it has an empty segment");
  EXPECT_EQ(path_fault(".."), "it has a \".\" or \"..\" segment");
  EXPECT_EQ(path_fault("a/../b"), "it has a \".\" or \"..\" segment");
  EXPECT_EQ(path_fault("a\\..\\b"), "it holds a backslash");
  EXPECT_EQ(path_fault("c:/a"), "it holds a colon");
  EXPECT_EQ(path_fault("a\0b"sv), "it holds a control character");
  EXPECT_EQ(path_fault("\xff"), "it is not UTF-8");
}

TEST(Text, quotes_what_a_terminal_must_not_see) {
  EXPECT_EQ(quote("a\x1b[31m"), "\"a\\x1b[31m\"");
  EXPECT_EQ(quote(std::string(100, 'x')), "\"" + std::string(80, 'x') + "...\"");
}

TEST(Text, fourcc_reads_as_it_was_written) {
  EXPECT_EQ(fourcc("HMSH"), 0x48534d48u);
  EXPECT_EQ(fourcc_text(fourcc("DESC")), "DESC");
  EXPECT_EQ(fourcc_text(0x0badf00d), "0x0badf00d");
}

TEST(Text, messages_join_words_and_numbers) {
  EXPECT_EQ(message("found ", 3u, " of ", 0.5f, ' ', std::string("x")), "found 3 of 0.5 x");
}

}  // namespace
}  // namespace assetc::formats
