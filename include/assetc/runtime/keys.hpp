// Keys of bundles, as `assetc keygen` writes them: whom to trust, and what decrypts.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "assetc/base/result.hpp"

namespace assetc::runtime {

using PublicKey = std::array<std::uint8_t, 32>;   // Ed25519
using ContentKey = std::array<std::uint8_t, 32>;  // secret

// A .pub (SubjectPublicKeyInfo in PEM) and an encryption key. An engine may as well hold the 32 bytes. Errors:
// kInvalidData; kUnsupported where the runtime was built without libsodium.
Result<PublicKey> parse_public_key(std::string_view pem);
Result<ContentKey> parse_content_key(std::string_view pem);

}  // namespace assetc::runtime
