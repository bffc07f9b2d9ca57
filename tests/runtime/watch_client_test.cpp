#include "assetc/runtime/watch_client.hpp"

#include <gmock/gmock.h>
#ifdef _WIN32
#include <windows.h>
#else
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#endif

#include <condition_variable>
#include <cstring>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <random>

#include "os/local_socket.hpp"
#include "runtime/watch/watch_protocol.hpp"

namespace assetc::runtime {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::string_view kHello = R"({"event":"hello","protocol":1,"program":"0.1.0","output":"/game/runtime"})";
constexpr std::string_view kBuilt =
    R"({"event":"built","ok":true,"seconds":0.031,"written":["textures/wood.ktx2"],"removed":["a.hmesh"],"errors":[]})";
constexpr std::string_view kFailed =
    R"({"errors":[{"code":"not_found","file":"a.png","place":"line 3","what":"found \u00e4","hint":"mend it",)"
    R"("outputs":["a.ktx2"],"later":{"x":[1]}}],"event":"built","ok":false,"more":null})";

TEST(WatchProtocol, a_build_says_what_changed_and_what_is_broken) {
  const auto built = parse_watch_line(kBuilt).value().value();
  EXPECT_THAT(built.written, ElementsAre("textures/wood.ktx2"));
  EXPECT_THAT(built.removed, ElementsAre("a.hmesh"));
  EXPECT_THAT(built.broken, IsEmpty());
  const auto failed = parse_watch_line(kFailed).value().value();
  ASSERT_EQ(failed.broken.size(), 1u);
  EXPECT_THAT(failed.broken[0].files, ElementsAre("a.ktx2"));
  EXPECT_EQ(failed.broken[0].error.code, ErrorCode::kNotFound);
  EXPECT_EQ(failed.broken[0].error.to_string(), "a.png: line 3: found \u00e4; mend it");
}

TEST(WatchProtocol, a_greeting_says_that_anything_may_be_new_and_what_is_broken_where_the_watch_knows) {
  const auto early = parse_watch_line(kHello).value().value();
  EXPECT_TRUE(early.everything);
  EXPECT_TRUE(early.leaves_broken);
  const std::string known(kHello.substr(0, kHello.size() - 1));
  const auto mended = parse_watch_line(known + R"(,"errors":[]})").value().value();
  EXPECT_TRUE(mended.everything);
  EXPECT_FALSE(mended.leaves_broken);
  const auto broken = parse_watch_line(known + R"(,"errors":[{"what":"bad","outputs":["a.ktx2"]}]})").value().value();
  ASSERT_EQ(broken.broken.size(), 1u);
  EXPECT_THAT(broken.broken[0].files, ElementsAre("a.ktx2"));
}

TEST(WatchProtocol, others_may_have_built) {
  EXPECT_TRUE(parse_watch_line(R"({"event":"built","everything":true,"errors":[]})").value()->everything);
  EXPECT_FALSE(parse_watch_line(kBuilt).value()->everything);
}

TEST(WatchProtocol, unknown_events_say_nothing) {
  EXPECT_FALSE(parse_watch_line(R"({"event":"thought","written":["a"]})").value());
  EXPECT_FALSE(parse_watch_line("{}").value());
}

TEST(WatchProtocol, what_breaks_it_is_refused) {
  const auto other = parse_watch_line(R"({"event":"hello","protocol":2})");
  EXPECT_EQ(other.error().code, ErrorCode::kVersion);
  EXPECT_EQ(other.error().to_string(),
            "found protocol 2 of the watch, expected 1; use a watch and an engine of the same version");
  for (const char* line : {"", "x", "[]", R"({"event":"built","written":"a"})", R"({"event":"built","written":[1]})",
                           R"({"event":"built","errors":[7]})", R"({"event":"built"} x)", R"({"event":"built",)"}) {
    EXPECT_EQ(parse_watch_line(line).error().code, ErrorCode::kInvalidData) << line;
  }
}

TEST(WatchProtocol, every_prefix_of_a_line_is_refused) {
  for (std::size_t size = 0; size < kFailed.size(); ++size) {
    const std::string prefix(kFailed.substr(0, size));
    EXPECT_FALSE(parse_watch_line(prefix)) << prefix;
  }
}

TEST(WatchProtocol, lines_may_arrive_in_any_pieces) {
  const std::string all = std::string(kHello) + "\n" + std::string(kBuilt) + "\n" + std::string(kFailed) + "\n";
  for (std::size_t step = 1; step <= all.size(); ++step) {
    WatchReader reader;
    std::size_t count = 0;
    for (std::size_t at = 0; at < all.size(); at += step)
      count += reader.read(as_bytes(std::string_view(all).substr(at, step))).value().size();
    EXPECT_EQ(count, 3u) << step;
  }
}

TEST(WatchProtocol, a_line_without_an_end_is_refused) {
  WatchReader reader;
  const ByteVector part(1u << 20, std::byte{'x'});
  Result<std::vector<Changes>> read;
  for (int i = 0; i < 65 && read; ++i) read = reader.read(part);
  EXPECT_EQ(read.error().code, ErrorCode::kLimit);
}

// The part of a watch that a client sees.
#ifdef _WIN32
class Server {
 public:
  explicit Server(const std::filesystem::path& folder)
      : name_(os::SocketAddress(folder.generic_string() + "/.assetc-watch").name()), waits_(make_pipe()) {}
  ~Server() {
    hang_up();
    CloseHandle(waits_);
  }
  void accept() {
    EXPECT_TRUE(ConnectNamedPipe(waits_, nullptr) != 0 || GetLastError() == ERROR_PIPE_CONNECTED);
    client_ = waits_;
    waits_ = make_pipe();
  }
  void say(std::string_view text) const {
    DWORD size = 0;
    EXPECT_NE(WriteFile(client_, text.data(), static_cast<DWORD>(text.size()), &size, nullptr), 0);
    EXPECT_EQ(size, text.size());
  }
  void hang_up() {
    if (client_ != nullptr) CloseHandle(client_);
    client_ = nullptr;
  }

 private:
  HANDLE make_pipe() const {
    const HANDLE pipe =
        CreateNamedPipeA(name_.c_str(), PIPE_ACCESS_DUPLEX, PIPE_TYPE_BYTE | PIPE_WAIT, 8, 4096, 4096, 0, nullptr);
    EXPECT_NE(pipe, INVALID_HANDLE_VALUE);
    return pipe;
  }

  std::string name_;
  HANDLE waits_, client_ = nullptr;
};
#else
class Server {
 public:
  explicit Server(const std::filesystem::path& folder) : path_(folder / ".assetc-watch") {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const os::SocketAddress named(path_.string());
    std::memcpy(address.sun_path, named.name().c_str(), named.name().size());
    std::filesystem::remove(path_);
    socket_ = ::socket(AF_UNIX, SOCK_STREAM, 0);
    EXPECT_EQ(::bind(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(::listen(socket_, 4), 0);
  }
  ~Server() {
    hang_up();
    ::close(socket_);
  }
  void accept() { client_ = ::accept(socket_, nullptr, nullptr); }
  void say(std::string_view text) const {
    EXPECT_EQ(::send(client_, text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
  }
  void hang_up() {
    if (client_ >= 0) ::close(client_);
    client_ = -1;
  }

 private:
  std::filesystem::path path_;
  int socket_ = -1, client_ = -1;
};
#endif

class WatchClients : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("assetc-client-" + std::to_string(std::random_device()()));
    std::filesystem::create_directory(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  auto then() {
    return [this](const Changes& changes) {
      const std::lock_guard lock(mutex_);
      heard_.push_back(changes);
      changed_.notify_all();
    };
  }
  Changes wait_for(std::size_t number) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return heard_.size() > number; });
    return heard_[number];
  }

  std::filesystem::path folder_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Changes> heard_;
};

TEST_F(WatchClients, hear_builds_and_connect_again) {
  auto server = std::make_unique<Server>(folder_);
  const WatchClient client(folder_.string(), then());
  server->accept();
  EXPECT_FALSE(client.is_connected()) << "no message has come";
  server->say(std::string(kHello) + "\n");
  EXPECT_TRUE(wait_for(0).everything);
  EXPECT_TRUE(client.is_connected());
  server->say(std::string(kBuilt).substr(0, 50));
  server->say(std::string(kBuilt).substr(50) + "\n");
  EXPECT_THAT(wait_for(1).written, ElementsAre("textures/wood.ktx2"));
  server.reset();
  server = std::make_unique<Server>(folder_);
  server->accept();
  server->say(std::string(kHello) + "\n");
  EXPECT_TRUE(wait_for(2).everything);
  server->say(std::string(kFailed) + "\n");
  EXPECT_EQ(wait_for(3).broken.size(), 1u);
}

TEST_F(WatchClients, wait_for_a_watch_that_starts_later) {
  const WatchClient client(folder_.string(), then());
  EXPECT_FALSE(client.is_connected());
  Server server(folder_);
  server.accept();
  server.say(std::string(kHello) + "\n");
  EXPECT_TRUE(wait_for(0).everything);
}

TEST_F(WatchClients, meet_a_watch_in_a_folder_with_a_long_path) {
  const std::filesystem::path deep = folder_ / std::string(60, 'a') / std::string(60, 'b');
  std::filesystem::create_directories(deep);
  Server server(deep);
  const WatchClient client(deep.string(), then());
  server.accept();
  server.say(std::string(kHello) + "\n");
  EXPECT_TRUE(wait_for(0).everything);
}

TEST_F(WatchClients, one_that_is_refused_has_nothing_to_load_anew) {
  Server server(folder_);
  const WatchClient client(folder_.string(), then());
  for (int i = 0; i < 2; ++i) {
    server.accept();
    server.hang_up();
  }
  server.accept();
  server.say(std::string(kHello) + "\n" + std::string(kBuilt) + "\n");
  EXPECT_TRUE(wait_for(0).everything);
  EXPECT_THAT(wait_for(1).written, ElementsAre("textures/wood.ktx2"));
}

TEST_F(WatchClients, say_what_breaks_the_protocol) {
  Server server(folder_);
  const WatchClient client(folder_.string(), then());
  server.accept();
  server.say("HTTP/1.1 400 Bad Request\r\n");
  const Changes heard = wait_for(0);
  ASSERT_EQ(heard.broken.size(), 1u);
  EXPECT_THAT(heard.broken[0].error.to_string(), HasSubstr(".assetc-watch: line 1"));
}

#ifndef _WIN32
// The forked process inherits the client's handles. This was an endless wait once.
TEST_F(WatchClients, end_while_a_process_that_was_forked_goes_on) {
  std::optional<WatchClient> client;
  client.emplace(folder_.string(), [](const Changes&) {});
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    pause();
    _exit(0);
  }
  client.reset();
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
}

#endif

}  // namespace
}  // namespace assetc::runtime
