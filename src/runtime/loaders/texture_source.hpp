// A texture in either container, whole or only its head, and the formats of its levels on a device.
#pragma once

#include <optional>

#include "assetc/codec/transcode.hpp"
#include "assetc/formats/aas1_texture.hpp"
#include "assetc/formats/ktx2.hpp"
#include "assetc/runtime/assets.hpp"

namespace assetc::runtime {

// The options of a loader, and the format that a request asks for.
struct TextureChoice {
  const TextureOptions& options;
  std::optional<TexelFormat> format{};
  const Memory& memory = kDefaultMemory;
};

// Points into bytes that must outlive it.
class TextureSource {
 public:
  static Result<TextureSource> open(ByteSpan file);
  static TextureSource of(ktx2::View head) { return TextureSource(std::move(head)); }
  static TextureSource of(aas1::TextureView head) { return TextureSource(std::move(head)); }

  // Returns everything except the levels. Errors: kUnsupported.
  Result<TextureData> describe(const TextureChoice& choice) const;
  std::size_t level_count() const { return aas1_ ? aas1_->levels().size() : ktx2_->levels().size(); }
  // Returns whether the options leave a level out.
  bool is_left_out(std::size_t i, const TextureOptions& options) const;
  TextureData::Level extent(std::size_t i) const;
  std::uint64_t offset_bytes(std::size_t i) const;
  std::uint64_t size_bytes(std::size_t i) const;
  // Returns the bytes that decode() allocates.
  std::uint64_t decoded_bytes(std::size_t i, const TextureChoice& choice) const;
  // Converts the stored bytes of a level to a format that the device supports, in memory of the engine if the options
  // ask for it. shape: of describe(). Errors: kUnsupported, kInvalidData, kUsage.
  Result<TextureData::Level> decode(std::size_t i, const Bytes& stored, const TextureChoice& choice,
                                    const TextureData& shape, const AssetDesc& desc) const;

 private:
  explicit TextureSource(ktx2::View view) : ktx2_(std::move(view)) {}
  explicit TextureSource(aas1::TextureView view) : aas1_(std::move(view)) {}
  std::optional<TexelFormat> format() const { return aas1_ ? std::optional(aas1_->format()) : ktx2_->format(); }
  // A block format that is not kept, and its target.
  struct Transcoding {
    BlockFormat source, target;
    TexelFormat format;
  };
  std::optional<Transcoding> transcoding(const TextureChoice& choice) const;
  bool is_srgb() const { return aas1_ ? aas1_->is_srgb() : ktx2_->is_srgb(); }
  bool is_in_place() const { return aas1_ || ktx2_->supercompression() == ktx2::Supercompression::kNone; }
  Result<Bytes> inflate(std::size_t i, const Bytes& stored, const Memory& memory) const;

  std::optional<ktx2::View> ktx2_;
  std::optional<aas1::TextureView> aas1_;
};

}  // namespace assetc::runtime
