#include "bundle/crypto.hpp"

#include <sodium.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

namespace assetc::bundle {
namespace {

static_assert(crypto_sign_BYTES == 64 && crypto_sign_SECRETKEYBYTES == 64 && crypto_sign_PUBLICKEYBYTES == 32);
static_assert(crypto_aead_xchacha20poly1305_ietf_NPUBBYTES == pak::kNonceBytes);
static_assert(crypto_aead_xchacha20poly1305_ietf_ABYTES == pak::kTagBytes);

// What stands before the 32 bytes of a key in its DER form. Source: RFC 8410.
constexpr std::uint8_t kPrivatePrefix[] = {0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06,
                                           0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20};
constexpr std::uint8_t kPublicPrefix[] = {0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00};
constexpr std::string_view kPrivateLabel = "PRIVATE KEY", kPublicLabel = "PUBLIC KEY",
                           kContentLabel = "ASSETC CONTENT KEY";
constexpr char kDerivation[crypto_kdf_CONTEXTBYTES + 1] = "assetpak";

// Picks the fastest code of this machine, and opens the source of randomness.
void prepare() {
  static const bool ready = sodium_init() >= 0;
  if (!ready) std::abort();  // no source of randomness: nothing that follows could be kept secret
}

const unsigned char* data(ByteSpan bytes) { return reinterpret_cast<const unsigned char*>(bytes.data()); }

std::string write_pem(std::string_view label, std::span<const std::uint8_t> der) {
  std::string base64(sodium_base64_ENCODED_LEN(der.size(), sodium_base64_VARIANT_ORIGINAL), '\0');
  sodium_bin2base64(base64.data(), base64.size(), der.data(), der.size(), sodium_base64_VARIANT_ORIGINAL);
  base64.pop_back();  // its terminator
  std::string pem =
      "-----BEGIN " + std::string(label) + "-----\n" + base64 + "\n-----END " + std::string(label) + "-----\n";
  sodium_memzero(base64.data(), base64.size());
  return pem;
}

// The 32 bytes of a key behind the prefix of its kind.
Result<std::array<std::uint8_t, 32>> read_pem(std::string_view label, std::span<const std::uint8_t> prefix,
                                              std::string_view pem, std::string_view hint) {
  const std::string begin = "-----BEGIN " + std::string(label) + "-----";
  const std::string end = "-----END " + std::string(label) + "-----";
  const std::size_t from = pem.find(begin), to = pem.find(end);
  if (from == pem.npos || to == pem.npos || to < from)
    return fail(ErrorCode::kInvalidData, "found no \"" + begin + "\" and its end", std::string(hint));
  const std::string_view base64 = pem.substr(from + begin.size(), to - from - begin.size());
  std::vector<std::uint8_t> der(base64.size());
  std::size_t size = 0;
  std::array<std::uint8_t, 32> key{};
  const bool decoded = sodium_base642bin(der.data(), der.size(), base64.data(), base64.size(), " \r\n\t", &size,
                                         nullptr, sodium_base64_VARIANT_ORIGINAL) == 0;
  const bool right =
      decoded && size == prefix.size() + key.size() && std::equal(prefix.begin(), prefix.end(), der.begin());
  if (right) std::copy_n(der.begin() + static_cast<std::ptrdiff_t>(prefix.size()), key.size(), key.begin());
  sodium_memzero(der.data(), der.size());
  if (!right) return fail(ErrorCode::kInvalidData, "found another key than this kind's", std::string(hint));
  return key;
}

}  // namespace

Sha256 sha256(ByteSpan bytes) {
  Sha256 out;
  crypto_hash_sha256(out.data(), data(bytes), bytes.size());
  return out;
}

Sha256 sha256(ByteSpan first, ByteSpan second) {
  Sha256 out;
  crypto_hash_sha256_state state;
  crypto_hash_sha256_init(&state);
  crypto_hash_sha256_update(&state, data(first), first.size());
  crypto_hash_sha256_update(&state, data(second), second.size());
  crypto_hash_sha256_final(&state, out.data());
  return out;
}

std::string hex(std::span<const std::uint8_t> bytes) {
  std::string text(bytes.size() * 2 + 1, '\0');
  sodium_bin2hex(text.data(), text.size(), bytes.data(), bytes.size());
  text.pop_back();
  return text;
}

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
  ASSETC_TRY(auto seed, read_pem(kPrivateLabel, kPrivatePrefix, pem,
                                 "a key that signs is Ed25519 in PKCS #8, as assetc keygen writes it"));
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

Result<PublicKey> parse_public_key(std::string_view pem) {
  return read_pem(kPublicLabel, kPublicPrefix, pem,
                  "a key that verifies is the .pub of assetc keygen, Ed25519 in SubjectPublicKeyInfo");
}

std::string to_pem(const PublicKey& key) {
  std::array<std::uint8_t, sizeof kPublicPrefix + 32> der;
  std::ranges::copy(key, std::copy_n(kPublicPrefix, sizeof kPublicPrefix, der.begin()));
  return write_pem(kPublicLabel, der);
}

bool verify_signature(const PublicKey& key, ByteSpan message, const Signature& signature) {
  prepare();
  return crypto_sign_verify_detached(signature.data(), data(message), message.size(), key.data()) == 0;
}

ContentKey::ContentKey(const std::array<std::uint8_t, 32>& secret) : secret_(secret) {
  prepare();
  std::uint64_t number = 0;
  for (Key* key : {&cipher_, &nonce_, &digest_, &mac_})
    crypto_kdf_derive_from_key(key->data(), key->size(), ++number, kDerivation, secret_.data());
  Key named;
  crypto_kdf_derive_from_key(named.data(), named.size(), ++number, kDerivation, secret_.data());
  std::copy_n(named.begin(), id_.size(), id_.begin());
}

ContentKey::~ContentKey() {
  for (Key* key : {&secret_, &cipher_, &nonce_, &digest_, &mac_}) sodium_memzero(key->data(), key->size());
}

ContentKey ContentKey::generate() {
  prepare();
  Key secret;
  randombytes_buf(secret.data(), secret.size());
  const ContentKey key(secret);
  sodium_memzero(secret.data(), secret.size());
  return key;
}

Result<ContentKey> ContentKey::parse(std::string_view pem) {
  ASSETC_TRY(auto secret,
             read_pem(kContentLabel, {}, pem, "a key that encrypts is that of assetc keygen --encryption"));
  ContentKey key(secret);
  sodium_memzero(secret.data(), secret.size());
  return key;
}

std::string ContentKey::to_pem() const { return write_pem(kContentLabel, secret_); }

Sha256 ContentKey::digest(ByteSpan content) const {
  Sha256 out;
  crypto_auth_hmacsha256(out.data(), data(content), content.size(), digest_.data());
  return out;
}

Sha256 ContentKey::mac(ByteSpan message) const {
  Sha256 out;
  crypto_auth_hmacsha256(out.data(), data(message), message.size(), mac_.data());
  return out;
}

ByteVector ContentKey::seal(ByteSpan identity, ByteSpan plain) const {
  ByteVector out(plain.size() + pak::kSealBytes);
  auto* const nonce = reinterpret_cast<unsigned char*>(out.data());
  crypto_generichash_state state;
  crypto_generichash_init(&state, nonce_.data(), nonce_.size(), pak::kNonceBytes);
  crypto_generichash_update(&state, data(identity), identity.size());  // of one size, so the two cannot run together
  crypto_generichash_update(&state, data(plain), plain.size());
  crypto_generichash_final(&state, nonce, pak::kNonceBytes);
  crypto_aead_xchacha20poly1305_ietf_encrypt(nonce + pak::kNonceBytes, nullptr, data(plain), plain.size(),
                                             data(identity), identity.size(), nullptr, nonce, cipher_.data());
  return out;
}

Result<ByteVector> ContentKey::open(ByteSpan identity, ByteSpan sealed) const {
  const auto refuse = [] {
    return fail(ErrorCode::kInvalidData, "found bytes that were not encrypted with this key for this asset",
                "the file is damaged, was changed, or belongs to another key");
  };
  if (sealed.size() < pak::kSealBytes) return refuse();
  ByteVector out(sealed.size() - pak::kSealBytes);
  const ByteSpan body = sealed.subspan(pak::kNonceBytes);
  const int failed = crypto_aead_xchacha20poly1305_ietf_decrypt(reinterpret_cast<unsigned char*>(out.data()), nullptr,
                                                                nullptr, data(body), body.size(), data(identity),
                                                                identity.size(), data(sealed), cipher_.data());
  if (failed != 0) return refuse();
  return out;
}

}  // namespace assetc::bundle
