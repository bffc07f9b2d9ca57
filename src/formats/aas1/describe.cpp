#include <algorithm>
#include <array>
#include <unordered_set>
#include <vector>

#include "assetc/formats/aas1_audio.hpp"
#include "assetc/formats/aas1_clusters.hpp"
#include "assetc/formats/aas1_describe.hpp"
#include "assetc/formats/aas1_material.hpp"
#include "assetc/formats/aas1_mesh.hpp"
#include "assetc/formats/aas1_texture.hpp"
#include "assetc/formats/hanim.hpp"
#include "assetc/formats/hanim_compressed.hpp"
#include "assetc/formats/hscene_view.hpp"
#include "formats/message.hpp"

namespace assetc::aas1 {
namespace {

using formats::message;

std::string quoted(std::string_view ascii) { return message('"', ascii, '"'); }

// Returns UTF-8 as a JSON string.
std::string quoted_text(std::string_view text) {
  constexpr char kHex[] = "0123456789abcdef";
  std::string out = "\"";
  for (const char c : text) {
    const auto u = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (u < 0x20) {
      out += "\\u00";
      out += kHex[u >> 4];
      out += kHex[u & 15];
    } else {
      out += c;
    }
  }
  return out + "\"";
}

template <class Range, class ToText>
std::string list(const Range& values, const ToText& text) {
  std::string out = "[";
  for (const auto& value : values) {
    if (out.size() > 1) out += ',';
    out += text(value);
  }
  return out + "]";
}

class Describer {
 public:
  explicit Describer(Type type) { out_.type = type_name(type); }

  template <class T>
  Describer& number(std::string_view name, T value) {
    out_.fields.push_back({name, message(value)});
    return *this;
  }
  Describer& text(std::string_view name, std::string_view ascii) { return json(name, quoted(ascii)); }
  Describer& json(std::string_view name, std::string value) {
    out_.fields.push_back({name, std::move(value)});
    return *this;
  }
  Describer& needs(const Uuid& asset, bool is_hard = true) {
    const bool known = std::ranges::find(out_.dependencies, asset, &Dependency::asset) != out_.dependencies.end();
    if (!asset.is_nil() && !known) out_.dependencies.push_back({asset, is_hard});
    return *this;
  }
  Description take() { return std::move(out_); }

 private:
  Description out_;
};

// "BC7", "ASTC6x6", "RGBA8".
std::string format_text(TexelFormat format) {
  std::string text(to_string(format));
  for (char& c : text) {
    if (c >= 'a' && c <= 'z' && c != 'x') c = static_cast<char>(c - 'a' + 'A');
  }
  return text;
}

Result<Description> describe_texture(ByteSpan file) {
  ASSETC_TRY(const TextureView view, TextureView::open(file));
  Describer out(view.blob().type());
  out.number("Width", view.desc().width_texels).number("Height", view.desc().height_texels);
  if (view.blob().type() != Type::kTexture2D) {
    out.number("Depth", view.shape().depth_texels)
        .number("Layers", view.shape().layer_count)
        .number("Faces", view.shape().face_count);
  }
  out.text("Format", format_text(view.format())).number("MipCount", view.desc().mip_count);
  return out.json("SRGB", view.is_srgb() ? "true" : "false").take();
}

std::string_view semantic_name(Semantic semantic) {
  constexpr std::array<std::string_view, 7> kNames = {"Position", "Normal", "Tangent", "TexCoord",
                                                      "Color",    "Joints", "Weights"};
  const auto index = static_cast<std::size_t>(semantic);
  return index < kNames.size() ? kNames[index] : "Other";
}

std::string_view format_name(VertexFormat format) {
  switch (format) {
    case VertexFormat::kR32F:
      return "R32F";
    case VertexFormat::kRg32F:
      return "RG32F";
    case VertexFormat::kRgb32F:
      return "RGB32F";
    case VertexFormat::kRgba32F:
      return "RGBA32F";
    case VertexFormat::kRg16Snorm:
      return "RG16_SNORM";
    case VertexFormat::kRg16Sint:
      return "RG16_SINT";
    case VertexFormat::kRgba16Uint:
      return "RGBA16_UINT";
    case VertexFormat::kRgba8Unorm:
      return "RGBA8_UNORM";
  }
  return "";
}

Result<Description> describe_mesh(ByteSpan file) {
  ASSETC_TRY(const MeshView view, MeshView::open(file));
  const MeshDesc& desc = view.desc();
  Describer out(Type::kMesh);
  out.json("VertexFormat", list(view.attributes(), [](const VertexAttribute& a) {
             return quoted(message(semantic_name(a.semantic), a.semantic_index, ' ', format_name(a.format)));
           }));
  out.text("IndexFormat", desc.index_type == 0 ? "U16" : "U32");
  if (view.has_bounds()) {
    const auto corner = [](const float(&v)[3]) { return list(v, [](float f) { return message(f); }); };
    out.json("Bounds", message("{\"Min\":", corner(desc.bounds_min), ",\"Max\":", corner(desc.bounds_max), "}"));
  }
  out.number("SubMeshes", desc.submesh_count).number("LodCount", view.levels().size());
  out.number("VertexCount", desc.vertex_count).number("IndexCount", desc.index_count);
  if (view.primitives()) {
    std::uint64_t lines = 0, points = 0;
    for (const hmesh::GpuPrimitive& p : view.primitives()->items())
      (p.topology == hmesh::Topology::kLines ? lines : points) += p.index_count / hmesh::corner_count_of(p.topology);
    out.number("LineCount", lines).number("PointCount", points);
  }
  for (const Uuid& material : view.materials()) out.needs(material);
  return out.needs(view.skeleton()).take();
}

Result<Description> describe_clusters(ByteSpan file) {
  ASSETC_TRY(const ClustersView view, ClustersView::open(file));
  const hcluster::View& clusters = view.clusters();
  Describer out(Type::kClusters);
  const auto corner = [](const float(&v)[3]) { return list(v, [](float f) { return message(f); }); };
  out.json("Bounds", message("{\"Min\":", corner(clusters.bounds().aabb_min),
                             ",\"Max\":", corner(clusters.bounds().aabb_max), "}"));
  out.number("LodCount", clusters.desc().level_count).number("TriangleCount", clusters.desc().source_triangle_count);
  out.number("ClusterCount", clusters.desc().cluster_count).number("GroupCount", clusters.groups().size());
  out.number("PageCount", clusters.pages().size()).number("ByteSize", clusters.file_bytes());
  if (clusters.is_skinned()) out.number("JointCount", clusters.joints().size());
  if (clusters.morphs()) out.number("MorphTargetCount", clusters.morphs()->targets().size());
  for (const Uuid& material : view.materials()) out.needs(material);
  return out.needs(view.skeleton()).take();
}

Result<Description> describe_material(ByteSpan file) {
  ASSETC_TRY(const MaterialView view, MaterialView::open(file));
  Describer out(Type::kMaterial);
  const bool unlit = view.desc().shading_model == ShadingModel::kUnlit;
  out.text("ShadingModel", unlit ? "Unlit" : "MetallicRoughness");
  out.json("TextureBindings",
           list(view.textures(), [](const TextureParameter& t) { return quoted(t.texture.to_string()); }));
  for (const TextureParameter& t : view.textures()) out.needs(t.texture);
  return out.take();
}

Result<Description> describe_audio(ByteSpan file) {
  ASSETC_TRY(const AudioView view, AudioView::open(file));
  const AudioDesc& desc = view.desc();
  Describer out(Type::kAudio);
  out.text("Codec", desc.codec == AudioCodec::kPcm ? "PCM" : "OggVorbis");
  out.number("Channels", desc.channel_count).number("SampleRate", desc.sample_rate_hz);
  return out.number("Duration", static_cast<double>(desc.frame_count) / desc.sample_rate_hz).take();
}

Result<Description> describe_payload(ByteSpan file) {
  ASSETC_TRY(const PayloadView view, PayloadView::open(file));
  Describer out(view.blob().type());
  if (view.encoding() == kEncodingHanim) {
    ASSETC_TRY(const hanim::View clips, hanim::View::open(view.payload()));
    float duration = 0;
    for (const hanim::ClipView& clip : clips.clips()) duration = std::max(duration, clip.duration_seconds);
    out.json("Clips", list(clips.clips(), [](const hanim::ClipView& clip) { return quoted_text(clip.name); }));
    out.number("Duration", duration);
  } else if (view.encoding() == kEncodingHanimCompressed) {
    ASSETC_TRY(const hanim::CompressedView clips, hanim::CompressedView::open(view.payload()));
    float duration = 0;
    for (const hanim::CompressedClip& clip : clips.clips()) duration = std::max(duration, clip.duration_seconds());
    out.json("Clips", list(clips.clips(), [](const hanim::CompressedClip& clip) { return quoted_text(clip.name()); }));
    out.number("Duration", duration);
  } else {
    out.json("Encoding", quoted_text(fourcc_text(view.encoding()))).number("ByteSize", view.payload().size());
  }
  return out.needs(view.model(), false).take();
}

Result<Description> describe_redirector(ByteSpan file) {
  ASSETC_TRY(const Redirector redirector, read_redirector(file));
  Describer out(Type::kRedirector);
  out.text("OldUuid", redirector.old_uuid.to_string()).text("NewUuid", redirector.new_uuid.to_string());
  return out.json("OldVirtualPath", quoted_text(redirector.old_virtual_path)).needs(redirector.new_uuid).take();
}

Result<Description> describe_skeleton(ByteSpan file) {
  ASSETC_TRY(const SkeletonView view, SkeletonView::open(file));
  return Describer(Type::kSkeleton).number("JointCount", view.joints().size()).take();
}

Result<Description> describe_model(ByteSpan file) {
  ASSETC_TRY(const ModelView view, ModelView::open(file));
  Describer out(Type::kModel);
  out.number("NodeCount", view.nodes().size());
  std::unordered_set<Uuid> known;  // needs() searches linearly, and a model may have a million nodes
  for (const ModelNode& node : view.nodes()) {
    if (known.insert(node.mesh).second) out.needs(node.mesh);
    if (known.insert(node.skeleton).second) out.needs(node.skeleton);
  }
  if (view.scene().empty()) return out.take();
  const ByteVector copy(view.scene().begin(), view.scene().end());
  ASSETC_TRY(const hscene::View scene, hscene::View::open(copy));
  if (!scene.cameras().empty()) out.number("CameraCount", scene.cameras().size());
  if (!scene.lights().empty()) out.number("LightCount", scene.lights().size());
  if (scene.variant_count() > 0) {
    std::vector<std::string_view> names;
    names.reserve(scene.variant_count());
    for (std::size_t v = 0; v < scene.variant_count(); ++v) names.push_back(scene.variant_name(v));
    out.json("Variants", list(names, quoted_text));
  }
  for (const hscene::VariantMaterial& v : scene.variant_materials()) {
    const Uuid material = v.material == hscene::kNone ? Uuid{} : scene.materials()[v.material].file.uuid();
    if (known.insert(material).second) out.needs(material);
  }
  return out.take();  // clips need the model, so the model does not need them
}

}  // namespace

Result<Description> describe(ByteSpan file) {
  ASSETC_TRY(const Blob blob, Blob::open(file));
  switch (blob.type()) {
    case Type::kTexture2D:
    case Type::kTextureCube:
    case Type::kTexture2DArray:
    case Type::kTextureCubeArray:
    case Type::kTexture3D:
      return describe_texture(file);
    case Type::kMesh:
      return describe_mesh(file);
    case Type::kMaterial:
      return describe_material(file);
    case Type::kAudio:
      return describe_audio(file);
    case Type::kRedirector:
      return describe_redirector(file);
    case Type::kSkeleton:
      return describe_skeleton(file);
    case Type::kModel:
      return describe_model(file);
    case Type::kClusters:
      return describe_clusters(file);
    case Type::kScript:
    case Type::kAnimation:
    case Type::kShader:
    case Type::kRaw:
    case Type::kFont:
      break;
  }
  return describe_payload(file);
}

}  // namespace assetc::aas1
