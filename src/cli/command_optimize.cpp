#include <charconv>

#include "base/ascii.hpp"
#include "base/json_line.hpp"
#include "base/plural.hpp"
#include "cli/commands.hpp"
#include "cli/file_root.hpp"
#include "cli/store.hpp"
#include "convert/optimize.hpp"
#include "convert/step.hpp"
#include "engine/run/one_step.hpp"

namespace assetc::cli {
namespace {

Result<convert::OptimizeOptions> options_of(const OptimizeArguments& asked) {
  if (!ends_with_ignoring_case(asked.output, ".glb"))
    return fail(ErrorCode::kUsage, "optimize writes a .glb, but the output is " + asked.output,
                "name the output with .glb, or use assetc convert");
  convert::OptimizeOptions options{
      .settings = convert::optimize_settings(), .keep_pictures = asked.keep_pictures, .ratio = asked.ratio};
  for (const auto& [key, value] : asked.settings) {
    if (asked.keep_pictures && key.starts_with("texture."))
      return fail(ErrorCode::kUsage, "--" + key + " contradicts --keep-pictures", "keep one of the two");
    ASSETC_CHECK(recipes::find_setting(key)->set(options.settings, value));
  }
  if (options.settings.mesh.compress == recipes::MeshCompression::kMeshoptZstd)
    return fail(ErrorCode::kUsage, "--mesh.compress meshopt-zstd does not apply to " + asked.output,
                "it applies to .hmesh outputs; use meshopt or none");
  return options;
}

}  // namespace

int run_optimize(const Arguments& arguments, Console& console, engine::Disk& disk) {
  const OptimizeArguments& asked = arguments.optimize;
  auto options = options_of(asked);
  if (!options) return stop(arguments, console, options.error());
  if (auto other = check_other_file(asked.input, asked.output, disk); !other)
    return stop(arguments, console, other.error());
  const NamedFile input = name_file(asked.input, disk);
  engine::Stores stores = open_stores(arguments, console, disk, {});
  auto made = engine::run_one({convert::kOptimizeRecipe, input.path, options->settings, convert::params_of(*options)},
                              disk, stores.local());
  if (!made) return stop(arguments, console, input.as_named(made.error()));
  finish_stores(arguments, console, stores);
  for (recipes::Diagnostic& d : made->diagnostics) {
    d.what = input.as_named(std::move(d.what));
    say(arguments, console, d);
  }
  const Bytes& bytes = made->outputs.front().bytes;
  if (auto written = disk.publish(asked.output, bytes); !written) return stop(arguments, console, written.error());
  std::uint64_t source_bytes = 0;
  const std::string_view size = as_text(made->outputs.back().bytes);
  std::from_chars(size.data(), size.data() + size.size(), source_bytes);
  if (arguments.json) {
    console.out(json_event("written")
                    .add("path", asked.output)
                    .add("bytes", bytes.size())
                    .add("source_bytes", source_bytes)
                    .str() +
                "\n");
  } else {
    const std::uint64_t percent = source_bytes == 0 ? 100 : (bytes.size() * 100 + source_bytes / 2) / source_bytes;
    console.out("wrote " + asked.output + ", " + size_text(bytes.size()) + ", " + std::to_string(percent) +
                " % of the source\n");
  }
  return kExitOk;
}

}  // namespace assetc::cli
