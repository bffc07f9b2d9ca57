#include "assetc/formats/ktx2.hpp"

#include <gmock/gmock.h>

#include <filesystem>
#include <functional>

#include "corpus.hpp"
#include "etc1s_files.hpp"
#include "formats/support.hpp"

namespace assetc::ktx2 {
namespace {

using namespace formats_test;

// A texture whose payload bytes identify its levels.
struct Sample {
  Texture texture;
  std::vector<ByteVector> payloads;

  explicit Sample(Texture t, std::size_t levels = 1) : texture(std::move(t)) {
    payloads.resize(levels);
    for (std::size_t i = 0; i < levels; ++i) {
      const std::uint64_t size = level_size_bytes(texture, i).value_or(0);
      payloads[i].assign(texture.supercompression == Supercompression::kNone ? size : size / 2 + 3,
                         static_cast<std::byte>(i + 1));
      texture.levels.push_back({payloads[i], size});
    }
  }
};

Sample uastc() {
  Texture t;
  t.width_texels = 20;
  t.height_texels = 12;
  return Sample(t, 5);
}

Sample zstd_rgba8() {
  Texture t;
  t.format = TexelFormat::kRgba8;
  t.transfer = Transfer::kLinear;
  t.supercompression = Supercompression::kZstd;
  t.width_texels = 7;
  t.height_texels = 5;
  t.writer_params = "zstd 18";
  t.swizzle = "rg01";
  return Sample(t, 3);
}

std::string words(Sample s, const std::function<void(Texture&)>& change) {
  change(s.texture);
  const auto r = write(s.texture);
  return r ? "no error" : r.error().what;
}

TEST(Ktx2, round_trips_uastc) {
  const Sample s = uastc();
  const ByteVector file = *write(s.texture);
  const auto view = View::open(file);
  ASSERT_TRUE(view) << error_of(view);
  EXPECT_EQ(view->format(), TexelFormat::kUastc);
  EXPECT_EQ(view->vk_format(), 0u);
  EXPECT_TRUE(view->is_srgb());
  EXPECT_EQ(view->primaries(), 1);
  EXPECT_EQ(view->first_channel(), 3);
  EXPECT_EQ(view->text("KTXwriter"), "assetc");
  EXPECT_EQ(view->text("KTXorientation"), "rd");
  EXPECT_FALSE(view->find("KTXswizzle"));
  ASSERT_EQ(view->levels().size(), 5u);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_TRUE(std::ranges::equal(view->levels()[i].bytes, s.payloads[i]));
    EXPECT_EQ((view->levels()[i].bytes.data() - file.data()) % 16, 0);
    EXPECT_EQ(view->levels()[i].uncompressed_size_bytes, view->image_size_bytes(i));
  }
  EXPECT_EQ(view->levels()[1].width_texels, 10u);
  EXPECT_EQ(view->levels()[4].height_texels, 1u);
  EXPECT_LT(view->levels()[4].bytes.data(), view->levels()[0].bytes.data());
}

TEST(Ktx2, round_trips_zstd_without_alignment) {
  const Sample s = zstd_rgba8();
  const ByteVector file = *write(s.texture);
  const auto view = View::open(file);
  ASSERT_TRUE(view) << error_of(view);
  EXPECT_EQ(view->supercompression(), Supercompression::kZstd);
  EXPECT_EQ(view->vk_format(), 37u);
  EXPECT_EQ(view->primaries(), 0);
  EXPECT_EQ(view->block().size_bytes, 4u);
  EXPECT_EQ(view->text("KTXswizzle"), "rg01");
  EXPECT_EQ(view->text("KTXwriterScParams"), "zstd 18");
  EXPECT_EQ(view->levels()[0].uncompressed_size_bytes, 7u * 5 * 4);
  EXPECT_EQ(view->levels()[0].bytes.data() + view->levels()[0].bytes.size(), file.data() + file.size());
  EXPECT_EQ(view->levels()[1].bytes.data() + view->levels()[1].bytes.size(), view->levels()[0].bytes.data());
}

TEST(Ktx2, round_trips_every_format_it_writes) {
  int written = 0;
  for (std::size_t f = 0; f < kTexelFormatCount; ++f) {
    for (const Transfer transfer : {Transfer::kLinear, Transfer::kSrgb}) {
      Texture t;
      t.format = static_cast<TexelFormat>(f);
      t.transfer = transfer;
      t.width_texels = 25;
      t.height_texels = 14;
      if (t.format == TexelFormat::kEtc1s || !vk_format(t.format, transfer)) continue;
      const Sample s(t, 5);
      const auto file = write(s.texture);
      ASSERT_TRUE(file) << to_string(t.format) << ": " << error_of(file);
      const auto view = View::open(*file);
      ASSERT_TRUE(view) << to_string(t.format) << ": " << error_of(view);
      EXPECT_EQ(view->format(), t.format);
      EXPECT_EQ(view->transfer(), transfer);
      EXPECT_EQ(view->block(), block_shape(t.format));
      ++written;
    }
  }
  EXPECT_EQ(written, 45 + 26);  // all except ETC1S, and those with an sRGB twin
}

TEST(Ktx2, round_trips_cubemaps_arrays_and_volumes) {
  Texture cube;
  cube.width_texels = cube.height_texels = 8;
  cube.face_count = 6;
  const ByteVector cube_file = *write(Sample(cube, 4).texture);
  EXPECT_TRUE(View::open(cube_file)->is_cubemap());
  EXPECT_EQ(View::open(cube_file)->levels()[0].bytes.size(), 6u * 64);

  Texture array = cube;
  array.face_count = 1;
  array.layer_count = 3;
  const ByteVector array_file = *write(Sample(array, 2).texture);
  EXPECT_EQ(View::open(array_file)->layer_count(), 3u);
  EXPECT_EQ(View::open(array_file)->images_per_level(), 3u);
  EXPECT_EQ(View::open(array_file)->levels()[0].bytes.size(), 3u * 64);

  Texture lut;
  lut.format = TexelFormat::kRgba8;
  lut.transfer = Transfer::kLinear;
  lut.width_texels = lut.height_texels = lut.depth_texels = 5;
  lut.supercompression = Supercompression::kZstd;
  const ByteVector lut_file = *write(Sample(lut).texture);
  EXPECT_EQ(View::open(lut_file)->depth_texels(), 5u);
  EXPECT_EQ(View::open(lut_file)->levels()[0].uncompressed_size_bytes, 500u);
  EXPECT_FALSE(View::open(lut_file)->find("KTXorientation"));
}

TEST(Ktx2, keeps_its_golden_bytes) {
  expect_golden("uastc.ktx2", *write(uastc().texture));
  expect_golden("rgba8_zstd.ktx2", *write(zstd_rgba8().texture));
}

TEST(Ktx2, lays_out_header_and_descriptor_as_specified) {
  const ByteVector file = *write(uastc().texture);
  EXPECT_EQ(as_text(ByteSpan(file).first(12)), "\xabKTX 20\xbb\r\n\x1a\n");
  EXPECT_EQ(load<std::uint32_t>(file, 16), 1u);
  EXPECT_EQ(load<std::uint32_t>(file, 20), 20u);
  EXPECT_EQ(load<std::uint32_t>(file, 36), 1u);
  EXPECT_EQ(load<std::uint32_t>(file, 40), 5u);
  EXPECT_EQ(load<std::uint32_t>(file, 48), 80u + 5 * 24);
  EXPECT_EQ(load<std::uint32_t>(file, 52), 44u);
  EXPECT_EQ(load<std::uint32_t>(file, 200), 44u);  // total size
  EXPECT_EQ(load<std::uint32_t>(file, 208), 40u << 16 | 2);
  EXPECT_EQ(load<std::uint8_t>(file, 212), 166);  // model
  EXPECT_EQ(load<std::uint8_t>(file, 214), 2);    // sRGB
  EXPECT_EQ(load<std::uint32_t>(file, 216), 0x0303u);
  EXPECT_EQ(load<std::uint8_t>(file, 220), 16);
  EXPECT_EQ(load<std::uint8_t>(file, 230), 127);  // bits, less 1
  EXPECT_EQ(load<std::uint32_t>(file, 240), 0xffffffffu);
}

// Values from the Vulkan specification (VkFormat) and the Data Format Specification 1.3 (chapter 5 and the tables of
// each model), not from our code.
struct Described {
  TexelFormat format;
  Transfer transfer;
  std::uint32_t vk_format;
  std::uint8_t model, width, height, bytes;
  struct Part {
    std::uint16_t offset;
    std::uint8_t bits_less_1, channel;
    std::uint32_t lower, upper;
  };
  std::vector<Part> samples;
};

TEST(Ktx2, describes_every_compressed_format_as_specified) {
  using P = Described::Part;
  constexpr auto kLinear = Transfer::kLinear, kSrgb = Transfer::kSrgb;
  constexpr std::uint32_t kMax = 0xFFFFFFFF, kOne = 0x3F800000, kMinusOne = 0xBF800000;
  const P whole{0, 127, 0, 0, kMax};
  const std::vector<Described> all{
      {TexelFormat::kBc1Rgb, kLinear, 131, 128, 4, 4, 8, {P{0, 63, 0, 0, kMax}}},
      {TexelFormat::kBc1Rgb, kSrgb, 132, 128, 4, 4, 8, {P{0, 63, 0, 0, kMax}}},
      {TexelFormat::kBc1Rgba, kSrgb, 134, 128, 4, 4, 8, {P{0, 63, 1, 0, kMax}}},
      {TexelFormat::kBc3, kLinear, 137, 130, 4, 4, 16, {P{0, 63, 15, 0, kMax}, P{64, 63, 0, 0, kMax}}},
      // Alpha of an sRGB format is linear, and marked so.
      {TexelFormat::kBc3, kSrgb, 138, 130, 4, 4, 16, {P{0, 63, 15 | 0x10, 0, kMax}, P{64, 63, 0, 0, kMax}}},
      {TexelFormat::kBc4, kLinear, 139, 131, 4, 4, 8, {P{0, 63, 0, 0, kMax}}},
      {TexelFormat::kBc4Signed, kLinear, 140, 131, 4, 4, 8, {P{0, 63, 0x40, 0x80000000, 0x7FFFFFFF}}},
      {TexelFormat::kBc5, kLinear, 141, 132, 4, 4, 16, {P{0, 63, 0, 0, kMax}, P{64, 63, 1, 0, kMax}}},
      {TexelFormat::kBc6h, kLinear, 143, 133, 4, 4, 16, {P{0, 127, 0x80, 0, kOne}}},
      {TexelFormat::kBc6hSigned, kLinear, 144, 133, 4, 4, 16, {P{0, 127, 0xC0, kMinusOne, kOne}}},
      {TexelFormat::kBc7, kLinear, 145, 134, 4, 4, 16, {whole}},
      {TexelFormat::kBc7, kSrgb, 146, 134, 4, 4, 16, {whole}},
      {TexelFormat::kEtc2Rgb, kLinear, 147, 161, 4, 4, 8, {P{0, 63, 2, 0, kMax}}},
      {TexelFormat::kEtc2Rgb, kSrgb, 148, 161, 4, 4, 8, {P{0, 63, 2, 0, kMax}}},
      {TexelFormat::kEtc2Rgba, kLinear, 151, 161, 4, 4, 16, {P{0, 63, 15, 0, kMax}, P{64, 63, 2, 0, kMax}}},
      {TexelFormat::kEtc2Rgba, kSrgb, 152, 161, 4, 4, 16, {P{0, 63, 15 | 0x10, 0, kMax}, P{64, 63, 2, 0, kMax}}},
      {TexelFormat::kEacR11, kLinear, 153, 161, 4, 4, 8, {P{0, 63, 0, 0, kMax}}},
      {TexelFormat::kEacR11Signed, kLinear, 154, 161, 4, 4, 8, {P{0, 63, 0x40, 0x80000000, 0x7FFFFFFF}}},
      {TexelFormat::kEacRg11, kLinear, 155, 161, 4, 4, 16, {P{0, 63, 0, 0, kMax}, P{64, 63, 1, 0, kMax}}},
      {TexelFormat::kAstc4x4, kLinear, 157, 162, 4, 4, 16, {whole}},
      {TexelFormat::kAstc4x4, kSrgb, 158, 162, 4, 4, 16, {whole}},
      {TexelFormat::kAstc6x6, kLinear, 165, 162, 6, 6, 16, {whole}},
      {TexelFormat::kAstc6x6, kSrgb, 166, 162, 6, 6, 16, {whole}},
      {TexelFormat::kAstc8x8, kLinear, 171, 162, 8, 8, 16, {whole}},
      {TexelFormat::kAstc8x8, kSrgb, 172, 162, 8, 8, 16, {whole}},
  };
  for (const Described& want : all) {
    SCOPED_TRACE(std::string(to_string(want.format)) + (want.transfer == kSrgb ? " sRGB" : " linear"));
    Texture t;
    t.format = want.format;
    t.transfer = want.transfer;
    t.width_texels = 26;
    t.height_texels = 13;
    const Sample s(t, 3);
    const ByteVector file = *write(s.texture);
    EXPECT_EQ(load<std::uint32_t>(file, 12), want.vk_format);
    EXPECT_EQ(load<std::uint32_t>(file, 16), 1u);  // type size of every block format
    const std::size_t dfd = load<std::uint32_t>(file, 48);
    EXPECT_EQ(load<std::uint32_t>(file, 52), 28 + 16 * want.samples.size());
    EXPECT_EQ(load<std::uint16_t>(file, dfd + 8), 2);  // version 1.3
    EXPECT_EQ(load<std::uint8_t>(file, dfd + 12), want.model);
    EXPECT_EQ(load<std::uint8_t>(file, dfd + 13), want.transfer == kSrgb ? 1 : 0);  // BT.709 if glTF requires it
    EXPECT_EQ(load<std::uint8_t>(file, dfd + 14), want.transfer == kSrgb ? 2 : 1);
    EXPECT_EQ(load<std::uint8_t>(file, dfd + 15), 0);
    EXPECT_EQ(load<std::uint32_t>(file, dfd + 16), (want.width - 1u) | (want.height - 1u) << 8);
    EXPECT_EQ(load<std::uint32_t>(file, dfd + 20), want.bytes);
    for (std::size_t i = 0; i < want.samples.size(); ++i) {
      const std::size_t at = dfd + 28 + i * 16;
      EXPECT_EQ(load<std::uint16_t>(file, at), want.samples[i].offset);
      EXPECT_EQ(load<std::uint8_t>(file, at + 2), want.samples[i].bits_less_1);
      EXPECT_EQ(load<std::uint8_t>(file, at + 3), want.samples[i].channel);
      EXPECT_EQ(load<std::uint32_t>(file, at + 4), 0u);
      EXPECT_EQ(load<std::uint32_t>(file, at + 8), want.samples[i].lower);
      EXPECT_EQ(load<std::uint32_t>(file, at + 12), want.samples[i].upper);
    }
    const auto view = View::open(file);
    ASSERT_TRUE(view) << error_of(view);
    // Alignment of lcm(4, block bytes), which is the block size for both sizes.
    for (const Level& level : view->levels()) EXPECT_EQ((level.bytes.data() - file.data()) % want.bytes, 0);
    const auto blocks = [](std::uint64_t side, std::uint64_t of) { return (side + of - 1) / of; };
    EXPECT_EQ(view->levels()[1].bytes.size(), blocks(13, want.width) * blocks(6, want.height) * want.bytes);
  }
}

TEST(Ktx2, refuses_every_prefix) {
  expect_every_prefix_refused(*write(uastc().texture), View::open);
  expect_every_prefix_refused(*write(zstd_rgba8().texture), View::open);
}
TEST(Ktx2, survives_changed_bytes) { expect_survives_changed_bytes(*write(zstd_rgba8().texture), View::open); }

TEST(Ktx2, rejects_extra_bytes) {
  const ByteVector file = *write(uastc().texture);
  EXPECT_EQ(View::open(with_extra(file, 1)).error().what, "found 1 extra byte, expected the end of the file");
}

TEST(Ktx2, rejects_another_version) {
  const ByteVector file = *write(uastc().texture);
  EXPECT_EQ(error_of(View::open(with(file, 5, std::uint16_t{'1' | '1' << 8}))),
            "byte 5: found KTX version \"11\", expected \"20\"; convert it to KTX 2");
  EXPECT_EQ(error_of(View::open(with(file, 0, std::uint8_t{0}))),
            "byte 0: found no KTX 2 identifier; check that this is a KTX 2 file");
}

TEST(Ktx2, opens_at_any_address) {
  const ByteVector file = *write(uastc().texture);
  ByteVector shifted(file.size() + 1);
  std::copy(file.begin(), file.end(), shifted.begin() + 1);
  EXPECT_TRUE(View::open(ByteSpan(shifted).subspan(1)));
}

TEST(Ktx2, reads_supercompressed_blocks_of_size_zero_as_older_writers_leave_them) {
  Sample s = uastc();
  s.texture.supercompression = Supercompression::kZstd;
  const ByteVector file = *write(s.texture);
  const ByteVector old = with(file, 220, std::uint8_t{0});
  const auto view = View::open(old);
  ASSERT_TRUE(view) << error_of(view);
  EXPECT_EQ(view->block().size_bytes, 16u);
  EXPECT_FALSE(View::open(with(*write(uastc().texture), 220, std::uint8_t{0})));
}

TEST(Ktx2, rejects_bad_extents) {
  EXPECT_EQ(words(uastc(), [](Texture& t) { t.width_texels = 0; }), "found a width of 0, expected at least 1");
  EXPECT_EQ(words(uastc(), [](Texture& t) { t.width_texels = 65537; }),
            "found an extent of 65537 texels, expected at most 65536");
  EXPECT_EQ(words(uastc(), [](Texture& t) { t.height_texels = 0; }), "found no height, which uastc needs");
  EXPECT_EQ(words(uastc(), [](Texture& t) { t.face_count = 6; }),
            "found a cubemap of 20 x 12 x 0, expected square faces");
  EXPECT_EQ(words(uastc(), [](Texture& t) { t.face_count = 2; }), "found 2 faces, expected 1, or 6 of a cubemap");
  EXPECT_EQ(words(uastc(), [](Texture& t) { t.layer_count = 65537; }), "found 65537 layers, expected at most 65536");
  EXPECT_EQ(words(uastc(), [](Texture& t) { t.levels.resize(6, t.levels[4]); }),
            "found 6 levels, more than a texture of 20 texels can have");
  EXPECT_EQ(words(uastc(), [](Texture& t) { t.levels.clear(); }), "found 0 levels, expected 1 to 17");
}

TEST(Ktx2, rejects_levels_of_the_wrong_size) {
  EXPECT_EQ(words(uastc(), [](Texture& t) { t.width_texels = 24; }),
            "level 0 says 240 bytes, expected 288 for its extent and format");
  EXPECT_EQ(words(uastc(), [](Texture& t) { t.layer_count = 2; }),
            "level 4 says 16 bytes, expected 32 for its extent and format");
  EXPECT_EQ(words(zstd_rgba8(), [](Texture& t) { t.levels[1].uncompressed_size_bytes = 1; }),
            "level 1 says 1 byte, expected 24 for its extent and format");
  EXPECT_EQ(words(zstd_rgba8(), [](Texture& t) { t.levels[2].bytes = {}; }), "level 2 is empty");
}

TEST(Ktx2, rejects_sizes_that_overflow) {
  Texture t;
  t.format = TexelFormat::kRgba32f;
  t.transfer = Transfer::kLinear;
  t.width_texels = t.height_texels = t.depth_texels = 65536;
  t.layer_count = 65536;
  EXPECT_FALSE(level_size_bytes(t, 0));
  const ByteVector one(16);
  t.levels.push_back({one, 16});
  EXPECT_EQ(error_of(write(t)).find("level 0 says 16 bytes") == std::string::npos, false);
}

TEST(Ktx2, rejects_formats_without_such_a_form) {
  EXPECT_EQ(words(uastc(), [](Texture& t) { t.format = TexelFormat::kBc5; }), "bc5 has no sRGB form");
  EXPECT_EQ(words(uastc(), [](Texture& t) { t.format = TexelFormat::kEtc1s; }),
            "writing etc1s with none supercompression is not supported");
}

TEST(Ktx2, rejects_bad_key_values) {
  EXPECT_EQ(words(uastc(), [](Texture& t) { t.swizzle = "rgbx"; }),
            "found KTXswizzle \"rgbx\", expected four of rgba01");
  EXPECT_EQ(words(uastc(), [](Texture& t) { t.orientation = "rx"; }),
            "found KTXorientation \"rx\", expected one letter of rl, du, oi for each dimension");
  const ByteVector file = *write(uastc().texture);
  const auto kvd = load<std::uint32_t>(file, 56);
  EXPECT_EQ(View::open(with(file, kvd, ~std::uint32_t{0})).error().code, ErrorCode::kInvalidData);
  EXPECT_EQ(View::open(with(file, kvd, std::uint32_t{1})).error().code, ErrorCode::kInvalidData);
  // KTXorientation becomes LTXorientation, which sorts after KTXwriter, but still comes before it.
  EXPECT_NE(error_of(View::open(with(file, kvd + 4, std::uint8_t{'L'}))).find("expected keys to ascend"),
            std::string::npos);
}

TEST(Ktx2, rejects_levels_out_of_order_overlapping_or_outside) {
  const ByteVector file = *write(uastc().texture);
  const auto smallest = load<std::uint64_t>(file, 80 + 4 * 24);
  const auto largest = load<std::uint64_t>(file, 80);
  EXPECT_NE(error_of(View::open(with(file, 80, smallest))).find("after the smaller levels"), std::string::npos);
  EXPECT_NE(error_of(View::open(with(file, 80, largest - 16))).find("after the smaller levels"), std::string::npos);
  EXPECT_NE(error_of(View::open(with(file, 80, largest + 1))).find("does not fit in the file"), std::string::npos);
  EXPECT_NE(error_of(View::open(with(file, 80 + 24, largest - 95))).find("multiple of 16"), std::string::npos);
  EXPECT_EQ(View::open(with(file, 88, ~std::uint64_t{0})).error().code, ErrorCode::kTruncated);
}

TEST(Ktx2, rejects_a_descriptor_of_another_format) {
  const ByteVector file = *write(zstd_rgba8().texture);
  const auto dfd = load<std::uint32_t>(file, 48);
  EXPECT_NE(error_of(View::open(with(file, dfd + 12, std::uint8_t{134}))).find("color model 134, expected 1 of rgba8"),
            std::string::npos);
  EXPECT_NE(error_of(View::open(with(file, dfd + 14, std::uint8_t{2}))).find("not that of VkFormat 37"),
            std::string::npos);
  EXPECT_NE(error_of(View::open(with(file, dfd + 20, std::uint8_t{3}))).find("expected 1 x 1 x 1 in 4 of rgba8"),
            std::string::npos);
  EXPECT_NE(error_of(View::open(with(file, dfd + 28, std::uint8_t{1}))).find("samples"), std::string::npos);
  EXPECT_NE(error_of(View::open(with(file, 16, std::uint32_t{2}))).find("type size 2, expected 1"), std::string::npos);
}

TEST(Ktx2, rejects_an_unknown_supercompression) {
  const auto r = View::open(with(*write(uastc().texture), 44, std::uint32_t{9}));
  EXPECT_EQ(r.error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(r.error().place, "byte 44");
}

TEST(Ktx2, opens_files_of_other_writers) {
  for (const auto& folder : corpus::folders("ktx2")) {
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (!entry.is_regular_file()) continue;
      const Bytes bytes = *corpus::read_file(entry.path());
      const auto view = View::open(bytes);
      ASSERT_TRUE(view) << entry.path() << ": " << error_of(view);
      EXPECT_TRUE(view->format());
      EXPECT_EQ(view->width_texels(), 40u);
      EXPECT_EQ(view->levels().size(), 6u);
    }
  }
}

TEST(Ktx2, refuses_damaged_files_of_other_writers) {
  const auto folder = corpus::own_folder("bad/refused");
  const auto files = corpus::list_files(folder, {".ktx2"});
  EXPECT_GE(files.size(), 3u);
  for (const std::string& file : files) {
    const Bytes bytes = *corpus::read_file(folder / file);
    const auto view = View::open(bytes);
    ASSERT_FALSE(view) << file;
    EXPECT_TRUE(view.error().place.starts_with("byte ")) << file << ": " << error_of(view);
  }
}

// A file of ETC1S in which one value of its global data, or one byte anywhere, is changed.
ByteVector etc1s_file(const etc1s::Shape& shape) { return etc1s::Writer(shape, 2).file(); }
std::string etc1s_error(const etc1s::Shape& shape, std::size_t offset_in_global, std::uint32_t value) {
  ByteVector file = etc1s_file(shape);
  const auto global_at = static_cast<std::size_t>(load<std::uint64_t>(file, 64));
  std::memcpy(file.data() + global_at + offset_in_global, &value, sizeof value);
  const auto view = View::open(file);
  return view ? "" : view.error().what;
}

TEST(Ktx2, reads_the_global_data_of_etc1s) {
  const ByteVector file = etc1s_file({.width = 20, .height = 12, .levels = 2, .layers = 3, .alpha = true});
  const auto view = View::open(file);
  ASSERT_TRUE(view) << view.error().to_string();
  ASSERT_NE(view->basis_lz(), nullptr);
  EXPECT_EQ(view->format(), TexelFormat::kEtc1s);
  EXPECT_EQ(view->etc1s_channels(), Etc1sChannels::kRgba);
  EXPECT_EQ(view->block().size_bytes, 16u);
  EXPECT_EQ(view->image_size_bytes(0), 5u * 3 * 16);
  EXPECT_EQ(view->basis_lz()->images.size(), 6u);
  EXPECT_EQ(view->basis_lz()->endpoint_count, 20u);
  EXPECT_EQ(view->basis_lz()->selector_count, 30u);
}

TEST(Ktx2, reads_slices_of_etc1s_that_are_planes) {
  ByteVector file = etc1s_file({.width = 8, .height = 8, .alpha = true});
  const std::size_t planes = load<std::uint32_t>(file, 48) + 4 + 16;  // bytesPlane0 of the data format descriptor
  file[planes] = file[planes + 1] = std::byte{8};
  const auto view = View::open(file);
  ASSERT_TRUE(view) << view.error().to_string();
  EXPECT_EQ(view->block().size_bytes, 16u);
  file[planes + 2] = std::byte{8};
  EXPECT_EQ(View::open(file).error().what, "found more than one plane, expected one");
}

TEST(Ktx2, rejects_global_data_of_etc1s_that_does_not_add_up) {
  const etc1s::Shape one{.width = 8, .height = 8}, two{.width = 8, .height = 8, .alpha = true};
  EXPECT_THAT(etc1s_error(one, 4, 0x7fffffff), testing::HasSubstr("of BasisLZ global data, expected 2147"));
  EXPECT_EQ(etc1s_error(one, 20, 1), "found image flags 1, expected 0, or 2 of a P frame");
  EXPECT_EQ(etc1s_error(one, 20, 2), "found a P frame without KTXanimData, expected it in an animation only");
  EXPECT_EQ(etc1s_error({.width = 8, .height = 8, .layers = 3, .p_frames = true}, 20, 2),
            "found a P frame in the first layer, expected one that has a layer before it");
  EXPECT_EQ(etc1s_error(one, 28, 0), "found a color slice of 0 bytes, expected some");
  EXPECT_THAT(etc1s_error(one, 24, 0xffffffff), testing::HasSubstr("at 4294967295, expected it inside its level of"));
  EXPECT_EQ(etc1s_error(one, 36, 1), "found a second slice, expected none: the descriptor has one sample");
  EXPECT_EQ(etc1s_error(two, 36, 0), "found a second slice of 0 bytes, expected some");
  ByteVector plain = etc1s_file(one);
  plain[44] = std::byte{0};
  EXPECT_FALSE(View::open(plain));
}

TEST(Ktx2, rejects_every_prefix_of_a_file_of_etc1s) {
  const ByteVector file = etc1s_file({.width = 12, .height = 8, .levels = 2, .layers = 2, .alpha = true});
  for (std::size_t size = 0; size < file.size(); ++size) {
    const ByteVector prefix(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size));
    ASSERT_FALSE(View::open(prefix)) << size;
  }
}

}  // namespace
}  // namespace assetc::ktx2
