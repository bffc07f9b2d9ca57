// The pages of docs/formats show the tables of the formats. A comment stands directly above each table:
//
//   <!-- record: submesh -->        the fields of a record
//   <!-- elements of hmesh -->      the records with one field that have no table of their own
//   <!-- part: NAME -->             the order of a header, its arrays and its texts
//   <!-- chunks of hmesh -->        the chunks of a file
//
// The first columns are printed from src/formats/*_table.hpp. People write the columns after them, which are kept.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "formats/table_text.hpp"
#include "formats/tables.hpp"
#include "places.hpp"

namespace assetc::formats {
namespace {

// ---- words ----

std::string in_code(std::string_view text) { return "`" + std::string(text) + "`"; }

// meshletVertices -> meshlet vertices
std::string words_of(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (std::isupper(static_cast<unsigned char>(c)) != 0) out += ' ';
    out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return out;
}

// Numbers below 32, as "0", "2 or 4", "1 to 4, 16 to 19".
std::string numbers_of(std::uint32_t bits, std::string_view before_last = " or ") {
  std::vector<std::string> runs;
  for (std::uint32_t first = 0; first < 32; ++first) {
    if ((bits >> first & 1) == 0) continue;
    std::uint32_t last = first;
    while (last < 31 && (bits >> (last + 1) & 1) != 0) ++last;
    for (; last == first + 1 && first < last; ++first) runs.push_back(std::to_string(first));
    runs.push_back(first == last ? std::to_string(first) : std::to_string(first) + " to " + std::to_string(last));
    first = last;
  }
  std::string out;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (i != 0) out += i + 1 < runs.size() ? ", " : before_last;
    out += runs[i];
  }
  return out;
}

// The array whose elements have this count, as its chunk or in words.
std::string array_of(const FormatTable& format, std::uint32_t count) {
  for (const ChunkRow& row : format.chunks)
    if (row.count == count && row.size != Size::kPart) return in_code(fourcc_of(row.id));
  return words_of(format.counts[count]);
}

// A count, as the field that gives it, its chunk, or in words.
std::string count_of(const FormatTable& format, std::uint32_t count) {
  for (const ChunkRow& row : format.chunks)
    if (row.count == count && row.size == Size::kFree) return "the count of " + in_code(fourcc_of(row.id));
  const auto give = [&](const Record& record, std::string_view where) -> std::string {
    for (const Field& field : record.fields) {
      if (field.rule == Rule::kCount && field.a == count && field.name != "count")
        return in_code(field.name) + " of " + in_code(where);
    }
    return {};
  };
  std::string found;
  for (const ChunkRow& row : format.chunks)
    if (row.size == Size::kOne && found.empty()) found = give(*row.record, fourcc_of(row.id));
  for (const Part* part : format.parts)
    if (found.empty()) found = give(*part->header, part->name);
  if (!found.empty()) return found;
  return "the count of " + words_of(format.counts[count]);
}

std::string field_at(const Record& record, std::uint32_t offset) {
  for (const Field& field : record.fields)
    if (record.offset_of(field.name) == offset) return in_code(field.name);
  return "byte " + std::to_string(offset);
}

std::string number_of(const Field& field) {
  bool is_text = field.type == Type::kU32;
  for (const char c : fourcc_of(field.a)) is_text = is_text && std::isalnum(static_cast<unsigned char>(c)) != 0;
  return is_text ? in_code(fourcc_of(field.a)) : std::to_string(field.a);
}

// The rule of a field, in words.
std::string value_of(const FormatTable& format, const Record& record, const Field& field) {
  const std::string a = std::to_string(field.a), b = std::to_string(field.b);
  switch (field.rule) {
    case Rule::kAny:
      return "";
    case Rule::kZero:
      return "0";
    case Rule::kVersion:
    case Rule::kEqual:
      return number_of(field);
    case Rule::kRange:
      return field.b == 0xFFFFFFFF ? "at least " + a : a + (field.b == field.a + 1 ? " or " : " to ") + b;
    case Rule::kSet:
      return numbers_of(field.a);
    case Rule::kBits:
      return (std::popcount(field.a) == 1 ? "only bit " : "only bits ") + numbers_of(field.a, " and ");
    case Rule::kMultiple:
      return "a multiple of " + a + (field.b == 0 ? "" : ", at least " + b);
    case Rule::kCount:
      return field.b > 1 ? "a multiple of " + b : "";
    case Rule::kCountOf:
      return count_of(format, field.a);
    case Rule::kNoneOrCount:
      return "0, or " + count_of(format, field.a);
    case Rule::kIndex:
      return "less than " + count_of(format, field.a);
    case Rule::kIndexOrNone:
      return "less than " + count_of(format, field.a) + ", or none";
    case Rule::kUpTo:
      return "at most " + count_of(format, field.a);
    case Rule::kSlice:
      return "the first element of a range of " + array_of(format, field.a);
    case Rule::kRun:
      return "the first element of a range of " + array_of(format, field.a) +
             ", where the range before ends; the last range ends the array";
    case Rule::kTextEnd:
      return "not below the one before; the last one is the end of the text; UTF-8 between";
    case Rule::kParent:
      return "less than " + count_of(format, field.a) + ", or -1";
    case Rule::kEarlier:
      return "the number of one before it, or -1";
    case Rule::kFinite:
      return "finite";
    case Rule::kFromZero:
      return "finite, at least 0";
    case Rule::kNotNegative:
      return "at least 0, or infinite";
    case Rule::kUpToOne:
      return "0 to 1";
    case Rule::kWeights:
      static_assert(hmesh::kWeightSumTolerance == 0.001f);
      return "at least 0, with the sum 1 ± 0.001";
    case Rule::kStep:
      return "at least 0; 32767 times it is finite";
    case Rule::kInOrder:
      return "finite, the first not above the second";
    case Rule::kBox:
      return "finite; minimum ≤ maximum if " +
             (field.b == 0 ? field_at(record, field.a) + " is not 0"
                           : "bit " + numbers_of(field.b) + " of " + field_at(record, field.a) + " is set");
    case Rule::kBounds:
      return "finite; minimum ≤ maximum, radius ≥ 0";
    case Rule::kBoundsInside:
      return "finite; minimum ≤ maximum, radius ≥ 0; the box inside that of the mesh";
    case Rule::kInside:
      return "inside the box of the mesh";
    case Rule::kRef:
      return "the last 8 bytes are 0 if it is a hash";
  }
  return "";
}

// ---- tables ----

using Cells = std::vector<std::string>;
struct Table {
  std::string marker;
  Cells head;
  std::vector<Cells> rows;
  std::size_t key;  // the column that names a row
};

std::string type_of(const Field& field) {
  return std::string(kTypes[static_cast<std::size_t>(field.type)]) +
         (field.count == 1 ? "" : " × " + std::to_string(field.count));
}

Table fields_of(const FormatTable& format, const Record& record) {
  Table table{"<!-- record: " + std::string(record.name) + " -->", {"Offset", "Type", "Field", "Value"}, {}, 2};
  std::uint32_t multiple = 0;  // of the number of elements of a range whose first element the field before is
  bool is_size = false;
  for (const Field& field : record.fields) {
    std::string value = value_of(format, record, field);
    if (is_size) {
      value = "the number of elements of the range" + (value.empty() ? "" : ", " + value) +
              (multiple > 1 ? ", a multiple of " + std::to_string(multiple) : "");
    }
    is_size = field.rule == Rule::kSlice || field.rule == Rule::kRun;
    multiple = field.b;
    table.rows.push_back(
        {std::to_string(record.offset_of(field.name)), type_of(field), in_code(field.name), std::move(value)});
  }
  return table;
}

Table chunks_of(const FormatTable& format) {
  Table table{"<!-- chunks of " + std::string(format.name) + " -->", {"Id", "Element", "Bytes", "Elements"}, {}, 0};
  bool are_encoded = false;
  for (const ChunkRow& row : format.chunks) are_encoded |= row.encodings != 0;
  if (are_encoded) table.head.push_back("Encodings");
  for (const ChunkRow& row : format.chunks) {
    std::string many = row.size == Size::kOne     ? "one"
                       : row.size == Size::kFixed ? count_of(format, row.count)
                       : row.size == Size::kFree  ? "any number"
                                                  : "";
    if (row.is_required) many += many.empty() ? "required" : ", required";
    const bool is_array = row.record != nullptr && row.size != Size::kPart;
    table.rows.push_back({in_code(fourcc_of(row.id)),
                          is_array              ? std::string(row.record->name)
                          : row.part != nullptr ? "the part " + in_code(row.part->name)
                                                : "",
                          is_array ? std::to_string(row.record->size_bytes) : "", std::move(many)});
    if (are_encoded) table.rows.back().push_back(numbers_of(row.encodings));
  }
  return table;
}

Table order_of(const Part& part) {
  Table table{"<!-- part: " + std::string(part.name) + " -->", {"Offset", "Contents", "Bytes", "How many"}, {}, 1};
  const auto field = [&](std::size_t number) { return in_code(part.header->fields[number].name); };
  const auto bytes = [](const Record& record) { return std::to_string(record.size_bytes); };
  table.rows.push_back({"0", std::string(part.header->name), bytes(*part.header), "one"});
  for (const Section& section : part.sections) {
    std::string many;
    for (std::size_t i = 0; i < section.field_count; ++i)
      many += (i == 0 ? "" : " + ") + field(section.first_field + i);
    if (section.times_field != 0xFF) many += " × " + field(section.times_field);
    table.rows.push_back({"", std::string(section.record->name), bytes(*section.record), std::move(many)});
  }
  if (part.texts == Texts::kRest) table.rows.push_back({"", "text", "", "up to the end"});
  if (part.texts == Texts::kSized) table.rows.push_back({"", "text", "", field(part.text_field) + " bytes"});
  if (part.has_more) table.rows.push_back({"", "more", "", ""});
  if (table.rows.size() > 1) table.rows[1][0] = std::to_string(part.header->size_bytes);
  return table;
}

// The tables that a page must have. An element without a table of its own is in the table of elements.
std::vector<Table> tables_of(const FormatTable& format, const std::string& page) {
  std::set<const void*> others;  // what the formats before describe on their pages
  for (const FormatTable& other : kFormatTables) {
    if (other.name == format.name) break;
    for (const Record* record : records_of(other)) others.insert(record);
    others.insert(other.parts.begin(), other.parts.end());
  }
  std::vector<Table> tables;
  if (!format.chunks.empty()) tables.push_back(chunks_of(format));
  Table elements{"<!-- elements of " + std::string(format.name) + " -->", {"Element", "Type", "Field", "Value"}, {}, 0};
  for (const Record* record : records_of(format)) {
    if (others.contains(record)) continue;
    Table table = fields_of(format, *record);
    if (record->fields.size() == 1 && page.find(table.marker) == page.npos) {
      table.rows[0][0] = std::string(record->name);
      elements.rows.push_back(std::move(table.rows[0]));
    } else {
      tables.push_back(std::move(table));
    }
  }
  if (!elements.rows.empty()) tables.push_back(std::move(elements));
  for (const Part* part : format.parts)
    if (!others.contains(part)) tables.push_back(order_of(*part));
  return tables;
}

// ---- pages ----

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(std::move(line));
  return lines;
}

Cells cells_of(std::string_view line) {
  Cells cells;
  line.remove_prefix(std::min<std::size_t>(1, line.size()));
  while (!line.empty()) {
    const std::size_t end = std::min(line.find('|'), line.size());
    std::string cell(line.substr(0, end));
    cell.erase(0, cell.find_first_not_of(' '));
    cell.erase(cell.find_last_not_of(' ') + 1);
    cells.push_back(std::move(cell));
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  return cells;
}

std::string line_of(const Cells& cells) {
  std::string out = "|";
  for (const std::string& cell : cells) out += cell.empty() ? " |" : " " + cell + " |";
  return out;
}

// The lines of a table. `old` are those on the page, whose further columns are kept.
std::vector<std::string> printed(const Table& table, const std::vector<std::string>& old) {
  Cells further{"Meaning"};
  std::map<std::string, Cells> kept;
  for (std::size_t i = 0; i < old.size(); ++i) {
    const Cells cells = cells_of(old[i]);
    if (cells.size() <= table.head.size()) continue;
    const Cells rest(cells.begin() + static_cast<std::ptrdiff_t>(table.head.size()), cells.end());
    if (i == 0) further = rest;
    if (i > 1) kept.emplace(cells[table.key], rest);
  }
  const auto with = [](Cells cells, const Cells& rest) {
    cells.insert(cells.end(), rest.begin(), rest.end());
    return line_of(cells);
  };
  std::vector<std::string> lines{with(table.head, further)};
  std::string rule = "|";
  for (std::size_t i = 0; i < table.head.size() + further.size(); ++i) {
    const std::string_view head = i < table.head.size() ? std::string_view(table.head[i]) : "";
    rule += head == "Offset" || head == "Bytes" ? "---:|" : "---|";
  }
  lines.push_back(rule);
  for (const Cells& row : table.rows) {
    const auto found = kept.find(row[table.key]);
    lines.push_back(with(row, found == kept.end() ? Cells(further.size()) : found->second));
  }
  return lines;
}

bool is_update() { return std::getenv("ASSETC_UPDATE_GOLDEN") != nullptr; }
constexpr std::string_view kHint = "run ASSETC_UPDATE_GOLDEN=1 test_formats --gtest_filter='Manual.*'";

// Compares the table below a marker, or writes it. A table that the page does not have is added at its end.
void compare(const Table& table, const std::string& name, std::vector<std::string>& page) {
  auto marker = std::ranges::find(page, table.marker);
  if (marker == page.end()) {
    if (!is_update()) {
      ADD_FAILURE() << name << ": found no line " << table.marker << ", expected it and a table; " << kHint;
      return;
    }
    page.insert(page.end(), {"", table.marker});
    marker = page.end() - 1;
  }
  const auto first = marker + 1;
  const auto last = std::find_if(first, page.end(), [](const std::string& line) { return !line.starts_with("|"); });
  const std::vector<std::string> found(first, last), expected = printed(table, found);
  if (is_update()) {
    const auto at = page.erase(first, last);
    page.insert(at, expected.begin(), expected.end());
    return;
  }
  const auto number = first - page.begin() + 1;
  for (std::size_t i = 0; i < std::max(found.size(), expected.size()); ++i) {
    const std::string line = i < found.size() ? found[i] : "the end of the table";
    const std::string other = i < expected.size() ? expected[i] : "the end of the table";
    EXPECT_EQ(line, other) << name << ":" << number + static_cast<std::ptrdiff_t>(i) << ", " << table.marker << "; "
                           << kHint;
    if (line != other) return;
  }
}

TEST(Manual, meanings_stay_with_their_fields) {
  const Table table{"<!-- record: point -->",
                    {"Offset", "Type", "Field", "Value"},
                    {{"0", "u32", "`id`", "0 or 1"}, {"4", "f32", "`x`", "finite"}},
                    2};
  const std::vector<std::string> page{"| Offset | Type | Field | Value | Meaning | Unit |", "|---|",
                                      "| 0 | f64 | `x` | | to the right | m |", "| 8 | u8 | `gone` | | | |"};
  EXPECT_EQ(
      printed(table, page),
      (std::vector<std::string>{"| Offset | Type | Field | Value | Meaning | Unit |", "|---:|---|---|---|---|---|",
                                "| 0 | u32 | `id` | 0 or 1 | | |", "| 4 | f32 | `x` | finite | to the right | m |"}));
  EXPECT_EQ(printed(table, {}).front(), "| Offset | Type | Field | Value | Meaning |");
  EXPECT_EQ(printed(table, printed(table, page)), printed(table, page));
}

TEST(Manual, numbers_are_listed_in_runs) {
  EXPECT_EQ(numbers_of(1u << 5), "5");
  EXPECT_EQ(numbers_of(1u << 2 | 1u << 4), "2 or 4");
  EXPECT_EQ(numbers_of(0x3, " and "), "0 and 1");
  EXPECT_EQ(numbers_of(0x1Eu | 0xFu << 16), "1 to 4 or 16 to 19");
  EXPECT_EQ(numbers_of(0x7u | 1u << 31), "0 to 2 or 31");
}

TEST(Manual, pages_show_the_tables_of_the_formats) {
  std::map<std::string, std::set<std::string>> markers;  // of each page
  const std::string folder = std::string(places::kSource) + "/docs/formats/";
  for (const FormatTable& format : kFormatTables) {
    const std::string name = std::string(format.page.empty() ? format.name : format.page) + ".md";
    const std::string text = read_file(folder + name);
    if (text.empty()) {
      ADD_FAILURE() << "found no page docs/formats/" << name << " for the format " << format.name;
      continue;
    }
    std::vector<std::string> page = lines_of(text);
    for (const Table& table : tables_of(format, text)) {
      EXPECT_TRUE(markers[name].insert(table.marker).second)
          << name << ": two tables have the marker " << table.marker << "; rename a record";
      compare(table, name, page);
    }
    if (!is_update()) continue;
    std::ofstream file(folder + name, std::ios::binary);
    for (const std::string& line : page) file << line << '\n';
  }
  for (const auto& [name, known] : markers) {
    for (const std::string& line : lines_of(read_file(folder + name))) {
      bool is_marker = false;
      for (const std::string_view begin : {"<!-- record:", "<!-- part:", "<!-- chunks of", "<!-- elements of"})
        is_marker |= line.starts_with(begin);
      EXPECT_TRUE(!is_marker || known.contains(line)) << name << ": no format has the table of the line " << line;
    }
  }
}

}  // namespace
}  // namespace assetc::formats
