// All tables of formats, for the tests that print and compare them. Readers include the table of their format alone.
#pragma once

#include "formats/galileo_table.hpp"
#include "formats/hcluster_table.hpp"
#include "formats/hfont_table.hpp"
#include "formats/hmesh_table.hpp"
#include "formats/hmesh_v1_table.hpp"
#include "formats/hpack_table.hpp"
#include "formats/hscene_table.hpp"
#include "formats/pak_table.hpp"
#include "formats/registry_table.hpp"

namespace assetc::formats {

struct FormatTable {
  std::string_view name;
  std::span<const std::string_view> counts;  // their names, by number
  std::span<const ChunkRow> chunks = {};
  std::span<const Record* const> records = {};  // those that no chunk and no part has
  std::span<const Part* const> parts = {};
  bool is_for_javascript = true;  // whether web/three reads the format
};

inline constexpr FormatTable kFormatTables[] = {
    {"galileo", galileo::table::kCountNames, {}, galileo::table::kRecords, {}, false},
    {"hcluster", hcluster::table::kCountNames, hcluster::table::kChunks, {}, {}, false},
    {"hfont", hfont::table::kCountNames, hfont::table::kChunks, {}, {}, false},
    {"hmesh", hmesh::table::kCountNames, hmesh::table::kChunks, hmesh::table::kRecords, hmesh::table::kParts},
    {"hmesh-v1", hmesh_v1::table::kCountNames, hmesh_v1::table::kChunks, hmesh_v1::table::kRecords,
     hmesh_v1::table::kParts, false},
    {"hpack", hpack::table::kCountNames, {}, hpack::table::kRecords, {}, false},
    {"hscene", hscene::table::kCountNames, hscene::table::kChunks, {}, hscene::table::kParts},
    {"pak", pak::table::kCountNames, {}, pak::table::kRecords, {}, false},
    {"registry", registry::table::kCountNames, {}, registry::table::kRecords, {}, false},
};

}  // namespace assetc::formats
