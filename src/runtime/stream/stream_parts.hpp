// What streams of one asset read next, and make of what came. They know neither mounts nor threads.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "assetc/formats/aas1_mesh.hpp"
#include "assetc/formats/chunks.hpp"
#include "assetc/formats/hmesh.hpp"
#include "assetc/runtime/stream.hpp"
#include "runtime/loaders/texture_source.hpp"
#include "runtime/mount/mount_point.hpp"

namespace assetc::runtime {

// Of what a file has besides levels and chunks: tables, keys and values, extensions.
inline constexpr std::uint64_t kMaxHeadBytes = 16u << 20;

struct ContentPart {
  ContentRange range;
  Bytes bytes;
};

// The files that the parts of a stream come from, while no other takes the place of one.
class StreamFiles {
 public:
  // Of an answer for a mount's file, by its number. Errors: kIo where it is not the file that the last one was of.
  Result<void> check(std::uint32_t file, const ReadAnswer& answer) {
    if (answer.file_version == 0) return {};
    const auto [known, is_new] = versions_.emplace(file, answer.file_version);
    if (is_new || known->second == answer.file_version) return {};
    return fail(ErrorCode::kIo, "the file was replaced while it was read in parts", "open the stream again");
  }

 private:
  std::map<std::uint32_t, std::uint64_t> versions_;
};

class TextureSteps {
 public:
  TextureSteps(const StreamOptions& options, std::uint32_t wanted) : options_(&options), wanted_(wanted) {}

  // What to read before take(), which may be nothing; unset where there is nothing more to do.
  std::optional<std::vector<ContentRange>> next(std::uint64_t content_bytes);
  // What take() of them will allocate.
  std::uint64_t decoded_bytes() const { return decoded_bytes_; }
  // Of what next() said, read. Returns whether there is something to tell. Errors: those of the formats.
  Result<bool> take(std::vector<ContentPart> parts, const std::atomic<bool>& canceled);
  // Whether levels were dropped.
  bool want(std::uint32_t level);
  TextureParts told() const;

 private:
  Result<bool> take_head();
  Bytes find(const ContentRange& range) const;
  std::size_t first_wanted() const;
  // What a first read may become: what its levels are is known only then.
  std::uint64_t most_unplanned_bytes() const;

  const StreamOptions* options_;
  std::uint32_t wanted_;
  std::uint64_t content_bytes_ = 0;
  ContentRange missing_;            // of the head
  std::vector<ContentPart> parts_;  // that are not decoded yet
  Bytes head_;                      // what source_ looks at
  std::optional<TextureSource> source_;
  TextureData shape_;
  std::vector<TextureData::Level> levels_;  // of all; empty ones are not there
  std::size_t first_ = 0, tail_ = 0;        // the largest that is there, and that is never dropped
  std::uint64_t read_bytes_ = 0, decoded_bytes_ = 0;
};

// The levels of detail of a mesh whose bytes are there in part. plan: the ranges that all levels need, of a file whose
// first bytes are there; nothing where it has no levels, or breaks a rule: then it is read whole, and its view says
// which. open: once these are there. ranges, build: of one level, of 0 < lod < lod_count().
class HmeshLevels {
 public:
  static std::optional<std::vector<ContentRange>> plan(ByteSpan first, std::uint64_t content_bytes);
  static std::optional<HmeshLevels> open(ByteSpan content);
  std::uint32_t lod_count() const { return lod_count_; }
  std::vector<ContentRange> ranges(std::uint32_t lod) const;
  Result<Bytes> build(std::uint32_t lod) const;

 private:
  ContentRange chunk(std::uint32_t id) const;
  template <class T>
  std::span<const T> array(std::uint32_t id) const;
  // Where a submesh's indices of a level are, and how wide.
  struct Indices {
    ContentRange range;
    std::uint32_t width_bytes;
  };
  Indices indices(std::size_t submesh, std::uint32_t lod) const;

  ByteSpan content_;
  std::span<const chunks::ChunkEntry> table_;
  hmesh::MeshDesc desc_{};
  std::span<const hmesh::SubMesh> submeshes_;
  std::span<const hmesh::MeshLod> lods_;
  std::uint32_t lod_count_ = 0;
};

class Aas1Levels {
 public:
  static std::optional<std::vector<ContentRange>> plan(ByteSpan first, std::uint64_t content_bytes);
  static std::optional<Aas1Levels> open(ByteSpan content);
  std::uint32_t lod_count() const { return static_cast<std::uint32_t>(lods_.size()); }
  std::vector<ContentRange> ranges(std::uint32_t lod) const;
  Result<Bytes> build(std::uint32_t lod) const;

 private:
  ContentRange in_data(std::uint32_t offset_bytes, std::uint64_t size_bytes) const;

  ByteSpan content_;
  std::uint64_t data_place_ = 0;
  Bytes blob_;  // without its data
  aas1::MeshDesc desc_{};
  std::vector<aas1::VertexAttribute> attributes_;
  std::vector<aas1::LodDesc> lods_;
};

class MeshSteps {
 public:
  MeshSteps(const StreamOptions& options, std::uint32_t wanted) : options_(&options), wanted_(wanted) {}

  std::optional<std::vector<ContentRange>> next(std::uint64_t content_bytes);
  // What take() of what next() said will allocate.
  std::uint64_t decoded_bytes() const { return decoded_bytes_; }
  // The bytes of a mesh that is valid in itself, once there is one.
  Result<bool> take(const std::vector<ContentPart>& parts);
  bool want(std::uint32_t lod) {
    wanted_ = lod;
    return false;
  }
  const Bytes& bytes() const { return told_; }
  std::uint32_t lod() const { return lod_; }
  std::uint32_t lod_count() const { return lod_count_; }

 private:
  enum class Stage : std::uint8_t { kStart, kBase, kLevels, kWhole, kDone };

  void store(const ContentPart& part);
  std::vector<ContentRange> lacking(std::vector<ContentRange> ranges) const;
  ByteSpan all() const { return {content_.get(), static_cast<std::size_t>(content_bytes_)}; }

  const StreamOptions* options_;
  std::uint32_t wanted_;
  Stage stage_ = Stage::kStart;
  std::uint64_t content_bytes_ = 0, decoded_bytes_ = 0;
  std::shared_ptr<std::byte[]> content_;  // of which have_ is there
  std::vector<ContentRange> have_;        // ascending and apart
  std::vector<ContentRange> base_;
  std::optional<std::variant<HmeshLevels, Aas1Levels>> levels_;
  std::uint32_t lod_ = 0, next_lod_ = 0, lod_count_ = 1;
  Bytes told_;
};

}  // namespace assetc::runtime
