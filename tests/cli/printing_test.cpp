#include <gtest/gtest.h>

#include "base/json_line.hpp"
#include "cli/report/console.hpp"
#include "cli/report/progress.hpp"

namespace assetc::cli {
namespace {

TEST(JsonLine, members_keep_their_order_and_text_is_escaped) {
  EXPECT_EQ(json_event("x").add("text", "a\"b\\c\n\t\x01").add("n", 3u).add("yes", true).add("d", 0.5).str(),
            R"({"event":"x","text":"a\"b\\c\n\t\u0001","n":3,"yes":true,"d":0.5})");
  EXPECT_EQ(JsonObject().add("inner", JsonObject()).str(), R"({"inner":{}})");
  EXPECT_EQ(JsonObject().add("d", 1.0 / 0.0).str(), R"({"d":null})");
}

TEST(JsonLine, what_is_not_utf8_is_replaced) {
  EXPECT_EQ(json_quote("\xc3\xa9"), "\"\xc3\xa9\"");
  EXPECT_EQ(json_quote("\xe2\x82\xac \xf0\x9f\x98\x80"), "\"\xe2\x82\xac \xf0\x9f\x98\x80\"");
  for (const char* bad : {"\xff", "\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xc3"}) {
    EXPECT_NE(json_quote(bad).find("\\ufffd"), std::string::npos);
  }
}

TEST(JsonLine, control_characters_are_escaped) {
  EXPECT_EQ(json_quote(std::string_view("\0\x1b\x7f", 3)), R"("\u0000\u001b\u007f")");
  EXPECT_EQ(json_quote("\xc2\x9b\xc2\xa0"), "\"\\u009b\xc2\xa0\"");
}

TEST(Printable, escapes_what_moves_a_terminal_and_nothing_else) {
  EXPECT_EQ(printable("caf\xc3\xa9 \xe6\xa3\xae.png"), "caf\xc3\xa9 \xe6\xa3\xae.png");
  EXPECT_EQ(printable("a\nb\tc\x1b[31m\x7f"), "a\\nb\\tc\\x1b[31m\\x7f");
  EXPECT_EQ(printable("\xff\xc2\x9b"
                      "31m\xc2\xa0"),
            "\\xff\\xc2\\x9b31m\xc2\xa0");
  EXPECT_EQ(printable(std::string_view("\0", 1)), "\\x00");
}

TEST(Numbers, read_as_people_write_them) {
  EXPECT_EQ(size_text(0), "0 B");
  EXPECT_EQ(size_text(1023), "1023 B");
  EXPECT_EQ(size_text(1536), "1.5 KiB");
  EXPECT_EQ(size_text((1ull << 20) - 1), "1.0 MiB");
  EXPECT_EQ(size_text(3ull << 30), "3.0 GiB");
  EXPECT_EQ(seconds_text(0.25), "0.2 s");
  EXPECT_EQ(seconds_text(65), "1:05");
  EXPECT_EQ(seconds_text(7384), "2:03:04");
}

TEST(Tables, align_by_code_points_and_leave_no_trailing_spaces) {
  Table table({Table::Align::kLeft, Table::Align::kRight, Table::Align::kLeft});
  table.add({"\xc3\xa9", "10", ""});
  table.add({"abc", "7", "x"});
  EXPECT_EQ(table.str(), "\xc3\xa9    10\nabc   7  x\n");
}

TEST(Tables, have_one_line_for_each_row) {
  Table table({Table::Align::kLeft, Table::Align::kRight});
  table.add({"a\nerror: b\t.png", "10"});
  EXPECT_EQ(table.str(), "a\\nerror: b\\t.png  10\n");
}

TEST(Progress, tells_rate_time_left_failures_and_the_current_source) {
  EXPECT_EQ(progress_text({.total = 30, .done = 12, .failed = 1, .seconds = 4, .current = "models/chair.glb"}, 100),
            "[########............] 12/30  3.0/s  0:06 left  1 failed  models/chair.glb");
  EXPECT_EQ(progress_text({.total = 2, .current = "a"}, 100), "[....................] 0/2  a");
}

TEST(Progress, is_cut_to_the_terminal) {
  EXPECT_EQ(progress_text({.total = 2, .current = "a long name"}, 30).size(), 29u);
  EXPECT_EQ(progress_text({.total = 2, .current = "\xc3\xa9\xc3\xa9"}, 31), "[....................] 0/2  ");
}

}  // namespace
}  // namespace assetc::cli
