// .hman and .hpack: lists of other files.
#include <map>

#include "assetc/formats/hman.hpp"
#include "assetc/formats/hpack.hpp"
#include "filetypes/readers.hpp"

namespace assetc::filetypes {
namespace {

constexpr hman::Kind kUnnamedKind{255};

FileContent describe(const hman::View& manifest) {
  std::map<hman::Kind, std::uint64_t> by_kind;  // all kinds without a name are counted as kUnnamedKind
  std::uint64_t srgb = 0;
  for (const hman::EntryView& entry : manifest.entries()) {
    srgb += entry.colorspace == hman::Colorspace::kSrgb;
    ++by_kind[hman::to_string(entry.kind) == hman::to_string(kUnnamedKind) ? kUnnamedKind : entry.kind];
  }
  Facts kinds;
  for (const auto& [kind, count] : by_kind)
    kinds.share(std::string(hman::to_string(kind)), count, hman::to_string(kind));
  std::string text = kinds.text();
  const std::uint64_t entries = manifest.entries().size();
  Facts facts;
  facts.count("entries", entries, "entry").share("srgb", srgb, "sRGB").share("linear", entries - srgb, "linear");
  facts.add("kinds", std::move(kinds), std::move(text));
  return facts.add("incomplete", manifest.is_incomplete(), manifest.is_incomplete() ? "incomplete" : "");
}

Result<References> entry_references(ByteSpan file) {
  ASSETC_TRY(const hman::View manifest, hman::View::open(file));
  References out;
  out.files.assign(manifest.entries().begin(), manifest.entries().end());
  out.is_incomplete = manifest.is_incomplete();
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
