#include "cli/serve/web_access.hpp"

#include <gmock/gmock.h>

namespace assetc::cli {
namespace {

using engine::HttpAnswer;
using engine::HttpRequest;
using testing::Contains;
using testing::IsEmpty;
using testing::Not;
using testing::Pair;

HttpRequest from(const std::string& origin, const std::string& host = "127.0.0.1:8080") {
  HttpRequest request{.method = "GET", .path = "/wood.ktx2", .query = "", .headers = {{"host", host}}};
  if (!origin.empty()) request.headers.emplace_back("origin", origin);
  return request;
}

TEST(WebAccess, only_pages_of_the_server_and_of_known_origins_may_read) {
  const WebAccess own, open{.origins = {"http://localhost:5173"}};
  for (const WebAccess& access : {own, open}) {
    EXPECT_FALSE(access.refuse_stranger(from("")));
    EXPECT_FALSE(access.refuse_stranger(from("http://127.0.0.1:8080")));
    EXPECT_TRUE(access.refuse_stranger(from("http://evil.example")));
    EXPECT_TRUE(access.refuse_stranger(from("http://localhost:5174")));
    EXPECT_TRUE(access.refuse_stranger(from("null"))) << "a sandboxed page";
    EXPECT_TRUE(access.refuse_stranger(from("http://localhost:5173", "evil.example"))) << "a name that leads here";
  }
  EXPECT_TRUE(own.refuse_stranger(from("http://localhost:5173")));
  EXPECT_FALSE(open.refuse_stranger(from("http://localhost:5173")));
}

TEST(WebAccess, answers_admit_the_page_that_asks_and_no_other) {
  const WebAccess access{.origins = {"http://localhost:5173", "https://game.example"}};
  const auto headers_for = [&](const std::string& origin) {
    HttpAnswer answer;
    access.admit_page(from(origin), answer);
    return answer.headers;
  };
  EXPECT_THAT(headers_for("https://game.example"),
              Contains(Pair("Access-Control-Allow-Origin", "https://game.example")));
  for (const char* other : {"", "http://127.0.0.1:8080", "http://evil.example"})
    EXPECT_THAT(headers_for(other), Not(Contains(Pair("Access-Control-Allow-Origin", testing::_)))) << other;
  // Caches between must not give the answer for one page to another.
  EXPECT_THAT(headers_for(""), Contains(Pair("Vary", "Origin")));
  HttpAnswer answer;
  WebAccess().admit_page(from("http://localhost:5173"), answer);
  EXPECT_THAT(answer.headers, IsEmpty());
}

TEST(WebAccess, origins_have_no_path_and_no_wildcard) {
  for (const char* good : {"http://localhost:5173", "https://game.example", "http://[::1]:80", "http://10.0.0.2"})
    EXPECT_TRUE(WebAccess::is_origin(good)) << good;
  for (const char* bad : {"", "*", "null", "http://", "localhost:5173", "http://localhost/", "http://LOCALHOST",
                          "file:///x", "http://a\r\nb", "http://a b"})
    EXPECT_FALSE(WebAccess::is_origin(bad)) << bad;
}

}  // namespace
}  // namespace assetc::cli
