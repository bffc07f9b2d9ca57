// Small YAML files with one block of keys, read by yaml-cpp. Internal to src/import.
#pragma once

#include <yaml-cpp/yaml.h>

#include <string>
#include <string_view>
#include <utility>

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"

namespace assetc::importer {

// "line 12"
std::string yaml_place(const YAML::Node& node);
// "\"text\"", "a list of 3", "a block of keys" or "nothing".
std::string describe_yaml(const YAML::Node& node);
// "key: found X, expected Y"
std::unexpected<Error> wrong_yaml(const YAML::Node& node, std::string_view key, std::string_view expected);

// Parses a file. Errors: kLimit above 64 KiB, because yaml-cpp uses memory and stack in proportion to the text; kUsage
// with a line for text that is not YAML. what: names the file in errors, "material".
Result<YAML::Node> parse_yaml(const Bytes& file, std::string_view what);

// Parses a file and calls read(node). Exceptions of yaml-cpp in read become errors.
template <class Read>
auto read_yaml(const Bytes& file, std::string_view what, const Read& read)
    -> decltype(read(std::declval<const YAML::Node&>())) {
  try {
    ASSETC_TRY(const YAML::Node node, parse_yaml(file, what));
    return read(node);
  } catch (const std::exception& e) {
    return fail(ErrorCode::kInvalidData, std::string("not readable as YAML: ") + e.what());
  }
}

}  // namespace assetc::importer
