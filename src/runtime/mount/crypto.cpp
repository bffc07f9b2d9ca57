#include "runtime/mount/crypto.hpp"

#include <sodium.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

namespace assetc::runtime {
namespace {

static_assert(crypto_sign_BYTES == 64 && crypto_sign_PUBLICKEYBYTES == 32);
static_assert(crypto_aead_xchacha20poly1305_ietf_NPUBBYTES == pak::kNonceBytes);
static_assert(crypto_aead_xchacha20poly1305_ietf_ABYTES == pak::kTagBytes);

constexpr char kDerivation[crypto_kdf_CONTEXTBYTES + 1] = "assetpak";

const unsigned char* data(ByteSpan bytes) { return reinterpret_cast<const unsigned char*>(bytes.data()); }

// Selects the fastest code for this CPU. Any number of threads may call it. If it fails, the functions below still
// work.
void prepare() { [[maybe_unused]] static const int ready = sodium_init(); }

}  // namespace

bool has_crypto() { return true; }

pak::Sha256 sha256(ByteSpan bytes) {
  pak::Sha256 out;
  crypto_hash_sha256(out.data(), data(bytes), bytes.size());
  return out;
}

pak::Sha256 sha256(ByteSpan first, ByteSpan second) {
  pak::Sha256 out;
  crypto_hash_sha256_state state;
  crypto_hash_sha256_init(&state);
  crypto_hash_sha256_update(&state, data(first), first.size());
  crypto_hash_sha256_update(&state, data(second), second.size());
  crypto_hash_sha256_final(&state, out.data());
  return out;
}

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
  if (!right) return fail(ErrorCode::kInvalidData, "found a key of another kind, or damaged", std::string(hint));
  return key;
}

Result<PublicKey> parse_public_key(std::string_view pem) {
  return read_pem(kPublicLabel, kPublicPrefix, pem,
                  "use a .pub file of assetc keygen: Ed25519 in SubjectPublicKeyInfo");
}

Result<ContentKey> parse_content_key(std::string_view pem) {
  return read_pem(kContentLabel, {}, pem, "use a key of assetc keygen --encryption");
}

bool verify_signature(const PublicKey& key, ByteSpan message, const std::array<std::uint8_t, 64>& signature) {
  prepare();
  return crypto_sign_verify_detached(signature.data(), data(message), message.size(), key.data()) == 0;
}

BundleKeys::BundleKeys(const ContentKey& secret) {
  prepare();
  std::uint64_t number = 0;
  for (Key* key : {&cipher_, &nonce_, &digest_, &mac_})
    crypto_kdf_derive_from_key(key->data(), key->size(), ++number, kDerivation, secret.data());
  Key named;
  crypto_kdf_derive_from_key(named.data(), named.size(), ++number, kDerivation, secret.data());
  std::copy_n(named.begin(), id_.size(), id_.begin());
}

BundleKeys::~BundleKeys() {
  for (Key* key : {&cipher_, &nonce_, &digest_, &mac_}) sodium_memzero(key->data(), key->size());
}

pak::Sha256 BundleKeys::mac(ByteSpan message) const {
  pak::Sha256 out;
  crypto_auth_hmacsha256(out.data(), data(message), message.size(), mac_.data());
  return out;
}

Result<ByteVector> BundleKeys::open(ByteSpan identity, ByteSpan sealed) const {
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

}  // namespace assetc::runtime
