#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "assetc/base/hash.hpp"
#include "assetc/formats/hanim.hpp"
#include "assetc/formats/hmat.hpp"
#include "assetc/formats/hmesh.hpp"
#include "corpus.hpp"
#include "crypto/sha.hpp"
#include "recipes/recipe.hpp"

namespace assetc::recipes {
namespace {

namespace fs = std::filesystem;

class DiskInputs : public Inputs {
 public:
  explicit DiskInputs(fs::path root) : root_(std::move(root)) {}
  Result<Bytes> read(std::string_view path) override { return corpus::read_file(root_ / path); }
  bool exists(std::string_view path) override { return fs::exists(root_ / path); }
  Result<std::vector<std::string>> list(std::string_view) override { return std::vector<std::string>(); }
  std::optional<SourceAsset> asset(std::string_view) override { return std::nullopt; }
  std::uint64_t ref(std::string_view stem) override { return hash_asset_ref(stem); }
  std::optional<Uuid> uuid(std::string_view asset) override { return crypto::uuid_of_name({}, as_bytes(asset)); }

 private:
  fs::path root_;
};

Result<Product> compile(const fs::path& root, const std::string& path) {
  const Recipe* recipe = find_recipe("mesh");
  Step step;
  step.recipe = recipe;
  step.source = step.input_path = path;
  step.stem = path.substr(0, path.find_last_of('.'));
  DiskInputs inputs(root);
  return recipe->cook(step, inputs);
}

const Output* find_output(const Product& product, std::string_view suffix) {
  const auto at = std::ranges::find(product.outputs, suffix, &Output::suffix);
  return at == product.outputs.end() ? nullptr : &*at;
}

std::vector<std::string> children_of(const fs::path& root, const std::string& path, const ContainerSet& containers,
                                     bool only_children) {
  const Recipe* recipe = find_recipe("mesh");
  Step step;
  step.recipe = recipe;
  step.source = step.input_path = path;
  step.stem = "stem";
  step.containers = &containers;
  step.only_children = only_children;
  DiskInputs inputs(root);
  const auto product = recipe->cook(step, inputs);
  EXPECT_TRUE(product) << path << ": " << product.error().to_string();
  EXPECT_EQ(product->outputs.empty(), only_children) << path;
  std::vector<std::string> children;
  for (const Step& s : product->steps) {
    std::string& text = children.emplace_back(s.source + "|" + s.input_path + "|" + s.stem);
    text += "|" + content_hash(s.inline_input.span()).hex();
    for (const Params* params : {&s.params, &s.pins}) {
      for (const auto& [key, value] : *params) text += "|" + key + "=" + value;
    }
  }
  return children;
}

TEST(MeshCorpus, children_alone_are_those_of_a_whole_cook) {
  std::size_t children = 0;
  for (const fs::path& root : corpus::folders("models")) {
    for (const std::string& path : corpus::list_files(root, {".gltf", ".glb", ".obj"})) {
      for (const ContainerSet* containers : {&kRuntimeContainers, &kCookedContainers}) {
        const auto whole = children_of(root, path, *containers, false);
        EXPECT_EQ(children_of(root, path, *containers, true), whole) << path;
        children += whole.size();
      }
    }
  }
  EXPECT_GT(children, 0u);
}

TEST(MeshCorpus, every_model_compiles_to_valid_files) {
  const bool verbose = std::getenv("ASSETC_VERBOSE") != nullptr;
  for (const fs::path& root : corpus::folders("models")) {
    for (const std::string& path : corpus::list_files(root, {".gltf", ".glb", ".obj"})) {
      const auto product = compile(root, path);
      ASSERT_TRUE(product) << path << ": " << product.error().to_string();
      const Output* mesh_file = find_output(*product, ".hmesh");
      ASSERT_NE(mesh_file, nullptr) << path;
      const auto mesh = hmesh::View::open(mesh_file->bytes);
      ASSERT_TRUE(mesh) << path << ": " << mesh.error().to_string();
      if (const Output* file = find_output(*product, ".hmat")) {
        const auto table = hmat::View::open(file->bytes);
        ASSERT_TRUE(table) << path << ": " << table.error().to_string();
        EXPECT_EQ(table->materials().size(), mesh->materials().size()) << path;
      } else {
        EXPECT_EQ(mesh->materials().size(), 0u) << path;
      }
      if (const Output* file = find_output(*product, ".hanim")) {
        const auto clips = hanim::View::open(file->bytes);
        ASSERT_TRUE(clips) << path << ": " << clips.error().to_string();
        EXPECT_TRUE(clips->check_joints(mesh->joints().size())) << path;
      }
      if (verbose) {
        std::cout << path << ": " << mesh->triangle_count() << " triangles, " << mesh->submeshes().size()
                  << " submeshes, " << mesh->materials().size() << " materials, " << mesh->joints().size()
                  << " joints\n";
        for (const Step& s : product->steps)
          std::cout << "  " << s.stem << " <- " << s.source << " " << s.params.at("mode") << "\n";
        for (const Diagnostic& d : product->diagnostics) std::cout << "  warning: " << d.what.to_string() << "\n";
      }
    }
  }
}

TEST(MeshCorpus, every_bad_model_compiles_or_says_where_it_is_wrong) {
  const bool verbose = std::getenv("ASSETC_VERBOSE") != nullptr;
  for (const fs::path& root : corpus::folders("bad")) {
    for (const std::string& path : corpus::list_files(root, {".gltf", ".glb", ".obj"})) {
      const auto product = compile(root, path);
      if (verbose) {
        std::cout << path << ": " << (product ? "compiles" : product.error().to_string()) << "\n";
        if (product) {
          for (const Diagnostic& d : product->diagnostics) std::cout << "  warning: " << d.what.to_string() << "\n";
        }
      }
      const bool refused = !product.has_value();
      EXPECT_EQ(refused, corpus::must_be_refused(path).value_or(refused)) << path;
      if (product) continue;
      EXPECT_FALSE(product.error().place.empty()) << path << ": " << product.error().to_string();
    }
  }
}

}  // namespace
}  // namespace assetc::recipes
