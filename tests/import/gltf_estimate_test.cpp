// The memory estimate for a glTF grows with the parts that expand, even if the file is small.
#include <gtest/gtest.h>

#include <string>

#include "import/gltf/gltf.hpp"

namespace assetc::importer {
namespace {

constexpr std::uint64_t kVertices = 10'000;

std::uint64_t bytes_of(const Bytes& file) {
  const GltfSize size = estimate_gltf(file);
  return size.drawn.bytes + size.data_bytes;
}

Bytes document(const std::string& nodes, const std::string& more = "") {
  const std::string text =
      R"({"asset":{"version":"2.0"},"meshes":[{"primitives":[{"attributes":{"POSITION":0,"NORMAL":0}}]}],"accessors":[{"count":)" +
      std::to_string(kVertices) + R"(},{"count":100},{"count":1000000}],"nodes":[)" + nodes + "]" + more + "}";
  const ByteSpan bytes = as_bytes(text);
  return Bytes(ByteVector(bytes.begin(), bytes.end()));
}

std::string repeat(int count, const std::string& item) {
  std::string all;
  for (int i = 0; i < count; ++i) all += (i == 0 ? "" : ",") + item;
  return all;
}

TEST(GltfEstimate, a_mesh_counts_as_often_as_it_is_drawn) {
  const std::string node = R"({"mesh":0})";
  const std::uint64_t one = bytes_of(document(node));
  EXPECT_GE(one, kVertices * 24);
  EXPECT_GE(bytes_of(document(repeat(200, node))), one * 100);
  EXPECT_GE(
      bytes_of(document(R"({"mesh":0,"extensions":{"EXT_mesh_gpu_instancing":{"attributes":{"TRANSLATION":1}}}})")),
      one * 50);
}

// Each drawn primitive costs memory, however few vertices it has.
TEST(GltfEstimate, primitives_count_as_often_as_they_are_drawn) {
  const auto draws_of = [](const Bytes& file) { return estimate_gltf(file).drawn.primitives; };
  EXPECT_EQ(draws_of(document(repeat(200, R"({"mesh":0})"))), 200u);
  const std::string instanced =
      R"({"mesh":0,"extensions":{"EXT_mesh_gpu_instancing":{"attributes":{"TRANSLATION":2}}}})";
  EXPECT_EQ(draws_of(document(repeat(40, instanced))), 40'000'000u);
}

TEST(GltfEstimate, keys_count_as_often_as_channels_name_them) {
  const std::string sampler = R"("samplers":[{"input":2,"output":2}])";
  const std::string channel = R"({"sampler":0,"target":{}})";
  EXPECT_GE(bytes_of(document("", R"(,"animations":[{)" + sampler + R"(,"channels":[)" + repeat(50, channel) + "]}]")),
            std::uint64_t{50} * 1'000'000 * 8);
}

TEST(GltfEstimate, a_model_without_normals_has_a_vertex_a_corner) {
  const auto size_of = [](const std::string& primitive) {
    const std::string text =
        R"({"meshes":[{"primitives":[{)" + primitive + R"(}]}],"accessors":[{"count":3},{"count":3000000}]})";
    const ByteSpan bytes = as_bytes(text);
    return estimate_gltf(Bytes(ByteVector(bytes.begin(), bytes.end()))).drawn;
  };
  const GltfGeometry flat = size_of(R"("attributes":{"POSITION":0},"indices":1)");
  EXPECT_EQ(flat.corners, 3'000'000u);
  EXPECT_EQ(flat.flat_corners, 3'000'000u);
  EXPECT_EQ(size_of(R"("attributes":{"POSITION":1})").flat_corners, 3'000'000u);
  EXPECT_EQ(size_of(R"("attributes":{"POSITION":0},"indices":1,"mode":5)").flat_corners, 9'000'000u);
  const GltfGeometry smooth = size_of(R"("attributes":{"POSITION":0,"NORMAL":0},"indices":1)");
  EXPECT_EQ(smooth.corners, 3'000'000u);
  EXPECT_EQ(smooth.flat_corners, 0u);
}

TEST(GltfEstimate, tells_of_pictures_inside) {
  const Bytes file = document(
      R"({"mesh":0})",
      R"(,"bufferViews":[{"byteLength":1000},{"byteLength":200}],"images":[{"bufferView":0,"mimeType":"image/png"},)"
      R"({"bufferView":1,"mimeType":"image/jpeg"},{"bufferView":7},{"uri":"other.png"},)"
      R"({"uri":"data:image/ktx2;base64,AAAAAAAAAAAA"}])");
  const GltfSize size = estimate_gltf(file);
  EXPECT_EQ(size.png_bytes, 1000u);
  EXPECT_EQ(size.other_picture_bytes, 200u);
  EXPECT_GT(size.ktx2_bytes, 8u);
  EXPECT_EQ(size.pictures, 3u);
}

TEST(GltfEstimate, saturates_where_a_file_lies) {
  const GltfSize size = estimate_gltf(
      document(repeat(100, R"({"mesh":0})"), R"(,"buffers":[{"byteLength":18446744073709551615},{"byteLength":1}])"));
  EXPECT_LE(size.data_bytes, std::uint64_t{1} << 50);
  EXPECT_LE(size.drawn.bytes, std::uint64_t{1} << 50);
}

TEST(GltfEstimate, needs_no_byte_behind_the_json_of_a_glb) {
  const Bytes json = document(R"({"mesh":0})");
  ByteVector glb;
  for (const std::uint32_t word : {0x46546C67u, 2u, 1u << 20, static_cast<std::uint32_t>(json.size()), 0x4E4F534Au})
    append(glb, word);
  append_bytes(glb, json);
  EXPECT_EQ(gltf_json_end(glb), glb.size());
  const std::size_t end = glb.size();
  glb.resize(1 << 20);
  EXPECT_EQ(bytes_of(Bytes(std::move(glb))), bytes_of(json));
  EXPECT_GT(end, 20u);
}

}  // namespace
}  // namespace assetc::importer
