#include <algorithm>

#include "base/plural.hpp"
#include "formats/ktx2/layout.hpp"
#include "formats/reader.hpp"
#include "formats/text.hpp"

namespace assetc::ktx2 {

using namespace formats;

// Opens one file. Each step relies on the checks of the steps before it.
class Opener {
 public:
  Opener(ByteSpan head, std::uint64_t file_size_bytes) : file_(head), size_bytes_(file_size_bytes) {}

  Result<View> open() {
    ASSETC_CHECK(open_header());
    ASSETC_CHECK(open_sections());
    ASSETC_CHECK(open_descriptor());
    ASSETC_CHECK(open_key_values());
    ASSETC_CHECK(open_levels());
    if (view_.supercompression_ == Supercompression::kBasisLz) {
      ASSETC_TRY(view_.basis_lz_, read_basis_lz(view_, global_data_, header_.sgd_offset_bytes));
    }
    return std::move(view_);
  }

 private:
  std::unexpected<Error> truncated(std::uint64_t place, std::string what) {
    return fail_at(ErrorCode::kTruncated, byte_place(place), std::move(what), kDamagedHint);
  }

  Result<void> open_header() {
    if (file_.size() < kIdentifier.size()) {
      return truncated(0,
                       message("found ", counted(file_.size(), "byte"), ", expected the identifier of a KTX 2 file"));
    }
    if (std::memcmp(file_.data(), kIdentifier.data(), kIdentifier.size()) != 0) {
      if (std::memcmp(file_.data(), kIdentifier.data(), 5) == 0) {
        return fail_at(ErrorCode::kVersion, byte_place(5),
                       message("found KTX version ", quote(as_text(file_.subspan(5, 2))), ", expected \"20\""),
                       "convert it to KTX 2");
      }
      return invalid(0, "found no KTX 2 identifier", "check that this is a KTX 2 file");
    }
    if (file_.size() < sizeof(Header)) {
      return truncated(12, message("found ", counted(file_.size(), "byte"), ", expected a header of ", sizeof(Header)));
    }
    header_ = load<Header>(file_);
    const Header& h = header_;
    view_.vk_format_ = h.vk_format;
    view_.width_ = h.width_texels;
    view_.height_ = h.height_texels;
    view_.depth_ = h.depth_texels;
    view_.layers_ = h.layer_count;
    view_.faces_ = h.face_count;
    if (h.width_texels == 0) return invalid(20, "found a width of 0, expected at least 1");
    const std::uint32_t largest = std::max({h.width_texels, h.height_texels, h.depth_texels});
    if (largest > kMaxExtentTexels) {
      return fail_at(ErrorCode::kLimit, byte_place(20),
                     message("found an extent of ", counted(largest, "texel"), ", expected at most ", kMaxExtentTexels),
                     "use a smaller texture");
    }
    if (h.layer_count > kMaxLayers) {
      return fail_at(ErrorCode::kLimit, byte_place(32),
                     message("found ", counted(h.layer_count, "layer"), ", expected at most ", kMaxLayers),
                     "use fewer layers");
    }
    if (h.depth_texels != 0 && h.height_texels == 0) return invalid(24, "found a depth without a height");
    if (h.face_count != 1 && h.face_count != 6)
      return invalid(36, message("found ", counted(h.face_count, "face"), ", expected 1, or 6 of a cubemap"));
    if (h.face_count == 6 && (h.width_texels != h.height_texels || h.depth_texels != 0)) {
      return invalid(20, message("found a cubemap of ", h.width_texels, " x ", h.height_texels, " x ", h.depth_texels,
                                 ", expected square faces"));
    }
    level_count_ = std::max(h.level_count, 1u);
    if (level_count_ > kMaxLevels || largest >> (level_count_ - 1) == 0) {
      return invalid(40, message("found ", plural(level_count_, "level"), ", more than a texture of ",
                                 plural(largest, "texel"), " can have"));
    }
    if (h.supercompression > static_cast<std::uint32_t>(Supercompression::kZlib)) {
      return fail_at(ErrorCode::kUnsupported, byte_place(44),
                     message("found supercompression scheme ", h.supercompression,
                             ", expected 0 none, 1 BasisLZ, 2 Zstandard or 3 ZLIB"),
                     "write the texture again with one of these");
    }
    view_.supercompression_ = static_cast<Supercompression>(h.supercompression);
    return {};
  }

  // The descriptor, key/value data and global data follow one another after the level index.
  Result<void> open_sections() {
    const Header& h = header_;
    std::uint64_t end = sizeof(Header) + sizeof(LevelEntry) * std::uint64_t{level_count_};
    if (end > file_.size())
      return truncated(sizeof(Header), message("found ", counted(file_.size() - sizeof(Header), "byte"),
                                               ", expected an index of ", plural(level_count_, "level")));
    ASSETC_TRY(descriptor_, section(48, "the data format descriptor", h.dfd_offset_bytes, h.dfd_size_bytes, 4, end));
    if (descriptor_.empty()) return invalid(48, "found no data format descriptor, which every KTX 2 file has");
    ASSETC_TRY(key_value_data_, section(56, "the key/value data", h.kvd_offset_bytes, h.kvd_size_bytes, 4, end));
    ASSETC_TRY(global_data_,
               section(64, "the supercompression global data", h.sgd_offset_bytes, h.sgd_size_bytes, 8, end));
    const bool needs_global = view_.supercompression_ == Supercompression::kBasisLz;
    if (needs_global != !global_data_.empty()) {
      return invalid(
          64, message("found ", counted(global_data_.size(), "byte"), " of supercompression global data, expected ",
                      needs_global ? "some with" : "none without", " BasisLZ"));
    }
    metadata_end_ = end;
    return {};
  }

  Result<ByteSpan> section(std::uint64_t place, std::string_view what, std::uint64_t offset, std::uint64_t size,
                           std::uint64_t alignment, std::uint64_t& end) {
    if (size == 0) {
      if (offset != 0) return invalid(place, message(what, " is empty and lies at ", offset, ", expected 0"));
      return ByteSpan{};
    }
    const std::uint64_t expected = (end + alignment - 1) / alignment * alignment;
    if (offset != expected)
      return invalid(place,
                     message(what, " lies at ", offset, ", expected ", expected, ", after what comes before it"));
    if (!range_fits(offset, size, file_.size())) {
      return truncated(place, message(what, " of ", counted(size, "byte"), " at ", offset,
                                      " does not fit in the file of ", counted(file_.size(), "byte")));
    }
    if (!all_zero(file_.subspan(end, offset - end)))
      return invalid(end, message("found padding that is not zero before ", what));
    end = offset + size;
    return file_.subspan(offset, size);
  }

  Result<void> open_descriptor() {
    const std::uint64_t place = header_.dfd_offset_bytes + 4;
    if (descriptor_.size() < 4 + sizeof(BasicDescriptor)) {
      return invalid(place - 4, message("found a descriptor of ", counted(descriptor_.size(), "byte"),
                                        ", expected at least ", 4 + sizeof(BasicDescriptor)));
    }
    const auto total = load<std::uint32_t>(descriptor_);
    if (total != descriptor_.size())
      return invalid(place - 4, message("found a descriptor that says ", counted(total, "byte"), ", expected ",
                                        descriptor_.size()));
    const auto d = load<BasicDescriptor>(descriptor_, 4);
    if (d.vendor_and_type != 0) return invalid(place, "found another descriptor first, expected the basic one");
    if (d.version != kDescriptorVersion) {
      return fail_at(ErrorCode::kUnsupported, byte_place(place + 4),
                     message("found descriptor version ", d.version, ", expected ", kDescriptorVersion),
                     "write the texture again with a newer tool");
    }
    if (d.block_size_bytes < sizeof(BasicDescriptor) || d.block_size_bytes > descriptor_.size() - 4 ||
        (d.block_size_bytes - sizeof(BasicDescriptor)) % sizeof(Sample) != 0) {
      return invalid(place + 6, message("found a basic descriptor of ", counted(d.block_size_bytes, "byte"),
                                        ", expected ", sizeof(BasicDescriptor), " and ", sizeof(Sample),
                                        " a sample, inside ", descriptor_.size() - 4));
    }
    std::vector<Sample> samples((d.block_size_bytes - sizeof(BasicDescriptor)) / sizeof(Sample));
    for (std::size_t i = 0; i < samples.size(); ++i)
      samples[i] = load<Sample>(descriptor_, 4 + sizeof d + i * sizeof(Sample));
    if (samples.empty()) return invalid(place + 6, "found a descriptor without samples, expected at least one");
    if (d.transfer != 1 && d.transfer != 2)
      return invalid(place + 10, message("found transfer function ", int{d.transfer}, ", expected 1 linear or 2 sRGB"));

    view_.color_model_ = static_cast<ColorModel>(d.color_model);
    view_.transfer_ = static_cast<Transfer>(d.transfer);
    view_.primaries_ = d.primaries;
    view_.premultiplied_ = (d.flags & 1) != 0;
    view_.first_channel_ = samples[0].channel & 15;
    // The second slice of ETC1S with two channels. KTX-Software describes it as a second plane since 2025.
    const bool has_slice = view_.color_model_ == ColorModel::kEtc1s && d.bytes_plane[1] == d.bytes_plane[0];
    view_.block_ = {d.block_dimensions[0] + 1u, d.block_dimensions[1] + 1u, d.block_dimensions[2] + 1u,
                    d.bytes_plane[0]};
    if (d.block_dimensions[3] != 0) return invalid(place + 15, "found blocks of four dimensions");
    const std::size_t planes = has_slice ? 2 : 1;
    if (!std::all_of(d.bytes_plane + planes, d.bytes_plane + 8, [](std::uint8_t b) { return b == 0; })) {
      return fail_at(ErrorCode::kUnsupported, byte_place(place + 17), "found more than one plane, expected one",
                     "write the texture again in one plane");
    }
    // Earlier revisions of KTX 2 set the block size to 0 under supercompression. Both values are accepted.
    const bool compressed = view_.supercompression_ != Supercompression::kNone;
    if (d.bytes_plane[0] == 0 && !compressed)
      return invalid(place + 16, "found blocks of 0 bytes, expected their size");
    return match_format(samples, place);
  }

  Result<void> match_format(const std::vector<Sample>& samples, std::uint64_t place) {
    Transfer transfer = view_.transfer_;
    const FormatInfo* row = find_vk_format(header_.vk_format, transfer);
    if (header_.vk_format == 0) {
      if (view_.color_model_ == ColorModel::kUastc) row = &info(TexelFormat::kUastc);
      if (view_.color_model_ == ColorModel::kEtc1s) row = &info(TexelFormat::kEtc1s);
    }
    const bool is_basis_lz = view_.supercompression_ == Supercompression::kBasisLz;
    if (is_basis_lz && (row == nullptr || row->format != TexelFormat::kEtc1s)) {
      return invalid(44, "found BasisLZ on a format other than ETC1S");
    }
    if (!is_basis_lz && row != nullptr && row->format == TexelFormat::kEtc1s) {
      return invalid(44, "found ETC1S without BasisLZ, expected supercompression scheme 1",
                     "write the texture again with BasisLZ");
    }
    const std::uint32_t type_size = row != nullptr ? row->type_size_bytes : 1;
    if ((row != nullptr || header_.vk_format == 0) && header_.type_size_bytes != type_size) {
      return invalid(16, message("found type size ", header_.type_size_bytes, ", expected ", type_size));
    }
    if (row == nullptr) return {};  // unknown format: only the descriptor describes it
    view_.format_ = row->format;
    if (view_.color_model_ != row->model) {
      return invalid(place + 8, message("found color model ", static_cast<int>(view_.color_model_), ", expected ",
                                        static_cast<int>(row->model), " of ", to_string(row->format)));
    }
    if (view_.transfer_ != transfer) {
      return invalid(place + 10, message("found a transfer function that is not that of VkFormat ", header_.vk_format));
    }
    BlockShape expected = block_shape(row->format);
    if (is_basis_lz) {
      const auto channels = etc1s_channels_of(samples);
      if (!channels)
        return invalid(place + 24,
                       message("found ", counted(samples.size(), "sample"),
                               " of channels that ETC1S does not have, expected RGB, RGB and alpha, red, or "
                               "red and green"));
      view_.etc1s_channels_ = *channels;
      // For supercompressed blocks, the file has no block size.
      view_.block_.size_bytes = expected.size_bytes = 8 * static_cast<std::uint32_t>(samples.size());
    }
    if (view_.block_.size_bytes == 0) view_.block_.size_bytes = expected.size_bytes;
    if (view_.block_ != expected) {
      return invalid(place + 12,
                     message("found blocks of ", view_.block_.width_texels, " x ", view_.block_.height_texels, " x ",
                             counted(view_.block_.depth_texels, "texel"), " in ",
                             counted(view_.block_.size_bytes, "byte"), ", expected ", expected.width_texels, " x ",
                             expected.height_texels, " x 1 in ", expected.size_bytes, " of ", to_string(row->format)));
    }
    if (row->format != TexelFormat::kEtc1s) {
      const auto wanted = samples_of(*row, transfer, static_cast<UastcChannels>(view_.first_channel_));
      if (samples != wanted)
        return invalid(place + 24, message("found samples that are not those of ", to_string(row->format)));
    }
    if (is_block_compressed(row->format)) {
      if (header_.height_texels == 0)
        return invalid(24, message("found no height, which ", to_string(row->format), " needs"));
      if (header_.level_count == 0)
        return invalid(40, message("found no levels, which ", to_string(row->format), " needs"));
    }
    return {};
  }

  Result<void> open_key_values() {
    Reader reader(key_value_data_);
    const std::uint64_t base = header_.kvd_offset_bytes;
    while (!reader.at_end()) {
      const std::uint64_t place = base + reader.position();
      if (reader.remaining() < 4) return truncated(place, "found the key/value data to end inside a length");
      const std::uint32_t size = *reader.read<std::uint32_t>("a length");
      if (size < 2 || size > reader.remaining()) {
        return invalid(
            place, message("found a key and value of ", counted(size, "byte"), ", expected 2 to ", reader.remaining()));
      }
      const ByteSpan both = *reader.take(size, "a key and value");
      const std::size_t key_size = as_text(both).find('\0');
      if (key_size == std::string_view::npos) return invalid(place + 4, "found a key without its terminator");
      const std::string_view key = as_text(both.first(key_size));
      if (key.empty() || !is_utf8(key) || key.starts_with("\xef\xbb\xbf")) {
        return invalid(place + 4, message("found key ", quote(key), ", expected UTF-8 without a byte order mark"));
      }
      if (!view_.key_values_.empty() && key <= view_.key_values_.back().key) {
        return invalid(place + 4, message("found key ", quote(key), " after ", quote(view_.key_values_.back().key),
                                          ", expected keys to ascend"));
      }
      view_.key_values_.push_back({key, both.subspan(key_size + 1)});
      const std::uint64_t padding = (4 - size % 4) % 4;
      if (padding > reader.remaining())
        return truncated(base + reader.position(), "found the key/value data to end inside padding");
      if (!all_zero(*reader.take(padding, "padding")))
        return invalid(base + reader.position() - padding, "found padding that is not zero after a value");
    }
    return check_known_values(base);
  }

  Result<void> check_known_values(std::uint64_t base) {
    for (const KeyValue& entry : view_.key_values_) {
      const std::uint64_t place = base + static_cast<std::uint64_t>(entry.value.data() - key_value_data_.data());
      const std::string_view value = as_text(entry.value);
      const bool terminated = !value.empty() && value.back() == '\0';
      const bool is_text = entry.key == "KTXwriter" || entry.key == "KTXwriterScParams" ||
                           entry.key == "KTXorientation" || entry.key == "KTXswizzle";
      if (is_text && !terminated) return invalid(place, message(quote(entry.key), " has no terminator"));
      const std::string_view text = value.substr(0, value.size() - (terminated ? 1 : 0));
      if (entry.key == "KTXorientation") {
        constexpr std::string_view kAllowed[] = {"rl", "du", "oi"};
        const std::size_t dimensions = header_.depth_texels != 0 ? 3 : header_.height_texels != 0 ? 2 : 1;
        bool good = text.size() == dimensions;
        for (std::size_t i = 0; good && i < dimensions; ++i) good = kAllowed[i].find(text[i]) != std::string_view::npos;
        if (!good)
          return invalid(place, message("found KTXorientation ", quote(text),
                                        ", expected one letter of rl, du, oi for each dimension"));
      }
      if (entry.key == "KTXswizzle" &&
          (text.size() != 4 || text.find_first_not_of("rgba01") != std::string_view::npos)) {
        return invalid(place, message("found KTXswizzle ", quote(text), ", expected four of rgba01"));
      }
    }
    return {};
  }

  Result<void> open_levels() {
    const std::uint64_t images = view_.images_per_level();
    const std::uint64_t alignment = level_alignment(view_.supercompression_, view_.block_.size_bytes);
    const bool plain = view_.supercompression_ == Supercompression::kNone;
    view_.levels_.resize(level_count_);
    std::uint64_t end = metadata_end_;
    // In the file, the smallest level comes first.
    for (std::size_t i = level_count_; i-- > 0;) {
      const std::uint64_t place = sizeof(Header) + i * sizeof(LevelEntry);
      const auto entry = load<LevelEntry>(file_, place);
      if (!range_fits(entry.offset_bytes, entry.size_bytes, size_bytes_)) {
        return truncated(place,
                         message("level ", i, " of ", counted(entry.size_bytes, "byte"), " at ", entry.offset_bytes,
                                 " does not fit in the file of ", counted(size_bytes_, "byte")));
      }
      if (entry.offset_bytes % alignment != 0)
        return invalid(place,
                       message("level ", i, " lies at ", entry.offset_bytes, ", expected a multiple of ", alignment));
      if (entry.offset_bytes < end) {
        return invalid(place, message("level ", i, " lies at ", entry.offset_bytes, ", expected ", end,
                                      " or later, after the smaller levels"));
      }
      const std::uint64_t gap = entry.offset_bytes - end;
      if (gap >= std::max<std::uint64_t>(alignment, 16) || (is_whole() && !all_zero(file_.subspan(end, gap)))) {
        return invalid(end, message("found ", counted(gap, "byte"), " before level ", i,
                                    ", expected zeros up to a multiple of ", alignment));
      }
      end = entry.offset_bytes + entry.size_bytes;
      ASSETC_CHECK(check_level_size(i, place, entry, images, plain));
      view_.levels_[i] = {is_whole() ? file_.subspan(entry.offset_bytes, entry.size_bytes) : ByteSpan{},
                          entry.uncompressed_size_bytes,
                          mip_extent(view_.width_, i),
                          mip_extent(view_.height_, i),
                          mip_extent(view_.depth_, i),
                          entry.offset_bytes,
                          entry.size_bytes};
    }
    return expect_end(end, size_bytes_);
  }

  Result<void> check_level_size(std::size_t i, std::uint64_t place, const LevelEntry& entry, std::uint64_t images,
                                bool plain) {
    if (entry.size_bytes == 0) return invalid(place + 8, message("level ", i, " is empty"));
    if (view_.supercompression_ == Supercompression::kBasisLz) {
      if (entry.uncompressed_size_bytes == 0) {
        if (level_size(view_.block_, view_.width_, view_.height_, view_.depth_, images, i)) return {};
        return fail_at(ErrorCode::kLimit, byte_place(20), "found more texels than 64 bits can count",
                       "use a smaller texture");
      }
      return invalid(place + 16, message("level ", i, " says ", counted(entry.uncompressed_size_bytes, "byte"),
                                         " without BasisLZ, expected 0"));
    }
    if (plain && entry.size_bytes != entry.uncompressed_size_bytes) {
      return invalid(place + 16, message("level ", i, " says ", counted(entry.uncompressed_size_bytes, "byte"),
                                         " uncompressed, expected its ", entry.size_bytes));
    }
    if (view_.block_.size_bytes == 0) return {};
    const auto expected = level_size(view_.block_, view_.width_, view_.height_, view_.depth_, images, i);
    if (!expected || entry.uncompressed_size_bytes != *expected) {
      return invalid(place + 16, message("level ", i, " says ", counted(entry.uncompressed_size_bytes, "byte"),
                                         ", expected ", expected ? *expected : 0, " for its extent and format"));
    }
    return {};
  }

  bool is_whole() const { return file_.size() == size_bytes_; }

  ByteSpan file_;  // the file or its head
  std::uint64_t size_bytes_;
  Header header_{};
  std::uint32_t level_count_ = 1;
  ByteSpan descriptor_;
  ByteSpan key_value_data_;
  ByteSpan global_data_;
  std::uint64_t metadata_end_ = 0;
  View view_;
};

Result<View> View::open(ByteSpan file) { return Opener(file, file.size()).open(); }

Result<View> View::open_head(ByteSpan head, std::uint64_t file_size_bytes) {
  return Opener(head, file_size_bytes).open();
}

std::uint64_t head_size_bytes(ByteSpan header) {
  const auto h = load<Header>(header);
  const std::uint64_t index = sizeof h + sizeof(LevelEntry) * std::uint64_t{std::clamp(h.level_count, 1u, kMaxLevels)};
  const std::uint64_t global = checked_add(h.sgd_offset_bytes, h.sgd_size_bytes).value_or(0);
  return std::max({index, std::uint64_t{h.dfd_offset_bytes} + h.dfd_size_bytes,
                   std::uint64_t{h.kvd_offset_bytes} + h.kvd_size_bytes, global});
}

std::uint64_t View::image_size_bytes(std::size_t level) const {
  return *level_size(block_, width_, height_, depth_, 1, level);  // no overflow: open() checked a larger product
}

std::optional<ByteSpan> View::find(std::string_view key) const {
  const auto it = std::lower_bound(key_values_.begin(), key_values_.end(), key,
                                   [](const KeyValue& kv, std::string_view k) { return kv.key < k; });
  if (it == key_values_.end() || it->key != key) return std::nullopt;
  return it->value;
}

std::string_view View::text(std::string_view key) const {
  const auto value = find(key);
  if (!value) return {};
  std::string_view text = as_text(*value);
  if (!text.empty() && text.back() == '\0') text.remove_suffix(1);
  return text;
}

}  // namespace assetc::ktx2
