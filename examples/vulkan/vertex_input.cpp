#include "vertex_input.hpp"

#include <assetc/runtime/gpu.hpp>

namespace example {

using namespace assetc;

VertexInput vertex_input(const runtime::VertexLayout& layout) {
  using aas1::Semantic;
  constexpr std::array kSemantics{Semantic::kPosition, Semantic::kNormal, Semantic::kTangent,
                                  Semantic::kTexcoord, Semantic::kJoints, Semantic::kWeights};
  constexpr std::array kDefaultFormats{VK_FORMAT_R32G32B32_SFLOAT,  VK_FORMAT_R32G32B32_SFLOAT,
                                       VK_FORMAT_R32G32B32A32_SINT, VK_FORMAT_R32G32_SFLOAT,
                                       VK_FORMAT_R16G16B16A16_UINT, VK_FORMAT_R32G32B32A32_SFLOAT};
  VertexInput out;
  for (const runtime::VertexBuffer& buffer : layout.buffers) out.strides_bytes.push_back(buffer.stride_bytes);
  out.strides_bytes.push_back(0);
  for (std::size_t i = 0; i < kSemantics.size(); ++i) {
    const runtime::VertexStream* stream = layout.find(kSemantics[i]);
    VertexInput::Attribute& to = out.attributes[i];
    if (stream == nullptr) {
      to = {kDefaultFormats[i], static_cast<std::uint32_t>(layout.buffers.size()), 0};
      continue;
    }
    to = {static_cast<VkFormat>(gpu::info(stream->format).vulkan), stream->buffer, stream->offset_bytes};
    switch (kSemantics[i]) {
      case Semantic::kNormal:
        out.has_packed_normals = stream->format == gpu::VertexFormat::kRg16Snorm ? VK_TRUE : VK_FALSE;
        break;
      case Semantic::kTangent:
        out.has_packed_tangents = stream->format == gpu::VertexFormat::kRg16Sint ? VK_TRUE : VK_FALSE;
        // One shader input takes both forms: floats arrive as their bits.
        if (out.has_packed_tangents == VK_FALSE) to.format = VK_FORMAT_R32G32B32A32_SINT;
        break;
      case Semantic::kJoints:
        out.has_joints = true;
        break;
      default:
        break;
    }
  }
  return out;
}

}  // namespace example
