// Compares our numbers of formats with the headers that this machine has.
#include "assetc/runtime/gpu.hpp"

#include <gmock/gmock.h>

#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "places.hpp"

#if __has_include(<vulkan/vulkan_core.h>)
#include <vulkan/vulkan_core.h>
#define ASSETC_HAS_VULKAN
#endif
#if __has_include(<directx/dxgiformat.h>)
#include <directx/dxgiformat.h>
#define ASSETC_HAS_DXGI
#endif
#if !defined(_WIN32) && __has_include(<GL/gl.h>) && __has_include(<GL/glext.h>)
#include <GL/gl.h>
#include <GL/glext.h>
#define ASSETC_HAS_GL
#endif

namespace assetc::gpu {
namespace {

using F = TexelFormat;
using V = VertexFormat;

struct Numbers {
  F format;
  std::uint32_t linear, srgb;  // 0: no such format
};

// Every format has a row; UASTC and ETC1S, which are transcoded, have no number.
[[maybe_unused]] void expect_all(const std::vector<Numbers>& table, std::uint32_t (*number)(const TextureFormat&)) {
  std::set<F> seen{F::kUastc, F::kEtc1s};
  for (const Numbers& row : table) {
    EXPECT_TRUE(seen.insert(row.format).second);
    EXPECT_EQ(number(texture_format(row.format, false)), row.linear) << to_string(row.format);
    EXPECT_EQ(number(texture_format(row.format, true)), row.srgb) << to_string(row.format);
  }
  EXPECT_EQ(seen.size(), kTexelFormatCount);
  for (const F transcoded : {F::kUastc, F::kEtc1s}) EXPECT_EQ(texture_format(transcoded, true), TextureFormat{});
}

TEST(Gpu, what_a_file_says_for_vulkan_is_what_vulkan_is_told) {
  for (std::size_t i = 0; i < kTexelFormatCount; ++i) {
    for (const auto transfer : {ktx2::Transfer::kLinear, ktx2::Transfer::kSrgb}) {
      const auto format = static_cast<F>(i);
      EXPECT_EQ(texture_format(format, transfer == ktx2::Transfer::kSrgb).vulkan,
                ktx2::vk_format(format, transfer).value_or(0));
    }
  }
}

TEST(Gpu, vertex_formats_of_cooked_meshes_keep_their_size) {
  using enum aas1::VertexFormat;
  for (const auto format : {kR32F, kRg32F, kRgb32F, kRgba32F, kRg16Snorm, kRg16Sint, kRgba16Uint, kRgba8Unorm}) {
    EXPECT_EQ(info(vertex_format(format)).size_bytes, aas1::size_bytes_of(format));
  }
}

TEST(Gpu, attributes_fill_their_vertex) {
  const auto end = [](const VertexAttribute& a) { return a.offset_bytes + info(a.format).size_bytes; };
  EXPECT_EQ(end(kHmeshVertices.back()), sizeof(hmesh::GpuVertex));
  EXPECT_EQ(end(kHmeshSkin.back()), sizeof(hmesh::GpuSkinVertex));
  EXPECT_EQ(end(kHmeshV1Vertices.back()), sizeof(hmesh_v1::GpuVertex));
  for (std::size_t i = 1; i < kHmeshVertices.size(); ++i) {
    EXPECT_EQ(end(kHmeshVertices[i - 1]), kHmeshVertices[i].offset_bytes);
    EXPECT_EQ(end(kHmeshV1Vertices[i - 1]), kHmeshV1Vertices[i].offset_bytes);
  }
}

TEST(Gpu, vulkan) {
#ifdef ASSETC_HAS_VULKAN
  expect_all(
      {
          {F::kR8, VK_FORMAT_R8_UNORM, VK_FORMAT_R8_SRGB},
          {F::kRg8, VK_FORMAT_R8G8_UNORM, VK_FORMAT_R8G8_SRGB},
          {F::kRgb8, VK_FORMAT_R8G8B8_UNORM, VK_FORMAT_R8G8B8_SRGB},
          {F::kRgba8, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R8G8B8A8_SRGB},
          {F::kR16, VK_FORMAT_R16_UNORM, 0},
          {F::kRg16, VK_FORMAT_R16G16_UNORM, 0},
          {F::kRgba16, VK_FORMAT_R16G16B16A16_UNORM, 0},
          {F::kR16f, VK_FORMAT_R16_SFLOAT, 0},
          {F::kRg16f, VK_FORMAT_R16G16_SFLOAT, 0},
          {F::kRgba16f, VK_FORMAT_R16G16B16A16_SFLOAT, 0},
          {F::kR32f, VK_FORMAT_R32_SFLOAT, 0},
          {F::kRg32f, VK_FORMAT_R32G32_SFLOAT, 0},
          {F::kRgba32f, VK_FORMAT_R32G32B32A32_SFLOAT, 0},
          {F::kBc1Rgb, VK_FORMAT_BC1_RGB_UNORM_BLOCK, VK_FORMAT_BC1_RGB_SRGB_BLOCK},
          {F::kBc1Rgba, VK_FORMAT_BC1_RGBA_UNORM_BLOCK, VK_FORMAT_BC1_RGBA_SRGB_BLOCK},
          {F::kBc2, VK_FORMAT_BC2_UNORM_BLOCK, VK_FORMAT_BC2_SRGB_BLOCK},
          {F::kBc3, VK_FORMAT_BC3_UNORM_BLOCK, VK_FORMAT_BC3_SRGB_BLOCK},
          {F::kBc4, VK_FORMAT_BC4_UNORM_BLOCK, 0},
          {F::kBc4Signed, VK_FORMAT_BC4_SNORM_BLOCK, 0},
          {F::kBc5, VK_FORMAT_BC5_UNORM_BLOCK, 0},
          {F::kBc5Signed, VK_FORMAT_BC5_SNORM_BLOCK, 0},
          {F::kBc6h, VK_FORMAT_BC6H_UFLOAT_BLOCK, 0},
          {F::kBc6hSigned, VK_FORMAT_BC6H_SFLOAT_BLOCK, 0},
          {F::kBc7, VK_FORMAT_BC7_UNORM_BLOCK, VK_FORMAT_BC7_SRGB_BLOCK},
          {F::kEtc2Rgb, VK_FORMAT_ETC2_R8G8B8_UNORM_BLOCK, VK_FORMAT_ETC2_R8G8B8_SRGB_BLOCK},
          {F::kEtc2Rgba, VK_FORMAT_ETC2_R8G8B8A8_UNORM_BLOCK, VK_FORMAT_ETC2_R8G8B8A8_SRGB_BLOCK},
          {F::kEacR11, VK_FORMAT_EAC_R11_UNORM_BLOCK, 0},
          {F::kEacR11Signed, VK_FORMAT_EAC_R11_SNORM_BLOCK, 0},
          {F::kEacRg11, VK_FORMAT_EAC_R11G11_UNORM_BLOCK, 0},
          {F::kEacRg11Signed, VK_FORMAT_EAC_R11G11_SNORM_BLOCK, 0},
          {F::kAstc4x4, VK_FORMAT_ASTC_4x4_UNORM_BLOCK, VK_FORMAT_ASTC_4x4_SRGB_BLOCK},
          {F::kAstc5x4, VK_FORMAT_ASTC_5x4_UNORM_BLOCK, VK_FORMAT_ASTC_5x4_SRGB_BLOCK},
          {F::kAstc5x5, VK_FORMAT_ASTC_5x5_UNORM_BLOCK, VK_FORMAT_ASTC_5x5_SRGB_BLOCK},
          {F::kAstc6x5, VK_FORMAT_ASTC_6x5_UNORM_BLOCK, VK_FORMAT_ASTC_6x5_SRGB_BLOCK},
          {F::kAstc6x6, VK_FORMAT_ASTC_6x6_UNORM_BLOCK, VK_FORMAT_ASTC_6x6_SRGB_BLOCK},
          {F::kAstc8x5, VK_FORMAT_ASTC_8x5_UNORM_BLOCK, VK_FORMAT_ASTC_8x5_SRGB_BLOCK},
          {F::kAstc8x6, VK_FORMAT_ASTC_8x6_UNORM_BLOCK, VK_FORMAT_ASTC_8x6_SRGB_BLOCK},
          {F::kAstc8x8, VK_FORMAT_ASTC_8x8_UNORM_BLOCK, VK_FORMAT_ASTC_8x8_SRGB_BLOCK},
          {F::kAstc10x5, VK_FORMAT_ASTC_10x5_UNORM_BLOCK, VK_FORMAT_ASTC_10x5_SRGB_BLOCK},
          {F::kAstc10x6, VK_FORMAT_ASTC_10x6_UNORM_BLOCK, VK_FORMAT_ASTC_10x6_SRGB_BLOCK},
          {F::kAstc10x8, VK_FORMAT_ASTC_10x8_UNORM_BLOCK, VK_FORMAT_ASTC_10x8_SRGB_BLOCK},
          {F::kAstc10x10, VK_FORMAT_ASTC_10x10_UNORM_BLOCK, VK_FORMAT_ASTC_10x10_SRGB_BLOCK},
          {F::kAstc12x10, VK_FORMAT_ASTC_12x10_UNORM_BLOCK, VK_FORMAT_ASTC_12x10_SRGB_BLOCK},
          {F::kAstc12x12, VK_FORMAT_ASTC_12x12_UNORM_BLOCK, VK_FORMAT_ASTC_12x12_SRGB_BLOCK},
      },
      [](const TextureFormat& f) { return f.vulkan; });
  const std::vector<std::pair<V, std::uint32_t>> vertices{
      {V::kR32F, VK_FORMAT_R32_SFLOAT},
      {V::kRg32F, VK_FORMAT_R32G32_SFLOAT},
      {V::kRgb32F, VK_FORMAT_R32G32B32_SFLOAT},
      {V::kRgba32F, VK_FORMAT_R32G32B32A32_SFLOAT},
      {V::kRg16Snorm, VK_FORMAT_R16G16_SNORM},
      {V::kRg16Sint, VK_FORMAT_R16G16_SINT},
      {V::kRg16Unorm, VK_FORMAT_R16G16_UNORM},
      {V::kRgba16Snorm, VK_FORMAT_R16G16B16A16_SNORM},
      {V::kRgba16Sint, VK_FORMAT_R16G16B16A16_SINT},
      {V::kRgba16Unorm, VK_FORMAT_R16G16B16A16_UNORM},
      {V::kRgba16Uint, VK_FORMAT_R16G16B16A16_UINT},
      {V::kRgba8Unorm, VK_FORMAT_R8G8B8A8_UNORM},
  };
  EXPECT_EQ(vertices.size(), kVertexFormats.size());
  for (const auto& [format, number] : vertices) EXPECT_EQ(info(format).vulkan, number) << info(format).webgpu;
  EXPECT_EQ(index_format(2).vulkan, std::uint32_t{VK_INDEX_TYPE_UINT16});
  EXPECT_EQ(index_format(4).vulkan, std::uint32_t{VK_INDEX_TYPE_UINT32});
  EXPECT_EQ(kTriangles.vulkan, std::uint32_t{VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST});
  EXPECT_EQ(kLines.vulkan, std::uint32_t{VK_PRIMITIVE_TOPOLOGY_LINE_LIST});
  EXPECT_EQ(kPoints.vulkan, std::uint32_t{VK_PRIMITIVE_TOPOLOGY_POINT_LIST});
  EXPECT_EQ(address_mode(aas1::Wrap::kRepeat).vulkan, std::uint32_t{VK_SAMPLER_ADDRESS_MODE_REPEAT});
  EXPECT_EQ(address_mode(aas1::Wrap::kClamp).vulkan, std::uint32_t{VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE});
  EXPECT_EQ(address_mode(aas1::Wrap::kMirror).vulkan, std::uint32_t{VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT});
  EXPECT_EQ(filter_mode(sampling::Filter::kNearest).vulkan, std::uint32_t{VK_FILTER_NEAREST});
  EXPECT_EQ(filter_mode(sampling::Filter::kDefault).vulkan, std::uint32_t{VK_FILTER_LINEAR});
  EXPECT_EQ(mipmap_mode(sampling::MipFilter::kNearest).vulkan, std::uint32_t{VK_SAMPLER_MIPMAP_MODE_NEAREST});
  EXPECT_EQ(mipmap_mode(sampling::MipFilter::kDefault).vulkan, std::uint32_t{VK_SAMPLER_MIPMAP_MODE_LINEAR});
#else
  GTEST_SKIP() << "vulkan/vulkan_core.h is not installed";
#endif
}

#ifdef ASSETC_HAS_DXGI
// The number of an enumerator in a header that this machine cannot compile, because it needs more of Windows.
std::uint32_t number_in(const std::string& header, const std::string& name) {
  std::ifstream file("/usr/include/directx/" + header);
  std::string word, equals;
  std::uint32_t number = 0;
  while (file >> word) {
    if (word == name && file >> equals >> number && equals == "=") return number;
  }
  return ~0u;
}
#endif

TEST(Gpu, direct3d) {
#ifdef ASSETC_HAS_DXGI
  EXPECT_EQ(number_in("d3d12.h", "D3D12_TEXTURE_ADDRESS_MODE_WRAP"), address_mode(aas1::Wrap::kRepeat).d3d12);
  EXPECT_EQ(number_in("d3d12.h", "D3D12_TEXTURE_ADDRESS_MODE_MIRROR"), address_mode(aas1::Wrap::kMirror).d3d12);
  EXPECT_EQ(number_in("d3d12.h", "D3D12_TEXTURE_ADDRESS_MODE_CLAMP"), address_mode(aas1::Wrap::kClamp).d3d12);
  EXPECT_EQ(number_in("d3d12.h", "D3D12_FILTER_TYPE_POINT"), filter_mode(sampling::Filter::kNearest).d3d12);
  EXPECT_EQ(number_in("d3d12.h", "D3D12_FILTER_TYPE_LINEAR"), mipmap_mode(sampling::MipFilter::kLinear).d3d12);
  EXPECT_EQ(number_in("d3dcommon.h", "D3D_PRIMITIVE_TOPOLOGY_TRIANGLELIST"), kTriangles.d3d);
  EXPECT_EQ(number_in("d3d12.h", "D3D12_PRIMITIVE_TOPOLOGY_TYPE_TRIANGLE"), kTriangles.d3d12_type);
  EXPECT_EQ(number_in("d3dcommon.h", "D3D_PRIMITIVE_TOPOLOGY_LINELIST"), kLines.d3d);
  EXPECT_EQ(number_in("d3d12.h", "D3D12_PRIMITIVE_TOPOLOGY_TYPE_LINE"), kLines.d3d12_type);
  EXPECT_EQ(number_in("d3dcommon.h", "D3D_PRIMITIVE_TOPOLOGY_POINTLIST"), kPoints.d3d);
  EXPECT_EQ(number_in("d3d12.h", "D3D12_PRIMITIVE_TOPOLOGY_TYPE_POINT"), kPoints.d3d12_type);
  expect_all(
      {
          {F::kR8, DXGI_FORMAT_R8_UNORM, 0},
          {F::kRg8, DXGI_FORMAT_R8G8_UNORM, 0},
          {F::kRgb8, 0, 0},
          {F::kRgba8, DXGI_FORMAT_R8G8B8A8_UNORM, DXGI_FORMAT_R8G8B8A8_UNORM_SRGB},
          {F::kR16, DXGI_FORMAT_R16_UNORM, 0},
          {F::kRg16, DXGI_FORMAT_R16G16_UNORM, 0},
          {F::kRgba16, DXGI_FORMAT_R16G16B16A16_UNORM, 0},
          {F::kR16f, DXGI_FORMAT_R16_FLOAT, 0},
          {F::kRg16f, DXGI_FORMAT_R16G16_FLOAT, 0},
          {F::kRgba16f, DXGI_FORMAT_R16G16B16A16_FLOAT, 0},
          {F::kR32f, DXGI_FORMAT_R32_FLOAT, 0},
          {F::kRg32f, DXGI_FORMAT_R32G32_FLOAT, 0},
          {F::kRgba32f, DXGI_FORMAT_R32G32B32A32_FLOAT, 0},
          {F::kBc1Rgb, 0, 0},
          {F::kBc1Rgba, DXGI_FORMAT_BC1_UNORM, DXGI_FORMAT_BC1_UNORM_SRGB},
          {F::kBc2, DXGI_FORMAT_BC2_UNORM, DXGI_FORMAT_BC2_UNORM_SRGB},
          {F::kBc3, DXGI_FORMAT_BC3_UNORM, DXGI_FORMAT_BC3_UNORM_SRGB},
          {F::kBc4, DXGI_FORMAT_BC4_UNORM, 0},
          {F::kBc4Signed, DXGI_FORMAT_BC4_SNORM, 0},
          {F::kBc5, DXGI_FORMAT_BC5_UNORM, 0},
          {F::kBc5Signed, DXGI_FORMAT_BC5_SNORM, 0},
          {F::kBc6h, DXGI_FORMAT_BC6H_UF16, 0},
          {F::kBc6hSigned, DXGI_FORMAT_BC6H_SF16, 0},
          {F::kBc7, DXGI_FORMAT_BC7_UNORM, DXGI_FORMAT_BC7_UNORM_SRGB},
          {F::kEtc2Rgb, 0, 0},
          {F::kEtc2Rgba, 0, 0},
          {F::kEacR11, 0, 0},
          {F::kEacR11Signed, 0, 0},
          {F::kEacRg11, 0, 0},
          {F::kEacRg11Signed, 0, 0},
          {F::kAstc4x4, 0, 0},
          {F::kAstc5x4, 0, 0},
          {F::kAstc5x5, 0, 0},
          {F::kAstc6x5, 0, 0},
          {F::kAstc6x6, 0, 0},
          {F::kAstc8x5, 0, 0},
          {F::kAstc8x6, 0, 0},
          {F::kAstc8x8, 0, 0},
          {F::kAstc10x5, 0, 0},
          {F::kAstc10x6, 0, 0},
          {F::kAstc10x8, 0, 0},
          {F::kAstc10x10, 0, 0},
          {F::kAstc12x10, 0, 0},
          {F::kAstc12x12, 0, 0},
      },
      [](const TextureFormat& f) { return f.dxgi; });
  const std::vector<std::pair<V, std::uint32_t>> vertices{
      {V::kR32F, DXGI_FORMAT_R32_FLOAT},
      {V::kRg32F, DXGI_FORMAT_R32G32_FLOAT},
      {V::kRgb32F, DXGI_FORMAT_R32G32B32_FLOAT},
      {V::kRgba32F, DXGI_FORMAT_R32G32B32A32_FLOAT},
      {V::kRg16Snorm, DXGI_FORMAT_R16G16_SNORM},
      {V::kRg16Sint, DXGI_FORMAT_R16G16_SINT},
      {V::kRg16Unorm, DXGI_FORMAT_R16G16_UNORM},
      {V::kRgba16Snorm, DXGI_FORMAT_R16G16B16A16_SNORM},
      {V::kRgba16Sint, DXGI_FORMAT_R16G16B16A16_SINT},
      {V::kRgba16Unorm, DXGI_FORMAT_R16G16B16A16_UNORM},
      {V::kRgba16Uint, DXGI_FORMAT_R16G16B16A16_UINT},
      {V::kRgba8Unorm, DXGI_FORMAT_R8G8B8A8_UNORM},
  };
  EXPECT_EQ(vertices.size(), kVertexFormats.size());
  for (const auto& [format, number] : vertices) EXPECT_EQ(info(format).dxgi, number) << info(format).webgpu;
  EXPECT_EQ(index_format(2).dxgi, std::uint32_t{DXGI_FORMAT_R16_UINT});
  EXPECT_EQ(index_format(4).dxgi, std::uint32_t{DXGI_FORMAT_R32_UINT});
#else
  GTEST_SKIP() << "directx/dxgiformat.h is not installed";
#endif
}

TEST(Gpu, opengl) {
#ifdef ASSETC_HAS_GL
  expect_all(
      {
          {F::kR8, GL_R8, GL_SR8_EXT},
          {F::kRg8, GL_RG8, GL_SRG8_EXT},
          {F::kRgb8, GL_RGB8, GL_SRGB8},
          {F::kRgba8, GL_RGBA8, GL_SRGB8_ALPHA8},
          {F::kR16, GL_R16, 0},
          {F::kRg16, GL_RG16, 0},
          {F::kRgba16, GL_RGBA16, 0},
          {F::kR16f, GL_R16F, 0},
          {F::kRg16f, GL_RG16F, 0},
          {F::kRgba16f, GL_RGBA16F, 0},
          {F::kR32f, GL_R32F, 0},
          {F::kRg32f, GL_RG32F, 0},
          {F::kRgba32f, GL_RGBA32F, 0},
          {F::kBc1Rgb, GL_COMPRESSED_RGB_S3TC_DXT1_EXT, GL_COMPRESSED_SRGB_S3TC_DXT1_EXT},
          {F::kBc1Rgba, GL_COMPRESSED_RGBA_S3TC_DXT1_EXT, GL_COMPRESSED_SRGB_ALPHA_S3TC_DXT1_EXT},
          {F::kBc2, GL_COMPRESSED_RGBA_S3TC_DXT3_EXT, GL_COMPRESSED_SRGB_ALPHA_S3TC_DXT3_EXT},
          {F::kBc3, GL_COMPRESSED_RGBA_S3TC_DXT5_EXT, GL_COMPRESSED_SRGB_ALPHA_S3TC_DXT5_EXT},
          {F::kBc4, GL_COMPRESSED_RED_RGTC1, 0},
          {F::kBc4Signed, GL_COMPRESSED_SIGNED_RED_RGTC1, 0},
          {F::kBc5, GL_COMPRESSED_RG_RGTC2, 0},
          {F::kBc5Signed, GL_COMPRESSED_SIGNED_RG_RGTC2, 0},
          {F::kBc6h, GL_COMPRESSED_RGB_BPTC_UNSIGNED_FLOAT, 0},
          {F::kBc6hSigned, GL_COMPRESSED_RGB_BPTC_SIGNED_FLOAT, 0},
          {F::kBc7, GL_COMPRESSED_RGBA_BPTC_UNORM, GL_COMPRESSED_SRGB_ALPHA_BPTC_UNORM},
          {F::kEtc2Rgb, GL_COMPRESSED_RGB8_ETC2, GL_COMPRESSED_SRGB8_ETC2},
          {F::kEtc2Rgba, GL_COMPRESSED_RGBA8_ETC2_EAC, GL_COMPRESSED_SRGB8_ALPHA8_ETC2_EAC},
          {F::kEacR11, GL_COMPRESSED_R11_EAC, 0},
          {F::kEacR11Signed, GL_COMPRESSED_SIGNED_R11_EAC, 0},
          {F::kEacRg11, GL_COMPRESSED_RG11_EAC, 0},
          {F::kEacRg11Signed, GL_COMPRESSED_SIGNED_RG11_EAC, 0},
          {F::kAstc4x4, GL_COMPRESSED_RGBA_ASTC_4x4_KHR, GL_COMPRESSED_SRGB8_ALPHA8_ASTC_4x4_KHR},
          {F::kAstc5x4, GL_COMPRESSED_RGBA_ASTC_5x4_KHR, GL_COMPRESSED_SRGB8_ALPHA8_ASTC_5x4_KHR},
          {F::kAstc5x5, GL_COMPRESSED_RGBA_ASTC_5x5_KHR, GL_COMPRESSED_SRGB8_ALPHA8_ASTC_5x5_KHR},
          {F::kAstc6x5, GL_COMPRESSED_RGBA_ASTC_6x5_KHR, GL_COMPRESSED_SRGB8_ALPHA8_ASTC_6x5_KHR},
          {F::kAstc6x6, GL_COMPRESSED_RGBA_ASTC_6x6_KHR, GL_COMPRESSED_SRGB8_ALPHA8_ASTC_6x6_KHR},
          {F::kAstc8x5, GL_COMPRESSED_RGBA_ASTC_8x5_KHR, GL_COMPRESSED_SRGB8_ALPHA8_ASTC_8x5_KHR},
          {F::kAstc8x6, GL_COMPRESSED_RGBA_ASTC_8x6_KHR, GL_COMPRESSED_SRGB8_ALPHA8_ASTC_8x6_KHR},
          {F::kAstc8x8, GL_COMPRESSED_RGBA_ASTC_8x8_KHR, GL_COMPRESSED_SRGB8_ALPHA8_ASTC_8x8_KHR},
          {F::kAstc10x5, GL_COMPRESSED_RGBA_ASTC_10x5_KHR, GL_COMPRESSED_SRGB8_ALPHA8_ASTC_10x5_KHR},
          {F::kAstc10x6, GL_COMPRESSED_RGBA_ASTC_10x6_KHR, GL_COMPRESSED_SRGB8_ALPHA8_ASTC_10x6_KHR},
          {F::kAstc10x8, GL_COMPRESSED_RGBA_ASTC_10x8_KHR, GL_COMPRESSED_SRGB8_ALPHA8_ASTC_10x8_KHR},
          {F::kAstc10x10, GL_COMPRESSED_RGBA_ASTC_10x10_KHR, GL_COMPRESSED_SRGB8_ALPHA8_ASTC_10x10_KHR},
          {F::kAstc12x10, GL_COMPRESSED_RGBA_ASTC_12x10_KHR, GL_COMPRESSED_SRGB8_ALPHA8_ASTC_12x10_KHR},
          {F::kAstc12x12, GL_COMPRESSED_RGBA_ASTC_12x12_KHR, GL_COMPRESSED_SRGB8_ALPHA8_ASTC_12x12_KHR},
      },
      [](const TextureFormat& f) { return f.gl.internal_format; });
  using Upload = std::pair<std::uint32_t, std::uint32_t>;
  const std::vector<std::pair<F, Upload>> uploads{
      {F::kR8, {GL_RED, GL_UNSIGNED_BYTE}},
      {F::kRg8, {GL_RG, GL_UNSIGNED_BYTE}},
      {F::kRgb8, {GL_RGB, GL_UNSIGNED_BYTE}},
      {F::kRgba8, {GL_RGBA, GL_UNSIGNED_BYTE}},
      {F::kR16, {GL_RED, GL_UNSIGNED_SHORT}},
      {F::kRg16, {GL_RG, GL_UNSIGNED_SHORT}},
      {F::kRgba16, {GL_RGBA, GL_UNSIGNED_SHORT}},
      {F::kR16f, {GL_RED, GL_HALF_FLOAT}},
      {F::kRg16f, {GL_RG, GL_HALF_FLOAT}},
      {F::kRgba16f, {GL_RGBA, GL_HALF_FLOAT}},
      {F::kR32f, {GL_RED, GL_FLOAT}},
      {F::kRg32f, {GL_RG, GL_FLOAT}},
      {F::kRgba32f, {GL_RGBA, GL_FLOAT}},
  };
  for (const auto& [format, upload] : uploads) {
    const GlTexture& gl = texture_format(format, false).gl;
    EXPECT_EQ(Upload(gl.format, gl.type), upload) << to_string(format);
    const GlTexture& srgb = texture_format(format, true).gl;
    EXPECT_TRUE(srgb.internal_format == 0 || Upload(srgb.format, srgb.type) == upload) << to_string(format);
  }
  const std::vector<std::pair<V, GlAttribute>> vertices{
      {V::kR32F, {GL_FLOAT, 1}},
      {V::kRg32F, {GL_FLOAT, 2}},
      {V::kRgb32F, {GL_FLOAT, 3}},
      {V::kRgba32F, {GL_FLOAT, 4}},
      {V::kRg16Snorm, {GL_SHORT, 2, true}},
      {V::kRg16Sint, {GL_SHORT, 2, false, true}},
      {V::kRg16Unorm, {GL_UNSIGNED_SHORT, 2, true}},
      {V::kRgba16Snorm, {GL_SHORT, 4, true}},
      {V::kRgba16Sint, {GL_SHORT, 4, false, true}},
      {V::kRgba16Unorm, {GL_UNSIGNED_SHORT, 4, true}},
      {V::kRgba16Uint, {GL_UNSIGNED_SHORT, 4, false, true}},
      {V::kRgba8Unorm, {GL_UNSIGNED_BYTE, 4, true}},
  };
  EXPECT_EQ(vertices.size(), kVertexFormats.size());
  for (const auto& [format, attribute] : vertices) EXPECT_EQ(info(format).gl, attribute) << info(format).webgpu;
  EXPECT_EQ(index_format(2).gl, std::uint32_t{GL_UNSIGNED_SHORT});
  EXPECT_EQ(index_format(4).gl, std::uint32_t{GL_UNSIGNED_INT});
  EXPECT_EQ(kTriangles.gl, std::uint32_t{GL_TRIANGLES});
  EXPECT_EQ(kLines.gl, std::uint32_t{GL_LINES});
  EXPECT_EQ(kPoints.gl, std::uint32_t{GL_POINTS});
  EXPECT_EQ(address_mode(aas1::Wrap::kRepeat).gl, std::uint32_t{GL_REPEAT});
  EXPECT_EQ(address_mode(aas1::Wrap::kClamp).gl, std::uint32_t{GL_CLAMP_TO_EDGE});
  EXPECT_EQ(address_mode(aas1::Wrap::kMirror).gl, std::uint32_t{GL_MIRRORED_REPEAT});
  using sampling::Filter, sampling::MipFilter;
  EXPECT_EQ(filter_mode(Filter::kNearest).gl, std::uint32_t{GL_NEAREST});
  EXPECT_EQ(filter_mode(Filter::kLinear).gl, std::uint32_t{GL_LINEAR});
  EXPECT_EQ(gl_min_filter(Filter::kNearest, MipFilter::kNone), std::uint32_t{GL_NEAREST});
  EXPECT_EQ(gl_min_filter(Filter::kLinear, MipFilter::kNone), std::uint32_t{GL_LINEAR});
  EXPECT_EQ(gl_min_filter(Filter::kNearest, MipFilter::kNearest), std::uint32_t{GL_NEAREST_MIPMAP_NEAREST});
  EXPECT_EQ(gl_min_filter(Filter::kLinear, MipFilter::kNearest), std::uint32_t{GL_LINEAR_MIPMAP_NEAREST});
  EXPECT_EQ(gl_min_filter(Filter::kNearest, MipFilter::kLinear), std::uint32_t{GL_NEAREST_MIPMAP_LINEAR});
  EXPECT_EQ(gl_min_filter(Filter::kDefault, MipFilter::kDefault), std::uint32_t{GL_LINEAR_MIPMAP_LINEAR});
#else
  GTEST_SKIP() << "GL/glext.h is not installed";
#endif
}

// The strings of a union in the declarations of @webgpu/types.
std::set<std::string, std::less<>> strings_of(const std::string& declarations, const std::string& type) {
  std::set<std::string, std::less<>> strings;
  const std::size_t start = declarations.find("type " + type + " =");
  if (start == std::string::npos) return strings;
  const std::size_t end = declarations.find(';', start);
  for (std::size_t at = declarations.find('"', start); at < end; at = declarations.find('"', at + 1)) {
    const std::size_t close = declarations.find('"', at + 1);
    strings.insert(declarations.substr(at + 1, close - at - 1));
    at = close;
  }
  return strings;
}

TEST(Gpu, webgpu) {
  std::ifstream file(std::string(places::kSource) + "/tests/interop/node_modules/@webgpu/types/dist/index.d.ts");
  if (!file) GTEST_SKIP() << "run npm ci in tests/interop";
  const std::string declarations{std::istreambuf_iterator<char>(file), {}};
  std::set<std::string, std::less<>> textures = strings_of(declarations, "GPUTextureFormat");
  const auto vertices = strings_of(declarations, "GPUVertexFormat");
  EXPECT_GT(textures.size(), 90u);
  for (std::size_t i = 0; i < kTexelFormatCount; ++i) {
    for (const bool is_srgb : {false, true}) {
      const std::string_view name = texture_format(static_cast<F>(i), is_srgb).webgpu;
      if (name.empty()) continue;
      EXPECT_EQ(textures.erase(std::string(name)), 1u) << name;
      EXPECT_EQ(name.ends_with("-srgb"), is_srgb);
    }
  }
  // None of the remaining compressed formats is ours, except the one with punch-through alpha.
  for (const std::string& left : textures) {
    const bool is_compressed = left.starts_with("bc") || left.starts_with("e") || left.starts_with("astc");
    EXPECT_TRUE(!is_compressed || left.starts_with("etc2-rgb8a1")) << left;
  }
  for (const VertexFormatInfo& row : kVertexFormats) EXPECT_EQ(vertices.count(row.webgpu), 1u) << row.webgpu;
  for (const std::uint32_t width : {2u, 4u})
    EXPECT_EQ(strings_of(declarations, "GPUIndexFormat").count(index_format(width).webgpu), 1u);
  for (const Topology& topology : {kTriangles, kLines, kPoints})
    EXPECT_EQ(strings_of(declarations, "GPUPrimitiveTopology").count(topology.webgpu), 1u);
  for (const auto wrap : {aas1::Wrap::kRepeat, aas1::Wrap::kClamp, aas1::Wrap::kMirror})
    EXPECT_EQ(strings_of(declarations, "GPUAddressMode").count(address_mode(wrap).webgpu), 1u);
  for (const auto filter : {sampling::Filter::kNearest, sampling::Filter::kLinear})
    EXPECT_EQ(strings_of(declarations, "GPUFilterMode").count(filter_mode(filter).webgpu), 1u);
  for (const auto filter : {sampling::MipFilter::kNearest, sampling::MipFilter::kLinear})
    EXPECT_EQ(strings_of(declarations, "GPUMipmapFilterMode").count(mipmap_mode(filter).webgpu), 1u);
}

}  // namespace
}  // namespace assetc::gpu
