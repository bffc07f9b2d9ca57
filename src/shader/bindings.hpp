// Finds descriptors that no pipeline layout can hold: two variables at one set and binding.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "assetc/base/result.hpp"
#include "assetc/formats/spirv.hpp"

namespace assetc::shader {

// Checks one module. Variables may share a place if one descriptor can serve all of them, as Vulkan allows: arrays of
// one kind, and storage buffers, images and texel buffers of one kind, which are views of the same memory.
// allows_combined: an image and a sampler at one place are a combined image sampler.
// Errors: kConflict; the place is the set and binding.
Result<void> check_bindings(std::span<const spirv::Binding> bindings, bool allows_combined);

struct StageBindings {
  std::string_view stage;  // "vertex"
  std::span<const spirv::Binding> bindings;
};
// Checks the modules of one pipeline, in which each place has one descriptor for all stages. Returns warnings: uniform
// buffers of different sizes, and textures and samplers of different names, at one place. They are two descriptors or
// two declarations of one.
// Errors: kConflict: descriptors of different kinds at one place.
Result<std::vector<Error>> check_pipeline(std::span<const StageBindings> stages);

}  // namespace assetc::shader
