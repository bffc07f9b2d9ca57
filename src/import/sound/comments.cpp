#include <algorithm>
#include <charconv>

#include "base/ascii.hpp"
#include "import/sound/facts.hpp"

namespace assetc::importer {

void read_comment_loop(ByteSpan block, SoundFacts& facts) {
  std::optional<std::uint32_t> start, length, end;
  std::uint64_t at = 0;
  const auto next = [&]() -> std::optional<std::string_view> {
    if (!range_fits(at, 4, block.size())) return std::nullopt;
    const std::uint32_t size = load<std::uint32_t>(block, static_cast<std::size_t>(at));
    if (!range_fits(at + 4, size, block.size())) return std::nullopt;
    const auto text = as_text(block.subspan(static_cast<std::size_t>(at) + 4, size));
    at += 4 + std::uint64_t{size};
    return text;
  };
  if (!next()) return;  // the vendor's name
  at += 4;              // the number of comments, which end with the block
  while (const auto comment = next()) {
    const std::size_t sign = comment->find('=');
    if (sign == comment->npos) continue;
    const std::string key = ascii_lower(comment->substr(0, sign));
    std::optional<std::uint32_t>* const to = key == "loopstart"    ? &start
                                             : key == "looplength" ? &length
                                             : key == "loopend"    ? &end
                                                                   : nullptr;
    if (to == nullptr) continue;
    const std::string_view value = comment->substr(sign + 1);
    std::uint32_t frames = 0;
    const auto [last, error] = std::from_chars(value.data(), value.data() + value.size(), frames);
    if (error == std::errc() && last == value.data() + value.size()) {
      *to = frames;
    } else {
      facts.left_out = "a loop whose comment " + key + " is not a number of frames";
    }
  }
  if (!start && !length && !end) return;
  if (!facts.left_out.empty()) return;
  const std::uint32_t first = start.value_or(0);
  const std::uint64_t behind = length ? std::uint64_t{first} + *length : end ? *end : UINT32_MAX;
  facts.loops.push_back(
      {first, static_cast<std::uint32_t>(std::min<std::uint64_t>(behind, UINT32_MAX)), aas1::Loop::Kind::kForward, 0});
}

}  // namespace assetc::importer
