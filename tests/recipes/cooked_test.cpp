// AAS1 blobs of every recipe: which assets are made, and how they refer to one another. tests/interop/aas1.py reads
// their contents.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assetc/formats/aas1_describe.hpp"
#include "assetc/formats/aas1_material.hpp"
#include "assetc/formats/aas1_mesh.hpp"
#include "assetc/formats/aas1_texture.hpp"
#include "recipes/container/containers.hpp"
#include "recipes/cooked_inputs.hpp"
#include "recipes/mesh/model.hpp"

namespace assetc::recipes {
namespace {

using ::testing::HasSubstr;

std::string error_of(const Result<Product>& product) { return product ? "no error" : product.error().to_string(); }

// A line like "Mesh chair.glb#Mesh/0" for every output, with the assets that it needs.
std::vector<std::string> assets_of(const Product& product, const Step& step, const CookedInputs& inputs) {
  const auto name_of = [&](const std::string& uuid) {
    for (const auto& [asset, id] : inputs.uuids) {
      if (id.to_string() == uuid) return asset;
    }
    return uuid;
  };
  std::vector<std::string> all;
  for (const Output& output : product.outputs) {
    const auto description = aas1::describe(output.bytes);
    if (!description) return {description.error().to_string()};
    std::string text(description->type);
    text += " " + name_of(output.suffix.empty() ? step.stem : output.suffix);
    for (const aas1::Dependency& d : description->dependencies) {
      text.append(d.is_hard ? " needs " : " may need ").append(name_of(d.asset.to_string()));
    }
    all.push_back(text);
  }
  return all;
}

constexpr const char* kChair =
    R"({"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0]}],"nodes":[{"mesh":0,"name":"n"}],
        "meshes":[{"name":"Seat","primitives":[{"attributes":{"POSITION":0},"material":0}]}],
        "materials":[{"name":"Wood","pbrMetallicRoughness":{"baseColorTexture":{"index":0}},"extensions":{
          "KHR_materials_clearcoat":{"clearcoatFactor":0.5,"clearcoatTexture":{"index":0}}}}],
        "textures":[{"source":0}],"images":[{"uri":"wood.png"}],
        "accessors":[{"bufferView":0,"componentType":5126,"type":"VEC3","count":3,"min":[0,0,0],"max":[1,1,0]}],
        "bufferViews":[{"buffer":0,"byteLength":36}],"buffers":[{"byteLength":36,
          "uri":"data:application/octet-stream;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA"}]})";

struct Cooked {
  CookedInputs inputs;
  Step step;
  Result<Product> product = Product{};
};
Cooked cook_triangle() {
  Cooked cooked;
  cooked.inputs.files["chair.gltf"] = kChair;
  cooked.inputs.files["wood.png"] = "not looked at";
  cooked.step = cooked_step(cooked.inputs, "chair.gltf");
  cooked.product = cooked.step.recipe->cook(cooked.step, cooked.inputs);
  return cooked;
}

TEST(Cooked, parts_of_a_model_are_assets_that_name_one_another) {
  const Cooked cooked = cook_triangle();
  ASSERT_TRUE(cooked.product) << error_of(cooked.product);
  const std::string linear = uuid_within(cooked.inputs.uuids.at("wood.png").to_string(), "linear").to_string();
  EXPECT_THAT(assets_of(*cooked.product, cooked.step, cooked.inputs),
              ::testing::UnorderedElementsAre(
                  ::testing::AllOf(::testing::StartsWith("Material chair.gltf#Material/0 needs "),
                                   HasSubstr(" needs wood.png"), HasSubstr(" needs " + linear)),
                  "Mesh chair.gltf#Mesh/0 needs chair.gltf#Material/0", "Model chair.gltf needs chair.gltf#Mesh/0"));
  // The same image is used as color and as data.
  ASSERT_EQ(cooked.product->steps.size(), 2u);
  EXPECT_EQ(cooked.product->steps[0].stem, cooked.inputs.uuids.at("wood.png").to_string());
  EXPECT_EQ(cooked.product->steps[0].input_path, "wood.png");
  EXPECT_EQ(cooked.product->steps[1].stem, linear);
  EXPECT_EQ(cooked.product->steps[1].params.at("mode"), "linear");
  for (const Diagnostic& d : cooked.product->diagnostics)
    EXPECT_THAT(d.what.what, ::testing::Not(HasSubstr("dropped")));
}

TEST(Cooked, normals_and_tangents_are_floats_where_that_is_asked_for) {
  CookedInputs inputs;
  inputs.files["seat.obj"] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nvn 0 0 4\nvt 0 0\nvt 1 0\nvt 0 1\nf 1/1/1 2/2/1 3/3/1\n";
  Step step = cooked_step(inputs, "seat.obj");
  const auto mesh_of = [&]() -> Bytes {
    const auto product = step.recipe->cook(step, inputs);
    EXPECT_TRUE(product) << error_of(product);
    const auto output =
        std::ranges::find(product->outputs, AssetKind::kMesh, [](const Output& o) { return o.descriptor.kind; });
    return output == product->outputs.end() ? Bytes() : output->bytes;
  };
  const Bytes packed = mesh_of();
  step.settings.aas1.normals = FrameFormat::kFloat;
  const Bytes floats = mesh_of();
  const auto before = aas1::MeshView::open(packed), after = aas1::MeshView::open(floats);
  ASSERT_TRUE(before && after);
  EXPECT_EQ(before->find(aas1::Semantic::kNormal)->format, aas1::VertexFormat::kRg16Snorm);
  const aas1::VertexAttribute* const normal = after->find(aas1::Semantic::kNormal);
  const aas1::VertexAttribute* const tangent = after->find(aas1::Semantic::kTangent);
  ASSERT_TRUE(normal != nullptr && tangent != nullptr);
  EXPECT_EQ(normal->format, aas1::VertexFormat::kRgb32F);
  EXPECT_EQ(tangent->format, aas1::VertexFormat::kRgba32F);
  EXPECT_EQ(after->desc().vertex_stride_bytes, before->desc().vertex_stride_bytes + 20);
  const auto value = [&](const aas1::VertexAttribute& of, std::size_t component) {
    return load<float>(after->levels()[0].vertices, of.offset_bytes + component * sizeof(float));
  };
  EXPECT_EQ(value(*normal, 2), 1.0f);
  EXPECT_EQ(value(*tangent, 0), 1.0f);
  EXPECT_EQ(value(*tangent, 3), 1.0f);
}

TEST(Cooked, extensions_of_materials_are_told_where_they_are_lost) {
  FakeInputs inputs;
  inputs.files["chair.gltf"] = kChair;
  inputs.files["wood.png"] = "not looked at";
  Step step;
  step.recipe = find_recipe("mesh");
  step.source = step.input_path = "chair.gltf";
  step.stem = "chair";
  step.settings.mesh.scene = SceneMode::kNever;
  const auto product = step.recipe->cook(step, inputs);
  ASSERT_TRUE(product) << error_of(product);
  EXPECT_EQ(product->steps.size(), 1u);
  ASSERT_EQ(product->diagnostics.size(), 1u);
  EXPECT_EQ(product->diagnostics[0].what.to_string(), "dropped: 1 extension KHR_materials_clearcoat (/materials/0)");
}

TEST(Cooked, a_part_without_a_uuid_is_an_error) {
  class NoMeshes : public CookedInputs {
   public:
    std::optional<Uuid> uuid(std::string_view asset) override {
      if (asset.find("#Mesh/") != asset.npos) return std::nullopt;
      return CookedInputs::uuid(asset);
    }
  } inputs;
  inputs.files["chair.gltf"] = kChair;
  inputs.files["wood.png"] = "not looked at";
  const Step step = cooked_step(inputs, "chair.gltf");
  EXPECT_EQ(
      error_of(step.recipe->cook(step, inputs)),
      "Mesh \"Seat\" has no UUID, because chair.gltf was not imported; run `assetc import` and fix the errors that "
      "it reports for that file; it skips folders that ignore: lists");
}

TEST(Cooked, a_material_file_binds_pictures_by_uuid) {
  CookedInputs inputs;
  inputs.files["gold.mat"] = "metallic: 0.5\nbase_color_texture: gold.png\nocclusion_texture: gold.png\n";
  inputs.files["gold.png"] = "not looked at";
  const Step step = cooked_step(inputs, "gold.mat");
  const auto product = step.recipe->cook(step, inputs);
  ASSERT_TRUE(product) << error_of(product);
  ASSERT_EQ(product->outputs.size(), 1u);
  EXPECT_EQ(product->outputs[0].suffix, "");
  const auto view = aas1::MaterialView::open(product->outputs[0].bytes);
  ASSERT_TRUE(view) << view.error().to_string();
  EXPECT_EQ(view->scalar("Metallic")->value, 0.5f);
  EXPECT_EQ(view->texture("BaseColorTex")->texture, inputs.uuids.at("gold.png"));
  // The picture is color, so the occlusion needs another texture.
  ASSERT_EQ(product->steps.size(), 1u);
  EXPECT_EQ(view->texture("OcclusionTex")->texture.to_string(), product->steps[0].stem);
  EXPECT_NE(product->steps[0].stem, inputs.uuids.at("gold.png").to_string());
}

TEST(Cooked, shapes_of_textures_have_types_of_their_own) {
  CookedInputs inputs;
  inputs.files["a.lut.cube"] = "LUT_3D_SIZE 2\n0 0 0\n1 0 0\n0 1 0\n1 1 0\n0 0 1\n1 0 1\n0 1 1\n1 1 1\n";
  const Step step = cooked_step(inputs, "a.lut.cube");
  const auto product = step.recipe->cook(step, inputs);
  ASSERT_TRUE(product) << error_of(product);
  const auto view = aas1::TextureView::open(product->outputs[0].bytes);
  ASSERT_TRUE(view) << view.error().to_string();
  EXPECT_EQ(view->blob().type(), aas1::Type::kTexture3D);
  EXPECT_EQ(view->shape().depth_texels, 2u);
  ASSERT_EQ(view->levels().size(), 1u);
  EXPECT_EQ(view->levels()[0].bytes.size(), 32u);
}

}  // namespace
}  // namespace assetc::recipes
