#include "filetypes/facts.hpp"

#include <algorithm>

#include "base/plural.hpp"
#include "base/size_text.hpp"
#include "filetypes/content.hpp"
#include "text/format.hpp"

namespace assetc::filetypes {
namespace {

std::string joined(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) {
    if (!text.empty()) all += (all.empty() ? "" : ", ") + text;
  }
  return all;
}

std::vector<double> numbers(const std::array<float, 3>& values) { return {values.begin(), values.end()}; }

Facts facts(const MeshInfo& m) {
  Facts facts;
  facts.add("container", m.container, m.container == "hmesh 2" ? "" : m.container + ":");
  if (m.clusters > 0) {
    facts.add("vertices", std::uint64_t{m.vertices}).count("triangles", m.triangles, "triangle");
    facts.add("indices", std::uint64_t{m.indices});
  } else {
    facts.count("vertices", m.vertices, "vertex").count("triangles", m.triangles, "triangle");
    facts.add("indices", std::uint64_t{m.indices},
              formatted("{} (u{})", plural(m.indices, "index"), m.index_width_bytes * 8));
  }
  facts.add("index_width", std::uint64_t{m.index_width_bytes});
  facts.some("meshlets", m.meshlets, "meshlet").count("submeshes", m.submeshes, "submesh");
  facts.some("lines", m.lines, "line").some("points", m.points, "point").some("primitives", m.primitives, "primitive");
  facts.count("materials", m.materials, "material").some("lods", m.lods, "LOD").some("joints", m.joints, "joint");
  facts.add("tangents", m.tangents, m.tangents ? "" : "no tangents");
  facts.add("attributes", m.attributes, joined(m.attributes));
  facts.some("morph_targets", m.morph_targets, "morph target").some("morph_moves", m.morph_moves, "moved vertex");
  const std::string names = joined(m.morph_names);
  facts.add("morph_names", m.morph_names, names.empty() ? "" : "named " + names);
  if (m.clusters > 0) {
    facts.count("clusters", m.clusters, "cluster").count("groups", m.groups, "group").count("pages", m.pages, "page");
    facts.add("bytes_per_triangle", m.bytes_per_triangle, formatted("{:.2f} bytes a triangle", m.bytes_per_triangle));
  }
  if (m.decoded_bytes > 0)
    facts.add("decoded_bytes", m.decoded_bytes, "encoded, " + size_text(m.decoded_bytes) + " decoded");
  if (m.normal_bits > 0) {
    facts.add("position_step", m.position_step, formatted("positions in steps of {:.2g}", m.position_step));
    facts.add("texcoord_step", m.texcoord_step, formatted("texture coordinates in steps of {:.2g}", m.texcoord_step));
    facts.add("normal_bits", std::uint64_t{m.normal_bits}, formatted("normals of {} bits", m.normal_bits));
    facts.add("tangent_bits", std::uint64_t{m.tangent_bits},
              m.tangent_bits > 0 ? formatted("tangents of {} bits", m.tangent_bits) : "");
  }
  facts.add("aabb_min", numbers(m.aabb_min),
            formatted("box [{:.3g} {:.3g} {:.3g}] to [{:.3g} {:.3g} {:.3g}]", m.aabb_min[0], m.aabb_min[1],
                      m.aabb_min[2], m.aabb_max[0], m.aabb_max[1], m.aabb_max[2]));
  facts.add("aabb_max", numbers(m.aabb_max));
  return facts;
}

Facts facts(const MaterialInfo& m) {
  Facts facts;
  facts.count("materials", m.rows, "material").share("base_color", m.base_color, "base color");
  facts.share("metallic_roughness", m.metallic_roughness, "metallic-roughness").share("normal", m.normal, "normal");
  facts.share("occlusion", m.occlusion, "occlusion").share("emissive", m.emissive, "emissive");
  facts.share("opaque", m.opaque, "opaque").share("mask", m.mask, "mask").share("blend", m.blend, "blend");
  facts.share("double_sided", m.double_sided, "double-sided");
  return facts;
}

Facts facts(const AnimationInfo& a) {
  std::vector<Facts> clips;
  for (const ClipInfo& clip : a.clips) {
    Facts& row = clips.emplace_back();
    row.add("name", clip.name, "\"" + clip.name + "\"");
    row.add("seconds", double{clip.duration_seconds}, formatted("{:.2f} s", clip.duration_seconds));
    row.count("channels", clip.channels, "channel").count("keys", clip.keys, "key");
  }
  Facts facts;
  facts.table("clips", std::move(clips), "clip");
  if (a.named_joints > 0) facts.count("named_joints", a.named_joints, "named joint");
  return facts;
}

Facts facts(const SceneInfo& s) {
  std::vector<Facts> clips;
  for (const std::string& clip : s.clips) clips.emplace_back().add("name", clip, "\"" + clip + "\"");
  Facts facts;
  facts.count("nodes", s.nodes, "node").count("meshes", s.meshes, "mesh").count("instances", s.instances, "instance");
  facts.some("skins", s.skins, "skin").some("cameras", s.cameras, "camera").some("lights", s.lights, "light");
  facts.some("materials", s.materials, "material").some("variants", s.variants, "variant");
  facts.add("extras", std::uint64_t{s.extras}, s.extras > 0 ? "extras of " + plural(s.extras, "object") : "");
  return facts.table("clips", std::move(clips), "clip");
}

Facts facts(const TextureInfo& t) {
  std::string extent = formatted("{}x{}", t.width_texels, std::max(t.height_texels, 1u));
  if (t.depth_texels > 0) extent += formatted("x{}", t.depth_texels);
  if (t.faces == 6) extent += " cube";
  if (t.layers > 0) extent += formatted(" [{}]", t.layers);
  Facts facts;
  facts.add("width", std::uint64_t{t.width_texels}, extent).add("height", std::uint64_t{t.height_texels});
  facts.add("depth", std::uint64_t{t.depth_texels}).add("layers", std::uint64_t{t.layers});
  facts.add("faces", std::uint64_t{t.faces}).add("format", t.format, t.format);
  facts.add("colorspace", t.srgb ? "srgb" : "linear", t.srgb ? "sRGB" : "linear").count("levels", t.levels, "level");
  facts.add("supercompression", t.supercompression, t.supercompression == "none" ? "" : t.supercompression);
  facts.add("inflated_bytes", t.gpu_bytes, t.gpu_bytes > 0 ? size_text(t.gpu_bytes) + " inflated" : "");
  return facts;
}

Facts facts(const Facts& listed) { return listed; }
Facts facts(std::monostate) { return {}; }

}  // namespace

Facts& Facts::add(std::string name, FactValue value, std::string text) {
  items_.push_back({std::move(name), std::move(value), std::move(text)});
  return *this;
}
Facts& Facts::count(std::string name, std::uint64_t count, std::string_view one) {
  return add(std::move(name), count, plural(count, one));
}
Facts& Facts::some(std::string name, std::uint64_t count, std::string_view one) {
  return add(std::move(name), count, count > 0 ? plural(count, one) : "");
}
Facts& Facts::share(std::string name, std::uint64_t count, std::string_view so) {
  return add(std::move(name), count, count > 0 ? formatted("{} {}", count, so) : "");
}
Facts& Facts::table(std::string name, std::vector<Facts> rows, std::string_view one) {
  std::string text = rows.empty() ? "" : plural(rows.size(), one);
  for (const Facts& row : rows) text += (&row == rows.data() ? " (" : "; ") + row.text();
  if (!rows.empty()) text += ")";
  return add(std::move(name), std::move(rows), std::move(text));
}

std::string Facts::text() const {
  std::string all;
  for (const Fact& fact : items_) {
    if (fact.text.empty()) continue;
    all += (all.empty() ? "" : all.ends_with(':') ? " " : ", ") + fact.text;
  }
  return all;
}

Facts facts_of(const FileContent& content) {
  return std::visit([](const auto& values) { return facts(values); }, content);
}

}  // namespace assetc::filetypes
