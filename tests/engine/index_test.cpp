#include "engine/publish/index.hpp"

#include <gmock/gmock.h>

#include "engine/toy_target.hpp"

namespace assetc::engine {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr recipes::Descriptor kTexture{recipes::AssetKind::kTexture, true};
constexpr recipes::Descriptor kMesh{recipes::AssetKind::kMesh};

struct AnIndex : testing::Test {
  const StepRecord& step(std::string_view stem, recipes::Descriptor descriptor,
                         std::vector<std::string_view> references = {}) {
    auto record = std::make_unique<StepRecord>();
    record->stem = record->source = stem;
    record->outputs.push_back({".out", {}, {}, descriptor});
    record->references = std::move(references);
    return arena.keep(std::move(record));
  }
  Arena arena;
  StepSet steps;
};

std::vector<std::string> paths(const Index& index) {
  std::vector<std::string> paths;
  paths.reserve(index.files.size());
  for (const IndexedFile& file : index.files)
    paths.push_back(toy::kFlatTarget.file_path(file.stem, file.suffix) + (file.is_named ? " named" : ""));
  return paths;
}

TEST_F(AnIndex, holds_every_output) {
  steps.add(step("a", kTexture), true);
  steps.add(step("b", kTexture), false);
  steps.add(step("m", kMesh), true);
  const Index index = index_of(steps, toy::kFlatTarget);
  EXPECT_THAT(paths(index), ElementsAre("a.out named", "b.out", "m.out named"));
  EXPECT_EQ(index.files[0].descriptor, kTexture);
}

TEST_F(AnIndex, holds_what_is_referred_to_in_any_letter_case) {
  steps.add(step("Walls/Brick", kTexture), false);
  steps.add(step("m", kMesh, {"walls/brick"}), false);
  const Index index = index_of(steps, toy::kFlatTarget);
  EXPECT_THAT(paths(index), ElementsAre("Walls+Brick.out", "m.out", "Walls+Brick.out named"));
  EXPECT_THAT(index.loose, IsEmpty());
}

TEST_F(AnIndex, tells_references_that_nothing_answers) {
  steps.add(step("m", kMesh, {"n", "gone"}), false);
  steps.add(step("n", kMesh), false);  // not a texture
  const Index index = index_of(steps, toy::kFlatTarget);
  ASSERT_EQ(index.loose.size(), 2u);
  EXPECT_EQ(index.loose[0].name, "gone");
  EXPECT_EQ(index.loose[0].source, "m");
  EXPECT_EQ(index.loose[1].name, "n");
}

}  // namespace
}  // namespace assetc::engine
