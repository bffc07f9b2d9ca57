#include "json/json.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "parsed_json.hpp"

namespace assetc {
namespace {

TEST(Json, text_is_read_and_written_as_it_was) {
  for (const char* text : {"null", "true", "false", "0", "-1", "18446744073709551615", "-9223372036854775808", "0.5",
                           R"("")", R"("a\"b\\c")", "[]", "{}", R"([1,[2,{"a":[]}],"x"])", R"({"b":1,"a":{"c":null}})"})
    EXPECT_EQ(parsed_json(text).text(), text);
  EXPECT_EQ(parsed_json(" [ 1 ,\n\t2 ] ").text(), "[1,2]");
  EXPECT_EQ(parsed_json("\xEF\xBB\xBF{}").text(), "{}") << "after a byte order mark";
}

TEST(Json, numbers_keep_their_kind_and_have_one_text) {
  EXPECT_TRUE(parsed_json("1").is_unsigned());
  EXPECT_TRUE(parsed_json("-1").is_integer());
  EXPECT_FALSE(parsed_json("-0").is_unsigned());
  EXPECT_TRUE(parsed_json("1.0").is_double());
  EXPECT_TRUE(parsed_json("18446744073709551616").is_double());
  EXPECT_EQ(parsed_json("-0").text(), "0");
  for (const auto& [value, text] : {std::pair{1.0, "1.0"},
                                    {-0.0, "-0.0"},
                                    {0.1, "0.1"},
                                    {1e14, "100000000000000.0"},
                                    {1e15, "1e+15"},
                                    {1.5e300, "1.5e+300"},
                                    {0.0001, "0.0001"},
                                    {0.00001, "1e-05"},
                                    {5e-324, "5e-324"},
                                    {double{0.1f}, "0.10000000149011612"},
                                    {std::numeric_limits<double>::infinity(), "null"}})
    EXPECT_EQ(Json(value).text(), text);
  EXPECT_EQ(Json(1), Json(1.0));
  EXPECT_EQ(Json(1u), parsed_json("1"));
  EXPECT_NE(Json(-1), Json(std::numeric_limits<std::uint64_t>::max()));
  EXPECT_NE(Json(1), Json(true));
  EXPECT_EQ(parsed_json("-3").as_number(), -3);
  EXPECT_EQ(parsed_json("3.0").as_uint(), 3u);
}

TEST(Json, members_keep_their_order_and_the_last_of_a_name_counts) {
  const char* text = R"({"b":1,"a":2,"c":3,"a":{"x":4},"b":5})";
  EXPECT_EQ(parsed_json(text).text(), R"({"b":5,"a":{"x":4},"c":3})");
  EXPECT_EQ(Json::parse(text, JsonOrder::kByName)->text(), R"({"a":{"x":4},"b":5,"c":3})");
  EXPECT_EQ(parsed_json(text).text({.is_sorted = true}), R"({"a":{"x":4},"b":5,"c":3})");
  EXPECT_NE(parsed_json(R"({"a":1,"b":2})"), parsed_json(R"({"b":2,"a":1})"));
}

TEST(Json, members_are_found_in_small_and_large_objects) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += (i == 0 ? "{\"" : ",\"") + std::to_string(i) + "\":" + std::to_string(i);
  for (const JsonOrder order : {JsonOrder::kAsWritten, JsonOrder::kByName}) {
    const auto json = Json::parse(text + "}", order);
    ASSERT_TRUE(json);
    ASSERT_EQ(json->size(), 100u);
    for (int i = 0; i < 100; ++i) EXPECT_EQ((*json)[std::to_string(i)], i);
    EXPECT_EQ(json->find("100"), nullptr);
    EXPECT_EQ(json->find(""), nullptr);
    Json changed = *json;
    changed["00"] = "new";
    EXPECT_EQ(changed["00"], "new");
    EXPECT_EQ(changed["99"], 99);
    EXPECT_TRUE(changed.erase("50"));
    EXPECT_FALSE(changed.erase("50"));
    EXPECT_FALSE(changed.contains("50"));
    EXPECT_EQ(changed["99"], 99);
  }
}

TEST(Json, missing_parts_are_null_or_added) {
  const Json constant = parsed_json(R"({"a":[1]})");
  EXPECT_TRUE(constant["b"]["c"][7].is_null());
  EXPECT_TRUE(constant["a"][1].is_null());
  Json json;
  json["a"][1]["b"] = 2;
  json["c"].push_back("x");
  EXPECT_EQ(json.text(), R"({"a":[null,{"b":2}],"c":["x"]})");
  json.update({{"c", 3}, {"d", Json::array({4, 5})}});
  EXPECT_EQ(json.text(), R"({"a":[null,{"b":2}],"c":3,"d":[4,5]})");
}

TEST(Json, values_are_made_of_lists_and_containers) {
  const Json json = {{"name", "wall"},
                     {"size", {{"width", 16}, {"height", 0.5f}}},
                     {"tags", std::vector<std::string>{"a", "b"}},
                     {"none", nullptr},
                     {"visible", false}};
  EXPECT_EQ(json.text(),
            R"({"name":"wall","size":{"width":16,"height":0.5},"tags":["a","b"],"none":null,"visible":false})");
  Json copy = json;
  copy["size"]["width"] = 17;
  EXPECT_EQ(json["size"]["width"], 16);
  const Json moved = std::move(copy);
  EXPECT_EQ(moved["size"]["width"], 17);
}

TEST(Json, a_style_indents_sorts_and_escapes) {
  const Json json = parsed_json("{\"b\":[1,{}],\"a\":{\"\xC3\xA9\":\"\xF0\x9F\x98\x80\x7F\"},\"c\":[]}");
  EXPECT_EQ(json.text({.indent = 2, .is_ascii = true, .is_sorted = true}),
            "{\n  \"a\": {\n    \"\\u00e9\": \"\\ud83d\\ude00\\u007f\"\n  },\n  \"b\": [\n    1,\n    {}\n  ],\n"
            "  \"c\": []\n}");
  EXPECT_EQ(json.text(), "{\"b\":[1,{}],\"a\":{\"\xC3\xA9\":\"\xF0\x9F\x98\x80\x7F\"},\"c\":[]}");
}

TEST(Json, strings_are_escaped_and_bytes_that_are_not_utf8_replaced) {
  EXPECT_EQ(Json("\b\f\n\r\t\x01\x1f/\"\\").text(), R"("\b\f\n\r\t\u0001\u001f/\"\\")");
  const std::string mark = "\xEF\xBF\xBD";
  for (const auto& [bytes, marks] : {std::pair{"\xFF", 1},
                                     {"\x80\x80", 2},
                                     {"\xC3", 1},
                                     {"\xE2\x82", 1},
                                     {"\xF0\x9F\x98", 1},
                                     {"\xE0\x80\x80", 3},
                                     {"\xED\xA0\x80", 3},
                                     {"\xF4\x90", 2}}) {
    std::string expected = "\"a", ascii = "\"a";
    for (int i = 0; i < marks; ++i) expected += mark, ascii += "\\ufffd";
    EXPECT_EQ(Json("a" + std::string(bytes) + "b").text(), expected + "b\"");
    EXPECT_EQ(Json("a" + std::string(bytes)).text({.is_ascii = true}), ascii + "\"");
  }
}

TEST(Json, a_fault_has_its_place) {
  const auto offset = [](std::string_view text) {
    const auto json = Json::parse(text);
    return json ? std::string_view::npos : json.error().offset;
  };
  EXPECT_EQ(offset(""), 0u);
  EXPECT_EQ(offset("{\"a\": oops}"), 6u);
  EXPECT_EQ(offset("[1,]"), 3u);
  EXPECT_EQ(offset("[1] 2"), 4u);
  EXPECT_EQ(offset("{\"a\":1"), 6u);
  EXPECT_EQ(Json::parse("[1,]").error().reason.substr(0, 34), "syntax error while parsing value -");
  const auto large = Json::parse("[1e999]");
  ASSERT_FALSE(large);
  EXPECT_TRUE(large.error().is_out_of_range);
  EXPECT_NE(large.error().reason.find("number overflow parsing '1e999'"), std::string::npos);
  for (const char* text : {"[01]", "[+1]", "[.5]", "[1.]", "['a']", "[\"\x01\"]", "[\"\\x\"]", "[\"\xFF\"]",
                           "[\"\\ud800\"]", "nul", "[NaN]", "{a:1}", "{\"a\":1,}", "[1 2]", "// a\n1", "\xEF\xBB"})
    EXPECT_FALSE(Json::parse(text)) << text;
}

TEST(Json, long_strings_are_read_like_short_ones) {
  const std::string plain(4000, 'Q'), escaped = plain + "\"\\\n\xC3\xA9";
  const Json json = {{plain, plain}, {"b", Json::array({plain, escaped, plain})}, {"c", escaped}, {escaped, 1}};
  EXPECT_EQ(parsed_json(json.text()), json);
  const std::string text = "{\"a\":\"" + plain + "\",\"b\": oops}";
  EXPECT_EQ(Json::parse(text).error().offset, text.find("oops"));
}

TEST(Json, deep_nesting_overflows_no_stack) {
  const std::size_t depth = 200'000;
  const std::string text = std::string(depth, '[') + std::string(depth, ']');
  auto json = Json::parse(text);
  ASSERT_TRUE(json);
  Json inner = std::move(*json);
  for (int i = 0; i < 1000; ++i) inner = std::move(inner[0]);
  EXPECT_EQ(inner.size(), 1u);
}

}  // namespace
}  // namespace assetc
