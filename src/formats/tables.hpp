// All tables of formats, for the tests that print and compare them. Readers include the table of their format alone.
#pragma once

#include "formats/aas1/desc_table.hpp"
#include "formats/aas1/mesh_table.hpp"
#include "formats/galileo/table.hpp"
#include "formats/hanim/table.hpp"
#include "formats/hcluster/table.hpp"
#include "formats/hfont_table.hpp"
#include "formats/hman_table.hpp"
#include "formats/hmat_table.hpp"
#include "formats/hmesh/table.hpp"
#include "formats/hmesh/v1_table.hpp"
#include "formats/hpack_table.hpp"
#include "formats/hscene/table.hpp"
#include "formats/pak/table.hpp"
#include "formats/registry/table.hpp"

namespace assetc::formats {

// Which package reads a format in JavaScript: its tables.js has the table.
enum class JavaScript : std::uint8_t { kThree, kPage, kNone };

struct FormatTable {
  std::string_view name;
  std::span<const std::string_view> counts;  // their names, by number
  std::span<const ChunkRow> chunks = {};
  std::span<const Record* const> records = {};  // those that no chunk and no part has
  std::span<const Part* const> parts = {};
  JavaScript javascript = JavaScript::kThree;
  std::string_view page = {};  // in docs/formats, without .md; empty: the name
};

// The page of the first format that has a record describes it for the formats after it.
inline constexpr FormatTable kFormatTables[] = {
    {"aas1", aas1::table::kCountNames, {}, aas1::table::kRecords, {}, JavaScript::kPage},
    {"aas1Mesh", {}, {}, aas1::table::kMeshRecords, aas1::table::kMeshParts, JavaScript::kPage, "aas1"},
    {"galileo", galileo::table::kCountNames, {}, galileo::table::kRecords, {}, JavaScript::kNone},
    {"hanim", hanim::table::kCountNames, {}, hanim::table::kRecords, hanim::table::kParts},
    {"hfont", hfont::table::kCountNames, hfont::table::kChunks, {}, {}, JavaScript::kNone},
    {"hman", hman::table::kCountNames, {}, hman::table::kRecords, {}},
    {"hmat", hmat::table::kCountNames, {}, {}, hmat::table::kParts},
    {"hmesh", hmesh::table::kCountNames, hmesh::table::kChunks, hmesh::table::kRecords, hmesh::table::kParts},
    {"hmesh-v1", hmesh_v1::table::kCountNames, hmesh_v1::table::kChunks, hmesh_v1::table::kRecords,
     hmesh_v1::table::kParts, JavaScript::kNone},
    {"hcluster", hcluster::table::kCountNames, hcluster::table::kChunks, {}, {}, JavaScript::kNone},
    {"hpack", hpack::table::kCountNames, {}, hpack::table::kRecords, {}, JavaScript::kNone},
    {"hscene", hscene::table::kCountNames, hscene::table::kChunks, {}, hscene::table::kParts},
    {"pak", pak::table::kCountNames, {}, pak::table::kRecords, {}, JavaScript::kNone},
    {"registry", registry::table::kCountNames, {}, registry::table::kRecords, {}, JavaScript::kNone},
};

}  // namespace assetc::formats
