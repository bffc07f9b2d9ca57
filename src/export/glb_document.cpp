#include "export/glb_document.hpp"

#include <meshoptimizer.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string>
#include <vector>

#include "base/plural.hpp"
#include "export/meshopt_v1.hpp"
#include "parallel/parallel.hpp"

namespace assetc::exporter {

namespace {

constexpr std::uint32_t kGlbMagic = 0x46546C67;  // "glTF"
constexpr std::uint32_t kJsonChunk = 0x4E4F534A;
constexpr std::uint32_t kBinChunk = 0x004E4942;
constexpr std::uint64_t kMaxGlbBytes = 0xFFFFFFFFull;

unsigned char* as_output(ByteVector& bytes) { return reinterpret_cast<unsigned char*>(bytes.data()); }

template <class Index>
ByteVector encode_indices(StreamMode mode, ByteSpan elements) {
  const std::span<const Index> indices(reinterpret_cast<const Index*>(elements.data()),
                                       elements.size() / sizeof(Index));
  const std::size_t vertex_count = indices.empty() ? 0 : std::size_t{*std::ranges::max_element(indices)} + 1;
  const bool is_list = mode == StreamMode::kTriangles;
  ByteVector out(is_list ? meshopt_encodeIndexBufferBound(indices.size(), vertex_count)
                         : meshopt_encodeIndexSequenceBound(indices.size(), vertex_count));
  const auto encode = [&](const auto function) {
    return function(as_output(out), out.size(), indices.data(), indices.size());
  };
  out.resize(is_list ? encode(meshopt_encodeIndexBuffer<Index>) : encode(meshopt_encodeIndexSequence<Index>));
  return out;
}

ByteVector encode_stream(const StreamFormat& format, ByteSpan elements, bool is_khr) {
  if (format.mode != StreamMode::kAttributes) {
    return format.stride_bytes == 2 ? encode_indices<std::uint16_t>(format.mode, elements)
                                    : encode_indices<std::uint32_t>(format.mode, elements);
  }
  if (is_khr) return encode_meshopt_v1(elements, format.stride_bytes);
  const std::size_t count = elements.size() / format.stride_bytes;
  ByteVector out(meshopt_encodeVertexBufferBound(count, format.stride_bytes));
  out.resize(meshopt_encodeVertexBuffer(as_output(out), out.size(), elements.data(), count, format.stride_bytes));
  return out;
}

// A range of a buffer. An offset of 0 is the default.
Json place_in(int buffer, std::size_t offset_bytes, std::size_t size_bytes) {
  Json place = {{"buffer", buffer}};
  if (offset_bytes != 0) place["byteOffset"] = offset_bytes;
  place["byteLength"] = size_bytes;
  return place;
}

}  // namespace

void shorten_numbers(Json& value) {
  if (value.is_double()) {
    const double wide = value.as_number();
    const auto narrow = static_cast<float>(wide);
    if (!std::isfinite(wide) || double{narrow} != wide) return;
    if (std::fabs(wide) < 1e6 && wide == std::floor(wide)) {
      value = static_cast<std::int64_t>(wide);
      return;
    }
    std::array<char, 32> text{};
    const char* end = std::to_chars(text.data(), text.data() + text.size(), narrow).ptr;
    double shorter = wide;
    std::from_chars(text.data(), end, shorter);
    value = shorter;
    return;
  }
  for (auto& [key, member] : value.members())
    if (key != "extras" && key != "extensions") shorten_numbers(member);
  for (Json& item : value.items()) shorten_numbers(item);
}

Json GlbDocument::add_to_buffer(const Bytes& bytes) {
  buffer_bytes_ = padded(buffer_bytes_);
  Json view = place_in(0, buffer_bytes_, bytes.size());
  pieces_.push_back(bytes);
  buffer_bytes_ += bytes.size();
  return view;
}

void GlbDocument::append_buffer(ByteVector& out) const {
  for (const Bytes& piece : pieces_) {
    append_bytes(out, piece);
    pad_to(out, 4);
  }
}

std::size_t GlbDocument::add_view(const Bytes& bytes, int target) {
  if (packs_) {
    const auto [at, added] = views_.try_emplace({content_hash(bytes), target}, root_["bufferViews"].size());
    if (!added) return at->second;
  }
  Json view = add_to_buffer(bytes);
  if (target != 0) view["target"] = target;
  root_["bufferViews"].push_back(std::move(view));
  return root_["bufferViews"].size() - 1;
}

std::size_t GlbDocument::add_view(ByteSpan bytes, int target) {
  return add_view(Bytes(ByteVector(bytes.begin(), bytes.end())), target);
}

std::size_t GlbDocument::add_accessor(Json accessor) {
  root_["accessors"].push_back(std::move(accessor));
  return root_["accessors"].size() - 1;
}

std::size_t GlbDocument::add_stream(const StreamFormat& format, ByteSpan elements, Json accessor) {
  const auto [at, is_new] =
      accessors_.try_emplace({content_hash(elements), format.group + accessor.text({.is_sorted = true}) +
                                                          std::to_string(static_cast<int>(format.mode))},
                             root_["accessors"].size());
  if (!is_new) return at->second;
  const auto [stream, begins] = streams_.try_emplace(format);
  if (begins) {
    stream->second.view = root_["bufferViews"].size();
    root_["bufferViews"].push_back(nullptr);  // until write()
  }
  accessor["bufferView"] = stream->second.view;
  if (!stream->second.elements.empty()) accessor["byteOffset"] = stream->second.elements.size();
  append_bytes(stream->second.elements, elements);
  return add_accessor(std::move(accessor));
}

// As gltfpack: views are in a buffer without bytes, which a reader fills from the compressed streams.
void GlbDocument::write_streams() {
  const char* const compression = is_khr_ ? "KHR_meshopt_compression" : "EXT_meshopt_compression";
  static constexpr std::array kModes{"ATTRIBUTES", "TRIANGLES", "INDICES"};
  static constexpr std::array kFilters{"NONE", "OCTAHEDRAL", "QUATERNION", "EXPONENTIAL"};
  std::vector<std::pair<const StreamFormat*, Stream*>> in_order;
  in_order.reserve(streams_.size());
  for (auto& [format, stream] : streams_) in_order.emplace_back(&format, &stream);
  std::ranges::sort(in_order, {}, [](const auto& s) { return s.second->view; });
  std::vector<ByteVector> encoded_streams(in_order.size());
  std::size_t bytes = 0;
  for (const auto& [format, stream] : in_order) bytes += stream->elements.size();
  const auto encode = [&](std::size_t i) {
    const auto& [format, stream] = in_order[i];
    encoded_streams[i] = compresses_ ? encode_stream(*format, stream->elements, is_khr_) : std::move(stream->elements);
  };
  // Starting threads takes as long as encoding so many bytes.
  if (constexpr std::size_t kFewBytes = 1u << 18; bytes < kFewBytes) {
    for (std::size_t i = 0; i < in_order.size(); ++i) encode(i);
  } else {
    parallel_for(in_order.size(), encode);
  }
  std::size_t decoded_bytes = 0;
  for (std::size_t i = 0; i < in_order.size(); ++i) {
    const auto& [format, stream] = in_order[i];
    Json view = add_to_buffer(Bytes(std::move(encoded_streams[i])));
    if (compresses_) {
      const std::size_t size = stream->elements.size();
      Json extension = std::move(view);
      extension["byteStride"] = format->stride_bytes;
      extension["count"] = size / format->stride_bytes;
      extension["mode"] = kModes[static_cast<std::size_t>(format->mode)];
      if (format->filter != StreamFilter::kNone)
        extension["filter"] = kFilters[static_cast<std::size_t>(format->filter)];
      view = place_in(1, decoded_bytes, size);
      view["extensions"][compression] = std::move(extension);
      decoded_bytes += padded(size);
    }
    if (format->target != 0) view["target"] = format->target;
    if (format->target == kArrayBuffer) view["byteStride"] = format->stride_bytes;
    root_["bufferViews"][stream->view] = std::move(view);
    stream->elements = {};
  }
  if (decoded_bytes == 0) return;
  if (!root_["buffers"].is_array()) root_["buffers"] = Json::array({Json::object()});
  root_["buffers"].push_back({{"byteLength", decoded_bytes}});
  root_["buffers"][1]["extensions"][compression] = {{"fallback", true}};
  for (const char* list : {"extensionsUsed", "extensionsRequired"}) {
    Json& names = root_[list];
    names.push_back(compression);
    std::ranges::sort(names.items(), {}, [](const Json& name) -> const std::string& { return name.as_string(); });
  }
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

std::string GlbDocument::finish() {
  write_streams();
  buffer_bytes_ = padded(buffer_bytes_);
  if (buffer_bytes_ != 0) root_["buffers"][0]["byteLength"] = buffer_bytes_;
  if (packs_) shorten_numbers(root_);
  return root_.text({.is_sorted = true});
}

std::pair<ByteVector, ByteVector> GlbDocument::write_files(const std::string& buffer_uri) {
  root_["buffers"][0]["uri"] = buffer_uri;
  std::string text = finish();
  if (buffer_bytes_ == 0) {
    root_.erase("buffers");
    text = root_.text({.is_sorted = true});
  }
  const ByteSpan bytes = as_bytes(text);
  ByteVector buffer;
  buffer.reserve(buffer_bytes_);
  append_buffer(buffer);
  return {ByteVector(bytes.begin(), bytes.end()), std::move(buffer)};
}

Result<ByteVector> GlbDocument::write() {
  std::string text = finish();
  text.resize(padded(text.size()), ' ');
  const std::uint64_t total = 12 + 8 + text.size() + (buffer_bytes_ == 0 ? 0 : 8 + buffer_bytes_);
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
  if (buffer_bytes_ != 0) {
    append(out, static_cast<std::uint32_t>(buffer_bytes_));
    append(out, kBinChunk);
    append_buffer(out);
  }
  return out;
}

}  // namespace assetc::exporter
