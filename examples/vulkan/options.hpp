#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "linear.hpp"

namespace example {

struct ModelOptions {
  std::string path;  // of a mesh in a mount, of any container
  Vec3 at{};
  float scale = 1;
  float yaw_degrees = 0;
  std::optional<std::size_t> clip;  // of the .hanim beside the mesh
  std::string animation;            // a cooked one, of the model that the mesh is of; or empty
  float time_seconds = 0;
  std::optional<std::uint32_t> lod;  // unset: by how large it is in the picture
};

struct Options {
  std::vector<std::string> mounts;
  std::vector<ModelOptions> models;
  std::string light;  // an environment without its extension: sky/noon.env
  std::string out;
  std::uint32_t width = 512, height = 512;
  float yaw_degrees = 30, pitch_degrees = 15;
  std::optional<std::array<float, 4>> frame;  // center and radius of what the picture shows; unset: all models
  float zoom = 1;
  float exposure = 1;
  bool culls = true;
  bool has_materials = true;  // else everything is of the default material
  bool validates = false;
};

extern const char* const kUsage;

// Nothing where the arguments are not what kUsage says.
std::optional<Options> parse(int argc, char** argv);

}  // namespace example
