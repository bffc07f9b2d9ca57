// Reads over HTTP from servers that behave well, and from servers that lie, stall or ignore ranges.
#include "assetc/http/source.hpp"

#include <gmock/gmock.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <latch>
#include <optional>

#include "http/web_server.hpp"
#include "places.hpp"

namespace assetc::http {
namespace {

using runtime::Completion;
using runtime::Completions;
using runtime::ReadAnswer;
using runtime::ReadRequest;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

std::string digits(std::size_t size) {
  std::string text(size, ' ');
  for (std::size_t i = 0; i < size; ++i) text[i] = static_cast<char>('a' + (i * 7 + i / 26) % 26);
  return text;
}

class HttpSources : public testing::Test {
 protected:
  std::shared_ptr<Source> open(SourceOptions options = {}) {
    if (options.url.empty()) options.url = server.url() + "/game/";
    auto source = Source::open(std::move(options));
    EXPECT_TRUE(source) << source.error().to_string();
    return *source;
  }
  Result<ReadAnswer> read(Source& source, ReadRequest request) {
    Completions completions;
    source.submit(std::move(request), completions);
    return completions.wait().answer;
  }
  // The bytes, or the error.
  std::string text(Source& source, ReadRequest request) {
    const auto answer = read(source, std::move(request));
    return answer ? std::string(as_text(answer->bytes)) : answer.error().to_string();
  }
  // A server that gives this reply to everything.
  std::string text_of_reply(const WebReply& reply, const ReadRequest& request, ErrorCode code) {
    WebServer other([&](const WebRequest&) { return reply; });
    const auto source = open({.url = other.url(), .stall_timeout = std::chrono::seconds(1)});
    const auto answer = read(*source, request);
    if (answer) return "answered " + std::string(as_text(answer->bytes));
    EXPECT_EQ(answer.error().code, code) << answer.error().to_string();
    return answer.error().to_string();
  }

  WebFiles files;
  WebServer server{[this](const WebRequest& request) { return files(request); }};
};

TEST_F(HttpSources, read_files_and_ranges) {
  const std::string content = digits(100'000);
  files.put("/game/a%20b/%C3%BC.bin", content);
  files.put("/game/empty", "");
  const auto source = open();
  const std::string path = "a b/\xC3\xBC.bin";
  EXPECT_EQ(text(*source, {.path = path}), content);
  EXPECT_EQ(text(*source, {.path = path, .offset_bytes = 7, .size_bytes = 5}), content.substr(7, 5));
  EXPECT_EQ(text(*source, {.path = path, .offset_bytes = 99'000}), content.substr(99'000));
  EXPECT_EQ(text(*source, {.path = path, .most_bytes = 100'000}), content);
  const auto size = read(*source, {.path = path, .size_bytes = 0});
  ASSERT_TRUE(size);
  EXPECT_EQ(size->file_size_bytes, content.size());
  EXPECT_NE(size->file_version, 0u);
  EXPECT_TRUE(size->bytes.empty());
  EXPECT_EQ(read(*source, {.path = "empty"})->file_size_bytes, 0u);
  EXPECT_EQ(text(*source, {.path = path, .offset_bytes = 99'999, .size_bytes = 2}),
            path + ": byte 99999: found 1 byte up to the end of the file, expected 2");
  EXPECT_EQ(text(*source, {.path = path, .offset_bytes = 200'000}),
            path + ": byte 200000: found 0 bytes up to the end of the file, expected an offset inside it");
  EXPECT_EQ(text(*source, {.path = "none"}), "none: the server answered 404");
  for (const char* outside : {"../secret", "/etc/passwd", "a/./b", "a//b", ""})
    EXPECT_EQ(read(*source, {.path = outside}).error().code, ErrorCode::kNotFound) << outside;
  EXPECT_EQ(source->stats().reads, 14u);
}

TEST_F(HttpSources, a_file_that_is_larger_than_wanted_is_not_received) {
  files.put("/game/large", digits(8 << 20));
  const auto source = open();
  const auto answer = read(*source, {.path = "large", .most_bytes = 1000});
  ASSERT_TRUE(answer) << answer.error().to_string();
  EXPECT_EQ(answer->file_size_bytes, 8u << 20);
  EXPECT_TRUE(answer->bytes.empty());
  EXPECT_LT(source->stats().received_bytes, 1u << 20);
}

// Reads of a pack of `count` assets that are submitted together. `submitted` is counted down after the last of them.
void read_pack(Source& source, const std::string& content, std::size_t count, std::latch* submitted = nullptr) {
  const std::size_t step = content.size() / count;
  Completions completions;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t at = i * 389 % count;
    source.submit({.path = "pack", .offset_bytes = at * step, .size_bytes = step - 16, .user = at}, completions);
  }
  if (submitted) submitted->count_down();
  for (std::size_t i = 0; i < count; ++i) {
    const Completion done = completions.wait();
    ASSERT_TRUE(done.answer) << done.answer.error().to_string();
    EXPECT_EQ(as_text(done.answer->bytes), content.substr(done.user * step, step - 16));
  }
}

TEST_F(HttpSources, neighboring_reads_share_a_request) {
  const std::string content = digits(1'000'000);
  files.put("/game/pack", content);
  // This server answers when all reads have been submitted: how many it gets does not depend on the load of the
  // machine.
  std::latch submitted(1);
  WebServer patient([&](const WebRequest& request) {
    submitted.wait();
    return files(request);
  });
  const auto joined = open({.url = patient.url() + "/game/"});
  read_pack(*joined, content, 1000, &submitted);
  EXPECT_LT(joined->stats().requests, 20u);
  EXPECT_LE(patient.connections(), 8u);
  const auto alone = open({.max_joined_bytes = 0});
  read_pack(*alone, content, 1000);
  EXPECT_GE(alone->stats().requests, 999u);
  EXPECT_LE(server.connections(), 8u) << "connections stay open";
}

TEST_F(HttpSources, memory_answers_again_without_a_request) {
  const std::string content = digits(100'000);
  files.put("/game/pack", content);
  const auto source = open();
  read_pack(*source, content, 50);
  const std::size_t requests = server.requests().size();
  read_pack(*source, content, 50);
  EXPECT_EQ(server.requests().size(), requests);
  EXPECT_GE(source->stats().cached_reads, 50u);
  // Without memory, each read is a request.
  const auto forgetful = open({.max_joined_bytes = 0, .cache_bytes = 0});
  for (int i = 0; i < 4; ++i)
    for (const std::uint64_t offset : {10u, 50'000u})
      EXPECT_EQ(text(*forgetful, {.path = "pack", .offset_bytes = offset, .size_bytes = 9}), content.substr(offset, 9));
  EXPECT_EQ(forgetful->stats().requests, 8u);
}

TEST_F(HttpSources, a_server_that_ignores_ranges_sends_a_file_once) {
  const std::string content = digits(1'000'000);
  files.put("/game/pack", content);
  files.ignores_ranges = true;
  const auto source = open();
  read_pack(*source, content, 100);
  EXPECT_THAT(server.requests(), SizeIs(1));
  const auto small = open({.max_answer_bytes = 1000});
  EXPECT_EQ(text(*small, {.path = "pack", .offset_bytes = 5, .size_bytes = 5}),
            "pack: the server ignores ranges, and the file has 1000000 bytes, expected at most 1000; use a server that "
            "supports ranges");
}

TEST_F(HttpSources, files_that_did_not_change_are_confirmed) {
  files.put("/game/a", digits(1000));
  const auto source = open({.fresh_for = std::chrono::milliseconds(0)});
  const auto first = read(*source, {.path = "a"}), second = read(*source, {.path = "a"});
  ASSERT_TRUE(first && second);
  EXPECT_EQ(as_text(second->bytes), digits(1000));
  EXPECT_EQ(second->file_version, first->file_version);
  EXPECT_EQ(source->stats().requests, 2u);
  EXPECT_EQ(source->stats().received_bytes, 1000u) << "304 has no body";
  EXPECT_EQ(source->stats().cached_reads, 1u);
}

TEST_F(HttpSources, changes_are_noticed_when_they_are_reported) {
  files.put("/game/a", "old");
  const auto source = open({.fresh_for = std::chrono::hours(1)});
  EXPECT_EQ(text(*source, {.path = "a"}), "old");
  files.put("/game/a", "newer", "\"2\"");
  EXPECT_EQ(text(*source, {.path = "a"}), "old") << "it is still fresh";
  source->changed({.written = {"a"}});
  EXPECT_EQ(text(*source, {.path = "a"}), "newer");
  files.put("/game/a", "newest", "\"3\"");
  source->changed({.everything = true});
  EXPECT_EQ(text(*source, {.path = "a"}), "newest");
}

TEST_F(HttpSources, versions_of_a_file_are_not_mixed) {
  files.put("/game/pack", digits(100'000), "\"1\"");
  const auto source = open({.cache_bytes = 0, .fresh_for = std::chrono::milliseconds(0)});
  const auto head = read(*source, {.path = "pack", .size_bytes = 10});
  ASSERT_TRUE(head);
  files.put("/game/pack", std::string(100'000, '#'), "\"2\"");
  const auto part = read(*source, {.path = "pack", .offset_bytes = 60'000, .size_bytes = 10});
  ASSERT_FALSE(part);
  EXPECT_EQ(part.error().code, ErrorCode::kConflict);
  EXPECT_EQ(part.error().to_string(),
            "pack: the file changed on the server: found \"2\" with 100000 bytes, expected \"1\" with 100000 bytes; "
            "mount it again");
  // The beginning of the new version is read, as a mount does.
  const auto again = read(*source, {.path = "pack", .size_bytes = 10});
  ASSERT_TRUE(again);
  EXPECT_EQ(as_text(again->bytes), "##########");
  EXPECT_NE(again->file_version, head->file_version);
  EXPECT_EQ(text(*source, {.path = "pack", .offset_bytes = 60'000, .size_bytes = 3}), "###");
  // A server without validators shows a change by the size.
  files.put("/game/bare", "0123456789", "");
  EXPECT_EQ(read(*source, {.path = "bare", .size_bytes = 4})->file_version, 0u);
  files.put("/game/bare", "01234567", "");
  EXPECT_THAT(text(*source, {.path = "bare", .offset_bytes = 4, .size_bytes = 2}),
              HasSubstr("found 8 bytes, expected 10 bytes"));
}

// The text up to the next separator, which is removed with it.
std::string cut(std::string& line, const std::string& separator) {
  const std::size_t at = line.find(separator);
  const std::string part = line.substr(0, at);
  line.erase(0, at == std::string::npos ? line.size() : at + separator.size());
  return part;
}

TEST_F(HttpSources, answers_are_judged_as_by_javascript) {
  std::ifstream table(std::filesystem::path(places::kSource) / "tests/data/http_answers.txt");
  int count = 0;
  for (std::string line; std::getline(table, line);) {
    if (line.starts_with('#')) continue;
    ++count;
    const std::string name = cut(line, " | "), status = cut(line, " | ");
    std::string given = cut(line, " | "), headers;
    const std::string body = cut(line, " | "), expected = line;
    while (!given.empty()) headers += cut(given, "; ") + "\r\n";
    WebServer other([&](const WebRequest&) { return reply(status, body, headers); });
    const auto source = open({.url = other.url(), .stall_timeout = std::chrono::seconds(1)});
    const auto answer = read(*source, {.path = "x", .offset_bytes = 4, .size_bytes = 4});
    EXPECT_EQ(answer ? "answer " + std::string(as_text(answer->bytes)) : std::string(to_string(answer.error().code)),
              expected)
        << name;
  }
  EXPECT_GT(count, 30);
}

TEST_F(HttpSources, lies_are_errors) {
  const ReadRequest part{.path = "x", .offset_bytes = 4, .size_bytes = 4};
  const auto partial = [](const std::string& range, const std::string& body, const std::string& more = {}) {
    return reply("206 Partial Content", body, (range.empty() ? "" : "Content-Range: " + range + "\r\n") + more);
  };
  constexpr ErrorCode kBad = ErrorCode::kInvalidData;
  EXPECT_EQ(text_of_reply(partial("bytes 4-7/10", "4567"), part, kBad), "answered 4567");
  EXPECT_EQ(text_of_reply(partial("bytes 0-3/10", "0123"), part, kBad),
            "x: the server sent the Content-Range \"bytes 0-3/10\", expected the range 4-7");
  for (const char* range : {"", "bytes 4-6/10", "bytes 4-8/10", "bytes 4-7/*", "bytes 4-7/7", "items 4-7/10",
                            "bytes 4-7", "bytes 7-4/10", "bytes 4-18446744073709551615/10", "bytes */10"})
    EXPECT_THAT(text_of_reply(partial(range, "4567"), part, kBad), HasSubstr("expected the range 4-7")) << range;
  EXPECT_EQ(text_of_reply(partial("bytes 4-7/10", "4567", "Content-Encoding: gzip\r\n"), part, kBad),
            "x: the server sent the encoding \"gzip\", expected none; switch compression off for this file");
  EXPECT_EQ(text_of_reply(partial("bytes 4-7/10", "45678"), part, kBad), "x: the server sent more than 4 bytes");
  EXPECT_EQ(text_of_reply(partial("bytes 4-7/10", "456"), part, ErrorCode::kIo),
            "x: the server sent 3 bytes, expected 4");
  EXPECT_EQ(
      text_of_reply(reply("416 Range Not Satisfiable", {}, "Content-Range: bytes */10\r\n"), part, kBad),
      "x: the server answered 416 to the range 4-7 with the Content-Range \"bytes */10\", expected \"bytes */SIZE\"");
  // A length that the body does not have.
  EXPECT_THAT(text_of_reply({.bytes = "HTTP/1.1 206 Partial Content\r\nContent-Length: 4\r\nContent-Range: bytes "
                                      "4-7/10\r\n\r\n45",
                             .closes = true},
                            part, ErrorCode::kIo),
              HasSubstr("x: cannot read from the server: "));
  // A length that nobody has memory for is not reserved.
  EXPECT_THAT(text_of_reply({.bytes = "HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\nab", .closes = true},
                            {.path = "x"}, ErrorCode::kIo),
              HasSubstr("cannot read from the server"));
  EXPECT_THAT(text_of_reply({.bytes = "nonsense\r\n\r\n", .closes = true}, part, ErrorCode::kIo),
              HasSubstr("cannot read from the server"));
  EXPECT_EQ(text_of_reply(reply("204 No Content"), part, ErrorCode::kUnsupported),
            "x: the server answered 204, expected 200 or 206");
  EXPECT_EQ(text_of_reply(reply("401 Unauthorized"), part, ErrorCode::kUnsupported),
            "x: the server answered 401; check the token and the headers for this server");
  EXPECT_EQ(text_of_reply(reply("503 Busy"), part, ErrorCode::kIo), "x: the server answered 503");
  EXPECT_EQ(text_of_reply(reply("304 Not Modified"), part, ErrorCode::kUnsupported),
            "x: the server answered 304, expected 200 or 206");
}

TEST_F(HttpSources, a_stalled_server_is_an_error) {
  const ReadRequest part{.path = "x", .offset_bytes = 4, .size_bytes = 4};
  EXPECT_THAT(text_of_reply({.bytes = "HTTP/1.1 206 Partial Content\r\nContent-Length: 4\r\nContent-Range: bytes "
                                      "4-7/10\r\n\r\n45",
                             .stays_open = true},
                            part, ErrorCode::kIo),
              HasSubstr("x: cannot read from the server: "));
  EXPECT_THAT(text_of_reply({.stays_open = true}, part, ErrorCode::kIo), HasSubstr("cannot read from the server: "));
  const auto nobody = open({.url = "http://127.0.0.1:1"});
  EXPECT_EQ(read(*nobody, part).error().code, ErrorCode::kIo);
}

TEST_F(HttpSources, redirects_stay_on_the_server) {
  files.put("/game/a", digits(100));
  std::vector<std::string> tokens;
  std::mutex mutex;
  WebServer other([&](const WebRequest& request) {
    {
      const std::scoped_lock lock(mutex);
      tokens.push_back(request.header("Authorization") + request.header("X-Key"));
    }
    if (request.path == "/here/a") return reply("302 Found", {}, "Location: /there/a\r\n");
    if (request.path == "/there/a") return reply("200 OK", "inside");
    if (request.path == "/loop") return reply("302 Found", {}, "Location: /loop\r\n");
    if (request.path == "/file") return reply("302 Found", {}, "Location: file:///etc/passwd\r\n");
    return reply("307 Temporary Redirect", {}, "Location: " + server.url() + "/game/a\r\n");
  });
  const auto source = open({.url = other.url(), .bearer = "secret", .headers = {{"X-Key", "key"}}});
  EXPECT_EQ(text(*source, {.path = "here/a"}), "inside");
  {
    const std::scoped_lock lock(mutex);
    EXPECT_THAT(tokens, ElementsAre("Bearer secretkey", "Bearer secretkey"));
  }
  EXPECT_EQ(text(*source, {.path = "away"}), "away: the server redirects to \"" + server.url() +
                                                 "/game/a\", expected an address of itself; use the other address, or "
                                                 "follows_elsewhere");
  EXPECT_THAT(text(*source, {.path = "loop"}), HasSubstr("redirects to"));
  EXPECT_THAT(text(*source, {.path = "file"}), HasSubstr("redirects to \"file:///etc/passwd\""));
  EXPECT_THAT(server.requests(), IsEmpty());
  const auto free = open({.url = other.url(), .bearer = "secret", .follows_elsewhere = true});
  EXPECT_EQ(text(*free, {.path = "away"}), digits(100));
  EXPECT_THAT(text(*free, {.path = "file"}), HasSubstr("redirects to"));
}

TEST_F(HttpSources, the_token_does_not_go_elsewhere) {
  std::string seen;
  std::mutex mutex;
  WebServer thief([&](const WebRequest& request) {
    const std::scoped_lock lock(mutex);
    seen = request.header("Authorization") + request.header("X-Key");
    return reply("200 OK", "x");
  });
  WebServer first([&](const WebRequest&) { return reply("302 Found", {}, "Location: " + thief.url() + "/a\r\n"); });
  const auto source =
      open({.url = first.url(), .bearer = "secret", .headers = {{"X-Key", "key"}}, .follows_elsewhere = true});
  EXPECT_EQ(text(*source, {.path = "a"}), "x");
  const std::scoped_lock lock(mutex);
  EXPECT_EQ(seen, "");
}

TEST_F(HttpSources, options_that_cannot_work_are_refused) {
  const auto error = [](SourceOptions options) {
    const auto source = Source::open(std::move(options));
    return source ? std::string("opened") : source.error().to_string();
  };
  EXPECT_EQ(error({.url = "ftp://host/a"}),
            "found the URL \"ftp://host/a\", expected one of a folder, without a query; use https://host/folder or "
            "http://host/folder");
  for (const char* url : {"", "host/a", "http://", "http:///a", "http://host/a?b", "http://host/a#b", "http://h/a b"})
    EXPECT_THAT(error({.url = url}), HasSubstr("expected one of a folder")) << url;
  EXPECT_EQ(error({.url = "http://user:word@host"}),
            "found credentials in the URL; use the options for a token or headers");
  EXPECT_THAT(error({.url = "http://host", .bearer = "a\r\nX: y"}), HasSubstr("expected one"));
  EXPECT_THAT(error({.url = "http://host", .headers = {{"A", "b\nC: d"}}}), HasSubstr("a value of one line"));
}

TEST_F(HttpSources, every_read_is_answered_once) {
  files.put("/game/a", digits(1000));
  WebServer silent([](const WebRequest&) { return WebReply{.stays_open = true}; });
  Completions completions;
  {
    const auto source = open({.url = silent.url()});
    std::vector<runtime::Ticket> tickets;
    tickets.reserve(40);
    for (std::uint64_t i = 0; i < 40; ++i)
      tickets.push_back(source->submit({.path = "f" + std::to_string(i), .offset_bytes = i, .size_bytes = 4, .user = i},
                                       completions));
    for (std::size_t i = 0; i < 20; ++i) source->cancel(tickets[i * 2]);
    for (std::size_t i = 0; i < 20; ++i) EXPECT_EQ(completions.wait().answer.error().code, ErrorCode::kCanceled);
    EXPECT_FALSE(completions.poll());
  }
  for (std::size_t i = 0; i < 20; ++i) EXPECT_EQ(completions.wait().answer.error().code, ErrorCode::kCanceled);
  EXPECT_FALSE(completions.poll());
  // A cancellation beside an answer.
  const auto source = open();
  for (int i = 0; i < 200; ++i) {
    const auto ticket = source->submit({.path = "a", .offset_bytes = 1, .size_bytes = 4}, completions);
    source->cancel(ticket);
    (void)completions.wait();
    EXPECT_FALSE(completions.poll());
  }
}

}  // namespace
}  // namespace assetc::http
