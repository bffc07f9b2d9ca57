// .hman and .hpack: lists of other files.
#include "assetc/formats/hman.hpp"
#include "assetc/formats/hpack.hpp"
#include "filetypes/readers.hpp"

namespace assetc::filetypes {
namespace {

FileContent describe(const hman::View& manifest) {
  ManifestInfo info;
  for (const hman::EntryView& entry : manifest.entries()) {
    ++info.entries;
    info.srgb += entry.colorspace == hman::Colorspace::kSrgb;
    ++info.by_kind[hman::to_string(entry.kind) == hman::to_string(kUnnamedKind) ? kUnnamedKind : entry.kind];
  }
  return info;
}

Result<References> entry_references(ByteSpan file) {
  ASSETC_TRY(const hman::View manifest, hman::View::open(file));
  References out;
  out.files.assign(manifest.entries().begin(), manifest.entries().end());
  return out;
}

Result<void> verify_pack(ByteSpan file) {
  ASSETC_TRY(const hpack::View pack, hpack::View::open(file));
  return pack.verify();
}

}  // namespace

constinit const Reader kHmanReader{
    .open = open_with<hman::View>, .inspect = inspect_with<hman::View, describe>, .references = entry_references};
// `assetc pack info` lists the content of packs. In an output folder, a pack is like any other file.
constinit const Reader kHpackReader{.open = open_with<hpack::View>, .check = verify_pack};

}  // namespace assetc::filetypes
