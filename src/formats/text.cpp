#include "formats/text.hpp"

#include <algorithm>

namespace assetc::formats {

bool is_utf8(std::string_view text) {
  const auto* p = reinterpret_cast<const unsigned char*>(text.data());
  const auto* const end = p + text.size();
  while (p != end) {
    const unsigned lead = *p++;
    if (lead < 0x80) continue;
    int tail = 0;
    unsigned code = 0;
    unsigned least = 0;
    if ((lead & 0xe0) == 0xc0) {
      tail = 1, code = lead & 0x1f, least = 0x80;
    } else if ((lead & 0xf0) == 0xe0) {
      tail = 2, code = lead & 0x0f, least = 0x800;
    } else if ((lead & 0xf8) == 0xf0) {
      tail = 3, code = lead & 0x07, least = 0x10000;
    } else {
      return false;
    }
    if (end - p < tail) return false;
    for (; tail > 0; --tail) {
      const unsigned c = *p++;
      if ((c & 0xc0) != 0x80) return false;
      code = code << 6 | (c & 0x3f);
    }
    if (code < least || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return false;
  }
  return true;
}

std::string_view path_fault(std::string_view path) {
  if (path.empty()) return "it is empty";
  if (!is_utf8(path)) return "it is not UTF-8";
  for (char c : path) {
    const auto u = static_cast<unsigned char>(c);
    if (u < 0x20 || u == 0x7f) return "it holds a control character";
    if (c == '\\') return "it holds a backslash";
    if (c == ':') return "it holds a colon";
  }
  std::string_view rest = path;
  for (;;) {
    const std::size_t slash = rest.find('/');
    const std::string_view segment = rest.substr(0, slash);
    if (segment.empty()) return "it has an empty segment";
    if (segment == "." || segment == "..") return "it has a \".\" or \"..\" segment";
    if (slash == std::string_view::npos) return {};
    rest.remove_prefix(slash + 1);
  }
}

bool all_zero(ByteSpan bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](std::byte b) { return b == std::byte{0}; });
}

}  // namespace assetc::formats
