// Any file of a model, by its type.
#pragma once

#include <cstdint>
#include <string_view>

#include "import/companions.hpp"
#include "import/source.hpp"

namespace assetc::importer {

// What a model is read from. It decides how messages name its parts.
enum class ModelKind : std::uint8_t { kGltf, kObj, kFbx, kGalileo, kHmesh };

// By the table of file types, in any case.
bool is_model_path(std::string_view path);
// kGltf for what is no model.
ModelKind model_kind(std::string_view path);
// Materials and clips lie beside it.
bool is_compiled_model_path(std::string_view path);

// Opens the file by the importer of its model_kind(). read: see import_gltf and import_obj;
// exists: see import_fbx; companions: of a compiled model; memory_bytes: what a process that reads the file may take, 0
// the most. Errors: those of the importers; kLimit where that did not do.
Result<Imported> import_model(std::string_view path, const Bytes& file, const FileReader& read, const FileProbe& exists,
                              const Companions& companions = {}, std::uint64_t memory_bytes = 0);

}  // namespace assetc::importer
