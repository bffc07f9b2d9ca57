// .pak version 1: bundles, which hold assets by UUID in blocks, and patches from one bundle to the next. Blocks may be
// compressed, shared, encrypted and signed. Specification: docs/formats/pak.md.
// This header contains nothing that needs Zstd or cryptography.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"
#include "assetc/base/uuid.hpp"
#include "assetc/formats/fourcc.hpp"

namespace assetc::pak {

inline constexpr std::uint32_t kMagic = fourcc("APAK");
inline constexpr std::uint32_t kFooterMagic = fourcc("APKF");
inline constexpr std::uint32_t kPatchMagic = fourcc("APKP");
inline constexpr std::uint32_t kVersion = 1;
inline constexpr std::size_t kAlignment = 16;  // of blocks and of the index, from the start of the file
// The largest block that a reader must be able to hold in memory.
inline constexpr std::uint32_t kMaxBlockBytes = 16u << 20;
// An encrypted block has a nonce before its content and a tag after it.
inline constexpr std::uint32_t kNonceBytes = 24, kTagBytes = 16, kSealBytes = kNonceBytes + kTagBytes;

using Sha256 = std::array<std::uint8_t, 32>;

enum Flag : std::uint32_t {
  kSigned = 1,
  kEncrypted = 2,
  kDictionary = 4,  // block 0 is the dictionary of the blocks with Codec::kZstdDictionary
  kLaidOut = 8,     // blocks lie in the order in which a game loads them, not in that of the entries
};
inline constexpr std::uint32_t kAllFlags = kSigned | kEncrypted | kDictionary | kLaidOut;

enum class Codec : std::uint32_t { kNone = 0, kZstd = 1, kZstdDictionary = 2 };
std::string_view to_string(Codec codec);

struct Header {
  std::uint32_t magic = kMagic;
  std::uint32_t version = kVersion;
  std::uint32_t flags = 0;
  std::uint32_t reserved = 0;
  std::uint64_t bundle_version = 0;
  std::array<std::uint8_t, 8> key_id{};   // of the key of an encrypted bundle; otherwise zero
  std::array<std::uint8_t, 32> signer{};  // Ed25519 public key of a signed bundle; otherwise zero
  std::array<char, 32> platform{};        // zero-padded
  std::array<char, 64> name{};            // zero-padded

  std::string_view platform_text() const { return text_of(platform); }
  std::string_view name_text() const { return text_of(name); }
  bool is_signed() const { return (flags & kSigned) != 0; }
  bool is_encrypted() const { return (flags & kEncrypted) != 0; }
  bool has_dictionary() const { return (flags & kDictionary) != 0; }
  bool is_laid_out() const { return (flags & kLaidOut) != 0; }

 private:
  static std::string_view text_of(std::span<const char> field) {
    const std::string_view all(field.data(), field.size());
    return all.substr(0, all.find('\0'));
  }
};
static_assert(sizeof(Header) == 160);

struct Entry {
  Uuid uuid;
  Sha256 digest;  // SHA-256 of the content; in encrypted bundles HMAC-SHA-256
  std::uint64_t size_bytes = 0;
  std::uint32_t first_ref = 0;  // the content is that of the blocks refs[first_ref], ..., in this order
  std::uint32_t ref_count = 0;
};
static_assert(sizeof(Entry) == 64);

struct Block {
  std::uint64_t offset_bytes = 0;
  std::uint32_t size_bytes = 0;         // of the content
  std::uint32_t stored_size_bytes = 0;  // of the bytes at the offset
  Codec codec = Codec::kNone;
  std::uint32_t owner = 0;  // index of the first entry that refers to the block; 0 for the dictionary
  Sha256 stored_sha256;     // of the bytes at the offset
};
static_assert(sizeof(Block) == 56);

struct Footer {
  std::uint32_t magic = kFooterMagic;
  std::uint32_t entry_count = 0;
  std::uint32_t block_count = 0;
  std::uint32_t ref_count = 0;
  std::uint64_t index_offset_bytes = 0;
  std::uint64_t reserved = 0;
  Sha256 index_sha256{};
  // In an encrypted bundle: the MAC of header and footer. Otherwise: their SHA-256, or zero in bundles of early
  // writers.
  std::array<std::uint8_t, 32> mac{};
  std::array<std::uint8_t, 64> signature{};  // of a signed bundle; otherwise zero
};
static_assert(sizeof(Footer) == 160);
// How many bytes of the footer the MAC and the signature cover. Both also cover the whole header.
inline constexpr std::size_t kMacCoversBytes = 64, kSignatureCoversBytes = 96;

// Returns the size of the index: entries, blocks, refs and the padding after them.
constexpr std::uint64_t index_size_bytes(std::uint64_t entries, std::uint64_t blocks, std::uint64_t refs) {
  const std::uint64_t end = entries * sizeof(Entry) + blocks * sizeof(Block) + refs * sizeof(std::uint32_t);
  return (end + kAlignment - 1) / kAlignment * kAlignment;
}
// Returns the offset of the section that follows `end`.
constexpr std::uint64_t align_up(std::uint64_t end) { return (end + kAlignment - 1) / kAlignment * kAlignment; }

// Returns why text cannot be the name or platform of a bundle, or "" if it can.
// Valid text is printable ASCII without quotes, slashes and backslashes, not empty, and at most max_bytes long.
std::string_view name_fault(std::string_view text, std::size_t max_bytes);

// The header, index and footer of a bundle, read in place. open() checks everything except hashes, MAC and signature:
// - Entries ascend by UUID.
// - Blocks lie one after another at the offsets that the format requires, in the order of the first entry that refers
//   to them.
// - The refs of each entry add up to its size.
// So every range lies inside the file, and no two ranges overlap.
// Errors: kTruncated, kInvalidData, kVersion, kLimit, kUsage (a misaligned buffer).
// Thread safety: const.
class View {
 public:
  // Opens a whole file, which is usually mapped. Constraints: it starts at a multiple of 8 and outlives the view.
  static Result<View> open(ByteSpan file);
  // Opens a bundle whose blocks are stored elsewhere. tail: the index and the footer, which end the file.
  static Result<View> open(ByteSpan header, ByteSpan tail, std::uint64_t file_size_bytes);

  const Header& header() const { return header_; }
  const Footer& footer() const { return footer_; }
  std::span<const Entry> entries() const { return entries_; }
  std::span<const Block> blocks() const { return blocks_; }
  std::span<const std::uint32_t> refs(const Entry& entry) const {
    return refs_.subspan(entry.first_ref, entry.ref_count);
  }
  std::span<const std::uint32_t> refs() const { return refs_; }
  // Returns the entry, or null if there is none. Binary search.
  const Entry* find(const Uuid& uuid) const;

  ByteSpan header_bytes() const { return header_bytes_; }
  ByteSpan index_bytes() const { return index_bytes_; }
  ByteSpan footer_bytes() const { return footer_bytes_; }
  std::uint64_t file_size_bytes() const { return file_size_bytes_; }

 private:
  Result<void> check_header() const;
  Result<void> check_blocks() const;
  Result<void> check_entries() const;

  Header header_;
  Footer footer_;
  ByteSpan header_bytes_, index_bytes_, footer_bytes_;
  std::span<const Entry> entries_;
  std::span<const Block> blocks_;
  std::span<const std::uint32_t> refs_;
  std::uint64_t file_size_bytes_ = 0;
};

// The head of a patch. After it follow the recipe of the new index, then the blocks that the old bundle lacks, in the
// order of the new bundle, each at a multiple of kAlignment.
struct PatchHead {
  std::uint32_t magic = kPatchMagic;
  std::uint32_t version = kVersion;
  std::uint64_t old_bundle_version = 0;
  std::uint64_t old_file_size_bytes = 0;
  std::uint64_t recipe_size_bytes = 0;         // after decompression
  std::uint64_t recipe_stored_size_bytes = 0;  // one Zstd frame whose prefix is the recipe of the old index
  std::uint64_t reserved = 0;
  Sha256 old_id{};         // SHA-256 of the header and footer of the old bundle
  Sha256 recipe_sha256{};  // of the stored recipe
  Header header;           // of the new bundle
  Footer footer;           // of the new bundle
  Sha256 head_sha256{};    // of everything before this field
};
static_assert(sizeof(PatchHead) == 464);

// Checks that a patch may lead from one bundle to the other: same name, same platform, and no lower version.
// Errors: kConflict.
Result<void> check_successor(const Header& old, const Header& next);

class PatchView {
 public:
  static Result<PatchView> open(ByteSpan file);
  const PatchHead& head() const { return head_; }
  ByteSpan head_bytes() const { return file_.first(sizeof(PatchHead)); }
  ByteSpan recipe() const { return file_.subspan(sizeof(PatchHead), head_.recipe_stored_size_bytes); }
  // Returns the offset of the first block.
  std::uint64_t blocks_offset_bytes() const { return align_up(sizeof(PatchHead) + head_.recipe_stored_size_bytes); }
  ByteSpan file() const { return file_; }

 private:
  PatchHead head_;
  ByteSpan file_;
};

}  // namespace assetc::pak
