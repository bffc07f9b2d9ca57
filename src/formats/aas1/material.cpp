#include <algorithm>

#include "assetc/formats/aas1_material.hpp"
#include "formats/aas1/desc_table.hpp"
#include "formats/aas1/layout.hpp"
#include "formats/hmesh/rules.hpp"

namespace assetc::aas1 {
namespace {

using namespace formats;

// Checks that names are unique among parameters of a kind.
template <class T>
Result<void> check_names(Places place, std::span<const T> parameters) {
  std::vector<std::uint32_t> names;
  names.reserve(parameters.size());
  for (const T& p : parameters) names.push_back(p.name_hash);
  std::ranges::sort(names);
  const auto twice = std::ranges::adjacent_find(names);
  if (twice == names.end()) return {};
  const auto& first = *std::ranges::find(parameters, *twice, &T::name_hash);
  return invalid(place(first), message("found the parameter ", *twice, " twice"));
}

template <class T>
const T* find_in(std::span<const T> parameters, std::string_view name) {
  const auto found = std::ranges::find(parameters, hash_parameter(name), &T::name_hash);
  return found == parameters.end() ? nullptr : &*found;
}

template <class T>
std::vector<T> sorted(std::vector<T> parameters) {
  std::ranges::stable_sort(parameters, {}, &T::name_hash);
  return parameters;
}

}  // namespace

Result<MaterialView> MaterialView::open(ByteSpan file) {
  MaterialView view;
  ASSETC_TRY(view.blob_, Blob::open(file, Type::kMaterial, sizeof(MaterialDesc)));
  view.desc_ = reinterpret_cast<const MaterialDesc*>(view.blob_.desc().data());
  const MaterialDesc& d = *view.desc_;
  const Places place(file);
  const Context context;
  ASSETC_CHECK(check_records(table::kMaterial, object_bytes(d), place(d), context));
  ASSETC_TRY(view.scalars_, array_at<ScalarParameter>(view.blob_, d.scalars_offset_bytes, d.scalar_count,
                                                      place(d.scalars_offset_bytes), "scalars"));
  ASSETC_TRY(view.vectors_, array_at<VectorParameter>(view.blob_, d.vectors_offset_bytes, d.vector_count,
                                                      place(d.vectors_offset_bytes), "vectors"));
  ASSETC_TRY(view.textures_, array_at<TextureParameter>(view.blob_, d.textures_offset_bytes, d.texture_count,
                                                        place(d.textures_offset_bytes), "textures"));
  const auto check = [&](const Record& record, const auto& rows) {
    return rows.empty() ? Result<void>() : check_records(record, std::as_bytes(rows), place(rows[0]), context);
  };
  ASSETC_CHECK(check(table::kScalar, view.scalars_));
  ASSETC_CHECK(check(table::kVector, view.vectors_));
  ASSETC_CHECK(check(table::kTextureParameter, view.textures_));
  ASSETC_CHECK(check_names(place, view.scalars_));
  ASSETC_CHECK(check_names(place, view.vectors_));
  ASSETC_CHECK(check_names(place, view.textures_));
  for (const TextureParameter& t : view.textures_) {
    if (t.texture.is_nil())
      return invalid(place(t), message("parameter ", t.name_hash, " names no texture, expected a UUID"));
  }
  return view;
}

const ScalarParameter* MaterialView::scalar(std::string_view name) const { return find_in(scalars_, name); }
const VectorParameter* MaterialView::vector(std::string_view name) const { return find_in(vectors_, name); }
const TextureParameter* MaterialView::texture(std::string_view name) const { return find_in(textures_, name); }

Result<ByteVector> write(const Material& material) {
  const auto scalars = sorted(material.scalars);
  const auto vectors = sorted(material.vectors);
  const auto textures = sorted(material.textures);
  MaterialDesc desc{};
  desc.shading_model = material.shading_model;
  desc.blend_mode = material.blend_mode;
  desc.flags = material.double_sided ? MaterialDesc::kDoubleSided : 0;
  desc.alpha_cutoff = material.alpha_cutoff;
  desc.scalar_count = static_cast<std::uint32_t>(scalars.size());
  desc.vector_count = static_cast<std::uint32_t>(vectors.size());
  desc.texture_count = static_cast<std::uint32_t>(textures.size());
  const ByteSpan data[] = {std::as_bytes(std::span(scalars)), std::as_bytes(std::span(vectors)),
                           std::as_bytes(std::span(textures))};
  desc.vectors_offset_bytes = static_cast<std::uint32_t>(data[0].size());
  desc.textures_offset_bytes = desc.vectors_offset_bytes + static_cast<std::uint32_t>(data[1].size());
  ASSETC_TRY(ByteVector file, write_blob(Type::kMaterial, 0, object_bytes(desc), data));
  ASSETC_CHECK(MaterialView::open(file));
  return file;
}

}  // namespace assetc::aas1
