// .hpack version 2: many files in one, found by path. Specification: docs/formats/hpack.md.
#pragma once

#include <cstdint>
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
// Behind the table, where there are checksums: what says so.
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
};
// By extension: .hmesh .hmat .hman .hanim .ktx2 .spv .hfont, else kOther. Extensions are lower case.
PackKind kind_of(std::string_view path);
std::string_view to_string(PackKind kind);  // "mesh"; "other" for a kind that is not listed

struct EntryView {
  std::string_view path;
  std::uint64_t offset_bytes = 0;
  std::uint64_t size_bytes = 0;
  PackKind kind = PackKind::kOther;
};

// The table of contents alone: what an engine that reads payloads by range keeps.
// Checked: entries ascend by path, every path stays under its root, payloads are aligned, lie between the table and
// the end of the file, and are apart from each other or one and the same (files with equal contents may share).
// Errors: kTruncated, kInvalidData, kVersion, kLimit. Thread safety: const.
class Toc {
 public:
  // How many bytes from the start of the file open() needs; head holds at least kHeaderBytes of them.
  static Result<std::uint64_t> size_of(ByteSpan head);
  // head: the start of the file, at least size_of() bytes, at any alignment; outlives the Toc. file_size_bytes: of
  // the whole file.
  static Result<Toc> open(ByteSpan head, std::uint64_t file_size_bytes);

  std::span<const EntryView> entries() const { return entries_; }
  // The entry at exactly this path, or null. Binary search.
  const EntryView* find(std::string_view path) const;
  // Header and table.
  std::uint64_t size_bytes() const { return size_bytes_; }
  // Where checksums lie, by the size of the file; 0 where there are none.
  std::uint64_t checksums_offset_bytes() const { return checksums_offset_bytes_; }

 private:
  std::vector<EntryView> entries_;
  std::uint64_t size_bytes_ = 0;
  std::uint64_t checksums_offset_bytes_ = 0;
};

// A whole pack in memory, mapped as a rule. Payloads lie at multiples of 16 bytes from its start.
class View {
 public:
  static Result<View> open(ByteSpan file);

  const Toc& toc() const { return toc_; }
  std::span<const EntryView> entries() const { return toc_.entries(); }
  const EntryView* find(std::string_view path) const { return toc_.find(path); }
  // Requires an entry of this pack.
  ByteSpan payload(const EntryView& entry) const { return file_.subspan(entry.offset_bytes, entry.size_bytes); }
  std::optional<ByteSpan> read(std::string_view path) const;

  // Whether the pack says what its bytes were; packs of other writers need not.
  bool has_checksums() const { return toc_.checksums_offset_bytes() != 0; }
  // All bytes but the payloads: header, table, padding, the checksums themselves. Nothing is wrong where there are
  // none. Errors: kInvalidData.
  Result<void> verify_layout() const;
  // An entry's payload. Requires an entry of this pack. Errors: kInvalidData.
  Result<void> verify(const EntryView& entry) const;
  // Both, of all entries: whether any byte of the file differs from those that were written.
  Result<void> verify() const;

 private:
  Result<void> check_mark() const;

  Toc toc_;
  ByteSpan file_;
};

struct PlanInput {
  std::string path;
  std::uint64_t size_bytes = 0;
  // Files with equal sizes and equal contents are stored once. Unset: stored on its own.
  std::optional<ContentHash> content;
};

// A pack before its payloads: write head, then for each of payloads, in order, zeros up to offset_bytes and the
// file at inputs[input]; then zeros up to checksums_offset_bytes, and checksums().
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

// Lays out a pack of these files. Payloads follow in the order of their paths; the plan depends on the set of inputs
// alone. Errors: kUsage for a path that leaves its root, kConflict for one that is named twice, kLimit.
Result<Plan> plan(std::span<const PlanInput> inputs);
// What ends the pack. contents: the hash of each input's bytes.
ByteVector checksums(const Plan& plan, std::span<const ContentHash> contents);

struct File {
  std::string path;
  Bytes bytes;
};
// plan() and payloads in memory, for small packs and tests. Equal contents are stored once.
Result<ByteVector> write(std::span<const File> files);

}  // namespace assetc::hpack
