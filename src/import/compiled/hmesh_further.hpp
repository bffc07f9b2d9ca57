// The values of the further attributes and morph targets of a compiled mesh, as a Scene has them.
#pragma once

#include <span>
#include <vector>

#include "assetc/formats/mesh_attributes.hpp"
#include "assetc/formats/mesh_morphs.hpp"
#include "scene/scene.hpp"

namespace assetc::importer {

// The values of one attribute of view, for these vertices of the mesh.
std::vector<scene::Vec2> texcoords_of(const hmesh::FurtherAttributesView& view, const hmesh::GpuAttribute& attribute,
                                      std::span<const std::uint32_t> vertices);
std::vector<scene::Vec4> colors_of(const hmesh::FurtherAttributesView& view, const hmesh::GpuAttribute& attribute,
                                   std::span<const std::uint32_t> vertices);
// All custom attributes by name, for these vertices of the mesh. The columns of a matrix become one attribute.
std::vector<scene::CustomAttribute> custom_of(const hmesh::FurtherAttributesView& view,
                                              std::span<const std::uint32_t> vertices);

// A target. number: for each vertex of the mesh its number in the result, or kNone if it is left out.
scene::MorphTarget morph_of(const hmesh::MorphsView& view, std::size_t target, std::span<const std::uint32_t> number);
// The same for the vertices [first, first + count) of the mesh.
scene::MorphTarget morph_of(const hmesh::MorphsView& view, std::size_t target, std::uint32_t first,
                            std::uint32_t count);

}  // namespace assetc::importer
