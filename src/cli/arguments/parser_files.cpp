#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <tuple>
#include <utility>

#include "cli/arguments/parser.hpp"
#include "convert/convert.hpp"
#include "filetypes/filetypes.hpp"
#include "recipes/settings.hpp"

namespace assetc::cli {
namespace {

// Reads two numbers with a separator between them. What is wrong with the text; empty: nothing.
template <class T>
std::string read_pair(const std::string& text, char separator, const char* form, T& a, T& b) {
  std::pair<T, T> out{};
  const char* end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, out.first);
  const bool split = first.ec == std::errc() && first.ptr != end && *first.ptr == separator;
  const auto second = split ? std::from_chars(first.ptr + 1, end, out.second) : first;
  if (!split || second.ec != std::errc() || second.ptr != end) {
    return "found \"" + text + "\", expected " + form;
  }
  std::tie(a, b) = out;
  return {};
}

// The cut of a .hcluster. in_texels: set if the error is followed by px; null: that is refused.
void add_error(const command_line::Command& to, std::optional<float>& error, bool* in_texels, const char* doc) {
  to.add_taken(
        "--error",
        [&error, in_texels](const std::string& text) {
          std::string_view number = text;
          const bool has_unit = in_texels != nullptr && number.ends_with("px");
          if (has_unit) number.remove_suffix(2);
          float value = 0;
          const auto [end, fault] = std::from_chars(number.data(), number.data() + number.size(), value);
          if (fault != std::errc() || end != number.data() + number.size() || !std::isfinite(value) || value < 0)
            return "found \"" + text + "\", expected a length of at least 0" +
                   (in_texels == nullptr ? "" : ", or one in texels such as 1px");
          error = value;
          if (in_texels != nullptr) *in_texels = has_unit;
          return std::string();
        },
        doc)
      .type_name(in_texels == nullptr ? "LENGTH" : "LENGTH|TEXELSpx");
}

void add_model_root(const command_line::Command& to, std::string& root) {
  to.add("--root", root,
         "Folder that holds the model and all files that it refers to (default: the folder of the model)")
      .type_name("DIR");
}

}  // namespace

void add_setting(const command_line::Command& to, const recipes::SettingField& field,
                 std::vector<std::pair<std::string, std::string>>& settings) {
  to.add_taken(
        "--" + std::string(field.key),
        [&settings, &field](const std::string& value) {
          settings.emplace_back(field.key, value);
          return std::string();
        },
        std::string(field.doc) + " " + std::string(field.values))
      .type_name("VALUE")
      .group(field.key.starts_with("texture.") ? "Textures" : "Meshes");
}

void Parser::add_convert() {
  ConvertArguments& to = arguments.convert;
  const command_line::Command convert =
      add(app, Command::kConvert, "convert", "Convert one file; suffixes choose the formats",
          {"convert chair.hmesh chair.glb", "convert wall.png wall.ktx2 --texture.quality best"});
  convert.add("input", to.input, "A " + filetypes::list_suffixes(convert::is_convertible, " ", " or "))
      .required()
      .type_name("IN");
  convert.add("output", to.output, "A .glb .hmesh .gali .hcluster .ktx2 or .png").required().type_name("OUT");
  convert.add_switch("--keep-ktx2", to.keep_ktx2,
                     "In a .glb, keep KTX2 images that KHR_texture_basisu allows; others become PNG");
  add_error(convert, to.max_error, nullptr,
            "Of a .hcluster, write the cut with at most this error, in its units (0: the source)");
  add_model_root(convert, to.root);
  convert.add("--level", to.level, "Mip level to write as a .png").type_name("N");
  convert.add("--layer", to.layer, "Array layer to write as a .png").type_name("N");
  convert.add("--face", to.face, "Cubemap face to write as a .png, 0 to 5: +X -X +Y -Y +Z -Z").type_name("N");
  convert.add("--slice", to.slice, "Slice of a 3D texture to write as a .png").type_name("N");
  // Every setting that a rule of assetc.yml can have and that applies to a conversion is an option here. The suffix of
  // the output chooses between a mesh, a scene and clusters.
  constexpr std::array<std::string_view, 6> kOthers{"texture.share", "texture.standalone",     "mesh.scene",
                                                    "mesh.lod",      "mesh.cluster_triangles", "mesh.search"};
  for (const recipes::SettingField& field : recipes::setting_fields()) {
    if (field.key.starts_with("shader.") || field.key.starts_with("audio.") || field.key.starts_with("font.") ||
        std::ranges::find(kOthers, field.key) != kOthers.end())
      continue;
    add_setting(convert, field, to.settings);
  }
}

void Parser::add_render() {
  RenderArguments& to = arguments.render;
  const command_line::Command render =
      add(app, Command::kRender, "render", "Draw a model, or text in a font, to a PNG",
          {"render fox.hmesh run.png --clip Run --time 0.5 --size 800x600", "render ui.hfont hello.png --text Hello"});
  render.add("input", to.input, "A " + filetypes::list_suffixes(&filetypes::Row::is_model, " ", " ") + " or .hfont")
      .required()
      .type_name("IN");
  render.add("output", to.output, "The picture to write").required().type_name("OUT.png");
  const std::pair<const char*, std::pair<render::Style, const char*>> styles[] = {
      {"--textured", {render::Style::kTextured, "Materials and textures (the default)"}},
      {"--shaded", {render::Style::kShaded, "Geometry without materials"}},
      {"--normals", {render::Style::kNormals, "Normals as colors"}},
      {"--uv", {render::Style::kUv, "Texture coordinates as colors"}},
      {"--wire", {render::Style::kWire, "Triangle edges"}},
      {"--meshlets", {render::Style::kMeshlets, "One color for each meshlet or cluster"}},
  };
  const command_line::Command group = render.add_group("style", 0, 1);
  for (const auto& [name, style] : styles) {
    group.add_switch(name, [&to, chosen = style.first] { to.options.style = chosen; }, style.second);
  }
  add_model_root(render, to.root);
  render.add("--lod", to.options.lod, "Level of detail, 0 is the full mesh").type_name("N");
  add_error(render, to.max_error, &to.error_in_texels,
            "Of a .hcluster, draw the cut with at most this error: in its units, or in texels of the picture such as "
            "1px (0: the source)");
  render
      .add_taken(
          "--size",
          [&to](const std::string& text) {
            return read_pair(text, 'x', "WxH", to.options.width_texels, to.options.height_texels);
          },
          "Width and height in texels (default 512x512)")
      .type_name("WxH");
  render
      .add_taken(
          "--view",
          [&to](const std::string& text) {
            return read_pair(text, ',', "YAW,PITCH", to.options.yaw_degrees, to.options.pitch_degrees);
          },
          "Camera: degrees around the model from its front, and above it (default 30,15)")
      .type_name("YAW,PITCH");
  render.add("--camera", to.camera, "Draw the view of this camera of the scene (name or number)").type_name("CAMERA");
  render.add("--morph", to.options.morph_weights, "Weights of the morph targets (0.5,1)")
      .split_at(',')
      .one_each()
      .type_name("WEIGHTS");
  render.add("--clip", to.clip, "Pose the model by this animation clip (name or number)").type_name("CLIP");
  render.add("--time", to.options.time_seconds, "Seconds into the clip (default 0)")
      .type_name("SECONDS")
      .needs("--clip");
  render.add("--text", to.text, "Draw this text with a .hfont and the .atlas.ktx2 beside it").type_name("TEXT");
  render.add("--text-size", to.text_size_texels, "Size of the text: texels per em (default 48)")
      .type_name("TEXELS")
      .between(1.0, 1024.0)
      .needs("--text");
}

void Parser::add_optimize() {
  OptimizeArguments& to = arguments.optimize;
  const command_line::Command optimize =
      add(app, Command::kOptimize, "optimize", "Write a small glTF of a model, for the web and other readers",
          {"optimize chair.gltf chair.glb --for web", "optimize models/ web/ --texture.max_size 1024"});
  optimize
      .add("input", to.input,
           "A " + filetypes::list_suffixes(&filetypes::Row::is_model, " ", " or ") +
               ", or a folder of .gltf, .glb, .fbx and .obj")
      .required()
      .type_name("IN");
  optimize
      .add("output", to.output,
           "A .glb, or a .gltf with files beside it; of a folder: a folder, which gets a .glb for each model")
      .required()
      .type_name("OUT");
  optimize
      .add("--keep", to.keep,
           "Names, nodes, extras and materials to leave as they are for an application that finds them: a list "
           "of names, nodes, extras, materials, or all or none (default: all)")
      .type_name("LIST");
  add_model_root(optimize, to.root);
  add_jobs(optimize);
  add_no_cache(optimize);
  add_verbosity(optimize, "Print each written file; of a folder, each step when it is done");
  optimize.add_switch("--keep-pictures", to.keep_pictures, "Embed pictures as they are, instead of encoding them");
  optimize
      .add_taken(
          "--simplify",
          [&to](const std::string& text) {
            float value = 0;
            const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
            if (fault != std::errc() || end != text.data() + text.size() || !(value > 0 && value < 1))
              return "found \"" + text + "\", expected a number between 0 and 1, such as 0.5";
            to.ratio = value;
            return std::string();
          },
          "Keep about this share of the triangles, if the error allows it")
      .type_name("RATIO");
  optimize.add("--for", to.purpose, "Usual settings for a purpose: web, headset or phone; other options win")
      .type_name("PURPOSE");
  const auto add_own = [&](const char* key, const char* doc, const char* group) {
    optimize
        .add_taken(
            std::string("--") + key,
            [&to, key](const std::string& value) {
              to.settings.emplace_back(key, value);
              return std::string();
            },
            doc)
        .type_name("VALUE")
        .group(group);
  };
  add_own(
      "mesh.compress",
      "How vertices, triangles and clips are stored (default meshopt; for sources with Draco smallest); smallest: "
      "draco or meshopt; meshopt-khr: KHR_meshopt_compression, which is smaller and which fewer readers know. none, "
      "meshopt, meshopt-khr, draco or smallest",
      "Meshes");
  add_own("animation.error",
          "Largest distance by which a point may move because keys of clips are left out or rounded; auto: the model's "
          "size / 18000. off, auto or up to 1000 meters",
          "Clips");
  add_own("texture.format",
          "Format of pictures: webp is smallest, uastc and etc1s are KTX 2, which takes a quarter or less of the video "
          "memory; the default is webp, for headset and phone uastc. webp, uastc or etc1s",
          "Textures");
  add_own("texture.webp_quality", "Quality of WebP; 100 is lossless. 0 to 100", "Textures");
  add_own("texture.max_size",
          "Longest side of pictures in texels, for all or by slot: 2048,normal=512; the slots are base_color, "
          "metallic_roughness, normal, occlusion, emissive and extensions. 0 (no limit) to 32768 texels",
          "Textures");
  constexpr std::array<std::string_view, 13> kSettings{
      "mesh.quantize",    "mesh.position_bits", "mesh.texcoord_bits",   "mesh.normal_bits", "mesh.color_bits",
      "mesh.weight_bits", "texture.quality",    "texture.metric",       "texture.mips",     "texture.mip_filter",
      "texture.zstd",     "texture.rdo",        "texture.etc1s_quality"};
  for (const recipes::SettingField& field : recipes::setting_fields())
    if (std::ranges::find(kSettings, field.key) != kSettings.end()) add_setting(optimize, field, to.settings);
}

// For the help and the manual only: run() gives all arguments of this command to ktx::run().
void Parser::add_ktx() {
  const command_line::Command ktx =
      app.add_command("ktx", "Answer as the program ktx of KTX-Software, for pipelines that call it");
  ktx.footer("assetc ktx --help lists its commands. A link named ktx to assetc does the same.");
  ktx.leave_rest();
  ktx.check([] { return std::string("ktx: takes no options of assetc before it"); });
}

void Parser::add_diff() {
  DiffArguments& to = arguments.diff;
  const command_line::Command diff =
      add(app, Command::kDiff, "diff", "Measure a texture against its source picture, per mip level",
          {"diff wall.png wall.ktx2", "diff wall.png wall.ktx2 --heat where.png"});
  diff.add("reference", to.reference, "The reference: a picture or texture").required().type_name("A");
  diff.add("other", to.other, "The texture or picture to measure").required().type_name("B");
  const command_line::Option heat =
      diff.add("--heat", to.heat_map, "Write a heat map of the differences").type_name("FILE.png");
  diff.add("--level", to.level, "Mip level of the heat map (default 0)").type_name("N").needs(heat);
  diff.add("--layer", to.layer, "Array layer of the heat map (default 0)").type_name("N").needs(heat);
  diff.add("--face", to.face, "Cubemap face of the heat map (default 0)").type_name("N").needs(heat);
  diff.add("--slice", to.slice, "Slice of a 3D texture of the heat map (default 0)").type_name("N").needs(heat);
}

void Parser::add_view() {
  ViewArguments& to = arguments.view;
  const command_line::Command view =
      add(app, Command::kView, "view", "Show compiled assets and the last build in a browser",
          {"view", "view runtime --export page --sources"});
  add_look_at(view);
  add_output(view);
  add_preset(view);
  view.add("--compare", to.compare, "Show the changes since an older build: a folder, a .hpack or a .pak")
      .type_name("OLD");
  const command_line::Option exported =
      view.add("--export", to.export_to, "Write the page with all files to a folder, for any web server")
          .type_name("DIR");
  view.add_switch("--sources", to.sources, "Also export the sources of this project's outputs").needs(exported);
  view.add("--port", to.port, "Port of the page on this machine (0: any free port)")
      .type_name("PORT")
      .excludes(exported);
  view.add_switch("--no-browser", to.no_browser, "Only print the address").excludes(exported);
}

void Parser::add_serve() {
  ServeArguments& to = arguments.serve;
  const command_line::Command serve =
      add(app, Command::kServe, "serve", "Give outputs to phones, consoles and pages over HTTP",
          {"serve", "serve runtime --address 0.0.0.0 --port 8090"});
  add_look_at(serve);
  add_output(serve);
  add_preset(serve);
  serve.add("--address", to.address, "IPv4 address to listen on (default 127.0.0.1); 0.0.0.0 is every network")
      .type_name("ADDRESS");
  serve.add("--port", to.port, "Port (0: any free port)").type_name("PORT");
  const command_line::Option token =
      serve.add("--token", to.token,
                "Token that clients must send (default: ASSETC_SERVE_TOKEN, or a random one on a network); other users "
                "of this machine can see it in the list of programs");
  token.type_name("TOKEN");
  serve.add("--token-file", to.token_file, "The same, but the token is the first line of a file")
      .type_name("FILE")
      .excludes(token);
  add_allow_shared_key(serve, to.may_share_keys);
  serve
      .add("--allow-origin", to.origins,
           "Let pages of this server read, too, such as http://localhost:5173; may be repeated")
      .type_name("ORIGIN")
      .one_each();
}

}  // namespace assetc::cli
