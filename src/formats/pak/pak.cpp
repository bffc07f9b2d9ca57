// The header, footer and table of a bundle. Their rules are checked before a block is read, because blocks are found
// through them.
#include "assetc/formats/pak.hpp"

#include <algorithm>

#include "formats/pak/table.hpp"
#include "formats/text.hpp"

namespace assetc::pak {

using namespace formats;

namespace {

bool is_zero(std::span<const std::uint8_t> bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](std::uint8_t b) { return b == 0; });
}

Result<void> check_name(std::span<const char> field, std::uint64_t offset, std::string_view what) {
  const std::string_view all(field.data(), field.size());
  const std::string_view text = all.substr(0, all.find('\0'));
  if (const auto fault = name_fault(text, field.size()); !fault.empty())
    return invalid(offset, message("found ", quote(text), " as the ", what, ", which ", fault));
  if (all.find_first_not_of('\0', text.size()) != all.npos)
    return invalid(offset + text.size(), message("found bytes after the ", what, ", expected zeros"));
  return {};
}

Result<void> check_header_fields(const Header& header, std::uint64_t at) {
  if ((header.flags & ~kAllFlags) != 0)
    return fail_at(ErrorCode::kVersion, byte_place(at + 8),
                   message("found flags ", header.flags, ", of which this program knows ", kAllFlags),
                   "read it with a newer assetc");
  ASSETC_CHECK(check_records(table::kHeader, object_bytes(header), at, {}));
  if (is_zero(header.key_id) == header.is_encrypted())
    return invalid(at + 24, "the key of an encrypted bundle does not match the flags");
  if (is_zero(header.signer) == header.is_signed())
    return invalid(at + 32, "the key of a signed bundle does not match the flags");
  ASSETC_CHECK(check_name(header.platform, at + 64, "platform"));
  return check_name(header.name, at + 96, "name");
}

Result<void> check_footer_fields(const Header& header, const Footer& footer, std::uint64_t at) {
  if (footer.magic != kFooterMagic)
    return invalid(at, message("found magic ", fourcc_text(footer.magic), ", expected ", fourcc_text(kFooterMagic),
                               " 160 bytes before the end"));
  ASSETC_CHECK(check_records(table::kFooter, object_bytes(footer), at, {}));
  if (!header.is_signed() && !is_zero(footer.signature)) return invalid(at + 96, "found a signature, expected zeros");
  return {};
}

// Requires count Ts at the offset, aligned to alignof(T).
template <class T>
std::span<const T> array_at(ByteSpan bytes, std::uint64_t offset, std::uint64_t count) {
  return {reinterpret_cast<const T*>(bytes.data() + offset), static_cast<std::size_t>(count)};
}

}  // namespace

std::string_view to_string(Codec codec) {
  switch (codec) {
    case Codec::kNone:
      return "none";
    case Codec::kZstd:
      return "zstd";
    case Codec::kZstdDictionary:
      return "zstd+dictionary";
  }
  return "unknown";
}

std::string_view name_fault(std::string_view text, std::size_t max_bytes) {
  if (text.empty()) return "is empty";
  if (text.size() > max_bytes) return "is too long";
  for (const char c : text) {
    if (c < ' ' || c > '~') return "has a character that is not printable ASCII";
    if (c == '"' || c == '/' || c == '\\') return "has a quote, slash or backslash";
  }
  return "";
}

namespace {

std::unexpected<Error> too_short(std::uint64_t file_size_bytes) {
  return fail_at(ErrorCode::kTruncated, byte_place(file_size_bytes),
                 message("found the end of the file, expected a header and a footer of ",
                         sizeof(Header) + sizeof(Footer), " bytes"),
                 kDamagedHint);
}

}  // namespace

Result<View> View::open(ByteSpan file) {
  ASSETC_CHECK(check_magic(file, kMagic, kVersion, "pak"));
  if (file.size() < sizeof(Header) + sizeof(Footer)) return too_short(file.size());
  const std::uint64_t footer_at = file.size() - sizeof(Footer);
  const auto footer = load<Footer>(file, footer_at);
  ASSETC_CHECK(check_footer_fields(load<Header>(file), footer, footer_at));
  const std::uint64_t index_size = index_size_bytes(footer.entry_count, footer.block_count, footer.ref_count);
  if (index_size > footer_at || footer.index_offset_bytes != footer_at - index_size) {
    return invalid(footer_at + 4,
                   message("found ", counted(footer.entry_count, "entry"), ", ", counted(footer.block_count, "block"),
                           " and ", footer.ref_count, " refs at ", footer.index_offset_bytes,
                           ", expected their index of ", counted(index_size, "byte"), " to end at ", footer_at));
  }
  return open(file.first(sizeof(Header)), file.subspan(footer.index_offset_bytes), file.size());
}

Result<View> View::open(ByteSpan header, ByteSpan tail, std::uint64_t file_size_bytes) {
  if (header.size() < sizeof(Header) || tail.size() < sizeof(Footer) ||
      file_size_bytes < sizeof(Header) + sizeof(Footer))
    return too_short(file_size_bytes);
  ASSETC_CHECK(check_alignment(tail, alignof(Block)));
  View view;
  view.header_ = load<Header>(header);
  view.header_bytes_ = header.first(sizeof(Header));
  view.file_size_bytes_ = file_size_bytes;
  ASSETC_CHECK(view.check_header());
  const std::uint64_t index_size = tail.size() - sizeof(Footer);
  view.footer_bytes_ = tail.subspan(index_size);
  view.index_bytes_ = tail.first(index_size);
  view.footer_ = load<Footer>(view.footer_bytes_);
  const std::uint64_t footer_at = file_size_bytes - sizeof(Footer);
  ASSETC_CHECK(check_footer_fields(view.header_, view.footer_, footer_at));
  const Footer& footer = view.footer_;
  if (index_size != index_size_bytes(footer.entry_count, footer.block_count, footer.ref_count) ||
      index_size > footer_at || footer.index_offset_bytes != footer_at - index_size)
    return invalid(footer_at + 4, message("found an index of ", counted(index_size, "byte"), ", not that of ",
                                          counted(footer.entry_count, "entry"), ", ",
                                          counted(footer.block_count, "block"), " and ", footer.ref_count, " refs"));
  const std::uint64_t blocks_at = std::uint64_t{footer.entry_count} * sizeof(Entry);
  const std::uint64_t refs_at = blocks_at + std::uint64_t{footer.block_count} * sizeof(Block);
  view.entries_ = array_at<Entry>(tail, 0, footer.entry_count);
  view.blocks_ = array_at<Block>(tail, blocks_at, footer.block_count);
  view.refs_ = array_at<std::uint32_t>(tail, refs_at, footer.ref_count);
  const std::uint64_t refs_end = refs_at + view.refs_.size_bytes();
  if (!all_zero(view.index_bytes_.subspan(refs_end)))
    return invalid(footer.index_offset_bytes + refs_end, "found bytes after the index, expected zeros");
  Context context;
  give_counts(table::kFooter, view.footer_bytes_, context.counts);
  ASSETC_CHECK(check_records(table::kEntry, std::as_bytes(view.entries_), footer.index_offset_bytes, context));
  ASSETC_CHECK(
      check_records(table::kBlockRef, std::as_bytes(view.refs_), footer.index_offset_bytes + refs_at, context));
  ASSETC_CHECK(view.check_blocks());
  ASSETC_CHECK(view.check_entries());
  return view;
}

Result<void> View::check_header() const {
  ASSETC_CHECK(check_magic(header_bytes_, kMagic, kVersion, "pak"));
  return check_header_fields(header_, 0);
}

Result<void> View::check_blocks() const {
  const std::uint64_t blocks_at = footer_.index_offset_bytes + entries_.size_bytes();
  const std::uint32_t seal = header_.is_encrypted() ? kSealBytes : 0;
  if (header_.has_dictionary() && blocks_.empty()) return invalid(8, "found no block, expected a dictionary");
  std::uint64_t end = sizeof(Header);
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    const Block& block = blocks_[i];
    const std::uint64_t place = blocks_at + i * sizeof(Block);
    const bool is_dictionary = i == 0 && header_.has_dictionary();
    if (block.offset_bytes != align_up(end))
      return invalid(place, message("block ", i, " lies at ", block.offset_bytes, ", expected ", align_up(end)));
    if (block.size_bytes == 0 || block.size_bytes > kMaxBlockBytes)
      return fail_at(
          ErrorCode::kLimit, byte_place(place + 8),
          message("block ", i, " holds ", counted(block.size_bytes, "byte"), ", expected 1 to ", kMaxBlockBytes),
          kDamagedHint);
    if (block.codec > Codec::kZstdDictionary)
      return fail_at(
          ErrorCode::kVersion, byte_place(place + 16),
          message("found codec ", static_cast<std::uint32_t>(block.codec), " of block ", i, ", expected 0 to 2"),
          "read it with a newer assetc");
    if (block.codec == Codec::kZstdDictionary && (is_dictionary || !header_.has_dictionary()))
      return invalid(place + 16, message("block ", i, " needs a dictionary, which it cannot have"));
    // A block is stored uncompressed if compression does not make it smaller.
    const bool fits = block.codec == Codec::kNone
                          ? block.stored_size_bytes == block.size_bytes + seal
                          : block.stored_size_bytes > seal && block.stored_size_bytes < block.size_bytes + seal;
    if (!fits)
      return invalid(place + 12, message("block ", i, " of ", counted(block.size_bytes, "byte"), " is stored in ",
                                         block.stored_size_bytes, ", which ", to_string(block.codec), " never does"));
    end = block.offset_bytes + block.stored_size_bytes;  // at most 2^32 blocks of 2^25 bytes: no overflow
  }
  if (align_up(end) != footer_.index_offset_bytes)
    return invalid(footer_.index_offset_bytes, message("found the index at ", footer_.index_offset_bytes,
                                                       ", expected it after the blocks at ", align_up(end)));
  return {};
}

Result<void> View::check_entries() const {
  const std::uint64_t refs_at = footer_.index_offset_bytes + entries_.size_bytes() + blocks_.size_bytes();
  std::uint64_t next_ref = 0;
  std::uint32_t next_block = header_.has_dictionary() ? 1 : 0;
  const std::uint32_t first_block = next_block;
  std::vector<bool> is_named(header_.is_laid_out() ? blocks_.size() : 0);
  std::size_t named_count = first_block;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const Entry& entry = entries_[i];
    const std::uint64_t place = footer_.index_offset_bytes + i * sizeof(Entry);
    if (i > 0 && !(entries_[i - 1].uuid < entry.uuid)) {
      return invalid(place, entries_[i - 1].uuid == entry.uuid
                                ? message("found UUID ", entry.uuid.to_string(), " twice")
                                : message("found UUID ", entry.uuid.to_string(), " after ",
                                          entries_[i - 1].uuid.to_string(), ", expected them to ascend"));
    }
    std::uint64_t size = 0;
    for (std::uint32_t r = 0; r < entry.ref_count; ++r) {
      const std::uint32_t block = refs_[next_ref + r];
      if (block < first_block || (block > next_block && !header_.is_laid_out()))
        return invalid(refs_at + (next_ref + r) * sizeof(std::uint32_t),
                       message("found block ", block, ", expected ", first_block, " to ",
                               std::min<std::uint64_t>(next_block, blocks_.size()),
                               ": blocks are numbered as they are first referred to"));
      const bool is_first = header_.is_laid_out() ? !is_named[block] : block == next_block;
      if (is_first) {
        ++next_block;
        ++named_count;
        if (header_.is_laid_out()) is_named[block] = true;
        if (blocks_[block].owner != i)
          return invalid(footer_.index_offset_bytes + entries_.size_bytes() + block * sizeof(Block) + 20,
                         message("found owner ", blocks_[block].owner, " of block ", block, ", expected ", i));
      }
      size += blocks_[block].size_bytes;  // at most 2^32 refs to 2^24 bytes: no overflow
    }
    if (size != entry.size_bytes)
      return invalid(place + 48, message("found ", counted(entry.size_bytes, "byte"), " of entry ", i,
                                         ", whose blocks hold ", size));
    next_ref += entry.ref_count;
  }
  if (named_count != blocks_.size()) {
    std::size_t unnamed = named_count;
    if (header_.is_laid_out())
      unnamed =
          static_cast<std::size_t>(std::find(is_named.begin() + first_block, is_named.end(), false) - is_named.begin());
    return invalid(footer_.index_offset_bytes + entries_.size_bytes() + unnamed * sizeof(Block),
                   message("found block ", unnamed, ", which no entry refers to"));
  }
  if (header_.has_dictionary() && blocks_[0].owner != 0)
    return invalid(footer_.index_offset_bytes + entries_.size_bytes() + 20, "the dictionary has an owner");
  return {};
}

const Entry* View::find(const Uuid& uuid) const {
  const auto it = std::lower_bound(entries_.begin(), entries_.end(), uuid,
                                   [](const Entry& entry, const Uuid& key) { return entry.uuid < key; });
  return it != entries_.end() && it->uuid == uuid ? &*it : nullptr;
}

Result<void> check_successor(const Header& old, const Header& next) {
  if (old.platform != next.platform || old.name != next.name)
    return fail(ErrorCode::kConflict,
                message("makes bundle \"", next.name_text(), "\" for ", next.platform_text(), " from bundle \"",
                        old.name_text(), "\" for ", old.platform_text()),
                "a patch keeps the name and the platform of a bundle; do not use it");
  if (next.bundle_version < old.bundle_version)
    return fail(ErrorCode::kConflict,
                message("replaces version ", old.bundle_version, " with the older version ", next.bundle_version),
                "to go back, download the whole older bundle");
  return {};
}

Result<PatchView> PatchView::open(ByteSpan file) {
  ASSETC_CHECK(check_magic(file, kPatchMagic, kVersion, "pak patch"));
  if (file.size() < sizeof(PatchHead))
    return fail_at(ErrorCode::kTruncated, byte_place(file.size()),
                   message("found the end of the file, expected the head of a patch of ", sizeof(PatchHead), " bytes"),
                   kDamagedHint);
  PatchView view;
  view.file_ = file;
  view.head_ = load<PatchHead>(file);
  const PatchHead& head = view.head_;
  ASSETC_CHECK(check_records(table::kPatch, object_bytes(head), 0, {}));
  if (!range_fits(sizeof(PatchHead), head.recipe_stored_size_bytes, file.size()))
    return fail_at(
        ErrorCode::kTruncated, byte_place(file.size()),
        message("found the end of the file, expected a recipe of ", counted(head.recipe_stored_size_bytes, "byte")),
        kDamagedHint);
  if (view.blocks_offset_bytes() > file.size())
    return fail_at(ErrorCode::kTruncated, byte_place(file.size()), "found the end of the file, expected padding",
                   kDamagedHint);
  const std::uint64_t recipe_end = sizeof(PatchHead) + head.recipe_stored_size_bytes;
  if (!all_zero(file.subspan(recipe_end, view.blocks_offset_bytes() - recipe_end)))
    return invalid(recipe_end, "found bytes after the recipe, expected zeros");
  constexpr std::uint64_t kHeaderAt = 112;
  static_assert(kHeaderAt + sizeof(Header) + sizeof(Footer) + sizeof(Sha256) == sizeof(PatchHead));
  if (head.header.magic != kMagic || head.header.version != kVersion)
    return invalid(kHeaderAt, message("found no header of a bundle of version ", kVersion));
  ASSETC_CHECK(check_header_fields(head.header, kHeaderAt));
  ASSETC_CHECK(check_footer_fields(head.header, head.footer, kHeaderAt + sizeof(Header)));
  return view;
}

}  // namespace assetc::pak
