#include "formats/pak/recipe.hpp"

#include <limits>

#include "formats/pak/table.hpp"

namespace assetc::pak {
namespace {

using formats::invalid;
using formats::message;

// The sizes of rows in a recipe, without padding.
constexpr std::uint64_t kEntryRowBytes = table::kEntryRow.size_bytes;
constexpr std::uint64_t kBlockRowBytes = table::kBlockRow.size_bytes;
constexpr std::uint64_t kRefRowBytes = table::kRefRow.size_bytes;

// The block that a ref is stored as the distance from, after this ref.
std::uint32_t next_after(std::uint32_t ref, std::uint32_t next, const Header& header) {
  if (header.is_laid_out()) return ref + 1;
  return ref == next ? next + 1 : next;
}

}  // namespace

ByteVector recipe_of(const View& view) {
  ByteVector out;
  out.reserve(view.entries().size() * kEntryRowBytes + view.blocks().size() * kBlockRowBytes +
              view.refs().size() * kRefRowBytes);
  for (const Entry& entry : view.entries()) {
    append(out, entry.uuid);
    append(out, entry.digest);
    append(out, entry.size_bytes);
    append(out, entry.ref_count);
  }
  for (const Block& block : view.blocks()) {
    append(out, block.stored_sha256);
    append(out, block.size_bytes);
    append(out, block.stored_size_bytes);
    append(out, static_cast<std::uint8_t>(block.codec));
  }
  // Refs are stored as the distance back from the next new block; 0 is that block. If a block is added or removed, no
  // other ref changes.
  std::uint32_t next = view.header().has_dictionary() ? 1 : 0;
  for (const std::uint32_t ref : view.refs()) {
    append(out, next - ref);
    next = next_after(ref, next, view.header());
  }
  return out;
}

Result<ByteVector> follow_recipe(ByteSpan recipe, const Header& header, const Footer& footer) {
  const std::uint64_t expected =
      footer.entry_count * kEntryRowBytes + footer.block_count * kBlockRowBytes + footer.ref_count * kRefRowBytes;
  if (recipe.size() != expected)
    return invalid(24, message("found a recipe of ", counted(recipe.size(), "byte"), ", expected ", expected, " of ",
                               counted(footer.entry_count, "entry"), ", ", counted(footer.block_count, "block"),
                               " and ", footer.ref_count, " refs"));
  std::vector<Entry> entries(footer.entry_count);
  std::vector<Block> blocks(footer.block_count);
  std::vector<std::uint32_t> refs(footer.ref_count);
  formats::Reader in(recipe);  // has the requested size
  std::uint64_t ref_count = 0;
  for (Entry& entry : entries) {
    entry.uuid = *in.read<Uuid>("a UUID");
    entry.digest = *in.read<Sha256>("a hash");
    entry.size_bytes = *in.read<std::uint64_t>("a size");
    entry.ref_count = *in.read<std::uint32_t>("a count");
    entry.first_ref = static_cast<std::uint32_t>(ref_count);
    ref_count += entry.ref_count;
    if (ref_count > refs.size()) return invalid(24, message("found more refs than ", refs.size(), " in a recipe"));
  }
  std::uint64_t end = sizeof(Header);
  for (Block& block : blocks) {
    block.stored_sha256 = *in.read<Sha256>("a hash");
    block.size_bytes = *in.read<std::uint32_t>("a size");
    block.stored_size_bytes = *in.read<std::uint32_t>("a size");
    block.codec = static_cast<Codec>(*in.read<std::uint8_t>("a codec"));
    block.offset_bytes = align_up(end);
    end = block.offset_bytes + block.stored_size_bytes;  // at most 2^32 blocks of 2^32 bytes: no overflow
  }
  std::uint32_t next = header.has_dictionary() ? 1 : 0;
  std::vector<bool> is_named(blocks.size());
  std::size_t entry = 0;
  for (std::size_t i = 0; i < refs.size(); ++i) {
    while (entry < entries.size() && i >= std::uint64_t{entries[entry].first_ref} + entries[entry].ref_count) ++entry;
    const auto back = *in.read<std::uint32_t>("a ref");
    refs[i] = next - back;  // wraps in a bundle that is laid out
    if ((back > next && !header.is_laid_out()) || refs[i] >= blocks.size())
      return invalid(24, message("found ref ", i, " to a missing block in a recipe"));
    if (!is_named[refs[i]]) blocks[refs[i]].owner = static_cast<std::uint32_t>(entry);
    is_named[refs[i]] = true;
    next = next_after(refs[i], next, header);
  }
  ByteVector out;
  append(out, header);
  append_array(out, std::span<const Entry>(entries));
  append_array(out, std::span<const Block>(blocks));
  append_array(out, std::span<const std::uint32_t>(refs));
  pad_to(out, kAlignment);
  append(out, footer);
  return out;
}

}  // namespace assetc::pak
