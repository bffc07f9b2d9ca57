// Any bytes in place of every file of every kind of mount: the mount is refused, or lookups and reads are safe.
#include "assetc/runtime/catalog.hpp"
#include "assetc/runtime/source.hpp"
#include "fuzz.hpp"

namespace {

using namespace assetc;
using namespace assetc::runtime;

void look_up(const Catalog& catalog, ByteSpan input) {
  Uuid uuid;
  std::uint64_t hash = 0;
  for (std::size_t at = 0; at + sizeof uuid <= input.size() && at < 4096; at += 4) {
    uuid = load<Uuid>(input, at);
    hash = load<std::uint64_t>(input, at);
    for (const auto found : {catalog.find(uuid), catalog.find(hash)}) {
      if (!found) continue;
      (void)catalog.desc(*found);
      const Dependencies needs = catalog.dependencies(*found);
      for (std::size_t i = 0; i < needs.size(); ++i)
        fuzz::require(static_cast<bool>(needs[i]) || needs[i].uuid.is_nil());
      if (const auto bytes = catalog.read(*found)) fuzz::touch(*bytes);
    }
  }
  (void)catalog.find_by_path(as_text(input.first(std::min<std::size_t>(input.size(), 64))));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const ByteSpan input = fuzz::bytes(data, size);
  const Bytes file(ByteVector(input.begin(), input.end()));
  const std::shared_ptr<Source> all =
      make_source([&](const ReadRequest& request, const std::atomic<bool>&) { return read_range(request, file); }, 0);
  const std::shared_ptr<Source> json = make_source(
      [&](const ReadRequest& request, const std::atomic<bool>&) -> Result<ReadAnswer> {
        if (request.path.ends_with(".bin")) return std::unexpected(Error{ErrorCode::kNotFound, {}, {}, {}, {}});
        return read_range(request, file);
      },
      0);
  for (const Layout layout : {Layout::kTree, Layout::kPack, Layout::kCooked, Layout::kBundle}) {
    Catalog catalog;
    if (catalog.mount(all, layout, "x")) look_up(catalog, input);
  }
  Catalog catalog;
  if (catalog.mount(json, Layout::kCooked, "x")) look_up(catalog, input);
  (void)catalog.mount(all, Layout::kBundle, "x", {.patches = {"y"}});
  return 0;
}
