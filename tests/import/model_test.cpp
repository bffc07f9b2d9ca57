// One function opens every file of a model.
#include "import/model/model.hpp"

#include <gtest/gtest.h>

namespace assetc::importer {
namespace {

const FileReader kNothing = [](std::string_view) -> Result<Bytes> { return fail(ErrorCode::kNotFound, "none"); };

Result<Imported> open(std::string_view path, std::string_view text) {
  const ByteSpan bytes = as_bytes(text);
  return import_model(path, Bytes(ByteVector(bytes.begin(), bytes.end())), kNothing,
                      [](std::string_view) { return false; });
}
std::string error_of(std::string_view path, std::string_view text) {
  const auto opened = open(path, text);
  return opened ? "" : opened.error().to_string();
}

TEST(Model, types_are_extensions_in_any_case) {
  for (const std::string_view path : {"a.gltf", "a.GLB", "a.obj", "a.FBX", "b/a.hmesh", "a.Gali"})
    EXPECT_TRUE(is_model_path(path));
  for (const std::string_view path : {"a.png", "a", "gltf", "a.glb.png"}) EXPECT_FALSE(is_model_path(path));
  EXPECT_TRUE(is_compiled_model_path("a.HMESH"));
  EXPECT_TRUE(is_compiled_model_path("a.gali"));
  EXPECT_FALSE(is_compiled_model_path("a.glb"));
}

TEST(Model, has_one_kind) {
  EXPECT_EQ(model_kind("a.gltf"), ModelKind::kGltf);
  EXPECT_EQ(model_kind("a.GLB"), ModelKind::kGltf);
  EXPECT_EQ(model_kind("b/a.Obj"), ModelKind::kObj);
  EXPECT_EQ(model_kind("a.fbx"), ModelKind::kFbx);
  EXPECT_EQ(model_kind("a.GALI"), ModelKind::kGalileo);
  EXPECT_EQ(model_kind("a.hmesh"), ModelKind::kHmesh);
}

TEST(Model, each_type_is_read_by_its_importer) {
  const auto opened = open("a.OBJ", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  ASSERT_TRUE(opened) << opened.error().to_string();
  EXPECT_EQ(opened->scene.meshes.size(), 1u);
  EXPECT_NE(error_of("a.gltf", "v 0 0 0\n"), "");
  EXPECT_NE(error_of("a.glb", "v 0 0 0\n"), error_of("a.hmesh", "v 0 0 0\n"));
  EXPECT_NE(error_of("a.hmesh", "v 0 0 0\n"), error_of("a.gali", "v 0 0 0\n"));
}

// A mesh of 100,000 triangles without bytes, drawn so often.
std::string repeated(std::size_t draws) {
  std::string nodes, numbers;
  for (std::size_t i = 0; i < draws; ++i) {
    nodes += i == 0 ? R"({"mesh":0})" : R"(,{"mesh":0})";
    numbers += (i == 0 ? "" : ",") + std::to_string(i);
  }
  return R"({"asset":{"version":"2.0"},"scenes":[{"nodes":[)" + numbers + R"(]}],"nodes":[)" + nodes +
         R"(],"meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}],"accessors":[{"componentType":5126,)" +
         R"("count":300000,"type":"VEC3","min":[0,0,0],"max":[0,0,0]}]})";
}

TEST(Model, a_few_bytes_draw_a_limited_number_of_corners) {
  EXPECT_EQ(error_of("a.gltf", repeated(3)), "");
  const std::string text = repeated(20);
  const std::uint64_t limit = ImportLimits{}.free_corners + text.size() * ImportLimits{}.corners_per_byte;
  EXPECT_EQ(error_of("a.gltf", text),
            "/nodes: its nodes draw 6000000 corners of triangles, lines and points, expected at most " +
                std::to_string(limit) + " of " + std::to_string(text.size()) +
                " bytes; draw fewer nodes or instances, or split the model");
}

}  // namespace
}  // namespace assetc::importer
