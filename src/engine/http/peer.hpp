// Who is at the other end of a connection. For sources that use libuv.
#pragma once

#include <uv.h>

namespace assetc::engine {

// Whether the program at the other end of a loopback connection runs as this user or as root. Every user of the machine
// can connect to the loopback interface. False if the system does not report it.
bool is_peer_ours(const uv_tcp_t& connection);

}  // namespace assetc::engine
