#include "export/glb_document.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "base/plural.hpp"

namespace assetc::exporter {

using nlohmann::json;

namespace {

constexpr std::uint32_t kGlbMagic = 0x46546C67;  // "glTF"
constexpr std::uint32_t kJsonChunk = 0x4E4F534A;
constexpr std::uint32_t kBinChunk = 0x004E4942;
constexpr std::uint64_t kMaxGlbBytes = 0xFFFFFFFFull;

}  // namespace

std::size_t GlbDocument::add_view(ByteSpan bytes, int target) {
  pad_to(binary_, 4);
  json view = {{"buffer", 0}, {"byteOffset", binary_.size()}, {"byteLength", bytes.size()}};
  if (target != 0) view["target"] = target;
  append_bytes(binary_, bytes);
  root_["bufferViews"].push_back(std::move(view));
  return root_["bufferViews"].size() - 1;
}

std::size_t GlbDocument::add_accessor(json accessor) {
  root_["accessors"].push_back(std::move(accessor));
  return root_["accessors"].size() - 1;
}

void GlbDocument::add_bounds(std::size_t accessor, std::span<const float> values, std::size_t components) {
  std::vector<float> low(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(components)), high = low;
  for (std::size_t i = 0; i < values.size(); ++i) {
    low[i % components] = std::min(low[i % components], values[i]);
    high[i % components] = std::max(high[i % components], values[i]);
  }
  root_["accessors"][accessor]["min"] = low;
  root_["accessors"][accessor]["max"] = high;
}

Result<ByteVector> GlbDocument::write() {
  pad_to(binary_, 4);
  if (!binary_.empty()) root_["buffers"] = json::array({{{"byteLength", binary_.size()}}});
  std::string text = root_.dump(-1, ' ', false, json::error_handler_t::replace);
  text.resize((text.size() + 3) / 4 * 4, ' ');
  const std::uint64_t total = 12 + 8 + text.size() + (binary_.empty() ? 0 : 8 + binary_.size());
  if (total > kMaxGlbBytes) {
    return fail(ErrorCode::kLimit, "the GLB would be " + counted(total, "byte") + ", the format holds 4294967295",
                "write fewer or smaller textures");
  }
  ByteVector out;
  out.reserve(total);
  append(out, kGlbMagic);
  append(out, std::uint32_t{2});
  append(out, static_cast<std::uint32_t>(total));
  append(out, static_cast<std::uint32_t>(text.size()));
  append(out, kJsonChunk);
  append_bytes(out, as_bytes(text));
  if (!binary_.empty()) {
    append(out, static_cast<std::uint32_t>(binary_.size()));
    append(out, kBinChunk);
    append_bytes(out, binary_);
  }
  return out;
}

}  // namespace assetc::exporter
