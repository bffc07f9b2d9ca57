#include "assetc/formats/hmat.hpp"

#include <limits>

#include "assetc/base/hash.hpp"
#include "formats/support.hpp"

namespace assetc::hmat {
namespace {

using namespace formats_test;

std::vector<GpuMaterial> sample() {
  GpuMaterial wood;
  wood.base_color_factor[0] = 0.5f;
  wood.base_color_texture = hash_asset_ref("models/chair/tex_0");
  wood.metallic_roughness_texture = wood.occlusion_texture = hash_asset_ref("models/chair/tex_1");
  wood.flags = GpuMaterial::kDoubleSided;
  wood.set_alpha_mode(AlphaMode::kBlend);
  return {wood, GpuMaterial{}};
}

TEST(Hmat, round_trips) {
  const ByteVector file = *write(sample());
  EXPECT_EQ(file.size(), 16u + 2 * 96);
  const auto view = View::open(file);
  ASSERT_TRUE(view) << error_of(view);
  ASSERT_EQ(view->materials().size(), 2u);
  EXPECT_EQ(view->materials()[0], sample()[0]);
  EXPECT_EQ(view->materials()[1], sample()[1]);
  EXPECT_EQ(view->materials()[0].alpha_mode(), AlphaMode::kBlend);
  EXPECT_TRUE(view->materials()[0].is_double_sided());
  EXPECT_TRUE(View::open(*write({})));
}

TEST(Hmat, samplers_lie_in_bits_that_rows_without_them_leave_clear) {
  using sampling::Filter, sampling::MipFilter, sampling::Wrap;
  std::vector<GpuMaterial> rows = sample();
  const ByteVector without = *write(rows);
  EXPECT_FALSE(rows[0].has_samplers());
  rows[0].set_sampler(Slot::kNormal, {});
  EXPECT_EQ(*write(rows), without);

  const Sampler pixels{Wrap::kClamp, Wrap::kMirror, Filter::kNearest, Filter::kLinear, MipFilter::kNone};
  const Sampler smooth{.mag = Filter::kLinear, .min = Filter::kLinear, .mip = MipFilter::kLinear};
  rows[0].set_sampler(Slot::kBaseColor, pixels);
  rows[0].set_sampler(Slot::kEmissive, smooth);
  const ByteVector file = *write(rows);
  EXPECT_EQ(file.size(), without.size());
  EXPECT_EQ(load<std::uint32_t>(file, 16 + 48), 1u | 2u << 1 | 1u << 4 | (1u | 2u << 2) << 5);
  EXPECT_EQ(load<std::uint32_t>(file, 16 + 52), (1u | 2u << 2 | 1u << 4) | (2u | 2u << 2 | 3u << 4) << 24);
  const auto view = View::open(file);
  ASSERT_TRUE(view) << error_of(view);
  const GpuMaterial& row = view->materials()[0];
  EXPECT_EQ(row.sampler(Slot::kBaseColor), pixels);
  EXPECT_EQ(row.sampler(Slot::kMetallicRoughness), Sampler{});
  EXPECT_EQ(row.sampler(Slot::kNormal), Sampler{});
  EXPECT_EQ(row.sampler(Slot::kOcclusion), Sampler{});
  EXPECT_EQ(row.sampler(Slot::kEmissive), smooth);
  EXPECT_EQ(row.alpha_mode(), AlphaMode::kBlend);
  EXPECT_TRUE(row.is_double_sided());
  EXPECT_FALSE(row.is_unlit());
  EXPECT_EQ(view->materials()[1].sampler(Slot::kBaseColor), Sampler{});

  // Overwritten, and removed.
  rows[0].set_sampler(Slot::kBaseColor, {});
  EXPECT_EQ(rows[0].sampler(Slot::kBaseColor), Sampler{});
  EXPECT_EQ(rows[0].sampler(Slot::kEmissive), smooth);
  rows[0].set_sampler(Slot::kEmissive, {});
  EXPECT_EQ(*write(rows), without);
}

TEST(Hmat, rejects_bad_samplers) {
  std::vector<GpuMaterial> rows = sample();
  rows[1].set_sampler(Slot::kOcclusion, {.mag = sampling::Filter::kNearest});
  const ByteVector file = *write(rows);
  EXPECT_EQ(error_of(View::open(with(file, 16 + 96 + 48, 1u << 4 | 3u << (5 + 4 + 2)))),
            "byte 160: material 1 samples its metallic-roughness texture with wrap 3, expected 0 repeat, 1 clamp or 2 "
            "mirror; the file is damaged or was cut short; write it again");
  EXPECT_EQ(error_of(View::open(with(file, 16 + 96 + 52, 3u << (12 + 2)))),
            "byte 164: material 1 samples its normal texture with filter 3, expected 0 any, 1 nearest or 2 linear; the "
            "file is damaged or was cut short; write it again");
  // Without the flag, both words are ignored.
  const ByteVector other = with(with(file, 16 + 96 + 48, 3u << 5), 16 + 96 + 52, ~0u);
  ASSERT_TRUE(View::open(other));
  EXPECT_EQ(View::open(other)->materials()[1].sampler(Slot::kBaseColor), Sampler{});
}

TEST(Hmat, keeps_its_golden_bytes) {
  expect_golden("two.hmat", *write(sample()));
  std::vector<GpuMaterial> rows = sample();
  rows[0].set_sampler(Slot::kBaseColor, {sampling::Wrap::kClamp, sampling::Wrap::kMirror, sampling::Filter::kNearest});
  rows[1].set_sampler(Slot::kEmissive, {.min = sampling::Filter::kLinear, .mip = sampling::MipFilter::kNone});
  expect_golden("samplers.hmat", *write(rows));
}

TEST(Hmat, lays_out_a_row_as_specified) {
  const ByteVector file = *write(sample());
  EXPECT_EQ(as_text(ByteSpan(file).first(4)), "HMAT");
  EXPECT_EQ(load<std::uint32_t>(file, 4), 1u);
  EXPECT_EQ(load<std::uint32_t>(file, 8), 2u);
  EXPECT_EQ(load<float>(file, 16), 0.5f);
  EXPECT_EQ(load<float>(file, 16 + 28), 1.0f);
  EXPECT_EQ(load<float>(file, 16 + 44), 0.5f);
  EXPECT_EQ(load<std::uint32_t>(file, 16 + 48), 1u | 2u << 1);
  EXPECT_EQ(load<std::uint64_t>(file, 16 + 56), hash_asset_ref("models/chair/tex_0"));
  EXPECT_EQ(load<std::uint64_t>(file, 16 + 80), hash_asset_ref("models/chair/tex_1"));
}

TEST(Hmat, refuses_every_prefix) { expect_every_prefix_refused(*write(sample()), View::open); }
TEST(Hmat, survives_changed_bytes) {
  expect_survives_changed_bytes(*write(sample()), View::open);
  std::vector<GpuMaterial> rows = sample();
  for (std::uint32_t s = 0; s < kSlotCount; ++s)
    rows[0].set_sampler(static_cast<Slot>(s), {sampling::Wrap::kClamp, sampling::Wrap::kMirror});
  expect_survives_changed_bytes(*write(rows), View::open);
}

TEST(Hmat, rejects_extra_bytes) {
  EXPECT_EQ(error_of(View::open(with_extra(*write(sample()), 1))),
            "byte 208: found 1 extra byte, expected the end of the file; the file is damaged or was cut short; write "
            "it again");
}

TEST(Hmat, rejects_another_version) {
  EXPECT_EQ(error_of(View::open(with(*write(sample()), 4, std::uint32_t{2}))),
            "byte 4: found hmat version 2, expected 1; read it with a newer assetc, or compile its source again with "
            "this one");
}

TEST(Hmat, rejects_counts_that_overflow) {
  EXPECT_EQ(View::open(with(*write(sample()), 8, ~std::uint32_t{0})).error().code, ErrorCode::kTruncated);
}

TEST(Hmat, rejects_bad_rows) {
  const ByteVector file = *write(sample());
  EXPECT_EQ(error_of(View::open(with(file, 16 + 96 + 48, std::uint32_t{6}))),
            "byte 160: material 1 has alpha mode 3, expected 0 opaque, 1 mask or 2 blend; the file is damaged or was "
            "cut short; write it again");
  EXPECT_EQ(View::open(with(file, 16 + 32, std::numeric_limits<float>::infinity())).error().place, "byte 48");
}

TEST(Hmat, rejects_a_misaligned_buffer) {
  const ByteVector file = with_extra(*write(sample()), 4);
  ByteVector shifted(file.size());
  std::copy(file.begin(), file.end() - 4, shifted.begin() + 4);
  EXPECT_EQ(View::open(ByteSpan(shifted).subspan(4)).error().code, ErrorCode::kUsage);
}

}  // namespace
}  // namespace assetc::hmat
