// Internal to src/filetypes: one reader per compiled type, in the file of its family.
#pragma once

#include "filetypes/filetypes.hpp"

namespace assetc::filetypes {

extern const Reader kHmeshReader;     // mesh.cpp; both versions
extern const Reader kHclusterReader;  // cluster.cpp
extern const Reader kGalileoReader;   // mesh.cpp
extern const Reader kHmatReader;      // material.cpp
extern const Reader kHanimReader;     // animation.cpp
extern const Reader kHsceneReader;    // scene.cpp
extern const Reader kHfontReader;     // font.cpp
extern const Reader kHmanReader;      // manifest.cpp
extern const Reader kHpackReader;     // manifest.cpp
extern const Reader kKtx2Reader;      // texture.cpp
extern const Reader kSpirvReader;     // shader.cpp
extern const Reader kAas1Reader;      // blob.cpp
extern const Reader kPakReader;       // bundle.cpp

// Reader::open and ::inspect for a format that is validated by a view.
template <class View>
Result<void> open_with(ByteSpan file) {
  const auto view = View::open(file);
  if (!view) return std::unexpected(view.error());
  return {};
}
template <class View, FileContent (*describe)(const View&)>
Result<FileContent> inspect_with(ByteSpan file) {
  ASSETC_TRY(const View view, View::open(file));
  return describe(view);
}

}  // namespace assetc::filetypes
