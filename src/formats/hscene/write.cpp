// Writes a scene, and the order of its nodes by name, so that a reader finds a node by binary search.
#include <algorithm>
#include <limits>
#include <numeric>

#include "base/plural.hpp"
#include "formats/hscene/table.hpp"

namespace assetc::hscene {
namespace {

using namespace formats;

Result<ByteVector> write_texts(std::span<const std::string> texts) {
  std::vector<std::uint32_t> ends;
  std::uint64_t size = 0;
  ends.reserve(texts.size());
  for (const std::string& text : texts) {
    size += text.size();
    if (size > std::numeric_limits<std::uint32_t>::max()) {
      return fail(ErrorCode::kLimit, "the names and extras of the scene take more than 4 GiB",
                  "split the scene, or remove extras");
    }
    ends.push_back(static_cast<std::uint32_t>(size));
  }
  ByteVector out;
  append(out, static_cast<std::uint32_t>(ends.size()));
  append_array(out, std::span<const std::uint32_t>(ends));
  for (const std::string& text : texts) append_bytes(out, as_bytes(text));
  return out;
}

}  // namespace

std::uint32_t Model::add_text(std::string_view text) {
  if (text.empty()) return kNone;
  texts.emplace_back(text);
  return static_cast<std::uint32_t>(texts.size() - 1);
}

Result<ByteVector> write(const Model& model) {
  for (const std::size_t count : {model.nodes.size(), model.joints.size(), model.parameters.size(),
                                  model.textures.size(), model.variant_materials.size(), model.texts.size()}) {
    if (count >= kNone)
      return fail(ErrorCode::kLimit, message("found ", counted(count, "item"), " of one kind, expected fewer"));
  }
  std::vector<std::uint32_t> by_name;
  for (std::uint32_t n = 0; n < model.nodes.size(); ++n) {
    if (model.nodes[n].name == kNone) continue;
    if (model.nodes[n].name >= model.texts.size()) {
      return fail(ErrorCode::kUsage, message("node ", n, " has text ", model.nodes[n].name, " as its name, expected ",
                                             "less than ", model.texts.size()));
    }
    by_name.push_back(n);
  }
  std::ranges::stable_sort(by_name, {}, [&](std::uint32_t n) { return model.text(model.nodes[n].name); });
  ASSETC_TRY(const ByteVector texts, write_texts(model.texts));

  std::vector<chunks::Chunk> list{{table::kChunks[table::kDescChunk].id, object_bytes(model.desc)}};
  const auto add = [&](table::Chunk chunk, const auto& array) {
    if (!array.empty()) list.push_back({table::kChunks[chunk].id, std::as_bytes(std::span(array))});
  };
  add(table::kNodeChunk, model.nodes);
  add(table::kMatrixChunk, model.matrices);
  add(table::kWeightChunk, model.weights);
  add(table::kByNameChunk, by_name);
  add(table::kMeshChunk, model.meshes);
  add(table::kSkinChunk, model.skins);
  add(table::kJointChunk, model.joints);
  add(table::kInverseBindChunk, model.inverse_bind);
  add(table::kCameraChunk, model.cameras);
  add(table::kLightChunk, model.lights);
  add(table::kMaterialChunk, model.materials);
  add(table::kParameterChunk, model.parameters);
  add(table::kTextureChunk, model.textures);
  add(table::kVariantChunk, model.variants);
  add(table::kVariantMaterialChunk, model.variant_materials);
  add(table::kClipChunk, model.clips);
  add(table::kClipNodeChunk, model.clip_nodes);
  list.push_back({table::kChunks[table::kTextChunk].id, texts});
  ByteVector file = chunks::write_file(kVersion, list, kFormat);
  // A file that the reader would refuse is never written.
  ASSETC_CHECK(View::open(file));
  return file;
}

}  // namespace assetc::hscene
