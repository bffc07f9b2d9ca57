#include "runtime/loaders/fallbacks.hpp"

#include <array>
#include <bit>

namespace assetc::runtime {
namespace {

// A SPIR-V module for Vulkan 1.0 with the entry points of kShader below. SPIR-V 1.0 allows one name for several entry
// points if their stages differ. Source: SPIR-V 1.0, sections 2.4 (the order of instructions) and 3.
constexpr std::uint32_t op(std::uint32_t code, std::uint32_t words) { return words << 16 | code; }
constexpr std::uint32_t bits(float value) { return std::bit_cast<std::uint32_t>(value); }
constexpr std::uint32_t kMain = 0x6e69616d, kEnd = 0;  // "main" and its terminator

enum Id : std::uint32_t {
  kVoid = 1,
  kFunctionType,
  kFloat,
  kFloat4,
  kOutput,  // pointer to a float4
  kPosition,
  kColor,
  kZero,
  kOne,
  kTwo,
  kOutside,
  kMagenta,
  kVertex,
  kVertexLabel,
  kFragment,
  kFragmentLabel,
  kCompute,
  kComputeLabel,
  kBound,
};

constexpr std::uint32_t kShader[] = {
    spirv::kMagic,
    0x00010000u,
    0u,
    kBound,
    0u,  // version 1.0, no generator
    op(17, 2),
    1u,  // OpCapability Shader
    op(14, 3),
    0u,
    1u,  // OpMemoryModel Logical GLSL450
    op(15, 6),
    0u,
    kVertex,
    kMain,
    kEnd,
    kPosition,  // OpEntryPoint Vertex
    op(15, 6),
    4u,
    kFragment,
    kMain,
    kEnd,
    kColor,  // OpEntryPoint Fragment
    op(15, 5),
    5u,
    kCompute,
    kMain,
    kEnd,  // OpEntryPoint GLCompute
    op(16, 3),
    kFragment,
    7u,  // OpExecutionMode OriginUpperLeft
    op(16, 6),
    kCompute,
    17u,
    1u,
    1u,
    1u,  // OpExecutionMode LocalSize 1 1 1
    op(71, 4),
    kPosition,
    11u,
    0u,  // OpDecorate BuiltIn Position
    op(71, 4),
    kColor,
    30u,
    0u,  // OpDecorate Location 0
    op(19, 2),
    kVoid,  // OpTypeVoid
    op(33, 3),
    kFunctionType,
    kVoid,  // OpTypeFunction
    op(22, 3),
    kFloat,
    32u,  // OpTypeFloat
    op(23, 4),
    kFloat4,
    kFloat,
    4u,  // OpTypeVector
    op(32, 4),
    kOutput,
    3u,
    kFloat4,  // OpTypePointer Output
    op(59, 4),
    kOutput,
    kPosition,
    3u,  // OpVariable Output
    op(59, 4),
    kOutput,
    kColor,
    3u,  // OpVariable Output
    op(43, 4),
    kFloat,
    kZero,
    bits(0),  // OpConstant
    op(43, 4),
    kFloat,
    kOne,
    bits(1),  // OpConstant
    op(43, 4),
    kFloat,
    kTwo,
    bits(2),  // OpConstant
    // OpConstantComposite: a position beside the clip volume, and a color
    op(44, 7),
    kFloat4,
    kOutside,
    kTwo,
    kTwo,
    kTwo,
    kOne,
    op(44, 7),
    kFloat4,
    kMagenta,
    kOne,
    kZero,
    kOne,
    kOne,
    op(54, 5),
    kVoid,
    kVertex,
    0u,
    kFunctionType,  // OpFunction
    op(248, 2),
    kVertexLabel,  // OpLabel
    op(62, 3),
    kPosition,
    kOutside,  // OpStore
    op(253, 1),
    op(56, 1),  // OpReturn, OpFunctionEnd
    op(54, 5),
    kVoid,
    kFragment,
    0u,
    kFunctionType,  //
    op(248, 2),
    kFragmentLabel,  //
    op(62, 3),
    kColor,
    kMagenta,  //
    op(253, 1),
    op(56, 1),  //
    op(54, 5),
    kVoid,
    kCompute,
    0u,
    kFunctionType,  //
    op(248, 2),
    kComputeLabel,  //
    op(253, 1),
    op(56, 1),
};

}  // namespace

SkeletonData bind_pose(AssetType /*type*/) {
  constexpr hmesh::GpuJoint kJoint{
      {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}, {0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}, hmesh::kNoParent, 0};
  // No node of a model: clips do not move the joint, because the other joints of the mesh would stay where they are.
  constexpr std::uint32_t kNoNode = 0xffffffffu;
  return must_view<aas1::SkeletonView>(aas1::write_skeleton({&kJoint, 1}, {}, {&kNoNode, 1}));
}

ShaderData error_shader(AssetType /*type*/) {
  ShaderData shader{Bytes({}, std::as_bytes(std::span(kShader))), aas1::kEncodingSpirv};
  shader.wants = must(spirv::reflect(shader.code));
  return shader;
}

}  // namespace assetc::runtime
