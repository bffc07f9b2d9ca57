// .hfont version 1, also as vectors and to write. Specification: docs/formats/hfont.md.
#pragma once

#include <string>
#include <vector>

#include "assetc/formats/hfont_view.hpp"

namespace assetc::hfont {

// The input of write(). Members are the arrays of the file.
struct Model {
  FontDesc desc{};
  std::vector<Glyph> glyphs;
  std::vector<Character> characters;
  std::vector<KerningPair> kerning;
  std::string name;
};

// Returns the bytes of a file that View::open accepts, or the error that it would give for the model. Deterministic.
Result<ByteVector> write(const Model& model);

}  // namespace assetc::hfont
