// ktx extract: images of a texture, as PNG or EXR, or as stored.
#include <algorithm>

#include "base/plural.hpp"
#include "export/png.hpp"
#include "import/texture/ktx2.hpp"
#include "ktx/commands.hpp"
#include "ktx/exr.hpp"
#include "ktx/format_names.hpp"
#include "ktx/selection.hpp"
#include "ktx/transcode.hpp"
#include "ktx/vk_format.hpp"
#include "ktx/write.hpp"

namespace assetc::ktx {
namespace {

struct Extract {
  std::string input, output, target, fragment;
  Selection level, layer, face, depth;
  bool everything = false, raw = false;
};

// Texels or blocks without supercompression.
struct Stored {
  BlockShape block;
  std::uint32_t width_texels = 1, height_texels = 1, depth_texels = 1, face_count = 1;
  std::vector<Bytes> levels;

  std::uint64_t blocks(std::uint32_t extent, std::uint32_t level, std::uint32_t block_texels) const {
    return (std::uint64_t{std::max(extent >> level, 1u)} + block_texels - 1) / block_texels;
  }
  // Slices of blocks.
  std::uint64_t slices(std::uint32_t level) const { return blocks(depth_texels, level, block.depth_texels); }
};

// The bytes of a texture that is not transcoded, in any format.
Result<Stored> as_stored(const ktx2::View& view) {
  BlockShape block = view.block();
  // Earlier revisions of KTX 2 leave the size out under supercompression; then the format says it.
  if (const auto format = vk_format_of(view.vk_format()); block.size_bytes == 0 && format) block = format->block;
  if (block.size_bytes == 0) {
    return fail(ErrorCode::kInvalidData,
                "found VkFormat " + std::to_string(view.vk_format()) + ", whose blocks have no known size");
  }
  Stored out{block, view.width_texels(), view.height_texels(), view.depth_texels(), view.face_count(), {}};
  for (std::size_t level = 0; level < view.levels().size(); ++level) {
    ASSETC_TRY(ByteVector bytes, inflated_level(view, level));
    const auto expected = ktx2::level_size(block, view.width_texels(), view.height_texels(), view.depth_texels(),
                                           view.images_per_level(), level);
    if (bytes.size() != expected) {
      return fail(ErrorCode::kInvalidData, "level " + std::to_string(level) + " holds " +
                                               counted(bytes.size(), "byte") + ", expected " +
                                               std::to_string(expected.value_or(0)));
    }
    out.levels.emplace_back(std::move(bytes));
  }
  return out;
}

// texture: without supercompression.
Stored as_transcoded(texture::EncodedTexture texture) {
  Stored out{block_shape(texture.format), texture.width_texels, texture.height_texels,
             texture.depth_texels,        texture.face_count,   {}};
  for (texture::EncodedTexture::Level& level : texture.levels) out.levels.emplace_back(std::move(level.bytes));
  return out;
}

// One image; of a 3D texture one slice, or all of them.
ByteVector raw_image(const Stored& texture, const importer::ImageIndex& index, bool whole) {
  const std::uint64_t one = texture.blocks(texture.width_texels, index.level, texture.block.width_texels) *
                            texture.blocks(texture.height_texels, index.level, texture.block.height_texels) *
                            texture.block.size_bytes;
  const std::uint64_t slices = texture.slices(index.level);
  const std::uint64_t at =
      ((std::uint64_t{index.layer} * texture.face_count + index.face) * slices + index.slice) * one;
  const ByteSpan level = texture.levels[index.level];
  const std::uint64_t size = whole ? one * slices : one;
  const ByteSpan image = level.subspan(at, size);
  return {image.begin(), image.end()};
}

struct Picture {
  ByteVector bytes;
  std::string_view suffix;
};

Result<Picture> picture_of(const ktx2::View& view, const importer::ImageIndex& index) {
  ASSETC_TRY(const scene::Image image, importer::decode_ktx2(view, index, importer::Channels::kStored));
  if (image.type != scene::PixelType::kF32) {
    ASSETC_TRY(ByteVector png, exporter::write_png(image));
    return Picture{std::move(png), ".png"};
  }
  const std::uint32_t plain = plain_channels(*view.format());
  return Picture{write_exr(image, {.channels = plain == 0 ? 3 : plain,
                                   .halves = plain == 0 || plain_channel_bytes(*view.format()) == 2,
                                   .is_bt709 = view.primaries() == 1}),
                 ".exr"};
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

Result<void> check_options(const Extract& asked) {
  const bool selects = asked.level.is_given || asked.layer.is_given || asked.face.is_given || asked.depth.is_given;
  if (asked.everything && (selects || !asked.fragment.empty()))
    return usage("--all cannot be used with --level, --layer, --face, --depth or --uri");
  if (!asked.fragment.empty() && (asked.level.is_given || asked.layer.is_given || asked.face.is_given))
    return usage("--uri cannot be used with --level, --layer or --face");
  return {};
}

// Reads the file again if it is transcoded to texels, which are then shown as a picture.
struct Source {
  Bytes file;
  std::optional<Stored> stored;  // for --raw
};

Result<Source> source_of(const Extract& asked, const Bytes& file, const ktx2::View& view) {
  Source out{file, {}};
  if (!asked.target.empty()) {
    ASSETC_TRY(const Target target, transcode_target(asked.target, view));
    if (!asked.raw && is_block_compressed(target.format))
      return usage("blocks of " + asked.target + " are only extracted with --raw");
    ASSETC_TRY(texture::EncodedTexture texture, transcode(view, target, 0));
    if (asked.raw) {
      out.stored = as_transcoded(std::move(texture));
    } else {
      ASSETC_TRY(ByteVector plain, write_file(texture, {.transfer = view.transfer()}));
      out.file = Bytes(std::move(plain));
    }
  } else if (asked.raw) {
    // Blocks of UASTC and ETC1S are of no use alone; they become texels, as a PNG would have them.
    if (const auto target = transcode_target("", view); target) {
      ASSETC_TRY(texture::EncodedTexture texture, transcode(view, *target, 0));
      out.stored = as_transcoded(std::move(texture));
    } else {
      ASSETC_TRY(out.stored, as_stored(view));
    }
  }
  return out;
}

Result<void> extract(const Extract& asked, const Bytes& file, const Context& context) {
  ASSETC_CHECK(check_options(asked));
  ASSETC_TRY(const ktx2::View view, ktx2::View::open(file));
  ASSETC_TRY(const Fragment fragment, parse_fragment(asked.fragment));
  const bool several = asked.everything || asked.level.all || asked.layer.all || asked.face.all || asked.depth.all ||
                       fragment.has_several();
  if (several && asked.output == "-") return usage("several images cannot be written to standard output");
  ASSETC_TRY(const Source source, source_of(asked, file, view));
  ASSETC_TRY(const ktx2::View shown, ktx2::View::open(source.file));
  const auto numbers = [&](std::string_view what, const Selection& selection, const std::vector<Range>& ranges,
                           std::uint32_t count, bool has) {
    return selected(what, asked.everything ? Selection{.all = true} : selection, ranges, count, has);
  };
  ASSETC_TRY(const auto levels,
             numbers("level", asked.level, fragment.levels, static_cast<std::uint32_t>(view.levels().size()), true));
  ASSETC_TRY(const auto layers,
             numbers("layer", asked.layer, fragment.layers, std::max(view.layer_count(), 1u), view.layer_count() != 0));
  ASSETC_TRY(const auto faces, numbers("face", asked.face, fragment.faces, view.face_count(), view.is_cubemap()));
  // As KTX-Software does it: without --depth, stored texels of a 3D texture are those of all slices.
  const bool whole = asked.raw && !asked.everything && !asked.depth.is_given;
  importer::ImageIndex index;
  for (const std::uint32_t level : levels) {
    index.level = level;
    const std::uint32_t block_depth = view.block().depth_texels;
    const std::uint32_t slices = (view.levels()[level].depth_texels + block_depth - 1) / block_depth;
    ASSETC_TRY(const auto depths, numbers("depth", asked.depth, {}, slices, view.depth_texels() != 0));
    for (const std::uint32_t layer : layers) {
      index.layer = layer;
      for (const std::uint32_t face : faces) {
        index.face = face;
        for (const std::uint32_t depth : depths) {
          index.slice = depth;
          Picture picture{{}, ".raw"};
          if (asked.raw) {
            picture.bytes = raw_image(*source.stored, index, whole);
          } else {
            ASSETC_TRY(picture, picture_of(shown, index));
          }
          std::string path = asked.output;
          if (several) {
            if (!path.ends_with('/')) path += '/';
            path += file_name(view, index, whole, picture.suffix);
          }
          auto written = context.io.write(path, picture.bytes);
          if (!written) return std::unexpected(std::move(written).error().in(path));
        }
      }
    }
  }
  return {};
}

}  // namespace

Run add_extract(const command_line::Command& app) {
  const auto state = std::make_shared<Extract>();
  app.add("input", state->input, "A .ktx2, or -").required();
  app.add("output", state->output, "The file to write, or - ; the folder for several images").required();
  app.add("--transcode", state->target, "First transcode to one of " + target_names());
  app.add("--uri", state->fragment, "Images as a KTX fragment names them, such as m=0,0&a=1,2");
  add_selection(app, "--level", state->level, "The mip level (default 0)");
  add_selection(app, "--layer", state->layer, "The layer (default 0)");
  add_selection(app, "--face", state->face, "The face (default 0)");
  add_selection(app, "--depth", state->depth, "The slice (default 0; with --raw all slices, one after the other)");
  app.add_switch("--all", state->everything, "Every image");
  app.add_switch("--raw", state->raw, "Texels or blocks as stored, instead of PNG or EXR");
  return [state](const Context& context) -> Result<Exit> {
    auto file = context.io.read(state->input);
    if (!file) return std::unexpected(std::move(file).error().in(state->input));
    if (auto done = extract(*state, *file, context); !done)
      return std::unexpected(std::move(done).error().in(state->input));
    return Exit::kSuccess;
  };
}

}  // namespace assetc::ktx
