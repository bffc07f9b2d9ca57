#include "engine/watch/websocket.hpp"

#include <gmock/gmock.h>

namespace assetc::engine {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::string request(std::string_view more = "Origin: http://localhost:5173\r\n",
                    std::string_view host = "127.0.0.1:8123", std::string_view version = "13",
                    std::string_view key = "dGhlIHNhbXBsZSBub25jZQ==") {
  return "GET /any HTTP/1.1\r\nHost: " + std::string(host) + "\r\nupgrade: WebSocket\r\n" +
         "Connection: keep-alive, Upgrade\r\nSec-WebSocket-Version: " + std::string(version) +
         "\r\nSec-WebSocket-Key: " + std::string(key) + "\r\n" + std::string(more) + "\r\n";
}

// The answer to a request; expects that the connection stays open if goes_on.
std::string answer_to(std::string_view text, bool goes_on) {
  WebSocket socket;
  std::string answer;
  EXPECT_EQ(socket.read(text, answer), goes_on) << text;
  EXPECT_EQ(socket.is_open(), goes_on) << text;
  return answer;
}

std::string masked(std::uint8_t first, std::string_view payload) {
  const std::string mask = "\x37\xfa\x21\x3d";
  std::string frame(1, static_cast<char>(first));
  if (payload.size() < 126) {
    frame += static_cast<char>(0x80 | payload.size());
  } else {
    frame += static_cast<char>(0x80 | 126);
    frame += static_cast<char>(payload.size() >> 8);
    frame += static_cast<char>(payload.size() & 255);
  }
  frame += mask;
  for (std::size_t i = 0; i < payload.size(); ++i) frame += static_cast<char>(payload[i] ^ mask[i % 4]);
  return frame;
}

// The answer to frames after a handshake.
std::string answer_to_frames(std::string_view frames, bool goes_on) {
  WebSocket socket;
  std::string answer;
  EXPECT_TRUE(socket.read(request(), answer));
  answer.clear();
  EXPECT_EQ(socket.read(frames, answer), goes_on);
  return answer;
}

TEST(WebSocket, shakes_hands_as_the_specification_has_it) {
  EXPECT_EQ(answer_to(request(), true),
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n");
}

TEST(WebSocket, takes_a_request_and_frames_in_any_pieces) {
  const std::string all = request() + masked(0x89, "ping") + masked(0x81, std::string(300, 'x'));
  for (std::size_t step = 1; step < all.size(); ++step) {
    WebSocket socket;
    std::string answer;
    for (std::size_t at = 0; at < all.size(); at += step)
      ASSERT_TRUE(socket.read(std::string_view(all).substr(at, step), answer));
    EXPECT_THAT(answer, testing::EndsWith("\r\n\r\n\x8a\x04ping"));
  }
}

TEST(WebSocket, pages_from_elsewhere_are_refused) {
  for (const char* origin : {"http://example.com", "https://localhost.example.com", "http://127.0.0.1.example.com",
                             "http://localhost:80@example.com", "null", "file://", "http://",
                             "http://localhost:", "http://localhost:80/x", "http://[::1", "http://[::1]x"}) {
    EXPECT_THAT(answer_to(request("Origin: " + std::string(origin) + "\r\n"), false), StartsWith("HTTP/1.1 403 "))
        << origin;
  }
  for (const char* host : {"example.com", "example.com:8123", "192.168.0.4", "localhost.example.com", ""})
    EXPECT_THAT(answer_to(request("", host), false), StartsWith("HTTP/1.1 403 ")) << host;
}

TEST(WebSocket, pages_of_this_machine_and_programs_are_let_in) {
  for (const char* origin : {"http://localhost", "https://localhost:3000", "http://127.0.0.1:80", "http://[::1]:5173"})
    answer_to(request("Origin: " + std::string(origin) + "\r\n"), true);
  answer_to(request(""), true);
  answer_to(request("", "LOCALHOST:1"), true);
}

TEST(WebSocket, refuses_what_is_no_such_request) {
  EXPECT_THAT(answer_to("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", false), StartsWith("HTTP/1.1 426 "));
  EXPECT_THAT(answer_to(request("", "localhost", "12"), false), HasSubstr("Sec-WebSocket-Version: 13\r\n"));
  EXPECT_THAT(answer_to(request("", "localhost", "13", "short"), false), StartsWith("HTTP/1.1 400 "));
  EXPECT_THAT(answer_to(request("Host: localhost\r\n"), false), StartsWith("HTTP/1.1 400 "));
  EXPECT_THAT(answer_to(request("no colon\r\n"), false), StartsWith("HTTP/1.1 400 "));
  EXPECT_THAT(answer_to("POST / HTTP/1.1\r\n\r\n", false), StartsWith("HTTP/1.1 400 "));
  EXPECT_THAT(answer_to("\r\n\r\n", false), StartsWith("HTTP/1.1 400 "));
  EXPECT_THAT(answer_to(std::string(9000, 'x'), false), StartsWith("HTTP/1.1 431 "));
}

TEST(WebSocket, answers_pings_and_a_close_and_ignores_messages) {
  EXPECT_EQ(answer_to_frames(masked(0x89, "hi"), true), "\x8a\x02hi");
  EXPECT_EQ(answer_to_frames(masked(0x8a, "") + masked(0x82, "data"), true), "");
  EXPECT_EQ(answer_to_frames(masked(0x01, "a") + masked(0x89, "") + masked(0x00, "b") + masked(0x80, "c"), true),
            std::string("\x8a\x00", 2));
  EXPECT_EQ(answer_to_frames(masked(0x88,
                                    "\x03\xe8"
                                    "bye"),
                             false),
            "\x88\x02\x03\xe8");
  EXPECT_EQ(answer_to_frames(masked(0x88, ""), false), std::string("\x88\x00", 2));
}

TEST(WebSocket, what_breaks_the_protocol_ends_it) {
  const std::string error = "\x88\x02\x03\xea";
  EXPECT_EQ(answer_to_frames("\x81\x02hi", false), error) << "not masked";
  EXPECT_EQ(answer_to_frames(masked(0xc1, "x"), false), error) << "an extension";
  EXPECT_EQ(answer_to_frames(masked(0x83, "x"), false), error) << "an unknown opcode";
  EXPECT_EQ(answer_to_frames(masked(0x8b, "x"), false), error) << "an unknown opcode of control";
  EXPECT_EQ(answer_to_frames(masked(0x09, "x"), false), error) << "a ping in parts";
  EXPECT_EQ(answer_to_frames(masked(0x89, std::string(126, 'x')), false), error) << "a long ping";
  EXPECT_EQ(answer_to_frames(masked(0x80, "x"), false), error) << "nothing to continue";
  EXPECT_EQ(answer_to_frames(masked(0x01, "x") + masked(0x81, "x"), false), error) << "a message within another";
  EXPECT_EQ(answer_to_frames(masked(0x88, "x"), false), error) << "half of a code";
  EXPECT_EQ(answer_to_frames(std::string("\x82\xff\x7f\xff\xff\xff\xff\xff\xff\xff....", 14), false),
            "\x88\x02\x03\xf1");
}

TEST(WebSocket, frames_say_their_size_in_as_few_bytes_as_they_can) {
  const auto head = [](std::size_t size) {
    const std::string frame = WebSocket::text_frame(std::string(size, 'x'));
    return frame.substr(0, frame.size() - size);
  };
  EXPECT_EQ(head(0), std::string("\x81\x00", 2));
  EXPECT_EQ(head(125), "\x81\x7d");
  EXPECT_EQ(head(126), std::string("\x81\x7e\x00\x7e", 4));
  EXPECT_EQ(head(0xffff), "\x81\x7e\xff\xff");
  EXPECT_EQ(head(0x10000), std::string("\x81\x7f\x00\x00\x00\x00\x00\x01\x00\x00", 10));
}

}  // namespace
}  // namespace assetc::engine
