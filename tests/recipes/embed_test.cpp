// *.embed.yml puts any file into the output.
#include <gmock/gmock.h>

#include "recipes/fake_inputs.hpp"

namespace assetc::recipes {
namespace {

using ::testing::HasSubstr;

Result<Product> cook_embed(const std::string& text, const std::string& path = "tables/drops.csv.embed.yml",
                           const ContainerSet& containers = kRuntimeContainers) {
  FakeInputs inputs;
  inputs.files = {{path, text}, {"tables/drops.csv", "a,b\n"}, {"raw/9 lives.bin", std::string("\0\xFF", 2)}};
  Step step;
  step.recipe = find_recipe("embed");
  step.source = step.input_path = path;
  step.stem = stem_of(path, *file_claim(*step.recipe, path));
  step.containers = &containers;
  return step.recipe->cook(step, inputs);
}

std::string error_of(const std::string& text) {
  const auto product = cook_embed(text);
  EXPECT_FALSE(product) << text;
  return product ? "" : product.error().to_string();
}

TEST(EmbedRecipe, copies_the_file_of_its_name) {
  const auto product = cook_embed("");
  ASSERT_TRUE(product) << product.error().to_string();
  ASSERT_EQ(product->outputs.size(), 1u);
  EXPECT_EQ(product->outputs[0].suffix, "") << "the stem is tables/drops.csv";
  EXPECT_EQ(as_text(product->outputs[0].bytes), "a,b\n");
  EXPECT_EQ(product->outputs[0].descriptor.kind, AssetKind::kEmbed);
}

TEST(EmbedRecipe, names_the_output_after_itself_with_the_suffix_of_the_file) {
  const auto product = cook_embed("file: '../raw/9 lives.bin'\n", "data/cat.embed.yml");
  ASSERT_TRUE(product) << product.error().to_string();
  EXPECT_EQ(product->outputs[0].suffix, ".bin");
  EXPECT_TRUE(cook_embed("file: /tables/drops.csv\n", "a/b.embed.yml")) << "from the input folder";
}

TEST(EmbedRecipe, writes_a_header_with_the_id_of_the_path) {
  const auto product = cook_embed(
      "\xEF\xBB\xBF"
      "as: header\r\nname: kCat\r\nnamespace: game::data\r\nfile: ../raw/9 lives.bin\r\n",
      "data/cat.embed.yml");
  ASSERT_TRUE(product) << product.error().to_string();
  EXPECT_EQ(product->outputs[0].suffix, ".bin.hpp");
  const std::string text(as_text(product->outputs[0].bytes));
  EXPECT_THAT(text, HasSubstr("namespace game::data {"));
  EXPECT_THAT(text, HasSubstr("std::array<unsigned char, 2> kCat{\n    0,255,\n};"));
  char id[32];
  std::snprintf(id, sizeof id, "kCat_id = 0x%016llxu", static_cast<unsigned long long>(hash_embed_ref("data/cat.bin")));
  EXPECT_THAT(text, HasSubstr(id));
  EXPECT_THAT(std::string(as_text(cook_embed("as: header\nfile: '../raw/9 lives.bin'\n")->outputs[0].bytes)),
              HasSubstr("> _9_lives_bin{"))
      << "a name is made of the file's";
}

TEST(EmbedRecipe, keeps_odd_names_inside_the_comments_of_a_header) {
  const std::string path = "a\n#error b\\/c.txt.embed.yml";
  const auto product = cook_embed("as: header\nname: kC\nfile: /tables/drops.csv\n", path);
  ASSERT_TRUE(product) << product.error().to_string();
  const std::string text(as_text(product->outputs[0].bytes));
  EXPECT_THAT(text, HasSubstr(R"(// The id of "a\n#error b\\/c)"));
  EXPECT_THAT(text, ::testing::Not(HasSubstr("\n#error")));
}

TEST(EmbedRecipe, cooks_the_file_as_raw_data) {
  const auto product = cook_embed("", "tables/drops.csv.embed.yml", kCookedContainers);
  ASSERT_TRUE(product) << product.error().to_string();
  EXPECT_THAT(std::string(as_text(product->outputs[0].bytes)), HasSubstr("a,b\n"));
  EXPECT_FALSE(cook_embed("as: header", "tables/drops.csv.embed.yml", kCookedContainers));
}

TEST(EmbedRecipe, names_the_line_of_a_mistake) {
  EXPECT_THAT(error_of("as: heder\n"), HasSubstr("line 1: as: found \"heder\", expected file or header"));
  EXPECT_THAT(error_of("\nname: 3d\n"), HasSubstr("line 2: name: found \"3d\", expected a C++ identifier"));
  EXPECT_THAT(error_of("namespace: 'a::'\n"), HasSubstr("expected a C++ namespace such as game::data"));
  EXPECT_THAT(error_of("file: ../../etc/passwd\n"), HasSubstr("line 1"));
  EXPECT_THAT(error_of("file: [a]\n"), HasSubstr("found a list of 1, expected the path of a file"));
  EXPECT_THAT(error_of("as: file\nas: file\n"), HasSubstr("line 2: found the key as twice"));
  EXPECT_THAT(error_of("- a\n"), HasSubstr("expected keys such as as: header"));
  EXPECT_THAT(error_of("{"), HasSubstr("not valid YAML"));
  EXPECT_THAT(error_of("file: none.csv\n"), HasSubstr("tables/none.csv: no file"));
  EXPECT_THAT(error_of(std::string(100'000, '#')), HasSubstr("expected at most 65536"));
  const auto product = cook_embed("namespac: x\n");
  ASSERT_TRUE(product);
  ASSERT_EQ(product->diagnostics.size(), 1u);
  EXPECT_THAT(product->diagnostics[0].what.to_string(), HasSubstr("did you mean namespace?"));
}

TEST(EmbedRecipe, does_not_replace_the_manifest) {
  FakeInputs inputs;
  inputs.files = {{"assets.embed.yml", "file: my.hman"}, {"my.hman", "x"}};
  Step step;
  step.recipe = find_recipe("embed");
  step.source = step.input_path = "assets.embed.yml";
  step.stem = "assets";
  EXPECT_FALSE(step.recipe->cook(step, inputs));
}

}  // namespace
}  // namespace assetc::recipes
