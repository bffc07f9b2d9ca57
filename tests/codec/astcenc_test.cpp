// Compares our ASTC with Arm's decoder.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>

#include "assetc/codec/transcode.hpp"
#include "codec/random_uastc.hpp"

namespace assetc {
namespace {

namespace fs = std::filesystem;

constexpr unsigned kBlocksPerMode = 64;
constexpr unsigned kBlocks = kBlocksPerMode * codec::kUastcModeCount;
constexpr unsigned kWidth = kBlocks * 4, kHeight = 4;

bool have_astcenc() { return std::system("astcenc -version >/dev/null 2>&1") == 0; }

// astcenc decodes linear textures through half floats and rounds, but a GPU (and we) truncate 16 bits to 8: its texels
// may differ by one. sRGB is exact.
bool same(Rgba8 theirs, Rgba8 ours, AstcDecode decode) {
  if (decode == AstcDecode::kSrgb) return theirs == ours;
  for (unsigned c = 0; c < 4; ++c)
    if (std::abs(theirs[c] - ours[c]) > 1) return false;
  return true;
}

class Astcenc : public testing::TestWithParam<AstcDecode> {
 protected:
  void SetUp() override {
    if (!have_astcenc()) GTEST_SKIP() << "astcenc is not installed";
    dir_ = fs::temp_directory_path() / ("assetc-astcenc-" + std::to_string(getpid()));
    fs::create_directories(dir_);
  }
  void TearDown() override {
    if (!dir_.empty()) fs::remove_all(dir_);
  }

  // Decodes a row of blocks with astcenc, through an .astc and a .ktx file.
  std::vector<Rgba8> decode(ByteSpan blocks) {
    const fs::path astc = dir_ / "in.astc", ktx = dir_ / "out.ktx";
    {
      std::ofstream out(astc, std::ios::binary);
      const unsigned char header[16] = {0x13,         0xab,    0xa1, 0x5c, 4, 4, 1, kWidth & 255, kWidth >> 8 & 255,
                                        kWidth >> 16, kHeight, 0,    0,    1, 0, 0};
      out.write(reinterpret_cast<const char*>(header), sizeof header);
      out.write(reinterpret_cast<const char*>(blocks.data()), static_cast<std::streamsize>(blocks.size()));
    }
    const std::string mode = GetParam() == AstcDecode::kLinear ? "-dl" : "-ds";
    const std::string command =
        "astcenc " + mode + " " + astc.string() + " " + ktx.string() + " -silent >/dev/null 2>&1";
    EXPECT_EQ(std::system(command.c_str()), 0);
    // KTX 1: a header of 64 bytes, key/value data, the size of the level, the rows.
    std::ifstream in(ktx, std::ios::binary);
    const std::vector<char> file(std::istreambuf_iterator<char>(in), {});
    const ByteSpan bytes = std::as_bytes(std::span(file));
    std::vector<Rgba8> texels(kWidth * kHeight);
    const std::size_t start = bytes.size() < 64 ? 64 : 64 + load<std::uint32_t>(bytes, 60) + 4;
    EXPECT_EQ(bytes.size(), start + texels.size() * 4);
    if (bytes.size() != start + texels.size() * 4) return {};
    std::memcpy(texels.data(), bytes.data() + start, texels.size() * 4);
    return texels;
  }

  fs::path dir_;
};
INSTANTIATE_TEST_SUITE_P(Codec, Astcenc, testing::Values(AstcDecode::kLinear, AstcDecode::kSrgb));

TEST_P(Astcenc, decodes_transcoded_blocks_of_every_mode_to_our_texels) {
  std::mt19937 random(31);
  ByteVector uastc;
  for (unsigned i = 0; i < kBlocks; ++i)
    append(uastc, codec::pack_uastc(codec::random_uastc(random, i % codec::kUastcModeCount)));
  ByteVector astc(uastc.size());
  ASSERT_TRUE(transcode_uastc(uastc, BlockFormat::kAstc4x4, astc).has_value());
  std::vector<Rgba8> ours(kWidth * kHeight);
  ASSERT_TRUE(
      decode_blocks(uastc, BlockFormat::kUastc, kWidth, kHeight, ours, InvalidBlocks::kRefuse, GetParam()).has_value());
  const std::vector<Rgba8> theirs = decode(astc);
  ASSERT_EQ(theirs.size(), ours.size());
  for (unsigned i = 0; i < ours.size(); ++i)
    ASSERT_TRUE(same(theirs[i], ours[i], GetParam()))
        << testing::PrintToString(theirs[i]) << testing::PrintToString(ours[i]) << " mode "
        << i % kWidth / 4 % codec::kUastcModeCount << " texel " << i;
}

TEST_P(Astcenc, decodes_random_bytes_to_our_texels) {
  std::mt19937 random(37);
  ByteVector astc(kBlocks * 16);
  for (auto& b : astc) b = static_cast<std::byte>(random());
  std::vector<Rgba8> ours(kWidth * kHeight);
  ASSERT_TRUE(decode_blocks(astc, BlockFormat::kAstc4x4, kWidth, kHeight, ours, InvalidBlocks::kRefuse, GetParam())
                  .has_value());
  const std::vector<Rgba8> theirs = decode(astc);
  ASSERT_EQ(theirs.size(), ours.size());
  unsigned legal = 0;
  for (unsigned i = 0; i < ours.size(); ++i) {
    ASSERT_TRUE(same(theirs[i], ours[i], GetParam()))
        << testing::PrintToString(theirs[i]) << testing::PrintToString(ours[i]) << " block " << i % kWidth / 4
        << " texel " << i;
    legal += ours[i] != kInvalidBlockColor;
  }
  EXPECT_GT(legal, kWidth * kHeight / 100);
}

}  // namespace
}  // namespace assetc
