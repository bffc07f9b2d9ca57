#include "identity/remembered.hpp"

#include <gtest/gtest.h>

namespace assetc::identity {
namespace {

const ContentHash kHere{1, 2};

std::vector<Remembered> sample() {
  Remembered model{.path = "Assets/W\xc3\xb6od.gltf",
                   .signature = {1, 2},
                   .content = {3, 4},
                   .source_dependencies = {"Assets/a.bin"},
                   .dependency_signature = {5, 6},
                   .sub_assets = {{"Mesh", "M \"1\"", "00"}},
                   .meta_signature = {7, 8}};
  model.meta.uuid = crypto::uuid_of_name({}, as_bytes(std::string_view("wood")));
  model.meta.type = "Container";
  model.meta.virtual_path = "Engine/W_od";
  model.meta.source_path = model.path;
  model.meta.importer = "ModelImporter";
  model.meta.importer_version = 3;
  model.meta.source_dependencies = model.source_dependencies;
  model.meta.dependencies = {"Engine/Stone"};
  model.meta.sub_assets = {{model.meta.uuid, "Mesh", "M", "Engine/W_od/M", "00"}};
  model.meta.redirects = {{model.meta.uuid, "Engine/Old"}};
  model.meta.tags = {"Oak"};
  model.meta.license = "CC0";
  model.meta.import_settings = {{"SRGB", "true"}};
  return {std::move(model), {.path = "b"}};
}

TEST(Remembered, says_again_what_was_written) {
  const std::vector<Remembered> all = sample();
  const ByteVector bytes = write_remembered(kHere, all);
  const std::vector<Remembered> again = parse_remembered(bytes, kHere);
  ASSERT_EQ(again.size(), 2u);
  EXPECT_EQ(again[0].meta, all[0].meta);
  EXPECT_EQ(again[0].sub_assets[0].name, "M \"1\"");
  EXPECT_EQ(write_remembered(kHere, again), bytes);
}

TEST(Remembered, keeps_contents_alone_under_another_environment) {
  const std::vector<Remembered> again = parse_remembered(write_remembered(kHere, sample()), {9, 9});
  ASSERT_EQ(again.size(), 2u);
  EXPECT_EQ(again[0].path, sample()[0].path);
  EXPECT_EQ(again[0].content, sample()[0].content);
  EXPECT_EQ(again[0].signature, ContentHash{});
  EXPECT_EQ(again[0].meta, Meta{});
}

TEST(Remembered, says_nothing_of_damage) {
  const ByteVector bytes = write_remembered(kHere, sample());
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_TRUE(parse_remembered(ByteSpan(bytes).first(size), kHere).empty()) << size;
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    ByteVector bad = bytes;
    bad[at] ^= std::byte{1};
    EXPECT_TRUE(parse_remembered(bad, kHere).empty()) << at;
  }
}

}  // namespace
}  // namespace assetc::identity
