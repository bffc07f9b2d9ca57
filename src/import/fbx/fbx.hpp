// Imports Autodesk FBX as a scene.
#pragma once

#include <string_view>

#include "import/model/source.hpp"
#include "process/child.hpp"

namespace assetc::importer {

// The process in which ufbx reads one FBX file. For process::run_as.
extern const process::Role kFbxReader;

inline constexpr process::Limits kFbxLimits{.memory_bytes = 8ull << 30, .processor_seconds = 300};

// Reads an .fbx, binary or text.
//
// If the platform allows it (process::can_start), ufbx runs in a separate process with limits. It gets only the bytes
// of the file, and its result is checked here. See import_gltf for the next steps.
//
// Lengths become meters, and +Y becomes up. The pivots and offsets of a node are merged into its transform, its
// geometric transform into its mesh. An animation stack becomes a clip, linear between its keys; curves that bend are
// sampled. Blend shapes, cameras, lights, hidden nodes and user properties are kept. Phong, Lambert, Stingray, Arnold
// and 3ds Max materials become metallic-roughness. Scene::dropped lists everything that the scene cannot hold.
//
// Embedded images are returned as bytes. Other images are looked up at the path in the file. If that does not exist or
// is outside the input root, they are looked up by name: beside the file, then in NAME.fbm, textures and ../textures.
// This gives a warning.
//
// Errors name no place in the file. kUnsupported: assetc was built without ufbx. kLimit and kInvalidData also occur if
// the process reached a limit or crashed. Thread-safe if `exists` is.
Result<Imported> import_fbx(std::string_view source_path, const Bytes& file, const FileProbe& exists,
                            const process::Limits& limits = kFbxLimits);

// The usual peak memory for a file of this size, in the other process and here. If a file needs more, kFbxLimits is the
// maximum.
std::uint64_t usual_fbx_bytes(std::uint64_t file_bytes);

// Reads the file in this process. Images keep the names from the file: ImageSource::path is any text.
Result<Imported> read_fbx_here(ByteSpan file);

}  // namespace assetc::importer
