#include "ktx/selection.hpp"

#include <algorithm>
#include <charconv>
#include <numeric>

namespace assetc::ktx {
namespace {

bool parse_number(std::string_view text, std::uint32_t& number) {
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  return fault == std::errc() && end == text.data() + text.size();
}

// "1,2", "1" for all from 1, ",2", or "".
bool parse_range(std::string_view text, Range& range) {
  const std::size_t comma = std::min(text.find(','), text.size());
  const std::string_view first = text.substr(0, comma), last = text.substr(std::min(comma + 1, text.size()));
  return (first.empty() || parse_number(first, range.first)) && (last.empty() || parse_number(last, range.last)) &&
         range.first <= range.last;
}

std::unexpected<Error> out_of_range(std::string_view what, std::uint32_t number, std::uint32_t count) {
  return fail(ErrorCode::kInvalidData, std::string(what) + " " + std::to_string(number) +
                                           " was asked for, the texture has " + std::to_string(count));
}

}  // namespace

bool Fragment::has_several() const {
  const auto several = [](const std::vector<Range>& ranges) {
    return ranges.size() > 1 || (ranges.size() == 1 && ranges[0].first != ranges[0].last);
  };
  return several(levels) || several(layers) || several(faces);
}

Result<Fragment> parse_fragment(std::string_view text) {
  Fragment out;
  while (!text.empty()) {
    const std::string_view part = text.substr(0, text.find('&'));
    text.remove_prefix(std::min(part.size() + 1, text.size()));
    if (part.empty()) continue;
    const std::size_t equals = std::min(part.find('='), part.size());
    const std::string_view name = part.substr(0, equals);
    if (name == "t" || name == "xyzwhd")
      return unsupported("--uri " + std::string(name) + " is not supported", "use m, a and f");
    std::vector<Range>* ranges = name == "m"   ? &out.levels
                                 : name == "a" ? &out.layers
                                 : name == "f" ? &out.faces
                                               : nullptr;
    Range range;
    if (ranges == nullptr || !parse_range(part.substr(std::min(equals + 1, part.size())), range)) {
      return usage("--uri: found \"" + std::string(part) +
                   "\", expected a range of levels, layers or faces, such as "
                   "m=0,1, a=2,2 or f=3");
    }
    ranges->push_back(range);
  }
  return out;
}

void add_selection(const command_line::Command& app, const std::string& option, Selection& to,
                   const std::string& what) {
  app.add_taken(
         option,
         [&to](const std::string& text) {
           to.is_given = true;
           to.all = text == "all";
           if (!to.all && !parse_number(text, to.number)) return "found \"" + text + "\", expected a number or all";
           return std::string();
         },
         what)
      .type_name("N|all");
}

Result<std::vector<std::uint32_t>> selected(std::string_view what, const Selection& selection,
                                            const std::vector<Range>& ranges, std::uint32_t count, bool has) {
  if (!has && (selection.is_given || !ranges.empty())) {
    return fail(ErrorCode::kInvalidData, "a " + std::string(what) + " was asked for, but the texture is no " +
                                             (what == "layer"  ? "array"
                                              : what == "face" ? "cubemap"
                                                               : "3D texture"));
  }
  std::vector<std::uint32_t> numbers;
  if (selection.all) {
    numbers.resize(count);
    std::iota(numbers.begin(), numbers.end(), 0u);
    return numbers;
  }
  if (ranges.empty()) {
    if (selection.number >= count) return out_of_range(what, selection.number, count);
    return std::vector{selection.number};
  }
  for (std::uint32_t number = 0; number < count; ++number) {
    const auto is_in = [&](const Range& range) { return range.first <= number && number <= range.last; };
    if (std::ranges::any_of(ranges, is_in)) numbers.push_back(number);
  }
  for (const Range& range : ranges) {
    if (range.first >= count) return out_of_range(what, range.first, count);
    if (range.last >= count && range.last != Range{}.last) return out_of_range(what, range.last, count);
  }
  return numbers;
}

}  // namespace assetc::ktx
