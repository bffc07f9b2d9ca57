// The rules of check.hpp, as tables.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assetc/formats/ktx2.hpp"
#include "formats/ktx2/layout.hpp"
#include "ktx/check.hpp"
#include "ktx/vk_format.hpp"

namespace assetc::ktx {

// A block of the data format descriptor.
struct DescriptorBlock {
  std::uint32_t vendor_and_type = 0;
  std::uint32_t size_bytes = 0;       // as it says
  std::uint32_t remaining_bytes = 0;  // of the descriptor, from the start of the block
};

// What a file says, as far as it can be read.
struct Subject {
  ByteSpan file;
  ktx2::Header header{};
  std::optional<VkFormat> format;  // of header.vk_format, unless that is 0 or not known
  std::vector<DescriptorBlock> blocks;
  std::uint32_t trailing_bytes = 0;  // after the last block of the descriptor
  // The first block, if it is a whole basic one.
  std::optional<ktx2::BasicDescriptor> basic;
  std::vector<ktx2::Sample> samples;
  std::vector<ktx2::KeyValue> values;

  std::optional<ByteSpan> find(std::string_view key) const;
  bool is_basis_lz() const {
    return header.supercompression == static_cast<std::uint32_t>(ktx2::Supercompression::kBasisLz);
  }
  bool is_block_compressed() const;  // by format, supercompression or color model
  std::string format_name() const;   // "VK_FORMAT_R8_UNORM", or the number
};

// Adds the details of each place that breaks the rule.
using Details = std::vector<std::string>;
struct Rule {
  int number;
  Severity severity;
  std::string_view text;
  void (*check)(const Subject& file, Details& found);
  bool is_gltf = false;  // a rule of KHR_texture_basisu
};

inline constexpr std::uint32_t kFirstVendorScheme = 0x10000, kLastVendorScheme = 0x1FFFF;

std::span<const Rule> header_rules();
std::span<const Rule> descriptor_rules();
std::span<const Rule> value_rules();

}  // namespace assetc::ktx
