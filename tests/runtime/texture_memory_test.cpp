// Textures in memory of the engine, and in the format of a request.
#include <gmock/gmock.h>
#include <zstd.h>

#include <chrono>
#include <limits>

#include "assetc/codec/transcode.hpp"
#include "codec/block/uastc_block.hpp"
#include "runtime/parts.hpp"

namespace assetc::runtime {
namespace {

using testing::HasSubstr;

constexpr std::uint64_t kRowAlignment = 256, kImageAlignment = 512;

struct Case {
  std::string name;
  TextureOptions options;
  std::optional<TexelFormat> format;  // of the request
};

// A texture of solid UASTC blocks, each with its own color.
ByteVector uastc_of(std::uint32_t width, std::uint32_t height, std::uint32_t faces, std::uint32_t layers, bool zstd) {
  ktx2::Texture texture;
  texture.format = TexelFormat::kUastc;
  texture.width_texels = width;
  texture.height_texels = height;
  texture.face_count = faces;
  texture.layer_count = layers;
  std::vector<ByteVector> levels;
  std::vector<std::uint64_t> sizes;
  std::uint8_t shade = 1;
  for (std::uint32_t side = std::max(width, height), i = 0; side > 0; side /= 2, ++i) {
    const auto blocks = block_count(std::max(width >> i, 1u), std::max(height >> i, 1u)) * faces * std::max(layers, 1u);
    ByteVector level;
    for (std::uint64_t b = 0; b < blocks; ++b, ++shade) {
      codec::UastcBlock block;
      block.solid_color = {shade, static_cast<std::uint8_t>(shade * 3), static_cast<std::uint8_t>(b), 255};
      append_bytes(level, object_bytes(codec::pack_uastc(block)));
    }
    sizes.push_back(level.size());
    if (zstd) {
      ByteVector frame(ZSTD_compressBound(level.size()));
      frame.resize(ZSTD_compress(frame.data(), frame.size(), level.data(), level.size(), 3));
      level = std::move(frame);
    }
    levels.push_back(std::move(level));
  }
  if (zstd) texture.supercompression = ktx2::Supercompression::kZstd;
  for (std::size_t i = 0; i < levels.size(); ++i) texture.levels.push_back({levels[i], sizes[i]});
  return ktx2::write(texture).value();
}

// The levels of a texture, tightly packed.
std::vector<ByteVector> packed(const TextureData& texture) {
  std::vector<ByteVector> levels;
  for (const TextureData::Level& level : texture.levels) {
    const BlockShape block = block_shape(texture.format);
    const std::uint64_t row_bytes =
        (level.width_texels + block.width_texels - 1) / block.width_texels * block.size_bytes;
    const std::uint64_t rows = (level.height_texels + block.height_texels - 1) / block.height_texels;
    const std::uint64_t images =
        std::uint64_t{std::max(texture.layer_count, 1u)} * texture.face_count * level.depth_texels;
    const std::uint64_t row_pitch = level.row_pitch_bytes == 0 ? row_bytes : level.row_pitch_bytes;
    const std::uint64_t image_pitch = level.image_pitch_bytes == 0 ? rows * row_pitch : level.image_pitch_bytes;
    ByteVector out;
    for (std::uint64_t image = 0; image < images; ++image) {
      for (std::uint64_t row = 0; row < rows; ++row)
        append_bytes(out, level.bytes.span().subspan(image * image_pitch + row * row_pitch, row_bytes));
    }
    levels.push_back(std::move(out));
  }
  return levels;
}

class TextureMemory : public testing::Test {
 protected:
  // Loads a file with these options, whole or in parts.
  AssetRef<TextureData> load(const std::string& path, const Case& with, bool in_parts) {
    std::vector<std::string> names;
    names.reserve(files.files.size());
    for (const auto& [file, bytes] : files.files) names.push_back(file);
    Catalog catalog;
    EXPECT_TRUE(catalog.mount(files.source(), Layout::kTree, "", {.files = names}));
    manager.emplace(catalog, ManagerOptions{.io_thread = false});
    manager->add<TextureData>(AssetType::kTexture2D, in_parts ? texture_loader(with.options, {.first_read_bytes = 512})
                                                              : texture_loader(with.options));
    const AssetRef<TextureData> ref =
        manager->load_async<TextureData>(path, LoadOptions{.settings = {.format = with.format}});
    do {
      manager->pump({.time = std::chrono::seconds(60)});
    } while (manager->stats().loading > 0);
    for (int i = 0; i < 20; ++i) manager->pump({.time = std::chrono::seconds(60)});
    return ref;
  }
  // An engine's memory, with gaps between rows and images.
  std::function<Result<LevelMemory>(const LevelRequest&)> aligned_memory() {
    return [this](const LevelRequest& request) -> Result<LevelMemory> {
      const auto up = [](std::uint64_t size, std::uint64_t to) { return (size + to - 1) / to * to; };
      const std::uint64_t row_pitch = up(request.row_bytes, kRowAlignment);
      const std::uint64_t image_pitch = up(row_pitch * request.row_count, kImageAlignment);
      auto memory = std::make_shared<ByteVector>(image_pitch * request.image_count, std::byte{0xcd});
      given.push_back(memory);
      return LevelMemory{*memory, row_pitch, image_pitch, memory};
    };
  }

  Files files;
  std::vector<std::weak_ptr<ByteVector>> given;
  std::optional<Manager> manager;
};

TEST_F(TextureMemory, levels_in_engine_memory_are_those_of_the_loader) {
  files.files["flat.ktx2"] = Bytes(uastc_of(37, 21, 1, 0, false));
  files.files["cube.ktx2"] = Bytes(uastc_of(16, 16, 6, 2, true));
  files.files["rgba.ktx2"] = Bytes(ktx2_of(false));
  files.files["zstd.ktx2"] = Bytes(ktx2_of(true));
  files.files["blob.ktx2"] = Bytes(aas1_of());
  const std::vector<Case> cases = {{"bc", {.bc = true}, {}},
                                   {"astc", {.astc = true}, {}},
                                   {"etc2", {.bc = false, .etc2 = true}, {}},
                                   {"none", {.bc = false}, {}}};
  for (const std::string path : {"flat.ktx2", "cube.ktx2", "rgba.ktx2", "zstd.ktx2", "blob.ktx2"}) {
    for (const Case& one : cases) {
      for (const bool in_parts : {false, true}) {
        SCOPED_TRACE(path + " " + one.name + (in_parts ? " in parts" : ""));
        const AssetRef<TextureData> expected = load(path, one, false);
        ASSERT_TRUE(expected.is_ready()) << expected.failure()->to_string();
        const std::vector<ByteVector> levels = packed(*expected.get());
        Case with = one;
        with.options.allocate = aligned_memory();
        given.clear();
        const AssetRef<TextureData> ref = load(path, with, in_parts);
        ASSERT_TRUE(ref.is_ready()) << ref.failure()->to_string();
        EXPECT_EQ(packed(*ref.get()), levels);
        EXPECT_GE(given.size(), levels.size());
        for (const TextureData::Level& level : ref.get()->levels) {
          EXPECT_EQ(level.row_pitch_bytes % kRowAlignment, 0u);
          EXPECT_EQ(level.image_pitch_bytes % kImageAlignment, 0u);
        }
      }
    }
  }
}

TEST_F(TextureMemory, bytes_between_rows_are_not_written_and_tight_memory_needs_no_pitch) {
  files.files["flat.ktx2"] = Bytes(uastc_of(20, 12, 1, 0, false));
  std::vector<std::shared_ptr<ByteVector>> memory;
  Case with{"bc", {}, {}};
  with.options.allocate = [&](const LevelRequest& request) -> Result<LevelMemory> {
    memory.push_back(std::make_shared<ByteVector>(1024, std::byte{0xcd}));
    return LevelMemory{*memory.back(), request.row_bytes + 16, 0, {}};
  };
  const AssetRef<TextureData> ref = load("flat.ktx2", with, false);
  ASSERT_TRUE(ref.is_ready());
  const ByteSpan level = *memory.at(0);
  EXPECT_EQ(ref.get()->levels[0].bytes.data(), level.data());  // no copy of it
  for (const std::size_t row : {0u, 1u})
    for (std::size_t i = 0; i < 16; ++i) EXPECT_EQ(level[row * 96 + 80 + i], std::byte{0xcd}) << row;
  EXPECT_EQ(level[3 * 96], std::byte{0xcd});
  with.options.allocate = [&](const LevelRequest& request) -> Result<LevelMemory> {
    const auto tight = std::make_shared<ByteVector>(request.row_bytes * request.row_count * request.image_count);
    return LevelMemory{.bytes = *tight, .owner = tight};
  };
  EXPECT_EQ(packed(*load("flat.ktx2", with, false).get()), packed(*load("flat.ktx2", {"bc", {}, {}}, false).get()));
}

TEST_F(TextureMemory, memory_that_is_too_small_and_errors_of_the_engine_fail_the_asset) {
  files.files["flat.ktx2"] = Bytes(uastc_of(20, 12, 1, 0, false));
  ByteVector memory(4096);
  const auto why = [&](const LevelMemory& given_memory) {
    Case with{"bc", {}, {}};
    with.options.allocate = [&](const LevelRequest&) -> Result<LevelMemory> { return given_memory; };
    const AssetRef<TextureData> ref = load("flat.ktx2", with, false);
    return ref.is_ready() ? "ready" : ref.failure()->to_string();
  };
  constexpr std::uint64_t kHuge = std::numeric_limits<std::uint64_t>::max() / 2;
  EXPECT_THAT(why({.bytes = std::span(memory).first(239)}),
              HasSubstr("gave 239 bytes, expected 240; check its result"));
  EXPECT_THAT(why({.bytes = memory, .row_pitch_bytes = 79}), HasSubstr("gave pitches of 79"));
  EXPECT_THAT(why({.bytes = memory, .row_pitch_bytes = 80, .image_pitch_bytes = 239}),
              HasSubstr("expected at least 80"));
  EXPECT_THAT(why({.bytes = memory, .row_pitch_bytes = kHuge}), HasSubstr("gave pitches of"));
  EXPECT_THAT(why({.bytes = memory, .row_pitch_bytes = 2010}), HasSubstr("gave 4096 bytes, expected 4100"));
  Case with{"bc", {}, {}};
  with.options.allocate = [&](const LevelRequest&) -> Result<LevelMemory> {
    return fail(ErrorCode::kLimit, "the upload heap is full");
  };
  EXPECT_THAT(load("flat.ktx2", with, true).failure()->to_string(), HasSubstr("limit: the upload heap is full"));
}

TEST_F(TextureMemory, memory_is_given_back_with_its_level) {
  files.files["flat.ktx2"] = Bytes(uastc_of(20, 12, 1, 0, false));
  Case with{"bc", {}, {}};
  with.options.allocate = aligned_memory();
  AssetRef<TextureData> ref = load("flat.ktx2", with, false);
  ASSERT_EQ(given.size(), 5u);
  for (const auto& memory : given) EXPECT_FALSE(memory.expired());
  ref = {};
  manager.reset();
  for (const auto& memory : given) EXPECT_TRUE(memory.expired());
}

TEST_F(TextureMemory, a_request_may_ask_for_a_format) {
  files.files["flat.ktx2"] = Bytes(uastc_of(20, 12, 1, 0, false));
  for (const auto& [format, blocks] :
       {std::pair(TexelFormat::kRgba8, BlockFormat::kRgba8), std::pair(TexelFormat::kAstc4x4, BlockFormat::kAstc4x4),
        std::pair(TexelFormat::kBc1Rgb, BlockFormat::kBc1),
        std::pair(TexelFormat::kEtc2Rgba, BlockFormat::kEtc2Rgba)}) {
    const AssetRef<TextureData> ref = load("flat.ktx2", {"bc", {}, format}, format == TexelFormat::kAstc4x4);
    ASSERT_TRUE(ref.is_ready()) << ref.failure()->to_string();
    EXPECT_EQ(ref.get()->format, format);
    const auto view = ktx2::View::open(files.files["flat.ktx2"]).value();
    const ByteSpan source = view.levels()[0].bytes;
    if (blocks == BlockFormat::kRgba8) {
      std::vector<Rgba8> texels(20 * 12);
      ASSERT_TRUE(decode_blocks(source, BlockFormat::kUastc, 20, 12, texels));
      EXPECT_TRUE(std::ranges::equal(ref.get()->levels[0].bytes.span(), std::as_bytes(std::span(texels))));
    } else {
      ByteVector expected(*transcoded_bytes(blocks, source.size()));
      ASSERT_TRUE(transcode_uastc(source, blocks, expected));
      EXPECT_TRUE(std::ranges::equal(ref.get()->levels[0].bytes.span(), expected));
    }
  }
}

TEST_F(TextureMemory, a_block_texture_is_decoded_for_a_reader_and_other_conversions_are_refused) {
  const ByteVector uastc = uastc_of(20, 12, 1, 0, false);
  const auto view = ktx2::View::open(uastc).value();
  ktx2::Texture texture;
  texture.format = TexelFormat::kBc7;
  texture.width_texels = 20;
  texture.height_texels = 12;
  ByteVector bc7(*transcoded_bytes(BlockFormat::kBc7, view.levels()[0].bytes.size()));
  ASSERT_TRUE(transcode_uastc(view.levels()[0].bytes, BlockFormat::kBc7, bc7));
  texture.levels = {{bc7, bc7.size()}};
  files.files["bc7.ktx2"] = Bytes(ktx2::write(texture).value());
  std::vector<Rgba8> texels(20 * 12);
  ASSERT_TRUE(decode_blocks(bc7, BlockFormat::kBc7, 20, 12, texels));
  const AssetRef<TextureData> ref = load("bc7.ktx2", {"", {.bc = false}, TexelFormat::kRgba8}, false);
  ASSERT_TRUE(ref.is_ready()) << ref.failure()->to_string();
  EXPECT_TRUE(std::ranges::equal(ref.get()->levels[0].bytes.span(), std::as_bytes(std::span(texels))));
  EXPECT_THAT(load("bc7.ktx2", {"", {}, TexelFormat::kAstc4x4}, false).failure()->to_string(),
              HasSubstr("unsupported: found bc7, which this loader does not convert to astc4x4"));
  EXPECT_TRUE(load("bc7.ktx2", {"", {.bc = false}, TexelFormat::kBc7}, false).is_ready());
}

}  // namespace
}  // namespace assetc::runtime
