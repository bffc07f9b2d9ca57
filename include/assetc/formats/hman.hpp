// .hman version 1: maps each hash in a .hmat or .hmesh to a file. Specification: docs/formats/hman.md.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"
#include "assetc/formats/fourcc.hpp"

namespace assetc::hman {

inline constexpr std::uint32_t kMagic = fourcc("HMAN");
inline constexpr std::uint32_t kVersion = 1;

enum class Kind : std::uint8_t {
  kTexture = 0,
  kMesh = 1,
  kMaterial = 2,
  kLut = 3,
  kShader = 4,
  kEmbed = 5,
  kAnimation = 6,
  kFont = 7,
  kScene = 8,
};
inline constexpr Kind kLastKind = Kind::kScene;
std::string_view to_string(Kind kind);  // "texture"; "other" for a value that is not listed

enum class Colorspace : std::uint8_t { kLinear = 0, kSrgb = 1 };

struct Entry {
  std::uint64_t hash = 0;
  Kind kind = Kind::kTexture;
  Colorspace colorspace = Colorspace::kLinear;
  std::string path;  // UTF-8, '/'-separated, relative to the output root
  bool operator==(const Entry&) const = default;
};

// Returns the entry of the texture at path. Its hash is that of the path without ".ktx2". Requires a path that ends in
// ".ktx2".
Entry texture_entry(std::string path, Colorspace colorspace);
// Returns the entry of another file. Its hash is that of the whole path. Requires a kind other than kTexture.
Entry file_entry(std::string path, Kind kind);

struct EntryView {
  std::uint64_t hash = 0;
  Kind kind = Kind::kTexture;  // a value that is not listed above is kept unchanged
  Colorspace colorspace = Colorspace::kLinear;
  std::string_view path;
};

// A valid manifest. Entries ascend by hash, each path stays below the output root, and the hash of every texture is
// that of its path without ".ktx2".
// Errors: kTruncated, kInvalidData, kVersion, kConflict (two paths, one hash).
// Lifetime: paths point into the caller's bytes, which may have any alignment.
// Thread safety: const.
class View {
 public:
  static Result<View> open(ByteSpan file);

  std::span<const EntryView> entries() const { return entries_; }
  // Whether sources that failed, and those that depend on them, are missing: a build with --keep-going wrote it.
  bool is_incomplete() const { return is_incomplete_; }
  // Returns the entry of a hash, or null. Binary search.
  const EntryView* find(std::uint64_t hash) const;

 private:
  std::vector<EntryView> entries_;
  bool is_incomplete_ = false;
};

// Returns the bytes of a manifest with these entries, given in any order. Equal entries are merged. is_incomplete: see
// View::is_incomplete().
// Errors: kConflict, with both paths, if two entries share a hash and differ; also every error of View::open.
// Deterministic: the result depends on the set of entries, not on their order.
Result<ByteVector> write(std::vector<Entry> entries, bool is_incomplete = false);

}  // namespace assetc::hman
