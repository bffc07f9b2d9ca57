// Calls assimp with only its FBX importer, which gets the bytes and cannot open files.
#include <assimp/BaseImporter.h>
#include <assimp/config.h>
#include <assimp/scene.h>
#include <assimp/version.h>

#include <algorithm>
#include <assimp/IOSystem.hpp>
#include <assimp/Importer.hpp>
#include <string>

#include "base/exceptions.hpp"
#include "import/assimp/parts.hpp"
#include "import/fbx.hpp"
#include "import/libraries.hpp"

namespace assetc::importer {
namespace {

constexpr std::string_view kImporterName = "Autodesk FBX Importer";

class NoFiles : public Assimp::IOSystem {
 public:
  bool Exists(const char*) const override { return false; }
  char getOsSeparator() const override { return '/'; }
  Assimp::IOStream* Open(const char*, const char*) override { return nullptr; }
  void Close(Assimp::IOStream*) override {}
};

void keep_fbx_alone(Assimp::Importer& importer) {
  for (std::size_t i = importer.GetImporterCount(); i-- != 0;) {
    Assimp::BaseImporter* one = importer.GetImporter(i);
    if (one->GetInfo()->mName != kImporterName) {
      importer.UnregisterLoader(one);
      delete one;  // UnregisterLoader passes ownership to the caller
    }
  }
}

Result<Imported> read(ByteSpan file) {
  Assimp::Importer importer;
  keep_fbx_alone(importer);
  importer.SetIOHandler(new NoFiles);                                                    // deleted by the importer
  importer.SetPropertyBool(AI_CONFIG_IMPORT_FBX_EMBEDDED_TEXTURES_LEGACY_NAMING, true);  // as "*0", by number
  const aiScene* source = importer.ReadFileFromMemory(file.data(), file.size(), 0, "fbx");
  if (source == nullptr || source->mRootNode == nullptr) {
    return fail(ErrorCode::kInvalidData, std::string("assimp cannot read it: ") + importer.GetErrorString(),
                "export it again as binary FBX 2014 (7.4) or later, or as glTF");
  }
  Imported out;
  assimp::Context context{.source = *source, .out = out};
  read_units(context);
  read_nodes(context);
  read_materials(context);
  ASSETC_CHECK(read_meshes(context));
  ASSETC_CHECK(read_clips(context));
  return out;
}

}  // namespace

Result<Imported> read_fbx_here(ByteSpan file) {
  return catch_exceptions("the FBX reader", "split the model", [&] { return read(file); });
}

std::string assimp_version() {
  return std::to_string(aiGetVersionMajor()) + "." + std::to_string(aiGetVersionMinor()) + "." +
         std::to_string(aiGetVersionPatch());
}

}  // namespace assetc::importer
