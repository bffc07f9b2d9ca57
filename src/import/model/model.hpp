// Imports a model file of any type.
#pragma once

#include <cstdint>
#include <string_view>

#include "import/compiled/companions.hpp"
#include "import/compiled/hcluster.hpp"
#include "import/model/source.hpp"

namespace assetc::importer {

// The kind of file that a model is read from. Messages name parts of the model accordingly.
enum class ModelKind : std::uint8_t { kGltf, kObj, kFbx, kGalileo, kHmesh, kHscene, kHcluster };

// Looks up the extension, in any letter case, in the table of file types.
bool is_model_path(std::string_view path);
// kGltf for a path that is no model.
ModelKind model_kind(std::string_view path);
// Whether materials and clips are in files beside it.
bool is_compiled_model_path(std::string_view path);

// Reads the file with the importer of its model_kind(). A .hscene has an importer of its own (hscene.hpp).
//
// - read: see import_gltf and import_obj.
// - exists: see import_fbx.
// - companions: for a compiled model.
// - cut: of a .hcluster.
// - memory_bytes: the memory limit of a process that reads the file; 0 means the maximum.
//
// Errors: those of the importers; kLimit if the memory was not enough.
Result<Imported> import_model(std::string_view path, const Bytes& file, const FileReader& read, const FileProbe& exists,
                              const Companions& companions = {}, std::uint64_t memory_bytes = 0,
                              const ClusterCut& cut = {});

}  // namespace assetc::importer
