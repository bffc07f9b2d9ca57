// What a compiled mesh is written as. A container is one row of a table here and one file of src/formats.
#pragma once

#include "mesh/build.hpp"
#include "recipes/mesh_parts.hpp"

namespace assetc::recipes {

struct ContainerInput {
  const MeshSource& source;
  std::span<const FlatSubmesh> flat;
  // Its model is whole: materials, joints and names filled in. With exact frames where the container keeps channels.
  const mesh::BuiltMesh& built;
  std::string_view stem;
};

struct Container {
  std::string_view suffix;
  bool keeps_channels;  // every texture coordinate and colour set; normals and tangents as floats
  bool keeps_lods;
  bool keeps_materials;  // slots that a companion .hmat is indexed by
  bool keeps_skin;
  Result<Bytes> (*write)(const ContainerInput&, MeshReport&);
};

const Container& container_of(MeshContainer container);

// What tells two vertices of a primitive apart beside what a .hmesh vertex holds: stride bytes a vertex, or none.
struct ExtraAttributes {
  ByteVector bytes;
  std::size_t stride_bytes = 0;
};
ExtraAttributes extra_attributes(const scene::Primitive& primitive);

}  // namespace assetc::recipes
