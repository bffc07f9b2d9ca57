// SHA-1 and SHA-256 (FIPS 180-4) for the compiler. Implemented by Nettle, which uses the SHA instructions of a CPU.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "assetc/base/bytes.hpp"
#include "assetc/base/uuid.hpp"

namespace assetc::crypto {

using Sha1 = std::array<std::uint8_t, 20>;
using Sha256 = std::array<std::uint8_t, 32>;

// Returns the hash of both spans, concatenated. SHA-1 is only for protocols that require it; it gives no security.
Sha1 sha1(ByteSpan first, ByteSpan second = {});
Sha256 sha256(ByteSpan first, ByteSpan second = {});

// SHA-256 of bytes that arrive in parts.
class Sha256Hasher {
 public:
  Sha256Hasher();
  ~Sha256Hasher();
  void add(ByteSpan bytes);
  Sha256 finish();  // call it once

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Returns a UUID of version 5: the same for the same space and name. Source: RFC 9562.
Uuid uuid_of_name(const Uuid& space, ByteSpan name);

}  // namespace assetc::crypto
