// The code of docs/guide/engine.md, built and run: every block of it is below, but for indentation.
#include <gmock/gmock.h>

#include <fstream>
#include <iterator>
#include <variant>

#include "assetc/runtime/catalog.hpp"
#include "runtime/cooked.hpp"

namespace assetc {
namespace {

void log(const std::string&) {}
void reserve(std::uint32_t) {}
void note(const runtime::AssetHandle&) {}
Result<runtime::ReadAnswer> read_from_somewhere(const runtime::ReadRequest& request, const std::atomic<bool>&) {
  return std::unexpected(Error{ErrorCode::kNotFound, request.path, {}, "no such file", {}});
}

TEST(EngineGuide, mount_and_find) {
  runtime::Catalog catalog;
  if (auto mounted = catalog.mount("game/Cooked/Linux"); !mounted) log(mounted.error().to_string());
  if (auto mounted = catalog.mount("game/dlc.pak", {.priority = 1, .patches = {"game/dlc-2.patch"}}); !mounted)
    log(mounted.error().to_string());

  std::shared_ptr<runtime::Source> place = runtime::make_source(read_from_somewhere, 2);
  if (auto mounted = catalog.mount(place, runtime::Layout::kPack, "levels/forest.hpack"); !mounted)
    log(mounted.error().to_string());

  runtime::Files files;
  runtime::Cooked cooked;
  cooked.add(runtime::uuid(1), {aas1::Type::kTexture2D, "Engine/Textures/Wood", runtime::texture_blob(), {}, {}});
  cooked.put(files);
  ASSERT_TRUE(catalog.mount(files.source(), runtime::Layout::kCooked, "cooked"));

  const std::optional<runtime::AssetHandle> wood = catalog.find_by_path("Engine/Textures/Wood");
  if (wood) {
    const auto desc = catalog.desc(*wood);
    if (const auto* texture = std::get_if<registry::TextureDesc>(&desc->fields)) reserve(texture->width_texels);
    const runtime::Dependencies needs = catalog.dependencies(*wood);
    for (std::size_t i = 0; i < needs.hard_count(); ++i) note(needs[i]);
  }
  EXPECT_TRUE(wood);
}

// A text without the blanks at the start of its lines.
std::string unindented(const std::string& text) {
  std::string out;
  bool at_start = true;
  for (const char c : text) {
    if (at_start && c == ' ') continue;
    at_start = c == '\n';
    out += c;
  }
  return out;
}

std::string file_text(const std::string& path) {
  std::ifstream file(std::string(ASSETC_SOURCE_DIR) + "/" + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(EngineGuide, every_block_is_built_here) {
  const std::string guide = file_text("docs/guide/engine.md");
  const std::string built = unindented(file_text("tests/runtime/engine_guide_test.cpp"));
  std::size_t blocks = 0;
  for (std::size_t at = guide.find("```cpp\n"); at != std::string::npos; at = guide.find("```cpp\n", at + 1)) {
    const std::size_t start = at + 7;
    const std::string block = guide.substr(start, guide.find("```", start) - start);
    EXPECT_THAT(built, testing::HasSubstr(unindented(block)));
    ++blocks;
  }
  EXPECT_GT(blocks, 2u);
}

}  // namespace
}  // namespace assetc
