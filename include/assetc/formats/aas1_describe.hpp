// A description of a blob for a registry: its type, the fields of its descriptor, and its dependencies.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "assetc/formats/aas1.hpp"

namespace assetc::aas1 {

struct DescriptionField {
  std::string_view name;  // "Width"
  std::string json;       // a number, a quoted string, an array or an object
};

struct Dependency {
  Uuid asset;
  bool is_hard = true;  // must be loaded with the blob
  bool operator==(const Dependency&) const = default;
};

struct Description {
  std::string_view type;  // "Texture2D"
  std::vector<DescriptionField> fields;
  std::vector<Dependency> dependencies;  // each once, in the order of the blob
};

// Returns the description of a blob. Errors: those of the view of its type. Deterministic.
Result<Description> describe(ByteSpan file);

}  // namespace assetc::aas1
