// Any bytes: open() refuses them or returns a view whose accessors all stay inside them.
#include "assetc/formats/hman.hpp"
#include "fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace assetc;
  const ByteSpan file = fuzz::bytes(data, size);
  const auto view = hman::View::open(file);
  if (!view) return 0;
  std::vector<hman::Entry> entries;
  for (const auto& e : view->entries()) {
    fuzz::require(view->find(e.hash) == &e);
    entries.push_back({e.hash, e.kind, e.colorspace, std::string(e.path)});
  }
  const auto again = hman::write(std::move(entries));
  fuzz::require(again.has_value() && again->size() == size);
  return 0;
}
