// Keys of bundles, as `assetc keygen` writes them: the public key of a trusted signer, and the key that decrypts.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "assetc/base/result.hpp"

namespace assetc::runtime {

using PublicKey = std::array<std::uint8_t, 32>;   // Ed25519
using ContentKey = std::array<std::uint8_t, 32>;  // secret

// Parse a .pub file (SubjectPublicKeyInfo in PEM) and an encryption key file. An engine may also store the 32 bytes
// directly.
// Errors: kInvalidData; kUnsupported if the runtime was built without libsodium.
Result<PublicKey> parse_public_key(std::string_view pem);
Result<ContentKey> parse_content_key(std::string_view pem);

}  // namespace assetc::runtime
