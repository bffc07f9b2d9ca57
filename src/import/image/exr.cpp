// Reads OpenEXR pictures with OpenEXR's C library (OpenEXRCore), which reads only from our span. Supports scan lines
// and tiles of half, float and 32-bit integer channels. Specification: openexr.com, "OpenEXR File Layout".
#include <openexr.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/ascii.hpp"
#include "base/plural.hpp"
#include "import/image/formats.hpp"
#include "import/libraries.hpp"

namespace assetc::importer {
namespace {

// A chunk is a unit of compression: some scan lines, or a tile.
constexpr std::uint64_t kMaxChunkBytes = 1u << 30;
// One byte of Deflate expands to at most 1032 bytes, and a texel has at least two bytes. PIZ and RLE expand less.
constexpr std::uint64_t kMaxExrTexelsPerByte = 1024;
// Infinite values become the largest half, because outputs store halves.
constexpr float kLargestHalf = 65504.0f;

constexpr std::string_view kExportAgain = "export the picture again";

// The input of the library and its first error message. Must outlive the context.
struct Stream {
  ByteSpan bytes;
  std::string message;
};

std::int64_t read_stream(exr_const_context_t, void* user, void* buffer, std::uint64_t size, std::uint64_t offset,
                         exr_stream_error_func_ptr_t) {
  auto& stream = *static_cast<Stream*>(user);
  const std::uint64_t there = offset < stream.bytes.size() ? stream.bytes.size() - offset : 0;
  const std::uint64_t count = std::min(size, there);
  if (count > 0) std::memcpy(buffer, stream.bytes.data() + offset, count);
  return static_cast<std::int64_t>(count);
}
std::int64_t stream_size(exr_const_context_t, void* user) {
  return static_cast<std::int64_t>(static_cast<Stream*>(user)->bytes.size());
}
void keep_message(exr_const_context_t context, exr_result_t, const char* message) {
  void* user = nullptr;
  if (context == nullptr || exr_get_user_data(context, &user) != EXR_ERR_SUCCESS || user == nullptr) return;
  auto& stream = *static_cast<Stream*>(user);
  if (stream.message.empty() && message != nullptr) stream.message = message;  // the first is closest to the cause
}
// Zeroed, so that parts that a damaged chunk leaves unwritten do not depend on earlier memory contents.
void* zeroed_memory(std::size_t size) { return std::calloc(1, size); }

struct CloseContext {
  void operator()(exr_context_t context) const { exr_finish(&context); }
};
using Context = std::unique_ptr<std::remove_pointer_t<exr_context_t>, CloseContext>;

// Converts the library's message to an error at a place in the file.
std::unexpected<Error> refuse(const Stream& stream, exr_result_t code, std::string place, bool cut_short = false) {
  if (cut_short || stream.message.starts_with("End of file") || stream.message.contains("past end of file")) {
    return fail_at(ErrorCode::kTruncated, byte_place(stream.bytes.size()),
                   "the file ends before the last texel of the EXR picture", std::string(kExportAgain));
  }
  std::string what = stream.message.empty() ? exr_get_default_error_message(code) : stream.message;
  return fail_at(code == EXR_ERR_FEATURE_NOT_IMPLEMENTED ? ErrorCode::kUnsupported : ErrorCode::kInvalidData,
                 std::move(place), "damaged EXR: " + std::move(what), std::string(kExportAgain));
}

struct Window {
  std::int64_t x = 0, y = 0, width = 0, height = 0;
};
Window window_of(const exr_attr_box2i_t& box) {
  return {box.min.x, box.min.y, std::int64_t{box.max.x} - box.min.x + 1, std::int64_t{box.max.y} - box.min.y + 1};
}
Result<void> check_window(const Window& window, std::string_view name) {
  const auto side = [](std::int64_t v) { return static_cast<std::uint64_t>(std::max<std::int64_t>(v, 0)); };
  return check_image_size(side(window.width), side(window.height), name);
}

struct Picture {
  Context context;
  int part = 0;
  std::string layer;  // of the part; empty: the unnamed one, or the only one
  Window data, display;
  bool tiled = false;
  std::int32_t tile_width = 0, tile_height = 0;
  std::int32_t lines_per_chunk = 1;
  exr_compression_t compression = EXR_COMPRESSION_NONE;
  // For each channel of the file, a mask of the texel channels that it fills. 0: it is left out.
  std::vector<unsigned> fills;
  std::vector<exr_pixel_type_t> channel_types;
  std::vector<std::uint8_t> channel_bytes;
  std::uint8_t source_channels = 3;
  std::string left_out;
  std::optional<Primaries> primaries;
  std::uint64_t chunk_bytes = 0;  // of the largest chunk
};

// The name of a channel: its layer and the component in lower case, "beauty.left" and "r". Some writers put a dot
// before the components of the unnamed layer, or write them in lower case.
struct ChannelName {
  std::string_view layer;
  std::string component;
};
ChannelName split_name(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos) return {{}, ascii_lower(name)};
  return {name.substr(0, dot), ascii_lower(name.substr(dot + 1))};
}
bool is_rgb(std::string_view component) { return component == "r" || component == "g" || component == "b"; }

// Adds a name to a list for a message, which stays short.
void list(std::string& names, std::string_view name) {
  constexpr std::size_t kMaxListBytes = 256, kMaxNameBytes = 64;
  if (names.size() < kMaxListBytes) names.append(names.empty() ? "" : ", ").append(name.substr(0, kMaxNameBytes));
}

// Chooses the layer: the one that was asked for, the unnamed one, or the only one with colors.
Result<std::string_view> choose_layer(std::span<const std::string_view> names, std::string_view asked) {
  const bool takes_any = asked == kAnyLayer;
  if (takes_any) asked = {};
  constexpr std::size_t kMaxLayers = 8;  // more are neither told apart nor listed
  std::vector<std::string_view> layers;
  std::string all, listed;
  bool has_unnamed = false;
  for (const std::string_view name : names) {
    const ChannelName channel = split_name(name);
    list(all, name);
    if (!asked.empty() ? channel.layer == asked : is_rgb(channel.component) || channel.component == "y") {
      has_unnamed |= channel.layer.empty();
      if (layers.size() == kMaxLayers || std::ranges::find(layers, channel.layer) != layers.end()) continue;
      layers.push_back(channel.layer);
      list(listed, channel.layer);
    }
  }
  if (!asked.empty() && layers.empty()) {
    return fail_at(ErrorCode::kNotFound, "channels",
                   "found no EXR layer \"" + std::string(asked) + "\", the channels are " + all,
                   "set texture.layer to the name of a layer or a part");
  }
  if (has_unnamed || names.size() == 1) return std::string_view();
  if (layers.size() == 1 || (takes_any && !layers.empty())) return layers[0];
  if (takes_any && !names.empty()) return split_name(names[0]).layer;
  if (layers.empty()) {
    return fail_at(ErrorCode::kUnsupported, "channels",
                   "found the EXR channels " + (all.empty() ? "none" : all) + ", expected R, G and B, or Y",
                   "export the layer to use with these channel names, or choose a layer with texture.layer");
  }
  return fail_at(ErrorCode::kUnsupported, "channels", "found the EXR layers " + listed + ", expected one",
                 "choose one with texture.layer");
}

// Uses R, G, B and A, or Y and A, or a single channel of any name, of one layer.
Result<void> choose_channels(const exr_attr_chlist_t& channels, Picture& out) {
  constexpr unsigned kRgb = 7, kAlpha = 8;
  const auto count = static_cast<std::size_t>(std::max(channels.num_channels, 0));
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < count; ++i) {
    const exr_attr_string_t& name = channels.entries[i].name;
    names.emplace_back(name.str, static_cast<std::size_t>(std::max(name.length, 0)));
  }
  ASSETC_TRY(const std::string_view layer, choose_layer(names, out.layer));
  std::size_t in_layer = 0;
  bool has_rgb = false;
  for (const std::string_view name : names) {
    const ChannelName channel = split_name(name);
    if (channel.layer != layer) continue;
    ++in_layer;
    has_rgb |= is_rgb(channel.component);
  }
  const bool single = count == 1 || (in_layer == 1 && !out.layer.empty());
  bool color = false;
  unsigned filled = 0;
  out.fills.assign(count, 0);
  for (std::size_t i = 0; i < count; ++i) {
    const exr_attr_chlist_entry_t& entry = channels.entries[i];
    if (entry.x_sampling != 1 || entry.y_sampling != 1) {
      return fail_at(ErrorCode::kUnsupported, "channel " + std::string(names[i]),
                     "found a subsampled EXR channel, expected a value for each texel",
                     "save it as RGB instead of luminance and chroma");
    }
    out.channel_types.push_back(entry.pixel_type);
    out.channel_bytes.push_back(entry.pixel_type == EXR_PIXEL_HALF ? 2 : 4);
    const ChannelName channel = split_name(names[i]);
    const std::string& component = channel.component;
    unsigned fills = 0;
    if (channel.layer != layer && count != 1) {
    } else if (single || (!has_rgb && component == "y")) {
      fills = kRgb;
    } else if (is_rgb(component)) {
      fills = component == "r" ? 1u : component == "g" ? 2u : 4u;
    } else if (component == "a") {
      fills = kAlpha;
    }
    if ((fills & filled) != 0) fills = 0;  // "R" and "r": capitals are first
    color |= fills != 0 && fills != kRgb && fills != kAlpha;
    filled |= fills;
    out.fills[i] = fills;
    if (fills == 0) list(out.left_out, names[i]);
  }
  if ((filled & kRgb) == 0) {
    std::string all;
    for (const std::string_view name : names) list(all, name);
    return fail_at(ErrorCode::kUnsupported, "channels",
                   "found the EXR channels " + all + ", expected R, G and B, or Y" +
                       (out.layer.empty() ? "" : " in the layer \"" + out.layer + "\""),
                   "export the layer to use with these channel names");
  }
  if (!out.left_out.empty()) out.left_out = "channels " + out.left_out;
  out.source_channels = static_cast<std::uint8_t>((color ? 3 : 1) + ((filled & kAlpha) != 0 ? 1 : 0));
  return {};
}

// If a part has the name that was asked for, chooses it and its unnamed layer.
void choose_part(int part_count, Picture& out) {
  for (int part = 0; part < part_count && part_count > 1 && !out.layer.empty(); ++part) {
    const char* name = nullptr;
    if (exr_get_name(out.context.get(), part, &name) != EXR_ERR_SUCCESS || name == nullptr || out.layer != name)
      continue;
    out.part = part;
    out.layer.clear();
  }
}

Result<void> check_compression(exr_compression_t compression) {
  if (compression == EXR_COMPRESSION_DWAA || compression == EXR_COMPRESSION_DWAB) {
    return fail_at(ErrorCode::kUnsupported, "compression",
                   "found DWA compression, which does not decode to the same values on every machine",
                   "save it with ZIP or PIZ compression");
  }
  if (compression < EXR_COMPRESSION_NONE || compression > EXR_COMPRESSION_DWAB) {
    return fail_at(
        ErrorCode::kUnsupported, "compression",
        "found EXR compression " + std::to_string(static_cast<int>(compression)) + ", which assetc does not support",
        "save it with ZIP or PIZ compression");
  }
  return {};
}

// Checks the size and number of chunks before the library allocates memory for them.
Result<void> measure_chunks(const Stream& stream, Picture& out) {
  exr_const_context_t context = out.context.get();
  std::uint64_t texels = 0;
  if (out.tiled) {
    if (const auto rv = exr_get_tile_sizes(context, out.part, 0, 0, &out.tile_width, &out.tile_height);
        rv != EXR_ERR_SUCCESS)
      return refuse(stream, rv, "tiles");
    if (out.tile_width <= 0 || out.tile_height <= 0)
      return fail_at(ErrorCode::kInvalidData, "tiles", "found EXR tiles without texels", std::string(kExportAgain));
    texels = std::uint64_t(out.tile_width) * std::uint64_t(out.tile_height);
  } else {
    if (const auto rv = exr_get_scanlines_per_chunk(context, out.part, &out.lines_per_chunk); rv != EXR_ERR_SUCCESS)
      return refuse(stream, rv, "header");
    if (out.lines_per_chunk <= 0)
      return fail_at(ErrorCode::kInvalidData, "header", "found EXR chunks without lines", std::string(kExportAgain));
    texels = std::uint64_t(out.data.width) *
             static_cast<std::uint64_t>(std::min<std::int64_t>(out.lines_per_chunk, out.data.height));
  }
  std::uint64_t texel_bytes = 0;
  for (const std::uint8_t bytes : out.channel_bytes) texel_bytes += bytes;
  if (texels > kMaxChunkBytes / texel_bytes) {
    return fail_at(ErrorCode::kLimit, out.tiled ? "tiles" : "header",
                   "found EXR chunks of " + std::to_string(texels) + " texels of " + counted(texel_bytes, "byte") +
                       ", the limit is " + std::to_string(kMaxChunkBytes) + " bytes a chunk",
                   "save it as scan lines or in smaller tiles");
  }
  out.chunk_bytes = texels * texel_bytes;
  std::int32_t chunk_count = 0;
  if (const auto rv = exr_get_chunk_count(context, out.part, &chunk_count); rv != EXR_ERR_SUCCESS)
    return refuse(stream, rv, "header");
  if (chunk_count <= 0 || std::uint64_t(chunk_count) > stream.bytes.size() / 8) {
    return fail_at(ErrorCode::kTruncated, byte_place(stream.bytes.size()),
                   "the file ends here, too short for the offsets of its " + counted(chunk_count, "chunk"),
                   std::string(kExportAgain));
  }
  return {};
}

Result<Picture> open_exr(Stream& stream, std::string_view layer) {
  exr_context_initializer_t setup = EXR_DEFAULT_CONTEXT_INITIALIZER;
  setup.error_handler_fn = keep_message;
  setup.alloc_fn = zeroed_memory;
  setup.free_fn = std::free;
  setup.user_data = &stream;
  setup.read_fn = read_stream;
  setup.size_fn = stream_size;
  // Strict: refuse a file whose writer crashed, instead of reconstructing it.
  setup.flags = EXR_CONTEXT_FLAG_STRICT_HEADER | EXR_CONTEXT_FLAG_DISABLE_CHUNK_RECONSTRUCTION;
  exr_context_t context = nullptr;
  const exr_result_t opened = exr_start_read(&context, "picture", &setup);
  Picture out;
  out.layer = layer;
  out.context.reset(context);
  if (opened != EXR_ERR_SUCCESS) return refuse(stream, opened, "header");

  int part_count = 0;
  exr_storage_t storage = EXR_STORAGE_SCANLINE;
  exr_attr_box2i_t data{}, display{};
  const exr_attr_chlist_t* channels = nullptr;
  if (const exr_result_t rv = exr_get_count(context, &part_count); rv != EXR_ERR_SUCCESS)
    return refuse(stream, rv, "header");
  choose_part(part_count, out);
  stream.message.clear();  // a part may have no name
  for (const exr_result_t rv :
       {exr_get_storage(context, out.part, &storage), exr_get_data_window(context, out.part, &data),
        exr_get_display_window(context, out.part, &display), exr_get_compression(context, out.part, &out.compression),
        exr_get_channels(context, out.part, &channels)}) {
    if (rv != EXR_ERR_SUCCESS) return refuse(stream, rv, "header");
  }
  if (storage != EXR_STORAGE_SCANLINE && storage != EXR_STORAGE_TILED) {
    return fail_at(ErrorCode::kUnsupported, "part " + std::to_string(out.part),
                   "found deep EXR data, expected scan lines or tiles of texels", "flatten it to one sample a texel");
  }
  out.tiled = storage == EXR_STORAGE_TILED;
  out.data = window_of(data);
  out.display = window_of(display);
  ASSETC_CHECK(check_window(out.data, "dataWindow"));
  ASSETC_CHECK(check_window(out.display, "displayWindow"));
  ASSETC_CHECK(check_compression(out.compression));
  ASSETC_CHECK(choose_channels(*channels, out));
  if (part_count > 1) {
    out.left_out += out.left_out.empty() ? "" : "; ";
    out.left_out += out.part != 0     ? "the other parts"
                    : part_count == 2 ? "part 1"
                                      : "parts 1 to " + std::to_string(part_count - 1);
  }
  exr_attr_chromaticities_t c{};
  if (exr_attr_get_chromaticities(context, out.part, "chromaticities", &c) == EXR_ERR_SUCCESS) {
    out.primaries = Primaries{{c.red_x, c.red_y}, {c.green_x, c.green_y}, {c.blue_x, c.blue_y}, {c.white_x, c.white_y}};
  }
  stream.message.clear();  // a picture may have no chromaticities
  ASSETC_CHECK(measure_chunks(stream, out));
  return out;
}

// Whether the chunk, according to its header, ends past the end of the file.
bool ends_behind(const Stream& stream, const exr_chunk_info_t& chunk) {
  const std::uint64_t size = stream.bytes.size();
  return chunk.data_offset > size || chunk.packed_size > size - chunk.data_offset;
}

ImageInfo info_of(const Picture& picture) {
  ImageInfo info{ImageFormat::kExr, static_cast<std::uint32_t>(picture.display.width),
                 static_cast<std::uint32_t>(picture.display.height), scene::PixelType::kF32, picture.source_channels};
  info.left_out = picture.left_out;
  if (picture.primaries) declare_primaries(info, "EXR chromaticities", *picture.primaries);
  // Packed bytes, inflated bytes, and an intermediate buffer.
  info.scratch_bytes = 3 * picture.chunk_bytes;
  return info;
}

// Inflates one chunk after the other and copies the part that the display window shows. The library only inflates. Its
// own unpacking swaps RGBA and writes to the null pointers of omitted channels (3.1.5).
class ChunkReader {
 public:
  ChunkReader(const Stream& stream, const Picture& picture, scene::Image& image)
      : stream_(stream), picture_(picture), image_(image) {}
  ~ChunkReader() {
    if (started_) exr_decoding_destroy(picture_.context.get(), &pipeline_);
  }
  ChunkReader(const ChunkReader&) = delete;
  ChunkReader& operator=(const ChunkReader&) = delete;

  Result<void> read(const exr_chunk_info_t& chunk, const std::string& place) {
    std::uint64_t line_bytes = 0;
    for (const std::uint8_t bytes : picture_.channel_bytes)
      line_bytes += std::uint64_t{bytes} * to_unsigned(chunk.width);
    if (chunk.width <= 0 || chunk.height <= 0 || chunk.unpacked_size > picture_.chunk_bytes ||
        chunk.unpacked_size != line_bytes * to_unsigned(chunk.height) || chunk.packed_size > stream_.bytes.size() ||
        (picture_.compression == EXR_COMPRESSION_NONE && chunk.packed_size != chunk.unpacked_size)) {
      return fail_at(ErrorCode::kInvalidData, place, "found an EXR chunk of a size that its header does not allow",
                     std::string(kExportAgain));
    }
    exr_const_context_t context = picture_.context.get();
    exr_result_t rv = started_ ? exr_decoding_update(context, picture_.part, &chunk, &pipeline_)
                               : exr_decoding_initialize(context, picture_.part, &chunk, &pipeline_);
    started_ = true;
    if (rv == EXR_ERR_SUCCESS) rv = exr_decoding_choose_default_routines(context, picture_.part, &pipeline_);
    pipeline_.unpack_and_convert_fn = nullptr;
    if (rv == EXR_ERR_SUCCESS) rv = exr_decoding_run(context, picture_.part, &pipeline_);
    if (rv != EXR_ERR_SUCCESS) return refuse(stream_, rv, place);
    show(chunk, static_cast<const std::byte*>(pipeline_.unpacked_buffer), line_bytes);
    return {};
  }

 private:
  static std::uint64_t to_unsigned(std::int32_t value) { return static_cast<std::uint64_t>(std::max(value, 0)); }

  // A chunk holds line after line. A line holds channel after channel.
  void show(const exr_chunk_info_t& chunk, const std::byte* texels, std::uint64_t line_bytes) {
    // The start of a tile counts in tiles. The start of a scan line is its y.
    const std::int64_t left =
        picture_.data.x + (picture_.tiled ? std::int64_t{chunk.start_x} * picture_.tile_width : 0) - picture_.display.x;
    const std::int64_t top =
        (picture_.tiled ? picture_.data.y + std::int64_t{chunk.start_y} * picture_.tile_height : chunk.start_y) -
        picture_.display.y;
    const std::int64_t begin = std::max<std::int64_t>(0, -left);
    const std::int64_t end = std::min<std::int64_t>(chunk.width, image_.width_texels - left);
    for (std::int64_t y = std::max<std::int64_t>(0, -top);
         y < std::min<std::int64_t>(chunk.height, image_.height_texels - top); ++y) {
      const std::byte* from = texels + to_unsigned(static_cast<std::int32_t>(y)) * line_bytes;
      auto* row =
          reinterpret_cast<float*>(image_.pixels.data() + image_.row_bytes() * static_cast<std::size_t>(top + y));
      for (std::size_t c = 0; c < picture_.fills.size(); ++c) {
        const unsigned fills = picture_.fills[c];
        const std::size_t bytes = picture_.channel_bytes[c];
        for (std::int64_t x = begin; fills != 0 && x < end; ++x) {
          const float value = load_value(from + static_cast<std::size_t>(x) * bytes, picture_.channel_types[c]);
          float* texel = row + (left + x) * 4;
          for (unsigned k = 0; k < 4; ++k) {
            if (fills >> k & 1) texel[k] = value;
          }
        }
        from += bytes * to_unsigned(chunk.width);
      }
    }
  }

  static float load_value(const std::byte* from, exr_pixel_type_t type) {
    float value = 0.0f;
    if (type == EXR_PIXEL_HALF) {
      std::uint16_t bits;
      std::memcpy(&bits, from, sizeof bits);
      value = float_from_half(bits);
    } else if (type == EXR_PIXEL_FLOAT) {
      std::memcpy(&value, from, sizeof value);
    } else {
      std::uint32_t whole;
      std::memcpy(&whole, from, sizeof whole);
      value = static_cast<float>(whole);
    }
    if (std::isnan(value)) return 0.0f;
    return std::isinf(value) ? std::copysign(kLargestHalf, value) : value;
  }

  // Exact conversion. The exponent changes by the difference of the biases. A denormal half is a whole number of 2^-24.
  static float float_from_half(std::uint16_t half) {
    const std::uint32_t sign = (half & 0x8000u) << 16, magnitude = half & 0x7FFFu;
    if (magnitude >= 0x7C00) return std::bit_cast<float>(sign | 0x7F800000u | (magnitude & 0x3FF) << 13);
    if (magnitude >= 0x0400) return std::bit_cast<float>(sign | ((magnitude << 13) + ((127u - 15u) << 23)));
    return std::copysign(static_cast<float>(magnitude) * 0x1p-24f, std::bit_cast<float>(sign));
  }

  const Stream& stream_;
  const Picture& picture_;
  scene::Image& image_;
  exr_decode_pipeline_t pipeline_{};
  bool started_ = false;
};

}  // namespace

Result<ImageInfo> read_exr_info(ByteSpan bytes) { return read_exr_layer_info(bytes, {}); }

Result<ImageInfo> read_exr_layer_info(ByteSpan bytes, std::string_view layer) {
  Stream stream{bytes, {}};
  ASSETC_TRY(const Picture picture, open_exr(stream, layer));
  ImageInfo info = info_of(picture);
  info.layer = layer;
  ASSETC_CHECK(check_image_ratio(info, bytes.size(), kMaxExrTexelsPerByte));
  return info;
}

Result<scene::Image> decode_exr(ByteSpan bytes, const ImageInfo& info) {
  Stream stream{bytes, {}};
  ASSETC_TRY(const Picture picture, open_exr(stream, info.layer));
  exr_const_context_t context = picture.context.get();
  scene::Image image = make_image(info);
  if (info.source_channels % 2 == 1) {  // without alpha, texels outside the data window are opaque too
    for (std::size_t at = 12; at < image.pixels.size(); at += 16) {
      constexpr float kOpaque = 1.0f;
      std::memcpy(image.pixels.data() + at, &kOpaque, sizeof kOpaque);
    }
  }
  ChunkReader reader(stream, picture, image);
  exr_chunk_info_t chunk{};
  if (!picture.tiled) {
    for (std::int64_t y = 0; y < picture.data.height; y += picture.lines_per_chunk) {
      const auto line = static_cast<int>(picture.data.y + y);
      const std::string place = "scan line " + std::to_string(line);
      chunk = {};
      if (const auto rv = exr_read_scanline_chunk_info(context, picture.part, line, &chunk); rv != EXR_ERR_SUCCESS)
        return refuse(stream, rv, place, ends_behind(stream, chunk));
      ASSETC_CHECK(reader.read(chunk, place));
    }
    return image;
  }
  for (int tile_y = 0; std::int64_t{tile_y} * picture.tile_height < picture.data.height; ++tile_y) {
    for (int tile_x = 0; std::int64_t{tile_x} * picture.tile_width < picture.data.width; ++tile_x) {
      const std::string place = "tile " + std::to_string(tile_x) + "," + std::to_string(tile_y);
      chunk = {};
      if (const auto rv = exr_read_tile_chunk_info(context, picture.part, tile_x, tile_y, 0, 0, &chunk);
          rv != EXR_ERR_SUCCESS)
        return refuse(stream, rv, place, ends_behind(stream, chunk));
      ASSETC_CHECK(reader.read(chunk, place));
    }
  }
  return image;
}

std::string openexr_version() {
  int major = 0, minor = 0, patch = 0;
  const char* extra = nullptr;
  exr_get_library_version(&major, &minor, &patch, &extra);
  return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(patch);
}

}  // namespace assetc::importer
