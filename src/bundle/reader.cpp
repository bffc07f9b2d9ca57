#include "bundle/reader.hpp"

#include <algorithm>
#include <atomic>
#include <functional>
#include <mutex>

#include "base/plural.hpp"
#include "formats/pak/identity.hpp"
#include "formats/pak/recipe.hpp"
#include "formats/reader.hpp"
#include "formats/text.hpp"
#include "parallel/parallel.hpp"

namespace assetc::bundle {

using formats::invalid;
using formats::message;

namespace {

// Calls check(i) for every i, in parallel. Returns the error with the lowest i.
template <class Check>
Result<void> check_all(std::size_t count, const Check& check) {
  std::mutex mutex;
  std::atomic<std::size_t> lowest = count;
  std::optional<Error> first;
  parallel_for(count, [&](std::size_t i) {
    if (i > lowest) return;
    Result<void> checked = check(i);
    if (checked) return;
    const std::lock_guard lock(mutex);
    if (i > lowest) return;
    lowest = i;
    first = std::move(checked).error();
  });
  if (first) return std::unexpected(std::move(*first));
  return {};
}

}  // namespace

Result<void> check_repetition(std::uint64_t content_bytes, std::uint64_t block_bytes) {
  if (content_bytes <= kMaxRepeatedBytes || content_bytes / kMaxRepetition <= block_bytes) return {};
  return fail(ErrorCode::kLimit,
              message("found contents of ", counted(content_bytes, "byte"), " that share blocks of ", block_bytes,
                      ", expected at most ", kMaxRepetition, " times as much, or ", kMaxRepeatedBytes, " bytes"),
              "leave out copies of assets, or make several bundles");
}

Result<Reader> Reader::open(Bytes file, std::shared_ptr<const ContentKey> key) {
  Reader reader;
  ASSETC_TRY(reader.view_, pak::View::open(file));
  reader.file_ = std::move(file);
  reader.key_ = std::move(key);
  ASSETC_CHECK(reader.open_dictionary());
  return reader;
}

Result<Reader> Reader::open_to_read(std::uint64_t file_size_bytes, ReadAt read_at) {
  const auto read_all = [&](std::uint64_t offset, std::size_t size) -> Result<Bytes> {
    ASSETC_TRY(Bytes bytes, read_at(offset, size));
    if (bytes.size() == size) return bytes;
    return fail_at(ErrorCode::kTruncated, byte_place(offset + bytes.size()), "found the end of the file",
                   formats::kDamagedHint);
  };
  constexpr std::uint64_t kEnds = sizeof(pak::Header) + sizeof(pak::Footer);
  if (file_size_bytes < kEnds) {
    ASSETC_TRY(const Bytes all, read_all(0, static_cast<std::size_t>(file_size_bytes)));
    ASSETC_CHECK(pak::View::open(all));  // an error
  }
  const std::uint64_t footer_at = file_size_bytes - sizeof(pak::Footer);
  ASSETC_TRY(const Bytes header, read_all(0, sizeof(pak::Header)));
  ASSETC_TRY(const Bytes footer, read_all(footer_at, sizeof(pak::Footer)));
  const std::uint64_t index_at = std::min(load<pak::Footer>(footer).index_offset_bytes, footer_at);
  if (footer_at - index_at > kMaxReadIndexBytes) {
    return fail(ErrorCode::kLimit, message("found an index of ", counted(footer_at - index_at, "byte"),
                                           ", the limit is ", kMaxReadIndexBytes));
  }
  ASSETC_TRY(const Bytes tail, read_all(index_at, static_cast<std::size_t>(file_size_bytes - index_at)));
  ByteVector image(header.span().begin(), header.span().end());
  append_bytes(image, tail);
  Reader reader;
  reader.image_ = Bytes(std::move(image));
  const ByteSpan made = reader.image_;
  ASSETC_TRY(reader.view_,
             pak::View::open(made.first(sizeof(pak::Header)), made.subspan(sizeof(pak::Header)), file_size_bytes));
  reader.read_at_ = std::move(read_at);
  ASSETC_CHECK(reader.open_dictionary());
  return reader;
}

Result<void> Reader::open_dictionary() {
  if (!header().is_encrypted()) {
    key_ = nullptr;
  } else if (key_ && key_->id() != header().key_id) {
    return fail(ErrorCode::kUsage,
                "is encrypted with key " + hex(header().key_id) + ", but the given key is " + hex(key_->id()),
                "use the key that it was created with");
  }
  if (!header().has_dictionary() || (header().is_encrypted() && !key_)) return {};
  ASSETC_TRY(ByteVector bytes, decode(0));
  ASSETC_TRY(dictionary_, compression::Dictionary::open(Bytes(std::move(bytes))));
  return {};
}

ByteSpan Reader::stored(std::size_t block) const {
  if (!places_.empty()) return places_[block];
  const pak::Block& b = view_.blocks()[block];
  return file_.span().subspan(b.offset_bytes, b.stored_size_bytes);
}

Result<void> Reader::check_stored(std::size_t block, ByteSpan stored) const {
  const pak::Block& b = view_.blocks()[block];
  if (sha256(stored) == b.stored_sha256) return {};
  const std::less<> before;
  const std::byte* const at = stored.data();
  const bool in_patch = !before(at, patch_.data()) && before(at, patch_.data() + patch_.size());
  const std::uint64_t place =
      read_at_ ? b.offset_bytes : static_cast<std::uint64_t>(at - (in_patch ? patch_ : file_).data());
  const std::string what =
      message("block ", block, " of ", view_.entries().empty() ? "" : view_.entries()[b.owner].uuid.to_string(),
              " does not match its hash");
  Error error = invalid(place, what).error();
  return std::unexpected(in_patch ? std::move(error).in(patch_name_) : std::move(error));
}

std::unexpected<Error> Reader::locked() const {
  return fail(ErrorCode::kUsage, "is encrypted with key " + hex(header().key_id), "name the key with --decrypt");
}

Result<ByteVector> Reader::decode(std::size_t block) const {
  const pak::Block& b = view_.blocks()[block];
  const bool is_dictionary = block == 0 && header().has_dictionary();
  Bytes read;
  if (read_at_) {
    ASSETC_TRY(read, read_at_(b.offset_bytes, b.stored_size_bytes));
  }
  ByteSpan bytes = read_at_ ? read.span() : stored(block);
  ASSETC_CHECK(check_stored(block, bytes));  // a file that became shorter too
  ByteVector plain;
  if (header().is_encrypted()) {
    if (!key_) return locked();
    auto opened =
        key_->open(pak::block_identity(header(), is_dictionary ? Uuid{} : view_.entries()[b.owner].uuid), bytes);
    if (!opened) return std::unexpected(std::move(opened).error().at(byte_place(b.offset_bytes)));
    plain = std::move(*opened);
    bytes = plain;
  }
  if (b.codec == pak::Codec::kNone) return ByteVector(bytes.begin(), bytes.end());
  const bool with_dictionary = b.codec == pak::Codec::kZstdDictionary && dictionary_;
  auto inflated = compression::inflate(bytes, b.size_bytes, with_dictionary ? &dictionary_->decoder() : nullptr);
  if (!inflated) return std::unexpected(std::move(inflated).error().at(byte_place(b.offset_bytes)));
  return inflated;
}

Result<void> Reader::each_part(const pak::Entry& entry, const std::function<void(ByteSpan part)>& use) const {
  if (header().is_encrypted() && !key_) return locked();
  ContentDigest digest(key_.get());
  for (const std::uint32_t block : view_.refs(entry)) {
    ASSETC_TRY(const ByteVector part, decode(block));
    digest.add(part);
    use(part);
  }
  if (digest.finish() == entry.digest) return {};
  return fail(ErrorCode::kInvalidData, "the content of " + entry.uuid.to_string() + " does not match its hash",
              formats::kDamagedHint);
}

Result<ByteVector> Reader::read(const pak::Entry& entry, std::uint64_t max_bytes) const {
  // An entry may name a block many times, so that a small file holds a large asset.
  std::uint64_t size = 0;
  for (const std::uint32_t block : view_.refs(entry)) size += view_.blocks()[block].size_bytes;
  if (size > max_bytes)
    return fail(ErrorCode::kLimit,
                message("found ", counted(size, "byte"), " of ", entry.uuid.to_string(), ", the limit is ", max_bytes),
                "raise it with --memory");
  ByteVector content;
  content.reserve(static_cast<std::size_t>(size));
  ASSETC_CHECK(each_part(entry, [&](ByteSpan part) { append_bytes(content, part); }));
  return content;
}

Result<ByteVector> Reader::read_first_block(const pak::Entry& entry) const {
  if (header().is_encrypted() && !key_) return locked();
  const auto blocks = view_.refs(entry);
  return blocks.empty() ? ByteVector() : decode(blocks.front());
}

Result<void> Reader::authenticate(const PublicKey* trusted) const {
  const pak::Footer& footer = view_.footer();
  if (sha256(view_.index_bytes()) != footer.index_sha256)
    return invalid(footer.index_offset_bytes, "the index does not match its hash");
  if (trusted != nullptr && !header().is_signed())
    return fail(ErrorCode::kInvalidData, "is not signed", "sign it with assetc sign");
  if (header().is_signed()) {
    if (trusted != nullptr && *trusted != header().signer)
      return fail_at(ErrorCode::kInvalidData, byte_place(32),
                     "is signed by " + hex(header().signer) + ", but the given key is " + hex(*trusted),
                     "do not trust it, unless the other key is yours");
    if (!verify_signature(header().signer, pak::signature_message(view_.header_bytes(), view_.footer_bytes()),
                          footer.signature))
      return invalid(view_.file_size_bytes() - sizeof(Signature),
                     "the signature does not match the header and the index",
                     "the file is damaged or was changed; do not use it");
  }
  ASSETC_CHECK(pak::check_header_hash(view_, sha256(pak::mac_message(view_.header_bytes(), view_.footer_bytes()))));
  if (key_ && key_->mac(pak::mac_message(view_.header_bytes(), view_.footer_bytes())) != footer.mac)
    return invalid(view_.file_size_bytes() - sizeof(pak::Footer) + pak::kMacCoversBytes,
                   "the MAC does not match the header and the index",
                   "the file is damaged or was changed; do not use it");
  return {};
}

Result<void> Reader::check_padding() const {
  if (!places_.empty()) return {};
  std::uint64_t end = sizeof(pak::Header);
  const auto check_to = [&](std::uint64_t next) -> Result<void> {
    if (formats::all_zero(file_.span().subspan(end, next - end))) return {};
    return invalid(end, "found bytes after a block, expected zeros");
  };
  for (const pak::Block& block : view_.blocks()) {
    ASSETC_CHECK(check_to(block.offset_bytes));
    end = block.offset_bytes + block.stored_size_bytes;
  }
  return check_to(view_.footer().index_offset_bytes);
}

Result<void> Reader::check_repetition() const {
  std::uint64_t content = 0, blocks = 0;
  for (const pak::Entry& entry : entries()) content += entry.size_bytes;
  for (const pak::Block& block : view_.blocks()) blocks += block.size_bytes;
  return bundle::check_repetition(content, blocks);
}

Result<void> Reader::verify(const PublicKey* trusted) const {
  ASSETC_CHECK(authenticate(trusted));
  ASSETC_CHECK(check_repetition());
  ASSETC_CHECK(check_padding());
  ASSETC_CHECK(check_all(view_.blocks().size(), [&](std::size_t i) { return check_block(i); }));
  if (header().is_encrypted() && !key_) return {};
  return check_all(entries().size(), [&](std::size_t i) { return each_part(entries()[i], [](ByteSpan) {}); });
}

Result<Reader> Reader::mount(Bytes patch, std::string name) const {
  ASSETC_TRY(const pak::PatchView part, pak::PatchView::open(patch));
  const pak::PatchHead& head = part.head();
  constexpr std::uint64_t kHashAt = sizeof(pak::PatchHead) - sizeof(Sha256);
  if (sha256(part.head_bytes().first(kHashAt)) != head.head_sha256)
    return invalid(0, "the head of the patch does not match its hash");
  if (head.old_id != id()) {
    const bool same = sha256(object_bytes(head.header), object_bytes(head.footer)) == id();
    return fail(ErrorCode::kConflict,
                message(same ? "is already applied: version " : "is a patch of another bundle: of version ",
                        same ? head.header.bundle_version : head.old_bundle_version, " of \"", head.header.name_text(),
                        "\" for ", head.header.platform_text()),
                same ? "" : "apply it only to the bundle that it was made from");
  }
  ASSETC_CHECK(pak::check_successor(header(), head.header));
  // The parts of a recipe that are not in the old one are hashes and UUIDs. They are at least a quarter of their rows
  // and do not compress.
  const ByteVector old_recipe = pak::recipe_of(view_);
  const auto new_bytes = checked_mul(head.recipe_stored_size_bytes, 8);
  if (!new_bytes || head.recipe_size_bytes > *new_bytes + old_recipe.size() + pak::kAlignment)
    return fail_at(
        ErrorCode::kLimit, byte_place(24),
        message("found a recipe of ", counted(head.recipe_size_bytes, "byte"), " in ", head.recipe_stored_size_bytes),
        formats::kDamagedHint);
  if (sha256(part.recipe()) != head.recipe_sha256)
    return invalid(sizeof(pak::PatchHead), "the recipe does not match its hash");
  auto recipe = compression::inflate_after(old_recipe, part.recipe(), head.recipe_size_bytes);
  if (!recipe) return std::unexpected(std::move(recipe).error().at(byte_place(sizeof(pak::PatchHead))));
  ASSETC_TRY(ByteVector image, pak::follow_recipe(*recipe, head.header, head.footer));

  Reader out;
  out.image_ = Bytes(std::move(image));
  const ByteSpan made = out.image_;
  ASSETC_TRY(out.view_, pak::View::open(made.first(sizeof(pak::Header)), made.subspan(sizeof(pak::Header)),
                                        head.footer.index_offset_bytes + made.size() - sizeof(pak::Header)));
  const pak::BlockNumbers old_blocks(view_);
  std::uint64_t end = part.blocks_offset_bytes();
  for (const pak::Block& block : out.view_.blocks()) {
    if (const auto old = old_blocks.find(block)) {
      out.places_.push_back(stored(*old));
      continue;
    }
    const std::uint64_t at = pak::align_up(end);
    if (!range_fits(at, block.stored_size_bytes, patch.size()))
      return fail_at(ErrorCode::kTruncated, byte_place(patch.size()), "found the end of the patch, expected blocks",
                     formats::kDamagedHint);
    if (!formats::all_zero(patch.span().subspan(end, at - end)))
      return invalid(end, "found bytes after a block, expected zeros");
    out.places_.push_back(patch.span().subspan(at, block.stored_size_bytes));
    end = at + block.stored_size_bytes;
  }
  ASSETC_CHECK(formats::expect_end(end, patch.size()));
  out.file_ = file_;
  out.patch_ = std::move(patch);
  out.patch_name_ = std::move(name);
  out.key_ = key_;
  ASSETC_CHECK(out.open_dictionary());
  return out;
}

}  // namespace assetc::bundle
