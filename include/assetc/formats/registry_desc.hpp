// The data of an asset in a registry that an engine reads before it loads the asset. Specification:
// docs/formats/registry.md.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <variant>

#include "assetc/base/bytes.hpp"
#include "assetc/base/uuid.hpp"

namespace assetc::registry {

// Data of an asset that an engine needs before it loads the asset (section 4.7 of the asset system's document).
struct TextureDesc {
  std::uint32_t width_texels, height_texels, depth_or_layers;
  std::uint32_t format;  // an aas1 texture format
  std::uint32_t mip_count;
  std::uint32_t srgb;  // 0 or 1
  bool operator==(const TextureDesc&) const = default;
};
struct MeshDesc {
  std::uint32_t vertex_count, index_count, index_width_bytes, submesh_count, lod_count;
  std::array<float, 3> bounds_min, bounds_max;
  bool operator==(const MeshDesc&) const = default;
};
struct MaterialDesc {
  std::uint32_t shading_model, blend_mode, texture_count;
  bool operator==(const MaterialDesc&) const = default;
};
struct AudioDesc {
  std::uint32_t codec, channel_count, sample_rate_hz, frame_count;
  bool operator==(const AudioDesc&) const = default;
};
// monostate for all other types. The order of the alternatives is that of the numbers in the file.
using Desc = std::variant<std::monostate, TextureDesc, MeshDesc, MaterialDesc, AudioDesc>;

// A part of the vertex format of a mesh. The numbers are those of aas1::Semantic and aas1::VertexFormat.
struct VertexAttribute {
  std::uint8_t semantic;
  std::uint8_t semantic_index;
  std::uint8_t format;
  std::uint8_t reserved;
  std::uint16_t offset_bytes;  // in a vertex
  std::uint16_t stride_bytes;  // of a vertex
  bool operator==(const VertexAttribute&) const = default;
};
static_assert(sizeof(VertexAttribute) == 8);
struct TextureBinding {
  std::uint32_t name_hash;  // aas1::hash_parameter() of "BaseColorTexture"
  Uuid texture;
  bool operator==(const TextureBinding&) const = default;
};
static_assert(sizeof(TextureBinding) == 20);

// Elements in the file, at any offset.
//
//   for (std::size_t i = 0; i < asset.texture_bindings.size(); ++i) bind(asset.texture_bindings[i]);
template <class T>
class List {
 public:
  List() = default;
  explicit List(ByteSpan bytes) : bytes_(bytes) {}
  std::size_t size() const { return bytes_.size() / sizeof(T); }
  // Requires i < size().
  T operator[](std::size_t i) const { return load<T>(bytes_.subspan(i * sizeof(T))); }

 private:
  ByteSpan bytes_;
};

// The tags of an asset, ascending, without ASCII letter case, each once. A view into the file.
//
//   for (const std::string_view tag : asset.tags) show(tag);
class Tags {
 public:
  class Iterator {
   public:
    using value_type = std::string_view;
    using difference_type = std::ptrdiff_t;
    Iterator() = default;
    explicit Iterator(std::string_view left) : left_(left) {}
    std::string_view operator*() const { return left_.substr(0, left_.find('\0')); }
    Iterator& operator++() {
      const std::size_t end = left_.find('\0');
      left_.remove_prefix(end < left_.size() ? end + 1 : left_.size());
      return *this;
    }
    Iterator operator++(int) {
      const Iterator before = *this;
      ++*this;
      return before;
    }
    bool operator==(const Iterator& other) const { return left_.size() == other.left_.size(); }

   private:
    std::string_view left_;
  };

  Tags() = default;
  // text: the tags, each with a zero byte after it.
  explicit Tags(std::string_view text) : text_(text) {}
  Iterator begin() const { return Iterator(text_); }
  Iterator end() const { return Iterator(text_.substr(text_.size())); }
  bool empty() const { return text_.empty(); }
  std::string_view text() const { return text_; }
  // Ignores ASCII letter case. Does not allocate.
  bool contains(std::string_view tag) const;

 private:
  std::string_view text_;
};

}  // namespace assetc::registry
