// What a SPIR-V module wants from the engine: bindings, push constants, inputs, workgroup size. Source: SPIR-V 1.6,
// sections 2.3 and 3; the Vulkan specification, 15 (Shader Interfaces).
//
//   const auto wants = spirv::reflect(shader.code);
//   for (const spirv::Binding& b : wants->bindings) layout.add(b.set, b.binding, descriptor_type(b.kind), b.count);
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"

namespace assetc::spirv {

inline constexpr std::uint32_t kMagic = 0x07230203;

// The numbers of SPIR-V's execution models; others are kept as they are.
enum class Stage : std::uint32_t {
  kVertex = 0,
  kTessControl = 1,
  kTessEvaluation = 2,
  kGeometry = 3,
  kFragment = 4,
  kCompute = 5,
  kTask = 5364,
  kMesh = 5365,
};

// Vulkan's descriptor types, by what is declared.
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
  std::uint32_t count = 1;       // of an array; 0: as many as the layout says
  std::uint64_t size_bytes = 0;  // of a buffer, without a run-time array at its end
  std::string_view name;         // empty where it was stripped
};

enum class Scalar : std::uint8_t { kFloat, kInt, kUint };
// An input of a vertex shader, or an output of a fragment shader; between stages both.
struct Variable {
  std::uint32_t location = 0;
  Scalar scalar = Scalar::kFloat;
  std::uint32_t bits = 32;
  std::uint32_t components = 1;  // of a vector, or of a matrix' column
  std::uint32_t columns = 1;     // of a matrix: locations follow one another
  std::string_view name;
};

struct SpecConstant {
  std::uint32_t id = 0;
  std::uint32_t default_bits = 0;  // of a bool 0 or 1; of 64 bits the low ones
  std::string_view name;
};

// Views into the module.
struct Reflection {
  Stage stage = Stage::kVertex;
  std::string_view entry_point;                          // empty where the module has none: a library
  std::array<std::uint32_t, 3> workgroup_size{1, 1, 1};  // of compute, task and mesh shaders, as far as it is constant
  std::uint64_t push_constant_bytes = 0;
  std::vector<Binding> bindings;             // by set and binding
  std::vector<Variable> inputs, outputs;     // by location; without built-ins
  std::vector<SpecConstant> spec_constants;  // by id
};

// Of the module's first entry point; bindings are those of the whole module. The module need not be valid beyond what
// is looked at: its declarations. Names are there where shader.debug kept them. Errors: kTruncated, kInvalidData (the
// place is "word N"), kUnsupported for another byte order. Requires words at any alignment. Thread safety: a function.
Result<Reflection> reflect(ByteSpan module);

}  // namespace assetc::spirv
