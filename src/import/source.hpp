// What every importer of models shares: the door to other files, references between files, and what it hands back.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"
#include "scene/scene.hpp"
#include "warnings/warnings.hpp"

namespace assetc::importer {

// Reads a file that the source refers to. Paths are '/'-separated, relative to the input root and never climb out of
// it. kNotFound when it is not there. Called from the importing thread only.
using FileReader = std::function<Result<Bytes>(std::string_view path)>;

// Whether a file is there. Paths as FileReader's.
using FileProbe = std::function<bool(std::string_view path)>;

struct ImportLimits {
  // Bytes of decoded attributes, indices and decompressed buffers of one source. Many primitives may share
  // one accessor, so a small file may legally decode to terabytes; this is where that stops.
  std::uint64_t scene_bytes = 8ull << 30;
};

struct Imported {
  scene::Scene scene;
  std::vector<Warning> warnings;  // the scene is usable, but not what its author meant
};

// The path that a reference inside a file means, absolute where source_path is: uri is percent-decoded, '\\' becomes
// '/', and it is resolved against the folder of source_path. kInvalidData for an absolute path, a scheme, a path that
// leaves the input root, or text that is not a path (empty, a NUL, a broken escape).
Result<std::string> resolve_uri(std::string_view source_path, std::string_view uri);

// The same for a reference that is a plain path, without percent escapes (OBJ, MTL). root: the folder, below the input
// root, that a leading '/' stands for; none: there must be no leading '/'.
Result<std::string> resolve_path(std::string_view source_path, std::string_view path,
                                 std::optional<std::string_view> root = std::nullopt);

// "models/chair.glb" -> "models/chair.glb" without its folder: "chair.glb".
std::string_view file_name(std::string_view path);

// "dropped: 2 cameras (/cameras/0, ...)": one line for one kind of thing that the output cannot hold.
std::string describe(const scene::Dropped& dropped);
// The same, of its kind, where nothing else tells of it.
Warning dropped_warning(const scene::Dropped& dropped);

// Adds to the entry of that kind, or makes one. The first place is kept.
void add_dropped(std::vector<scene::Dropped>& all, std::string_view what, std::string_view where,
                 std::uint32_t count = 1);

}  // namespace assetc::importer
