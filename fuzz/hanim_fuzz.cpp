// Any bytes: open() refuses them or returns a view whose accessors all stay inside them.
#include "assetc/formats/hanim.hpp"
#include "fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace assetc;
  const ByteSpan file = fuzz::bytes(data, size);
  const auto view = hanim::View::open(file);
  if (!view) return 0;
  (void)view->check_joints(4);
  const auto again = hanim::write(view->to_clips(), view->joints());
  fuzz::require(again.has_value() && again->size() == size);
  return 0;
}
