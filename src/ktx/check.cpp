#include "ktx/check.hpp"

#include <algorithm>
#include <cstring>

#include "filetypes/levels.hpp"
#include "ktx/format_names.hpp"
#include "ktx/rules.hpp"

namespace assetc::ktx {
namespace {

constexpr std::uint32_t kBlockHeaderBytes = 8;

// The part of the file at a place, or nothing if it does not lie in the file.
ByteSpan part_of(ByteSpan file, std::uint64_t offset, std::uint64_t size) {
  return range_fits(offset, size, file.size()) ? file.subspan(offset, size) : ByteSpan{};
}

void read_descriptor(ByteSpan descriptor, Subject& to) {
  for (std::size_t at = 4; at < descriptor.size();) {
    const auto remaining = static_cast<std::uint32_t>(descriptor.size() - at);
    if (remaining < kBlockHeaderBytes) {
      to.trailing_bytes = remaining;
      return;
    }
    const std::uint32_t size = load<std::uint16_t>(descriptor, at + 6);
    to.blocks.push_back({load<std::uint32_t>(descriptor, at), size, remaining});
    at += std::max(size, kBlockHeaderBytes);
  }
  if (to.blocks.empty()) return;
  const DescriptorBlock& first = to.blocks.front();
  constexpr std::uint32_t kBasicBytes = sizeof(ktx2::BasicDescriptor);
  if (first.vendor_and_type != 0 || first.size_bytes < kBasicBytes || first.size_bytes > first.remaining_bytes) return;
  to.basic = load<ktx2::BasicDescriptor>(descriptor, 4);
  for (std::uint32_t at = kBasicBytes; at + sizeof(ktx2::Sample) <= first.size_bytes; at += sizeof(ktx2::Sample))
    to.samples.push_back(load<ktx2::Sample>(descriptor, 4 + at));
}

void read_values(ByteSpan data, Subject& to) {
  while (data.size() >= 4) {
    const std::uint64_t size = load<std::uint32_t>(data);
    if (size > data.size() - 4) return;
    const ByteSpan both = data.subspan(4, size);
    const std::size_t key_size = as_text(both).find('\0');
    if (key_size != std::string_view::npos)
      to.values.push_back({as_text(both.first(key_size)), both.subspan(key_size + 1)});
    data = data.subspan(std::min<std::uint64_t>(4 + (size + 3) / 4 * 4, data.size()));
  }
}

Subject read(ByteSpan file) {
  Subject to;
  to.file = file;
  to.header = load<ktx2::Header>(file);
  const ktx2::Header& h = to.header;
  to.format = vk_format_of(h.vk_format);
  read_descriptor(part_of(file, h.dfd_offset_bytes, h.dfd_size_bytes), to);
  read_values(part_of(file, h.kvd_offset_bytes, h.kvd_size_bytes), to);
  return to;
}

constexpr int kTruncated = 1003, kUnreadable = 5005, kBadLevel = 5006;

}  // namespace

std::string_view to_string(Severity severity) {
  switch (severity) {
    case Severity::kFatal:
      return "fatal";
    case Severity::kError:
      return "error";
    case Severity::kWarning:
      return "warning";
  }
  return "error";
}

std::optional<ByteSpan> Subject::find(std::string_view key) const {
  const auto found = std::ranges::find(values, key, &ktx2::KeyValue::key);
  if (found == values.end()) return std::nullopt;
  return found->value;
}

bool Subject::is_block_compressed() const {
  constexpr std::uint8_t kFirstBlockModel = 128;
  if (is_basis_lz()) return true;
  if (header.vk_format != 0) return format && format->is_block;
  return basic && basic->color_model >= kFirstBlockModel;
}

std::string Subject::format_name() const {
  const std::string name = vk_format_name(header.vk_format);
  return name.empty() ? "VkFormat " + std::to_string(header.vk_format) : name;
}

bool is_ktx2(ByteSpan file) {
  return file.size() >= sizeof(ktx2::Header) &&
         std::memcmp(file.data(), ktx2::kIdentifier.data(), ktx2::kIdentifier.size()) == 0;
}

std::vector<Finding> check_rules(ByteSpan file, bool gltf) {
  if (!is_ktx2(file)) return {};
  const Subject subject = read(file);
  std::vector<Finding> found;
  for (const auto rules : {header_rules(), descriptor_rules(), value_rules()}) {
    for (const Rule& rule : rules) {
      if (rule.is_gltf && !gltf) continue;
      Details details;
      rule.check(subject, details);
      for (std::string& detail : details) found.push_back({rule.severity, rule.number, rule.text, std::move(detail)});
    }
  }
  return found;
}

std::vector<Finding> check_file(ByteSpan file, bool gltf) {
  std::vector<Finding> found = check_rules(file, gltf);
  constexpr int kVendorSchemeRule = 3018;
  if (std::ranges::find(found, kVendorSchemeRule, &Finding::rule) != found.end()) return found;
  const auto view = ktx2::View::open(file);
  if (!view) {
    const Error& error = view.error();
    const bool is_cut = error.code == ErrorCode::kTruncated;
    if (std::ranges::find(found, Severity::kError, &Finding::severity) == found.end()) {
      found.push_back({Severity::kFatal, is_cut ? kTruncated : kUnreadable,
                       is_cut ? "The file must hold all parts that it names" : "The file must be a valid KTX 2 file",
                       error.to_string()});
    }
    return found;
  }
  for (std::size_t level = 0; level < view->levels().size(); ++level) {
    if (const auto good = filetypes::check_level(*view, level); !good)
      found.push_back({Severity::kError, kBadLevel, "Levels must decompress to their size", good.error().to_string()});
  }
  return found;
}

}  // namespace assetc::ktx
