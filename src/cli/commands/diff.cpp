// assetc diff: what a texture lost. Both files may be pictures or textures, so a texture is compared with its source.
#include <cmath>

#include "base/ascii.hpp"
#include "base/json_line.hpp"
#include "cli/commands/commands.hpp"
#include "cli/commands/file_root.hpp"
#include "convert/compare_files.hpp"
#include "export/png.hpp"
#include "import/image/image.hpp"
#include "recipes/texture/picture.hpp"
#include "recipes/texture/usage.hpp"
#include "text/format.hpp"

namespace assetc::cli {
namespace {

std::string decibels(double value) { return std::isinf(value) ? "equal" : formatted("{:.2f} dB", value); }

}  // namespace

int run_diff(const Arguments& arguments, Console& console, engine::Disk& disk) {
  const DiffArguments& asked = arguments.diff;
  if (!asked.heat_map.empty() && !ends_with_ignoring_case(asked.heat_map, ".png")) {
    return stop(
        arguments, console,
        Error{ErrorCode::kUsage, asked.heat_map, {}, "a heat map is a PNG", "give it a name that ends in .png"});
  }
  for (const std::string& picture : {asked.reference, asked.other}) {
    if (asked.heat_map.empty()) break;
    if (auto other = check_other_file(picture, asked.heat_map, disk); !other)
      return stop(arguments, console, other.error());
  }
  const importer::FileReader read = file_reader(disk);
  const auto reference = read(asked.reference);
  if (!reference) return stop(arguments, console, Error(reference.error()).in(asked.reference));
  const auto other = read(asked.other);
  if (!other) return stop(arguments, console, Error(other.error()).in(asked.other));
  // If a texture does not record its kind, the name of the picture gives it: wall.n.png is a normal map, in BC7 too.
  convert::CompareOptions options;
  options.reference_name = asked.reference;
  options.other_name = asked.other;
  options.kind = recipes::data_kind(asked.reference);
  if (!options.kind) options.kind = recipes::data_kind(asked.other);
  options.turns_y =
      recipes::slot_params(asked.reference, recipes::TextureUsage::kNormal).contains(recipes::kYDownParam);
  const auto differences = convert::compare_files(*reference, *other, importer::decode_image, options);
  if (!differences) return stop(arguments, console, Error(differences.error()).in(asked.other));

  using enum Table::Align;
  Table table({kLeft, kRight, kRight, kRight, kRight, kRight, kRight});
  table.add({"image", "size", "PSNR", "of alpha", "SSIM", "largest", "angle, mean and largest"});
  for (const convert::ImageDifference& d : *differences) {
    const texture::Difference& v = d.difference;
    const bool normal = d.kind == texture::TexelKind::kNormal;
    const bool alpha = !normal && d.kind != texture::TexelKind::kGray;
    if (arguments.json) {
      JsonObject event = json_event("difference");
      event.add("level", d.level).add("layer", d.layer).add("face", d.face).add("slice", d.slice);
      // JSON has no infinity, so the event for equal images has no psnr.
      if (!std::isinf(v.psnr_rgb)) event.add("psnr_db", v.psnr_rgb);
      if (alpha && !std::isinf(v.psnr_channel[3])) event.add("psnr_alpha_db", v.psnr_channel[3]);
      event.add("ssim", v.ssim).add("max_difference", v.max_difference);
      if (normal) event.add("mean_angle_degrees", v.mean_angle_degrees).add("max_angle_degrees", v.max_angle_degrees);
      console.out(event.str() + "\n");
      continue;
    }
    table.add(
        {formatted(
             "level {}{}", d.level,
             d.layer + d.face + d.slice == 0 ? "" : formatted(" layer {} face {} slice {}", d.layer, d.face, d.slice)),
         formatted("{}x{}", d.extent.width_texels, d.extent.height_texels), decibels(v.psnr_rgb),
         alpha ? decibels(v.psnr_channel[3]) : std::string("-"), formatted("{:.4f}", v.ssim),
         formatted("{:.3f}", v.max_difference),
         normal ? formatted("{:.2f} and {:.2f} degrees", v.mean_angle_degrees, v.max_angle_degrees)
                : std::string("-")});
  }
  if (!arguments.json) console.out(table.str());

  if (asked.heat_map.empty()) return kExitOk;
  const auto pair = convert::read_pair(*reference, *other, importer::decode_image,
                                       {asked.level, asked.layer, asked.face, asked.slice}, options);
  if (!pair) return stop(arguments, console, Error(pair.error()).in(asked.other));
  const auto heat = texture::heat_map(pair->reference, pair->other, pair->kind);
  if (!heat) return stop(arguments, console, heat.error());
  const auto png = exporter::write_png(*heat);
  if (!png) return stop(arguments, console, png.error());
  if (auto written = disk.publish(asked.heat_map, *png); !written) return stop(arguments, console, written.error());
  return kExitOk;
}

}  // namespace assetc::cli
