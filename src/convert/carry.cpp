#include "convert/carry.hpp"

#include <algorithm>

#include "assetc/formats/galileo.hpp"
#include "assetc/formats/hmesh_v1.hpp"
#include "base/ascii.hpp"
#include "import/aligned_bytes.hpp"

namespace assetc::convert {
namespace {

using recipes::MeshContainer;

std::string stem_of(std::string_view path) { return std::string(path.substr(0, path.rfind('.'))); }

recipes::Diagnostic dropped(const std::string& input, const std::string& what, std::string_view container) {
  return {recipes::Severity::kWarning, Error{ErrorCode::kUnsupported,
                                             input,
                                             {},
                                             "dropped: " + what + ", which " + std::string(container) + " cannot hold",
                                             {}}};
}
std::string counted(std::size_t count, std::string_view what) {
  return std::to_string(count) + " " + std::string(what) + (count == 1 ? "" : "s");
}

// What version 1 lacks, told as the recipe tells it.
Result<ByteVector> to_version_1(const hmesh::Model& model, const std::string& input, Converted& out) {
  const auto lost = [&](const std::string& what) { out.diagnostics.push_back(dropped(input, what, "hmesh-v1")); };
  if (model.submeshes.size() > 1) lost(counted(model.submeshes.size(), "submesh range"));
  if (!model.skin.empty()) lost("the skin");
  if (model.lod_count > 0) lost(counted(model.lod_count, "level") + " of detail");
  return hmesh_v1::write(model, model.materials, model.names.materials);
}

Result<ByteVector> to_galileo(const hmesh::Model& model, const std::string& input, const std::string& output,
                              Converted& out) {
  if (model.lod_count > 0) {
    out.diagnostics.push_back(dropped(input, counted(model.lod_count, "level") + " of detail", "Galileo"));
  }
  const galileo::Model groups = galileo::from_hmesh(model, galileo::uuid_of_ref(stem_of(output)));
  const bool leaves = std::ranges::any_of(
      groups.groups, [](const galileo::VertexGroup& g) { return galileo::needs_exact_texcoords(g.texcoords.front()); });
  if (leaves) {
    out.diagnostics.push_back(
        {recipes::Severity::kWarning,
         Error{ErrorCode::kInvalidData,
               input,
               {},
               "texture coordinates leave [0, 1], which Galileo's 16-bit channels cannot hold",
               "readers that know assetc's exact channels read those; for others, move the coordinates into [0, 1]"}});
  }
  return galileo::write(groups);
}

// Nothing where the mesh has to be built.
Result<std::optional<Bytes>> carry_mesh(const Bytes& file, const std::string& input, const std::string& output,
                                        MeshContainer container, Converted& out) {
  const importer::AlignedBytes aligned(file);
  const auto verbatim = [&](const auto& view) -> Result<std::optional<Bytes>> {
    if (!view) return std::unexpected(view.error());
    return std::optional(file);
  };
  if (ends_with_ignoring_case(input, ".gali")) {
    if (container != MeshContainer::kGalileo) return std::nullopt;
    return verbatim(galileo::View::open(aligned.span()));
  }
  if (hmesh_v1::is_version_1(file)) {
    if (container != MeshContainer::kHmeshV1) return std::nullopt;
    return verbatim(hmesh_v1::View::open(aligned.span()));
  }
  const auto view = hmesh::View::open(aligned.span());
  if (!view || container == MeshContainer::kHmesh) return verbatim(view);
  const hmesh::Model model = view->to_model();
  ASSETC_TRY(ByteVector bytes, container == MeshContainer::kHmeshV1 ? to_version_1(model, input, out)
                                                                    : to_galileo(model, input, output, out));
  return std::optional(Bytes(std::move(bytes)));
}

}  // namespace

Result<std::optional<Converted>> carry_over(const std::string& input, const std::string& output,
                                            MeshContainer container, const importer::FileReader& read) {
  const auto in_file = [](auto result, const std::string& path) {
    if (!result) result = std::unexpected(std::move(result).error().in(path));
    return result;
  };
  ASSETC_TRY(const Bytes file, in_file(read(input), input));
  Converted out;
  ASSETC_TRY(std::optional<Bytes> mesh, in_file(carry_mesh(file, input, output, container, out), input));
  if (!mesh) return std::optional<Converted>();
  out.files.push_back({output, std::move(*mesh)});
  const bool keeps_siblings = container != MeshContainer::kHmeshV1;
  for (const std::string extension : {".hmat", ".hanim"}) {
    auto sibling = read(stem_of(input) + extension);
    if (!sibling && sibling.error().code == ErrorCode::kNotFound) continue;
    if (!sibling) return std::unexpected(std::move(sibling).error().in(stem_of(input) + extension));
    if (!keeps_siblings) {
      out.diagnostics.push_back(dropped(input, "the " + extension + " beside it", "hmesh-v1"));
    } else if (stem_of(input) != stem_of(output)) {
      out.files.push_back({stem_of(output) + extension, std::move(*sibling)});
    }
  }
  return std::optional(std::move(out));
}

}  // namespace assetc::convert
