// Shared by all model importers: access to other files, references between files, and the result type.
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

// Reads a file that the source refers to. Paths use '/', are relative to the input root, and never leave it. kNotFound
// if the file does not exist. Called only from the importing thread.
using FileReader = std::function<Result<Bytes>(std::string_view path)>;

// Whether a file exists. Paths are like those of FileReader.
using FileProbe = std::function<bool(std::string_view path)>;

struct ImportLimits {
  // Maximum bytes of decoded attributes, indices and decompressed buffers of one source. Many primitives may share one
  // accessor, so a small valid file could decode to terabytes.
  std::uint64_t scene_bytes = 8ull << 30;
  // The same in proportion to the source: this many bytes, and so many for each byte of its files. Of a few bytes, no
  // source needs more. Streams of Draco and meshopt reach about 50.
  std::uint64_t free_bytes = 64ull << 20;
  std::uint64_t bytes_per_byte = 256;
  // Maximum corners of triangles, lines and points that the nodes draw, each mesh as often as nodes draw it: this many,
  // and so many for each byte of the source. A forest of a thousand trees in a file of 2 MB has 20.
  std::uint64_t free_corners = 1ull << 20;
  std::uint64_t corners_per_byte = 256;
};

// Fails if a source of so many bytes would decode to more bytes than it may. bytes: all so far, with those to come.
// Errors: kLimit.
Result<void> check_decoded(std::uint64_t bytes, std::uint64_t source_bytes, const ImportLimits& limits = {});

// Fails if the nodes of a scene draw more corners than a source of so many bytes may. What flattens or renders a scene
// makes something for each of them.
// Errors: kLimit.
Result<void> check_drawn(const scene::Scene& scene, std::uint64_t source_bytes, const ImportLimits& limits = {});

struct Imported {
  scene::Scene scene;
  std::vector<Warning> warnings;  // the scene is usable, but differs from its author's intent
};

// The text with each %XX replaced by its byte. A '%' without two hexadecimal digits stays.
std::string decode_percents(std::string_view uri);

// Resolves a reference inside a file to a path. The uri is percent-decoded, '\\' becomes '/', and the result is
// resolved against the folder of source_path. The path is absolute if source_path is. kInvalidData for an absolute
// path, a scheme, a path that leaves the input root, or text that is not a path (empty, a NUL, a broken escape).
Result<std::string> resolve_uri(std::string_view source_path, std::string_view uri);

// The same for a plain path without percent escapes (OBJ, MTL). root: the folder below the input root that a leading
// '/' stands for. Without it, a leading '/' is an error.
Result<std::string> resolve_path(std::string_view source_path, std::string_view path,
                                 std::optional<std::string_view> root = std::nullopt);

// The file name without its folder: "models/chair.glb" -> "chair.glb".
std::string_view file_name(std::string_view path);

// "dropped: 2 cameras (/cameras/0, ...)": one line for one kind of data that the output cannot hold.
std::string describe(const scene::Dropped& dropped);
// The same as a warning of the matching kind, for data that no other warning reports.
Warning dropped_warning(const scene::Dropped& dropped);

// Adds to the entry of that kind, or creates it. The entry keeps its first place.
void add_dropped(std::vector<scene::Dropped>& all, std::string_view what, std::string_view where,
                 std::uint32_t count = 1, bool is_in_scene = false, bool is_minor = false);
// The same for cameras, which a scene keeps. They are minor: a level with cameras has several meshes, and one beside a
// single mesh is left from the program that made it. If it moves, its clip is lost, too.
inline void add_dropped_cameras(std::vector<scene::Dropped>& all, std::string_view where, std::uint32_t count = 1) {
  add_dropped(all, "cameras", where, count, true, true);
}

}  // namespace assetc::importer
