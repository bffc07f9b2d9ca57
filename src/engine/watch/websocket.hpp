// A WebSocket as a server that only speaks has it: RFC 6455, without the network.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace assetc::engine {

// One connection. What a client says has no meaning but to keep the connection or end it.
//
// Pages of this machine alone may connect: a request names a loopback Host, which one from elsewhere that resolves to
// this machine does not, and an Origin that is loopback, or none, as programs other than browsers.
class WebSocket {
 public:
  // Bytes of the client; what is to be sent is appended to `answer`. False: the connection ends once that is sent.
  bool read(std::string_view bytes, std::string& answer);
  // Past the handshake: the client may be sent frames.
  bool is_open() const { return is_open_; }

  // A message as the one frame that is sent for it. Requires UTF-8.
  static std::string text_frame(std::string_view text);

 private:
  bool shake_hands(std::string& answer);
  bool read_frames(std::string& answer);
  bool take_frame(std::uint8_t opcode, bool is_final, std::string_view payload, std::string& answer);
  static bool end(std::uint16_t code, std::string& answer);

  std::string rest_;  // of the request, or of a frame
  bool is_open_ = false;
  bool is_in_message_ = false;  // whose last frame has not come
};

}  // namespace assetc::engine
