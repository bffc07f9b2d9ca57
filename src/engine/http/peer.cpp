#include "engine/http/peer.hpp"

#include <array>
#include <cstring>

#include "os/local_socket.hpp"

namespace assetc::engine {

namespace {

os::Endpoint endpoint_of(const sockaddr_storage& at) {
  if (at.ss_family == AF_INET) {
    const auto& ipv4 = reinterpret_cast<const sockaddr_in&>(at);
    std::array<std::uint8_t, 4> address{};
    std::memcpy(address.data(), &ipv4.sin_addr, address.size());
    return os::Endpoint::ipv4(address, ntohs(ipv4.sin_port));
  }
  const auto& ipv6 = reinterpret_cast<const sockaddr_in6&>(at);
  os::Endpoint end{.port = ntohs(ipv6.sin6_port)};
  std::memcpy(end.address.data(), &ipv6.sin6_addr, end.address.size());
  return end;
}

}  // namespace

bool is_peer_ours(const uv_tcp_t& connection) {
  sockaddr_storage ours{}, theirs{};
  int ours_size = sizeof ours, theirs_size = sizeof theirs;
  if (uv_tcp_getsockname(&connection, reinterpret_cast<sockaddr*>(&ours), &ours_size) != 0 ||
      uv_tcp_getpeername(&connection, reinterpret_cast<sockaddr*>(&theirs), &theirs_size) != 0)
    return false;
  return os::is_peer_ours(endpoint_of(ours), endpoint_of(theirs)).value_or(false);
}

}  // namespace assetc::engine
