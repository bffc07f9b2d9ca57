// Signatures and encryption of bundles, implemented by libsodium.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"
#include "assetc/formats/pak.hpp"
#include "crypto/sha.hpp"
#include "crypto/text.hpp"
#include "runtime/mount/crypto.hpp"

namespace assetc::bundle {

using pak::Sha256;
using runtime::parse_public_key;
using runtime::PublicKey;
using runtime::verify_signature;
using Signature = std::array<std::uint8_t, 64>;

using crypto::hex;
using crypto::sha256;

// An Ed25519 key pair. Cleared on destruction.
class SigningKey {
 public:
  SigningKey() = default;
  SigningKey(const SigningKey&) = default;
  SigningKey& operator=(const SigningKey&) = default;
  ~SigningKey();
  static SigningKey generate();
  // PKCS #8 in PEM, the format of `openssl genpkey -algorithm ed25519`. Errors: kInvalidData.
  static Result<SigningKey> parse(std::string_view pem);
  std::string to_pem() const;

  PublicKey public_key() const;
  Signature sign(ByteSpan message) const;

 private:
  std::array<std::uint8_t, 64> secret_{};  // seed and public key, in libsodium's layout
};

// SubjectPublicKeyInfo in PEM.
std::string to_pem(const PublicKey& key);

// The 256-bit secret key of an encrypted bundle, and the keys derived from it. Cleared on destruction. Thread safety:
// const.
class ContentKey {
 public:
  ContentKey(const ContentKey&) = default;
  ContentKey& operator=(const ContentKey&) = default;
  ~ContentKey();
  static ContentKey generate();
  static Result<ContentKey> parse(std::string_view pem);
  std::string to_pem() const;

  // Identifies the key and reveals nothing about it.
  const std::array<std::uint8_t, 8>& id() const { return keys_.id(); }
  Sha256 digest(ByteSpan content) const;
  const auto& digest_key() const { return keys_.digest(); }
  Sha256 mac(ByteSpan message) const { return keys_.mac(message); }
  // Returns nonce, XChaCha20 of plain, Poly1305 tag. The nonce is a keyed hash of identity and plain: equal input gives
  // equal bytes, different input a different nonce.
  ByteVector seal(ByteSpan identity, ByteSpan plain) const;
  // Returns the data that was sealed under this key and identity, or kInvalidData.
  Result<ByteVector> open(ByteSpan identity, ByteSpan sealed) const { return keys_.open(identity, sealed); }

 private:
  explicit ContentKey(const runtime::ContentKey& secret) : secret_(secret), keys_(secret) {}
  runtime::ContentKey secret_;
  runtime::BundleKeys keys_;
};

// Computes the digest of an entry: SHA-256 of its content, or HMAC-SHA-256 under the key of an encrypted bundle.
class ContentDigest {
 public:
  explicit ContentDigest(const ContentKey* key);
  ~ContentDigest();
  void add(ByteSpan part);
  Sha256 finish();  // call it once

 private:
  struct Keyed;
  std::unique_ptr<Keyed> keyed_;  // null without a key
  crypto::Sha256Hasher plain_;
};

}  // namespace assetc::bundle
