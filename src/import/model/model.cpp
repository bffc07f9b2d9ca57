#include "import/model/model.hpp"

#include "base/ascii.hpp"
#include "filetypes/filetypes.hpp"
#include "import/compiled/galileo.hpp"
#include "import/compiled/hcluster.hpp"
#include "import/compiled/hmesh.hpp"
#include "import/fbx/fbx.hpp"
#include "import/gltf/gltf.hpp"
#include "import/obj/obj.hpp"

namespace assetc::importer {

bool is_model_path(std::string_view path) {
  const filetypes::Row* row = filetypes::find_row(path);
  return row != nullptr && (row->is_model() || row->type == filetypes::Class::kScene);
}

ModelKind model_kind(std::string_view path) {
  if (ends_with_ignoring_case(path, ".obj")) return ModelKind::kObj;
  if (ends_with_ignoring_case(path, ".fbx")) return ModelKind::kFbx;
  if (ends_with_ignoring_case(path, ".gali")) return ModelKind::kGalileo;
  if (ends_with_ignoring_case(path, ".hscene")) return ModelKind::kHscene;
  if (ends_with_ignoring_case(path, ".hcluster")) return ModelKind::kHcluster;
  return is_compiled_model_path(path) ? ModelKind::kHmesh : ModelKind::kGltf;
}

bool is_compiled_model_path(std::string_view path) {
  return is_model_path(path) && filetypes::find_row(path)->is_compiled();
}

namespace {

Result<Imported> import_kind(std::string_view path, const Bytes& file, const FileReader& read, const FileProbe& exists,
                             const Companions& companions, std::uint64_t memory_bytes, const ClusterCut& cut) {
  switch (model_kind(path)) {
    case ModelKind::kGltf:
      return import_gltf(path, file, read);
    case ModelKind::kObj:
      return import_obj(path, file, read);
    case ModelKind::kFbx: {
      process::Limits limits = kFbxLimits;
      if (memory_bytes != 0) limits.memory_bytes = memory_bytes;
      return import_fbx(path, file, exists, limits);
    }
    case ModelKind::kGalileo:
      return import_galileo(file, companions);
    case ModelKind::kHscene:
      return fail(ErrorCode::kUsage, "a scene is opened with the files that it names");
    case ModelKind::kHcluster: {
      Imported out;
      ASSETC_TRY(out.scene, import_hcluster(file, companions, cut));
      return out;
    }
    case ModelKind::kHmesh:
      break;
  }
  Imported out;
  ASSETC_TRY(out.scene, import_hmesh({file, companions.materials, companions.animation, companions.textures}));
  return out;
}

}  // namespace

Result<Imported> import_model(std::string_view path, const Bytes& file, const FileReader& read, const FileProbe& exists,
                              const Companions& companions, std::uint64_t memory_bytes, const ClusterCut& cut) {
  std::uint64_t source_bytes = file.size();
  const FileReader counting = [&](std::string_view other) {
    auto bytes = read(other);
    if (bytes) source_bytes += bytes->size();
    return bytes;
  };
  ASSETC_TRY(Imported model, import_kind(path, file, counting, exists, companions, memory_bytes, cut));
  ASSETC_CHECK(check_drawn(model.scene, source_bytes));
  return model;
}

}  // namespace assetc::importer
