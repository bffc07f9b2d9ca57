// The XML in which object stores answer: elements and text, as in S3's listings and errors. Not a reader of all XML.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "assetc/base/result.hpp"

namespace assetc::engine {

// Calls `on_end` at the end of each element with the names of the element and its ancestors ("Error/Code"), without
// prefixes of namespaces, and the element's own text. Attributes are skipped. Errors: kInvalidData with the position;
// kUnsupported for what such answers do not have: document types, CDATA, more than 16 levels.
Result<void> read_xml(std::string_view xml,
                      const std::function<void(std::string_view path, const std::string& text)>& on_end);

}  // namespace assetc::engine
