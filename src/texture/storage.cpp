#include "texture/storage.hpp"

#include <algorithm>
#include <cstring>

namespace assetc::texture {
namespace {

using F = TexelFormat;

constexpr std::string_view kLetters = "rgba01";
// The values that a GPU reads for channels that a format lacks.
constexpr ChannelMap kAbsent{Channel::kZero, Channel::kZero, Channel::kZero, Channel::kOne};

// The formats that a user can ask for.
struct Row {
  TargetFormat target;
  F format;
  std::string_view name;
  std::size_t channels;  // 3: R, G and B; alpha reads as 1
};
constexpr std::array kRows{
    Row{TargetFormat::kUastc, F::kUastc, "uastc", 4},
    Row{TargetFormat::kEtc1s, F::kEtc1s, "etc1s", 4},
    Row{TargetFormat::kBc7, F::kBc7, "bc7", 4},
    Row{TargetFormat::kBc6h, F::kBc6h, "bc6h", 3},
    Row{TargetFormat::kBc5, F::kBc5, "bc5", 2},
    Row{TargetFormat::kBc4, F::kBc4, "bc4", 1},
    Row{TargetFormat::kBc3, F::kBc3, "bc3", 4},
    Row{TargetFormat::kBc1, F::kBc1Rgb, "bc1", 3},
    Row{TargetFormat::kAstc4x4, F::kAstc4x4, "astc4x4", 4},
    Row{TargetFormat::kAstc6x6, F::kAstc6x6, "astc6x6", 4},
    Row{TargetFormat::kAstc8x8, F::kAstc8x8, "astc8x8", 4},
    Row{TargetFormat::kEtc2, F::kEtc2Rgba, "etc2", 4},
    Row{TargetFormat::kRgba8, F::kRgba8, "rgba8", 4},
    Row{TargetFormat::kRgba16f, F::kRgba16f, "rgba16f", 4},
};
// Formats whose blocks an encoder can optimize for Zstd.
constexpr std::array kRdoFormats{F::kUastc, F::kBc1Rgb,  F::kBc3,      F::kBc4,    F::kBc5,
                                 F::kBc7,   F::kEtc2Rgb, F::kEtc2Rgba, F::kEacR11, F::kEacRg11};

const Row& row_of(TargetFormat target) { return *std::ranges::find(kRows, target, &Row::target); }

bool contains(const ChannelMap& map, Channel c) { return std::ranges::find(map, c) != map.end(); }
bool is_constant(Channel c) { return c == Channel::kZero || c == Channel::kOne; }

// The number of leading channels that a format must have to show `wanted` without a swizzle.
std::size_t leading_channels(const ChannelMap& wanted) {
  std::size_t count = 4;
  while (count > 1 && wanted[count - 1] == kAbsent[count - 1]) --count;
  return count;
}

std::size_t distinct_channels(const ChannelMap& wanted) {
  std::size_t count = 0;
  for (const Channel c : {Channel::kR, Channel::kG, Channel::kB, Channel::kA}) count += contains(wanted, c);
  return count;
}

ChannelMap channels_of_kind(TexelKind kind) {
  if (kind == TexelKind::kNormal) return {Channel::kR, Channel::kG, Channel::kZero, Channel::kOne};
  if (kind == TexelKind::kGray) return {Channel::kR, Channel::kZero, Channel::kZero, Channel::kOne};
  return kAllChannels;
}

// Resolves the format auto. asked: the user named the channels.
TargetFormat automatic(TexelKind kind, const ChannelMap& wanted, bool asked) {
  if (kind == TexelKind::kHdr) return asked && wanted[3] == Channel::kA ? TargetFormat::kRgba16f : TargetFormat::kBc6h;
  if (kind == TexelKind::kColor) return TargetFormat::kBc7;  // the other formats have no sRGB form, or too few colors
  const std::size_t count = leading_channels(wanted);
  return count == 1 ? TargetFormat::kBc4 : count == 2 ? TargetFormat::kBc5 : TargetFormat::kBc7;
}

// The ETC2 format that holds the wanted channels without a swizzle.
F etc2_format(bool srgb, const ChannelMap& wanted) {
  const std::size_t count = leading_channels(wanted);
  if (!srgb && count <= 2) return count == 1 ? F::kEacR11 : F::kEacRg11;
  return wanted[3] == Channel::kOne ? F::kEtc2Rgb : F::kEtc2Rgba;
}

// The channels of the slices of ETC1S: three in the first, the fourth in the second. One channel of data is gray, and
// two are a gray slice each.
ChannelMap etc1s_channels(bool srgb, const ChannelMap& wanted) {
  const std::size_t count = leading_channels(wanted);
  if (srgb || count > 2) return wanted;
  return {wanted[0], wanted[0], wanted[0], count == 2 ? wanted[1] : Channel::kOne};
}

std::string text_of(const ChannelMap& map, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += letter_of(map[i]);
  return text;
}

// Plans how to store the wanted channels in a format of that many channels. If they do not fit directly, each source
// channel is stored once and a swizzle maps it. Returns false if there are too many.
bool pack(const ChannelMap& wanted, std::size_t channels, StoragePlan& plan) {
  if (leading_channels(wanted) <= channels) {
    plan.stored = wanted;
    return true;
  }
  if (distinct_channels(wanted) > channels) return false;
  plan.stored = kAbsent;
  ChannelMap& swizzle = plan.swizzle.emplace();
  std::size_t used = 0;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const Channel c = wanted[i];
    if (is_constant(c)) {
      swizzle[i] = c;
      continue;
    }
    const auto at = static_cast<std::size_t>(
        std::find(plan.stored.begin(), plan.stored.begin() + static_cast<std::ptrdiff_t>(used), c) -
        plan.stored.begin());
    if (at == used) plan.stored[used++] = c;
    swizzle[i] = static_cast<Channel>(at);
  }
  return true;
}

}  // namespace

bool takes_rdo(TexelFormat format) { return std::ranges::find(kRdoFormats, format) != kRdoFormats.end(); }
bool takes_rdo(TargetFormat format) { return format == TargetFormat::kAuto || takes_rdo(row_of(format).format); }
std::string rdo_format_names() {
  std::string names;
  for (const Row& row : kRows) {
    if (takes_rdo(row.target)) names.append(names.empty() ? "" : ", ").append(row.name);
  }
  return names;
}

std::optional<ChannelMap> parse_channels(std::string_view letters) {
  if (letters.empty() || letters.size() > 4) return std::nullopt;
  ChannelMap map = kAbsent;
  for (std::size_t i = 0; i < letters.size(); ++i) {
    const std::size_t at = kLetters.find(letters[i]);
    if (at == std::string_view::npos) return std::nullopt;
    map[i] = static_cast<Channel>(at);
  }
  return map;
}

char letter_of(Channel channel) { return kLetters[static_cast<std::size_t>(channel)]; }

bool StoragePlan::keeps(Channel channel) const { return contains(stored, channel); }

Result<StoragePlan> plan_storage(TargetFormat target, TexelKind kind, const std::optional<ChannelMap>& channels) {
  const bool as_it_is = !channels && (target == TargetFormat::kRgba8 || target == TargetFormat::kRgba16f);
  ChannelMap wanted = channels.value_or(as_it_is ? kAllChannels : channels_of_kind(kind));
  if (kind == TexelKind::kNormal && !as_it_is) std::ranges::replace(wanted, Channel::kA, Channel::kOne);
  if (target == TargetFormat::kAuto) target = automatic(kind, wanted, channels.has_value());
  if (kind == TexelKind::kHdr && target != TargetFormat::kBc6h) target = TargetFormat::kRgba16f;
  const Row& row = row_of(target);

  StoragePlan plan;
  plan.format = row.format;
  // Gray data that is kept whole, or whose channels are named, is averaged channel by channel. For one channel that is
  // what kGray does.
  plan.kind = kind == TexelKind::kGray && (channels || as_it_is) ? TexelKind::kLinear : kind;
  plan.keeps_data = as_it_is && kind == TexelKind::kNormal;
  // Half floats and BC6H hold linear light.
  const bool light = target == TargetFormat::kRgba16f || target == TargetFormat::kBc6h;
  if (kind == TexelKind::kColor) {
    plan.color_space = light ? ColorSpace::kLinear : ColorSpace::kSrgb;
  } else {
    plan.color_space = kind == TexelKind::kHdr ? ColorSpace::kLinear : ColorSpace::kNone;
  }
  if (target == TargetFormat::kEtc1s) wanted = etc1s_channels(kind == TexelKind::kColor, wanted);
  if (target == TargetFormat::kEtc2) plan.format = etc2_format(kind == TexelKind::kColor, wanted);
  if (plan.color_space == ColorSpace::kSrgb && !has_srgb_form(plan.format)) {
    return fail(
        ErrorCode::kUsage,
        "texture.format: " + std::string(row.name) + " has no sRGB form, but the picture is color, which is sRGB",
        "use auto or bc7, or name the picture as what it is: .n. for a normal map, .ao. .h. or .r. for one channel");
  }
  // If the user named no channels, BC1 and BC6H drop alpha.
  if (!channels && row.channels == 3) wanted[3] = Channel::kOne;
  if (!pack(wanted, row.channels, plan)) {
    return fail(
        ErrorCode::kUsage,
        "texture.format: " + std::string(row.name) + " holds " + std::to_string(row.channels) + " channel" +
            (row.channels == 1 ? "" : "s") + ", but " +
            (channels ? "texture.channels asks for " + text_of(*channels, leading_channels(*channels))
                      : "the picture has " + text_of(wanted, leading_channels(wanted))),
        channels ? "ask for fewer channels, or use auto" : "say which to keep with texture.channels, or use auto");
  }
  return plan;
}

std::uint64_t image_bytes(Extent extent, TexelFormat format) {
  const BlockShape block = block_shape(format);
  const auto blocks = [](std::uint64_t side, std::uint64_t of) { return (side + of - 1) / of; };
  return blocks(extent.width_texels, block.width_texels) * blocks(extent.height_texels, block.height_texels) *
         block.size_bytes;
}

namespace {
template <class Value>
void reorder(const ChannelMap& map, Value one, std::span<std::byte> texels) {
  if (map == kAllChannels) return;
  for (std::size_t at = 0; at + 4 * sizeof(Value) <= texels.size(); at += 4 * sizeof(Value)) {
    std::array<Value, 6> from{0, 0, 0, 0, 0, one};
    std::memcpy(from.data(), texels.data() + at, 4 * sizeof(Value));
    std::array<Value, 4> to;
    for (std::size_t c = 0; c < 4; ++c) to[c] = from[static_cast<std::size_t>(map[c])];
    std::memcpy(texels.data() + at, to.data(), sizeof to);
  }
}
}  // namespace

void apply_channels(const ChannelMap& map, scene::Image& image) {
  switch (image.type) {
    case scene::PixelType::kU8:
      return reorder<std::uint8_t>(map, 0xFF, image.pixels);
    case scene::PixelType::kU16:
      return reorder<std::uint16_t>(map, 0xFFFF, image.pixels);
    case scene::PixelType::kF32:
      return reorder<float>(map, 1.0f, image.pixels);
  }
}

void apply_channels_u8(const ChannelMap& map, std::span<std::byte> texels) { reorder<std::uint8_t>(map, 0xFF, texels); }

void apply_channels_u16(const ChannelMap& map, std::span<std::byte> texels) {
  reorder<std::uint16_t>(map, 0xFFFF, texels);
}

void apply_channels_half(const ChannelMap& map, std::span<std::byte> texels) {
  constexpr std::uint16_t kOne = 0x3C00;
  reorder<std::uint16_t>(map, kOne, texels);
}

}  // namespace assetc::texture
