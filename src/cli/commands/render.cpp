#include <algorithm>
#include <charconv>
#include <optional>

#include "base/ascii.hpp"
#include "base/json_line.hpp"
#include "cli/commands/commands.hpp"
#include "cli/commands/file_root.hpp"
#include "convert/model.hpp"
#include "export/png.hpp"
#include "import/texture/ktx2.hpp"
#include "render/text.hpp"
#include "scene/merge_images.hpp"

namespace assetc::cli {

namespace {

// Finds a clip by name or, if no clip has this name, by number.
Result<std::uint32_t> find_clip(const scene::Scene& scene, std::string_view asked) {
  const auto named = std::ranges::find(scene.clips, asked, &scene::Clip::name);
  if (named != scene.clips.end()) return static_cast<std::uint32_t>(named - scene.clips.begin());
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(asked.data(), asked.data() + asked.size(), number);
  if (error == std::errc() && end == asked.data() + asked.size() && number < scene.clips.size()) return number;
  std::string names;
  for (const scene::Clip& clip : scene.clips)
    names.append(names.empty() ? "the clips are: " : ", ").append("\"").append(clip.name).append("\"");
  return fail(ErrorCode::kNotFound, "has no clip \"" + std::string(asked) + "\"",
              names.empty() ? "the model has no clips" : names);
}

// Finds the node of a camera by the name of the node or camera or, if none has this name, by the camera's number.
Result<std::uint32_t> find_camera(const scene::Scene& scene, std::string_view asked) {
  std::uint32_t number = scene::kNone;
  const auto [end, error] = std::from_chars(asked.data(), asked.data() + asked.size(), number);
  if (error != std::errc() || end != asked.data() + asked.size()) number = scene::kNone;
  std::optional<std::uint32_t> by_number;
  std::string names;
  for (std::uint32_t n = 0; n < scene.nodes.size(); ++n) {
    const scene::Node& node = scene.nodes[n];
    if (node.camera >= scene.cameras.size()) continue;
    const std::string& name = scene.cameras[node.camera].name;
    if (node.name == asked || name == asked) return n;
    if (node.camera == number && !by_number) by_number = n;
    names.append(names.empty() ? "the cameras are: " : ", ").append("\"").append(node.name.empty() ? name : node.name);
    names += '"';
  }
  if (by_number) return *by_number;
  return fail(ErrorCode::kNotFound, "has no camera \"" + std::string(asked) + "\"",
              names.empty() ? "the model has no cameras" : names);
}

constexpr std::string_view kFontSuffix = ".hfont";
constexpr std::string_view kAtlasSuffix = ".atlas.ktx2";

// Draws text with a font and the atlas beside it.
Result<scene::Image> draw_text(const RenderArguments& asked, engine::Disk& disk) {
  if (!asked.text) {
    return fail(ErrorCode::kUsage, "a font needs a text to draw", "add --text \"Hello\"");
  }
  const NamedFile input = name_file(asked.input, disk);
  ASSETC_TRY(std::string root, root_of(input, asked.root, disk));
  const importer::FileReader read = file_reader(disk, std::move(root));
  const std::string stem = input.path.substr(0, input.path.size() - kFontSuffix.size());
  ASSETC_TRY(const Bytes file, read(input.path));
  ASSETC_TRY(const hfont::View font, hfont::View::open(file));
  const auto texture = read(stem + std::string(kAtlasSuffix));
  if (!texture) {
    Error error = texture.error();
    error.hint = "the atlas of a font is beside it, under the same name with " + std::string(kAtlasSuffix);
    return std::unexpected(input.as_named(std::move(error)));
  }
  ASSETC_TRY(const scene::Image atlas, importer::decode_ktx2(*texture));
  return render::render_text(font, atlas, *asked.text, {.size_texels = asked.text_size_texels});
}

// Writes the picture, and prints its name.
int write_picture(const Arguments& arguments, const scene::Image& picture, Console& console, engine::Disk& disk) {
  const std::string& output = arguments.render.output;
  const auto png = exporter::write_png(picture);
  if (!png) return stop(arguments, console, png.error());
  if (auto written = disk.publish(output, *png); !written) return stop(arguments, console, written.error());
  if (arguments.json) {
    console.out(json_event("written").add("path", output).add("bytes", png->size()).str() + "\n");
  } else {
    console.wrote(output, ", " + size_text(png->size()));
  }
  return kExitOk;
}

}  // namespace

int run_render(const Arguments& arguments, Console& console, engine::Disk& disk) {
  const RenderArguments& asked = arguments.render;
  if (!ends_with_ignoring_case(asked.output, ".png")) {
    return stop(arguments, console,
                Error{ErrorCode::kUsage, asked.output, {}, "the picture is a PNG", "give it a name that ends in .png"});
  }
  if (ends_with_ignoring_case(asked.input, kFontSuffix)) {
    const auto picture = draw_text(asked, disk);
    if (!picture) return stop(arguments, console, Error(picture.error()).in(asked.input));
    return write_picture(arguments, *picture, console, disk);
  }
  if (asked.text) {
    return stop(
        arguments, console,
        Error{ErrorCode::kUsage, asked.input, {}, "--text does not apply to a model", "it applies to a .hfont"});
  }
  if (asked.max_error && !ends_with_ignoring_case(asked.input, ".hcluster")) {
    return stop(arguments, console,
                Error{ErrorCode::kUsage,
                      asked.input,
                      {},
                      "--error does not apply to this model",
                      "it applies to a .hcluster; --lod chooses a level of other models"});
  }
  const NamedFile input = name_file(asked.input, disk);
  auto root = root_of(input, asked.root, disk);
  if (!root) return stop(arguments, console, root.error());
  const importer::FileReader read = file_reader(disk, std::move(*root));
  importer::ClusterCut cut{.error = asked.error_in_texels ? 0 : asked.max_error.value_or(0)};
  auto model = convert::load_model(input.path, read, cut);
  if (model && asked.error_in_texels) {
    const auto lens = render::lens_of(model->scene, asked.options);
    if (!lens) return stop(arguments, console, Error(lens.error()).in(asked.input));
    constexpr float kNear = 1e-5f;  // of render's cameras
    cut = {.error_per_distance = *asked.max_error / lens->focal_texels, .eye = lens->eye, .near = kNear};
    model = convert::load_model(input.path, read, cut);
  }
  if (!model) return stop(arguments, console, input.as_named(model.error()));
  std::vector<scene::Image> images;
  if (asked.options.style == render::Style::kTextured) {
    scene::merge_images(model->scene, false);
    images = convert::decode_images(model->scene, model->warnings);
  }
  for (Warning& warning : model->warnings) say(arguments, console, {warning.kind, input.as_named(std::move(warning))});
  render::Options options = asked.options;
  if (!asked.clip.empty()) {
    const auto clip = find_clip(model->scene, asked.clip);
    if (!clip) return stop(arguments, console, Error(clip.error()).in(asked.input));
    options.posed = true;
    options.clip = *clip;
  }
  if (!asked.camera.empty()) {
    const auto camera = find_camera(model->scene, asked.camera);
    if (!camera) return stop(arguments, console, Error(camera.error()).in(asked.input));
    options.camera = *camera;
  }
  const auto picture = render::render(model->scene, images, options);
  if (!picture) return stop(arguments, console, Error(picture.error()).in(asked.input));
  return write_picture(arguments, *picture, console, disk);
}

}  // namespace assetc::cli
