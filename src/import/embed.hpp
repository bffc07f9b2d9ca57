// Reads .embed.yml files, which put any file into the output. Keys: docs/guide/embeds.md.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"
#include "warnings/warnings.hpp"

namespace assetc::importer {

struct Embed {
  enum class As : std::uint8_t {
    kFile,    // the file itself
    kHeader,  // a C++ header with its bytes
  };
  std::string file;  // below the input root
  As as = As::kFile;
  std::string name;        // of a header: an identifier
  std::string name_space;  // of a header: "game::data"; empty: none
  std::vector<Warning> warnings;
};

// source_path: "tables/drops.csv.embed.yml". The file defaults to the source's name without ".embed.yml", and the name
// to one that is made from the file's name.
// An unknown key gives a warning with its line and a guess. Errors: kUsage with a line; those of resolve_path().
// Thread safety: pure.
Result<Embed> import_embed(std::string_view source_path, const Bytes& file);

}  // namespace assetc::importer
