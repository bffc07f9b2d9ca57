// The table of .hman: docs/formats/hman.md. Internal to its reader. Entries follow one another with their paths
// between, so that each is checked alone. Rules for paths, hashes and their order are in hman.cpp and hman.js.
#pragma once

#include "assetc/formats/hman.hpp"
#include "formats/table.hpp"

namespace assetc::hman::table {

using namespace formats;
using formats::Field, formats::Part, formats::Record, formats::Section, formats::Size;
using enum Type;
using enum Rule;

enum Count : std::uint8_t { kEntries };
inline constexpr std::string_view kCountNames[] = {"entries"};

inline constexpr Field kHeaderFields[] = {
    {"magic", kU32, 1, kEqual, kMagic},
    {"version", kU32, 1, Rule::kVersion, hman::kVersion},
    {"entry_count", kU32, 1, kCount, kEntries},
    {"flags", kU32},  // readers ignore unknown ones
};
inline constexpr Record kHeader{"header", kHeaderFields, true};

inline constexpr Field kEntryFields[] = {
    {"hash", kU64},
    {"kind", kU8},  // readers keep kinds that are not listed
    {"colorspace", kU8, 1, kRange, 0, 1, "color space"},
    {"path_size_bytes", kU16},
};
inline constexpr Record kEntry{"entry", kEntryFields};
inline constexpr const Record* kRecords[] = {&kHeader, &kEntry};

}  // namespace assetc::hman::table
