#include "bundle/crypto.hpp"

#include <sodium.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

namespace assetc::bundle {
namespace {

static_assert(crypto_sign_SECRETKEYBYTES == 64);

// The prefix of the 32 bytes of a key in DER form. Source: RFC 8410.
constexpr std::uint8_t kPrivatePrefix[] = {0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06,
                                           0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20};
constexpr std::string_view kPrivateLabel = "PRIVATE KEY";

// Selects the fastest code for this CPU, and opens the source of randomness.
void prepare() {
  static const bool ready = sodium_init() >= 0;
  if (!ready) std::abort();  // without a source of randomness, nothing can be kept secret
}

const unsigned char* data(ByteSpan bytes) { return reinterpret_cast<const unsigned char*>(bytes.data()); }

std::string write_pem(std::string_view label, std::span<const std::uint8_t> der) {
  std::string base64 = crypto::encode_base64(std::as_bytes(der));
  std::string pem =
      "-----BEGIN " + std::string(label) + "-----\n" + base64 + "\n-----END " + std::string(label) + "-----\n";
  sodium_memzero(base64.data(), base64.size());
  return pem;
}

}  // namespace

SigningKey::~SigningKey() { sodium_memzero(secret_.data(), secret_.size()); }

SigningKey SigningKey::generate() {
  prepare();
  SigningKey key;
  PublicKey unused;
  crypto_sign_keypair(unused.data(), key.secret_.data());
  return key;
}

Result<SigningKey> SigningKey::parse(std::string_view pem) {
  prepare();
  ASSETC_TRY(auto seed, runtime::read_pem(kPrivateLabel, kPrivatePrefix, pem,
                                          "use a signing key of assetc keygen: Ed25519 in PKCS #8"));
  SigningKey key;
  PublicKey unused;
  crypto_sign_seed_keypair(unused.data(), key.secret_.data(), seed.data());
  sodium_memzero(seed.data(), seed.size());
  return key;
}

std::string SigningKey::to_pem() const {
  std::array<std::uint8_t, sizeof kPrivatePrefix + 32> der;
  std::copy_n(secret_.begin(), 32, std::copy_n(kPrivatePrefix, sizeof kPrivatePrefix, der.begin()));
  std::string pem = write_pem(kPrivateLabel, der);
  sodium_memzero(der.data(), der.size());
  return pem;
}

PublicKey SigningKey::public_key() const {
  PublicKey key;
  std::copy_n(secret_.begin() + 32, key.size(), key.begin());
  return key;
}

Signature SigningKey::sign(ByteSpan message) const {
  Signature out;
  crypto_sign_detached(out.data(), nullptr, data(message), message.size(), secret_.data());
  return out;
}

std::string to_pem(const PublicKey& key) {
  std::array<std::uint8_t, sizeof runtime::kPublicPrefix + 32> der;
  std::ranges::copy(key, std::ranges::copy(runtime::kPublicPrefix, der.begin()).out);
  return write_pem(runtime::kPublicLabel, der);
}

ContentKey::~ContentKey() { sodium_memzero(secret_.data(), secret_.size()); }

ContentKey ContentKey::generate() {
  prepare();
  runtime::ContentKey secret;
  randombytes_buf(secret.data(), secret.size());
  const ContentKey key(secret);
  sodium_memzero(secret.data(), secret.size());
  return key;
}

Result<ContentKey> ContentKey::parse(std::string_view pem) {
  ASSETC_TRY(auto secret, runtime::parse_content_key(pem));
  ContentKey key(secret);
  sodium_memzero(secret.data(), secret.size());
  return key;
}

std::string ContentKey::to_pem() const { return write_pem(runtime::kContentLabel, secret_); }

struct ContentDigest::Keyed {
  crypto_auth_hmacsha256_state state;
};

ContentDigest::ContentDigest(const ContentKey* key) {
  if (key == nullptr) return;
  keyed_ = std::make_unique<Keyed>();
  crypto_auth_hmacsha256_init(&keyed_->state, key->digest_key().data(), key->digest_key().size());
}

ContentDigest::~ContentDigest() {
  if (keyed_ != nullptr) sodium_memzero(keyed_.get(), sizeof(Keyed));
}

void ContentDigest::add(ByteSpan part) {
  if (keyed_ == nullptr) return plain_.add(part);
  crypto_auth_hmacsha256_update(&keyed_->state, data(part), part.size());
}

Sha256 ContentDigest::finish() {
  if (keyed_ == nullptr) return plain_.finish();
  Sha256 out;
  crypto_auth_hmacsha256_final(&keyed_->state, out.data());
  return out;
}

Sha256 ContentKey::digest(ByteSpan content) const {
  ContentDigest digest(this);
  digest.add(content);
  return digest.finish();
}

ByteVector ContentKey::seal(ByteSpan identity, ByteSpan plain) const {
  ByteVector out(plain.size() + pak::kSealBytes);
  auto* const nonce = reinterpret_cast<unsigned char*>(out.data());
  crypto_generichash_state state;
  crypto_generichash_init(&state, keys_.nonce().data(), keys_.nonce().size(), pak::kNonceBytes);
  // has a fixed size, so identity and plain stay separate
  crypto_generichash_update(&state, data(identity), identity.size());
  crypto_generichash_update(&state, data(plain), plain.size());
  crypto_generichash_final(&state, nonce, pak::kNonceBytes);
  crypto_aead_xchacha20poly1305_ietf_encrypt(nonce + pak::kNonceBytes, nullptr, data(plain), plain.size(),
                                             data(identity), identity.size(), nullptr, nonce, keys_.cipher().data());
  return out;
}

}  // namespace assetc::bundle
