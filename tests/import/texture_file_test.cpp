#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "assetc/formats/fourcc.hpp"
#include "import/texture/file.hpp"
#include "import/texture/ktx2.hpp"

namespace assetc::importer {
namespace {

using ::testing::HasSubstr;

struct Dds {
  std::uint32_t width = 4, height = 4, depth = 0, levels = 1;
  std::uint32_t flags = 0x4, code = fourcc("DXT5"), bits = 0;
  std::array<std::uint32_t, 4> masks{};
  std::uint32_t caps2 = 0;
  std::array<std::uint32_t, 5> header10{};  // written if the code is DX10
};

// count different bytes: 0, 1, 2 ...
ByteVector counting(std::size_t count) {
  ByteVector out(count);
  for (std::size_t i = 0; i < count; ++i) out[i] = static_cast<std::byte>(i * 7 + i / 256);
  return out;
}

ByteVector dds(const Dds& d, ByteSpan data) {
  ByteVector out;
  append_bytes(out, as_bytes("DDS "));
  for (const std::uint32_t v : {124u, 0x1007u, d.height, d.width, 0u, d.depth, d.levels}) append(out, v);
  out.resize(out.size() + 44);
  for (const std::uint32_t v : {32u, d.flags, d.code, d.bits}) append(out, v);
  for (const std::uint32_t mask : d.masks) append(out, mask);
  for (const std::uint32_t v : {0x1000u, d.caps2, 0u, 0u, 0u}) append(out, v);
  if (d.code == fourcc("DX10")) {
    for (const std::uint32_t v : d.header10) append(out, v);
  }
  append_bytes(out, data);
  return out;
}

ktx2::View open(const ByteVector& file) {
  auto view = ktx2::View::open(file);
  EXPECT_TRUE(view) << view.error().to_string();
  return *view;
}

std::string refused(const Result<ByteVector>& made) { return made ? "taken" : made.error().to_string(); }

std::string ints(ByteSpan bytes) {
  std::string out;
  for (const std::byte b : bytes) out += std::to_string(std::to_integer<int>(b)) + " ";
  return out;
}

TEST(Dds, blocks_and_their_mip_levels_stay_as_they_are) {
  const ByteVector data = counting(64 + 16 + 16 + 16);
  const auto made = ktx2_of_dds(dds({.width = 8, .height = 8, .levels = 4}, data), ktx2::Transfer::kSrgb);
  ASSERT_TRUE(made) << refused(made);
  const ktx2::View view = open(*made);
  EXPECT_EQ(view.format(), TexelFormat::kBc3);
  EXPECT_TRUE(view.is_srgb());
  ASSERT_EQ(view.levels().size(), 4u);
  EXPECT_EQ(ints(view.levels()[0].bytes), ints(ByteSpan(data).first(64)));
  EXPECT_EQ(ints(view.levels()[3].bytes), ints(ByteSpan(data).subspan(96)));
}

TEST(Dds, what_direct3d_9_does_not_say_the_caller_does) {
  const ByteVector data = counting(16);
  const auto linear = ktx2_of_dds(dds({}, data), ktx2::Transfer::kLinear);
  ASSERT_TRUE(linear);
  EXPECT_FALSE(open(*linear).is_srgb());
  const auto normals = ktx2_of_dds(dds({.code = fourcc("ATI2")}, data), ktx2::Transfer::kSrgb);
  ASSERT_TRUE(normals);
  EXPECT_FALSE(open(*normals).is_srgb()) << "BC5 has no sRGB form";
}

TEST(Dds, faces_are_ordered_by_level_as_ktx_has_them) {
  const ByteVector data = counting(6 * (32 + 8 + 8));
  const auto made =
      ktx2_of_dds(dds({.width = 8, .height = 8, .levels = 3, .code = fourcc("DXT1"), .caps2 = 0x200 | 0xFC00}, data),
                  ktx2::Transfer::kSrgb);
  ASSERT_TRUE(made) << refused(made);
  const ktx2::View view = open(*made);
  EXPECT_TRUE(view.is_cubemap());
  EXPECT_EQ(ints(view.levels()[1].bytes.subspan(8, 8)), ints(ByteSpan(data).subspan(48 + 32, 8)));
}

TEST(Dds, layers_volumes_and_formats_of_direct3d_10) {
  const auto layers = ktx2_of_dds(dds({.code = fourcc("DX10"), .header10 = {99, 3, 0, 5, 1}}, counting(5 * 16)),
                                  ktx2::Transfer::kLinear);
  ASSERT_TRUE(layers) << refused(layers);
  EXPECT_EQ(open(*layers).layer_count(), 5u);
  EXPECT_EQ(open(*layers).format(), TexelFormat::kBc7);
  EXPECT_TRUE(open(*layers).is_srgb()) << "the file says so";
  const auto volume =
      ktx2_of_dds(dds({.depth = 3, .code = fourcc("DX10"), .header10 = {10, 4, 0, 1, 0}}, counting(3 * 16 * 8)),
                  ktx2::Transfer::kLinear);
  ASSERT_TRUE(volume) << refused(volume);
  EXPECT_EQ(open(*volume).depth_texels(), 3u);
  EXPECT_EQ(open(*volume).format(), TexelFormat::kRgba16f);
}

TEST(Dds, masks_say_where_channels_are) {
  const auto texels = [](const Dds& d, const ByteVector& data) {
    const auto made = ktx2_of_dds(dds(d, data), ktx2::Transfer::kSrgb);
    if (!made) return refused(made);
    const auto image = decode_ktx2(ByteSpan(*made));
    return image ? ints(image->pixels) : image.error().to_string();
  };
  const auto bytes = [](std::initializer_list<int> values) {
    ByteVector out;
    for (const int v : values) out.push_back(static_cast<std::byte>(v));
    return out;
  };
  const Dds one{.width = 1, .height = 1};
  Dds d = one;
  d.flags = 0x41, d.bits = 32, d.masks = {0xFF0000, 0xFF00, 0xFF, 0xFF000000};
  EXPECT_EQ(texels(d, bytes({1, 2, 3, 4})), "3 2 1 4 ");
  d.flags = 0x40;
  EXPECT_EQ(texels(d, bytes({1, 2, 3, 4})), "3 2 1 255 ") << "alpha that the flags do not name";
  d.bits = 24, d.masks[3] = 0;
  EXPECT_EQ(texels(d, bytes({1, 2, 3})), "3 2 1 255 ");
  d.bits = 16, d.masks = {0xF800, 0x7E0, 0x1F, 0};
  EXPECT_EQ(texels(d, bytes({0x1F, 0xF8})), "255 0 255 255 ");
  d = one, d.flags = 0x20001, d.bits = 16, d.masks = {0xFF, 0, 0, 0xFF00};
  EXPECT_EQ(texels(d, bytes({9, 8})), "9 9 9 8 ");
  d = one, d.flags = 0x2, d.bits = 8, d.masks = {0, 0, 0, 0xFF};
  EXPECT_EQ(texels(d, bytes({77})), "0 0 0 77 ");
  d = one, d.flags = 0x40, d.bits = 32, d.masks = {0xF0F, 0, 0, 0};
  EXPECT_THAT(texels(d, bytes({1, 2, 3, 4})), HasSubstr("found masks of channels with gaps"));
}

TEST(Dds, every_prefix_is_refused_that_lacks_more_than_small_levels) {
  for (const Dds& d :
       {Dds{.width = 8, .height = 8, .levels = 4}, Dds{.code = fourcc("DX10"), .header10 = {98, 3, 0, 1, 0}}}) {
    const ByteVector file = dds(d, counting(d.levels == 4 ? 112 : 16));
    ASSERT_TRUE(ktx2_of_dds(file, ktx2::Transfer::kSrgb));
    for (std::size_t size = 0; size < file.size(); ++size) {
      const ByteVector prefix(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size));
      const bool lacks_levels = d.levels == 4 && size >= 128 + 64 && (size - 128) % 16 == 0;
      std::string left_out;
      EXPECT_EQ(ktx2_of_dds(prefix, ktx2::Transfer::kSrgb, &left_out).has_value(), lacks_levels) << size;
      EXPECT_EQ(left_out.empty(), !lacks_levels) << size;
    }
  }
  const ByteVector faces = dds({.width = 8, .height = 8, .levels = 2, .caps2 = 0x200 | 0xFC00}, counting(6 * 80 - 16));
  EXPECT_THAT(refused(ktx2_of_dds(faces, ktx2::Transfer::kSrgb)), HasSubstr("ends in mip level 1 of image 5"));
}

TEST(Dds, levels_that_a_writer_left_out_and_further_bytes_are_told) {
  std::string left_out;
  const auto shorter =
      ktx2_of_dds(dds({.width = 8, .height = 8, .levels = 4}, counting(64)), ktx2::Transfer::kSrgb, &left_out);
  ASSERT_TRUE(shorter) << refused(shorter);
  EXPECT_EQ(open(*shorter).levels().size(), 1u);
  EXPECT_EQ(left_out, "mip levels from 1 on, which the header counts and the file lacks");
  const auto longer = ktx2_of_dds(dds({}, counting(17)), ktx2::Transfer::kSrgb, &left_out);
  ASSERT_TRUE(longer) << refused(longer);
  EXPECT_EQ(ints(open(*longer).levels()[0].bytes), ints(counting(16)));
  EXPECT_EQ(left_out, "1 byte after the last mip level");
}

std::vector<float> floats_of(const Result<ByteVector>& made, std::uint32_t slice) {
  EXPECT_TRUE(made) << refused(made);
  const auto image = decode_ktx2(ByteSpan(*made), {.slice = slice});
  EXPECT_TRUE(image) << image.error().to_string();
  std::vector<float> out;
  for (std::size_t i = 0; i < image->pixels.size(); i += 4) out.push_back(load<float>(image->pixels, i));
  return out;
}

TEST(Dds, packed_floats_become_half_floats) {
  using ::testing::ElementsAre;
  ByteVector rgb9e5;
  append(rgb9e5, 256u | 128u << 9 | 511u << 18 | 16u << 27);  // 2^-8 each: 1, 0.5, 511/256
  append(rgb9e5, 1u | 0u << 9 | 511u << 18 | 31u << 27);      // 2^7: 128, 0, 65408
  const auto volume = ktx2_of_dds(
      dds({.width = 1, .height = 1, .depth = 2, .code = fourcc("DX10"), .header10 = {67, 4, 0, 1, 0}}, rgb9e5),
      ktx2::Transfer::kLinear);
  EXPECT_THAT(floats_of(volume, 0), ElementsAre(1, 0.5f, 511.0f / 256, 1));
  EXPECT_THAT(floats_of(volume, 1), ElementsAre(128, 0, 65408, 1));
  ByteVector r11g11b10;
  append(r11g11b10, (15u << 6) | (16u << 6 | 32u) << 11 | (14u << 5 | 16u) << 22);  // 1, 3, 0.75
  const auto light =
      ktx2_of_dds(dds({.width = 1, .height = 1, .code = fourcc("DX10"), .header10 = {26, 3, 0, 1, 0}}, r11g11b10),
                  ktx2::Transfer::kLinear);
  EXPECT_THAT(floats_of(light, 0), ElementsAre(1, 3, 0.75f, 1));
}

TEST(Dds, older_layouts_are_read) {
  const auto texels = [](const Dds& d, const ByteVector& data) {
    const auto made = ktx2_of_dds(dds(d, data), ktx2::Transfer::kLinear);
    if (!made) return refused(made);
    const auto image = decode_ktx2(ByteSpan(*made));
    return image ? ints(image->pixels) : image.error().to_string();
  };
  ByteVector palette(1024);
  for (std::size_t i = 0; i < 8; ++i) palette[4 * 5 + i] = static_cast<std::byte>(i + 1);
  palette.push_back(std::byte{6}), palette.push_back(std::byte{5});
  EXPECT_EQ(texels({.width = 2, .height = 1, .flags = 0x20, .code = 0, .bits = 8}, palette), "5 6 7 8 1 2 3 4 ");
  palette.resize(1000);
  EXPECT_THAT(texels({.width = 2, .height = 1, .flags = 0x20, .code = 0, .bits = 8}, palette),
              HasSubstr("the file ends in the palette"));
  // V8U8: -128 and -127 are -1.
  ByteVector vectors;
  for (const int v : {0, 127, -127, -128}) vectors.push_back(static_cast<std::byte>(v));
  EXPECT_EQ(texels({.width = 2, .height = 1, .flags = 0x80000, .code = 0, .bits = 16, .masks = {0xFF, 0xFF00, 0, 0}},
                   vectors),
            "128 255 0 255 0 0 0 255 ");
  // BC2: alpha of 4 bits, color between two ends though the first is not the larger.
  ByteVector bc2(16);
  for (std::size_t i = 0; i < 8; ++i) bc2[i] = static_cast<std::byte>(0x10 + i);
  bc2[10] = std::byte{0x1F}, bc2[12] = std::byte{0b11'10'01'00};  // black, blue of 5 bits
  EXPECT_THAT(texels({.code = fourcc("DXT3")}, bc2),
              ::testing::StartsWith("0 0 0 0 0 0 255 17 0 0 85 17 0 0 170 17 0 0 0 34 "));
  // RXGB: X is in alpha.
  ByteVector bc3(16);
  bc3[0] = bc3[1] = std::byte{200};
  bc3[8] = std::byte{0xE0}, bc3[9] = std::byte{0x07};  // green of both ends
  bc3[10] = std::byte{0xE0}, bc3[11] = std::byte{0x07};
  EXPECT_THAT(texels({.code = fourcc("RXGB")}, bc3), ::testing::StartsWith("200 255 0 255 "));
  EXPECT_EQ(texels({.code = fourcc("A2XY")}, counting(16)), texels({.code = fourcc("ATI2")}, counting(16)));
}

TEST(Dds, a_pixel_format_of_24_bytes_and_rows_with_padding_are_read) {
  Dds d{.width = 3, .height = 2, .flags = 0x40, .code = 0, .bits = 24, .masks = {0xFF, 0xFF00, 0xFF0000, 0}};
  const auto texels = [](const ByteVector& file) {
    const auto made = ktx2_of_dds(file, ktx2::Transfer::kLinear);
    if (!made) return refused(made);
    return ints(decode_ktx2(ByteSpan(*made))->pixels);
  };
  const ByteVector tight = counting(18);
  const std::string expected = texels(dds(d, tight));
  ByteVector file = dds(d, tight);
  file[76] = std::byte{24};
  EXPECT_EQ(texels(file), expected);
  ByteVector padded;
  for (std::size_t row = 0; row < 2; ++row) {
    append_bytes(padded, ByteSpan(tight).subspan(row * 9, 9));
    padded.resize(padded.size() + 3, std::byte{99});
  }
  file = dds(d, padded);
  file[8] = std::byte{0x0F}, file[20] = std::byte{12};
  EXPECT_EQ(texels(file), expected);
  // A wrong pitch is ignored if the file has no padding.
  file = dds(d, tight);
  file[8] = std::byte{0x0F}, file[20] = std::byte{12};
  EXPECT_EQ(texels(file), expected);
}

TEST(Dds, errors_say_what_was_found) {
  const ByteVector data = counting(16);
  const auto error = [&](const Dds& d) { return refused(ktx2_of_dds(dds(d, data), ktx2::Transfer::kSrgb)); };
  EXPECT_THAT(error({.code = fourcc("YUY2")}), HasSubstr("found format YUY2, which is not read here"));
  EXPECT_THAT(error({.code = fourcc("DX10"), .header10 = {103, 3, 0, 1, 0}}), HasSubstr("found DXGI format 103"));
  EXPECT_THAT(error({.caps2 = 0x200 | 0x400}), HasSubstr("found a cubemap of 1 face, expected all 6"));
  EXPECT_THAT(error({.levels = 9}), HasSubstr("found 9 mip levels, a texture of 4x4 texels has at most 3"));
  EXPECT_THAT(error({.width = 0}), HasSubstr("found a texture of 0x4 texels"));
}

struct Ktx {
  std::uint32_t type = 0, type_size = 1, format = 0, internal = 0x83F3, width = 4, height = 4, depth = 0, layers = 0,
                faces = 1, levels = 1;
  std::string keys = {};
  bool is_swapped = false;
};

ByteVector ktx(const Ktx& k, const std::vector<std::pair<std::uint32_t, ByteVector>>& levels) {
  ByteVector out;
  append_bytes(out, as_bytes("\xABKTX 11\xBB\r\n\x1A\n"));
  const auto put = [&](std::uint32_t v) { append(out, k.is_swapped ? std::byteswap(v) : v); };
  for (const std::uint32_t v : {0x04030201u, k.type, k.type_size, k.format, k.internal, k.format, k.width, k.height,
                                k.depth, k.layers, k.faces, k.levels, static_cast<std::uint32_t>(k.keys.size())})
    put(v);
  append_bytes(out, as_bytes(k.keys));
  for (const auto& [size, data] : levels) {
    put(size);
    append_bytes(out, data);
    pad_to(out, 4);
  }
  return out;
}

TEST(Ktx1, blocks_stay_as_they_are) {
  const ByteVector data = counting(16);
  const auto made = ktx2_of_ktx1(ktx({}, {{16, data}}));
  ASSERT_TRUE(made) << refused(made);
  EXPECT_EQ(open(*made).format(), TexelFormat::kBc3);
  EXPECT_EQ(ints(open(*made).levels()[0].bytes), ints(data));
  const auto etc1 = ktx2_of_ktx1(ktx({.internal = 0x8D64}, {{8, counting(8)}}));
  ASSERT_TRUE(etc1);
  EXPECT_EQ(open(*etc1).format(), TexelFormat::kEtc2Rgb);
  const auto srgb = ktx2_of_ktx1(ktx({.internal = 0x93D0}, {{16, data}}));
  ASSERT_TRUE(srgb);
  EXPECT_TRUE(open(*srgb).is_srgb());
}

TEST(Ktx1, rows_lose_their_padding_and_numbers_their_order) {
  const Ktx rgb{.type = 0x1401, .format = 0x1907, .internal = 0x8051, .width = 1, .height = 2};
  const auto made = ktx2_of_ktx1(ktx(rgb, {{8, counting(8)}}));
  ASSERT_TRUE(made) << refused(made);
  EXPECT_EQ(ints(open(*made).levels()[0].bytes), ints(counting(3)) + "28 35 42 ");
  Ktx swapped{.type = 0x1403, .type_size = 2, .format = 0x1903, .internal = 0x822A, .width = 2, .height = 1};
  swapped.is_swapped = true;
  const auto words = ktx2_of_ktx1(ktx(swapped, {{4, counting(4)}}));
  ASSERT_TRUE(words) << refused(words);
  EXPECT_EQ(ints(open(*words).levels()[0].bytes), "7 0 21 14 ");
}

TEST(Ktx1, a_level_of_a_cubemap_counts_one_face) {
  const ByteVector data = counting(6 * 16);
  const auto made = ktx2_of_ktx1(ktx({.faces = 6}, {{16, data}}));
  ASSERT_TRUE(made) << refused(made);
  EXPECT_TRUE(open(*made).is_cubemap());
  EXPECT_EQ(ints(open(*made).levels()[0].bytes), ints(data));
}

TEST(Ktx1, the_orientation_is_kept) {
  const std::string pair = std::string("KTXorientation\0S=r,T=u\0", 23);
  std::string keys;
  for (const unsigned byte : {23u, 0u, 0u, 0u}) keys += static_cast<char>(byte);
  keys += pair + std::string(1, '\0');
  const auto made = ktx2_of_ktx1(ktx({.keys = keys}, {{16, counting(16)}}));
  ASSERT_TRUE(made) << refused(made);
  EXPECT_EQ(open(*made).text("KTXorientation"), "ru");
}

TEST(Ktx1, every_prefix_and_every_extra_byte_is_refused) {
  const ByteVector file = ktx({.width = 8, .height = 8, .levels = 2}, {{64, counting(64)}, {16, counting(16)}});
  ASSERT_TRUE(ktx2_of_ktx1(file));
  for (std::size_t size = 0; size < file.size(); ++size) {
    const ByteVector prefix(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_FALSE(ktx2_of_ktx1(prefix)) << size;
  }
  ByteVector longer = file;
  longer.push_back(std::byte{0});
  EXPECT_FALSE(ktx2_of_ktx1(longer));
}

TEST(Ktx1, errors_say_what_was_found) {
  EXPECT_THAT(refused(ktx2_of_ktx1(ktx({.internal = 0x1234}, {{16, counting(16)}}))),
              HasSubstr("found internal format 4660 with texels of format 0 and type 0"));
  EXPECT_THAT(refused(ktx2_of_ktx1(ktx({}, {{15, counting(16)}}))),
              HasSubstr("found a size of 15 bytes for mip level 0, expected 16"));
  EXPECT_THAT(refused(ktx2_of_ktx1(ktx({.faces = 2}, {{16, counting(16)}}))),
              HasSubstr("found 2 faces, expected 1 or 6"));
}

}  // namespace
}  // namespace assetc::importer
