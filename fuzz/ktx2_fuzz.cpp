// Any bytes: open() refuses them or returns a view whose accessors all stay inside them. Its images decode to texels of
// the size and type of the view, or are refused with a reason. The rules of `ktx validate` read any bytes too.
#include <algorithm>

#include "assetc/formats/ktx2.hpp"
#include "fuzz.hpp"
#include "import/texture/ktx2.hpp"
#include "ktx/check.hpp"
#include "texture/decode.hpp"

namespace {

using namespace assetc;

void decode(const ktx2::View& view, const importer::ImageIndex& index) {
  const auto image = importer::decode_ktx2(view, index);
  if (!image) return fuzz::require(!image.error().what.empty());
  const ktx2::Level& level = view.levels()[index.level];
  fuzz::require(image->width_texels == level.width_texels && image->height_texels == level.height_texels);
  fuzz::require(view.format() && image->type == texture::decoded_type(*view.format()));
  fuzz::require(image->pixels.size() == image->row_bytes() * image->height_texels);
  fuzz::touch(image->pixels);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const ByteSpan file = fuzz::bytes(data, size);
  for (const ktx::Finding& finding : ktx::check_rules(file, true))
    fuzz::require(finding.rule != 0 && !finding.text.empty() && !finding.details.empty());
  const auto view = ktx2::View::open(file);
  if (!view) return 0;
  for (std::size_t i = 0; i < view->levels().size(); ++i) {
    const ktx2::Level& level = view->levels()[i];
    fuzz::touch(level.bytes);
    if (view->block().size_bytes != 0 && view->supercompression() == ktx2::Supercompression::kNone) {
      fuzz::require(view->image_size_bytes(i) * view->images_per_level() == level.bytes.size());
    }
    // A few bytes of Zstd or BasisLZ can stand for any number of equal texels. Skip large ones: memory is not tested
    // here.
    constexpr std::uint64_t kMostBytes = 1u << 18;
    const bool is_basis = view->basis_lz() != nullptr;
    if ((is_basis ? view->image_size_bytes(i) : level.uncompressed_size_bytes) > kMostBytes) continue;
    const auto number = static_cast<std::uint32_t>(i);
    decode(*view, {.level = number});
    decode(*view, {number, std::max(view->layer_count(), 1u) - 1, view->face_count() - 1, level.depth_texels - 1});
  }
  for (const auto& kv : view->key_values()) {
    fuzz::touch(kv.value);
    fuzz::require(view->find(kv.key).has_value());
  }
  fuzz::touch(as_bytes(view->text("KTXwriter")));
  return 0;
}
