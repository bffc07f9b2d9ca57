#include "crypto/sha.hpp"

#include <nettle/sha1.h>
#include <nettle/sha2.h>

#include <algorithm>

namespace assetc::crypto {
namespace {

const std::uint8_t* data(ByteSpan bytes) { return reinterpret_cast<const std::uint8_t*>(bytes.data()); }

}  // namespace

Sha1 sha1(ByteSpan first, ByteSpan second) {
  sha1_ctx state;
  sha1_init(&state);
  sha1_update(&state, first.size(), data(first));
  sha1_update(&state, second.size(), data(second));
  Sha1 out;
  sha1_digest(&state, out.size(), out.data());
  return out;
}

Sha256 sha256(ByteSpan first, ByteSpan second) {
  sha256_ctx state;
  sha256_init(&state);
  sha256_update(&state, first.size(), data(first));
  sha256_update(&state, second.size(), data(second));
  Sha256 out;
  sha256_digest(&state, out.size(), out.data());
  return out;
}

struct Sha256Hasher::State {
  sha256_ctx context;
};

Sha256Hasher::Sha256Hasher() : state_(std::make_unique<State>()) { sha256_init(&state_->context); }
Sha256Hasher::~Sha256Hasher() = default;

void Sha256Hasher::add(ByteSpan bytes) { sha256_update(&state_->context, bytes.size(), data(bytes)); }

Sha256 Sha256Hasher::finish() {
  Sha256 out;
  sha256_digest(&state_->context, out.size(), out.data());
  return out;
}

Uuid uuid_of_name(const Uuid& space, ByteSpan name) {
  const Sha1 hash = sha1(object_bytes(space), name);
  std::array<std::uint8_t, 16> bytes;
  std::copy_n(hash.begin(), bytes.size(), bytes.begin());
  return Uuid::from_bytes(bytes, 5);
}

}  // namespace assetc::crypto
