// The tables of the formats are the one description: JavaScript gets them as web/three/src/tables.js and
// web/page/src/tables.js, and the manual shows them (manual_test.cpp).
#include "formats/tables.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "formats/table_text.hpp"
#include "places.hpp"

namespace assetc::formats {
namespace {

constexpr std::string_view kSizes[] = {"free", "fixed", "one", "part"};
constexpr std::string_view kTexts[] = {"none", "rest", "sized"};

std::string rule_name(Rule rule) {
  constexpr std::string_view kRules[] = {
      "any",      "zero",     "version",       "equal",  "range",         "set",          "bits",      "multiple",
      "count",    "count of", "none or count", "index",  "index or none", "up to",        "slice",     "run",
      "text end", "parent",   "earlier",       "finite", "from zero",     "not negative", "up to one", "weights",
      "step",     "in order", "box",           "bounds", "bounds inside", "inside",       "ref"};
  return std::string(kRules[static_cast<std::size_t>(rule)]);
}

std::string in_quotes(std::string_view text) { return "'" + std::string(text) + "'"; }

// A list without the values at its end that are the default.
std::string field_text(const Field& f) {
  std::vector<std::string> parts{in_quotes(f.name),       in_quotes(kTypes[static_cast<std::size_t>(f.type)]),
                                 std::to_string(f.count), in_quotes(rule_name(f.rule)),
                                 std::to_string(f.a),     std::to_string(f.b),
                                 in_quotes(f.what)};
  const std::vector<std::string> defaults{"", "", "1", "'any'", "0", "0", "''"};
  while (parts.size() > 2 && parts.back() == defaults[parts.size() - 1]) parts.pop_back();
  std::string out = "[";
  for (std::size_t i = 0; i < parts.size(); ++i) out += (i == 0 ? "" : ", ") + parts[i];
  return out + "]";
}

// The tables of a package.
std::string javascript(JavaScript reader) {
  std::string out =
      "// The tables of the formats, printed from src/formats/*_table.hpp by ASSETC_UPDATE_GOLDEN=1 test_formats.\n"
      "// A record: name, then fields: name, type, count, rule, A, B, words for messages. Values at the end that are "
      "the default are "
      "left out.\n"
      "// A part: id, header, texts, field of their size, whether more follows, then sections: record, first field, "
      "fields, factor, count.\n"
      "// A chunk: id, record, size, count, whether it is required, a bit for each encoding that it may have.\n"
      "export const FORMATS = {\n";
  for (const FormatTable& format : kFormatTables) {
    if (format.javascript != reader) continue;
    out += "  " + std::string(format.name) + ": {\n    counts: {";
    for (std::size_t i = 0; i < format.counts.size(); ++i)
      out += (i == 0 ? " " : ", ") + std::string(format.counts[i]) + ": " + std::to_string(i);
    out += " },\n    records: [\n";
    for (const Record* record : records_of(format)) {
      out += "      [" + in_quotes(record->name);
      for (const Field& field : record->fields) out += ",\n        " + field_text(field);
      out += "],\n";
    }
    out += "    ],\n    parts: [\n";
    for (const Part* part : format.parts) {
      out += "      [" + in_quotes(part->name) + ", " + in_quotes(part->header->name) + ", " +
             in_quotes(kTexts[static_cast<std::size_t>(part->texts)]) + ", " + std::to_string(part->text_field) + ", " +
             (part->has_more ? "1" : "0");
      for (const Section& s : part->sections) {
        out += ", [" + in_quotes(s.record->name) + ", " + std::to_string(s.first_field) + ", " +
               std::to_string(s.field_count) + ", " + std::to_string(s.times_field) + ", " + std::to_string(s.count) +
               "]";
      }
      out += "],\n";
    }
    out += "    ],\n    chunks: [\n";
    for (const ChunkRow& row : format.chunks) {
      out += "      [" + in_quotes(fourcc_of(row.id)) + ", " +
             in_quotes(row.record == nullptr ? "" : row.record->name) + ", " +
             in_quotes(kSizes[static_cast<std::size_t>(row.size)]) + ", " + std::to_string(row.count) + ", " +
             (row.is_required ? "1" : "0") + (row.encodings == 0 ? "" : ", " + std::to_string(row.encodings)) + "],\n";
    }
    out += "    ],\n  },\n";
  }
  return out + "};\n";
}

TEST(Tables, names_are_unique) {
  for (const FormatTable& format : kFormatTables) {
    std::set<std::string_view> names;
    for (const Record* record : records_of(format)) {
      EXPECT_TRUE(names.insert(record->name).second) << format.name << " has two records " << record->name;
      std::set<std::string_view> fields;
      for (const Field& field : record->fields)
        EXPECT_TRUE(fields.insert(field.name).second) << record->name << " has two fields " << field.name;
      EXPECT_LE(record->fields.size(), kMaxFields);
    }
    EXPECT_LE(format.chunks.size(), kMaxChunkRows);
    EXPECT_LE(format.counts.size(), kMaxCounts);
  }
}

TEST(Tables, javascript_has_the_same_tables) {
  for (const JavaScript reader : {JavaScript::kThree, JavaScript::kPage}) {
    const std::string path =
        std::string(places::kSource) + (reader == JavaScript::kPage ? "/web/page" : "/web/three") + "/src/tables.js";
    if (std::getenv("ASSETC_UPDATE_GOLDEN") != nullptr) std::ofstream(path, std::ios::binary) << javascript(reader);
    EXPECT_EQ(read_file(path), javascript(reader))
        << "run ASSETC_UPDATE_GOLDEN=1 test_formats --gtest_filter='Tables.*'";
  }
}

}  // namespace
}  // namespace assetc::formats
