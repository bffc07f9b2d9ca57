#include "identity/unicode.hpp"

#include <unicode/normalizer2.h>
#include <unicode/translit.h>
#include <unicode/unistr.h>
#include <unicode/ustring.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "base/ascii.hpp"

namespace assetc::identity {
namespace {

bool is_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

std::optional<icu::UnicodeString> utf16_of(std::string_view utf8) {
  icu::UnicodeString text;
  const auto most = static_cast<std::int32_t>(utf8.size());
  UErrorCode status = U_ZERO_ERROR;
  std::int32_t size = 0;
  u_strFromUTF8(text.getBuffer(most), most, &size, utf8.data(), most, &status);
  const bool is_whole = status == U_ZERO_ERROR || status == U_STRING_NOT_TERMINATED_WARNING;
  text.releaseBuffer(is_whole ? size : 0);
  return is_whole ? std::optional(std::move(text)) : std::nullopt;
}

}  // namespace

std::string ascii_spelling(std::string_view name) {
  auto text = is_ascii(name) ? std::nullopt : utf16_of(name);
  if (!text) return std::string(name);
  static std::mutex mutex;  // a transliterator has a cache and is slow to create
  const std::lock_guard lock(mutex);
  static const std::unique_ptr<icu::Transliterator> to_ascii = [] {
    UErrorCode status = U_ZERO_ERROR;
    return std::unique_ptr<icu::Transliterator>(
        icu::Transliterator::createInstance("Any-Latin; Latin-ASCII", UTRANS_FORWARD, status));
  }();
  if (to_ascii) to_ascii->transliterate(*text);
  std::string spelled;
  return text->toUTF8String(spelled);
}

std::string file_key(std::string_view name) {
  if (is_ascii(name)) return ascii_lower(name);
  UErrorCode status = U_ZERO_ERROR;
  const icu::Normalizer2* decompose = icu::Normalizer2::getNFDInstance(status);
  const auto text = utf16_of(name);
  if (U_FAILURE(status) != 0 || !text) return ascii_lower(name);  // ICU has no data, or the name is not UTF-8
  icu::UnicodeString folded = decompose->normalize(*text, status);
  folded = decompose->normalize(folded.foldCase(), status);
  std::string key;
  return U_FAILURE(status) != 0 ? ascii_lower(name) : folded.toUTF8String(key);
}

}  // namespace assetc::identity
