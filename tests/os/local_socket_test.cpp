#ifndef _WIN32
#include "os/local_socket.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <string>
#include <vector>

#include "os/process.hpp"

namespace assetc::os {
namespace {

constexpr uid_t kOtherUser = 65534;  // nobody

sockaddr_in ipv4(const std::string& address, std::uint16_t port) {
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_port = htons(port);
  inet_pton(AF_INET, address.c_str(), &at.sin_addr);
  return at;
}
Endpoint endpoint_of(const sockaddr_in& at) {
  std::array<std::uint8_t, 4> address{};
  std::memcpy(address.data(), &at.sin_addr, address.size());
  return Endpoint::ipv4(address, ntohs(at.sin_port));
}
// A socket of this family that may use an address which another one uses. Empty address: any.
Channel client(int family, const sockaddr_in* from = nullptr) {
  Channel socket(::socket(family, SOCK_STREAM, 0));
  const int yes = 1;
  setsockopt(socket.descriptor(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (from != nullptr && bind(socket.descriptor(), reinterpret_cast<const sockaddr*>(from), sizeof *from) != 0)
    return Channel();
  return socket;
}

class Peers : public testing::Test {
 protected:
  Peers() : listener_(::socket(AF_INET, SOCK_STREAM, 0)) {
    const sockaddr_in any = ipv4("127.0.0.1", 0);
    EXPECT_EQ(bind(listener_.descriptor(), reinterpret_cast<const sockaddr*>(&any), sizeof any), 0);
    EXPECT_EQ(listen(listener_.descriptor(), 16), 0);
    sockaddr_in bound{};
    socklen_t size = sizeof bound;
    getsockname(listener_.descriptor(), reinterpret_cast<sockaddr*>(&bound), &size);
    port_ = ntohs(bound.sin_port);
  }
  bool connect_to(const Channel& from) const {
    const sockaddr_in to = ipv4("127.0.0.1", port_);
    return connect(from.descriptor(), reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0;
  }
  // The verdict on the next connection.
  std::optional<bool> accepted() {
    sockaddr_in ours{}, theirs{};
    socklen_t size = sizeof theirs;
    const int socket = accept(listener_.descriptor(), reinterpret_cast<sockaddr*>(&theirs), &size);
    EXPECT_GE(socket, 0);
    held_.emplace_back(socket);  // open, as a server keeps it: its own end is in the table too
    size = sizeof ours;
    getsockname(socket, reinterpret_cast<sockaddr*>(&ours), &size);
    return is_peer_ours(endpoint_of(ours), endpoint_of(theirs));
  }

  Channel listener_;
  std::uint16_t port_ = 0;
  std::vector<Channel> held_;
};

TEST_F(Peers, programs_of_this_user_are_ours) {
  const Channel plain = client(AF_INET);
  ASSERT_TRUE(connect_to(plain));
  EXPECT_EQ(accepted(), true);
  const sockaddr_in same_port = ipv4("127.9.9.9", port_);
  const Channel bound = client(AF_INET, &same_port);
  ASSERT_TRUE(connect_to(bound));
  EXPECT_EQ(accepted(), true);
}

TEST_F(Peers, a_dual_stack_socket_of_this_user_is_ours) {
  const Channel socket(::socket(AF_INET6, SOCK_STREAM, 0));
  const int no = 0;
  if (socket.descriptor() < 0 || setsockopt(socket.descriptor(), IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof no) != 0)
    GTEST_SKIP() << "the system has no IPv6";
  sockaddr_in6 to{};
  to.sin6_family = AF_INET6;
  to.sin6_port = htons(port_);
  inet_pton(AF_INET6, "::ffff:127.0.0.1", &to.sin6_addr);
  ASSERT_EQ(connect(socket.descriptor(), reinterpret_cast<const sockaddr*>(&to), sizeof to), 0);
  EXPECT_EQ(accepted(), true);
}

TEST_F(Peers, a_connection_that_does_not_exist_is_unknown) {
  EXPECT_EQ(is_peer_ours(Endpoint::ipv4({127, 0, 0, 1}, port_), Endpoint::ipv4({127, 0, 0, 2}, port_)), std::nullopt);
  EXPECT_EQ(is_peer_ours(Endpoint::ipv4({127, 0, 0, 1}, port_), Endpoint::ipv4({127, 0, 0, 1}, port_)), std::nullopt);
}

// The other user binds the port of the server at other addresses. Both ends then have this port, so that a comparison
// of ports alone also finds the end that belongs to the server.
TEST_F(Peers, programs_of_another_user_are_not_ours) {
  if (getuid() != 0) GTEST_SKIP() << "needs root, to run as a second user";
  constexpr int kConnections = 300;
  auto [ours, theirs] = Channel::make_pair().value();
  const pid_t child = fork();
  if (child == 0) {
    if (setgid(kOtherUser) != 0 || setuid(kOtherUser) != 0) _exit(1);
    std::byte next{};
    for (int i = 0; i < kConnections && receive_all(theirs.descriptor(), {&next, 1}, kNever); ++i) {
      const sockaddr_in from = ipv4("127." + std::to_string(1 + i % 250) + "." + std::to_string(i / 250) + ".7", port_);
      const Channel socket = client(AF_INET, i % 3 == 0 ? nullptr : &from);
      if (!connect_to(socket)) _exit(2);
      if (!receive_all(theirs.descriptor(), {&next, 1}, kNever)) _exit(3);
    }
    _exit(0);
  }
  int let_in = 0;
  for (int i = 0; i < kConnections; ++i) {
    const std::byte next{};
    ASSERT_TRUE(send_all(ours.descriptor(), {&next, 1}, kNever));
    let_in += accepted() != false ? 1 : 0;
    held_.clear();
    ASSERT_TRUE(send_all(ours.descriptor(), {&next, 1}, kNever));
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(let_in, 0);
}

}  // namespace
}  // namespace assetc::os
#endif
