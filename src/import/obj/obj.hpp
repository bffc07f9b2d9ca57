// Imports Wavefront OBJ and MTL as a scene. Supported statements and the mapping of MTL to PBR: docs/guide/obj.md.
#pragma once

#include <string_view>

#include "assetc/base/bytes.hpp"
#include "import/model/source.hpp"

namespace assetc::importer {

// Reads an .obj. Material libraries are read through `read`. Images are located but not read.
//
// There is one mesh and one node per object or group name, in the order of first use, with one primitive per material.
// Faces with any number of corners become triangles. Negative indices, smoothing groups and vertex colors are
// supported. Lines and points become primitives of their own. A missing material library gives a warning, and its
// materials keep their names with default values.
//
// Errors have "line N" as their place: a value that is no number or not finite, or a face whose vertex does not exist.
// Free-form surfaces are listed in Scene::dropped.
//
// Thread safety: pure except for `read`. Source: Wavefront's Advanced Visualizer manual, appendix B1; MTL: B2 and its
// PBR extension.
Result<Imported> import_obj(std::string_view source_path, const Bytes& file, const FileReader& read,
                            const ImportLimits& limits = {});

// Estimates the decoded size of the attributes and indices of an OBJ text.
std::uint64_t estimate_obj_bytes(const Bytes& file);

}  // namespace assetc::importer
