#include "http/source/headers.hpp"

#include <gmock/gmock.h>

#include "http/source/range_cache.hpp"

namespace assetc::http {
namespace {

using testing::ElementsAre;

TEST(ContentRanges, are_read_strictly) {
  EXPECT_EQ(parse_content_range("bytes 0-99/1234"), (ContentRange{0, 100, 1234}));
  EXPECT_EQ(parse_content_range("Bytes 5-5/6"), (ContentRange{5, 6, 6}));
  EXPECT_EQ(parse_content_range("bytes */7"), (ContentRange{0, 0, 7}));
  for (const char* text : {"", "bytes", "bytes 0-1", "bytes 0-1/*", "bytes 1-0/9", "bytes 0-9/9", "bytes -1-2/9",
                           "bytes 0-1/9 ", "bytes  0-1/9", "bytes 0x1-2/9", "items 0-1/9",
                           "bytes 0-1/99999999999999999999", "bytes 0-18446744073709551615/18446744073709551615"})
    EXPECT_EQ(parse_content_range(text), std::nullopt) << text;
}

TEST(AnswerHeaders, are_those_of_the_last_answer) {
  AnswerHeaders headers;
  headers.take("HTTP/1.1 100 Continue\r\n");
  headers.take("ETag: \"old\"\r\n");
  headers.take("HTTP/1.1 200 OK\r\n");
  headers.take("Last-Modified: \t yesterday \r\n");
  EXPECT_EQ(headers.validator(), "yesterday");
  headers.take("eTAG: \"new\"\r\n");
  headers.take("Content-Type: Text/Event-Stream; charset=utf-8\r\n");
  headers.take("Content-Encoding: Identity\r\n");
  headers.take("no colon\r\n");
  EXPECT_EQ(headers.validator(), "\"new\"");
  EXPECT_EQ(headers.content_type(), "text/event-stream");
  EXPECT_FALSE(headers.is_encoded());
  headers.take("Content-Encoding: br\r\n");
  EXPECT_TRUE(headers.is_encoded());
}

TEST(Origins, are_scheme_host_and_port) {
  EXPECT_EQ(origin_of("HTTPS://Host:443/a/b"), "https://host");
  EXPECT_EQ(origin_of("http://host:8080"), "http://host:8080");
  EXPECT_EQ(origin_of("http://host@evil/"), "http://host@evil");
  EXPECT_EQ(origin_of("http://host\\@evil/"), "http://host");
  for (const char* url : {"", "host", "//host/a", "ftp://host", "http://", "http:///a", "javascript:a://b"})
    EXPECT_EQ(origin_of(url), std::nullopt) << url;
  EXPECT_EQ(escape_path("a b/c%d?e#f+\xC3\xBC~"), "a%20b/c%25d%3Fe%23f%2B%C3%BC~");
}

TEST(Events, are_split_at_empty_lines) {
  const std::string text =
      ": hello\n\ndata: one\n\nid: 3\ndata:two\r\ndata: lines\r\n\r\nevent: x\n\ndata\n\ndata: cut";
  std::vector<std::string> all;
  for (std::size_t step : {std::size_t{1}, std::size_t{3}, text.size()}) {
    EventReader reader;
    all.clear();
    for (std::size_t at = 0; at < text.size(); at += step) {
      const auto events = reader.read(as_bytes(text).subspan(at, std::min(step, text.size() - at)));
      ASSERT_TRUE(events);
      all.insert(all.end(), events->begin(), events->end());
    }
    EXPECT_THAT(all, ElementsAre("one", "two\nlines", "")) << step;
  }
}

Bytes bytes_of(std::string_view text) { return Bytes(ByteVector(as_bytes(text).begin(), as_bytes(text).end())); }

TEST(RangeCaches, keep_what_was_used_last) {
  RangeCache cache(10);
  cache.insert(1, 0, bytes_of("0123"));
  cache.insert(1, 100, bytes_of("abcd"));
  cache.insert(2, 0, bytes_of("x"));
  EXPECT_EQ(as_text(*cache.find(1, 1, 3)), "123");
  EXPECT_FALSE(cache.find(1, 1, 4));
  EXPECT_FALSE(cache.find(1, 4, 1));
  EXPECT_FALSE(cache.find(2, 100, 4));
  EXPECT_FALSE(cache.find(3, 0, 0));
  cache.insert(3, 5, bytes_of("yyyy"));
  EXPECT_FALSE(cache.find(1, 100, 4)) << "it was used least recently";
  EXPECT_EQ(as_text(*cache.find(1, 0, 4)), "0123");
  cache.insert(1, 0, bytes_of("012345"));
  EXPECT_EQ(as_text(*cache.find(1, 0, 6)), "012345");
  cache.insert(1, 0, bytes_of("0"));
  EXPECT_EQ(as_text(*cache.find(1, 2, 4)), "2345") << "a longer part stays";
  cache.forget(1);
  EXPECT_FALSE(cache.find(1, 0, 1));
  cache.insert(4, 0, bytes_of("more than ten bytes"));
  EXPECT_TRUE(cache.find(4, 0, 19)) << "the newest part stays";
  EXPECT_FALSE(cache.find(3, 5, 4));
}

}  // namespace
}  // namespace assetc::http
