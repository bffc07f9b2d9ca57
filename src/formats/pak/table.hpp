// The table of .pak bundles and patches: docs/formats/pak.md. Internal to their reader.
#pragma once

#include "assetc/formats/pak.hpp"
#include "formats/table.hpp"

namespace assetc::pak::table {

using namespace formats;
using formats::Field, formats::Record;
using enum Type;
using enum Rule;

// The arrays of the index.
enum Count : std::uint8_t { kEntries, kBlocks, kRefs };
inline constexpr std::string_view kCountNames[] = {"entries", "blocks", "refs"};

inline constexpr Field kHeaderFields[] = {
    {"magic", kU32},    // check_magic()
    {"version", kU32},  // check_magic()
    {"flags", kU32},    // check_header_fields()
    {"reserved", kU32, 1, kZero},
    {"bundle_version", kU64},
    {"key_id", kU8, 8},     // as the flags say: check_header_fields()
    {"signer", kU8, 32},    // as the flags say: check_header_fields()
    {"platform", kU8, 32},  // check_name()
    {"name", kU8, 64},      // check_name()
};
inline constexpr Record kHeader{"header", kHeaderFields, true};

inline constexpr Field kEntryFields[] = {
    {"uuid", kU8, 16},  // ascending: View::check_entries()
    {"digest", kU8, 32},
    {"size_bytes", kU64},  // the sum of its blocks: View::check_entries()
    {"first_ref", kU32, 1, kRun, kRefs, 0, "refs"},
    {"ref_count", kU32},
};
inline constexpr Record kEntry{"entry", kEntryFields};

// View::check_blocks() has the rules of blocks: they differ with the flags, and have codes of their own.
inline constexpr Field kBlockFields[] = {
    {"offset_bytes", kU64}, {"size_bytes", kU32}, {"stored_size_bytes", kU32},
    {"codec", kU32},        {"owner", kU32},      {"stored_sha256", kU8, 32},
};
inline constexpr Record kBlock{"block", kBlockFields};

inline constexpr Field kRefFields[] = {
    {"block", kU32, 1, kIndex, kBlocks}};  // in the order of first use: View::check_entries()
inline constexpr Record kBlockRef{"ref", kRefFields};

inline constexpr Field kFooterFields[] = {
    {"magic", kU32},  // check_footer_fields()
    {"entry_count", kU32, 1, kCount, kEntries},
    {"block_count", kU32, 1, kCount, kBlocks},
    {"ref_count", kU32, 1, kCount, kRefs},
    {"index_offset_bytes", kU64},  // View::open()
    {"reserved", kU64, 1, kZero},
    {"index_sha256", kU8, 32},
    {"mac", kU8, 32},
    {"signature", kU8, 64},  // as the flags say: check_footer_fields()
};
inline constexpr Record kFooter{"footer", kFooterFields, true};

inline constexpr Field kPatchFields[] = {
    {"magic", kU32},    // check_magic()
    {"version", kU32},  // check_magic()
    {"old_bundle_version", kU64},
    {"old_file_size_bytes", kU64},
    {"recipe_size_bytes", kU64},
    {"recipe_stored_size_bytes", kU64},  // PatchView::open()
    {"reserved", kU64, 1, kZero},
    {"old_id", kU8, 32},
    {"recipe_sha256", kU8, 32},
    {"header", kU8, sizeof(Header)},  // kHeader
    {"footer", kU8, sizeof(Footer)},  // kFooter
    {"head_sha256", kU8, 32},
};
inline constexpr Record kPatch{"head of a patch", kPatchFields, true};

// The rows of a recipe, which follow one another without gaps.
inline constexpr Field kEntryRowFields[] = {
    {"uuid", kU8, 16}, {"digest", kU8, 32}, {"size_bytes", kU64}, {"ref_count", kU32}};
inline constexpr Record kEntryRow{"entry of a recipe", kEntryRowFields};
inline constexpr Field kBlockRowFields[] = {
    {"stored_sha256", kU8, 32}, {"size_bytes", kU32}, {"stored_size_bytes", kU32}, {"codec", kU8}};
inline constexpr Record kBlockRow{"block of a recipe", kBlockRowFields};
inline constexpr Field kRefRowFields[] = {{"back", kU32}};  // follow_recipe()
inline constexpr Record kRefRow{"ref of a recipe", kRefRowFields};

inline constexpr const Record* kRecords[] = {&kHeader, &kEntry,    &kBlock,    &kBlockRef, &kFooter,
                                             &kPatch,  &kEntryRow, &kBlockRow, &kRefRow};

static_assert(kHeader.size_bytes == sizeof(Header) && kFooter.size_bytes == sizeof(Footer));
static_assert(kEntry.size_bytes == sizeof(Entry) && kBlock.size_bytes == sizeof(Block));
static_assert(kPatch.size_bytes == sizeof(PatchHead));
static_assert(kPatch.offset_of("header") == offsetof(PatchHead, header));

}  // namespace assetc::pak::table
