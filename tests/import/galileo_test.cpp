#include "import/compiled/galileo.hpp"

#include <gtest/gtest.h>

#include "assetc/formats/galileo.hpp"

namespace assetc::importer {
namespace {

galileo::Model sample() {
  galileo::VertexGroup group;
  group.indices = {0, 1, 2};
  group.positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  group.normals.assign(3, {0, 0, 1});
  group.tangents.assign(3, {1, 0, 0, -1});
  group.texcoords = {{{0, 0}, {2.5f, 0}, {0, 1}}, {{0, 0}, {1, 0}, {0, 1}}};
  group.colors = {{{255, 0, 0, 255}, {0, 255, 0, 255}, {0, 0, 255, 51}}};
  group.material_slot = 1;
  galileo::Model model;
  model.groups = {group, group};
  model.groups[1].material_slot = hmesh::kNoMaterial;
  model.materials = {1, 2};
  model.names.submeshes = {"seat", "back"};
  model.names.materials = {"wood", "steel"};
  return model;
}

Bytes file_of(const galileo::Model& model) {
  auto bytes = galileo::write(model);
  EXPECT_TRUE(bytes) << bytes.error().to_string();
  return bytes ? Bytes(std::move(*bytes)) : Bytes();
}

TEST(ImportGalileo, keeps_every_channel_and_the_exact_texcoords) {
  const auto imported = import_galileo(file_of(sample()));
  ASSERT_TRUE(imported) << imported.error().to_string();
  const auto& primitives = imported->scene.meshes[0].primitives;
  ASSERT_EQ(primitives.size(), 2u);
  EXPECT_EQ(primitives[0].texcoords[0][1], (scene::Vec2{2.5f, 0})) << "outside [0, 1], carried by the extension";
  EXPECT_EQ(primitives[0].texcoords[1][1], (scene::Vec2{1, 0}));
  EXPECT_FLOAT_EQ(primitives[0].colors[0][2].w, 0.2f);
  EXPECT_EQ(primitives[0].tangents[0].w, -1);
  EXPECT_EQ(primitives[0].material, 1u);
  EXPECT_EQ(primitives[1].material, scene::kNone);
  EXPECT_EQ(primitives[1].name, "back");
  EXPECT_EQ(imported->scene.materials[1].name, "steel");
}

TEST(ImportGalileo, lists_extensions_it_cannot_hold) {
  galileo::Model model = sample();
  model.extensions.push_back({"cloth", 1, ByteVector(8)});
  const auto imported = import_galileo(file_of(model));
  ASSERT_TRUE(imported) << imported.error().to_string();
  ASSERT_EQ(imported->scene.dropped.size(), 1u);
  EXPECT_EQ(imported->scene.dropped[0].what, "extension cloth");
}

TEST(ImportGalileo, a_file_at_any_alignment_is_read_and_a_damaged_one_refused) {
  const Bytes file = file_of(sample());
  ByteVector shifted(file.size() + 1);
  std::copy_n(file.data(), file.size(), shifted.begin() + 1);
  EXPECT_TRUE(import_galileo(Bytes(shifted).slice(1, file.size())));
  shifted[shifted.size() / 2] ^= std::byte{1};
  EXPECT_FALSE(import_galileo(Bytes(shifted).slice(1, file.size())));
}

}  // namespace
}  // namespace assetc::importer
