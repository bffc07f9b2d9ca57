#include <map>

#include "assetc/formats/hman.hpp"
#include "base/json_line.hpp"
#include "base/overload.hpp"
#include "cli/commands/commands.hpp"
#include "cli/report/info_json.hpp"
#include "engine/look/inspect.hpp"
#include "text/format.hpp"

namespace assetc::cli {
namespace {

std::string extent_text(const filetypes::TextureInfo& t) {
  std::string text = formatted("{}x{}", t.width_texels, std::max(t.height_texels, 1u));
  if (t.depth_texels > 0) text += formatted("x{}", t.depth_texels);
  if (t.faces == 6) text += " cube";
  if (t.layers > 0) text += formatted(" [{}]", t.layers);
  return text;
}

// The counts of the texture kinds that occur in a manifest.
std::string kinds_text(const filetypes::ManifestInfo& m) {
  std::string text;
  for (const auto& [kind, count] : m.by_kind)
    text += formatted("{}{} {}", text.empty() ? "" : ", ", count, hman::to_string(kind));
  return text;
}

// How a mesh is stored, and the precision of its vertices.
std::string describe_encoding(const filetypes::MeshInfo& m) {
  if (m.decoded_bytes == 0) return {};
  std::string text = ", encoded, " + size_text(m.decoded_bytes) + " decoded";
  if (m.normal_bits == 0) return text;
  return text + formatted(", positions in steps of {:.2g}, texture coordinates in steps of {:.2g}, normals of {} bits",
                          m.position_step, m.texcoord_step, m.normal_bits);
}

// The contents of a file, in one line.
std::string describe(const filetypes::FileContent& content) {
  return std::visit(
      Overload{
          [](const std::monostate&) { return std::string(); },
          [](const filetypes::MeshInfo& m) {
            const std::string box =
                formatted(", box [{:.3g} {:.3g} {:.3g}] to [{:.3g} {:.3g} {:.3g}]", m.aabb_min[0], m.aabb_min[1],
                          m.aabb_min[2], m.aabb_max[0], m.aabb_max[1], m.aabb_max[2]);
            if (m.clusters > 0) {
              std::string text = formatted(
                  "hcluster: {}, {}, {}, {}, {}, {:.2f} bytes a triangle, {}", plural(m.triangles, "triangle"),
                  plural(m.lods + 1, "level"), plural(m.clusters, "cluster"), plural(m.groups, "group"),
                  plural(m.pages, "page"), m.bytes_per_triangle, plural(m.materials, "material"));
              if (m.joints > 0) text += ", " + plural(m.joints, "joint");
              if (!m.tangents) text += ", no tangents";
              for (const std::string& attribute : m.attributes) text += ", " + attribute;
              if (m.morph_targets > 0) text += ", " + plural(m.morph_targets, "morph target");
              return text + box;
            }
            std::string text =
                formatted("{}, {}, {} (u{}), {}, {}, {}", plural(m.vertices, "vertex"), plural(m.triangles, "triangle"),
                          plural(m.indices, "index"), m.index_width_bytes * 8, plural(m.meshlets, "meshlet"),
                          plural(m.submeshes, "submesh"), plural(m.materials, "material"));
            if (m.container != "hmesh 2") text = m.container + ": " + text;
            if (m.lines > 0) text += ", " + plural(m.lines, "line");
            if (m.points > 0) text += ", " + plural(m.points, "point");
            if (m.lods > 0) text += ", " + plural(m.lods, "LOD");
            if (m.joints > 0) text += ", " + plural(m.joints, "joint");
            if (!m.tangents) text += ", no tangents";
            for (const std::string& attribute : m.attributes) text += ", " + attribute;
            if (m.morph_targets > 0)
              text += ", " + plural(m.morph_targets, "morph target") + " of " + plural(m.morph_moves, "moved vertex");
            return text + box + describe_encoding(m);
          },
          [](const filetypes::MaterialInfo& m) {
            return formatted(
                "{}: {} base color, {} metallic-roughness, {} normal, {} occlusion, {} emissive; {} opaque, {} mask, "
                "{} blend; {} "
                "double-sided",
                plural(m.rows, "material"), m.base_color, m.metallic_roughness, m.normal, m.occlusion, m.emissive,
                m.opaque, m.mask, m.blend, m.double_sided);
          },
          [](const filetypes::ManifestInfo& m) {
            const std::string kinds = kinds_text(m);
            return formatted("{}{}{}; {} sRGB, {} linear", plural(m.entries, "entry"), kinds.empty() ? "" : ": ", kinds,
                             m.srgb, m.entries - m.srgb);
          },
          [](const filetypes::AnimationInfo& a) {
            std::string text = plural(a.clips.size(), "clip");
            for (const filetypes::ClipInfo& clip : a.clips) {
              text += formatted("{}\"{}\" {:.2f} s, {}, {}", &clip == a.clips.data() ? ": " : "; ", clip.name,
                                clip.duration_seconds, plural(clip.channels, "channel"), plural(clip.keys, "key"));
            }
            if (a.named_joints > 0) text += formatted("; names {}", plural(a.named_joints, "joint"));
            return text;
          },
          [](const filetypes::SceneInfo& s) {
            std::string text = formatted("{}, {} of {}", plural(s.nodes, "node"), plural(s.instances, "instance"),
                                         plural(s.meshes, "mesh"));
            const auto also = [&](std::uint32_t count, std::string_view what) {
              if (count > 0) text += ", " + plural(count, what);
            };
            also(s.skins, "skin");
            also(s.cameras, "camera");
            also(s.lights, "light");
            also(s.materials, "material");
            also(s.variants, "variant");
            also(static_cast<std::uint32_t>(s.clips.size()), "clip");
            if (s.extras > 0) text += ", extras of " + plural(s.extras, "object");
            return text;
          },
          [](const filetypes::FontInfo& f) {
            return formatted("\"{}\", {}, {}, {}; atlas {}x{}, {} texels per em, range {}", f.name,
                             plural(f.characters, "character"), plural(f.glyphs, "glyph"),
                             plural(f.kerning_pairs, "kerning pair"), f.atlas_width_texels, f.atlas_height_texels,
                             f.size_texels, f.range_texels);
          },
          [](const filetypes::TextureInfo& t) {
            std::string text = formatted("{} {} {}, {}", extent_text(t), t.format, t.srgb ? "sRGB" : "linear",
                                         plural(t.levels, "level"));
            if (t.supercompression != "none") text += ", " + t.supercompression;
            if (t.gpu_bytes > 0) text += ", " + size_text(t.gpu_bytes) + " inflated";
            return text;
          },
          [](const filetypes::ShaderInfo& s) {
            return formatted("{}, {}, {}", spirv_version(s.version), plural(s.words, "word"),
                             plural(s.wants.bindings.size(), "binding"));
          },
          [](const filetypes::BlobInfo& b) {
            std::string text = b.type;
            for (const auto& [name, json] : b.fields)
              text += formatted("{} {} {}", &name == &b.fields.front().name ? ":" : ",", name, json);
            return text;
          },
          [](const filetypes::BundleInfo& b) {
            return formatted("\"{}\" version {} for {}: {}, {} of contents{}{}", b.name, b.version, b.platform,
                             plural(b.assets, "asset"), size_text(b.content_bytes), b.is_signed ? ", signed" : "",
                             b.is_encrypted ? ", encrypted" : "");
          },
      },
      content);
}

struct KindTotal {
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
};

struct Totals {
  std::map<std::string, KindTotal, std::less<>> kinds;
  KindTotal all;
  std::uint64_t vertices = 0, triangles = 0, meshlets = 0, materials = 0, clips = 0, inflated_bytes = 0, unreadable = 0;
};

Totals total(const std::vector<engine::FileInfo>& files) {
  Totals totals;
  for (const engine::FileInfo& file : files) {
    for (KindTotal* t : {&totals.kinds[std::string(file.kind)], &totals.all}) {
      ++t->files;
      t->bytes += file.size_bytes;
    }
    totals.unreadable += file.problem.has_value();
    if (const auto* m = std::get_if<filetypes::MeshInfo>(&file.content)) {
      totals.vertices += m->vertices;
      totals.triangles += m->triangles;
      totals.meshlets += m->meshlets;
    }
    if (const auto* m = std::get_if<filetypes::MaterialInfo>(&file.content)) totals.materials += m->rows;
    if (const auto* a = std::get_if<filetypes::AnimationInfo>(&file.content)) totals.clips += a->clips.size();
    if (const auto* t = std::get_if<filetypes::TextureInfo>(&file.content)) totals.inflated_bytes += t->gpu_bytes;
  }
  return totals;
}

Result<engine::Contents> contents_of(const LookAt& at, engine::Disk& disk) {
  if (!at.is_file) return engine::inspect(at.path, disk);
  ASSETC_TRY(engine::FileInfo file, engine::inspect_file(at.path, disk));
  return engine::Contents{{std::move(file)}, {}};
}

}  // namespace

int run_info(const Arguments& arguments, Console& console, engine::Disk& disk) {
  const auto at = look_at(arguments, console, disk);
  if (!at) return stop(arguments, console, at.error());
  const auto contents = contents_of(*at, disk);
  if (!contents) return stop(arguments, console, contents.error());
  say_other_outputs(arguments, console, at->path, contents->other_outputs);
  const std::vector<engine::FileInfo>& files = contents->files;
  const Totals totals = total(files);

  if (arguments.json) {
    for (const engine::FileInfo& file : files) console.out(file_json(file).str() + "\n");
    JsonObject kinds;
    for (const auto& [kind, t] : totals.kinds)
      kinds.add(kind, JsonObject().add("files", t.files).add("bytes", t.bytes));
    console.out(json_event("totals")
                    .add("output", at->path)
                    .add("files", totals.all.files)
                    .add("bytes", totals.all.bytes)
                    .add("kinds", kinds)
                    .add("vertices", totals.vertices)
                    .add("triangles", totals.triangles)
                    .add("meshlets", totals.meshlets)
                    .add("materials", totals.materials)
                    .add("clips", totals.clips)
                    .add("inflated_bytes", totals.inflated_bytes)
                    .add("unreadable", totals.unreadable)
                    .str() +
                "\n");
    return totals.unreadable == 0 ? kExitOk : kExitProblems;
  }

  using enum Table::Align;
  Table listing({kLeft, kRight, kLeft});
  for (const engine::FileInfo& file : files) {
    listing.add({file.path, size_text(file.size_bytes),
                 file.problem ? console.paint_out(Style::kRed, "unreadable: " + file.problem->to_string())
                              : describe(file.content)});
  }
  console.out(listing.str());
  if (at->is_file) return totals.unreadable == 0 ? kExitOk : kExitProblems;
  console.out("\n");

  Table sums({kLeft, kRight, kRight});
  for (const auto& [kind, t] : totals.kinds) sums.add({kind, plural(t.files, "file"), size_text(t.bytes)});
  sums.add({"total", plural(totals.all.files, "file"), size_text(totals.all.bytes)});
  console.out(sums.str());
  console.out(formatted("{}, {}, {}, {}, {}; textures: {} inflated\n", plural(totals.triangles, "triangle"),
                        plural(totals.vertices, "vertex"), plural(totals.meshlets, "meshlet"),
                        plural(totals.materials, "material"), plural(totals.clips, "clip"),
                        size_text(totals.inflated_bytes)));
  return totals.unreadable == 0 ? kExitOk : kExitProblems;
}

}  // namespace assetc::cli
