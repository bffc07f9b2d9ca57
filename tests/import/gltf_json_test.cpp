#include <gtest/gtest.h>

#include <string>

#include "import/gltf/json.hpp"
#include "parsed_json.hpp"

namespace assetc::importer {
namespace {

const std::string kLongData = "data:application/octet-stream;base64," + std::string(4000, 'Q');

std::string in_quotes(std::string_view text) { return Json(text).text(); }

// The same document, whose long strings have an escape. The library reads these a character at a time.
std::string with_escapes(std::string text) {
  const std::string run(3000, 'Q');
  for (std::size_t at = 0; (at = text.find(run, at)) != text.npos; at += run.size()) text.replace(at, 1, "\\u0051");
  return text;
}

// Long strings take a path of their own; every document must read as the library reads it.
TEST(GltfJson, long_data_is_read_as_the_parser_reads_it) {
  const std::string data = in_quotes(kLongData);
  const std::string other = in_quotes(std::string(4000, 'Q'));
  for (const std::string& text : {
           R"({"a":)" + data + R"(,"b":[)" + data + "," + other + "," + data + "]}",
           R"({"\"quoted\\":"a \" b","a":)" + data + "}",                             // escapes before the data
           "{" + data + ":1," + in_quotes("\\") + " : " + data + "}",                 // data as a name
           "{" + data + " \n\t\r :" + data + R"(, "c": {"d": )" + data + "}}",        // with space behind it
           R"({"a":1,"a":)" + data + R"(,"a":2,"b":)" + data + "}",                   // a name that comes again
           R"({"a":)" + in_quotes(kLongData + "\"\\\n\xC3\xA9") + "}",                // with escapes
           R"({"a":)" + in_quotes(kLongData + "\xC3\xA9") + R"(,"b":)" + data + "}",  // not ASCII
           "\xEF\xBB\xBF{\"a\":" + data + "}",                                        // a byte order mark
       }) {
    const auto document = JsonDocument::parse(text);
    ASSERT_TRUE(document) << document.error().to_string();
    const auto expected = Json::parse(with_escapes(text), JsonOrder::kByName);
    ASSERT_TRUE(expected) << expected.error().reason;
    EXPECT_EQ(document->root().node(), *expected);
  }
}

TEST(GltfJson, an_error_behind_long_data_has_its_place) {
  const auto place = [](const std::string& text) {
    const auto document = JsonDocument::parse(text);
    return document ? "read" : document.error().place;
  };
  const std::string data = in_quotes(kLongData);
  EXPECT_EQ(place("{\"a\": oops, \"b\":" + data + "}"), "line 1, column 7");
  EXPECT_EQ(place("{\"b\":" + data + "\n,\"a\": oops}"), "line 2, column 7");
  EXPECT_EQ(place("{\"b\" " + data + "}"), "line 1, column " + std::to_string(5 + data.size()));
  EXPECT_EQ(place("{\"b\":" + data + " oops"), "line 1, column " + std::to_string(7 + data.size()));
  EXPECT_EQ(place("{\"b\":" + data + ",\"c"),
            place("{\"b\":" + in_quotes(std::string(kLongData.size(), 'Q')) + ",\"c"));
  EXPECT_EQ(place("{\"b\":" + data.substr(0, 3000)), place("{\"b\":\"" + std::string(2999, 'Q')));
}

}  // namespace
}  // namespace assetc::importer
