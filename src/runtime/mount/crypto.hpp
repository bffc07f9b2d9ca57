// Hashes, signatures and decryption of bundles, implemented by libsodium.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"
#include "assetc/formats/pak.hpp"
#include "assetc/runtime/keys.hpp"

namespace assetc::runtime {

// Returns whether the build has libsodium. All functions below require it.
bool has_crypto();

pak::Sha256 sha256(ByteSpan bytes);
pak::Sha256 sha256(ByteSpan first, ByteSpan second);  // of both, concatenated
bool verify_signature(const PublicKey& key, ByteSpan message, const std::array<std::uint8_t, 64>& signature);

// The keys derived from the secret key of a bundle. Cleared on destruction. Thread safety: const.
class BundleKeys {
 public:
  using Key = std::array<std::uint8_t, 32>;
  explicit BundleKeys(const ContentKey& secret);
  BundleKeys(const BundleKeys&) = default;
  BundleKeys& operator=(const BundleKeys&) = default;
  ~BundleKeys();

  // Identifies the key and reveals nothing about it.
  const std::array<std::uint8_t, 8>& id() const { return id_; }
  const Key& cipher() const { return cipher_; }
  const Key& nonce() const { return nonce_; }
  const Key& digest() const { return digest_; }
  pak::Sha256 mac(ByteSpan message) const;
  // Returns the data that was sealed under this key and identity, or kInvalidData.
  Result<ByteVector> open(ByteSpan identity, ByteSpan sealed) const;

 private:
  Key cipher_{}, nonce_{}, digest_{}, mac_{};
  std::array<std::uint8_t, 8> id_{};
};

// The prefix of the 32 bytes of a public key in DER form. Source: RFC 8410.
inline constexpr std::uint8_t kPublicPrefix[] = {0x30, 0x2a, 0x30, 0x05, 0x06, 0x03,
                                                 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00};
inline constexpr std::string_view kPublicLabel = "PUBLIC KEY", kContentLabel = "ASSETC CONTENT KEY";

// Returns the 32 bytes of a key after the prefix of its kind.
Result<std::array<std::uint8_t, 32>> read_pem(std::string_view label, std::span<const std::uint8_t> prefix,
                                              std::string_view pem, std::string_view hint);

}  // namespace assetc::runtime
