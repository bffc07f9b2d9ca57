#include "engine/publish/verify.hpp"

#include "assetc/formats/galileo.hpp"
#include "assetc/formats/hanim.hpp"
#include "assetc/formats/hman.hpp"
#include "assetc/formats/hmat.hpp"
#include "assetc/formats/hmesh.hpp"
#include "assetc/formats/hmesh_v1.hpp"
#include "assetc/formats/hpack.hpp"
#include "assetc/formats/ktx2.hpp"

namespace assetc::engine {
namespace {

template <class View>
Result<void> opens(ByteSpan bytes) {
  auto view = View::open(bytes);
  if (!view) return std::unexpected(std::move(view).error());
  return {};
}

// SPIR-V: words, the magic number first. Source: SPIR-V specification, 2.3.
Result<void> opens_spirv(ByteSpan bytes) {
  constexpr std::uint32_t kMagic = 0x07230203;
  constexpr std::size_t kHeaderBytes = 20;
  if (bytes.size() < kHeaderBytes || bytes.size() % 4 != 0 || load<std::uint32_t>(bytes) != kMagic) {
    return fail(ErrorCode::kInvalidData, "found no SPIR-V header, expected whole words from 0x07230203");
  }
  return {};
}

}  // namespace

Result<void> verify_structure(std::string_view path, ByteSpan bytes) {
  if (path.ends_with(".hmesh"))
    return hmesh_v1::is_version_1(bytes) ? opens<hmesh_v1::View>(bytes) : opens<hmesh::View>(bytes);
  if (path.ends_with(".gali")) return opens<galileo::View>(bytes);
  if (path.ends_with(".hmat")) return opens<hmat::View>(bytes);
  if (path.ends_with(".hanim")) return opens<hanim::View>(bytes);
  if (path.ends_with(".hman")) return opens<hman::View>(bytes);
  if (path.ends_with(".hpack")) return opens<hpack::View>(bytes);
  if (path.ends_with(".ktx2")) return opens<ktx2::View>(bytes);
  if (path.ends_with(".spv")) return opens_spirv(bytes);
  return {};
}

}  // namespace assetc::engine
