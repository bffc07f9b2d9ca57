// Text files that people write in any editor.
#pragma once

#include <string_view>

#include "assetc/base/bytes.hpp"

namespace assetc {

// Editors on Windows write a byte order mark before UTF-8. It is not part of the text.
inline constexpr std::string_view kUtf8Mark = "\xEF\xBB\xBF";

constexpr std::string_view without_mark(std::string_view text) {
  if (text.starts_with(kUtf8Mark)) text.remove_prefix(kUtf8Mark.size());
  return text;
}
inline ByteSpan without_mark(ByteSpan text) {
  return as_text(text).starts_with(kUtf8Mark) ? text.subspan(kUtf8Mark.size()) : text;
}
inline Bytes without_mark(const Bytes& text) {
  const std::size_t size = without_mark(text.span()).size();
  return text.slice(text.size() - size, size);
}

}  // namespace assetc
