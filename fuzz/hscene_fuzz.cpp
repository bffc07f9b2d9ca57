// Any bytes: open() refuses them or returns a view whose accessors all stay inside them.
#include "assetc/formats/hscene_view.hpp"
#include "fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace assetc;
  const ByteSpan file = fuzz::bytes(data, size);
  const auto view = hscene::View::open(file);
  if (!view) return 0;
  for (std::uint32_t n = 0; n < view->nodes().size(); ++n) {
    const hscene::Node& node = view->nodes()[n];
    fuzz::require(node.parent < static_cast<std::int32_t>(n) && node.end > n && node.end <= view->nodes().size());
    fuzz::touch(std::as_bytes(view->weights(node)));
    const hscene::Matrix matrix = view->local_matrix(n);
    fuzz::touch(std::as_bytes(std::span(matrix)));
    const std::string_view name = view->node_name(n);
    if (node.name != hscene::kNone) fuzz::require(view->find(name).has_value() && *view->find(name) <= n);
    if (n < 16 && !name.empty()) fuzz::require(view->find_path(name).has_value());
  }
  for (const auto& skin : view->skins()) {
    fuzz::touch(std::as_bytes(view->joints(skin)));
    fuzz::touch(std::as_bytes(view->inverse_bind(skin)));
  }
  for (const auto& material : view->materials()) {
    fuzz::touch(std::as_bytes(view->parameters(material)));
    fuzz::touch(std::as_bytes(view->textures(material)));
  }
  for (const auto& clip : view->clips()) fuzz::touch(std::as_bytes(view->clip_nodes(clip)));
  for (std::size_t v = 0; v < view->variant_count(); ++v) fuzz::touch(as_bytes(view->variant_name(v)));
  return 0;
}
