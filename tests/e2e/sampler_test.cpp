// Samplers of glTF textures in builds, cooks and conversions.
#include <gmock/gmock.h>

#include "assetc/runtime/assets.hpp"
#include "assetc/runtime/catalog.hpp"
#include "assetc/runtime/file_tree.hpp"
#include "assetc/runtime/manager.hpp"
#include "e2e/project.hpp"
#include "import/tiny_gltf.hpp"

namespace assetc::e2e {
namespace {

using sampling::Filter, sampling::MipFilter, sampling::Sampler, sampling::Wrap;
using testing::HasSubstr;

constexpr Sampler kPixels{Wrap::kClamp, Wrap::kMirror, Filter::kNearest, Filter::kNearest, MipFilter::kNone};
constexpr Sampler kSmooth{Wrap::kMirror, Wrap::kRepeat, Filter::kLinear, Filter::kLinear, MipFilter::kNearest};

// A triangle with a material whose base color has nearest filters, whose normal map has linear filters, and whose
// emissive texture leaves the filters to the engine. samplers: false leaves out all samplers.
std::string card(bool samplers) {
  importer::testing::TinyGltf g;
  const int p = g.vec3({0, 0, 0, 1, 0, 0, 0, 1, 0}), n = g.vec3({0, 0, 1, 0, 0, 1, 0, 0, 1}),
            uv = g.vec2({0, 0, 1, 0, 0, 1});
  const std::string first =
      samplers ? R"({"source":0,"sampler":0},{"source":1,"sampler":1})" : R"({"source":0},{"source":1})";
  return g.json(
      R"("scene":0,"scenes":[{"nodes":[0]}],"nodes":[{"mesh":0}],"meshes":[{"name":"Card","primitives":[{"material":0,"attributes":{"POSITION":)" +
      std::to_string(p) + R"(,"NORMAL":)" + std::to_string(n) + R"(,"TEXCOORD_0":)" + std::to_string(uv) + R"(}}]}],)" +
      (samplers ? R"("samplers":[{"wrapS":33071,"wrapT":33648,"magFilter":9728,"minFilter":9728},)"
                  R"({"wrapS":33648,"magFilter":9729,"minFilter":9985}],)"
                : "") +
      R"("textures":[)" + first +
      R"(,{"source":2}],"images":[{"uri":"a.png"},{"uri":"b.n.png"},{"uri":"c.png"}],)"
      R"("materials":[{"name":"Paper","pbrMetallicRoughness":{"baseColorTexture":{"index":0}},"normalTexture":{"index":1},)"
      R"("emissiveTexture":{"index":2},"emissiveFactor":[1,1,1]}])");
}

class Samplers : public Project {
 protected:
  void SetUp() override {
    Project::SetUp();
    put("assets/", true);
  }
  void put(const std::string& folder, bool samplers) const {
    write(folder + "card.gltf", card(samplers));
    for (const auto& [name, seed] : {std::pair("a.png", 1), std::pair("b.n.png", 2), std::pair("c.png", 3)})
      write(folder + name, png(16, 16, static_cast<std::uint32_t>(seed)));
  }
  std::vector<hmat::GpuMaterial> materials_of(const std::string& path) const {
    const auto bytes = runtime::map_file((root_ / "runtime" / path).string());
    EXPECT_TRUE(bytes) << bytes.error().to_string();
    const auto view = hmat::View::open(*bytes);
    EXPECT_TRUE(view) << view.error().to_string();
    return {view->materials().begin(), view->materials().end()};
  }
};

void expect_samplers(const hmat::GpuMaterial& row) {
  EXPECT_NE(row.base_color_texture, 0u);
  EXPECT_EQ(row.sampler(hmat::Slot::kBaseColor), kPixels);
  EXPECT_EQ(row.sampler(hmat::Slot::kNormal), kSmooth);
  EXPECT_EQ(row.sampler(hmat::Slot::kEmissive), Sampler{});
  EXPECT_EQ(row.sampler(hmat::Slot::kOcclusion), Sampler{});
}

TEST_F(Samplers, arrive_in_the_runtime) {
  for (const char* container : {"hmesh", "galileo"}) {
    write("assetc.yml", std::string("default: {mesh: {container: ") + container + "}}\n");
    build("-q");
    const std::vector<hmat::GpuMaterial> materials = materials_of("card.hmat");
    ASSERT_EQ(materials.size(), 1u);
    expect_samplers(materials[0]);
    EXPECT_THAT(build("check").out, HasSubstr("no problem"));
  }
  // Read through a manager.
  runtime::Catalog catalog;
  ASSERT_TRUE(catalog.mount((root_ / "runtime").string()));
  runtime::Manager manager(catalog);
  runtime::add_loaders(manager);
  const auto handle = catalog.find_by_path("card.hmat");
  ASSERT_TRUE(handle);
  const auto material = manager.load<runtime::MaterialData>(*handle);
  ASSERT_TRUE(material.is_ready());
  ASSERT_NE(material.get()->hmat(), nullptr);
  expect_samplers(material.get()->hmat()->materials()[0]);
}

TEST_F(Samplers, without_them_no_byte_of_a_row_says_so) {
  build("-q");
  const std::string with = read("runtime/card.hmat");
  put("assets/", false);
  build("-q");
  const std::string without = read("runtime/card.hmat");
  EXPECT_EQ(with.size(), without.size());
  const auto word = [](const std::string& file, std::size_t at) {
    return load<std::uint32_t>(as_bytes(std::string_view(file)), at);
  };
  EXPECT_EQ(word(without, 16 + 48), 0u);
  EXPECT_EQ(word(without, 16 + 52), 0u);
  EXPECT_NE(word(with, 16 + 48), 0u);
}

TEST_F(Samplers, come_back_in_a_glb) {
  build("-q");
  const auto json_of = [&](const std::string& path) {
    const std::string glb = read(path);
    return glb.size() < 20 ? std::string() : glb.substr(20, load<std::uint32_t>(as_bytes(std::string_view(glb)), 12));
  };
  build("convert assets/card.gltf straight.glb");
  build("convert runtime/card.hmesh back.glb");
  for (const char* file : {"straight.glb", "back.glb"}) {
    const std::string document = json_of(file);
    for (const char* sampler : {R"({"magFilter":9728,"minFilter":9728,"wrapS":33071,"wrapT":33648})",
                                R"({"magFilter":9729,"minFilter":9985,"wrapS":33648,"wrapT":10497})",
                                R"({"magFilter":9729,"minFilter":9987,"wrapS":10497,"wrapT":10497})"})
      EXPECT_THAT(document, HasSubstr(sampler)) << file;
  }
}

TEST_F(Samplers, are_in_cooked_materials) {
  put("Assets/Cards/", true);
  build("import");
  build("cook --platform Win64");
  runtime::Catalog catalog;
  ASSERT_TRUE(catalog.mount((root_ / "build/Cooked/Win64").string()));
  runtime::Manager manager(catalog);
  runtime::add_loaders(manager);
  const auto handle = catalog.find_by_path("Engine/Cards/card/Paper");
  ASSERT_TRUE(handle);
  const auto material = manager.load<runtime::MaterialData>(*handle);
  ASSERT_TRUE(material.is_ready());
  const aas1::MaterialView* view = material.get()->aas1();
  ASSERT_NE(view, nullptr);
  ASSERT_NE(view->texture("BaseColorTex"), nullptr);
  EXPECT_EQ(view->texture("BaseColorTex")->sampler(), kPixels);
  EXPECT_EQ(view->texture("NormalTex")->sampler(), kSmooth);
  EXPECT_EQ(view->texture("EmissiveTex")->sampler(), Sampler{});
}

TEST_F(Samplers, of_a_material_file_and_an_obj) {
  write(
      "assets/paper.mat",
      "base_color_texture: a.png\nwrap: [clamp, mirror]\nmag_filter: nearest\nmin_filter: nearest\nmip_filter: none\n");
  write("assets/box.mtl", "newmtl side\nmap_Kd -clamp on a.png\n");
  write("assets/box.obj", "mtllib box.mtl\nusemtl side\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nf 1/1 2/1 3/1\n");
  build("-q");
  const auto paper = materials_of("paper.hmat"), box = materials_of("box.hmat");
  ASSERT_TRUE(!paper.empty() && !box.empty());
  EXPECT_EQ(paper[0].sampler(hmat::Slot::kBaseColor), kPixels);
  EXPECT_EQ(box[0].sampler(hmat::Slot::kBaseColor), (Sampler{Wrap::kClamp, Wrap::kClamp}));
}

}  // namespace
}  // namespace assetc::e2e
