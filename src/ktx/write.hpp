// Writes an EncodedTexture as KTX 2, with what the command states about it.
#pragma once

#include <string>

#include "assetc/formats/ktx2.hpp"
#include "texture/encoded.hpp"

namespace assetc::ktx {

struct Statement {
  ktx2::Transfer transfer = ktx2::Transfer::kLinear;
  ktx2::Primaries primaries = ktx2::Primaries::kBt709;
  bool premultiplied_alpha = false;
  std::string orientation{};  // KTXorientation; empty: none
};

// The statement replaces the texture's color space. Errors: those of ktx2::write().
Result<ByteVector> write_file(const texture::EncodedTexture& texture, const Statement& statement);

}  // namespace assetc::ktx
