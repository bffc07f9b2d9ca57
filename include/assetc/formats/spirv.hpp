// Reflection of SPIR-V modules: the bindings, push constants, inputs and workgroup size that a shader needs.
//
//   const auto wants = spirv::reflect(shader.code);
//   for (const spirv::Binding& b : wants->bindings) layout.add(b.set, b.binding, descriptor_type(b.kind), b.count);
//
// Source: SPIR-V 1.6, sections 2.3 and 3; the Vulkan specification, 15 (Shader Interfaces).
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"

namespace assetc::spirv {

inline constexpr std::uint32_t kMagic = 0x07230203;

// The numbers of SPIR-V's execution models. Other numbers are kept unchanged.
enum class Stage : std::uint32_t {
  kVertex = 0,
  kTessControl = 1,
  kTessEvaluation = 2,
  kGeometry = 3,
  kFragment = 4,
  kCompute = 5,
  kTask = 5364,
  kMesh = 5365,
  kRayGeneration = 5313,
  kIntersection = 5314,
  kAnyHit = 5315,
  kClosestHit = 5316,
  kMiss = 5317,
  kCallable = 5318,
};

// Vulkan's descriptor types, derived from the declaration.
enum class BindingKind : std::uint8_t {
  kSampler,
  kCombinedImageSampler,
  kSampledImage,
  kStorageImage,
  kUniformTexelBuffer,
  kStorageTexelBuffer,
  kUniformBuffer,
  kStorageBuffer,
  kInputAttachment,
  kAccelerationStructure,
};
std::string_view to_string(BindingKind kind);  // "combined image sampler"

struct Binding {
  std::uint32_t set = 0, binding = 0;
  BindingKind kind = BindingKind::kUniformBuffer;
  std::uint32_t count = 1;       // elements of an array; 0: the descriptor set layout decides
  std::uint64_t size_bytes = 0;  // of a buffer, without a run-time array at its end
  std::string_view name;         // empty if it was stripped
};

enum class Scalar : std::uint8_t { kFloat, kInt, kUint };
// An input of a vertex shader or an output of a fragment shader. For other stages, inputs and outputs.
struct Variable {
  std::uint32_t location = 0;
  Scalar scalar = Scalar::kFloat;
  std::uint32_t bits = 32;
  std::uint32_t components = 1;  // of a vector, or of one matrix column
  std::uint32_t columns = 1;     // of a matrix; each column takes the next location
  std::string_view name;
};

struct SpecConstant {
  std::uint32_t id = 0;
  std::uint32_t default_bits = 0;  // bool: 0 or 1; 64-bit types: the low 32 bits
  std::string_view name;
};

// Views into the module, which must outlive them.
struct Reflection {
  Stage stage = Stage::kVertex;
  std::string_view entry_point;                          // empty if the module has none: a library
  std::array<std::uint32_t, 3> workgroup_size{1, 1, 1};  // of compute, task and mesh shaders, if constant
  std::uint64_t push_constant_bytes = 0;
  std::vector<Binding> bindings;             // ascending by set and binding
  std::vector<Variable> inputs, outputs;     // ascending by location; without built-ins
  std::vector<SpecConstant> spec_constants;  // ascending by id
};

// Returns the interface of the first entry point. Bindings are those of the whole module. Names are present if the
// shader was compiled with shader.debug. Only the declarations are read and checked; the rest of the module may be
// invalid.
// Errors: kTruncated, kInvalidData (the place is "word N"), kUnsupported (another byte order).
// Constraints: the module may have any alignment.
// Thread safety: any number of threads.
Result<Reflection> reflect(ByteSpan module);

}  // namespace assetc::spirv
