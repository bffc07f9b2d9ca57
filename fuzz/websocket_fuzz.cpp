// Any bytes from a client of the WebSocket, in pieces of any size, before and after a handshake.
#include <algorithm>

#include "engine/watch/websocket.hpp"
#include "fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace assetc;
  if (size == 0) return 0;
  const std::size_t step = (data[0] >> 1) + std::size_t{1};
  const std::string_view input = as_text(fuzz::bytes(data, size).subspan(1));
  engine::WebSocket socket;
  std::string answer;
  if ((data[0] & 1) != 0) {
    fuzz::require(
        socket.read("GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
                    answer));
    fuzz::require(socket.is_open());
  }
  for (std::size_t at = 0; at < input.size(); at += step) {
    if (!socket.read(input.substr(at, step), answer)) break;
  }
  return 0;
}
