// ktx info, validate, extract and transcode.
#include <gmock/gmock.h>

#include <algorithm>
#include <cstring>

#include "filetypes/filetypes.hpp"
#include "import/image/image.hpp"
#include "ktx/program.hpp"
#include "parsed_json.hpp"
#include "texture/color.hpp"

namespace assetc::ktx {
namespace {

using namespace testing;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Ktx : public ::testing::Test {
 protected:
  Ktx() {
    ktx.put_png("in.png", 16, 8, [](int x, int y) { return Texel{100 + x * 3, 120 + y * 4, 110 + x + y, 255}; });
    ktx.put_png("two.png", 16, 8, [](int x, int y) { return Texel{200 - x * 3, 120 + y * 4, 77, 255}; });
    EXPECT_EQ(ktx.run("create --format R8G8B8_SRGB --encode uastc --zstd 5 --generate-mipmap in.png a.ktx2"), 0);
    EXPECT_EQ(ktx.run("create --format R8G8B8A8_SRGB --layers 2 --generate-mipmap in.png two.png plain.ktx2"), 0);
  }
  Json info(const std::string& file) {
    EXPECT_EQ(ktx.run("info --format mini-json " + file), 0) << ktx.err;
    return parsed_json(ktx.out);
  }
  // The ids of the messages of a check.
  std::vector<int> faults(const std::string& file) {
    ktx.run("validate --format json --gltf-basisu " + file);
    std::vector<int> ids;
    const Json all = parsed_json(ktx.out);
    for (const Json& message : all["messages"].items()) ids.push_back(static_cast<int>(message["id"].as_uint()));
    return ids;
  }
  Program ktx;
};

TEST_F(Ktx, the_program_names_itself_and_its_commands) {
  EXPECT_EQ(ktx.run("--version"), 0);
  EXPECT_EQ(ktx.out, "ktx version: v4.4.0\n");
  EXPECT_EQ(ktx.run("create --version"), 0);
  EXPECT_EQ(ktx.run("help"), 0);
  EXPECT_THAT(ktx.out, AllOf(HasSubstr("create"), HasSubstr("transcode"), HasSubstr("part of assetc")));
  EXPECT_EQ(ktx.run("help create"), 0);
  EXPECT_THAT(ktx.out, HasSubstr("--generate-mipmap"));
  EXPECT_EQ(ktx.run("extract --help"), 0);
  EXPECT_THAT(ktx.out, HasSubstr("--transcode"));
  EXPECT_EQ(ktx.run(""), kUsage);
  EXPECT_EQ(ktx.run("frobnicate"), kUsage);
  EXPECT_EQ(ktx.run("help frobnicate"), kUsage);
  EXPECT_EQ(ktx.run("--testrun --help"), 0);
  EXPECT_EQ(ktx.run("encode a.ktx2 b.ktx2"), kNotImplemented);
}

TEST_F(Ktx, info_prints_every_part) {
  const Json all = info("a.ktx2");
  EXPECT_EQ(all["valid"], true);
  EXPECT_THAT(all["messages"], IsEmpty());
  EXPECT_EQ(all["header"]["vkFormat"], "VK_FORMAT_UNDEFINED");
  EXPECT_EQ(all["header"]["pixelWidth"], 16);
  EXPECT_EQ(all["header"]["supercompressionScheme"], "KTX_SS_ZSTD");
  EXPECT_EQ(all["index"]["levels"].size(), 5u);
  EXPECT_EQ(all["index"]["levels"][0]["uncompressedByteLength"], 4 * 2 * 16);
  const Json& block = all["dataFormatDescriptor"]["blocks"][0];
  EXPECT_EQ(block["colorModel"], "KHR_DF_MODEL_UASTC");
  EXPECT_EQ(block["transferFunction"], "KHR_DF_TRANSFER_SRGB");
  EXPECT_EQ(block["colorPrimaries"], "KHR_DF_PRIMARIES_BT709");
  EXPECT_EQ(block["texelBlockDimension"], Json::array({4, 4, 1, 1}));
  EXPECT_EQ(block["samples"][0]["channelId"], "KHR_DF_CHANNEL_UASTC_RGB");
  EXPECT_EQ(block["samples"][0]["bitLength"], 128);
  EXPECT_EQ(all["keyValueData"]["KTXorientation"], "rd");
  const Json plain = info("plain.ktx2");
  EXPECT_EQ(plain["header"]["vkFormat"], "VK_FORMAT_R8G8B8A8_SRGB");
  EXPECT_EQ(plain["dataFormatDescriptor"]["blocks"][0]["samples"][3]["qualifiers"],
            Json::array({"KHR_DF_SAMPLE_DATATYPE_LINEAR"}));
  EXPECT_EQ(ktx.run("info a.ktx2"), 0);
  EXPECT_THAT(ktx.out, AllOf(HasSubstr("Validation successful"), HasSubstr("pixelWidth: 16"),
                             HasSubstr("colorModel: KHR_DF_MODEL_UASTC"), HasSubstr("KTXorientation: rd")));
}

template <class T>
void put_at(ByteVector& bytes, std::size_t at, T value) {
  std::memcpy(bytes.data() + at, &value, sizeof value);
}

// A texture of one level as a file whose level is a zlib stream with one stored block.
ByteVector with_zlib(const ktx2::View& view, ByteSpan file) {
  constexpr std::size_t kSupercompressionAt = 44, kLevelsAt = 80;
  const ByteSpan level = view.levels()[0].bytes;
  ByteVector bytes(file.begin(), file.begin() + (level.data() - file.data()));
  put_at(bytes, kSupercompressionAt, std::uint32_t{3});
  const std::uint64_t stream_at = bytes.size();
  for (const int byte : {0x78, 0x01, 0x01}) bytes.push_back(static_cast<std::byte>(byte));
  append(bytes, static_cast<std::uint16_t>(level.size()));
  append(bytes, static_cast<std::uint16_t>(~level.size()));
  append_bytes(bytes, level);
  std::uint32_t a = 1, b = 0;
  for (const std::byte byte : level) {
    a = (a + std::to_integer<std::uint32_t>(byte)) % 65521;
    b = (b + a) % 65521;
  }
  for (const std::uint32_t part : {b >> 8, b, a >> 8, a}) bytes.push_back(static_cast<std::byte>(part));
  put_at(bytes, kLevelsAt, stream_at);
  put_at(bytes, kLevelsAt + 8, std::uint64_t{bytes.size() - stream_at});
  return bytes;
}

TEST_F(Ktx, levels_of_zlib_are_validated) {
  ASSERT_EQ(ktx.run("create --format R8G8B8A8_UNORM in.png one.ktx2"), 0) << ktx.err;
  ByteVector bytes = with_zlib(ktx.view("one.ktx2"), ktx.file("one.ktx2"));
  ktx.put("zlib.ktx2", bytes);
  EXPECT_EQ(ktx.run("validate zlib.ktx2"), 0) << ktx.out;
  EXPECT_TRUE(filetypes::check_file("zlib.ktx2", bytes));
  bytes[bytes.size() - 100] ^= std::byte{1};
  ktx.put("damaged.ktx2", bytes);
  EXPECT_EQ(ktx.run("validate damaged.ktx2"), kInvalidFile);
  EXPECT_THAT(
      ktx.out,
      HasSubstr(
          "error-5006: Levels must decompress to their size\n    level 0: the checksum of the zlib stream is wrong"));
  const auto checked = filetypes::check_file("damaged.ktx2", bytes);
  ASSERT_FALSE(checked);
  EXPECT_THAT(checked.error().to_string(), HasSubstr("level 0: the checksum of the zlib stream is wrong"));
}

TEST_F(Ktx, broken_files_are_reported_and_end_nothing) {
  const ByteSpan good = ktx.file("a.ktx2");
  for (std::size_t size = 0; size < good.size(); size += 7) {
    ktx.put("cut.ktx2", ByteVector(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size)));
    EXPECT_EQ(ktx.run("info --format json cut.ktx2"), size < 80 ? kInvalidFile : 0) << size;
    const Json all = parsed_json(ktx.out);
    EXPECT_EQ(all["valid"], false);
    EXPECT_EQ(all.contains("header"), size >= 80) << "what can be read is described";
    EXPECT_EQ(ktx.run("validate cut.ktx2"), kInvalidFile);
    EXPECT_THAT(ktx.out, HasSubstr("Validation failed"));
    EXPECT_EQ(ktx.run("extract cut.ktx2 x.png"), kInvalidFile);
    EXPECT_EQ(ktx.run("transcode cut.ktx2 x.ktx2"), kInvalidFile);
  }
  for (std::size_t at = 0; at < good.size(); ++at) {
    ByteVector bytes(good.begin(), good.end());
    bytes[at] ^= std::byte{0x41};
    ktx.put("flipped.ktx2", bytes);
    for (const char* command : {"info --format json ", "validate ", "extract --all "})
      ktx.run(command + std::string("flipped.ktx2") + (command[0] == 'e' ? " x" : ""));
  }
  EXPECT_EQ(ktx.run("validate none.ktx2"), kIo);
}

TEST_F(Ktx, validate_knows_the_rules_of_gltf) {
  EXPECT_EQ(ktx.run("validate --gltf-basisu -e a.ktx2"), 0);
  EXPECT_EQ(ktx.out, "");
  EXPECT_THAT(faults("plain.ktx2"), ::testing::ElementsAre(3102, 6301));
  ktx.put_png("odd.png", 6, 8, [](int x, int) { return Texel{x, 0, 0, 255}; });
  const auto made = [&](const std::string& options, const std::string& in = "in.png") {
    EXPECT_EQ(ktx.run("create --encode uastc " + options + " " + in + " b.ktx2"), 0) << ktx.err;
    return faults("b.ktx2");
  };
  EXPECT_THAT(made("--format R8G8B8_SRGB", "odd.png"), ::testing::ElementsAre(3103));
  EXPECT_THAT(made("--format R8G8B8_SRGB --generate-mipmap --levels 2"), ::testing::ElementsAre(3104));
  EXPECT_THAT(made("--format R8G8B8_SRGB --swizzle rrr1"), ::testing::ElementsAre(7201));
  EXPECT_THAT(made("--format R8G8B8_SRGB --assign-texcoord-origin bottom-left"), ::testing::ElementsAre(7202));
  EXPECT_THAT(made("--format R8G8B8_UNORM --assign-tf linear"), ::testing::ElementsAre(6304));
  EXPECT_THAT(made("--format R8G8B8_UNORM --assign-tf linear --assign-primaries none"), IsEmpty());
  EXPECT_EQ(ktx.run("validate b.ktx2"), 0) << "without glTF's rules";
}

TEST_F(Ktx, extract_writes_pictures_and_raw_texels) {
  EXPECT_EQ(ktx.run("extract --layer 1 plain.ktx2 out.png"), 0) << ktx.err;
  const auto picture = Program::texels_of(*importer::decode_image(ktx.file("out.png")));
  EXPECT_EQ(picture, ktx.texels("plain.ktx2", {.layer = 1}));
  EXPECT_EQ(ktx.run("extract --level 2 a.ktx2 out.png"), 0);
  EXPECT_EQ(Program::texels_of(*importer::decode_image(ktx.file("out.png"))), ktx.texels("a.ktx2", {.level = 2}));
  EXPECT_EQ(ktx.run("extract --all plain.ktx2 dir"), 0);
  EXPECT_TRUE(ktx.has("dir/output_level4_layer1.png"));
  EXPECT_EQ(ktx.run("extract --level all a.ktx2 levels"), 0);
  EXPECT_TRUE(ktx.has("levels/output_level3.png"));
  EXPECT_EQ(ktx.run("extract --raw --level 1 --layer 1 plain.ktx2 out.raw"), 0);
  EXPECT_EQ(ktx.file("out.raw").size(), 8u * 4 * 4);
  EXPECT_EQ(std::to_integer<int>(ByteSpan(ktx.file("out.raw"))[4]),
            ktx.texels("plain.ktx2", {.level = 1, .layer = 1})[1][0]);
  EXPECT_EQ(ktx.run("extract --raw --transcode bc7 a.ktx2 out.raw"), 0);
  EXPECT_EQ(ktx.file("out.raw").size(), 4u * 2 * 16);
  EXPECT_EQ(ktx.run("extract --transcode rgba8 a.ktx2 out.png"), 0);
  EXPECT_EQ(ktx.run("extract --transcode bc7 a.ktx2 out.png"), kUsage);
  EXPECT_EQ(ktx.run("extract --level 9 a.ktx2 out.png"), kInvalidFile);
  EXPECT_EQ(ktx.run("extract --level x a.ktx2 out.png"), kUsage);
  EXPECT_EQ(ktx.run("extract --layer 0 a.ktx2 out.png"), kInvalidFile) << "it is no array";
  EXPECT_EQ(ktx.run("extract --all --level 0 a.ktx2 out.png"), kUsage);
  EXPECT_EQ(ktx.run("extract --all a.ktx2 -"), kUsage);
}

TEST_F(Ktx, extract_reads_fragments) {
  EXPECT_EQ(ktx.run("extract --raw --uri m=3&a=0,0&a=1,1 plain.ktx2 some/"), 0) << ktx.err;
  for (const char* name : {"level3_layer0", "level3_layer1", "level4_layer0", "level4_layer1"})
    EXPECT_TRUE(ktx.has(std::string("some/output_") + name + ".raw")) << name;
  EXPECT_FALSE(ktx.has("some/output_level2_layer0.raw"));
  EXPECT_EQ(ktx.run("extract --raw --uri m=1,1&a=1,1 plain.ktx2 one.raw"), 0) << ktx.err;
  EXPECT_EQ(ktx.file("one.raw").size(), 8u * 4 * 4);
  EXPECT_EQ(ktx.run("extract --uri m=9 plain.ktx2 x"), kInvalidFile);
  EXPECT_EQ(ktx.run("extract --uri f=0,0 plain.ktx2 x"), kInvalidFile) << "it is no cubemap";
  EXPECT_EQ(ktx.run("extract --uri m=2,1 plain.ktx2 x"), kUsage);
  EXPECT_EQ(ktx.run("extract --uri z=1 plain.ktx2 x"), kUsage);
  EXPECT_EQ(ktx.run("extract --uri t=1,2 plain.ktx2 x"), kUnsupported);
}

TEST_F(Ktx, extract_copies_any_format) {
  ByteVector texels(4 * 3 * 2 * 12);
  for (std::size_t i = 0; i < texels.size(); ++i) texels[i] = static_cast<std::byte>(i * 7);
  const auto half = static_cast<std::ptrdiff_t>(texels.size() / 2);
  ktx.put("0.raw", ByteVector(texels.begin(), texels.begin() + half));
  ktx.put("1.raw", ByteVector(texels.begin() + half, texels.end()));
  for (const char* zstd : {"", "--zstd 3 "}) {
    ASSERT_EQ(ktx.run("create --raw --format R32G32B32_UINT --width 4 --height 3 --depth 2 " + std::string(zstd) +
                      "0.raw 1.raw any.ktx2"),
              0)
        << ktx.err;
    EXPECT_EQ(ktx.run("validate -e any.ktx2"), 0) << ktx.out;
    EXPECT_EQ(ktx.run("extract --raw any.ktx2 all.raw"), 0) << ktx.err;
    EXPECT_TRUE(std::ranges::equal(ktx.file("all.raw").span(), texels));
    EXPECT_EQ(ktx.run("extract --raw --depth 1 any.ktx2 one.raw"), 0) << ktx.err;
    EXPECT_TRUE(std::ranges::equal(ktx.file("one.raw").span(), ktx.file("1.raw").span()));
    EXPECT_EQ(ktx.run("extract any.ktx2 x.png"), kUnsupported) << "it cannot be shown";
  }
  // Files of earlier revisions of KTX 2 do not say the size of a texel under supercompression.
  const ByteSpan sized = ktx.file("any.ktx2");
  ByteVector unsized(sized.begin(), sized.end());
  const auto descriptor_at = load<std::uint32_t>(unsized, 48);
  put_at(unsized, descriptor_at + 4 + 16, std::uint8_t{0});
  ktx.put("unsized.ktx2", unsized);
  EXPECT_EQ(ktx.run("extract --raw unsized.ktx2 all.raw"), 0) << ktx.err;
  EXPECT_TRUE(std::ranges::equal(ktx.file("all.raw").span(), texels));
  ASSERT_EQ(ktx.run("create --format R8G8B8A8_UNORM in.png one.ktx2"), 0) << ktx.err;
  ktx.put("zlib.ktx2", with_zlib(ktx.view("one.ktx2"), ktx.file("one.ktx2")));
  EXPECT_EQ(ktx.run("extract --raw zlib.ktx2 zlib.raw"), 0) << ktx.err;
  EXPECT_TRUE(std::ranges::equal(ktx.file("zlib.raw").span(), ktx.view("one.ktx2").levels()[0].bytes));
}

TEST_F(Ktx, extract_writes_floats_as_exr) {
  const std::array<float, 8> values{0.25f, -1.5f, 1000, 1, 0, 2, 0.5f, 0};
  for (const bool halves : {true, false}) {
    ByteVector texels;
    for (const float value : values) {
      if (halves) {
        append(texels, texture::half_from_float(value));
      } else {
        append(texels, value);
      }
    }
    ktx.put("f.raw", texels);
    const std::string format = halves ? "R16G16B16A16_SFLOAT" : "R32G32B32A32_SFLOAT";
    ASSERT_EQ(ktx.run("create --raw --width 2 --height 1 --format " + format + " f.raw f.ktx2"), 0) << ktx.err;
    ASSERT_EQ(ktx.run("extract f.ktx2 f.exr"), 0) << ktx.err;
    const auto image = importer::decode_image(ktx.file("f.exr"));
    ASSERT_TRUE(image) << image.error().to_string();
    ASSERT_EQ(image->type, scene::PixelType::kF32);
    for (std::size_t i = 0; i < values.size(); ++i) EXPECT_EQ(load<float>(image->pixels, i * 4), values[i]) << i;
  }
}

TEST_F(Ktx, transcode_makes_every_target) {
  const std::vector<Texel> source = ktx.texels("a.ktx2");
  for (const auto& [target, channels, format] :
       {std::tuple{"etc-rgb", 3, TexelFormat::kEtc2Rgb}, std::tuple{"etc-rgba", 3, TexelFormat::kEtc2Rgba},
        std::tuple{"eac-r11", 1, TexelFormat::kEacR11}, std::tuple{"eac-rg11", 2, TexelFormat::kEacRg11},
        std::tuple{"bc1", 3, TexelFormat::kBc1Rgb}, std::tuple{"bc3", 3, TexelFormat::kBc3},
        std::tuple{"bc4", 1, TexelFormat::kBc4}, std::tuple{"bc5", 2, TexelFormat::kBc5},
        std::tuple{"bc7", 3, TexelFormat::kBc7}, std::tuple{"astc", 3, TexelFormat::kAstc4x4},
        std::tuple{"r8", 1, TexelFormat::kR8}, std::tuple{"rg8", 2, TexelFormat::kRg8},
        std::tuple{"RGB8", 3, TexelFormat::kRgb8}, std::tuple{"rgba8", 4, TexelFormat::kRgba8}}) {
    ASSERT_EQ(ktx.run(std::string("transcode --zstd 4 --target ") + target + " a.ktx2 b.ktx2"), 0) << ktx.err;
    const ktx2::View view = ktx.view("b.ktx2");
    EXPECT_EQ(view.format(), format);
    EXPECT_EQ(view.supercompression(), ktx2::Supercompression::kZstd);
    EXPECT_EQ(view.levels().size(), 5u);
    const std::vector<Texel> made = ktx.texels("b.ktx2");
    const int unit = format >= TexelFormat::kBc4 && channels < 3 && format != TexelFormat::kBc7 ? 257 : 1;
    double sum = 0;
    for (std::size_t i = 0; i < made.size(); ++i)
      for (std::size_t c = 0; c < static_cast<std::size_t>(channels); ++c)
        sum += std::abs(static_cast<double>(made[i][c]) / unit - source[i][c]);
    EXPECT_LT(sum / static_cast<double>(made.size()), 8) << target;
  }
  EXPECT_EQ(ktx.run("transcode a.ktx2 b.ktx2"), 0);
  EXPECT_EQ(ktx.view("b.ktx2").format(), TexelFormat::kRgb8) << "as many channels as the texture has";
  EXPECT_EQ(ktx.texels("b.ktx2"), source);
  EXPECT_EQ(ktx.run("transcode --target bc6hu a.ktx2 b.ktx2"), kUsage);
  EXPECT_EQ(ktx.run("transcode plain.ktx2 b.ktx2"), kInvalidFile);
}

}  // namespace
}  // namespace assetc::ktx
