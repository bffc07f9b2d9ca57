// The formats and layouts of assetc as the constants of Vulkan, Direct3D 12, Metal and OpenGL, and as the strings of
// WebGPU. WebGPU has strings because the numbers in webgpu.h changed between its revisions. No header of these APIs is
// needed.
//
//   create_image(VkFormat(gpu::texture_format(texture.format, texture.is_srgb).vulkan));
//   for (const gpu::VertexAttribute& a : gpu::kHmeshVertices)
//     bind(a.semantic, gpu::info(a.format).dxgi, a.offset_bytes);
//
// The number 0 and an empty string mean "none": the API has no such format. In each API, 0 is the constant for
// undefined, unknown or invalid. A number does not mean that every device supports the format.
// Sources: Vulkan 1.3, DXGI 1.6 and Direct3D 12, the OpenGL 4.6 core profile with the extensions S3TC, ASTC and
// texture_sRGB_R8 and _RG8, WebGPU's GPUTextureFormat and GPUVertexFormat; tests compare with their headers. Metal:
// Apple's documentation of MTLPixelFormat, MTLVertexFormat and others; there is no header to compare with.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "assetc/formats/aas1_material.hpp"
#include "assetc/formats/aas1_mesh.hpp"
#include "assetc/formats/hmesh.hpp"
#include "assetc/formats/hmesh_v1.hpp"
#include "assetc/formats/ktx2.hpp"

namespace assetc::gpu {

// ---- textures ----

struct GlTexture {
  std::uint32_t internal_format = 0;   // for glTexStorage
  std::uint32_t format = 0, type = 0;  // for glTexSubImage; none for compressed blocks
  bool operator==(const GlTexture&) const = default;
};

struct TextureFormat {
  std::uint32_t vulkan = 0;  // VkFormat
  std::uint32_t dxgi = 0;    // DXGI_FORMAT
  std::uint32_t metal = 0;   // MTLPixelFormat
  GlTexture gl;
  std::string_view webgpu;  // GPUTextureFormat
  bool operator==(const TextureFormat&) const = default;
};

namespace detail {

struct Row {
  TexelFormat format;
  TextureFormat linear, srgb;
};
// clang-format off
inline constexpr std::array kTextureFormats{
    Row{TexelFormat::kUastc, {}, {}},
    Row{TexelFormat::kEtc1s, {}, {}},
    Row{TexelFormat::kR8, {9, 61, 10, {0x8229, 0x1903, 0x1401}, "r8unorm"}, {15, 0, 11, {0x8fbd, 0x1903, 0x1401}, ""}},
    Row{TexelFormat::kRg8, {16, 49, 30, {0x822b, 0x8227, 0x1401}, "rg8unorm"}, {22, 0, 31, {0x8fbe, 0x8227, 0x1401}, ""}},
    Row{TexelFormat::kRgb8, {23, 0, 0, {0x8051, 0x1907, 0x1401}, ""}, {29, 0, 0, {0x8c41, 0x1907, 0x1401}, ""}},
    Row{TexelFormat::kRgba8, {37, 28, 70, {0x8058, 0x1908, 0x1401}, "rgba8unorm"}, {43, 29, 71, {0x8c43, 0x1908, 0x1401}, "rgba8unorm-srgb"}},
    Row{TexelFormat::kR16, {70, 56, 20, {0x822a, 0x1903, 0x1403}, "r16unorm"}, {}},
    Row{TexelFormat::kRg16, {77, 35, 60, {0x822c, 0x8227, 0x1403}, "rg16unorm"}, {}},
    Row{TexelFormat::kRgba16, {91, 11, 110, {0x805b, 0x1908, 0x1403}, "rgba16unorm"}, {}},
    Row{TexelFormat::kR16f, {76, 54, 25, {0x822d, 0x1903, 0x140b}, "r16float"}, {}},
    Row{TexelFormat::kRg16f, {83, 34, 65, {0x822f, 0x8227, 0x140b}, "rg16float"}, {}},
    Row{TexelFormat::kRgba16f, {97, 10, 115, {0x881a, 0x1908, 0x140b}, "rgba16float"}, {}},
    Row{TexelFormat::kR32f, {100, 41, 55, {0x822e, 0x1903, 0x1406}, "r32float"}, {}},
    Row{TexelFormat::kRg32f, {103, 16, 105, {0x8230, 0x8227, 0x1406}, "rg32float"}, {}},
    Row{TexelFormat::kRgba32f, {109, 2, 125, {0x8814, 0x1908, 0x1406}, "rgba32float"}, {}},
    Row{TexelFormat::kBc1Rgb, {131, 0, 0, {0x83f0}, ""}, {132, 0, 0, {0x8c4c}, ""}},
    Row{TexelFormat::kBc1Rgba, {133, 71, 130, {0x83f1}, "bc1-rgba-unorm"}, {134, 72, 131, {0x8c4d}, "bc1-rgba-unorm-srgb"}},
    Row{TexelFormat::kBc2, {135, 74, 132, {0x83f2}, "bc2-rgba-unorm"}, {136, 75, 133, {0x8c4e}, "bc2-rgba-unorm-srgb"}},
    Row{TexelFormat::kBc3, {137, 77, 134, {0x83f3}, "bc3-rgba-unorm"}, {138, 78, 135, {0x8c4f}, "bc3-rgba-unorm-srgb"}},
    Row{TexelFormat::kBc4, {139, 80, 140, {0x8dbb}, "bc4-r-unorm"}, {}},
    Row{TexelFormat::kBc4Signed, {140, 81, 141, {0x8dbc}, "bc4-r-snorm"}, {}},
    Row{TexelFormat::kBc5, {141, 83, 142, {0x8dbd}, "bc5-rg-unorm"}, {}},
    Row{TexelFormat::kBc5Signed, {142, 84, 143, {0x8dbe}, "bc5-rg-snorm"}, {}},
    Row{TexelFormat::kBc6h, {143, 95, 151, {0x8e8f}, "bc6h-rgb-ufloat"}, {}},
    Row{TexelFormat::kBc6hSigned, {144, 96, 150, {0x8e8e}, "bc6h-rgb-float"}, {}},
    Row{TexelFormat::kBc7, {145, 98, 152, {0x8e8c}, "bc7-rgba-unorm"}, {146, 99, 153, {0x8e8d}, "bc7-rgba-unorm-srgb"}},
    Row{TexelFormat::kEtc2Rgb, {147, 0, 180, {0x9274}, "etc2-rgb8unorm"}, {148, 0, 181, {0x9275}, "etc2-rgb8unorm-srgb"}},
    Row{TexelFormat::kEtc2Rgba, {151, 0, 178, {0x9278}, "etc2-rgba8unorm"}, {152, 0, 179, {0x9279}, "etc2-rgba8unorm-srgb"}},
    Row{TexelFormat::kEacR11, {153, 0, 170, {0x9270}, "eac-r11unorm"}, {}},
    Row{TexelFormat::kEacR11Signed, {154, 0, 172, {0x9271}, "eac-r11snorm"}, {}},
    Row{TexelFormat::kEacRg11, {155, 0, 174, {0x9272}, "eac-rg11unorm"}, {}},
    Row{TexelFormat::kEacRg11Signed, {156, 0, 176, {0x9273}, "eac-rg11snorm"}, {}},
    Row{TexelFormat::kAstc4x4, {157, 0, 204, {0x93b0}, "astc-4x4-unorm"}, {158, 0, 186, {0x93d0}, "astc-4x4-unorm-srgb"}},
    Row{TexelFormat::kAstc5x4, {159, 0, 205, {0x93b1}, "astc-5x4-unorm"}, {160, 0, 187, {0x93d1}, "astc-5x4-unorm-srgb"}},
    Row{TexelFormat::kAstc5x5, {161, 0, 206, {0x93b2}, "astc-5x5-unorm"}, {162, 0, 188, {0x93d2}, "astc-5x5-unorm-srgb"}},
    Row{TexelFormat::kAstc6x5, {163, 0, 207, {0x93b3}, "astc-6x5-unorm"}, {164, 0, 189, {0x93d3}, "astc-6x5-unorm-srgb"}},
    Row{TexelFormat::kAstc6x6, {165, 0, 208, {0x93b4}, "astc-6x6-unorm"}, {166, 0, 190, {0x93d4}, "astc-6x6-unorm-srgb"}},
    Row{TexelFormat::kAstc8x5, {167, 0, 210, {0x93b5}, "astc-8x5-unorm"}, {168, 0, 192, {0x93d5}, "astc-8x5-unorm-srgb"}},
    Row{TexelFormat::kAstc8x6, {169, 0, 211, {0x93b6}, "astc-8x6-unorm"}, {170, 0, 193, {0x93d6}, "astc-8x6-unorm-srgb"}},
    Row{TexelFormat::kAstc8x8, {171, 0, 212, {0x93b7}, "astc-8x8-unorm"}, {172, 0, 194, {0x93d7}, "astc-8x8-unorm-srgb"}},
    Row{TexelFormat::kAstc10x5, {173, 0, 213, {0x93b8}, "astc-10x5-unorm"}, {174, 0, 195, {0x93d8}, "astc-10x5-unorm-srgb"}},
    Row{TexelFormat::kAstc10x6, {175, 0, 214, {0x93b9}, "astc-10x6-unorm"}, {176, 0, 196, {0x93d9}, "astc-10x6-unorm-srgb"}},
    Row{TexelFormat::kAstc10x8, {177, 0, 215, {0x93ba}, "astc-10x8-unorm"}, {178, 0, 197, {0x93da}, "astc-10x8-unorm-srgb"}},
    Row{TexelFormat::kAstc10x10, {179, 0, 216, {0x93bb}, "astc-10x10-unorm"}, {180, 0, 198, {0x93db}, "astc-10x10-unorm-srgb"}},
    Row{TexelFormat::kAstc12x10, {181, 0, 217, {0x93bc}, "astc-12x10-unorm"}, {182, 0, 199, {0x93dc}, "astc-12x10-unorm-srgb"}},
    Row{TexelFormat::kAstc12x12, {183, 0, 218, {0x93bd}, "astc-12x12-unorm"}, {184, 0, 200, {0x93dd}, "astc-12x12-unorm-srgb"}},
};
// clang-format on
static_assert(kTextureFormats.size() == kTexelFormatCount);
static_assert([] {
  for (std::size_t i = 0; i < kTextureFormats.size(); ++i) {
    if (static_cast<std::size_t>(kTextureFormats[i].format) != i) return false;
  }
  return true;
}());

}  // namespace detail

// Returns the constants of a format. UASTC and ETC1S have none, because they must be transcoded. Only Vulkan and OpenGL
// have BC1 without alpha. Elsewhere, use kBc1Rgba: its color is the same, but shaders must not read its alpha.
constexpr const TextureFormat& texture_format(TexelFormat format, bool is_srgb) {
  const detail::Row& row = detail::kTextureFormats[static_cast<std::size_t>(format)];
  return is_srgb ? row.srgb : row.linear;
}

// ---- vertices ----

enum class VertexFormat : std::uint8_t {
  kR32F,
  kRg32F,
  kRgb32F,
  kRgba32F,
  kRg16Snorm,
  kRg16Sint,
  kRg16Unorm,
  kRgba16Snorm,
  kRgba16Sint,
  kRgba16Unorm,
  kRgba16Uint,
  kRgba8Unorm,
};

// Arguments of glVertexAttribPointer, or of glVertexAttribIPointer if is_integer.
struct GlAttribute {
  std::uint32_t type = 0;
  std::uint8_t components = 0;
  bool is_normalized = false;
  bool is_integer = false;
  bool operator==(const GlAttribute&) const = default;
};

struct VertexFormatInfo {
  VertexFormat format;
  std::uint32_t size_bytes;
  std::uint32_t vulkan;  // VkFormat
  std::uint32_t dxgi;    // DXGI_FORMAT
  std::uint32_t metal;   // MTLVertexFormat
  GlAttribute gl;
  std::string_view webgpu;  // GPUVertexFormat
};

inline constexpr std::array kVertexFormats{
    VertexFormatInfo{VertexFormat::kR32F, 4, 100, 41, 28, {0x1406, 1}, "float32"},
    VertexFormatInfo{VertexFormat::kRg32F, 8, 103, 16, 29, {0x1406, 2}, "float32x2"},
    VertexFormatInfo{VertexFormat::kRgb32F, 12, 106, 6, 30, {0x1406, 3}, "float32x3"},
    VertexFormatInfo{VertexFormat::kRgba32F, 16, 109, 2, 31, {0x1406, 4}, "float32x4"},
    VertexFormatInfo{VertexFormat::kRg16Snorm, 4, 78, 37, 22, {0x1402, 2, true}, "snorm16x2"},
    VertexFormatInfo{VertexFormat::kRg16Sint, 4, 82, 38, 16, {0x1402, 2, false, true}, "sint16x2"},
    VertexFormatInfo{VertexFormat::kRg16Unorm, 4, 77, 35, 19, {0x1403, 2, true}, "unorm16x2"},
    VertexFormatInfo{VertexFormat::kRgba16Snorm, 8, 92, 13, 24, {0x1402, 4, true}, "snorm16x4"},
    VertexFormatInfo{VertexFormat::kRgba16Sint, 8, 96, 14, 18, {0x1402, 4, false, true}, "sint16x4"},
    VertexFormatInfo{VertexFormat::kRgba16Unorm, 8, 91, 11, 21, {0x1403, 4, true}, "unorm16x4"},
    VertexFormatInfo{VertexFormat::kRgba16Uint, 8, 95, 12, 15, {0x1403, 4, false, true}, "uint16x4"},
    VertexFormatInfo{VertexFormat::kRgba8Unorm, 4, 37, 28, 9, {0x1401, 4, true}, "unorm8x4"},
};

constexpr const VertexFormatInfo& info(VertexFormat format) { return kVertexFormats[static_cast<std::size_t>(format)]; }
static_assert([] {
  for (const VertexFormatInfo& row : kVertexFormats) {
    if (&info(row.format) != &row) return false;
  }
  return true;
}());

// Requires a value of the enumeration. All attributes of an aas1::MeshView have one.
constexpr VertexFormat vertex_format(aas1::VertexFormat format) {
  switch (format) {
    case aas1::VertexFormat::kR32F:
      return VertexFormat::kR32F;
    case aas1::VertexFormat::kRg32F:
      return VertexFormat::kRg32F;
    case aas1::VertexFormat::kRgb32F:
      return VertexFormat::kRgb32F;
    case aas1::VertexFormat::kRgba32F:
      break;
    case aas1::VertexFormat::kRg16Snorm:
      return VertexFormat::kRg16Snorm;
    case aas1::VertexFormat::kRg16Sint:
      return VertexFormat::kRg16Sint;
    case aas1::VertexFormat::kRgba16Uint:
      return VertexFormat::kRgba16Uint;
    case aas1::VertexFormat::kRgba8Unorm:
      return VertexFormat::kRgba8Unorm;
  }
  return VertexFormat::kRgba32F;
}

// An attribute of a vertex buffer. AAS1 meshes list theirs; the arrays below are those of the other containers.
struct VertexAttribute {
  aas1::Semantic semantic;
  VertexFormat format;
  std::uint32_t offset_bytes;
};

// hmesh::View::vertices(). Normals and tangents are octahedral, with the handedness in bit 0 of the tangent's first
// component.
inline constexpr std::array kHmeshVertices{
    VertexAttribute{aas1::Semantic::kPosition, VertexFormat::kRgb32F, offsetof(hmesh::GpuVertex, position)},
    VertexAttribute{aas1::Semantic::kNormal, VertexFormat::kRg16Snorm, offsetof(hmesh::GpuVertex, normal)},
    VertexAttribute{aas1::Semantic::kTangent, VertexFormat::kRg16Sint, offsetof(hmesh::GpuVertex, tangent)},
    VertexAttribute{aas1::Semantic::kTexcoord, VertexFormat::kRg32F, offsetof(hmesh::GpuVertex, uv)},
};
// hmesh::View::skin(), a separate buffer.
inline constexpr std::array kHmeshSkin{
    VertexAttribute{aas1::Semantic::kJoints, VertexFormat::kRgba16Uint, offsetof(hmesh::GpuSkinVertex, joints)},
    VertexAttribute{aas1::Semantic::kWeights, VertexFormat::kRgba32F, offsetof(hmesh::GpuSkinVertex, weights)},
};
// The vertices of .hmesh version 1. Only the first two components of normals and tangents are used.
inline constexpr std::array kHmeshV1Vertices{
    VertexAttribute{aas1::Semantic::kPosition, VertexFormat::kRgb32F, offsetof(hmesh_v1::GpuVertex, position)},
    VertexAttribute{aas1::Semantic::kNormal, VertexFormat::kRgba16Snorm, offsetof(hmesh_v1::GpuVertex, normal)},
    VertexAttribute{aas1::Semantic::kTangent, VertexFormat::kRgba16Sint, offsetof(hmesh_v1::GpuVertex, tangent)},
    VertexAttribute{aas1::Semantic::kTexcoord, VertexFormat::kRg32F, offsetof(hmesh_v1::GpuVertex, uv)},
};
// galileo::GroupView. Each attribute is a separate buffer.
inline constexpr std::array kGalileoStreams{
    VertexAttribute{aas1::Semantic::kPosition, VertexFormat::kRgb32F, 0},
    VertexAttribute{aas1::Semantic::kNormal, VertexFormat::kRgb32F, 0},
    VertexAttribute{aas1::Semantic::kTangent, VertexFormat::kRgba32F, 0},
    VertexAttribute{aas1::Semantic::kTexcoord, VertexFormat::kRg16Unorm, 0},
    VertexAttribute{aas1::Semantic::kColor, VertexFormat::kRgba8Unorm, 0},
    VertexAttribute{aas1::Semantic::kJoints, VertexFormat::kRgba16Uint, 0},
    VertexAttribute{aas1::Semantic::kWeights, VertexFormat::kRgba16Unorm, 0},
};

// ---- indices and what they draw ----

struct IndexFormat {
  std::uint32_t vulkan;  // VkIndexType
  std::uint32_t dxgi;    // DXGI_FORMAT
  std::uint32_t metal;   // MTLIndexType
  std::uint32_t gl;
  std::string_view webgpu;  // GPUIndexFormat
};
// Requires 2 or 4: MeshDesc::index_width_bytes. AAS1: 2 if index_type is 0, otherwise 4.
constexpr IndexFormat index_format(std::uint32_t width_bytes) {
  return width_bytes == 2 ? IndexFormat{0, 57, 0, 0x1403, "uint16"} : IndexFormat{1, 42, 1, 0x1405, "uint32"};
}

// Submeshes are lists of triangles, other primitives lists of lines or points. Front faces wind counter-clockwise, as
// in glTF.
struct Topology {
  std::uint32_t vulkan = 3;                   // VkPrimitiveTopology
  std::uint32_t d3d = 4;                      // D3D_PRIMITIVE_TOPOLOGY
  std::uint32_t d3d12_type = 3;               // D3D12_PRIMITIVE_TOPOLOGY_TYPE
  std::uint32_t metal = 3;                    // MTLPrimitiveType
  std::uint32_t gl = 4;                       // GL_TRIANGLES
  std::string_view webgpu = "triangle-list";  // GPUPrimitiveTopology
};
inline constexpr Topology kTriangles{};
inline constexpr Topology kLines{1, 2, 2, 1, 1, "line-list"};
inline constexpr Topology kPoints{0, 1, 1, 0, 0, "point-list"};
constexpr const Topology& topology(hmesh::Topology topology) {
  return topology == hmesh::Topology::kTriangles ? kTriangles : topology == hmesh::Topology::kLines ? kLines : kPoints;
}

// ---- samplers ----

struct AddressMode {
  std::uint32_t vulkan;  // VkSamplerAddressMode
  std::uint32_t d3d12;   // D3D12_TEXTURE_ADDRESS_MODE
  std::uint32_t metal;   // MTLSamplerAddressMode
  std::uint32_t gl;
  std::string_view webgpu;  // GPUAddressMode
};
constexpr AddressMode address_mode(aas1::Wrap wrap) {
  switch (wrap) {
    case aas1::Wrap::kRepeat:
      break;
    case aas1::Wrap::kClamp:
      return {2, 3, 0, 0x812f, "clamp-to-edge"};
    case aas1::Wrap::kMirror:
      return {1, 2, 3, 0x8370, "mirror-repeat"};
  }
  return {0, 1, 2, 0x2901, "repeat"};
}

// The filter between texels. kDefault is linear.
struct FilterMode {
  std::uint32_t vulkan;     // VkFilter
  std::uint32_t d3d12;      // D3D12_FILTER_TYPE, for D3D12_ENCODE_BASIC_FILTER
  std::uint32_t metal;      // MTLSamplerMinMagFilter
  std::uint32_t gl;         // for magnification
  std::string_view webgpu;  // GPUFilterMode
};
constexpr FilterMode filter_mode(sampling::Filter filter) {
  if (filter == sampling::Filter::kNearest) return {0, 0, 0, 0x2600, "nearest"};
  return {1, 1, 1, 0x2601, "linear"};
}

// The filter between mip levels. kDefault is linear. With kNone only level 0 is read: if the API has no mode for this,
// set the maximum level of detail to 0 (Vulkan: 0.25).
struct MipmapMode {
  std::uint32_t vulkan;     // VkSamplerMipmapMode
  std::uint32_t d3d12;      // D3D12_FILTER_TYPE
  std::uint32_t metal;      // MTLSamplerMipFilter
  std::string_view webgpu;  // GPUMipmapFilterMode
};
constexpr MipmapMode mipmap_mode(sampling::MipFilter filter) {
  switch (filter) {
    case sampling::MipFilter::kNone:
      return {0, 0, 0, "nearest"};
    case sampling::MipFilter::kNearest:
      return {0, 0, 1, "nearest"};
    case sampling::MipFilter::kDefault:
    case sampling::MipFilter::kLinear:
      break;
  }
  return {1, 1, 2, "linear"};
}
// Returns the value of GL_TEXTURE_MIN_FILTER, which combines both filters. glTF's sampler.minFilter uses the same
// values.
constexpr std::uint32_t gl_min_filter(sampling::Filter min, sampling::MipFilter mip) {
  const std::uint32_t linear = min == sampling::Filter::kNearest ? 0 : 1;
  if (mip == sampling::MipFilter::kNone) return 0x2600 + linear;
  return (mip == sampling::MipFilter::kNearest ? 0x2700u : 0x2702u) + linear;
}

}  // namespace assetc::gpu
