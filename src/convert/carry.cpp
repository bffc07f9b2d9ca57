#include "convert/carry.hpp"

#include <algorithm>
#include <iterator>

#include "assetc/formats/galileo.hpp"
#include "assetc/formats/hcluster_view.hpp"
#include "assetc/formats/hmesh_encoded.hpp"
#include "assetc/formats/hmesh_v1.hpp"
#include "assetc/runtime/inflate.hpp"
#include "base/ascii.hpp"
#include "base/release.hpp"
#include "codec/mesh/encode/hmesh_encode.hpp"
#include "import/compiled/aligned_bytes.hpp"
#include "recipes/container/containers.hpp"
#include "recipes/container/hmesh_values.hpp"
#include "recipes/mesh/parts.hpp"

namespace assetc::convert {
namespace {

using recipes::MeshContainer;

std::string stem_of(std::string_view path) { return std::string(path.substr(0, path.rfind('.'))); }

Result<void> check(const MeshContainer& container, ByteSpan file) {
  if (&container == &recipes::kGalileo) ASSETC_CHECK(galileo::View::open(file));
  if (&container == &recipes::kHmeshV1) ASSETC_CHECK(hmesh_v1::View::open(file));
  if (&container == &recipes::kHmesh) {
    ASSETC_TRY(const Bytes plain, runtime::plain_mesh(Bytes(nullptr, file)));
    ASSETC_CHECK(hmesh::View::open(plain));
  }
  if (&container == &recipes::kHcluster) ASSETC_CHECK(hcluster::View::open(file));
  return {};
}

// Empty if the mesh has to be built.
Result<std::optional<Bytes>> carry_mesh(const Bytes& file, const std::string& input, const std::string& output,
                                        const MeshContainer& container,
                                        std::optional<recipes::MeshCompression> compress, recipes::MeshReport& report) {
  const importer::AlignedBytes aligned(file);
  const MeshContainer& from = ends_with_ignoring_case(input, ".gali")       ? recipes::kGalileo
                              : ends_with_ignoring_case(input, ".hcluster") ? recipes::kHcluster
                              : hmesh_v1::is_version_1(file)                ? recipes::kHmeshV1
                                                                            : recipes::kHmesh;
  if (&from == &container && (&from != &recipes::kHmesh || !compress)) {
    ASSETC_CHECK(check(from, aligned.span()));
    return std::optional(file);
  }
  if (&from != &recipes::kHmesh) return std::nullopt;
  ASSETC_TRY(Bytes plain, runtime::plain_mesh(Bytes(nullptr, aligned.span())));
  ASSETC_TRY(const hmesh::View view, hmesh::View::open(plain));
  if (&container == &recipes::kHmesh) {
    if (compress == recipes::MeshCompression::kNone) return std::optional(hmesh::is_encoded(file) ? plain : file);
    ASSETC_TRY(ByteVector bytes,
               hmesh::encode_hmesh(plain, {.zstd = compress == recipes::MeshCompression::kMeshoptZstd}));
    return std::optional(Bytes(std::move(bytes)));
  }
  recipes::CompiledMesh value = recipes::read_hmesh(view);
  value.stem = stem_of(output);
  // If the file marks its tangents as arbitrary, they are not written as float tangents.
  if (container.keeps_frames && !value.mesh.has_tangents) release(value.mesh.tangents);
  ASSETC_TRY(Bytes bytes, container.write(value, report));
  return std::optional(std::move(bytes));
}

}  // namespace

Result<std::optional<Converted>> carry_over(const std::string& input, const std::string& output,
                                            const MeshContainer& container,
                                            std::optional<recipes::MeshCompression> compress, bool beside_input,
                                            const importer::FileReader& read) {
  const auto in_file = [](auto result, const std::string& path) {
    if (!result) result = std::unexpected(std::move(result).error().in(path));
    return result;
  };
  ASSETC_TRY(const Bytes file, in_file(read(input), input));
  recipes::MeshReport report;
  ASSETC_TRY(std::optional<Bytes> mesh, in_file(carry_mesh(file, input, output, container, compress, report), input));
  if (!mesh) return std::optional<Converted>();
  Converted out;
  out.files.push_back({output, std::move(*mesh)});
  const recipes::ContainerSet& containers = recipes::kRuntimeContainers;
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
