#include "crypto/text.hpp"

#include <sodium.h>

#include <algorithm>
#include <array>
#include <memory>

namespace assetc::crypto {
namespace {

constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint8_t kNotBase64 = 0x80;

constexpr std::array<std::uint8_t, 256> kDigits = [] {
  std::array<std::uint8_t, 256> digits;
  digits.fill(kNotBase64);
  for (std::size_t d = 0; d < kAlphabet.size(); ++d)
    digits[static_cast<unsigned char>(kAlphabet[d])] = static_cast<std::uint8_t>(d);
  return digits;
}();

// Decodes groups of 4 characters to 3 bytes each; returns how many characters are base64. libsodium's function takes
// the same time for all texts, which secrets need, and models with embedded buffers do not.
std::size_t decode_groups(std::string_view text, std::span<std::byte> out) {
  for (std::size_t i = 0, o = 0; i < text.size(); i += 4, o += 3) {
    std::array<std::uint8_t, 4> digits;
    for (std::size_t k = 0; k < 4; ++k) digits[k] = kDigits[static_cast<unsigned char>(text[i + k])];
    if (((digits[0] | digits[1] | digits[2] | digits[3]) & kNotBase64) != 0)
      return i + static_cast<std::size_t>(std::ranges::find(digits, kNotBase64) - digits.begin());
    out[o] = static_cast<std::byte>(digits[0] << 2 | digits[1] >> 4);
    out[o + 1] = static_cast<std::byte>(digits[1] << 4 | digits[2] >> 2);
    out[o + 2] = static_cast<std::byte>(digits[2] << 6 | digits[3]);
  }
  return text.size();
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

Result<Bytes> decode_base64(std::string_view text) {
  for (int i = 0; i < 2 && text.ends_with('='); ++i) text.remove_suffix(1);
  if (text.size() % 4 == 1) return fail(ErrorCode::kTruncated, "base64 text ends in the middle of a byte");
  const std::size_t whole = text.size() / 4 * 4, rest = text.size() - whole;
  const std::size_t room = whole / 4 * 3 + (rest == 0 ? 0 : 3);
  const auto bytes = std::make_shared_for_overwrite<std::byte[]>(room);
  std::span<std::byte> out(bytes.get(), room);
  std::size_t read = decode_groups(text.substr(0, whole), out);
  if (read == whole && rest != 0) {
    // Some writers leave unused bits in the last character. They are ignored if the text is completed to a group.
    std::array<char, 4> last{'A', 'A', 'A', 'A'};
    std::ranges::copy(text.substr(whole), last.begin());
    read += std::min(decode_groups({last.data(), last.size()}, out.last(3)), rest);
    out = out.first(room - (4 - rest));
  }
  if (read == text.size()) return Bytes(bytes, out);
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
