// Wavefront OBJ and MTL to a scene. What is read and how MTL maps to PBR: docs/guide/obj.md.
#pragma once

#include <string_view>

#include "assetc/base/bytes.hpp"
#include "import/source.hpp"

namespace assetc::importer {

// Reads a .obj; its material libraries are read through `read`, images are only located.
//
// One mesh and one node for each object or group name, in order of first use; one primitive for each material in it.
// Faces of any number of corners become triangles. Negative indices, smoothing groups, vertex colors are read; a
// material library that is not there is a warning, and its materials keep their names and defaults.
//
// Errors have "line N" as their place: a number that is none or not finite, a face that names a vertex that is not
// there. Lines, points and free-form surfaces are listed in Scene::dropped.
//
// Thread safety: pure but for `read`. Source: Wavefront's Advanced Visualizer manual, appendix B1; MTL: B2 and its PBR
// extension.
Result<Imported> import_obj(std::string_view source_path, const Bytes& file, const FileReader& read,
                            const ImportLimits& limits = {});

// About what the attributes and indices of an OBJ text of that size decode to.
std::uint64_t estimate_obj_bytes(const Bytes& file);

}  // namespace assetc::importer
