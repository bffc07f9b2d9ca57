// .pak version 1: assets by UUID, in blocks that are compressed, shared, encrypted and signed as asked, and patches
// from one bundle to the next. Specification: docs/formats/pak.md. What needs Zstd or cryptography is not here.
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
// What a reader must be able to hold of one block.
inline constexpr std::uint32_t kMaxBlockBytes = 16u << 20;
// A nonce before, and a tag behind, what an encrypted block holds.
inline constexpr std::uint32_t kNonceBytes = 24, kTagBytes = 16, kSealBytes = kNonceBytes + kTagBytes;

using Sha256 = std::array<std::uint8_t, 32>;

enum Flag : std::uint32_t {
  kSigned = 1,
  kEncrypted = 2,
  kDictionary = 4,  // block 0 is the dictionary of blocks of kZstdDictionary
};
inline constexpr std::uint32_t kAllFlags = kSigned | kEncrypted | kDictionary;

enum class Codec : std::uint32_t { kNone = 0, kZstd = 1, kZstdDictionary = 2 };
std::string_view to_string(Codec codec);

struct Header {
  std::uint32_t magic = kMagic;
  std::uint32_t version = kVersion;
  std::uint32_t flags = 0;
  std::uint32_t reserved = 0;
  std::uint64_t bundle_version = 0;
  std::array<std::uint8_t, 8> key_id{};   // of the key of an encrypted bundle; else zero
  std::array<std::uint8_t, 32> signer{};  // Ed25519 public key of a signed bundle; else zero
  std::array<char, 32> platform{};        // zero-padded
  std::array<char, 64> name{};            // zero-padded

  std::string_view platform_text() const { return text_of(platform); }
  std::string_view name_text() const { return text_of(name); }
  bool is_signed() const { return (flags & kSigned) != 0; }
  bool is_encrypted() const { return (flags & kEncrypted) != 0; }
  bool has_dictionary() const { return (flags & kDictionary) != 0; }

 private:
  static std::string_view text_of(std::span<const char> field) {
    const std::string_view all(field.data(), field.size());
    return all.substr(0, all.find('\0'));
  }
};
static_assert(sizeof(Header) == 160);

struct Entry {
  Uuid uuid;
  Sha256 digest;  // SHA-256 of the content; of encrypted bundles HMAC-SHA-256
  std::uint64_t size_bytes = 0;
  std::uint32_t first_ref = 0;  // its content is that of the blocks refs[first_ref], ..., one after another
  std::uint32_t ref_count = 0;
};
static_assert(sizeof(Entry) == 64);

struct Block {
  std::uint64_t offset_bytes = 0;
  std::uint32_t size_bytes = 0;         // of the content
  std::uint32_t stored_size_bytes = 0;  // of what lies at the offset
  Codec codec = Codec::kNone;
  std::uint32_t owner = 0;  // number of the first entry that refers to it; 0 for the dictionary
  Sha256 stored_sha256;     // of what lies at the offset
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
  // Of an encrypted bundle: the MAC of header and footer. Of another: their SHA-256, or zero, as earlier programs
  // wrote.
  std::array<std::uint8_t, 32> mac{};
  std::array<std::uint8_t, 64> signature{};  // of a signed bundle; else zero
};
static_assert(sizeof(Footer) == 160);
// What MAC and signature cover of a footer, behind the whole header.
inline constexpr std::size_t kMacCoversBytes = 64, kSignatureCoversBytes = 96;

// Entries, blocks, refs and the padding behind them.
constexpr std::uint64_t index_size_bytes(std::uint64_t entries, std::uint64_t blocks, std::uint64_t refs) {
  const std::uint64_t end = entries * sizeof(Entry) + blocks * sizeof(Block) + refs * sizeof(std::uint32_t);
  return (end + kAlignment - 1) / kAlignment * kAlignment;
}
// Where what follows `end` begins.
constexpr std::uint64_t align_up(std::uint64_t end) { return (end + kAlignment - 1) / kAlignment * kAlignment; }

// Why a name or platform cannot be that of a bundle, or "": printable ASCII but quotes, slashes and backslashes, not
// empty, at most max_bytes.
std::string_view name_fault(std::string_view text, std::size_t max_bytes);

// Header, index and footer, read in place. Everything that they say is checked but the hashes, MAC and signature:
// entries ascend by UUID, blocks lie one after another where the rules of the format put them, in the order of the
// first entry that refers to them, and refs cover each entry's size. So every range lies in the file, and no two
// overlap. Errors: kTruncated, kInvalidData, kVersion, kLimit; kUsage for bytes at an odd address. Thread safety:
// const.
class View {
 public:
  // The whole file, mapped as a rule, at a multiple of 8; outlives the view.
  static Result<View> open(ByteSpan file);
  // Its parts, where blocks lie elsewhere: the header, and index and footer as they end the file.
  static Result<View> open(ByteSpan header, ByteSpan tail, std::uint64_t file_size_bytes);

  const Header& header() const { return header_; }
  const Footer& footer() const { return footer_; }
  std::span<const Entry> entries() const { return entries_; }
  std::span<const Block> blocks() const { return blocks_; }
  std::span<const std::uint32_t> refs(const Entry& entry) const {
    return refs_.subspan(entry.first_ref, entry.ref_count);
  }
  std::span<const std::uint32_t> refs() const { return refs_; }
  // Binary search; null where it is not there.
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

// The head of a patch. Behind it: the recipe of the new index, then the blocks that the old bundle lacks, in the order
// of the new one, each at a multiple of kAlignment.
struct PatchHead {
  std::uint32_t magic = kPatchMagic;
  std::uint32_t version = kVersion;
  std::uint64_t old_bundle_version = 0;
  std::uint64_t old_file_size_bytes = 0;
  std::uint64_t recipe_size_bytes = 0;         // inflated
  std::uint64_t recipe_stored_size_bytes = 0;  // one Zstd frame, with the recipe of the old index as its prefix
  std::uint64_t reserved = 0;
  Sha256 old_id{};         // of the old bundle's header and footer
  Sha256 recipe_sha256{};  // as it is stored
  Header header;           // the new bundle's
  Footer footer;           // the new bundle's
  Sha256 head_sha256{};    // of everything before this
};
static_assert(sizeof(PatchHead) == 464);

// Whether a patch may lead from one bundle to the other: same name, same platform, no older version. Errors: kConflict.
Result<void> check_successor(const Header& old, const Header& next);

class PatchView {
 public:
  static Result<PatchView> open(ByteSpan file);
  const PatchHead& head() const { return head_; }
  ByteSpan head_bytes() const { return file_.first(sizeof(PatchHead)); }
  ByteSpan recipe() const { return file_.subspan(sizeof(PatchHead), head_.recipe_stored_size_bytes); }
  // All bytes from the first block on.
  std::uint64_t blocks_offset_bytes() const { return align_up(sizeof(PatchHead) + head_.recipe_stored_size_bytes); }
  ByteSpan file() const { return file_; }

 private:
  PatchHead head_;
  ByteSpan file_;
};

}  // namespace assetc::pak
