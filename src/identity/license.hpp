// Licenses as the License of a .meta states them.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace assetc::identity {

// Whether a text is an SPDX license expression of identifiers that are common for art, sounds, fonts and code:
// "CC-BY-4.0", "MIT OR Apache-2.0", "LicenseRef-Studio". Letter case is ignored, as SPDX has it. Source: SPDX
// specification 2.3, annexes A and D.
bool is_spdx_expression(std::string_view text);

// Whether a list of licenses allows this one: by the whole text, or by its parts. Of "A OR B" one must be allowed, of
// "A AND B" both. Letter case is ignored. An empty license is allowed by an empty text in the list.
bool is_allowed(std::string_view license, std::span<const std::string> allowed);

}  // namespace assetc::identity
