// What a server of assets sends: headers of answers, and a stream of events in two parts.
#include "fuzz.hpp"
#include "http/source/headers.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace assetc;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto range = http::parse_content_range(text)) {
    if (range->end > range->total_bytes || (range->begin >= range->end && range->end != 0)) __builtin_trap();
  }
  http::AnswerHeaders headers;
  for (std::size_t at = 0; at < size;) {
    const std::size_t end = std::min(text.find('\n', at), size - 1);
    headers.take(text.substr(at, end + 1 - at));
    at = end + 1;
  }
  (void)http::origin_of(text);
  // Where a stream is cut makes no difference.
  http::EventReader whole, parts;
  const auto all = whole.read(as_bytes(text));
  auto some = parts.read(as_bytes(text.substr(0, size / 2)));
  const auto more = parts.read(as_bytes(text.substr(size / 2)));
  if (all && some && more) {
    some->insert(some->end(), more->begin(), more->end());
    if (*all != *some) __builtin_trap();
  }
  return 0;
}
