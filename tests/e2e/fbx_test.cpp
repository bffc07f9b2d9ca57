// Every command with an FBX file.
#include <gmock/gmock.h>

#include "e2e/project.hpp"
#include "import/fbx_text.hpp"
#include "places.hpp"

namespace assetc::e2e {
namespace {

using testing::HasSubstr;

class FbxSource : public Project {
 protected:
  // A strip on two joints, of which one slides, in one textured material.
  void put_flag(const std::string& folder) const {
    fs::create_directories(root_ / folder);
    fs::copy(fs::path(places::kSource) / "tests/data/corpus/models/fbx", root_ / folder,
             fs::copy_options::recursive | fs::copy_options::overwrite_existing);
  }
};

TEST_F(FbxSource, is_built_with_its_materials_clips_and_pictures) {
  put_flag("assets/models");
  const Finished first = build();
  EXPECT_THAT(first.out + first.err, HasSubstr("models/textures/planks.png, which has the same name, is used"));
  EXPECT_THAT(build("info runtime/models/flag.hmesh").out, HasSubstr("10 vertices, 8 triangles"));
  EXPECT_THAT(build("info runtime/models/flag.hmesh").out, HasSubstr("2 joints"));
  EXPECT_THAT(build("info runtime/models/flag.hmesh").out, HasSubstr("box [-0.2 0 0] to [0.2 2 0]"));
  EXPECT_THAT(build("info runtime/models/flag.hanim").out, HasSubstr("1 clip"));
  EXPECT_THAT(build("info runtime/models/flag.hmat").out, HasSubstr("1 base color"));
  EXPECT_TRUE(exists("runtime/models/flag/tex_0.ktx2"));
  EXPECT_THAT(build().out, HasSubstr(": 0 built"));
  // A file nearer to the model than the one that was found before.
  fs::copy_file(root_ / "assets/models/textures/planks.png", root_ / "assets/models/planks.png");
  EXPECT_THAT(build("--explain").out, HasSubstr("models/flag.fbx"));
}

TEST_F(FbxSource, without_a_mesh_is_a_scene_of_its_nodes) {
  write("assets/sockets.fbx",
        fbx_text::file(fbx_text::object("Model", "20", "Socket", "Null",
                                        fbx_text::property("Lcl Translation", "Lcl Translation", "100,200,300")) +
                           fbx_text::object("Model", "21", "Tip", "LimbNode"),
                       fbx_text::connect("20", "0") + fbx_text::connect("21", "20")));
  build("--strict");
  EXPECT_THAT(build("info runtime/sockets.hscene").out, HasSubstr("2 nodes"));
}

TEST_F(FbxSource, that_cannot_be_read_fails_alone) {
  put_flag("assets/models");
  std::string deep = "; FBX 7.4.0 project file\n";
  for (int i = 0; i < 200000; ++i) deep += "a: {\n";
  write("assets/deep.fbx", deep);
  const Finished built = run();
  EXPECT_EQ(built.exit_code, 1);
  EXPECT_THAT(built.err, HasSubstr("error: deep.fbx: ufbx cannot read it: "));
  EXPECT_THAT(built.err, HasSubstr("export it again as binary FBX 2014 (7.4) or later, or as glTF"));
  EXPECT_TRUE(exists("runtime/models/flag.hmesh"));
}

TEST_F(FbxSource, has_each_part_as_an_asset_of_a_cook) {
  put_flag("Assets/Models");
  build("import");
  build("cook --platform Win64");
  const std::string registry = read("build/Cooked/Win64/Registry/AssetRegistry.json");
  for (const char* asset : {"Engine/Models/flag", "Engine/Models/flag/Cloth", "Engine/Models/flag/Red",
                            "Engine/Models/flag/Slide", "Engine/Models/textures/planks"}) {
    EXPECT_THAT(registry, HasSubstr("\"VirtualPath\":\"" + std::string(asset) + "\""));
  }
  for (const char* type :
       {"\"Type\":\"Mesh\"", "\"Type\":\"Material\"", "\"Type\":\"Skeleton\"", "\"Type\":\"Animation\""})
    EXPECT_THAT(registry, HasSubstr(type));
  EXPECT_THAT(build("validate --platform Win64").out, HasSubstr("no problem"));
}

TEST_F(FbxSource, is_converted_and_drawn) {
  put_flag("models");
  build("convert models/flag.fbx flag.glb");
  EXPECT_EQ(read("flag.glb").substr(0, 4), "glTF");
  build("render models/flag.fbx flag.png --clip Slide");
  EXPECT_EQ(read("flag.png").substr(1, 3), "PNG");
}

}  // namespace
}  // namespace assetc::e2e
