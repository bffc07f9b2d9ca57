// Hot reload over HTTP: the events of `assetc serve`.
#include "assetc/http/watch_events.hpp"

#include <gmock/gmock.h>

#include <condition_variable>
#include <deque>
#include <mutex>

#include "http/web_server.hpp"

namespace assetc::http {
namespace {

using runtime::Changes;
using testing::ElementsAre;
using testing::HasSubstr;

class HttpEvents : public testing::Test {
 protected:
  Changes next() {
    std::unique_lock lock(mutex);
    come.wait(lock, [this] { return !heard.empty(); });
    Changes first = std::move(heard.front());
    heard.pop_front();
    return first;
  }
  std::unique_ptr<WatchEvents> open(const std::string& url) {
    auto events = WatchEvents::open({.url = url, .bearer = "key"}, [this](const Changes& changes) {
      {
        const std::scoped_lock lock(mutex);
        heard.push_back(changes);
      }
      come.notify_all();
    });
    EXPECT_TRUE(events) << events.error().to_string();
    return std::move(*events);
  }
  static WebReply stream(const std::string& events, bool stays_open) {
    return {.bytes = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n" + events,
            .closes = !stays_open,
            .stays_open = stays_open};
  }
  std::mutex mutex;
  std::condition_variable come;
  std::deque<Changes> heard;
};

TEST_F(HttpEvents, are_the_changes_of_builds) {
  std::atomic<int> connections = 0;
  WebServer server([&](const WebRequest& request) {
    EXPECT_EQ(request.path, "/.assetc-watch");
    EXPECT_EQ(request.header("Authorization"), "Bearer key");
    if (++connections == 1) {
      return stream(R"(data: {"event":"hello","protocol":1})"
                    "\n\n: ping\n\n"
                    R"(data: {"event":"built","ok":true,"written":["a.ktx2"],"removed":["b.ktx2"]})"
                    "\n\n",
                    false);
    }
    return stream(": hello\n\n", true);
  });
  const auto events = open(server.url());
  EXPECT_TRUE(next().everything) << "builds may have ended before";
  const Changes built = next();
  EXPECT_FALSE(built.everything);
  EXPECT_THAT(built.written, ElementsAre("a.ktx2"));
  EXPECT_THAT(built.removed, ElementsAre("b.ktx2"));
  EXPECT_TRUE(next().everything) << "after the second connection, whose server has no watch";
  EXPECT_TRUE(events->is_connected());
}

TEST_F(HttpEvents, an_answer_that_is_no_stream_is_told_once) {
  std::atomic<int> connections = 0;
  WebServer server([&](const WebRequest&) {
    return ++connections < 4 ? reply("401 Unauthorized", "no") : stream(": hello\n\n", true);
  });
  const auto events = open(server.url());
  const Changes refused = next();
  ASSERT_EQ(refused.broken.size(), 1u);
  EXPECT_EQ(refused.broken[0].error.to_string(),
            server.url() +
                "/.assetc-watch: the server answered 401 with the type \"\", expected 200 with "
                "text/event-stream; use the token that assetc serve printed");
  EXPECT_TRUE(next().everything);
  EXPECT_EQ(connections, 4);
}

TEST_F(HttpEvents, a_broken_event_is_told) {
  WebServer server([&](const WebRequest&) { return stream("data: {]\n\n", true); });
  const auto events = open(server.url());
  EXPECT_TRUE(next().everything);
  const Changes broken = next();
  ASSERT_EQ(broken.broken.size(), 1u);
  EXPECT_THAT(broken.broken[0].error.to_string(), HasSubstr("use a watch and an engine of the same version"));
}

}  // namespace
}  // namespace assetc::http
