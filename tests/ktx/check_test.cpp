// The rules of `ktx validate`, one broken file for each.
#include "ktx/check.hpp"

#include <gmock/gmock.h>

#include <cstring>
#include <functional>
#include <limits>

#include "formats/ktx2/layout.hpp"
#include "ktx/program.hpp"
#include "ktx/rules.hpp"
#include "ktx/vk_format.hpp"

namespace assetc::ktx {
namespace {

using namespace testing;
using ::testing::Contains;
using ::testing::IsEmpty;
using ::testing::Not;

// A file in parts, of one level.
struct Parts {
  ktx2::Header header{};
  std::uint64_t level_sizes[2] = {};  // stored, uncompressed
  ByteVector descriptor;
  std::vector<std::pair<std::string, std::string>> values;
  ByteVector level;

  // A number of the descriptor, from the start of its basic block.
  template <class T>
  void set(std::size_t at, T value) {
    std::memcpy(descriptor.data() + 4 + at, &value, sizeof value);
  }
  template <class T>
  void set_sample(std::size_t sample, std::size_t at, T value) {
    set(sizeof(ktx2::BasicDescriptor) + sample * sizeof(ktx2::Sample) + at, value);
  }
  // Another block of the descriptor.
  void add_block(std::uint32_t vendor_and_type, std::uint16_t size, std::size_t bytes) {
    const std::size_t at = descriptor.size();
    descriptor.resize(at + bytes);
    if (bytes >= 8) {
      std::memcpy(descriptor.data() + at, &vendor_and_type, 4);
      std::memcpy(descriptor.data() + at + 6, &size, 2);
    }
    const auto total = static_cast<std::uint32_t>(descriptor.size());
    std::memcpy(descriptor.data(), &total, 4);
  }
  void add(const std::string& key, std::string value) {
    values.emplace_back(key, std::move(value));
    std::ranges::sort(values);
  }
};

Parts parts_of(ByteSpan file) {
  Parts out;
  out.header = load<ktx2::Header>(file);
  const auto part = [&](std::uint64_t at, std::uint64_t size) {
    const ByteSpan bytes = file.subspan(at, size);
    return ByteVector(bytes.begin(), bytes.end());
  };
  out.descriptor = part(out.header.dfd_offset_bytes, out.header.dfd_size_bytes);
  const auto level = load<ktx2::LevelEntry>(file, sizeof(ktx2::Header));
  out.level = part(level.offset_bytes, level.size_bytes);
  out.level_sizes[0] = level.size_bytes;
  out.level_sizes[1] = level.uncompressed_size_bytes;
  out.values = {{"KTXwriter", std::string("a test\0", 7)}};
  return out;
}

ByteVector file_of(const Parts& parts) {
  ByteVector values;
  for (const auto& [key, value] : parts.values) {
    append(values, static_cast<std::uint32_t>(key.size() + 1 + value.size()));
    append_bytes(values, as_bytes(key + '\0' + value));
    values.resize((values.size() + 3) / 4 * 4);
  }
  ktx2::Header header = parts.header;
  header.dfd_offset_bytes = sizeof header + sizeof(ktx2::LevelEntry);
  header.dfd_size_bytes = static_cast<std::uint32_t>(parts.descriptor.size());
  const std::size_t values_at = (header.dfd_offset_bytes + parts.descriptor.size() + 3) / 4 * 4;
  header.kvd_offset_bytes = values.empty() ? 0 : static_cast<std::uint32_t>(values_at);
  header.kvd_size_bytes = static_cast<std::uint32_t>(values.size());
  const std::size_t level_at = (values_at + values.size() + 15) / 16 * 16;
  ByteVector file;
  append(file, header);
  append(file, ktx2::LevelEntry{level_at, parts.level_sizes[0], parts.level_sizes[1]});
  append_bytes(file, parts.descriptor);
  file.resize(values_at);
  append_bytes(file, values);
  file.resize(level_at);
  append_bytes(file, parts.level);
  return file;
}

class KtxRules : public ::testing::Test {
 protected:
  // A valid file of 4 x 4 texels, made with ktx create --raw.
  Parts base(const std::string& format, std::size_t bytes, const std::string& options = "") {
    ktx.put("in.raw", ByteVector(bytes));
    EXPECT_EQ(ktx.run("create --raw --width 4 --height 4 --format " + format + " " + options + " in.raw out.ktx2"), 0)
        << ktx.err;
    return parts_of(ktx.file("out.ktx2"));
  }
  Parts rgba() { return base("R8G8B8A8_UNORM", 64); }
  Parts uastc() {
    ktx.put_png("in.png", 4, 4, [](int x, int y) { return Texel{x * 40, y * 40, 9, 255}; });
    EXPECT_EQ(ktx.run("create --format R8G8B8A8_SRGB --encode uastc in.png out.ktx2"), 0) << ktx.err;
    return parts_of(ktx.file("out.ktx2"));
  }
  // The header and descriptor of ETC1S, without the rest.
  Parts etc1s() {
    Parts parts = uastc();
    parts.header.supercompression = 1;
    parts.set(8, std::uint8_t{163});
    parts.set(16, std::uint8_t{8});
    parts.set_sample(0, 2, std::uint8_t{63});
    parts.set_sample(0, 3, std::uint8_t{0});
    return parts;
  }
  static std::vector<int> rules_of(const Parts& parts, bool gltf = false) {
    std::vector<int> rules;
    for (const Finding& finding : check_rules(file_of(parts), gltf)) {
      EXPECT_FALSE(finding.details.empty());
      rules.push_back(finding.rule);
    }
    return rules;
  }
  // Each change of a valid file breaks the rule.
  struct Broken {
    int rule;
    std::function<void(Parts&)> change;
  };
  static void expect(const Parts& valid, std::initializer_list<Broken> all, bool gltf = false) {
    EXPECT_THAT(rules_of(valid, gltf), IsEmpty());
    for (const Broken& broken : all) {
      Parts parts = valid;
      broken.change(parts);
      EXPECT_THAT(rules_of(parts, gltf), Contains(broken.rule));
    }
  }
  Program ktx;
};

std::string bytes_of(std::initializer_list<std::uint32_t> words) {
  std::string out;
  for (const std::uint32_t word : words) out.append(reinterpret_cast<const char*>(&word), 4);
  return out;
}

TEST_F(KtxRules, of_the_header_are_checked) {
  expect(rgba(), {{3001, [](Parts& p) { p.header.vk_format = 11; }},
                  {3002, [](Parts& p) { p.header.vk_format = 199; }},
                  {3002, [](Parts& p) { p.header.vk_format = 0xFEEDFEED; }},
                  {3003, [](Parts& p) { p.header.vk_format = 1000001001; }},
                  {3012, [](Parts& p) { p.header.type_size_bytes = 3; }},
                  {3014, [](Parts& p) { p.header.depth_texels = p.header.layer_count = 1; }},
                  {3018, [](Parts& p) { p.header.supercompression = 0x1002A; }}});
  expect(base("ASTC_4x4_SFLOAT_BLOCK", 16), {{3005, [](Parts& p) { p.header.type_size_bytes = 3; }},
                                             {3007, [](Parts& p) { p.header.height_texels = 0; }},
                                             {3017, [](Parts& p) { p.header.level_count = 0; }}});
  expect(base("ASTC_4x4x4_UNORM_BLOCK_EXT", 16, "--depth 4"), {{3010, [](Parts& p) { p.header.depth_texels = 0; }}});
  expect(base("D16_UNORM", 32), {{3011, [](Parts& p) { p.header.depth_texels = 1; }}});
  Parts part_of_cube = base("R8_UNORM", 16);
  part_of_cube.header.layer_count = 1;
  part_of_cube.add("KTXcubemapIncomplete", "\x01");
  expect(part_of_cube,
         {{3008, [](Parts& p) { p.header.width_texels = 8; }}, {3013, [](Parts& p) { p.header.depth_texels = 1; }}});
}

TEST_F(KtxRules, of_the_descriptor_are_checked) {
  expect(rgba(), {{6003, [](Parts& p) { p.add_block(1, 8, 8); }},
                  {6004, [](Parts& p) { p.add_block(0, 0, 3); }},
                  {6005, [](Parts& p) { p.add_block(0, 24, 24); }},
                  {6006, [](Parts& p) { p.add_block(1, 7, 8); }},
                  {6007, [](Parts& p) { p.add_block(1, 16, 8); }},
                  {6014, [](Parts& p) { p.set(10, std::uint8_t{2}); }},
                  {6015, [](Parts& p) { p.set(8, std::uint8_t{128}); }},
                  {6019, [](Parts& p) { p.set(9, std::uint8_t{12}); }},
                  {6020, [](Parts& p) { p.set(12, std::uint8_t{1}); }},
                  {6021, [](Parts& p) { p.set(16, std::uint8_t{3}); }},
                  {6028, [](Parts& p) { p.set_sample(1, 0, std::uint16_t{9}); }},
                  {6028, [](Parts& p) { p.set_sample(2, 12, std::uint32_t{254}); }},
                  {6101, [](Parts& p) { p.set_sample(3, 3, std::uint8_t{5}); }},
                  {6108, [](Parts& p) { p.set_sample(3, 3, std::uint8_t{0x1F}); }}});
  expect(base("R8G8B8A8_SRGB", 64), {{6013, [](Parts& p) { p.set(10, std::uint8_t{1}); }},
                                     {6109, [](Parts& p) { p.set_sample(3, 3, std::uint8_t{15}); }},
                                     {6109, [](Parts& p) { p.set_sample(0, 3, std::uint8_t{0x10}); }}});
  expect(base("ASTC_4x4_SFLOAT_BLOCK", 16), {{6016, [](Parts& p) { p.set(8, std::uint8_t{134}); }}});
  expect(base("G8B8G8R8_422_UNORM", 32), {{6017, [](Parts& p) { p.set(8, std::uint8_t{1}); }},
                                          {6028, [](Parts& p) { p.set_sample(0, 5, std::uint8_t{64}); }}});
  expect(base("R8_UINT", 16), {{6025, [](Parts& p) { p.set(6, std::uint16_t{24}); }}});
  expect(base("R8_UINT", 16, "--zstd 1"), {{6030, [](Parts& p) { p.set(16, std::uint8_t{0}); }}});
  expect(etc1s(), {{6103, [](Parts& p) { p.set_sample(0, 0, std::uint16_t{1}); }},
                   {6105, [](Parts& p) { p.set_sample(0, 2, std::uint8_t{62}); }},
                   {6106, [](Parts& p) { p.set_sample(0, 8, std::uint32_t{1}); }},
                   {6107, [](Parts& p) { p.set_sample(0, 12, std::uint32_t{1}); }}});
}

TEST_F(KtxRules, of_values_are_checked) {
  const auto add = [](const char* key, const std::string& value) {
    return [key, value](Parts& p) { p.add(key, value); };
  };
  const std::string three = bytes_of({1, 2, 3}), one = bytes_of({1});
  expect(rgba(), {{7009, add("KTXwrong", "x")},
                  {7010, add("note", "x")},
                  {7101, add("KTXcubemapIncomplete", "\x41")},
                  {7102, add("KTXcubemapIncomplete", "\x3F")},
                  {7103, add("KTXcubemapIncomplete", std::string(1, '\0'))},
                  {7106, add("KTXcubemapIncomplete", "\x01\x01")},
                  {7110, add("KTXglFormat", one)},
                  {7111, add("KTXglFormat", three)},
                  {7113, add("KTXdxgiFormat__", three)},
                  {7114, add("KTXdxgiFormat__", one)},
                  {7115, add("KTXmetalPixelFormat", three)},
                  {7116, add("KTXmetalPixelFormat", one)},
                  {7123, [](Parts& p) { p.values = {{"KTXwriter", std::string("\xC3\x28\0", 3)}}; }},
                  {7124, [](Parts& p) { p.values = {{"KTXwriterScParams", std::string("x\0", 2)}}; }},
                  {7125, [](Parts& p) { p.values.clear(); }},
                  {7127, add("KTXwriterScParams", "\xC3\x28")},
                  {7128, add("KTXanimData", one)},
                  {7129, add("KTXanimData", three)},
                  {7130,
                   [&](Parts& p) {
                     p.add("KTXanimData", three);
                     p.add("KTXcubemapIncomplete", "\x01");
                   }},
                  {7131, add("KTXastcDecodeMode", "unorm8")},
                  {7132, add("KTXastcDecodeMode", std::string("rgb8\0", 5))},
                  {7134, add("KTXastcDecodeMode", std::string("unorm8\0", 7))},
                  {7136, add("KTXmapRange", one)},
                  {7138, add("KTXmapRange", bytes_of({0x7F800000, 0}))},
                  {7139, add("KTXmapRange", bytes_of({0, 0x7FC00000}))}});
  Parts layers = rgba();
  layers.header.layer_count = 3;
  expect(layers, {{7104, add("KTXcubemapIncomplete", "\x03")}});
  layers.header.face_count = 6;
  expect(layers, {{7105, add("KTXcubemapIncomplete", "\x01")}});
  expect(base("R8_UINT", 16), {{7137, add("KTXmapRange", bytes_of({0, 0}))}});
  expect(base("S8_UINT", 16), {{7121, add("KTXswizzle", std::string("rrr1\0", 5))}});
  expect(uastc(), {{7112, add("KTXglFormat", three)}});
  expect(base("ASTC_4x4_SFLOAT_BLOCK", 16), {{7133, add("KTXastcDecodeMode", std::string("unorm8\0", 7))}});
  expect(base("ASTC_4x4_SRGB_BLOCK", 16), {{7135, add("KTXastcDecodeMode", std::string("rgb9e5\0", 7))}});
}

TEST_F(KtxRules, of_gltf_are_checked_if_asked) {
  const Parts valid = uastc();
  const std::initializer_list<Broken> all = {
      {3101, [](Parts& p) { p.header.supercompression = 3; }},
      {3102, [](Parts& p) { p.header.layer_count = 1; }},
      {3103, [](Parts& p) { p.header.width_texels = 6; }},
      {3104, [](Parts& p) { p.header.level_count = 2; }},
      {6301, [](Parts& p) { p.set(8, std::uint8_t{1}); }},
      {6302, [](Parts& p) { p.header.supercompression = 3; }},
      {6303, [](Parts& p) { p.set_sample(0, 3, std::uint8_t{5}); }},
      {6304, [](Parts& p) { p.set(9, std::uint8_t{0}); }},
      {7201, [](Parts& p) { p.add("KTXswizzle", std::string("rrr1\0", 5)); }},
      {7202, [](Parts& p) { p.add("KTXorientation", std::string("ru\0", 3)); }},
  };
  expect(valid, all, true);
  for (const Broken& broken : all) {
    Parts parts = valid;
    broken.change(parts);
    EXPECT_THAT(rules_of(parts), Not(Contains(broken.rule)));
  }
}

TEST_F(KtxRules, have_ascending_numbers_and_their_own_texts) {
  int last = 0;
  std::vector<std::string_view> texts;
  for (const auto rules : {header_rules(), descriptor_rules(), value_rules()}) {
    for (const Rule& rule : rules) {
      EXPECT_GT(rule.number, last);
      last = rule.number;
      EXPECT_THAT(texts, Not(Contains(rule.text)));
      texts.push_back(rule.text);
    }
  }
}

TEST_F(KtxRules, warn_or_fail_as_asked) {
  Parts custom = rgba();
  custom.add("note", "x");
  ktx.put("custom.ktx2", file_of(custom));
  EXPECT_EQ(ktx.run("validate custom.ktx2"), 0);
  EXPECT_EQ(ktx.out,
            "Validation successful\n\nwarning-7010: Other programs may not know a custom key\n"
            "    found \"note\"\n");
  EXPECT_EQ(ktx.run("validate -e custom.ktx2"), kInvalidFile);
  EXPECT_THAT(ktx.out, ::testing::HasSubstr("error-7010"));
  Parts vendor = rgba();
  vendor.header.supercompression = 0x1002A;
  ktx.put("vendor.ktx2", file_of(vendor));
  EXPECT_EQ(ktx.run("validate --testrun vendor.ktx2"), 0) << "its levels cannot be checked";
}

TEST_F(KtxRules, read_any_bytes) {
  const ByteVector file = file_of(uastc());
  for (std::size_t size = 0; size <= file.size(); ++size) {
    const std::vector<std::byte> cut(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size));
    check_rules(cut, true);
  }
  for (std::size_t at = 12; at < file.size(); ++at) {
    for (const int value : {0, 1, 127, 255}) {
      ByteVector changed = file;
      changed[at] = static_cast<std::byte>(value);
      check_rules(changed, true);
    }
  }
}

TEST(KtxVkFormats, have_names_that_can_be_read) {
  std::size_t count = 0;
  for (const std::uint32_t first :
       {1u, 1000054000u, 1000066000u, 1000156000u, 1000288000u, 1000330000u, 1000340000u, 1000464000u, 1000470000u}) {
    for (std::uint32_t number = first; !vk_format_name(number).empty(); ++number, ++count) {
      const std::string name = vk_format_name(number);
      EXPECT_EQ(parse_vk_format(name), number) << name;
      const auto format = vk_format_of(number);
      ASSERT_TRUE(format);
      EXPECT_FALSE(format->samples.empty()) << name;
      if (format->is_prohibited) continue;
      EXPECT_GT(format->block.size_bytes, 0u) << name;
      // Samples lie in their block.
      for (const ktx2::Sample& sample : format->samples)
        EXPECT_LE(sample.bit_offset + sample.bit_length + 1u, 8 * format->block.size_bytes) << name;
    }
  }
  EXPECT_EQ(count, 279u);
  EXPECT_EQ(parse_vk_format("vk_format_a8_unorm"), 1000470001u) << "without the suffix of the vendor";
  EXPECT_EQ(parse_vk_format("R16G16_S10_5_NV"), 1000464000u);
  EXPECT_EQ(parse_vk_format("R9_UNORM"), 0u);
  EXPECT_EQ(vk_format_name(0), "VK_FORMAT_UNDEFINED");
  EXPECT_EQ(vk_format_name(185), "");
  EXPECT_TRUE(has_srgb_variant(37));
  EXPECT_FALSE(has_srgb_variant(43)) << "it is sRGB";
  EXPECT_FALSE(has_srgb_variant(76));
}

TEST(KtxVkFormats, have_the_descriptors_that_textures_are_written_with) {
  for (std::size_t i = 0; i < kTexelFormatCount; ++i) {
    for (const ktx2::Transfer transfer : {ktx2::Transfer::kLinear, ktx2::Transfer::kSrgb}) {
      const auto format = static_cast<TexelFormat>(i);
      const auto number = ktx2::vk_format(format, transfer);
      if (!number || *number == 0) continue;
      const auto found = vk_format_of(*number);
      ASSERT_TRUE(found);
      const ktx2::FormatInfo& row = ktx2::info(format);
      EXPECT_EQ(found->samples, ktx2::samples_of(row, transfer, UastcChannels::kRgba)) << vk_format_name(*number);
      EXPECT_EQ(found->block, block_shape(format)) << vk_format_name(*number);
      EXPECT_EQ(found->type_size_bytes, row.type_size_bytes);
      EXPECT_EQ(found->model, static_cast<int>(row.model));
      EXPECT_EQ(found->is_block, is_block_compressed(format));
      EXPECT_EQ(found->numeric == Numeric::kSrgb, transfer == ktx2::Transfer::kSrgb);
    }
  }
}

// The place and size of each sample in bits.
std::vector<std::pair<int, int>> bits_of(std::string_view name) {
  std::vector<std::pair<int, int>> bits;
  const VkFormat format = *vk_format_of(parse_vk_format(name));
  for (const ktx2::Sample& sample : format.samples) bits.emplace_back(sample.bit_offset, sample.bit_length + 1);
  return bits;
}

TEST(KtxVkFormats, are_packed_as_their_names_say) {
  using Bits = std::vector<std::pair<int, int>>;
  EXPECT_EQ(bits_of("R5G6B5_UNORM_PACK16"), (Bits{{0, 5}, {5, 6}, {11, 5}}));
  EXPECT_EQ(bits_of("R10X6G10X6_UNORM_2PACK16"), (Bits{{6, 10}, {22, 10}}));
  EXPECT_EQ(bits_of("D24_UNORM_S8_UINT"), (Bits{{0, 8}, {8, 24}}));
  EXPECT_EQ(bits_of("D16_UNORM_S8_UINT"), (Bits{{0, 16}, {16, 8}}));
  EXPECT_EQ(bits_of("X8_D24_UNORM_PACK32"), (Bits{{0, 24}}));
  EXPECT_EQ(bits_of("E5B9G9R9_UFLOAT_PACK32"), (Bits{{0, 9}, {27, 5}, {9, 9}, {27, 5}, {18, 9}, {27, 5}}));
  const auto depth = vk_format_of(parse_vk_format("D32_SFLOAT_S8_UINT"));
  EXPECT_EQ(depth->block.size_bytes, 8u);
  EXPECT_EQ(depth->type_size_bytes, 4);
  EXPECT_TRUE(depth->has_depth && depth->has_stencil);
  const auto pairs = vk_format_of(parse_vk_format("B10X6G10X6R10X6G10X6_422_UNORM_4PACK16"));
  EXPECT_EQ(pairs->block, (BlockShape{2, 1, 1, 8}));
  EXPECT_EQ(pairs->type_size_bytes, 2);
  EXPECT_EQ(vk_format_of(parse_vk_format("ASTC_6x6x5_SRGB_BLOCK_EXT"))->block, (BlockShape{6, 6, 5, 16}));
  EXPECT_TRUE(vk_format_of(parse_vk_format("G8_B8R8_2PLANE_420_UNORM"))->is_prohibited);
}

}  // namespace
}  // namespace assetc::ktx
