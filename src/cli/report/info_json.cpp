#include "cli/report/info_json.hpp"

#include "assetc/formats/hman.hpp"
#include "base/overload.hpp"
#include "text/format.hpp"

namespace assetc::cli {
namespace {

template <class List, class One>
std::string json_list(const List& list, const One& one) {
  std::string text = "[";
  for (const auto& item : list) text += (text.size() > 1 ? "," : "") + one(item).str();
  return text + "]";
}

std::string json_texts(const std::vector<std::string>& texts) {
  std::string text = "[";
  for (const std::string& item : texts) text += (text.size() > 1 ? "," : "") + json_quote(item);
  return text + "]";
}

void add_reflection(JsonObject& object, const spirv::Reflection& wants) {
  const auto variable = [](const spirv::Variable& v) {
    static constexpr std::string_view kScalars[] = {"float", "int", "uint"};
    return JsonObject()
        .add("location", v.location)
        .add("scalar", kScalars[static_cast<std::size_t>(v.scalar)])
        .add("bits", v.bits)
        .add("components", v.components)
        .add("columns", v.columns)
        .add("name", v.name);
  };
  object.add("entry_point", wants.entry_point).add("execution_model", static_cast<std::uint32_t>(wants.stage));
  object.raw("workgroup_size",
             formatted("[{},{},{}]", wants.workgroup_size[0], wants.workgroup_size[1], wants.workgroup_size[2]));
  object.add("push_constant_bytes", wants.push_constant_bytes);
  object.raw("bindings", json_list(wants.bindings, [](const spirv::Binding& b) {
               return JsonObject()
                   .add("set", b.set)
                   .add("binding", b.binding)
                   .add("kind", to_string(b.kind))
                   .add("count", b.count)
                   .add("size_bytes", b.size_bytes)
                   .add("name", b.name);
             }));
  object.raw("inputs", json_list(wants.inputs, variable)).raw("outputs", json_list(wants.outputs, variable));
  object.raw("spec_constants", json_list(wants.spec_constants, [](const spirv::SpecConstant& c) {
               return JsonObject().add("id", c.id).add("default_bits", c.default_bits).add("name", c.name);
             }));
}

std::string vec3_json(const std::array<float, 3>& v) {
  std::string text = "[";
  for (std::size_t i = 0; i < 3; ++i) {
    const std::string member = JsonObject().add("x", static_cast<double>(v[i])).str();
    text += (i ? "," : "") + member.substr(5, member.size() - 6);
  }
  return text + "]";
}

}  // namespace

std::string spirv_version(std::uint32_t version) {
  return formatted("SPIR-V {}.{}", version >> 16 & 0xff, version >> 8 & 0xff);
}

JsonObject file_json(const engine::FileInfo& file) {
  JsonObject object = json_event("file").add("path", file.path).add("kind", file.kind).add("bytes", file.size_bytes);
  std::visit(
      Overload{
          [](const std::monostate&) {},
          [&](const filetypes::MeshInfo& m) {
            object.add("container", m.container)
                .add("vertices", m.vertices)
                .add("triangles", m.triangles)
                .add("indices", m.indices);
            object.add("index_width", m.index_width_bytes).add("meshlets", m.meshlets).add("submeshes", m.submeshes);
            object.add("lines", m.lines).add("points", m.points).add("primitives", m.primitives);
            object.add("materials", m.materials)
                .add("lods", m.lods)
                .add("joints", m.joints)
                .add("tangents", m.tangents);
            object.raw("attributes", json_texts(m.attributes));
            object.add("morph_targets", m.morph_targets).add("morph_moves", m.morph_moves);
            object.raw("morph_names", json_texts(m.morph_names));
            if (m.clusters > 0) {
              object.add("clusters", m.clusters).add("groups", m.groups).add("pages", m.pages);
              object.add("bytes_per_triangle", m.bytes_per_triangle);
            }
            if (m.decoded_bytes > 0) object.add("decoded_bytes", m.decoded_bytes);
            if (m.normal_bits > 0) {
              object.add("position_step", m.position_step).add("texcoord_step", m.texcoord_step);
              object.add("normal_bits", m.normal_bits).add("tangent_bits", m.tangent_bits);
            }
            object.raw("aabb_min", vec3_json(m.aabb_min)).raw("aabb_max", vec3_json(m.aabb_max));
          },
          [&](const filetypes::MaterialInfo& m) {
            object.add("materials", m.rows)
                .add("base_color", m.base_color)
                .add("metallic_roughness", m.metallic_roughness);
            object.add("normal", m.normal).add("occlusion", m.occlusion).add("emissive", m.emissive);
            object.add("opaque", m.opaque)
                .add("mask", m.mask)
                .add("blend", m.blend)
                .add("double_sided", m.double_sided);
          },
          [&](const filetypes::ManifestInfo& m) {
            object.add("entries", m.entries).add("srgb", m.srgb).add("linear", m.entries - m.srgb);
            JsonObject kinds;
            for (const auto& [kind, count] : m.by_kind) kinds.add(hman::to_string(kind), count);
            object.add("kinds", kinds);
          },
          [&](const filetypes::AnimationInfo& a) {
            std::string clips = "[";
            for (const filetypes::ClipInfo& clip : a.clips) {
              JsonObject c;
              c.add("name", clip.name).add("seconds", static_cast<double>(clip.duration_seconds));
              clips += (clips.size() > 1 ? "," : "") + c.add("channels", clip.channels).add("keys", clip.keys).str();
            }
            object.raw("clips", clips + "]");
            if (a.named_joints > 0) object.add("named_joints", a.named_joints);
          },
          [&](const filetypes::SceneInfo& s) {
            object.add("nodes", s.nodes).add("meshes", s.meshes).add("instances", s.instances).add("skins", s.skins);
            object.add("cameras", s.cameras).add("lights", s.lights).add("materials", s.materials);
            object.add("variants", s.variants).add("extras", s.extras);
            std::string clips = "[";
            for (const std::string& clip : s.clips)
              clips += (clips.size() > 1 ? "," : "") + JsonObject().add("name", clip).str();
            object.raw("clips", clips + "]");
          },
          [&](const filetypes::FontInfo& f) {
            object.add("name", f.name).add("characters", f.characters).add("glyphs", f.glyphs);
            object.add("kerning_pairs", f.kerning_pairs).add("width", f.atlas_width_texels);
            object.add("height", f.atlas_height_texels).add("size", f.size_texels).add("range", f.range_texels);
          },
          [&](const filetypes::TextureInfo& t) {
            object.add("width", t.width_texels).add("height", t.height_texels).add("depth", t.depth_texels);
            object.add("layers", t.layers).add("faces", t.faces).add("levels", t.levels).add("format", t.format);
            object.add("colorspace", t.srgb ? "srgb" : "linear").add("supercompression", t.supercompression);
            object.add("inflated_bytes", t.gpu_bytes);
          },
          [&](const filetypes::ShaderInfo& s) {
            object.add("words", s.words).add("version", spirv_version(s.version));
            add_reflection(object, s.wants);
          },
          [&](const filetypes::BlobInfo& b) {
            std::string desc = "{";
            for (const auto& [name, json] : b.fields)
              desc += formatted("{}\"{}\":{}", desc.size() > 1 ? "," : "", name, json);
            object.add("type", b.type).raw("desc", desc + "}");
          },
          [&](const filetypes::BundleInfo& b) {
            object.add("name", b.name).add("platform", b.platform).add("bundle_version", b.version);
            object.add("assets", b.assets).add("content_bytes", b.content_bytes);
            object.add("signed", b.is_signed).add("encrypted", b.is_encrypted);
          },
      },
      file.content);
  if (file.problem) object.add("problem", file.problem->to_string());
  return object;
}

}  // namespace assetc::cli
