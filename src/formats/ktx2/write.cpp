// Writes a texture. It states what readers would otherwise guess in different ways: orientation, primaries, alpha.
#include <algorithm>
#include <limits>

#include "base/plural.hpp"
#include "formats/ktx2/layout.hpp"
#include "formats/reader.hpp"

namespace assetc::ktx2 {
namespace {

using namespace formats;

std::uint64_t image_count(const Texture& t) { return std::uint64_t{t.face_count} * std::max(t.layer_count, 1u); }

ByteVector descriptor(const Texture& t, const Description& format) {
  BasicDescriptor d{};
  d.version = kDescriptorVersion;
  d.block_size_bytes = static_cast<std::uint16_t>(sizeof d + format.samples.size() * sizeof(Sample));
  d.color_model = format.color_model;
  d.primaries = static_cast<std::uint8_t>(
      t.primaries.value_or(t.transfer == Transfer::kSrgb ? Primaries::kBt709 : Primaries::kUnspecified));
  d.transfer = static_cast<std::uint8_t>(t.transfer);
  d.flags = t.premultiplied_alpha ? 1 : 0;
  d.block_dimensions[0] = static_cast<std::uint8_t>(format.block.width_texels - 1);
  d.block_dimensions[1] = static_cast<std::uint8_t>(format.block.height_texels - 1);
  d.block_dimensions[2] = static_cast<std::uint8_t>(format.block.depth_texels - 1);
  // The size of an uncompressed block, also under supercompression: docs/decisions/0202.
  d.bytes_plane[0] = static_cast<std::uint8_t>(format.block.size_bytes);
  // The slices of ETC1S are planes.
  if (t.basis_lz && format.samples.size() == 2) d.bytes_plane[1] = d.bytes_plane[0];
  ByteVector out;
  append(out, static_cast<std::uint32_t>(4 + d.block_size_bytes));
  append(out, d);
  append_array(out, std::span<const Sample>(format.samples));
  return out;
}

ByteVector key_value_data(const Texture& t) {
  std::vector<std::pair<std::string, std::string>> entries;
  const auto add = [&](const char* key, const std::string& value) {
    if (!value.empty()) entries.emplace_back(key, value);
  };
  const bool is_2d = t.height_texels != 0 && t.depth_texels == 0;
  add("KTXorientation", t.orientation.value_or(is_2d ? "rd" : ""));
  add("KTXswizzle", t.swizzle);
  add("KTXwriter", t.writer);
  add("KTXwriterScParams", t.writer_params);
  entries.insert(entries.end(), t.metadata.begin(), t.metadata.end());
  std::sort(entries.begin(), entries.end());
  ByteVector out;
  for (const auto& [key, value] : entries) {
    append(out, static_cast<std::uint32_t>(key.size() + 1 + value.size() + 1));
    append_bytes(out, as_bytes({key.c_str(), key.size() + 1}));
    append_bytes(out, as_bytes({value.c_str(), value.size() + 1}));
    pad_to(out, 4);
  }
  return out;
}

std::unexpected<Error> unsupported(std::string_view what, Supercompression scheme) {
  return fail(ErrorCode::kUnsupported,
              message("writing ", what, " with ", to_string(scheme), " supercompression is not supported"),
              "use none or Zstandard; ETC1S needs BasisLZ, which no other format has");
}

}  // namespace

std::optional<std::uint64_t> level_size_bytes(const Texture& t, std::size_t level) {
  return level_size(block_shape(t.format), t.width_texels, t.height_texels, t.depth_texels, image_count(t), level);
}

Result<ByteVector> write(const Texture& t) {
  const FormatInfo& row = info(t.format);
  const auto vk = vk_format(t.format, t.transfer);
  if (!vk) {
    return fail(ErrorCode::kUsage,
                message(to_string(t.format), " has no ", t.transfer == Transfer::kSrgb ? "sRGB" : "linear", " form"),
                "choose another format or color space");
  }
  const bool is_etc1s = t.format == TexelFormat::kEtc1s;
  if (is_etc1s != (t.supercompression == Supercompression::kBasisLz) || is_etc1s != t.basis_lz.has_value())
    return unsupported(to_string(t.format), t.supercompression);
  if (is_etc1s) {
    BlockShape block = block_shape(t.format);
    block.size_bytes = 8;  // of a slice
    return write_described(
        t, {*vk, row.type_size_bytes, static_cast<std::uint8_t>(row.model), block, etc1s_samples(t.etc1s_channels)});
  }
  return write_described(t, {*vk, row.type_size_bytes, static_cast<std::uint8_t>(row.model), block_shape(t.format),
                             samples_of(row, t.transfer, t.channels)});
}

Result<ByteVector> write_described(const Texture& t, const Description& format) {
  if (t.supercompression != Supercompression::kNone && t.supercompression != Supercompression::kZstd && !t.basis_lz)
    return unsupported("a texture", t.supercompression);
  if (t.levels.empty() || t.levels.size() > kMaxLevels) {
    return fail(ErrorCode::kUsage,
                message("found ", counted(t.levels.size(), "level"), ", expected 1 to ", kMaxLevels));
  }
  const ByteVector dfd = descriptor(t, format);
  const ByteVector kvd = key_value_data(t);
  const ByteVector sgd = t.basis_lz ? basis_lz_bytes(*t.basis_lz) : ByteVector();

  Header header{};
  std::copy(kIdentifier.begin(), kIdentifier.end(), header.identifier);
  header.vk_format = format.vk_format;
  header.type_size_bytes = format.type_size_bytes;
  header.width_texels = t.width_texels;
  header.height_texels = t.height_texels;
  header.depth_texels = t.depth_texels;
  header.layer_count = t.layer_count;
  header.face_count = t.face_count;
  header.level_count = static_cast<std::uint32_t>(t.levels.size());
  header.supercompression = static_cast<std::uint32_t>(t.supercompression);
  header.dfd_offset_bytes = static_cast<std::uint32_t>(sizeof(Header) + t.levels.size() * sizeof(LevelEntry));
  header.dfd_size_bytes = static_cast<std::uint32_t>(dfd.size());
  // The sizes of index, descriptor and every entry are multiples of 4 bytes, so no padding is needed before the levels.
  header.kvd_offset_bytes = kvd.empty() ? 0 : header.dfd_offset_bytes + header.dfd_size_bytes;
  header.kvd_size_bytes = static_cast<std::uint32_t>(kvd.size());

  const std::uint64_t head_end = header.dfd_offset_bytes + dfd.size() + kvd.size();
  header.sgd_offset_bytes = sgd.empty() ? 0 : (head_end + 7) / 8 * 8;
  header.sgd_size_bytes = sgd.size();

  const std::uint64_t alignment = level_alignment(t.supercompression, format.block.size_bytes);
  const auto align_up = [&](std::uint64_t offset) { return (offset + alignment - 1) / alignment * alignment; };
  std::vector<LevelEntry> index(t.levels.size());
  std::uint64_t end = sgd.empty() ? head_end : header.sgd_offset_bytes + sgd.size();
  for (std::size_t i = t.levels.size(); i-- > 0;) {
    const Texture::LevelData& level = t.levels[i];
    const bool plain = t.supercompression == Supercompression::kNone;
    const std::uint64_t inflated_bytes = t.basis_lz ? 0 : level.uncompressed_size_bytes;
    index[i] = {align_up(end), level.bytes.size(), plain ? level.bytes.size() : inflated_bytes};
    end = index[i].offset_bytes + level.bytes.size();
  }
  ByteVector file;
  file.reserve(end);
  append(file, header);
  append_array(file, std::span<const LevelEntry>(index));
  append_bytes(file, dfd);
  append_bytes(file, kvd);
  if (!sgd.empty()) file.resize(header.sgd_offset_bytes);
  append_bytes(file, sgd);
  for (std::size_t i = t.levels.size(); i-- > 0;) {
    file.resize(index[i].offset_bytes);
    append_bytes(file, t.levels[i].bytes);
  }
  // A file that the reader would refuse is never written.
  ASSETC_CHECK(View::open(file));
  return file;
}

}  // namespace assetc::ktx2
