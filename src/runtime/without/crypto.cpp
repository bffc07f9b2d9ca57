#include "runtime/mount/crypto.hpp"

#include <string>

namespace assetc::runtime {
namespace {

std::unexpected<Error> needs_crypto() {
  return fail(ErrorCode::kUnsupported, "found a key, but this build has no libsodium", "build with -DASSETC_SODIUM=ON");
}

}  // namespace

bool has_crypto() { return false; }

Result<PublicKey> parse_public_key(std::string_view) { return needs_crypto(); }
Result<ContentKey> parse_content_key(std::string_view) { return needs_crypto(); }

// Never called: see has_crypto().
pak::Sha256 sha256(ByteSpan) { return {}; }
pak::Sha256 sha256(ByteSpan, ByteSpan) { return {}; }
bool verify_signature(const PublicKey&, ByteSpan, const std::array<std::uint8_t, 64>&) { return false; }
BundleKeys::BundleKeys(const ContentKey&) {}
BundleKeys::~BundleKeys() = default;
pak::Sha256 BundleKeys::mac(ByteSpan) const { return {}; }
Result<ByteVector> BundleKeys::open(ByteSpan, ByteSpan) const { return needs_crypto(); }

}  // namespace assetc::runtime
