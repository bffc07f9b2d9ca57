// Any bytes: a zlib stream is checked in bounded memory and time, and a refusal gives a reason.
#include "compression/zlib.hpp"
#include "fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace assetc;
  constexpr std::uint64_t kContentBytes = 1u << 16;
  const auto whole = compression::check_zlib(fuzz::bytes(data, size), kContentBytes);
  fuzz::require(whole || !whole.error().what.empty());
  return 0;
}
