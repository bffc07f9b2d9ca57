// Turns a UASTC or ETC1S texture into one that a GPU reads.
#pragma once

#include <string>
#include <string_view>

#include "assetc/codec/transcode.hpp"
#include "assetc/formats/ktx2.hpp"
#include "texture/encoded.hpp"

namespace assetc::ktx {

// What `--target` and `--transcode` name.
struct Target {
  BlockFormat blocks = BlockFormat::kRgba8;
  TexelFormat format = TexelFormat::kRgba8;
};
// The names of all targets, for messages.
std::string target_names();
// name: in any case. Empty: the plain texels with as many channels as the texture has.
// Errors: kUsage for an unknown name; kInvalidData if the texture is neither UASTC nor ETC1S.
Result<Target> transcode_target(std::string_view name, const ktx2::View& texture);

// The bytes of a level without supercompression, also of zlib. Errors: kInvalidData.
Result<ByteVector> inflated_level(const ktx2::View& view, std::size_t level);

// All levels, without supercompression. Errors: kInvalidData for damaged blocks and streams.
Result<texture::EncodedTexture> transcode(const ktx2::View& view, const Target& target, int zstd_level);

}  // namespace assetc::ktx
