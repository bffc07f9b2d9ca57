#include "engine/watch/websocket.hpp"

#include <algorithm>
#include <span>

#include "assetc/base/bytes.hpp"
#include "crypto/sha.hpp"
#include "crypto/text.hpp"
#include "engine/http/request.hpp"

namespace assetc::engine {
namespace {

constexpr std::size_t kMaxPayloadBytes = 64u << 10;  // clients have no reason to send more
constexpr std::string_view kGuid = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

enum Opcode : std::uint8_t { kContinuation = 0, kText = 1, kBinary = 2, kClose = 8, kPing = 9, kPong = 10 };
enum CloseCode : std::uint16_t { kProtocolError = 1002, kTooBig = 1009 };

// Whether the key is 16 bytes in base64, as RFC 6455 requires.
bool is_key(std::string_view key) {
  const auto is_digit = [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '+' || c == '/';
  };
  return key.size() == 24 && key.ends_with("==") && std::ranges::all_of(key.substr(0, 22), is_digit);
}

bool refuse(std::string_view status, std::string_view more, std::string& answer) {
  answer +=
      "HTTP/1.1 " + std::string(status) + "\r\nConnection: close\r\nContent-Length: 0\r\n" + std::string(more) + "\r\n";
  return false;
}

std::string frame(Opcode opcode, std::string_view payload) {
  std::string out(1, static_cast<char>(0x80 | opcode));
  const auto number = [&](std::uint64_t value, int bytes) {
    for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) out += static_cast<char>(value >> shift & 255);
  };
  if (payload.size() < 126) {
    number(payload.size(), 1);
  } else if (payload.size() <= 0xffff) {
    number(126, 1);
    number(payload.size(), 2);
  } else {
    number(127, 1);
    number(payload.size(), 8);
  }
  return out.append(payload);
}

std::string close_frame(std::uint16_t code) {
  return frame(kClose, std::string{static_cast<char>(code >> 8), static_cast<char>(code & 255)});
}

}  // namespace

std::string WebSocket::text_frame(std::string_view text) { return frame(kText, text); }

bool WebSocket::end(std::uint16_t code, std::string& answer) {
  answer += close_frame(code);
  return false;
}

bool WebSocket::read(std::string_view bytes, std::string& answer) {
  rest_ += bytes;
  return (is_open_ || shake_hands(answer)) && (!is_open_ || read_frames(answer));
}

// Also true if the request is not complete yet.
bool WebSocket::shake_hands(std::string& answer) {
  const auto taken = take_request(rest_);
  if (!taken) return refuse(taken.error(), "", answer);
  if (!*taken) return true;
  const HttpRequest& request = **taken;
  if (request.method != "GET") return refuse("400 Bad Request", "", answer);
  const auto host = request.header("host"), origin = request.header("origin");
  if (!host || !is_loopback(*host) || (origin && !is_loopback_origin(*origin)))
    return refuse("403 Forbidden", "", answer);
  if (!lists_word(request.header("upgrade").value_or(""), "websocket") ||
      !lists_word(request.header("connection").value_or(""), "upgrade"))
    return refuse("426 Upgrade Required", "Upgrade: websocket\r\n", answer);
  if (request.header("sec-websocket-version") != "13")
    return refuse("426 Upgrade Required", "Sec-WebSocket-Version: 13\r\n", answer);
  const auto key = request.header("sec-websocket-key");
  if (!key || !is_key(*key)) return refuse("400 Bad Request", "", answer);
  const crypto::Sha1 digest = crypto::sha1(as_bytes(*key), as_bytes(kGuid));
  answer += "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: " +
            crypto::encode_base64(std::as_bytes(std::span(digest))) + "\r\n\r\n";
  is_open_ = true;
  return true;
}

bool WebSocket::read_frames(std::string& answer) {
  std::size_t at = 0;
  while (true) {
    const std::string_view left = std::string_view(rest_).substr(at);
    const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(left[i]); };
    if (left.size() < 2) break;
    const bool is_final = (byte(0) & 0x80) != 0, is_masked = (byte(1) & 0x80) != 0;
    const bool is_extended = (byte(0) & 0x70) != 0;
    const std::uint8_t opcode = byte(0) & 15;
    std::uint64_t size = byte(1) & 127;
    if (is_extended || !is_masked || (opcode >= kClose && (!is_final || size > 125)))
      return end(kProtocolError, answer);
    const std::size_t size_bytes = size == 126 ? 2 : size == 127 ? 8 : 0;
    const std::size_t header = 2 + size_bytes + 4;
    if (left.size() < header) break;
    if (size_bytes != 0) {
      size = 0;
      for (std::size_t i = 0; i < size_bytes; ++i) size = size << 8 | byte(2 + i);
    }
    if (size > kMaxPayloadBytes) return end(kTooBig, answer);
    if (left.size() - header < size) break;
    std::string payload(left.substr(header, static_cast<std::size_t>(size)));
    for (std::size_t i = 0; i < payload.size(); ++i)
      payload[i] = static_cast<char>(payload[i] ^ left[header - 4 + i % 4]);
    at += header + payload.size();
    if (!take_frame(opcode, is_final, payload, answer)) return false;
  }
  rest_.erase(0, at);
  return true;
}

bool WebSocket::take_frame(std::uint8_t opcode, bool is_final, std::string_view payload, std::string& answer) {
  switch (opcode) {
    case kContinuation:
    case kText:
    case kBinary:
      if ((opcode == kContinuation) != is_in_message_) return end(kProtocolError, answer);
      is_in_message_ = !is_final;
      return true;
    case kPing:
      answer += frame(kPong, payload);
      return true;
    case kPong:
      return true;
    case kClose:
      if (payload.size() == 1) return end(kProtocolError, answer);
      answer += payload.size() < 2 ? frame(kClose, {}) : frame(kClose, payload.substr(0, 2));
      return false;
    default:
      return end(kProtocolError, answer);
  }
}

}  // namespace assetc::engine
