#include "identity/unicode.hpp"

#include <unicode/unorm2.h>
#include <unicode/ustring.h>
#include <unicode/utrans.h>

#include <algorithm>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "base/ascii.hpp"

namespace assetc::identity {
namespace {

bool is_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

// Calls an ICU function that writes UTF-16 into a buffer and returns the length that it needs, until the buffer
// suffices. Nothing if the function fails. length: a first guess.
template <class Write>
std::optional<std::u16string> written(std::size_t length, const Write& write) {
  std::u16string text(length, u'\0');
  for (int attempt = 0; attempt < 2; ++attempt) {
    UErrorCode status = U_ZERO_ERROR;
    const std::int32_t needed = write(text.data(), static_cast<std::int32_t>(text.size()), status);
    const bool fits = U_SUCCESS(status) != 0;
    if (!fits && status != U_BUFFER_OVERFLOW_ERROR) return std::nullopt;
    text.resize(static_cast<std::size_t>(needed));
    if (fits) return text;
  }
  return std::nullopt;
}

std::int32_t size_of(std::u16string_view text) { return static_cast<std::int32_t>(text.size()); }

std::optional<std::u16string> utf16_of(std::string_view utf8) {
  return written(utf8.size(), [&](char16_t* out, std::int32_t capacity, UErrorCode& status) {
    std::int32_t size = 0;
    u_strFromUTF8(out, capacity, &size, utf8.data(), static_cast<std::int32_t>(utf8.size()), &status);
    return size;
  });
}

std::string utf8_of(std::u16string_view utf16) {
  std::string utf8(utf16.size() * 3, '\0');  // a unit needs at most three bytes
  std::int32_t size = 0;
  UErrorCode status = U_ZERO_ERROR;
  u_strToUTF8(utf8.data(), static_cast<std::int32_t>(utf8.size()), &size, utf16.data(), size_of(utf16), &status);
  utf8.resize(U_SUCCESS(status) != 0 ? static_cast<std::size_t>(size) : 0);
  return utf8;
}

}  // namespace

std::string ascii_spelling(std::string_view name) {
  auto text = is_ascii(name) ? std::nullopt : utf16_of(name);
  if (!text) return std::string(name);
  static std::mutex mutex;  // a transliterator has a cache and is slow to create
  const std::lock_guard lock(mutex);
  static UTransliterator* const to_ascii = [] {
    constexpr std::u16string_view kId = u"Any-Latin; Latin-ASCII";
    UErrorCode status = U_ZERO_ERROR;
    return utrans_openU(kId.data(), size_of(kId), UTRANS_FORWARD, nullptr, 0, nullptr, &status);
  }();
  if (to_ascii == nullptr) return std::string(name);  // ICU has no data
  const auto spelled = written(text->size() * 4, [&](char16_t* out, std::int32_t capacity, UErrorCode& status) {
    std::int32_t length = size_of(*text);
    std::int32_t limit = length;
    std::ranges::copy(*text, out);
    utrans_transUChars(to_ascii, out, &length, capacity, 0, &limit, &status);
    return length;
  });
  return spelled ? utf8_of(*spelled) : std::string(name);
}

std::string file_key(std::string_view name) {
  if (is_ascii(name)) return ascii_lower(name);
  UErrorCode status = U_ZERO_ERROR;
  const UNormalizer2* const decompose = unorm2_getNFDInstance(&status);
  const auto text = utf16_of(name);
  if (U_FAILURE(status) != 0 || !text) return ascii_lower(name);  // ICU has no data, or the name is not UTF-8
  const auto decomposed = [&](std::u16string_view source) {
    return written(source.size() * 4, [&](char16_t* out, std::int32_t capacity, UErrorCode& error) {
      return unorm2_normalize(decompose, source.data(), size_of(source), out, capacity, &error);
    });
  };
  const auto first = decomposed(*text);
  if (!first) return ascii_lower(name);
  const auto folded = written(first->size() * 3, [&](char16_t* out, std::int32_t capacity, UErrorCode& error) {
    return u_strFoldCase(out, capacity, first->data(), size_of(*first), U_FOLD_CASE_DEFAULT, &error);
  });
  const auto key = folded ? decomposed(*folded) : std::nullopt;
  return key ? utf8_of(*key) : ascii_lower(name);
}

}  // namespace assetc::identity
