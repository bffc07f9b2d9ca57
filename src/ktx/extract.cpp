// ktx extract: images of a texture, as PNG or as stored.
#include <algorithm>
#include <charconv>

#include "assetc/runtime/inflate.hpp"
#include "export/png.hpp"
#include "import/texture/ktx2.hpp"
#include "ktx/commands.hpp"
#include "ktx/transcode.hpp"
#include "ktx/write.hpp"

namespace assetc::ktx {
namespace {

struct Extract {
  std::string input, output, target;
  Selection level, layer, face, depth;
  bool everything = false, raw = false;
};

struct Range {
  std::uint32_t begin = 0, end = 1;
};
Result<Range> range_of(std::string_view what, const Selection& selection, bool everything, std::uint32_t count) {
  if (everything || selection.all) return Range{0, count};
  ASSETC_CHECK(importer::check_number(what, selection.number, count, "the texture has"));
  return Range{selection.number, selection.number + 1};
}

// One image as it is stored, after transcoding; of a 3D texture one slice, or all of them.
Result<ByteVector> raw_image(const texture::EncodedTexture& texture, const importer::ImageIndex& index, bool whole) {
  ASSETC_TRY(const Bytes level, texture.inflated_level(index.level));
  const std::uint64_t one = texture::image_bytes(
      {std::max(texture.width_texels >> index.level, 1u), std::max(texture.height_texels >> index.level, 1u)},
      texture.format);
  const std::uint64_t slices = std::max(texture.depth_texels >> index.level, 1u);
  const std::uint64_t at =
      ((std::uint64_t{index.layer} * texture.face_count + index.face) * slices + index.slice) * one;
  const ByteSpan image = ByteSpan(level).subspan(at, whole ? one * slices : one);
  return ByteVector(image.begin(), image.end());
}

// The stored bytes of a texture that is not transcoded.
Result<texture::EncodedTexture> as_stored(const ktx2::View& view) {
  if (!view.format() || view.block().size_bytes == 0)
    return unsupported("VkFormat " + std::to_string(view.vk_format()) + " cannot be extracted");
  texture::EncodedTexture out;
  out.format = *view.format();
  out.width_texels = view.width_texels();
  out.height_texels = std::max(view.height_texels(), 1u);
  out.depth_texels = view.depth_texels();
  out.layer_count = view.layer_count();
  out.face_count = view.face_count();
  for (std::size_t level = 0; level < view.levels().size(); ++level) {
    ASSETC_TRY(const std::uint64_t size, runtime::inflated_size_bytes(view, level));
    ByteVector bytes(size);
    ASSETC_CHECK(runtime::inflate_level(view, level, bytes));
    ASSETC_CHECK(out.add_level(std::move(bytes)));
  }
  return out;
}

Result<ByteVector> png_of(const Bytes& file, const importer::ImageIndex& index) {
  ASSETC_TRY(const scene::Image image, importer::decode_ktx2(file, index, importer::Channels::kStored));
  if (image.type == scene::PixelType::kF32)
    return unsupported("a texture of floats cannot become a PNG, and EXR is not written", "use --raw");
  return exporter::write_png(image);
}

// "output_level1_face2.png", with the parts that the texture has several of.
std::string file_name(const ktx2::View& view, const importer::ImageIndex& index, bool whole, std::string_view suffix) {
  std::string name = "output";
  if (view.levels().size() > 1) name += "_level" + std::to_string(index.level);
  if (view.is_cubemap()) name += "_face" + std::to_string(index.face);
  if (view.layer_count() != 0) name += "_layer" + std::to_string(index.layer);
  if (view.depth_texels() > 1 && !whole) name += "_depth" + std::to_string(index.slice);
  return name + std::string(suffix);
}

Result<void> extract(const Extract& asked, const Bytes& file, const Context& context) {
  ASSETC_TRY(const ktx2::View view, ktx2::View::open(file));
  Bytes shown = file;
  std::optional<texture::EncodedTexture> stored;
  if (!asked.target.empty()) {
    ASSETC_TRY(const Target target, transcode_target(asked.target, view));
    ASSETC_TRY(stored, transcode(view, target, 0));
    if (!asked.raw) {
      if (is_block_compressed(target.format))
        return unsupported("blocks of " + asked.target + " are only extracted with --raw", "add --raw");
      ASSETC_TRY(ByteVector plain, write_file(*stored, {.transfer = view.transfer()}));
      shown = Bytes(std::move(plain));
    }
  } else if (asked.raw) {
    // Blocks of UASTC and ETC1S are of no use alone; they become texels, as a PNG would have them.
    if (auto target = transcode_target("", view); target) {
      ASSETC_TRY(stored, transcode(view, *target, 0));
    } else {
      ASSETC_TRY(stored, as_stored(view));
    }
  }
  const bool several = asked.everything || asked.level.all || asked.layer.all || asked.face.all || asked.depth.all;
  ASSETC_TRY(const Range levels,
             range_of("level", asked.level, asked.everything, static_cast<std::uint32_t>(view.levels().size())));
  ASSETC_TRY(const Range layers, range_of("layer", asked.layer, asked.everything, std::max(view.layer_count(), 1u)));
  ASSETC_TRY(const Range faces, range_of("face", asked.face, asked.everything, view.face_count()));
  // As KTX-Software does it: without --depth, stored texels of a 3D texture are those of all slices.
  const bool whole = asked.raw && !asked.everything && !asked.depth.is_given;
  importer::ImageIndex index;
  for (index.level = levels.begin; index.level < levels.end; ++index.level) {
    ASSETC_TRY(const Range slices,
               range_of("depth", asked.depth, asked.everything, std::max(view.levels()[index.level].depth_texels, 1u)));
    for (index.layer = layers.begin; index.layer < layers.end; ++index.layer) {
      for (index.face = faces.begin; index.face < faces.end; ++index.face) {
        for (index.slice = slices.begin; index.slice < slices.end; ++index.slice) {
          ASSETC_TRY(const ByteVector bytes, asked.raw ? raw_image(*stored, index, whole) : png_of(shown, index));
          const std::string path =
              several ? asked.output + "/" + file_name(view, index, whole, asked.raw ? ".raw" : ".png") : asked.output;
          auto written = context.io.write(path, bytes);
          if (!written) return std::unexpected(std::move(written).error().in(path));
        }
      }
    }
  }
  return {};
}

void add_selection(const command_line::Command& app, const std::string& option, Selection& to,
                   const std::string& what) {
  app.add_taken(
         option,
         [&to](const std::string& text) {
           to.is_given = true;
           to.all = text == "all";
           if (to.all) return std::string();
           const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), to.number);
           if (fault != std::errc() || end != text.data() + text.size())
             return "found \"" + text + "\", expected a number or all";
           return std::string();
         },
         what)
      .type_name("N|all");
}

}  // namespace

Run add_extract(const command_line::Command& app) {
  const auto state = std::make_shared<Extract>();
  app.add("input", state->input, "A .ktx2, or -").required();
  app.add("output", state->output, "The file to write, or - ; the folder for several images").required();
  app.add("--transcode", state->target, "First transcode to one of " + target_names());
  add_selection(app, "--level", state->level, "The mip level (default 0)");
  add_selection(app, "--layer", state->layer, "The layer (default 0)");
  add_selection(app, "--face", state->face, "The face (default 0)");
  add_selection(app, "--depth", state->depth, "The slice (default 0; with --raw all slices, one after the other)");
  app.add_switch("--all", state->everything, "Every image");
  app.add_switch("--raw", state->raw, "Texels or blocks as stored, instead of PNG");
  return [state](const Context& context) -> Result<Exit> {
    auto file = context.io.read(state->input);
    if (!file) return std::unexpected(std::move(file).error().in(state->input));
    if (auto done = extract(*state, *file, context); !done)
      return std::unexpected(std::move(done).error().in(state->input));
    return Exit::kSuccess;
  };
}

}  // namespace assetc::ktx
