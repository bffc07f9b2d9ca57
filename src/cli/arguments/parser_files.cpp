#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

#include "cli/arguments/parser.hpp"
#include "convert/convert.hpp"
#include "filetypes/filetypes.hpp"
#include "recipes/settings.hpp"

namespace assetc::cli {
namespace {

template <class T = std::uint32_t>
std::pair<T, T> pair_of(const std::string& text, char separator, const char* option, const char* form) {
  std::pair<T, T> out{};
  const char* end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, out.first);
  const bool split = first.ec == std::errc() && first.ptr != end && *first.ptr == separator;
  const auto second = split ? std::from_chars(first.ptr + 1, end, out.second) : first;
  if (!split || second.ec != std::errc() || second.ptr != end) {
    throw CLI::ValidationError(option, "found \"" + text + "\", expected " + form);
  }
  return out;
}

// The cut of a .hcluster. in_texels: set if the error is followed by px; null: that is refused.
void add_error(CLI::App& to, std::optional<float>& error, bool* in_texels, const char* doc) {
  to.add_option_function<std::string>(
        "--error",
        [&error, in_texels](const std::string& text) {
          std::string_view number = text;
          const bool has_unit = in_texels != nullptr && number.ends_with("px");
          if (has_unit) number.remove_suffix(2);
          float value = 0;
          const auto [end, fault] = std::from_chars(number.data(), number.data() + number.size(), value);
          if (fault != std::errc() || end != number.data() + number.size() || !std::isfinite(value) || value < 0)
            throw CLI::ValidationError("--error", "found \"" + text + "\", expected a length of at least 0" +
                                                      (in_texels == nullptr ? "" : ", or one in texels such as 1px"));
          error = value;
          if (in_texels != nullptr) *in_texels = has_unit;
        },
        doc)
      ->type_name(in_texels == nullptr ? "LENGTH" : "LENGTH|TEXELSpx");
}

}  // namespace

void add_setting(CLI::App& to, const recipes::SettingField& field,
                 std::vector<std::pair<std::string, std::string>>& settings) {
  to.add_option_function<std::string>(
        "--" + std::string(field.key),
        [&settings, &field](const std::string& value) { settings.emplace_back(field.key, value); },
        std::string(field.doc) + " " + std::string(field.values))
      ->type_name("VALUE")
      ->group(field.key.starts_with("texture.") ? "Textures" : "Meshes");
}

void Parser::add_convert() {
  ConvertArguments& to = arguments.convert;
  CLI::App* convert = add(app, Command::kConvert, "convert", "Convert one file; suffixes choose the formats",
                          {"convert chair.hmesh chair.glb", "convert wall.png wall.ktx2 --texture.quality best"});
  convert->add_option("input", to.input, "A " + filetypes::list_suffixes(convert::is_convertible, " ", " or "))
      ->required()
      ->type_name("IN");
  convert->add_option("output", to.output, "A .glb .hmesh .gali .hcluster .ktx2 or .png")->required()->type_name("OUT");
  convert->add_flag("--keep-ktx2", to.keep_ktx2,
                    "In a .glb, keep KTX2 images that KHR_texture_basisu allows; others become PNG");
  add_error(*convert, to.max_error, nullptr,
            "Of a .hcluster, write the cut with at most this error, in its units (0: the source)");
  convert->add_option("--level", to.level, "Mip level to write as a .png")->type_name("N");
  convert->add_option("--layer", to.layer, "Array layer to write as a .png")->type_name("N");
  convert->add_option("--face", to.face, "Cubemap face to write as a .png, 0 to 5: +X -X +Y -Y +Z -Z")->type_name("N");
  convert->add_option("--slice", to.slice, "Slice of a 3D texture to write as a .png")->type_name("N");
  // Every setting that a rule of assetc.yml can have and that applies to a conversion is an option here. The suffix of
  // the output chooses between a mesh, a scene and clusters.
  constexpr std::array<std::string_view, 4> kOthers{"texture.standalone", "mesh.scene", "mesh.lod",
                                                    "mesh.cluster_triangles"};
  for (const recipes::SettingField& field : recipes::setting_fields()) {
    if (field.key.starts_with("shader.") || field.key.starts_with("audio.") || field.key.starts_with("font.") ||
        std::ranges::find(kOthers, field.key) != kOthers.end())
      continue;
    add_setting(*convert, field, to.settings);
  }
}

void Parser::add_render() {
  RenderArguments& to = arguments.render;
  CLI::App* render =
      add(app, Command::kRender, "render", "Draw a model, or text in a font, to a PNG",
          {"render fox.hmesh run.png --clip Run --time 0.5 --size 800x600", "render ui.hfont hello.png --text Hello"});
  render
      ->add_option("input", to.input,
                   "A " + filetypes::list_suffixes(&filetypes::Row::is_model, " ", " ") + " or .hfont")
      ->required()
      ->type_name("IN");
  render->add_option("output", to.output, "The picture to write")->required()->type_name("OUT.png");
  const std::pair<const char*, std::pair<render::Style, const char*>> styles[] = {
      {"--textured", {render::Style::kTextured, "Materials and textures (the default)"}},
      {"--shaded", {render::Style::kShaded, "Geometry without materials"}},
      {"--normals", {render::Style::kNormals, "Normals as colors"}},
      {"--uv", {render::Style::kUv, "Texture coordinates as colors"}},
      {"--wire", {render::Style::kWire, "Triangle edges"}},
      {"--meshlets", {render::Style::kMeshlets, "One color for each meshlet or cluster"}},
  };
  CLI::Option_group* group = render->add_option_group("style");
  for (const auto& [name, style] : styles) {
    group->add_flag_callback(name, [&to, chosen = style.first] { to.options.style = chosen; }, style.second);
  }
  group->require_option(0, 1);
  render->add_option("--lod", to.options.lod, "Level of detail, 0 is the full mesh")->type_name("N");
  add_error(*render, to.max_error, &to.error_in_texels,
            "Of a .hcluster, draw the cut with at most this error: in its units, or in texels of the picture such as "
            "1px (0: the source)");
  render
      ->add_option_function<std::string>(
          "--size",
          [&to](const std::string& text) {
            const auto [width, height] = pair_of(text, 'x', "--size", "WxH");
            to.options.width_texels = width;
            to.options.height_texels = height;
          },
          "Width and height in texels (default 512x512)")
      ->type_name("WxH");
  render
      ->add_option_function<std::string>(
          "--view",
          [&to](const std::string& text) {
            const auto [yaw, pitch] = pair_of<float>(text, ',', "--view", "YAW,PITCH");
            to.options.yaw_degrees = yaw;
            to.options.pitch_degrees = pitch;
          },
          "Camera: degrees around the model from its front, and above it (default 30,15)")
      ->type_name("YAW,PITCH");
  render->add_option("--camera", to.camera, "Draw the view of this camera of the scene (name or number)")
      ->type_name("CAMERA");
  render->add_option("--morph", to.options.morph_weights, "Weights of the morph targets (0.5,1)")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("WEIGHTS");
  render->add_option("--clip", to.clip, "Pose the model by this animation clip (name or number)")->type_name("CLIP");
  render->add_option("--time", to.options.time_seconds, "Seconds into the clip (default 0)")
      ->type_name("SECONDS")
      ->needs("--clip");
  render->add_option("--text", to.text, "Draw this text with a .hfont and the .atlas.ktx2 beside it")
      ->type_name("TEXT");
  render->add_option("--text-size", to.text_size_texels, "Size of the text: texels per em (default 48)")
      ->type_name("TEXELS")
      ->check(CLI::Range(1.0, 1024.0))
      ->needs("--text");
}

void Parser::add_optimize() {
  OptimizeArguments& to = arguments.optimize;
  CLI::App* optimize =
      add(app, Command::kOptimize, "optimize", "Write a small glTF of a model, for the web and other readers",
          {"optimize chair.gltf chair.glb --for web", "optimize models/ web/ --texture.max_size 1024"});
  optimize
      ->add_option("input", to.input,
                   "A " + filetypes::list_suffixes(&filetypes::Row::is_model, " ", " or ") +
                       ", or a folder of .gltf, .glb, .fbx and .obj")
      ->required()
      ->type_name("IN");
  optimize
      ->add_option("output", to.output,
                   "A .glb, or a .gltf with files beside it; of a folder: a folder, which gets a .glb for each model")
      ->required()
      ->type_name("OUT");
  optimize
      ->add_option("--keep", to.keep,
                   "Names, nodes, extras and materials to leave as they are for an application that finds them: a list "
                   "of names, nodes, extras, materials, or all or none (default: all)")
      ->type_name("LIST");
  optimize->add_flag("--keep-pictures", to.keep_pictures,
                     "Embed pictures as they are, instead of encoding them as KTX2");
  optimize
      ->add_option_function<std::string>(
          "--simplify",
          [&to](const std::string& text) {
            float value = 0;
            const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
            if (fault != std::errc() || end != text.data() + text.size() || !(value > 0 && value < 1))
              throw CLI::ValidationError("--simplify",
                                         "found \"" + text + "\", expected a number between 0 and 1, such as 0.5");
            to.ratio = value;
          },
          "Keep about this share of the triangles, if the error allows it")
      ->type_name("RATIO");
  optimize->add_option("--for", to.purpose, "Usual settings for a purpose: web, headset or phone; other options win")
      ->type_name("PURPOSE");
  const auto add_own = [&](const char* key, const char* doc, const char* group) {
    optimize
        ->add_option_function<std::string>(
            std::string("--") + key, [&to, key](const std::string& value) { to.settings.emplace_back(key, value); },
            doc)
        ->type_name("VALUE")
        ->group(group);
  };
  add_own("mesh.compress",
          "How vertices, triangles and clips are stored; meshopt-khr: KHR_meshopt_compression, which is smaller and "
          "which fewer readers know. none, meshopt or meshopt-khr",
          "Meshes");
  add_own("animation.error",
          "Largest distance by which a point may move because keys of clips are left out or rounded; auto: the model's "
          "size / 18000. off, auto or up to 1000 meters",
          "Clips");
  add_own("texture.format", "Format of pictures. uastc or webp", "Textures");
  add_own("texture.webp_quality", "Quality of WebP; 100 is lossless. 0 to 100", "Textures");
  add_own("texture.max_size",
          "Longest side of pictures in texels, for all or by slot: 2048,normal=512; the slots are base_color, "
          "metallic_roughness, normal, occlusion, emissive and extensions. 0 (no limit) to 32768 texels",
          "Textures");
  constexpr std::array<std::string_view, 12> kSettings{"mesh.quantize",      "mesh.position_bits", "mesh.texcoord_bits",
                                                       "mesh.normal_bits",   "mesh.color_bits",    "mesh.weight_bits",
                                                       "texture.quality",    "texture.metric",     "texture.mips",
                                                       "texture.mip_filter", "texture.zstd",       "texture.rdo"};
  for (const recipes::SettingField& field : recipes::setting_fields())
    if (std::ranges::find(kSettings, field.key) != kSettings.end()) add_setting(*optimize, field, to.settings);
}

// For the help and the manual only: run() gives all arguments of this command to ktx::run().
void Parser::add_ktx() {
  CLI::App* ktx = app.add_subcommand("ktx", "Answer as the program ktx of KTX-Software, for pipelines that call it");
  ktx->footer("assetc ktx --help lists its commands. A link named ktx to assetc does the same.");
  ktx->prefix_command();
  ktx->callback([] { throw CLI::ValidationError("ktx", "takes no options of assetc before it"); });
}

void Parser::add_diff() {
  DiffArguments& to = arguments.diff;
  CLI::App* diff = add(app, Command::kDiff, "diff", "Measure a texture against its source picture, per mip level",
                       {"diff wall.png wall.ktx2", "diff wall.png wall.ktx2 --heat where.png"});
  diff->add_option("reference", to.reference, "The reference: a picture or texture")->required()->type_name("A");
  diff->add_option("other", to.other, "The texture or picture to measure")->required()->type_name("B");
  CLI::Option* heat =
      diff->add_option("--heat", to.heat_map, "Write a heat map of the differences")->type_name("FILE.png");
  diff->add_option("--level", to.level, "Mip level of the heat map (default 0)")->type_name("N")->needs(heat);
  diff->add_option("--layer", to.layer, "Array layer of the heat map (default 0)")->type_name("N")->needs(heat);
  diff->add_option("--face", to.face, "Cubemap face of the heat map (default 0)")->type_name("N")->needs(heat);
  diff->add_option("--slice", to.slice, "Slice of a 3D texture of the heat map (default 0)")
      ->type_name("N")
      ->needs(heat);
}

void Parser::add_view() {
  ViewArguments& to = arguments.view;
  CLI::App* view = add(app, Command::kView, "view", "Show compiled assets and the last build in a browser",
                       {"view", "view runtime --export page --sources"});
  add_look_at(*view);
  add_output(*view);
  add_preset(*view);
  view->add_option("--compare", to.compare, "Show the changes since an older build: a folder, a .hpack or a .pak")
      ->type_name("OLD");
  CLI::Option* exported =
      view->add_option("--export", to.export_to, "Write the page with all files to a folder, for any web server")
          ->type_name("DIR");
  view->add_flag("--sources", to.sources, "Also export the sources of this project's outputs")->needs(exported);
  view->add_option("--port", to.port, "Port of the page on this machine (0: any free port)")
      ->type_name("PORT")
      ->excludes(exported);
  view->add_flag("--no-browser", to.no_browser, "Only print the address")->excludes(exported);
}

void Parser::add_serve() {
  ServeArguments& to = arguments.serve;
  CLI::App* serve = add(app, Command::kServe, "serve", "Give outputs to phones, consoles and pages over HTTP",
                        {"serve", "serve runtime --address 0.0.0.0 --port 8090"});
  add_look_at(*serve);
  add_output(*serve);
  add_preset(*serve);
  serve->add_option("--address", to.address, "IPv4 address to listen on (default 127.0.0.1); 0.0.0.0 is every network")
      ->type_name("ADDRESS");
  serve->add_option("--port", to.port, "Port (0: any free port)")->type_name("PORT");
  serve->add_option("--token", to.token, "Token that clients must send (default: a random one on a network)")
      ->type_name("TOKEN");
  serve
      ->add_option("--allow-origin", to.origins,
                   "Let pages of this server read, too, such as http://localhost:5173; may be repeated")
      ->type_name("ORIGIN")
      ->allow_extra_args(false);
}

}  // namespace assetc::cli
