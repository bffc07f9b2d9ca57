#include "import/text/encoding.hpp"

#include <cstdint>

#include "base/text_file.hpp"
#include "formats/text.hpp"

namespace assetc::importer {
namespace {

void append_utf8(std::string& out, std::uint32_t code) {
  if (code < 0x80) {
    out += static_cast<char>(code);
    return;
  }
  const int tail = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  constexpr std::uint32_t kLead[] = {0, 0xC0, 0xE0, 0xF0};
  out += static_cast<char>(kLead[tail] | code >> (6 * tail));
  for (int i = tail - 1; i >= 0; --i) out += static_cast<char>(0x80 | (code >> (6 * i) & 0x3F));
}

// Converts bytes without the mark. An odd last byte is ignored.
void append_utf16(std::string& out, std::string_view bytes, bool big_endian) {
  const auto unit = [&](std::size_t at) -> std::uint32_t {
    const auto first = static_cast<unsigned char>(bytes[at]), second = static_cast<unsigned char>(bytes[at + 1]);
    return big_endian ? first * 256u + second : second * 256u + first;
  };
  for (std::size_t at = 0; at + 2 <= bytes.size(); at += 2) {
    std::uint32_t code = unit(at);
    if (code >= 0xD800 && code < 0xE000) {
      const std::uint32_t low = code < 0xDC00 && at + 4 <= bytes.size() ? unit(at + 2) : 0;
      const bool pair = low >= 0xDC00 && low < 0xE000;
      code = pair ? 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00) : 0xFFFD;
      if (pair) at += 2;
    }
    append_utf8(out, code);
  }
}

}  // namespace

Text read_text(std::string_view bytes, std::string& storage) {
  storage.clear();
  if (bytes.starts_with("\xFF\xFE") || bytes.starts_with("\xFE\xFF")) {
    append_utf16(storage, bytes.substr(2), bytes.front() == '\xFE');
    return {storage, TextEncoding::kUtf16};
  }
  bytes = without_mark(bytes);
  if (formats::is_utf8(bytes)) return {bytes, TextEncoding::kUtf8};
  storage.reserve(bytes.size() + bytes.size() / 8);
  for (const char c : bytes) append_utf8(storage, static_cast<unsigned char>(c));
  return {storage, TextEncoding::kLatin1};
}

}  // namespace assetc::importer
