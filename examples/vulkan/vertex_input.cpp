#include "vertex_input.hpp"

#include <assetc/runtime/gpu.hpp>

namespace example {

using namespace assetc;

VertexInput vertex_input(const runtime::VertexLayout& layout, const TexcoordSets& sets) {
  using aas1::Semantic;
  VertexInput out;
  for (const runtime::VertexBuffer& buffer : layout.buffers) out.strides_bytes.push_back(buffer.stride_bytes);
  out.strides_bytes.push_back(0);
  // Sets an input, and returns the stream that supplies it, or null.
  const auto take = [&](std::size_t location, const runtime::VertexStream* stream, VkFormat default_format) {
    out.attributes[location] =
        stream == nullptr ? VertexInput::Attribute{default_format, static_cast<std::uint32_t>(layout.buffers.size()), 0}
                          : VertexInput::Attribute{static_cast<VkFormat>(gpu::info(stream->format).vulkan),
                                                   stream->buffer, stream->offset_bytes};
    return stream;
  };
  take(0, layout.find(Semantic::kPosition), VK_FORMAT_R32G32B32_SFLOAT);
  const auto* normals = take(1, layout.find(Semantic::kNormal), VK_FORMAT_R32G32B32_SFLOAT);
  if (normals != nullptr && normals->format == gpu::VertexFormat::kRg16Snorm) out.has_packed_normals = VK_TRUE;
  const auto* tangents = take(2, layout.find(Semantic::kTangent), VK_FORMAT_R32G32B32A32_SINT);
  if (tangents != nullptr && tangents->format == gpu::VertexFormat::kRg16Sint) out.has_packed_tangents = VK_TRUE;
  // One shader input takes both forms: floats arrive as their bits.
  if (out.has_packed_tangents == VK_FALSE) out.attributes[2].format = VK_FORMAT_R32G32B32A32_SINT;
  if (take(3, layout.find(Semantic::kColor), VK_FORMAT_R32G32B32A32_SFLOAT) == nullptr)
    out.attributes[3].offset_bytes = kDefaultColorBytes;
  for (std::size_t i = 0; i < kMaterialTextures; ++i) {
    const runtime::VertexStream* stream = layout.find(Semantic::kTexcoord, sets[i]);
    if (stream == nullptr) stream = layout.find(Semantic::kTexcoord);
    take(VertexInput::kTexcoords + i, stream, VK_FORMAT_R32G32_SFLOAT);
  }
  const auto* joints = take(VertexInput::kUnskinned, layout.find(Semantic::kJoints), VK_FORMAT_R16G16B16A16_UINT);
  out.has_joints = joints != nullptr;
  take(VertexInput::kUnskinned + 1, layout.find(Semantic::kWeights), VK_FORMAT_R32G32B32A32_SFLOAT);
  return out;
}

}  // namespace example
