// Autodesk FBX to a scene.
#pragma once

#include <string_view>

#include "import/source.hpp"
#include "process/child.hpp"

namespace assetc::importer {

// The process that assimp reads FBX in: one a file. For process::run_as.
extern const process::Role kFbxReader;

inline constexpr process::Limits kFbxLimits{.memory_bytes = 8ull << 30, .processor_seconds = 300};

// Reads an .fbx, binary or text, of FBX 2011 (7.1) or later.
//
// assimp reads it in a process of its own, where there may be one (process::can_start), within limits, and sees nothing
// but the file's bytes; what comes back is checked here. Chain it as import_gltf.
//
// Lengths become meters and +Y up. A node's pivots, offsets and geometric transforms become its transform; an animation
// stack becomes a clip, linear between the keys of its curves. Phong, Lambert, Stingray, Arnold and 3ds Max's materials
// become metallic-roughness. What the scene cannot hold is listed in Scene::dropped.
//
// Embedded images come as bytes. Others are looked for where the file says; where that is not there, or out of the
// input root, by their name: beside the file, then in NAME.fbm, textures and ../textures, with a warning.
//
// Errors have no place but what assimp says. kUnsupported where assetc was built without assimp; kLimit and
// kInvalidData also for a process that met a limit or crashed. Thread-safe where `exists` is.
Result<Imported> import_fbx(std::string_view source_path, const Bytes& file, const FileProbe& exists,
                            const process::Limits& limits = kFbxLimits);

// What reading a file of this size usually takes at its peak, in the other process, and what is made of it here. Who
// needs more may have kFbxLimits.
std::uint64_t usual_fbx_bytes(std::uint64_t file_bytes);

// In this process, with images as the file names them: ImageSource::path is any text.
Result<Imported> read_fbx_here(ByteSpan file);

}  // namespace assetc::importer
