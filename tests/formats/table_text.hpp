// Words that the tests of the tables share: names of types, and which records and parts a format has.
#pragma once

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "formats/tables.hpp"

namespace assetc::formats {

inline constexpr std::string_view kTypes[] = {"u8", "u16", "i16", "u32", "i32", "u64", "f32"};

inline std::string fourcc_of(std::uint32_t id) {
  std::string text;
  for (int i = 0; i < 4; ++i) text += static_cast<char>(id >> 8 * i & 255);
  return text;
}

inline void add_record(const Record* record, std::vector<const Record*>& out) {
  if (record != nullptr && std::ranges::find(out, record) == out.end()) out.push_back(record);
}

inline std::vector<const Record*> records_of(const FormatTable& format) {
  std::vector<const Record*> out;
  for (const ChunkRow& row : format.chunks) add_record(row.record, out);
  for (const Record* record : format.records) add_record(record, out);
  for (const Part* part : format.parts) {
    add_record(part->header, out);
    for (const Section& section : part->sections) add_record(section.record, out);
  }
  return out;
}

inline std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace assetc::formats
