#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "linear.hpp"

namespace example {

struct ModelOptions {
  std::string path;  // of a mesh in a mount, in any container, or of a scene
  Vec3 at{};
  float scale = 1;
  float yaw_degrees = 0;
  std::optional<std::size_t> clip;  // a clip of the .hanim beside the mesh
  std::string animation;            // path of a cooked animation of the same model, or empty
  float time_seconds = 0;
  std::optional<std::uint32_t> lod;  // unset: chosen by the size in the picture
};

struct Options {
  std::vector<std::string> mounts;
  std::vector<ModelOptions> models;
  std::string light;  // an environment without its extension: sky/noon.env
  std::string out;
  std::string camera;  // of a scene: the name of the camera or its node; empty: all models are framed
  std::string mod;     // mounted after the first picture; empty: none
  std::optional<std::uint64_t> gpu_bytes;  // limit for meshes and textures; unset: everything is loaded whole
  std::uint32_t width = 512, height = 512;
  float yaw_degrees = 30, pitch_degrees = 15;
  std::optional<std::array<float, 4>> frame;  // center and radius of the visible sphere; unset: all models
  float zoom = 1;
  float exposure = 1;
  // Of clusters: the error that may be seen, and the size of the pool.
  float error_texels = 1;
  std::uint32_t cluster_slots = 8192;
  bool has_occlusion = true;
  // Pictures to draw; the last one is written. Each one is seen from `turn_degrees` less yaw than the next.
  std::uint32_t frame_count = 1;
  float turn_degrees = 0;
  bool culls = true;
  bool has_materials = true;  // if false, everything has the default material
  bool validates = false;
};

extern const char* const kUsage;

// Returns nothing if the arguments do not match kUsage.
std::optional<Options> parse(int argc, char** argv);

}  // namespace example
