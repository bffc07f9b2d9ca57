// Outputs of a cook with the same bytes are one file.
#include <gmock/gmock.h>

#include <random>

#include "e2e/cook.hpp"
#include "e2e/model.hpp"

namespace assetc::e2e {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

class SharedOutputs : public Cook {
 protected:
  // A model with a picture of its own.
  void model(const std::string& name, std::uint32_t seed) const {
    write("Assets/" + name + "/tile.png", png(8, 8, seed));
    const Model made = grid_model(name, "tile.png", 2);
    write("Assets/" + name + "/" + name + ".gltf", made.gltf);
    write("Assets/" + name + "/" + name + ".bin", made.bin);
  }
  std::vector<std::string> blobs() const {
    std::vector<std::string> names;
    for (const auto& [path, bytes] : tree("build/Cooked/Win64")) {
      if (path.starts_with("Assets/")) names.push_back(path);
    }
    return names;
  }
};

TEST_F(SharedOutputs, the_registry_leads_all_of_them_to_one_file) {
  for (const char* name : {"a", "b", "c"}) model(name, 5);
  EXPECT_EQ(cook().err, "");
  const std::string file = member("Engine/a/tile", "SharedFile");
  for (const char* name : {"a", "b", "c"})
    EXPECT_EQ(member("Engine/" + std::string(name) + "/tile", "CookedPath"), "Assets/" + file + ".bin");
  const std::size_t count = blobs().size();
  EXPECT_THAT(build("validate --platform Win64").out, HasSubstr("no problems"));
  EXPECT_THAT(cook().out, HasSubstr(": 0 built"));
  EXPECT_EQ(cook("--verify").exit_code, 0);

  model("b", 6);  // gets a file
  cook();
  EXPECT_THAT(blobs(), SizeIs(count + 1));
  EXPECT_EQ(member("Engine/b/tile", "SharedFile"), "(no member)");
  EXPECT_EQ(member("Engine/a/tile", "CookedPath"), member("Engine/c/tile", "CookedPath"));

  build("bundle create all.pak --cooked build/Cooked/Win64");
  EXPECT_EQ(build("bundle verify all.pak").exit_code, 0);
}

// The registry of the last good cook must still lead to what it says.
TEST_F(SharedOutputs, stay_what_they_are_for_a_cook_that_fails) {
  for (const char* name : {"a", "b", "c"}) model(name, 5);
  model("d", 6);
  cook();
  const std::string before = registry();
  const auto files = tree("build/Cooked/Win64");
  const std::string shared = member("Engine/a/tile", "CookedPath"), own = member("Engine/d/tile", "CookedPath");
  model("a", 6);  // equal to d
  model("b", 7);
  write("Assets/broken.png", "no picture");
  EXPECT_NE(run("cook --platform Win64").exit_code, 0);
  EXPECT_EQ(registry(), before);
  EXPECT_EQ(tree("build/Cooked/Win64").at(shared), files.at(shared));
  EXPECT_EQ(tree("build/Cooked/Win64").at(own), files.at(own));

  remove("Assets/broken.png");
  remove("Assets/broken.png.meta");
  cook();
  EXPECT_EQ(member("Engine/a/tile", "CookedPath"), member("Engine/d/tile", "CookedPath"));
  const auto incremental = tree("build/Cooked/Win64");
  remove("build");
  cook("-q");
  EXPECT_EQ(incremental, tree("build/Cooked/Win64"));
}

TEST_F(SharedOutputs, validate_finds_a_registry_that_leads_elsewhere) {
  for (const char* name : {"a", "b"}) model(name, 5);
  cook();
  std::string text = registry();
  const std::string_view key = "\"SharedFile\":\"";
  text.replace(text.find(key) + key.size(), 36, member("Engine/Textures/wood", "Uuid"));
  write("build/Cooked/Win64/Registry/AssetRegistry.json", text);
  EXPECT_THAT(run("validate --platform Win64").err, HasSubstr("expected the file of its SharedFile"));
}

// Whatever happens to a repository, its outputs are those of a cook from nothing.
TEST_F(SharedOutputs, incremental_cooks_equal_clean_ones) {
  std::mt19937 random(3);
  const auto below = [&](std::uint32_t count) { return static_cast<std::uint32_t>(random() % count); };
  for (int round = 0; round < 12; ++round) {
    for (std::uint32_t edits = below(3) + 1; edits > 0; --edits) {
      const std::string name = "m" + std::to_string(below(5));
      if (below(4) == 0) {
        remove("Assets/" + name);
      } else {
        model(name, below(2));
      }
    }
    const auto files = blobs();
    if (!files.empty() && below(4) == 0) remove("build/Cooked/Win64/" + files[below(files.size())]);
    if (below(6) == 0) remove("build/Cooked/Win64/.assetc-cache");
    if (below(3) == 0) {
      const std::string before = registry();
      write("Assets/broken.png", "no picture");
      EXPECT_NE(run("cook --platform Win64").exit_code, 0);
      EXPECT_EQ(registry(), before);
      remove("Assets/broken.png");
      remove("Assets/broken.png.meta");
      model("m" + std::to_string(below(5)), below(2));
    }
    ASSERT_EQ(cook("-q").exit_code, 0) << "round " << round;
    EXPECT_THAT(cook().out, HasSubstr(" 0 built")) << "round " << round;
    EXPECT_EQ(run("validate --platform Win64").exit_code, 0) << "round " << round;
    const auto incremental = tree("build/Cooked/Win64");
    remove("build");
    cook("-q");
    ASSERT_EQ(incremental, tree("build/Cooked/Win64")) << "round " << round;
  }
}

}  // namespace
}  // namespace assetc::e2e
