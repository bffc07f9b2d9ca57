// All tables of formats, for the tests that print and compare them. Readers include the table of their format alone.
#pragma once

#include "formats/aas1_desc_table.hpp"
#include "formats/hanim_table.hpp"
#include "formats/hman_table.hpp"
#include "formats/hmat_table.hpp"
#include "formats/hmesh_table.hpp"
#include "formats/hscene_table.hpp"

namespace assetc::formats {

struct FormatTable {
  std::string_view name;
  std::span<const std::string_view> counts;  // their names, by number
  std::span<const ChunkRow> chunks = {};
  std::span<const Record* const> records = {};  // those that no chunk and no part has
  std::span<const Part* const> parts = {};
  bool is_of_page = false;  // only the page reads it in JavaScript: its table is in web/page/src/tables.js
};

inline constexpr FormatTable kFormatTables[] = {
    {"hmesh", hmesh::table::kCountNames, hmesh::table::kChunks, hmesh::table::kRecords, hmesh::table::kParts},
    {"hscene", hscene::table::kCountNames, hscene::table::kChunks, {}, hscene::table::kParts},
    {"hmat", hmat::table::kCountNames, {}, {}, hmat::table::kParts},
    {"hman", hman::table::kCountNames, {}, hman::table::kRecords, {}},
    {"hanim", hanim::table::kCountNames, {}, hanim::table::kRecords, hanim::table::kParts},
    {"aas1", aas1::table::kCountNames, {}, aas1::table::kRecords, {}, true},
};

}  // namespace assetc::formats
