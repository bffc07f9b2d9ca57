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
  cook();
  const std::string line = "\"SameAs\":\"";
  const std::string text = registry();
  const std::size_t same = text.find(line);
  ASSERT_NE(same, std::string::npos);
  const std::string owner = text.substr(same + line.size(), 36);
  for (const char* name : {"a", "b", "c"})
    EXPECT_EQ(member("Engine/" + std::string(name) + "/tile", "CookedPath"), "Assets/" + owner + ".bin");
  const std::size_t count = blobs().size();
  EXPECT_THAT(build("validate --platform Win64").out, HasSubstr("no problems"));
  EXPECT_THAT(cook().out, HasSubstr(": 0 built"));
  EXPECT_EQ(cook("--verify").exit_code, 0);

  model("b", 6);  // gets a file
  cook();
  EXPECT_THAT(blobs(), SizeIs(count + 1));
  EXPECT_EQ(member("Engine/b/tile", "SameAs"), "(no member)");
  EXPECT_EQ(member("Engine/a/tile", "CookedPath"), member("Engine/c/tile", "CookedPath"));

  build("bundle create all.pak --cooked build/Cooked/Win64");
  EXPECT_EQ(build("bundle verify all.pak").exit_code, 0);
}

TEST_F(SharedOutputs, validate_finds_a_registry_that_leads_elsewhere) {
  for (const char* name : {"a", "b"}) model(name, 5);
  cook();
  std::string text = registry();
  const std::size_t same = text.find("\"SameAs\":\"") + 10;
  text.replace(same, 36, member("Engine/Textures/wood", "Uuid"));
  write("build/Cooked/Win64/Registry/AssetRegistry.json", text);
  EXPECT_THAT(run("validate --platform Win64").err, HasSubstr("expected the file of its SameAs"));
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
