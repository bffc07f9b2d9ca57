// The server side of a WebSocket (RFC 6455) that only sends, without the network part.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace assetc::engine {

// One connection. Messages from the client are ignored; only control frames have an effect.
//
// Only pages of this machine may connect. The request must name a loopback Host, which excludes foreign names that
// resolve to this machine. Its Origin must be loopback too, or absent, as for programs other than browsers.
class WebSocket {
 public:
  // Takes bytes from the client and appends the reply to `answer`. False: close the connection after the reply.
  bool read(std::string_view bytes, std::string& answer);
  // The handshake is complete: frames may be sent to the client.
  bool is_open() const { return is_open_; }

  // A text message as one frame. Requires UTF-8.
  static std::string text_frame(std::string_view text);

 private:
  bool shake_hands(std::string& answer);
  bool read_frames(std::string& answer);
  bool take_frame(std::uint8_t opcode, bool is_final, std::string_view payload, std::string& answer);
  static bool end(std::uint16_t code, std::string& answer);

  std::string rest_;  // incomplete request or frame
  bool is_open_ = false;
  bool is_in_message_ = false;  // its last frame has not arrived yet
};

}  // namespace assetc::engine
