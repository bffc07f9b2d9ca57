// Notifications of file changes that a watch receives from the operating system.
#include "engine/watch/watch_loop.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "engine/watch/folders.hpp"
#include "os/local_socket.hpp"

namespace assetc::engine {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Optional;

constexpr std::chrono::milliseconds kPatience{60'000};  // only a broken program is this slow

class WatchedFolder : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "assetc-watch-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    root_ = name;
    fs::create_directory(root_ + "/in");
    auto loop = WatchLoop::open();
    ASSERT_TRUE(loop) << loop.error().to_string();
    loop_ = std::move(*loop);
    ASSERT_TRUE(loop_->listen_at(root_ + "/socket"));
    loop_->greet_with("hello");
    ASSERT_TRUE(loop_->watch({root_ + "/in"}));
  }
  void TearDown() override {
    loop_.reset();
    fs::remove_all(root_);
  }
  void write(const std::string& name) const { std::ofstream(root_ + "/in/" + name) << name; }
  void expect_seen(const std::string& name) const {
    write(name);
    ASSERT_EQ(loop_->wait(kPatience), WatchLoop::Woken::kChanged);
    EXPECT_THAT(loop_->take_changes(), Optional(Contains(root_ + "/in/" + name)));
  }

  std::string root_;
  std::unique_ptr<WatchLoop> loop_;
};

TEST_F(WatchedFolder, says_that_it_turns_a_listener_away) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = root_ + "/socket";
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  std::vector<int> sockets;
  int refused = 0;
  loop_->on_refused([&] { ++refused; });
  for (std::size_t i = 0; i < WatchLoop::kMaxListeners + 2; ++i) {
    sockets.push_back(::socket(AF_UNIX, SOCK_STREAM, 0));
    ASSERT_EQ(::connect(sockets.back(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    loop_->tell("news");
  }
  EXPECT_EQ(refused, 2);
  for (const int socket : sockets) ::close(socket);
}

TEST_F(WatchedFolder, a_socket_may_lie_deeper_than_the_path_of_a_socket_is_long) {
  const std::string folder = root_ + "/" + std::string(60, 'a') + "/" + std::string(60, 'b');
  fs::create_directories(folder);
  const std::string socket = folder + "/socket";
  const auto listens = loop_->listen_at(socket);
  ASSERT_TRUE(listens) << listens.error().to_string();
  EXPECT_TRUE(loop_->is_listening());
  EXPECT_TRUE(os::LocalSocket::connect(socket));
  auto second = WatchLoop::open();
  ASSERT_TRUE(second);
  const auto taken = (*second)->listen_at(socket);
  ASSERT_FALSE(taken);
  EXPECT_EQ(taken.error().code, ErrorCode::kConflict);
  loop_.reset();
  EXPECT_FALSE(fs::exists(socket)) << "it is removed";
  EXPECT_TRUE((*second)->listen_at(socket));
}

TEST_F(WatchedFolder, changes_are_named_once_they_are_taken_and_not_again) {
  expect_seen("a.png");
  EXPECT_THAT(loop_->take_changes(), Optional(IsEmpty()));
  fs::rename(root_ + "/in/a.png", root_ + "/in/b.png");
  ASSERT_EQ(loop_->wait(kPatience), WatchLoop::Woken::kChanged);
  const auto changes = loop_->take_changes();
  EXPECT_THAT(changes, Optional(Contains(root_ + "/in/a.png")));
  EXPECT_THAT(changes, Optional(Contains(root_ + "/in/b.png")));
}

TEST_F(WatchedFolder, where_more_changes_than_the_system_may_keep_anything_may_have) {
  for (int i = 0; i < 2000; ++i) write("file" + std::to_string(i));
  ASSERT_EQ(loop_->wait(kPatience), WatchLoop::Woken::kChanged);
  EXPECT_EQ(loop_->take_changes(), std::nullopt);
}

TEST_F(WatchedFolder, what_happens_to_a_watched_folder_is_no_change_of_a_file) {
  fs::rename(root_ + "/in", root_ + "/out");
  ASSERT_EQ(loop_->wait(kPatience), WatchLoop::Woken::kChanged);
  EXPECT_EQ(loop_->take_changes(), std::nullopt);
}

TEST_F(WatchedFolder, a_folder_in_the_place_of_another_is_watched) {
  fs::remove_all(root_ + "/in");
  fs::create_directory(root_ + "/in");
  ASSERT_EQ(loop_->wait(kPatience), WatchLoop::Woken::kChanged);
  EXPECT_EQ(loop_->watch({root_ + "/in"}), true) << "it may have changed unnoticed";
  loop_->take_changes();
  expect_seen("a.png");
}

TEST_F(WatchedFolder, folders_in_a_folder_that_another_replaced_are_watched) {
  const std::vector<std::string> folders{root_ + "/in", root_ + "/in/a", root_ + "/in/a/b"};
  fs::create_directories(folders.back());
  ASSERT_TRUE(loop_->watch(folders));
  fs::rename(root_ + "/in/a", root_ + "/away");
  fs::create_directories(folders.back());
  ASSERT_EQ(loop_->wait(kPatience), WatchLoop::Woken::kChanged);
  EXPECT_EQ(loop_->watch(folders), true);
  loop_->take_changes();
  expect_seen("a/b/c.png");
}

TEST_F(WatchedFolder, a_folder_that_was_renamed_is_called_by_its_new_name) {
  fs::create_directory(root_ + "/in/a");
  ASSERT_TRUE(loop_->watch({root_ + "/in", root_ + "/in/a"}));
  fs::rename(root_ + "/in/a", root_ + "/in/z");
  ASSERT_EQ(loop_->wait(kPatience), WatchLoop::Woken::kChanged);
  EXPECT_EQ(loop_->watch({root_ + "/in", root_ + "/in/z"}), true);
  loop_->take_changes();
  expect_seen("z/c.png");
}

TEST_F(WatchedFolder, where_an_input_that_is_a_link_leads_now_is_watched) {
  fs::create_directory(root_ + "/other");
  fs::create_symlink("in", root_ + "/link");
  const std::vector<std::string> folders{root_ + "/link", root_};
  ASSERT_TRUE(loop_->watch(folders));
  fs::create_symlink("other", root_ + "/new");
  fs::rename(root_ + "/new", root_ + "/link");
  ASSERT_EQ(loop_->wait(kPatience), WatchLoop::Woken::kChanged);
  EXPECT_EQ(loop_->watch(folders), true);
  loop_->take_changes();
  std::ofstream(root_ + "/other/a.png") << "a";
  ASSERT_EQ(loop_->wait(kPatience), WatchLoop::Woken::kChanged);
  EXPECT_THAT(loop_->take_changes(), Optional(Contains(root_ + "/link/a.png")));
}

TEST_F(WatchedFolder, one_that_cannot_be_watched_is_told_and_the_others_are_watched) {
  loop_->watch({root_ + "/in", root_ + "/" + std::string(300, 'x')});
  ASSERT_TRUE(loop_->unwatched());
  EXPECT_EQ(loop_->unwatched()->code, ErrorCode::kIo);
  write("a.png");
  EXPECT_EQ(loop_->wait(kPatience), WatchLoop::Woken::kChanged);
  loop_->watch({root_ + "/in"});
  EXPECT_FALSE(loop_->unwatched());
}

// With `assetc watch --json > FILE` below a watched folder, each line would wake the watch again.
TEST_F(WatchedFolder, lines_of_this_program_to_its_own_output_are_no_changes) {
  const int own = ::open((root_ + "/in/log.json").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  const int before = ::dup(STDERR_FILENO);
  ASSERT_EQ(::dup2(own, STDERR_FILENO), STDERR_FILENO);
  auto loop = WatchLoop::open();
  const bool wrote = loop && (*loop)->watch({root_ + "/in"}) && ::write(own, "{}\n", 3) == 3;
  const auto first = (*loop)->wait(std::chrono::milliseconds(200));
  write("other");
  const auto second = (*loop)->wait(kPatience);
  const auto changes = (*loop)->take_changes();
  ::dup2(before, STDERR_FILENO);
  ::close(own);
  ::close(before);
  ASSERT_TRUE(wrote);
  EXPECT_EQ(first, WatchLoop::Woken::kTimeout);
  EXPECT_EQ(second, WatchLoop::Woken::kChanged);
  EXPECT_THAT(changes, Optional(testing::Each(root_ + "/in/other")));
}

// Connects to a port of this machine; returns -1 on failure. from: a host of 127.1.0.0/16 whose same port it comes
// from; 0: any.
int connect_to(std::uint16_t port, std::uint16_t from = 0) {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  if (from != 0) {
    const int yes = 1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    address.sin_addr.s_addr = htonl(0x7f010000u + from);
    EXPECT_EQ(bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  }
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return fd;
  close(fd);
  return -1;
}

constexpr std::string_view kUpgrade =
    "GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";

TEST_F(WatchedFolder, a_connection_that_asks_for_no_websocket_is_let_go) {
  const auto port = loop_->listen_on(0);
  ASSERT_TRUE(port) << port.error().to_string();
  const int fd = connect_to(*port);
  ASSERT_GE(fd, 0);
  char byte = 0;
  ssize_t size = -1;
  while ((size = recv(fd, &byte, 1, MSG_DONTWAIT)) < 0 && errno == EAGAIN) loop_->wait(std::chrono::milliseconds(20));
  EXPECT_EQ(size, 0) << "the connection has not ended";
  close(fd);
}

TEST_F(WatchedFolder, websockets_take_no_slot_of_local_listeners) {
  const auto port = loop_->listen_on(0);
  ASSERT_TRUE(port) << port.error().to_string();
  std::vector<int> sockets;
  int refused = 0;
  loop_->on_refused([&] { ++refused; });
  for (std::size_t i = 0; i < WatchLoop::kMaxListeners + 1; ++i) {
    sockets.push_back(connect_to(*port));
    ASSERT_GE(sockets.back(), 0);
    loop_->tell("news");
  }
  EXPECT_EQ(refused, 1);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = root_ + "/socket";
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  sockets.push_back(::socket(AF_UNIX, SOCK_STREAM, 0));
  ASSERT_EQ(::connect(sockets.back(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  loop_->tell("news");
  EXPECT_EQ(refused, 1);
  std::string heard(64, 0);
  heard.resize(static_cast<std::size_t>(std::max<ssize_t>(recv(sockets.back(), heard.data(), heard.size(), 0), 0)));
  EXPECT_THAT(heard, testing::StartsWith("hello\n"));
  for (const int socket : sockets) ::close(socket);
}

// The first bytes of the answer to a request from a process of this user.
std::string answer_to(uid_t user, std::uint16_t port, WatchLoop& loop, std::uint16_t from = 0) {
  int answers[2] = {};
  if (pipe(answers) != 0) return "no pipe";
  const pid_t child = fork();
  if (child == 0) {
    if (setuid(user) != 0) _exit(1);
    const int fd = connect_to(port, from);
    char bytes[12] = {};
    if (fd >= 0 && send(fd, kUpgrade.data(), kUpgrade.size(), MSG_NOSIGNAL) > 0)
      (void)!::write(answers[1], bytes,
                     static_cast<std::size_t>(std::max<ssize_t>(recv(fd, bytes, sizeof bytes, MSG_WAITALL), 0)));
    _exit(0);
  }
  close(answers[1]);
  while (waitpid(child, nullptr, WNOHANG) == 0) loop.wait(std::chrono::milliseconds(10));
  std::string text(12, 0);
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(read(answers[0], text.data(), text.size()), 0)));
  close(answers[0]);
  return text;
}

TEST_F(WatchedFolder, programs_of_other_users_get_no_websocket) {
  const auto port = loop_->listen_on(0);
  ASSERT_TRUE(port) << port.error().to_string();
  EXPECT_EQ(answer_to(getuid(), *port, *loop_), "HTTP/1.1 101");
  if (getuid() != 0) GTEST_SKIP() << "only root can be another user";
  EXPECT_EQ(answer_to(65534, *port, *loop_), "HTTP/1.1 403");
  // Both ends of such a connection have the same port.
  for (std::uint16_t from = 1; from <= 30; ++from) EXPECT_EQ(answer_to(65534, *port, *loop_, from), "HTTP/1.1 403");
}

TEST_F(WatchedFolder, a_listener_that_asks_and_reads_no_answers_is_let_go) {
  const auto port = loop_->listen_on(0);
  ASSERT_TRUE(port) << port.error().to_string();
  constexpr std::size_t kMostBytes = 256u << 20;
  std::size_t sent = 0;
  std::atomic<bool> is_done = false;
  std::thread client([&] {
    const int fd = connect_to(*port);
    if (fd >= 0) {
      std::string text(kUpgrade);
      std::string ping("\x89\xFD\0\0\0\0", 6);
      ping.append(125, 'p');
      while (text.size() < 64u << 10) text += ping;
      for (ssize_t size = 0; sent < kMostBytes; sent += static_cast<std::size_t>(size)) {
        size = send(fd, text.data(), text.size(), MSG_NOSIGNAL);
        if (size < 0) break;
        // Sends the rest of a truncated request or ping, and more.
        text.erase(0, static_cast<std::size_t>(size));
        while (text.size() < 64u << 10) text += ping;
      }
    }
    if (fd >= 0) close(fd);
    is_done = true;
  });
  while (!is_done) loop_->wait(std::chrono::milliseconds(1));
  client.join();
  EXPECT_LT(sent, kMostBytes);
}

TEST(Changes, are_those_below_the_input_unless_a_configuration_is_among_them) {
  Profile profile;
  profile.input = "game/assets";
  profile.config_file = "game/assetc.yml";
  using Paths = std::vector<std::string>;
  EXPECT_THAT(changes_of_input(Paths{"game/assets/a.png", "game/notes.txt", "game/assets/b/c.yml"}, profile),
              Optional(ElementsAre("a.png", "b/c.yml")));
  EXPECT_EQ(changes_of_input(Paths{"game/assetc.yml"}, profile), std::nullopt);
  EXPECT_EQ(changes_of_input(Paths{"game/.assetc.YAML"}, profile), std::nullopt);
  EXPECT_EQ(changes_of_input(std::nullopt, profile), std::nullopt);
  profile.config_file.clear();
  EXPECT_EQ(changes_of_input(Paths{"./assetc.yml"}, profile), std::nullopt);
  profile.input = "game";
  EXPECT_THAT(changes_of_input(Paths{"game/a.png", "./game.txt"}, profile), Optional(ElementsAre("a.png")));
}

TEST(Changes, of_the_input_itself_or_of_a_folder_that_it_is_in_may_be_of_anything) {
  Profile profile;
  profile.input = "game/data/assets";
  using Paths = std::vector<std::string>;
  EXPECT_EQ(changes_of_input(Paths{"./game"}, profile), std::nullopt);
  EXPECT_THAT(changes_of_input(Paths{"./gam"}, profile), Optional(IsEmpty()));
  profile.config_file = "game/data/assetc.yml";
  EXPECT_EQ(changes_of_input(Paths{"game/data/assets"}, profile), std::nullopt);
}

}  // namespace
}  // namespace assetc::engine
