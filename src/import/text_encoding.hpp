// What bytes of a text file mean: UTF-8, or one of the encodings that exporters on Windows write instead.
#pragma once

#include <string>
#include <string_view>

namespace assetc::importer {

enum class TextEncoding { kUtf8, kUtf16, kLatin1 };

struct Text {
  std::string_view utf8;  // of the file's bytes, or of storage
  TextEncoding encoding = TextEncoding::kUtf8;
};

// Text of a file in UTF-8, without a byte order mark. UTF-16 is known by its mark, and a lone surrogate in it becomes
// U+FFFD; bytes that are not UTF-8 are taken as Latin-1, which every byte is a character of.
//
// storage: filled where the bytes had to be converted; must outlive the result, as must `bytes`.
// Thread safety: pure. Source: RFC 3629, RFC 2781, ISO 8859-1.
Text read_text(std::string_view bytes, std::string& storage);

}  // namespace assetc::importer
