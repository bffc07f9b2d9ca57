// Converts a compiled mesh into another container: copied if possible, otherwise built again.
#include "convert/carry.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assetc/formats/galileo.hpp"
#include "assetc/formats/hmesh_encoded.hpp"
#include "assetc/formats/hmesh_v1.hpp"
#include "convert/support.hpp"
#include "export/glb.hpp"

namespace assetc::convert {
namespace {

using namespace testing;
using recipes::MeshFormat;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Carry : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto glb = exporter::write_glb(sheet(40, 3.0f, false));
    ASSERT_TRUE(glb) << glb.error().to_string();
    files_.put("sheet.glb", Bytes(*glb));
    ConvertOptions options;
    options.settings.mesh.lods = 3;  // differs from what a conversion would build itself
    convert("sheet.glb", "sheet.hmesh", options);
  }
  Converted convert(const std::string& from, const std::string& to, const ConvertOptions& options = {}) {
    auto converted = convert_file(from, to, files_.reader(), options);
    EXPECT_TRUE(converted) << from << " to " << to << ": " << converted.error().to_string();
    if (!converted) return {};
    files_.put(*converted);
    return std::move(*converted);
  }
  Converted convert_to(MeshFormat container, const std::string& from, const std::string& to) {
    return convert(from, to, into(container));
  }
  Bytes bytes(const std::string& path) const { return *files_.reader()(path); }
  hmesh::Model mesh(const std::string& path) const { return hmesh::View::open(bytes(path))->to_model(); }
  static std::vector<std::string> paths(const Converted& c) {
    std::vector<std::string> out;
    out.reserve(c.files.size());
    for (const ConvertedFile& f : c.files) out.push_back(f.path);
    return out;
  }
  static std::string told(const Converted& c) {
    std::string out;
    for (const recipes::Diagnostic& d : c.diagnostics) out += d.what.to_string() + "\n";
    return out;
  }
  static bool same(const Bytes& a, const Bytes& b) { return std::ranges::equal(a.span(), b.span()); }

  Files files_;
};

TEST_F(Carry, hmesh_into_hmesh_is_the_same_file) {
  const Converted c = convert("sheet.hmesh", "other.hmesh");
  EXPECT_THAT(paths(c), ElementsAre("other.hmesh", "other.hmat"));
  EXPECT_TRUE(same(bytes("other.hmesh"), bytes("sheet.hmesh")));
  EXPECT_TRUE(same(bytes("other.hmat"), bytes("sheet.hmat")));
  EXPECT_EQ(told(c), "");
  EXPECT_EQ(mesh("other.hmesh").lod_count, 3u);
}

TEST_F(Carry, settings_of_the_mesh_build_it_again) {
  ConvertOptions options;
  options.rebuild = true;
  options.settings.mesh.lods = 1;
  convert("sheet.hmesh", "other.hmesh", options);
  EXPECT_EQ(mesh("other.hmesh").lod_count, 1u);
}

// Taken directly from the file: no picture is read, no name is lost, and only losses of the scene itself are reported.
TEST_F(Carry, building_again_takes_the_full_mesh_as_it_is) {
  ConvertOptions options;
  options.rebuild = true;
  options.settings.mesh.lods = 3;
  const Converted c = convert("sheet.hmesh", "other.hmesh", options);
  EXPECT_EQ(told(c), "");
  const hmesh::Model before = mesh("sheet.hmesh"), after = mesh("other.hmesh");
  EXPECT_EQ(after.indices.size(), before.indices.size());
  EXPECT_EQ(after.vertices.size(), before.vertices.size());
  EXPECT_EQ(after.lod_count, 3u);
  EXPECT_EQ(after.names.submeshes, before.names.submeshes);
  EXPECT_EQ(after.names.materials, before.names.materials);
  EXPECT_TRUE(same(bytes("other.hmat"), bytes("sheet.hmat")));
}

TEST_F(Carry, hmesh_into_version_1_keeps_order_and_meshlets) {
  const Converted c = convert_to(MeshFormat::kHmeshV1, "sheet.hmesh", "old.hmesh");
  EXPECT_THAT(paths(c), ElementsAre("old.hmesh"));
  const hmesh::Model model = mesh("sheet.hmesh");
  const hmesh_v1::Model old = hmesh_v1::View::open(bytes("old.hmesh"))->to_model();
  EXPECT_EQ(old.indices, model.indices);
  EXPECT_EQ(old.meshlets, model.meshlets);
  EXPECT_EQ(old.meshlet_vertices, model.meshlet_vertices);
  EXPECT_EQ(old.meshlet_triangles, model.meshlet_triangles);
  EXPECT_EQ(old.materials, model.materials);
  EXPECT_EQ(old.material_names, model.names.materials);
  ASSERT_EQ(old.vertices.size(), model.vertices.size());
  for (std::size_t v = 0; v < old.vertices.size(); ++v) {
    EXPECT_EQ(std::to_array(old.vertices[v].position), std::to_array(model.vertices[v].position));
    EXPECT_EQ(old.vertices[v].tangent[0], model.vertices[v].tangent[0]);
  }
  EXPECT_EQ(told(c),
            "sheet.hmesh: dropped: 3 levels of detail, which hmesh-v1 cannot hold\n"
            "sheet.hmesh: dropped: the .hmat next to it, which hmesh-v1 cannot hold\n");
}

TEST_F(Carry, hmesh_into_galileo_keeps_order_and_says_what_is_lost) {
  ConvertOptions options;
  options.beside_input = true;
  const Converted c = convert("sheet.hmesh", "sheet.gali", options);
  EXPECT_THAT(paths(c), ElementsAre("sheet.gali")) << "the sibling files exist already";
  const hmesh::Model model = mesh("sheet.hmesh");
  const galileo::Model gali = galileo::View::open(bytes("sheet.gali"))->to_model();
  ASSERT_EQ(gali.groups.size(), 1u);
  EXPECT_EQ(gali.groups[0].indices, model.indices);
  ASSERT_EQ(gali.groups[0].positions.size(), model.vertices.size());
  for (std::size_t v = 0; v < model.vertices.size(); ++v) {
    EXPECT_EQ(gali.groups[0].positions[v], std::to_array(model.vertices[v].position));
    EXPECT_EQ(gali.groups[0].texcoords[0][v], std::to_array(model.vertices[v].uv)) << "exact, though past [0, 1]";
  }
  EXPECT_EQ(gali.materials, model.materials);
  EXPECT_EQ(gali.uuid, galileo::uuid_of_ref("sheet"));
  EXPECT_THAT(told(c), HasSubstr("sheet.hmesh: dropped: 3 levels of detail, which Galileo cannot hold\n"));
  EXPECT_THAT(told(c), HasSubstr("texture coordinates leave [0, 1]"));
}

TEST_F(Carry, an_encoded_mesh_is_decoded_and_encoded) {
  ConvertOptions options;
  options.recompress = true;
  options.settings.mesh.compress = recipes::MeshCompression::kMeshopt;
  convert("sheet.hmesh", "small.hmesh", options);
  EXPECT_LT(bytes("small.hmesh").size(), bytes("sheet.hmesh").size());
  EXPECT_TRUE(hmesh::is_encoded(bytes("small.hmesh")));
  // Unset, the chunks are stored as in the input.
  convert("small.hmesh", "copy.hmesh");
  EXPECT_TRUE(same(bytes("copy.hmesh"), bytes("small.hmesh")));
  options.settings.mesh.compress = recipes::MeshCompression::kNone;
  convert("small.hmesh", "plain.hmesh", options);
  EXPECT_TRUE(same(bytes("plain.hmesh"), bytes("sheet.hmesh")));
  convert("sheet.hmesh", "same.hmesh", options);
  EXPECT_TRUE(same(bytes("same.hmesh"), bytes("sheet.hmesh")));
  // Other conversions read it like the plain file.
  for (const char* to : {"glb", "gali"}) {
    convert("sheet.hmesh", std::string("a.") + to);
    convert("small.hmesh", std::string("b.") + to);
    EXPECT_EQ(bytes(std::string("a.") + to).size(), bytes(std::string("b.") + to).size());
  }
}

TEST_F(Carry, the_other_containers_into_themselves_are_the_same_file) {
  convert("sheet.glb", "a.gali");
  convert("a.gali", "b.gali");
  EXPECT_TRUE(same(bytes("a.gali"), bytes("b.gali")));
  EXPECT_TRUE(files_.has("b.hmat"));
  convert_to(MeshFormat::kHmeshV1, "sheet.glb", "a.hmesh");
  convert_to(MeshFormat::kHmeshV1, "a.hmesh", "b.hmesh");
  EXPECT_TRUE(same(bytes("a.hmesh"), bytes("b.hmesh")));
}

TEST_F(Carry, what_lacks_levels_of_detail_is_built) {
  convert("sheet.glb", "a.gali");
  convert("a.gali", "from_gali.hmesh");
  EXPECT_EQ(mesh("from_gali.hmesh").lod_count, 2u);
  EXPECT_FALSE(mesh("from_gali.hmesh").meshlets.empty());
  convert_to(MeshFormat::kHmeshV1, "sheet.glb", "v1.hmesh");
  convert("v1.hmesh", "from_v1.hmesh");
  EXPECT_EQ(mesh("from_v1.hmesh").lod_count, 2u);
  const auto v1 = carry_over("v1.hmesh", "v1.gali", recipes::kGalileo, {}, false, files_.reader());
  ASSERT_TRUE(v1);
  EXPECT_FALSE(*v1);
}

TEST_F(Carry, a_damaged_file_is_refused_by_name) {
  for (const char* path : {"sheet.hmesh", "a.gali", "a.hmesh"}) {
    if (std::string_view(path) != "sheet.hmesh")
      convert_to(std::string_view(path) == "a.gali" ? MeshFormat::kGalileo : MeshFormat::kHmeshV1, "sheet.glb", path);
    const Bytes whole = bytes(path);
    const std::string extension = std::filesystem::path(path).extension();
    files_.put("cut" + extension, whole.slice(0, whole.size() / 2));
    const auto refused = convert_file("cut" + extension, "out" + extension, files_.reader(), {});
    ASSERT_FALSE(refused) << path;
    EXPECT_THAT(refused.error().to_string(), HasSubstr("cut" + extension + ":"));
  }
}

// A few bytes that say "draw this 200,000 times" cost few bytes.
TEST(ConvertRepeated, a_flat_mesh_that_repeats_without_bound_is_refused) {
  const std::string_view model =
      R"({"asset":{"version":"2.0"},"accessors":[{"componentType":5126,"count":3,"type":"VEC3","min":[0,0,0],)"
      R"("max":[0,0,0]},{"componentType":5126,"count":200000,"type":"VEC3"}],)"
      R"("meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}],)"
      R"("nodes":[{"mesh":0,"extensions":{"EXT_mesh_gpu_instancing":{"attributes":{"TRANSLATION":1}}}}],)"
      R"("scenes":[{"nodes":[0]}],"scene":0,"extensionsUsed":["EXT_mesh_gpu_instancing"]})";
  Files files;
  files.put("many.gltf", Bytes(ByteVector(as_bytes(model).begin(), as_bytes(model).end())));
  for (const char* output : {"out.hmesh", "out.gali", "out.hcluster"}) {
    const auto refused = convert_file("many.gltf", output, files.reader(), {});
    ASSERT_FALSE(refused) << output;
    EXPECT_THAT(refused.error().to_string(),
                HasSubstr("its nodes draw 200,000 primitives with 200,000 triangles, its meshes have 1 primitive "
                          "with 1 triangle, which a flat mesh would repeat; build it in a project"));
  }
}

TEST(CarrySkin, joints_and_clips_come_along) {
  for (const auto& [folder, model] : skinned_models()) {
    Files files(folder);
    for (const auto& [from, to] : {std::pair(model, "one.hmesh"), std::pair(std::string("one.hmesh"), "other.gali")}) {
      const auto converted = convert_file(from, to, files.reader(), {});
      ASSERT_TRUE(converted) << converted.error().to_string();
      files.put(*converted);
    }
    const hmesh::Model mesh = hmesh::View::open(*files.reader()("one.hmesh"))->to_model();
    const galileo::Model gali = galileo::View::open(*files.reader()("other.gali"))->to_model();
    EXPECT_GT(mesh.joints.size(), 1u) << model;
    EXPECT_EQ(gali.joints, mesh.joints);
    EXPECT_EQ(gali.names, mesh.names);
    ASSERT_TRUE(files.has("other.hanim"));
    EXPECT_TRUE(std::ranges::equal(files.reader()("other.hanim")->span(), files.reader()("one.hanim")->span()));
  }
}

}  // namespace
}  // namespace assetc::convert
