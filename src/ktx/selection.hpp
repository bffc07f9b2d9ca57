// Which images of a texture `ktx extract` writes: --level, --layer, --face and --depth, and KTX fragments of --uri.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "ktx/commands.hpp"

namespace assetc::ktx {

// The last number is part of it.
struct Range {
  std::uint32_t first = 0, last = std::numeric_limits<std::uint32_t>::max();
};

// A KTX fragment: ranges of levels, layers and faces. Source: KTX Fragment Identifiers 2.0.
struct Fragment {
  std::vector<Range> levels, layers, faces;
  // Whether it may name more than one image.
  bool has_several() const;
};
// Errors: kUsage for a text that is none, kUnsupported for ranges of time and of texels.
Result<Fragment> parse_fragment(std::string_view text);

// A number, or "all".
struct Selection {
  bool all = false, is_given = false;
  std::uint32_t number = 0;
};
void add_selection(const command_line::Command& app, const std::string& option, Selection& to, const std::string& what);

// The numbers of a selection or of ranges, ascending. has: whether the texture has several of what is named.
// Errors: kInvalidData if it does not and a number was given, or for a number that is not below count.
Result<std::vector<std::uint32_t>> selected(std::string_view what, const Selection& selection,
                                            const std::vector<Range>& ranges, std::uint32_t count, bool has);

}  // namespace assetc::ktx
