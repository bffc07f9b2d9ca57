// The file types that assetc reads and writes: one table with one row per type.
//
//   const filetypes::Row* row = filetypes::find_row("models/chair.glb");
//   if (row != nullptr && row->is_model()) ...
//
// This table says only the type of a file. The claims of recipes say which recipe compiles a source.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"
#include "assetc/formats/hman.hpp"
#include "assetc/formats/hpack.hpp"
#include "filetypes/content.hpp"

namespace assetc::filetypes {

enum class Class : std::uint8_t {
  kModel,
  kPicture,
  kMaterial,
  kAnimation,
  kScene,
  kFont,
  kSound,
  kShader,
  kLut,
  kManifest,
  kPack,
  kData,
  kPart,  // part of a model: named by another file
};

// Functions that read a compiled file. Each takes the whole file and returns the errors of the format's reader.
struct Reader {
  Result<void> (*open)(ByteSpan);  // checks that the file is valid in its format
  Result<FileContent> (*inspect)(ByteSpan) = nullptr;
  Result<void> (*check)(ByteSpan) = nullptr;  // requires a valid file; checks the rules that open does not check
  Result<References> (*references)(ByteSpan) = nullptr;
};

struct Magic {
  std::size_t offset_bytes = 0;
  std::string_view bytes;
};

struct Row {
  // lower case; the first is used in texts; for a folder: the end of its name
  std::array<std::string_view, 9> suffixes;
  std::string_view doc;  // a description for the manual
  Class type;
  std::string_view kind = "other";  // for files that `info` describes: "mesh", a stable name in JSON
  std::string_view media_type = {};
  std::array<Magic, 2> magic{};  // the first bytes of every such file; both empty: only the suffix shows the type
  bool is_folder = false;        // the source is a folder
  bool passes_white = false;     // an image of light, whose values may be larger than 1
  hman::Kind manifest_kind = hman::Kind::kEmbed;
  hpack::PackKind pack_kind = hpack::PackKind::kOther;
  const Reader* reader = nullptr;  // for compiled files; sources are read by their importers

  std::string_view suffix() const { return suffixes[0]; }
  bool is_compiled() const { return reader != nullptr; }
  bool is_model() const { return type == Class::kModel && !is_folder; }
  bool is_picture() const { return type == Class::kPicture && !is_folder; }
};

// Returns all rows, in the order of messages and the manual.
std::span<const Row> all_rows();

// Returns the row of a file with this name, or null. ASCII case is ignored. is_folder: the name is of a folder.
const Row* find_row(std::string_view path, bool is_folder = false);
// The same for a file that a build wrote: a compiled type, with a lower-case suffix.
const Row* find_compiled(std::string_view path);
// Returns the row whose magic the file begins with, or null.
const Row* find_magic(ByteSpan file);
bool has_magic(const Row& row, ByteSpan file);

// Returns kInvalidData if version control has left something else in the place of the file: a pointer of Git LFS, which
// has not fetched it, or a text with the markers of an unsolved merge.
Result<void> check_whole(ByteSpan file);

// Returns ".gltf, .glb or .obj": one suffix for each row for which `is` returns true.
std::string list_suffixes(const std::function<bool(const Row&)>& is, std::string_view separator,
                          std::string_view last_separator);

// Runs Reader::open and Reader::check for a compiled file with this name: all checks of a single file. No check if its
// type has no reader.
Result<void> check_file(std::string_view path, ByteSpan file);

}  // namespace assetc::filetypes
