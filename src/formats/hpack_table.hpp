// The table of .hpack: docs/formats/hpack.md. Internal to its reader and writer.
#pragma once

#include "assetc/formats/hpack.hpp"
#include "formats/table.hpp"

namespace assetc::hpack::table {

using namespace formats;
using formats::Field, formats::Record;
using enum Type;
using enum Rule;

enum Count : std::uint8_t { kEntries };
inline constexpr std::string_view kCountNames[] = {"entries"};

inline constexpr Field kHeaderFields[] = {
    {"magic", kU32},    // check_magic()
    {"version", kU32},  // check_magic()
    {"entry_count", kU32, 1, kCount, kEntries},
    {"flags", kU32},
    {"toc_size_bytes", kU64},  // Toc::open()
};
inline constexpr Record kHeader{"header", kHeaderFields, true};

// An entry of the table of contents. The bytes of its path follow it. Toc::open() has the rules: they depend on the
// path and on the size of the file.
inline constexpr Field kEntryFields[] = {
    {"offset_bytes", kU64}, {"size_bytes", kU64}, {"kind", kU8}, {"path_size_bytes", kU16}};
inline constexpr Record kEntry{"entry", kEntryFields};

inline constexpr Field kMarkFields[] = {
    {"magic", kU32}, {"version", kU32}, {"checksums_offset_bytes", kU64}};  // View::check_mark()
inline constexpr Record kMark{"mark", kMarkFields, true};

inline constexpr Field kChecksumFields[] = {{"xxh3", kU64, 2}};  // View::verify()
inline constexpr Record kChecksum{"checksum", kChecksumFields};

inline constexpr const Record* kRecords[] = {&kHeader, &kEntry, &kMark, &kChecksum};

static_assert(kHeader.size_bytes == kHeaderBytes && kMark.size_bytes == kMarkBytes);
static_assert(kChecksum.size_bytes == sizeof(ContentHash));

}  // namespace assetc::hpack::table
