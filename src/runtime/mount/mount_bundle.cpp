// Mounts a .pak and its patches. The index is read and verified once, blocks are read by range.
#include <algorithm>
#include <cstring>
#include <optional>

#include "assetc/formats/pak.hpp"
#include "base/plural.hpp"
#include "compression/decode.hpp"
#include "formats/pak/identity.hpp"
#include "formats/pak/recipe.hpp"
#include "formats/reader.hpp"
#include "formats/text.hpp"
#include "runtime/mount/buffer.hpp"
#include "runtime/mount/crypto.hpp"
#include "runtime/mount/mount_point.hpp"

namespace assetc::runtime {
namespace {

using formats::invalid;
using formats::message;

class BundleMount final : public MountPoint {
 public:
  BundleMount(std::shared_ptr<Source> source, std::string file) : MountPoint(std::move(source)) {
    files_.push_back(std::move(file));
  }

  // Call them in this order. The error of a patch names the patch.
  Result<void> open_base() {
    ASSETC_CHECK(read_index());
    const bool needs_crypto = view_.header().is_signed() || view_.header().is_encrypted();
    if (needs_crypto && !has_crypto()) return without_crypto("is signed or encrypted");
    return check_index();
  }
  Result<void> apply_patches(const std::vector<std::string>& patches) {
    if (!patches.empty() && !has_crypto()) return without_crypto("has patches");
    for (const std::string& patch : patches) {
      auto patched = apply(patch);
      if (!patched) return std::unexpected(std::move(patched).error().in(patch));
    }
    return check_index();
  }
  Result<void> unlock(const std::optional<ContentKey>& key) {
    if (!view_.header().is_encrypted()) return {};
    if (!key) return fail(ErrorCode::kUsage, "is encrypted", "mount it with its key");
    keys_.emplace(*key);
    if (keys_->id() == view_.header().key_id) return {};
    return fail(ErrorCode::kUsage, "is encrypted with a different key than the given one", "mount it with its key");
  }
  Result<void> authenticate(const std::optional<PublicKey>& signer) const {
    const pak::Header& header = view_.header();
    if (signer && !header.is_signed())
      return fail(ErrorCode::kUsage, "is not signed", "sign it, or mount it without a signer");
    if (signer && header.signer != *signer)
      return fail(ErrorCode::kUsage, "is signed with a key that the mount does not trust", "do not use it");
    if (header.is_signed() &&
        !verify_signature(header.signer, pak::signature_message(view_.header_bytes(), view_.footer_bytes()),
                          view_.footer().signature))
      return fail(ErrorCode::kInvalidData, "the signature does not match the header and the index",
                  "the file is damaged or was changed; do not use it");
    if (keys_ && keys_->mac(pak::mac_message(view_.header_bytes(), view_.footer_bytes())) != view_.footer().mac)
      return fail(ErrorCode::kInvalidData, "the MAC does not match the header and the index",
                  "the file is damaged or was changed; do not use it");
    return {};
  }
  // Checks the identity of the bundle after its patches.
  Result<void> expect(const MountOptions& options) const {
    const pak::Header& header = view_.header();
    const bool is_it = (options.expected_name.empty() || header.name_text() == options.expected_name) &&
                       (options.expected_platform.empty() || header.platform_text() == options.expected_platform) &&
                       header.bundle_version >= options.least_version;
    if (is_it) return {};
    const auto describe = [](std::string_view name, std::string_view platform, std::uint64_t version) {
      return message(name.empty() ? "any bundle" : message("\"", name, "\""), " for ",
                     platform.empty() ? "any platform" : platform, ", version ", version);
    };
    return fail(
        ErrorCode::kConflict,
        message("is ", describe(header.name_text(), header.platform_text(), header.bundle_version), "; expected ",
                describe(options.expected_name, options.expected_platform, options.least_version), " or later"),
        "mount the expected bundle");
  }
  Result<void> open_dictionary() {
    if (!view_.header().has_dictionary()) return {};
    const StoredRange at = part(0);
    ASSETC_TRY(const ReadAnswer stored, ask(source(), files_[at.file], at.offset_bytes, at.size_bytes));
    ByteVector bytes(view_.blocks()[0].size_bytes);
    ASSETC_CHECK(decode(0, stored.bytes, bytes));
    ASSETC_TRY(dictionary_, compression::DecodeDictionary::open(bytes));
    return {};
  }

  MountInfo info() const override {
    const pak::Header& header = view_.header();
    MountInfo info{.layout = Layout::kBundle,
                   .name = header.name_text(),
                   .platform = header.platform_text(),
                   .version = header.bundle_version,
                   .is_encrypted = header.is_encrypted()};
    if (header.is_signed()) info.signer = header.signer;
    return info;
  }
  std::optional<std::uint32_t> find(const Uuid& uuid) const override {
    const pak::Entry* entry = view_.find(uuid);
    if (entry == nullptr) return std::nullopt;
    return static_cast<std::uint32_t>(entry - view_.entries().data());
  }
  AssetHandle handle(std::uint32_t entry) const override { return {.uuid = view_.entries()[entry].uuid}; }
  std::uint32_t entry_count() const override { return static_cast<std::uint32_t>(view_.entries().size()); }
  std::uint64_t size_bytes(std::uint32_t entry) const override { return view_.entries()[entry].size_bytes; }
  std::string file(std::uint32_t file) const override { return files_[file]; }
  std::uint64_t file_version(std::uint32_t file) const override { return versions_[file]; }
  void parts(std::uint32_t entry, std::vector<StoredRange>& out) const override {
    for (const std::uint32_t block : view_.refs(view_.entries()[entry])) out.push_back(part(block));
  }
  std::optional<ContentId> content(std::uint32_t entry) const override {
    ContentId content{id()};
    static_assert(sizeof content.bytes == sizeof view_.entries()[entry].digest);
    std::memcpy(content.bytes.data(), view_.entries()[entry].digest.data(), sizeof content.bytes);
    return content;
  }

  Result<Bytes> assemble(std::uint32_t number, std::span<Bytes> parts, const Memory& memory) const override {
    const pak::Entry& entry = view_.entries()[number];
    const std::span<const std::uint32_t> blocks = view_.refs(entry);
    if (blocks.size() == 1 && is_plain(blocks[0])) {
      ASSETC_CHECK(check(blocks[0], parts[0]));
      return aligned(std::move(parts[0]), memory);
    }
    return join(blocks, parts, entry.size_bytes, memory);
  }

  void cover(std::uint32_t entry, std::uint64_t offset_bytes, std::uint64_t size_bytes,
             std::vector<StoredRange>& out) const override {
    const Blocks blocks = blocks_of(entry, offset_bytes, size_bytes);
    for (const std::uint32_t block : blocks.numbers) out.push_back(part(block));
  }
  Result<Bytes> assemble_range(std::uint32_t entry, std::uint64_t offset_bytes, std::uint64_t size_bytes,
                               std::span<const Bytes> parts, const Memory& memory) const override {
    const Blocks blocks = blocks_of(entry, offset_bytes, size_bytes);
    ASSETC_TRY(const Bytes content, join(blocks.numbers, parts, blocks.size_bytes, memory));
    const std::uint64_t skipped = offset_bytes - blocks.first_byte;
    if (!range_fits(skipped, size_bytes, content.size())) return other_sizes();
    return content.slice(static_cast<std::size_t>(skipped), static_cast<std::size_t>(size_bytes));
  }

 private:
  // The blocks that contain a range, the content offset of the first, and their content size.
  struct Blocks {
    std::span<const std::uint32_t> numbers;
    std::uint64_t first_byte;
    std::uint64_t size_bytes;
  };
  Blocks blocks_of(std::uint32_t entry, std::uint64_t offset_bytes, std::uint64_t size_bytes) const {
    const std::span<const std::uint32_t> all = view_.refs(view_.entries()[entry]);
    std::size_t first = 0, end = 0;
    std::uint64_t first_byte = 0, at = 0;
    for (; end < all.size() && at < offset_bytes + size_bytes; ++end) {
      const std::uint64_t next = at + view_.blocks()[all[end]].size_bytes;
      if (next <= offset_bytes) {
        first = end + 1;
        first_byte = next;
      }
      at = next;
    }
    return {all.subspan(first, end - first), first_byte, at - first_byte};
  }

  // Joins the content of blocks. The index has its size.
  Result<Bytes> join(std::span<const std::uint32_t> blocks, std::span<const Bytes> parts, std::uint64_t size_bytes,
                     const Memory& memory) const {
    ASSETC_TRY(const Buffer buffer, Buffer::allocate(size_bytes, memory));
    std::span<std::byte> left = buffer.span();
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      const std::uint32_t size = view_.blocks()[blocks[i]].size_bytes;
      if (size > left.size()) return other_sizes();
      ASSETC_CHECK(decode(blocks[i], parts[i], left.first(size)));
      left = left.subspan(size);
    }
    if (!left.empty()) return other_sizes();
    return buffer.bytes();
  }

  // The place of a block.
  struct Spot {
    std::uint32_t file;
    std::uint64_t offset_bytes;
  };

  Result<void> read_index() {
    const std::string& path = files_[0];
    ASSETC_TRY(const ReadAnswer all, ask(source(), path, 0, 0));
    const std::uint64_t size = all.file_size_bytes;
    // If the file is too short for both, the view reports the error.
    std::uint64_t tail_at = std::min<std::uint64_t>(size, sizeof(pak::Header));
    ASSETC_TRY(const ReadAnswer head, ask(source(), path, 0, tail_at));
    if (size >= sizeof(pak::Header) + sizeof(pak::Footer)) {
      ASSETC_TRY(const ReadAnswer end, ask(source(), path, size - sizeof(pak::Footer), sizeof(pak::Footer)));
      const auto footer = load<pak::Footer>(end.bytes);
      if (footer.index_offset_bytes >= tail_at && footer.index_offset_bytes <= size - sizeof(pak::Footer))
        tail_at = footer.index_offset_bytes;
    }
    ASSETC_TRY(const ReadAnswer tail, ask(source(), path, tail_at, size - tail_at));
    // Copies, because another program may write into a mapped file.
    header_ = copied(head.bytes);
    tail_ = copied(tail.bytes);
    versions_ = {tail.file_version};
    ASSETC_TRY(view_, pak::View::open(header_, tail_, size));
    return {};
  }

  StoredRange part(std::uint32_t block) const {
    const pak::Block& b = view_.blocks()[block];
    if (spots_.empty()) return {0, b.offset_bytes, b.stored_size_bytes};
    return {spots_[block].file, spots_[block].offset_bytes, b.stored_size_bytes};
  }

  // Turns this mount into a mount of the next bundle.
  Result<void> apply(const std::string& path) {
    ASSETC_TRY(const ReadAnswer answer, ask(source(), path));
    const Bytes file = aligned(answer.bytes);
    ASSETC_TRY(const pak::PatchView patch, pak::PatchView::open(file));
    const pak::PatchHead& head = patch.head();
    if (sha256(patch.head_bytes().first(sizeof head - sizeof head.head_sha256)) != head.head_sha256)
      return invalid(0, "the head of the patch does not match its hash");
    if (head.old_id != sha256(view_.header_bytes(), view_.footer_bytes()))
      return fail(ErrorCode::kConflict, "is a patch of another bundle, or is out of order",
                  "apply it only to the bundle that it was made from");
    ASSETC_CHECK(pak::check_successor(view_.header(), head.header));
    const ByteVector old_recipe = pak::recipe_of(view_);
    // The parts of a recipe that are not in the old one are hashes and UUIDs, which do not compress.
    const auto new_bytes = checked_mul(head.recipe_stored_size_bytes, 8);
    if (!new_bytes || head.recipe_size_bytes > *new_bytes + old_recipe.size() + pak::kAlignment)
      return fail_at(ErrorCode::kLimit, byte_place(24),
                     message("found a recipe of ", counted(head.recipe_size_bytes, "byte"), " in ",
                             head.recipe_stored_size_bytes));
    if (sha256(patch.recipe()) != head.recipe_sha256) return invalid(sizeof head, "the recipe does not match its hash");
    ASSETC_TRY(const ByteVector recipe, compression::inflate_after(old_recipe, patch.recipe(), head.recipe_size_bytes));
    ASSETC_TRY(ByteVector made, pak::follow_recipe(recipe, head.header, head.footer));
    const Bytes image(std::move(made));
    const Bytes next_header = image.slice(0, sizeof(pak::Header));
    const Bytes next_tail = image.slice(sizeof(pak::Header), image.size() - sizeof(pak::Header));
    ASSETC_TRY(const pak::View next,
               pak::View::open(next_header, next_tail, head.footer.index_offset_bytes + next_tail.size()));
    const auto number = static_cast<std::uint32_t>(files_.size());
    const pak::BlockNumbers old_blocks(view_);
    std::vector<Spot> spots;
    std::uint64_t end = patch.blocks_offset_bytes();
    for (const pak::Block& block : next.blocks()) {
      if (const auto old = old_blocks.find(block)) {
        const StoredRange there = part(*old);
        spots.push_back({there.file, there.offset_bytes});
        continue;
      }
      const std::uint64_t at = pak::align_up(end);
      if (!range_fits(at, block.stored_size_bytes, file.size()))
        return fail_at(ErrorCode::kTruncated, byte_place(file.size()), "found the end of the patch, expected blocks",
                       formats::kDamagedHint);
      if (!formats::all_zero(file.span().subspan(end, at - end)))
        return invalid(end, "found bytes after a block, expected zeros");
      spots.push_back({number, at});
      end = at + block.stored_size_bytes;
    }
    ASSETC_CHECK(formats::expect_end(end, file.size()));
    files_.push_back(path);
    versions_.push_back(answer.file_version);
    header_ = next_header;
    tail_ = next_tail;
    view_ = next;
    spots_ = std::move(spots);
    return {};
  }

  Result<void> check_index() const {
    const pak::Footer& footer = view_.footer();
    if (!has_crypto()) return {};
    if (sha256(view_.index_bytes()) != footer.index_sha256)
      return invalid(footer.index_offset_bytes, "the index does not match its hash");
    return pak::check_header_hash(view_, sha256(pak::mac_message(view_.header_bytes(), view_.footer_bytes())));
  }

  static std::unexpected<Error> other_sizes() {
    return fail(ErrorCode::kTruncated, "found blocks whose sizes do not match the index");
  }
  static std::unexpected<Error> without_crypto(std::string_view what) {
    return fail(ErrorCode::kUnsupported, message(what, ", but this build has no libsodium"),
                "build with -DASSETC_SODIUM=ON");
  }

  bool is_plain(std::uint32_t block) const {
    return view_.blocks()[block].codec == pak::Codec::kNone && !view_.header().is_encrypted();
  }

  Result<void> check(std::uint32_t block, ByteSpan stored) const {
    if (!has_crypto() || sha256(stored) == view_.blocks()[block].stored_sha256) return {};
    return invalid(part(block).offset_bytes, message("block ", block, " does not match its hash"));
  }

  // Requires out to have the size of the block's content.
  Result<void> decode(std::uint32_t block, ByteSpan stored, std::span<std::byte> out) const {
    const pak::Block& b = view_.blocks()[block];
    ASSETC_CHECK(check(block, stored));
    const auto at = [&](auto result) {
      return std::unexpected(std::move(result).error().at(byte_place(b.offset_bytes)));
    };
    ByteVector plain;
    if (keys_) {
      const bool is_dictionary = block == 0 && view_.header().has_dictionary();
      const Uuid owner = is_dictionary ? Uuid{} : view_.entries()[b.owner].uuid;
      auto opened = keys_->open(pak::block_identity(view_.header(), owner), stored);
      if (!opened) return at(std::move(opened));
      plain = std::move(*opened);
      stored = plain;
    }
    if (b.codec == pak::Codec::kNone) {
      if (stored.size() != b.size_bytes)
        return invalid(b.offset_bytes, message("found ", counted(stored.size(), "byte"), ", expected ", b.size_bytes));
      std::ranges::copy(stored, out.begin());
      return {};
    }
    const bool with_dictionary = b.codec == pak::Codec::kZstdDictionary && dictionary_;
    const auto inflated = compression::inflate_into(stored, out, with_dictionary ? &*dictionary_ : nullptr);
    if (!inflated) return at(Result<void>(std::unexpected(inflated.error().to_error(b.size_bytes))));
    return {};
  }

  std::vector<std::string> files_;  // the bundle, then its patches
  std::vector<std::uint64_t> versions_;
  Bytes header_, tail_;  // the view points into them
  pak::View view_;
  std::vector<Spot> spots_;  // of blocks, if there is a patch
  std::optional<BundleKeys> keys_;
  std::optional<compression::DecodeDictionary> dictionary_;
};

}  // namespace

MountResult open_bundle(std::shared_ptr<Source> source, const std::string& file, const MountOptions& options) {
  auto mount = std::make_shared<BundleMount>(std::move(source), file);
  if (auto opened = mount->open_base(); !opened) return mount_failure(std::move(opened).error());
  if (auto patched = mount->apply_patches(options.patches); !patched) return mount_failure(std::move(patched).error());
  if (auto unlocked = mount->unlock(options.key); !unlocked)
    return mount_failure(std::move(unlocked).error(), Fault::kLocked);
  if (auto trusted = mount->authenticate(options.signer); !trusted)
    return mount_failure(std::move(trusted).error(), Fault::kUntrusted);
  if (auto expected = mount->expect(options); !expected)
    return mount_failure(std::move(expected).error(), Fault::kUntrusted);
  if (auto opened = mount->open_dictionary(); !opened) return mount_failure(std::move(opened).error());
  return mount;
}

}  // namespace assetc::runtime
