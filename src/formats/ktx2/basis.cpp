// The global data of BasisLZ: the slices, and the places of the codebooks and tables, but not their content.
// Source: KTX File Format Specification 2.0, BasisLZ Global Data.
#include "base/plural.hpp"
#include "formats/ktx2/layout.hpp"
#include "formats/reader.hpp"

namespace assetc::ktx2 {

using namespace formats;

namespace {
constexpr std::uint8_t kRgb = 0, kRrr = 3, kGgg = 4, kAaa = 15;  // channel ids of ETC1S
}  // namespace

std::vector<Sample> etc1s_samples(Etc1sChannels channels) {
  const auto sample = [](std::uint16_t bit_offset, std::uint8_t channel) {
    return Sample{bit_offset, 63, channel, {}, 0, UINT32_MAX};
  };
  switch (channels) {
    case Etc1sChannels::kRgb:
      return {sample(0, kRgb)};
    case Etc1sChannels::kRgba:
      return {sample(0, kRgb), sample(64, kAaa)};
    case Etc1sChannels::kRed:
      return {sample(0, kRrr)};
    case Etc1sChannels::kRedGreen:
      return {sample(0, kRrr), sample(64, kGgg)};
  }
  return {};
}

std::optional<Etc1sChannels> etc1s_channels_of(std::span<const Sample> samples) {
  const auto channel = [&](std::size_t i) { return samples[i].channel & 15; };
  if (samples.size() == 1 && channel(0) == kRgb) return Etc1sChannels::kRgb;
  if (samples.size() == 1 && channel(0) == kRrr) return Etc1sChannels::kRed;
  if (samples.size() == 2 && channel(0) == kRgb && channel(1) == kAaa) return Etc1sChannels::kRgba;
  if (samples.size() == 2 && channel(0) == kRrr && channel(1) == kGgg) return Etc1sChannels::kRedGreen;
  return std::nullopt;
}

namespace {

constexpr std::uint32_t kPFrame = 2;

// Checks a slice of a level. what: "color slice".
Result<void> check_slice(std::string_view what, std::uint64_t place, std::uint32_t offset, std::uint32_t size,
                         const Level& level) {
  if (size == 0) return invalid(place + 4, message("found a ", what, " of 0 bytes, expected some"));
  if (range_fits(offset, size, level.size_bytes)) return {};
  return fail_at(ErrorCode::kTruncated, byte_place(place),
                 message("found a ", what, " of ", counted(size, "byte"), " at ", offset,
                         ", expected it inside its level of ", counted(level.size_bytes, "byte")),
                 kDamagedHint);
}

}  // namespace

ByteVector basis_lz_bytes(const BasisLz& from) {
  BasisLzHeader header{};
  header.endpoint_count = static_cast<std::uint16_t>(from.endpoint_count);
  header.selector_count = static_cast<std::uint16_t>(from.selector_count);
  header.endpoints_size_bytes = static_cast<std::uint32_t>(from.endpoints.size());
  header.selectors_size_bytes = static_cast<std::uint32_t>(from.selectors.size());
  header.tables_size_bytes = static_cast<std::uint32_t>(from.tables.size());
  ByteVector out;
  append(out, header);
  for (const BasisLz::Image& image : from.images) {
    append(out, BasisLzImageEntry{image.is_p_frame ? kPFrame : 0, image.color_offset_bytes, image.color_size_bytes,
                                  image.alpha_offset_bytes, image.alpha_size_bytes});
  }
  for (const ByteSpan part : {from.endpoints, from.selectors, from.tables}) append_bytes(out, part);
  return out;
}

Result<BasisLz> read_basis_lz(const View& view, ByteSpan global_data, std::uint64_t place) {
  Reader reader(global_data);
  if (global_data.size() < sizeof(BasisLzHeader))
    return invalid(place, message("found ", counted(global_data.size(), "byte"),
                                  " of BasisLZ global data, expected at least ", sizeof(BasisLzHeader)));
  ASSETC_TRY(const auto header, reader.read<BasisLzHeader>("the global data"));
  std::uint64_t image_count = 0;
  for (const Level& level : view.levels()) image_count += view.images_per_level() * level.depth_texels;
  // Each term is below 2^37: no overflow.
  const std::uint64_t expected = sizeof header + image_count * sizeof(BasisLzImageEntry) +
                                 std::uint64_t{header.endpoints_size_bytes} + header.selectors_size_bytes +
                                 header.tables_size_bytes + header.extended_size_bytes;
  if (expected != global_data.size()) {
    return invalid(place, message("found ", counted(global_data.size(), "byte"), " of BasisLZ global data, expected ",
                                  expected, " of ", plural(image_count, "image"), " and the sizes of its parts"));
  }
  if (header.extended_size_bytes != 0)
    return invalid(place + 16, message("found ", counted(header.extended_size_bytes, "byte"),
                                       " of extended data, expected 0 with ETC1S"));
  BasisLz out;
  out.endpoint_count = header.endpoint_count;
  out.selector_count = header.selector_count;
  const bool has_alpha = view.block().size_bytes == 16, is_animation = view.find("KTXanimData").has_value();
  out.images.reserve(image_count);
  for (const Level& level : view.levels()) {
    const std::uint64_t images = view.images_per_level() * level.depth_texels;
    for (std::uint64_t i = 0; i < images; ++i) {
      const std::uint64_t at = place + reader.position();
      ASSETC_TRY(const auto entry, reader.read<BasisLzImageEntry>("an image"));
      if ((entry.flags & ~kPFrame) != 0)
        return invalid(at, message("found image flags ", entry.flags, ", expected 0, or 2 of a P frame"));
      const bool is_p_frame = entry.flags != 0;
      if (is_p_frame && !is_animation)
        return invalid(at, "found a P frame without KTXanimData, expected it in an animation only");
      if (is_p_frame && i < view.face_count() * std::uint64_t{level.depth_texels})
        return invalid(at, "found a P frame in the first layer, expected one that has a layer before it");
      ASSETC_CHECK(check_slice("color slice", at + 4, entry.color_offset_bytes, entry.color_size_bytes, level));
      if (has_alpha) {
        ASSETC_CHECK(check_slice("second slice", at + 12, entry.alpha_offset_bytes, entry.alpha_size_bytes, level));
      } else if (entry.alpha_offset_bytes != 0 || entry.alpha_size_bytes != 0) {
        return invalid(at + 12, "found a second slice, expected none: the descriptor has one sample");
      }
      out.images.push_back({is_p_frame, entry.color_offset_bytes, entry.color_size_bytes, entry.alpha_offset_bytes,
                            entry.alpha_size_bytes});
    }
  }
  ASSETC_TRY(out.endpoints, reader.take(header.endpoints_size_bytes, "the endpoints"));
  ASSETC_TRY(out.selectors, reader.take(header.selectors_size_bytes, "the selectors"));
  ASSETC_TRY(out.tables, reader.take(header.tables_size_bytes, "the tables"));
  return out;
}

}  // namespace assetc::ktx2
