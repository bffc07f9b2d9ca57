#include "formats/message.hpp"

#include "assetc/formats/fourcc.hpp"

namespace assetc {
namespace {

constexpr char kHexDigits[] = "0123456789abcdef";
constexpr std::size_t kMaxQuoted = 80;

bool is_printable(unsigned char c) { return c >= 0x20 && c < 0x7f; }

}  // namespace

std::string fourcc_text(std::uint32_t value) {
  std::string text(4, ' ');
  bool printable = true;
  for (int i = 0; i < 4; ++i) {
    const auto c = static_cast<unsigned char>(value >> (8 * i));
    printable = printable && is_printable(c);
    text[static_cast<std::size_t>(i)] = static_cast<char>(c);
  }
  if (printable) return text;
  text = "0x";
  for (int i = 7; i >= 0; --i) text += kHexDigits[(value >> (4 * i)) & 15];
  return text;
}

namespace formats {

std::string quote(std::string_view text) {
  std::string out = "\"";
  for (char c : text.substr(0, kMaxQuoted)) {
    const auto u = static_cast<unsigned char>(c);
    if (is_printable(u) || u >= 0x80) {
      out += c;
    } else {
      out += "\\x";
      out += kHexDigits[u >> 4];
      out += kHexDigits[u & 15];
    }
  }
  out += text.size() > kMaxQuoted ? "...\"" : "\"";
  return out;
}

}  // namespace formats
}  // namespace assetc
