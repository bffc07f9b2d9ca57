// Bytes as text: base64 (RFC 4648) and hexadecimal digits. The time of writing text does not depend on the bytes, so
// keys may be written here.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"

namespace assetc::crypto {

// Returns lower-case digits, two per byte.
std::string hex(std::span<const std::uint8_t> bytes);

// With padding.
std::string encode_base64(ByteSpan bytes);
// Padding is optional. Not for secrets: the time depends on the text. Errors: kTruncated if the text ends within a
// byte, kInvalidData with the position of a character that is not base64.
Result<Bytes> decode_base64(std::string_view text);

// Returns a new secret of 128 random bits as 32 hexadecimal digits.
std::string random_token();
// Compares two secrets; the time depends only on their sizes.
bool same_secret(std::string_view a, std::string_view b);

}  // namespace assetc::crypto
