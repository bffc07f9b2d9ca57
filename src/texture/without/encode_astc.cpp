// Replaces encode_astc.cpp if ASSETC_ASTCENC is off.
#include "texture/encode_astc.hpp"

#include "texture/libraries.hpp"

namespace assetc::texture {

Result<void> encode_astc(std::uint32_t, std::uint32_t, bool, std::span<const std::byte>, Extent,
                         const codec::EncodeOptions&, std::span<std::byte>) {
  return fail_at(ErrorCode::kUnsupported, "texture.format",
                 "this assetc was built without libastcenc, which writes ASTC",
                 "build it with -DASSETC_ASTCENC=ON, or choose another format");
}

std::uint64_t astc_context_bytes(std::uint32_t, std::uint32_t) { return 0; }

std::string astcenc_version() { return "none"; }

}  // namespace assetc::texture
