#include "crypto/text.hpp"

#include <sodium.h>

#include <algorithm>
#include <array>

namespace assetc::crypto {
namespace {

// Decodes groups of 4 characters to 3 bytes each; returns how many characters are base64.
std::size_t decode_groups(std::string_view text, std::span<std::byte> out) {
  if (text.empty()) return 0;
  const char* end = text.data();
  sodium_base642bin(reinterpret_cast<unsigned char*>(out.data()), text.size() / 4 * 3, text.data(), text.size(),
                    nullptr, nullptr, &end, sodium_base64_VARIANT_ORIGINAL_NO_PADDING);
  return static_cast<std::size_t>(end - text.data());
}

}  // namespace

std::string hex(std::span<const std::uint8_t> bytes) {
  if (bytes.empty()) return {};  // libsodium accepts no null pointer
  std::string text(bytes.size() * 2 + 1, '\0');
  sodium_bin2hex(text.data(), text.size(), bytes.data(), bytes.size());
  text.pop_back();  // the terminator
  return text;
}

std::string encode_base64(ByteSpan bytes) {
  if (bytes.empty()) return {};
  std::string text(sodium_base64_ENCODED_LEN(bytes.size(), sodium_base64_VARIANT_ORIGINAL), '\0');
  sodium_bin2base64(text.data(), text.size(), reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(),
                    sodium_base64_VARIANT_ORIGINAL);
  text.pop_back();  // the terminator
  return text;
}

Result<ByteVector> decode_base64(std::string_view text) {
  for (int i = 0; i < 2 && text.ends_with('='); ++i) text.remove_suffix(1);
  if (text.size() % 4 == 1) return fail(ErrorCode::kTruncated, "base64 text ends in the middle of a byte");
  const std::size_t whole = text.size() / 4 * 4, rest = text.size() - whole;
  ByteVector out(whole / 4 * 3 + (rest == 0 ? 0 : 3));
  std::size_t read = decode_groups(text.substr(0, whole), out);
  if (read == whole && rest != 0) {
    // Some writers leave unused bits in the last character. They are ignored if the text is completed to a group.
    std::array<char, 4> last{'A', 'A', 'A', 'A'};
    std::ranges::copy(text.substr(whole), last.begin());
    read += std::min(decode_groups({last.data(), last.size()}, std::span(out).last(3)), rest);
    out.resize(out.size() - (4 - rest));
  }
  if (read == text.size()) return out;
  return fail(ErrorCode::kInvalidData, "character " + std::to_string(read) + " of the base64 text is not base64");
}

std::string random_token() {
  [[maybe_unused]] static const int ready = sodium_init();
  std::array<std::uint8_t, 16> bytes;
  randombytes_buf(bytes.data(), bytes.size());
  return hex(bytes);
}

bool same_secret(std::string_view a, std::string_view b) {
  return a.size() == b.size() && sodium_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace assetc::crypto
