// A manager loads an asset from a server that is busy at first, without a reload.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <string>

#include "assetc/http/source.hpp"
#include "assetc/runtime/assets.hpp"
#include "assetc/runtime/catalog.hpp"
#include "assetc/runtime/jobs.hpp"
#include "assetc/runtime/manager.hpp"
#include "http/web_server.hpp"

namespace assetc::http {
namespace {

using std::chrono::milliseconds;

constexpr const char* kPath = "data.bin";

// A server with one file. Answers the first requests of the file with a failure.
class HttpRetries : public testing::Test {
 protected:
  HttpRetries() { files.put("/game/data.bin", "the data"); }

  std::shared_ptr<Source> open(SourceOptions options = {}) {
    options.url = server.url() + "/game";
    auto source = Source::open(std::move(options));
    EXPECT_TRUE(source) << source.error().to_string();
    return *source;
  }
  // Loads the file once. Returns its text, or the error.
  static std::string load(const std::shared_ptr<Source>& source) {
    runtime::Catalog catalog;
    const auto mounted = catalog.mount(source, runtime::Layout::kTree, "", {.files = {std::string(kPath)}});
    if (!mounted) return mounted.error().to_string();
    runtime::ThreadPool pool(1);
    runtime::Manager manager(catalog, {.jobs = pool.jobs()});
    runtime::add_loaders(manager);
    const auto data = manager.load<runtime::RawData>(kPath);
    return data.is_ready() ? std::string(as_text(data.get()->bytes)) : data.failure()->error.to_string();
  }

  std::string failure = "503 Service Unavailable";
  std::atomic<int> failures_left = 0;
  std::atomic<int> file_requests = 0;
  WebFiles files;
  WebServer server{[this](const WebRequest& request) {
    if (request.path != "/game/data.bin") return files(request);
    ++file_requests;
    return failures_left-- > 0 ? reply(failure) : files(request);
  }};
};

TEST_F(HttpRetries, a_busy_server_is_asked_again) {
  failures_left = 2;
  EXPECT_EQ(load(open({.retry = {.retries = 2, .first_delay = milliseconds(1)}})), "the data");
  EXPECT_EQ(file_requests, 3);
}

TEST_F(HttpRetries, a_busy_server_is_asked_again_without_options) {
  failures_left = 1;
  EXPECT_EQ(load(open()), "the data");
  EXPECT_EQ(file_requests, 2);
}

TEST_F(HttpRetries, a_server_that_stays_busy_is_asked_as_often_as_the_options_say) {
  failures_left = 100;
  EXPECT_EQ(load(open({.retry = {.retries = 2, .first_delay = milliseconds(1)}})),
            "data.bin: the server answered 503 (tried 3 times)");
  EXPECT_EQ(file_requests, 3);
}

TEST_F(HttpRetries, a_file_that_the_server_refuses_is_not_asked_for_again) {
  failure = "401 Unauthorized";
  failures_left = 100;
  EXPECT_EQ(load(open({.retry = {.retries = 2, .first_delay = milliseconds(1)}})),
            "data.bin: the server answered 401; check the token and the headers for this server");
  EXPECT_EQ(file_requests, 1);
}

}  // namespace
}  // namespace assetc::http
