// Converts text files to UTF-8 from the encodings that exporters on Windows also write.
#pragma once

#include <string>
#include <string_view>

namespace assetc::importer {

enum class TextEncoding { kUtf8, kUtf16, kLatin1 };

struct Text {
  std::string_view utf8;  // points into the file's bytes or into storage
  TextEncoding encoding = TextEncoding::kUtf8;
};

// Returns the text of a file as UTF-8, without a byte order mark. UTF-16 is detected by its mark, and a lone surrogate
// in it becomes U+FFFD. Bytes that are not UTF-8 are read as Latin-1, in which every byte is a character.
//
// storage: filled if the bytes had to be converted. It and `bytes` must outlive the result. Thread safety: pure.
// Source: RFC 3629, RFC 2781, ISO 8859-1.
Text read_text(std::string_view bytes, std::string& storage);

}  // namespace assetc::importer
