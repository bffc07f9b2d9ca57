// Small YAML files with one block of keys. Internal to src/import.
#pragma once

#include <string_view>

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"
#include "yaml/yaml.hpp"

namespace assetc::importer {

// "key: found X, expected Y"
std::unexpected<Error> wrong_yaml(const Yaml& node, std::string_view key, std::string_view expected);

// Parses a file. Errors: kLimit above 64 KiB, because the YAML parser uses memory and stack in proportion to the text;
// kUsage with a line for text that is not YAML. what: names the file in errors, "material".
Result<Yaml> parse_yaml(const Bytes& file, std::string_view what);

}  // namespace assetc::importer
