// Sharded builds on machines that share only a cache.
#include <gmock/gmock.h>

#include "e2e/project.hpp"
#include "import/tiny_gltf.hpp"
#include "parsed_json.hpp"
#include "places.hpp"

namespace assetc::e2e {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

class Shards : public Project {
 protected:
  void SetUp() override {
    Project::SetUp();
    ::setenv("ASSETC_CACHE", (root_ / "store").c_str(), 1);
  }
  void copy(const std::string& from, const std::string& to) const {
    fs::create_directories((root_ / to).parent_path());
    fs::copy(fs::path(places::kSource) / from, root_ / to, fs::copy_options::recursive);
  }
  // Compares the tree with that of a build without a shared cache.
  void expect_tree_as_alone(const std::string& folder) {
    ::setenv("ASSETC_CACHE", "off", 1);
    build("-q -o alone");
    EXPECT_EQ(tree(folder), tree("alone"));
  }
};

TEST_F(Shards, and_a_build_behind_them_make_what_one_build_makes) {
  copy("examples/demo/assets", "assets");
  copy("tests/data/corpus/images", "assets/corpus/images");
  copy("tests/data/corpus/models", "assets/corpus/models");
  for (const int number : {4, 2, 1, 3}) {
    const Finished shard = run("--pack --shard " + std::to_string(number) + "/4");
    EXPECT_EQ(shard.exit_code, 0) << shard.err;
    EXPECT_THAT(shard.out, HasSubstr("shard " + std::to_string(number) + "/4: "));
  }
  EXPECT_FALSE(exists("runtime"));
  EXPECT_FALSE(exists("runtime.hpack"));
  // A model of the corpus names a picture that it does not draw.
  EXPECT_THAT(build("--pack").out, ContainsRegex(": [01] built, [0-9]+ from the cache, 0 up to date"));
  EXPECT_TRUE(exists("runtime.hpack"));
  expect_tree_as_alone("runtime");
}

// Duplicate sources are compiled once, and the assembling build copies them.
TEST_F(Shards, of_equal_sources_leave_nothing_to_build) {
  for (const char* name : {"a.png", "b.png", "c.png"}) write(std::string("assets/") + name, png(8, 8, 1));
  for (const int number : {1, 2}) EXPECT_EQ(run("--shard " + std::to_string(number) + "/2").exit_code, 0);
  EXPECT_THAT(build().out, HasSubstr("3 sources: 0 built, 2 copied, 1 from the cache, 0 up to date"));
  expect_tree_as_alone("runtime");
}

// Five materials, each with a picture inside the file.
std::string pictures_in_one_file() {
  importer::testing::TinyGltf g;
  const int positions = g.vec3(importer::testing::kTriangle), texcoords = g.vec2({0, 0, 1, 0, 0, 1});
  std::string images, textures, materials, primitives;
  for (int i = 0; i < 5; ++i) {
    const std::string number = std::to_string(i), comma = i == 0 ? "" : ",";
    const std::string file = png(128, 128, static_cast<std::uint32_t>(i));
    const int view = g.view(std::vector<char>(file.begin(), file.end()));
    images += comma + R"({"mimeType":"image/png","bufferView":)" + std::to_string(view) + "}";
    textures += comma + R"({"source":)" + number + "}";
    materials +=
        comma + R"({"name":"m)" + number + R"(","pbrMetallicRoughness":{"baseColorTexture":{"index":)" + number + "}}}";
    primitives += comma + R"({"material":)" + number + R"(,"attributes":{"POSITION":)" + std::to_string(positions) +
                  R"(,"TEXCOORD_0":)" + std::to_string(texcoords) + "}}";
  }
  return g.json(R"("scene":0,"scenes":[{"nodes":[0]}],"nodes":[{"mesh":0}],"meshes":[{"primitives":[)" + primitives +
                R"(]}],"images":[)" + images + R"(],"textures":[)" + textures + R"(],"materials":[)" + materials + "]");
}

TEST_F(Shards, divide_the_pictures_inside_one_model) {
  write("assets/room.gltf", pictures_in_one_file());
  // The model is counted in the shard that writes its mesh. Both shards read it.
  EXPECT_THAT(build("--shard 1/2").out + build("--shard 2/2").out, ContainsRegex("(4|3) built(.|\n)*(4|3) built"));
  EXPECT_THAT(build().out, HasSubstr("1 source: 0 built, 6 from the cache, 0 up to date"));
  expect_tree_as_alone("runtime");
}

TEST_F(Shards, divide_the_pictures_inside_one_model_of_a_cook) {
  write("Assets/room.gltf", pictures_in_one_file());
  build("import");
  for (const int number : {1, 2})
    EXPECT_THAT(build("cook --platform Linux --shard " + std::to_string(number) + "/2").out,
                ContainsRegex("(4|3) built"));
  EXPECT_THAT(build("cook --platform Linux").out, HasSubstr(": 0 built, "));
}

TEST_F(Shards, cook_as_well) {
  copy("examples/demo/assets", "Assets");
  build("import");
  for (const int number : {1, 2})
    EXPECT_THAT(build("cook --platform Linux --shard " + std::to_string(number) + "/2").out, HasSubstr("shard "));
  EXPECT_FALSE(exists("Cooked"));
  EXPECT_FALSE(exists("Cache/CookKeys.json"));
  EXPECT_THAT(build("cook --platform Linux").out, HasSubstr(": 0 built, "));
  build("validate --platform Linux");
  const auto cooked = tree("Cooked");
  remove("Cooked");
  ::setenv("ASSETC_CACHE", "off", 1);
  build("cook --platform Linux");
  EXPECT_EQ(tree("Cooked"), cooked);
}

TEST_F(Shards, fail_without_a_store_to_fill) {
  copy("examples/demo/assets", "assets");
  ::setenv("ASSETC_CACHE", "off", 1);
  const Finished none = run("--shard 1/2");
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_EQ(
      none.err,
      "error: --shard: there is no cache for the compiled outputs; set cache.path or ASSETC_CACHE to a cache that all "
      "shards and the final build share\n");
  build("--shard 1/2 --dry-run");
  // A cache that accepts no writes.
  write("store/products-2", "in the way");
  ::setenv("ASSETC_CACHE", (root_ / "store").c_str(), 1);
  EXPECT_EQ(run("--shard 1/1").exit_code, 1);
  EXPECT_EQ(run().exit_code, 0);
}

TEST_F(Shards, fail_where_a_shared_store_takes_nothing) {
  write("assets/a.mat", "name: a\n");
  const std::string nobody = "ASSETC_CACHE_REMOTE=http://127.0.0.1:1/x ASSETC_CACHE_REMOTE_MODE=";
  const Finished reader = run("--shard 1/1", nobody + "read");
  EXPECT_EQ(reader.exit_code, 2);
  EXPECT_EQ(reader.err,
            "error: http://127.0.0.1:1/x: --shard: this shared cache is only read, so other machines would not get the "
            "compiled outputs; set ASSETC_CACHE_REMOTE_MODE or cache.remote.mode to read-write\n");
  const Finished writer = run("--shard 1/1", nobody + "read-write");
  EXPECT_EQ(writer.exit_code, 1);
  EXPECT_THAT(writer.err, HasSubstr("warning: http://127.0.0.1:1/x: "));
  EXPECT_EQ(run("", nobody + "read-write").exit_code, 0);
}

TEST_F(Shards, are_read_from_the_environment_only_where_asked_for) {
  copy("examples/demo/assets", "assets");
  const std::string slurm = "SLURM_ARRAY_TASK_ID=2 SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_COUNT=3";
  EXPECT_THAT(run("--shard auto", slurm).out, HasSubstr("shard 2/3: "));
  EXPECT_THAT(run("", slurm).out, AllOf(Not(HasSubstr("shard")), HasSubstr("24 sources: ")));
  EXPECT_EQ(run("--shard auto", "SLURM_ARRAY_TASK_ID=5 SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_COUNT=3").exit_code, 2);
  EXPECT_EQ(run("--shard auto").exit_code, 2);
}

TEST_F(Shards, are_none_of_an_unset_variable) {
  write("assets/a.mat", "name: a\n");
  write("Assets/a.mat", "name: a\n");
  for (const char* command : {"", "cook --platform Linux "}) {
    const Finished done = run(std::string(command) + "--shard \"$UNSET\"");
    EXPECT_EQ(done.exit_code, 2) << command;
    EXPECT_THAT(done.err, HasSubstr("--shard: found \"\", expected K/N, as in 1/4, or auto")) << command;
    EXPECT_EQ(run(std::string(command) + "--shard=\"$UNSET\"").exit_code, 2) << command;
  }
  EXPECT_FALSE(exists("runtime"));
}

TEST_F(Shards, are_measured_by_the_costs_of_reports) {
  copy("examples/demo/assets", "assets");
  ::setenv("ASSETC_CACHE", "off", 1);
  build("--report first.json");
  const auto costs = [&](const std::string& report) { return parsed_json(read(report))["costs"]; };
  EXPECT_GT(costs("first.json")["models/lantern/lantern.gltf"].as_number(), 0);
  EXPECT_GT(costs("first.json")["models/lantern/wood_color.png"].as_number(), 0);
  // A step that is up to date keeps its recorded cost.
  write("assets/ui/button.png", png(8, 8, 3));
  build("--costs first.json --report second.json");
  EXPECT_EQ(costs("second.json")["models/lantern/lantern.gltf"], costs("first.json")["models/lantern/lantern.gltf"]);
  EXPECT_EQ(costs("second.json").size(), costs("first.json").size());
  Json known = parsed_json(read("first.json"));
  known["costs"]["ui/button.png"] = 1000;
  write("costs.json", known.text());
  EXPECT_THAT(run("--shard 1/2 --costs costs.json -n").out + run("--shard 2/2 --costs costs.json -n").out,
              HasSubstr(": 1 source: 1 step to run"));
  const Finished alone = run("--costs costs.json");
  EXPECT_EQ(alone.exit_code, 2);
  EXPECT_EQ(alone.err, "error: --costs needs --shard or --report; give the share to compile, as in --shard 1/4\n");
  write("costs.json", "none");
  EXPECT_THAT(run("--shard 1/2 --costs costs.json -n").err,
              HasSubstr("costs.json: is not JSON; give a file that a build wrote with --report"));
}

}  // namespace
}  // namespace assetc::e2e
