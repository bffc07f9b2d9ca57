// Checks a file as `ktx validate` does: the rules of the KTX 2 specification that readers do not need, and those of
// glTF's KHR_texture_basisu.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "assetc/base/bytes.hpp"

namespace assetc::ktx {

enum class Severity : std::uint8_t { kFatal, kError, kWarning };
std::string_view to_string(Severity severity);

// Whether the bytes start with the header of KTX 2.
bool is_ktx2(ByteSpan file);

// A rule that a file breaks.
struct Finding {
  Severity severity = Severity::kError;
  int rule = 0;           // its number in KTX-Software
  std::string_view text;  // the rule
  std::string details;    // "found 3, expected 2"
};

// The rules that ktx2::View does not check. Any bytes; what lies outside of the file is passed over, because View
// reports it. Cost: linear in the size of the metadata.
std::vector<Finding> check_rules(ByteSpan file, bool gltf);

// These rules, the checks of ktx2::View, and whether levels can be decompressed. If the file breaks a rule, View's own
// message is left out: it says the same, or it follows from it.
std::vector<Finding> check_file(ByteSpan file, bool gltf);

}  // namespace assetc::ktx
