// What the files are that assetc reads and writes: one table, a row a type.
//
//   const filetypes::Row* row = filetypes::find_row("models/chair.glb");
//   if (row != nullptr && row->is_model()) ...
//
// Which recipe takes a source is its claims' to say; what a file is, is said here.
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
  kSound,
  kShader,
  kLut,
  kManifest,
  kPack,
  kData,
  kPart,  // of a model: what another file names
};

// How a compiled file is looked at. Every function takes the whole file and gives the errors of the format's reader.
struct Reader {
  Result<void> (*open)(ByteSpan);  // whether it is a valid file of its format
  Result<FileContent> (*inspect)(ByteSpan) = nullptr;
  Result<void> (*check)(ByteSpan) = nullptr;  // of a valid file: what opening leaves to whoever uses it
  Result<References> (*references)(ByteSpan) = nullptr;
};

struct Magic {
  std::size_t offset_bytes = 0;
  std::string_view bytes;
};

struct Row {
  std::array<std::string_view, 9> suffixes;  // lower case, the first is the one to name; of a folder: of its name
  std::string_view doc;                      // what it is, for the manual
  Class type;
  std::string_view kind = "other";  // of files that `info` describes: "mesh", a stable name for JSON
  std::string_view media_type = {};
  std::array<Magic, 2>
      magic{};                // how every such file begins: all that are not empty; none where the suffix alone tells
  bool is_folder = false;     // a folder is the source
  bool passes_white = false;  // a picture of light, whose values are not colors of 0 to 1
  hman::Kind manifest_kind = hman::Kind::kEmbed;
  hpack::PackKind pack_kind = hpack::PackKind::kOther;
  const Reader* reader = nullptr;  // of compiled files; sources are read by their importers

  std::string_view suffix() const { return suffixes[0]; }
  bool is_compiled() const { return reader != nullptr; }
  bool is_model() const { return type == Class::kModel && !is_folder; }
  bool is_picture() const { return type == Class::kPicture && !is_folder; }
};

// In the order in which messages and the manual list them.
std::span<const Row> all_rows();

// The row of a file of that name, or null; ASCII case is ignored. is_folder: of a folder of that name.
const Row* find_row(std::string_view path, bool is_folder = false);
// The same for a file that a build wrote: a compiled type, its suffix in lower case as builds write it.
const Row* find_compiled(std::string_view path);
// The row that these first bytes belong to, or null for what has no magic.
const Row* find_magic(ByteSpan file);
bool has_magic(const Row& row, ByteSpan file);

// kInvalidData for the few lines that Git LFS keeps in the place of a file whose bytes it has not fetched.
Result<void> check_fetched(ByteSpan file);

// ".gltf, .glb or .obj", of the rows that `is` holds for: one suffix a row.
std::string list_suffixes(const std::function<bool(const Row&)>& is, std::string_view separator,
                          std::string_view last_separator);

// Reader::open and Reader::check of the compiled file of that name: all that can be said of a file by itself. Nothing
// for a file whose type has no reader.
Result<void> check_file(std::string_view path, ByteSpan file);

}  // namespace assetc::filetypes
