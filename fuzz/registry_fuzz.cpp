// Any bytes: open() refuses them or returns a view whose lookups stay inside them. A file that check() accepts can be
// written again.
#include <algorithm>
#include <span>
#include <vector>

#include "assetc/formats/registry.hpp"
#include "fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace assetc;
  // Aligned for structs, as in the files that engines map.
  std::vector<std::uint64_t> words((size + 7) / 8);
  const ByteSpan whole = std::as_bytes(std::span(words));
  std::copy_n(fuzz::bytes(data, size).data(), size, const_cast<std::byte*>(whole.data()));
  const auto view = registry::View::open(whole.first(size));
  if (!view) return 0;
  const bool valid = view->check().has_value();
  std::vector<registry::Asset> assets;
  for (std::uint32_t i = 0; i < view->size(); ++i) {
    const registry::AssetView asset = view->asset(i);
    fuzz::touch(as_bytes(asset.virtual_path));
    for (const std::uint32_t d : asset.hard_dependencies) fuzz::require(d < view->size());
    const auto by_path = view->find(asset.virtual_path);
    fuzz::require(!by_path || *by_path < view->size());
    const auto by_uuid = view->find(asset.uuid);
    if (valid) fuzz::require(by_uuid == i && by_path == i);
    registry::Asset& again = assets.emplace_back();
    again.uuid = asset.uuid;
    again.type = asset.type;
    again.virtual_path = asset.virtual_path;
    again.desc = asset.desc;
    for (const std::uint32_t d : asset.hard_dependencies) again.hard_dependencies.push_back(view->uuid(d));
    for (const std::uint32_t d : asset.soft_dependencies) again.soft_dependencies.push_back(view->uuid(d));
    const auto add_outer = [](ByteSpan list, std::vector<Uuid>& out) {
      for (std::size_t at = 0; at < list.size() / sizeof(Uuid); ++at) out.push_back(registry::uuid_at(list, at));
    };
    add_outer(asset.outer_hard_dependencies, again.outer_hard_dependencies);
    add_outer(asset.outer_soft_dependencies, again.outer_soft_dependencies);
    if (asset.container) fuzz::require(*asset.container < view->size());
    if (asset.container) again.container = view->uuid(*asset.container);
    for (const std::string_view tag : asset.tags) {
      fuzz::touch(as_bytes(tag));
      fuzz::require(asset.tags.contains(tag));
      again.tags.emplace_back(tag);
    }
  }
  for (std::uint32_t i = 0; i < view->redirector_count(); ++i) {
    const auto redirector = view->redirector(i);
    fuzz::touch(as_bytes(redirector.old_virtual_path));
    const auto to = view->find(redirector.old_uuid);
    fuzz::require(!to || *to < view->size());
  }
  if (valid) fuzz::require(registry::write(std::move(assets), {}).has_value());
  return 0;
}
