#include "engine/http/peer.hpp"

#include "os/local_socket.hpp"

namespace assetc::engine {

bool is_peer_ours(const uv_tcp_t& connection) {
  sockaddr_storage ours{}, theirs{};
  int ours_size = sizeof ours, theirs_size = sizeof theirs;
  if (uv_tcp_getsockname(&connection, reinterpret_cast<sockaddr*>(&ours), &ours_size) != 0 ||
      uv_tcp_getpeername(&connection, reinterpret_cast<sockaddr*>(&theirs), &theirs_size) != 0)
    return false;
  const auto port = [](const sockaddr_storage& at) { return ntohs(reinterpret_cast<const sockaddr_in&>(at).sin_port); };
  return os::is_peer_ours(port(ours), port(theirs)).value_or(false);
}

}  // namespace assetc::engine
