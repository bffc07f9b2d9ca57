// What compiles to textures, as the bytes of .ktx2 files.
#pragma once

#include <utility>

#include "texture/environment.hpp"

namespace assetc::texture {

inline Result<ByteVector> compile_ktx2(const ImageSource& source, Arrangement arrangement,
                                       const CompileOptions& options) {
  ASSETC_TRY(const EncodedTexture texture, compile_texture(source, arrangement, options));
  return write_ktx2(texture);
}

struct EnvironmentFiles {
  ByteVector environment;
  ByteVector specular;    // empty where there is none
  ByteVector irradiance;  // empty where there is none
  std::optional<RdoReport> rdo;
};

inline Result<EnvironmentFiles> write_files(Result<EnvironmentTextures> made) {
  ASSETC_TRY(const EnvironmentTextures textures, std::move(made));
  EnvironmentFiles files;
  ASSETC_TRY(files.environment, write_ktx2(textures.environment));
  if (textures.specular) {
    ASSETC_TRY(files.specular, write_ktx2(*textures.specular));
  }
  if (textures.irradiance) {
    ASSETC_TRY(files.irradiance, write_ktx2(*textures.irradiance));
  }
  files.rdo = textures.environment.rdo;
  return files;
}
inline Result<EnvironmentFiles> compile_environment_files(scene::Image panorama, const EnvironmentOptions& options) {
  return write_files(compile_environment(std::move(panorama), options));
}
inline Result<EnvironmentFiles> compile_environment_files(const ImageSource& faces, const EnvironmentOptions& options) {
  return write_files(compile_environment(faces, options));
}

}  // namespace assetc::texture
