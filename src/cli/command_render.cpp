#include "cli/commands.hpp"
#include "cli/file_root.hpp"
#include "cli/json_line.hpp"
#include "convert/model.hpp"
#include "export/png.hpp"

namespace assetc::cli {

int run_render(const Arguments& arguments, Console& console, engine::Disk& disk) {
  const RenderArguments& asked = arguments.render;
  const RootedFile input = rooted(asked.input);
  auto model = convert::load_model(input.path, reader_below(input.root, disk));
  if (!model) return stop(arguments, console, input.as_named(model.error()));
  std::vector<scene::Image> images;
  if (asked.options.style == render::Style::kTextured) images = convert::decode_images(model->scene, model->warnings);
  for (Error& warning : model->warnings)
    say(arguments, console, {recipes::Severity::kWarning, input.as_named(std::move(warning))});
  const auto picture = render::render(model->scene, images, asked.options);
  if (!picture) return stop(arguments, console, Error(picture.error()).in(asked.input));
  const auto png = exporter::write_png(*picture);
  if (!png) return stop(arguments, console, png.error());
  if (auto written = disk.publish(asked.output, *png); !written) return stop(arguments, console, written.error());
  if (arguments.json) {
    console.out(json_event("written").add("path", asked.output).add("bytes", png->size()).str() + "\n");
  } else {
    console.out("wrote " + asked.output + ", " + size_text(png->size()) + "\n");
  }
  return kExitOk;
}

}  // namespace assetc::cli
