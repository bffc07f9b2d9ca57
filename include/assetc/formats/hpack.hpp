// .hpack version 2: an archive of files, found by path. Specification: docs/formats/hpack.md.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assetc/base/bytes.hpp"
#include "assetc/base/hash.hpp"
#include "assetc/base/result.hpp"
#include "assetc/formats/fourcc.hpp"

namespace assetc::hpack {

inline constexpr std::uint32_t kMagic = fourcc("HPAK");
inline constexpr std::uint32_t kVersion = 2;
inline constexpr std::size_t kPayloadAlignment = 16;
inline constexpr std::size_t kHeaderBytes = 24;
// The size of the mark after the table, which says that the pack has checksums.
inline constexpr std::size_t kMarkBytes = 16;
inline constexpr std::uint32_t kChecksumsMagic = fourcc("HSUM");
inline constexpr std::uint32_t kChecksumsVersion = 1;

enum class PackKind : std::uint8_t {
  kOther = 0,
  kMesh = 1,
  kMaterial = 2,
  kManifest = 3,
  kAnimation = 4,
  kTexture = 5,
  kShader = 6,
  kFont = 7,
  kScene = 8,
};
// Returns the kind by extension: .hmesh .hmat .hman .hanim .ktx2 .spv .hfont .hscene, otherwise kOther. Extensions are
// lower case.
PackKind kind_of(std::string_view path);
std::string_view to_string(PackKind kind);  // "mesh"; "other" for a value that is not listed

struct EntryView {
  std::string_view path;
  std::uint64_t offset_bytes = 0;
  std::uint64_t size_bytes = 0;
  PackKind kind = PackKind::kOther;
};

// The table of contents. An engine that reads payloads by range needs only this part.
// open() checks that entries ascend by path, that every path stays below its root, and that payloads are aligned and
// lie between the table and the end of the file. Two payloads must be identical ranges (files with equal contents may
// share one) or must not overlap.
// Errors: kTruncated, kInvalidData, kVersion, kLimit.
// Thread safety: const.
class Toc {
 public:
  // Returns how many bytes from the start of the file open() needs. head: at least kHeaderBytes of them.
  static Result<std::uint64_t> size_of(ByteSpan head);
  // Opens a table of contents.
  // - head: the start of the file, at least size_of() bytes, at any alignment. It must outlive the Toc.
  // - file_size_bytes: the size of the whole file.
  static Result<Toc> open(ByteSpan head, std::uint64_t file_size_bytes);

  std::span<const EntryView> entries() const { return entries_; }
  // Returns the entry at exactly this path, or null. Binary search.
  const EntryView* find(std::string_view path) const;
  // Returns the size of header and table.
  std::uint64_t size_bytes() const { return size_bytes_; }
  // Returns the offset of the checksums, computed from the file size, or 0 if there are none.
  std::uint64_t checksums_offset_bytes() const { return checksums_offset_bytes_; }

 private:
  std::vector<EntryView> entries_;
  std::uint64_t size_bytes_ = 0;
  std::uint64_t checksums_offset_bytes_ = 0;
};

// A whole pack in memory, which is usually mapped. Payloads start at multiples of 16 bytes from the start of the pack.
class View {
 public:
  static Result<View> open(ByteSpan file);

  const Toc& toc() const { return toc_; }
  std::span<const EntryView> entries() const { return toc_.entries(); }
  const EntryView* find(std::string_view path) const { return toc_.find(path); }
  // Returns the bytes of an entry. Requires an entry of this pack.
  ByteSpan payload(const EntryView& entry) const { return file_.subspan(entry.offset_bytes, entry.size_bytes); }
  std::optional<ByteSpan> read(std::string_view path) const;

  // Returns whether the pack has checksums. Packs of other writers may lack them.
  bool has_checksums() const { return toc_.checksums_offset_bytes() != 0; }
  // Verifies all bytes except payloads: header, table, padding and the checksums themselves. Succeeds if the pack has
  // no checksums. Errors: kInvalidData.
  Result<void> verify_layout() const;
  // Hashes of payloads by their offset.
  using Hashes = std::map<std::uint64_t, ContentHash>;
  // Verifies the payload of an entry. Requires an entry of this pack. known: any number of entries may have one
  // payload, which is then read once for all calls. Errors: kInvalidData.
  Result<void> verify(const EntryView& entry, Hashes& known) const;
  Result<void> verify(const EntryView& entry) const;
  // Verifies the layout and all payloads. Detects every byte of the file that differs from the written file.
  Result<void> verify() const;

 private:
  Result<void> check_mark() const;

  Toc toc_;
  ByteSpan file_;
};

struct PlanInput {
  std::string path;
  std::uint64_t size_bytes = 0;
  // The hash of the content. Files with the same size and hash are stored once. If unset, the file is stored
  // separately.
  std::optional<ContentHash> content;
};

// The layout of a pack. To write the pack:
//
// 1. Write head.
// 2. For each payload, in order: write zeros up to offset_bytes, then the file at inputs[input].
// 3. Write zeros up to checksums_offset_bytes, then checksums().
struct Plan {
  struct Payload {
    std::size_t input = 0;
    std::uint64_t offset_bytes = 0;
    std::uint64_t size_bytes = 0;
  };
  ByteVector head;
  std::vector<Payload> payloads;   // ascending by offset
  std::vector<std::size_t> table;  // the input of each entry of the table
  std::uint64_t checksums_offset_bytes = 0;
  std::uint64_t file_size_bytes = 0;
};

// Returns the layout of a pack of these files. Payloads are in the order of their paths. The plan depends only on the
// set of inputs.
// Errors: kUsage (a path that leaves its root), kConflict (a path that occurs twice), kLimit.
Result<Plan> plan(std::span<const PlanInput> inputs);
// Returns the checksums, which end the pack. contents: the hash of the bytes of each input.
ByteVector checksums(const Plan& plan, std::span<const ContentHash> contents);

struct File {
  std::string path;
  Bytes bytes;
};
// Returns a whole pack: plan() and the payloads in memory. For small packs and tests. Equal contents are stored once.
Result<ByteVector> write(std::span<const File> files);

}  // namespace assetc::hpack
