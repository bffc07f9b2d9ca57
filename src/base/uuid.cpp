#include "assetc/base/uuid.hpp"

namespace assetc {
namespace {

// Returns whether a hyphen comes before the digits of this byte.
constexpr bool hyphen_before(std::size_t byte) { return byte == 4 || byte == 6 || byte == 8 || byte == 10; }
constexpr std::size_t kTextSize = 36;

constexpr int digit_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

std::string Uuid::to_string() const {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  text.reserve(kTextSize);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (hyphen_before(i)) text += '-';
    text += kDigits[bytes[i] >> 4];
    text += kDigits[bytes[i] & 15];
  }
  return text;
}

std::optional<Uuid> Uuid::parse(std::string_view text) {
  if (text.size() != kTextSize) return std::nullopt;
  Uuid uuid;
  const char* c = text.data();
  for (std::size_t i = 0; i < uuid.bytes.size(); ++i) {
    if (hyphen_before(i) && *c++ != '-') return std::nullopt;
    const int high = digit_value(*c++), low = digit_value(*c++);
    if (high < 0 || low < 0) return std::nullopt;
    uuid.bytes[i] = static_cast<std::uint8_t>(high << 4 | low);
  }
  return uuid;
}

Uuid Uuid::from_bytes(const std::array<std::uint8_t, 16>& bytes, unsigned version) {
  Uuid uuid{bytes};
  uuid.bytes[6] = static_cast<std::uint8_t>((uuid.bytes[6] & 0x0f) | version << 4);
  uuid.bytes[8] = static_cast<std::uint8_t>((uuid.bytes[8] & 0x3f) | 0x80);  // the variant
  return uuid;
}

}  // namespace assetc
