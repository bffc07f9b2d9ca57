#include "convert/carry.hpp"

#include <algorithm>
#include <iterator>

#include "assetc/formats/galileo.hpp"
#include "assetc/formats/hcluster_view.hpp"
#include "assetc/formats/hmesh_v1.hpp"
#include "base/ascii.hpp"
#include "base/release.hpp"
#include "import/aligned_bytes.hpp"
#include "recipes/containers.hpp"
#include "recipes/hmesh_values.hpp"
#include "recipes/mesh_parts.hpp"

namespace assetc::convert {
namespace {

using recipes::MeshFormat;

std::string stem_of(std::string_view path) { return std::string(path.substr(0, path.rfind('.'))); }

Result<void> check(MeshFormat format, ByteSpan file) {
  if (format == MeshFormat::kGalileo) ASSETC_CHECK(galileo::View::open(file));
  if (format == MeshFormat::kHmeshV1) ASSETC_CHECK(hmesh_v1::View::open(file));
  if (format == MeshFormat::kHmesh) ASSETC_CHECK(hmesh::View::open(file));
  if (format == MeshFormat::kHcluster) ASSETC_CHECK(hcluster::View::open(file));
  return {};
}

// Empty if the mesh has to be built.
Result<std::optional<Bytes>> carry_mesh(const Bytes& file, const std::string& input, const std::string& output,
                                        MeshFormat format, recipes::MeshReport& report) {
  const importer::AlignedBytes aligned(file);
  const MeshFormat from = ends_with_ignoring_case(input, ".gali")       ? MeshFormat::kGalileo
                          : ends_with_ignoring_case(input, ".hcluster") ? MeshFormat::kHcluster
                          : hmesh_v1::is_version_1(file)                ? MeshFormat::kHmeshV1
                                                                        : MeshFormat::kHmesh;
  if (from == format) {
    ASSETC_CHECK(check(from, aligned.span()));
    return std::optional(file);
  }
  if (from != MeshFormat::kHmesh) return std::nullopt;
  ASSETC_TRY(const hmesh::View view, hmesh::View::open(aligned.span()));
  const recipes::MeshContainer& container = recipes::kRuntimeContainers.mesh_of(format);
  recipes::CompiledMesh value = recipes::read_hmesh(view);
  value.stem = stem_of(output);
  // If the file marks its tangents as arbitrary, they are not written as float tangents.
  if (container.keeps_frames && !value.mesh.has_tangents) release(value.mesh.tangents);
  ASSETC_TRY(Bytes bytes, container.write(value, report));
  return std::optional(std::move(bytes));
}

}  // namespace

Result<std::optional<Converted>> carry_over(const std::string& input, const std::string& output, MeshFormat format,
                                            bool beside_input, const importer::FileReader& read) {
  const auto in_file = [](auto result, const std::string& path) {
    if (!result) result = std::unexpected(std::move(result).error().in(path));
    return result;
  };
  ASSETC_TRY(const Bytes file, in_file(read(input), input));
  recipes::MeshReport report;
  ASSETC_TRY(std::optional<Bytes> mesh, in_file(carry_mesh(file, input, output, format, report), input));
  if (!mesh) return std::optional<Converted>();
  Converted out;
  out.files.push_back({output, std::move(*mesh)});
  const recipes::ContainerSet& containers = recipes::kRuntimeContainers;
  const recipes::MeshContainer& container = containers.mesh_of(format);
  std::vector<recipes::Diagnostic> left_out;
  const auto sibling = [&](std::string_view suffix, bool keeps) -> Result<void> {
    const std::string path = stem_of(input).append(suffix);
    auto bytes = read(path);
    if (!bytes && bytes.error().code == ErrorCode::kNotFound) return {};
    if (!bytes) return std::unexpected(std::move(bytes).error().in(path));
    if (!keeps) {
      left_out.push_back(recipes::warning(WarningKind::kDroppedContent, ErrorCode::kUnsupported, {},
                                          "dropped: the " + std::string(suffix) + " next to it, which " +
                                              std::string(container.name) + " cannot hold"));
    } else if (!beside_input) {
      out.files.push_back({stem_of(output).append(suffix), std::move(*bytes)});
    }
    return {};
  };
  ASSETC_CHECK(sibling(containers.material.suffix, container.keeps_materials));
  ASSETC_CHECK(sibling(containers.clips.suffix, container.keeps_skin));
  out.diagnostics = std::move(report).take();
  std::ranges::move(left_out, std::back_inserter(out.diagnostics));
  for (recipes::Diagnostic& d : out.diagnostics) d.what = std::move(d.what).in(input);
  return std::optional(std::move(out));
}

}  // namespace assetc::convert
