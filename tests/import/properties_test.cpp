// A file for each cell of the table of properties, and the page that prints the table.
#include "import/properties.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <ogg/ogg.h>
#include <sndfile.h>

#include <bit>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "assetc/formats/fourcc.hpp"
#include "corpus.hpp"
#include "import/font/font.hpp"
#include "import/image/image.hpp"
#include "import/image/program.hpp"
#include "import/image_builders.hpp"
#include "import/plain_exr.hpp"
#include "import/sound/sound.hpp"
#include "import/texture/file.hpp"
#include "import/texture/ktx2.hpp"
#include "places.hpp"

namespace assetc::importer::properties {
namespace {

using enum Fate;
using assetc::testing::encode_jpeg;
using assetc::testing::encode_png;
using assetc::testing::encode_webp_lossless;
using assetc::testing::noise_bytes;

std::string big(std::uint64_t value, int bytes) {
  std::string text;
  for (int i = bytes - 1; i >= 0; --i) text += static_cast<char>(value >> (8 * i));
  return text;
}
std::string little(std::uint64_t value, int bytes) {
  std::string text = big(value, bytes);
  std::ranges::reverse(text);
  return text;
}
std::string float_text(float value) { return little(std::bit_cast<std::uint32_t>(value), 4); }
std::string text_of(ByteSpan bytes) { return std::string(as_text(bytes)); }

// What happened to each property that a sample was made for: by the names of container and property.
using Outcomes = std::map<std::pair<std::string_view, std::string_view>, std::function<Fate()>>;

template <std::size_t Rows, std::size_t Count>
void expect_table(const std::array<ContainerRow<Count>, Rows>& rows,
                  const std::array<std::string_view, Count>& properties, const Outcomes& outcomes) {
  std::size_t cells = 0;
  for (const auto& row : rows) {
    for (std::size_t p = 0; p < Count; ++p) {
      const auto found = outcomes.find({row.name, properties[p]});
      if (row.cells[p].fate == kNone) {
        EXPECT_EQ(found, outcomes.end()) << row.name << ": " << properties[p];
        continue;
      }
      ++cells;
      ASSERT_NE(found, outcomes.end()) << row.name << ": " << properties[p] << " has no sample";
      EXPECT_EQ(found->second(), row.cells[p].fate) << row.name << ": " << properties[p];
    }
  }
  EXPECT_EQ(cells, outcomes.size());
}

template <std::size_t Rows, std::size_t Count>
std::string table_of(const std::array<ContainerRow<Count>, Rows>& rows,
                     const std::array<std::string_view, Count>& properties) {
  constexpr std::array<std::string_view, 5> kFates{"–", "kept", "converted", "reported", "error"};
  std::string text = "| container |", line = "|---|";
  for (const std::string_view property : properties) {
    text.append(" ").append(property).append(" |");
    line += "---|";
  }
  text += "\n" + line + "\n";
  for (const auto& row : rows) {
    text.append("| ").append(row.name).append(" |");
    for (const PropertyCell& cell : row.cells) {
      text.append(" ").append(kFates[static_cast<std::size_t>(cell.fate)]);
      if (!cell.note.empty()) text.append(" (").append(cell.note).append(")");
      text += " |";
    }
    text += "\n";
  }
  return text;
}

TEST(Properties, the_page_prints_the_tables) {
  std::ifstream file(std::string(places::kSource) + "/docs/reference/containers.md");
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  for (const std::string& table :
       {table_of(kPictureContainers, kPictureProperties), table_of(kSoundContainers, kSoundProperties),
        table_of(kFontContainers, kFontProperties)})
    EXPECT_THAT(page, ::testing::HasSubstr(table)) << "docs/reference/containers.md needs this table";
}

// ---- Pictures ----

using Check = std::function<bool(const scene::Image&)>;

Fate fate_of(std::string_view file, const Check& is_kept = [](const scene::Image&) { return true; }) {
  const auto info = read_image_info(as_bytes(file));
  if (!info) return kRefused;
  if (!info->left_out.empty()) return kReported;
  static const bool has_program = !image_program_version().empty();
  if (needs_image_program(as_bytes(file)) && !has_program) return kKept;  // only the header can be tested
  const auto image = decode_image(as_bytes(file));
  if (!image) return kRefused;
  return is_kept(*image) ? kKept : kConverted;
}
// Red of the first texel.
Check has_float(float value) {
  return [value](const scene::Image& image) {
    return image.type == scene::PixelType::kF32 && load<float>(image.pixels, 0) == value;
  };
}
Check has_word(std::uint16_t value) {
  return [value](const scene::Image& image) {
    return image.type == scene::PixelType::kU16 && load<std::uint16_t>(image.pixels, 0) == value;
  };
}
std::string half_of(const std::string& file) { return file.substr(0, file.size() / 2); }

std::string tga() { return std::string("\0\0\2\0\0\0\0\0\0\0\0\0\4\0\4\0\x18\0", 18) + std::string(48, '\x55'); }
std::string bmp(std::uint32_t bits, const std::string& masks, const std::string& texels) {
  const std::uint32_t at = static_cast<std::uint32_t>(54 + masks.size());
  return "BM" + little(at + texels.size(), 4) + little(0, 4) + little(at, 4) + little(40, 4) + little(1, 4) +
         little(1, 4) + little(1, 2) + little(bits, 2) + little(masks.empty() ? 0 : 3, 4) + std::string(20, '\0') +
         masks + texels;
}
std::string hdr(const std::string& texel) { return "#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 1 +X 1\n" + texel; }
// Gray, of one texel.
std::string psd(int bits, const std::string& texel, const std::string& layers = "") {
  return "8BPS" + big(1, 2) + std::string(6, '\0') + big(1, 2) + big(1, 4) + big(1, 4) + big(bits, 2) + big(1, 2) +
         big(0, 4) + big(0, 4) + big(layers.size(), 4) + layers + big(0, 2) + texel;
}
// Gray, of one texel. sample_format: 1 unsigned, 2 signed, 3 floats.
std::string tiff(std::uint32_t sample_format, const std::string& texel, bool has_page = false) {
  constexpr std::uint32_t kTags = 10, kTexelAt = 8 + 2 + 12 * kTags + 4;
  const auto tag = [](std::uint32_t id, std::uint32_t value) {
    return little(id, 2) + little(4, 2) + little(1, 4) + little(value, 4);
  };
  const auto size = static_cast<std::uint32_t>(texel.size());
  return std::string("II*\0", 4) + little(8, 4) + little(kTags, 2) + tag(256, 1) + tag(257, 1) + tag(258, size * 8) +
         tag(259, 1) + tag(262, 1) + tag(273, kTexelAt) + tag(277, 1) + tag(278, 1) + tag(279, size) +
         tag(339, sample_format) + little(has_page ? kTexelAt : 0, 4) + texel;
}
std::string box(const std::string& type, const std::string& content) {
  return big(content.size() + 8, 4) + type + content;
}
std::string avif(bool is_deep, bool has_frames) {
  const std::string properties = box("ispe", big(0, 4) + big(1, 4) + big(1, 4)) +
                                 box("av1C", std::string("\x81\0", 2) + (is_deep ? '\x40' : '\0') + '\0');
  return box("ftyp", "avif" + big(0, 4)) + box("meta", big(0, 4) + box("iprp", box("ipco", properties))) +
         (has_frames ? box("moov", box("mvhd", big(0, 4))) : "");
}

// A texture file as KTX 2.
Fate fate_of_texture(const std::string& file, const Check& is_kept, std::uint32_t layers = 0) {
  std::string left_out;
  const ByteVector bytes(as_bytes(file).begin(), as_bytes(file).end());
  const auto made = as_ktx2(Bytes(bytes), ktx2::Transfer::kLinear, &left_out);
  if (!made) return kRefused;
  if (!left_out.empty()) return kReported;
  const auto view = ktx2::View::open(*made);
  if (!view) return kRefused;
  const auto image = decode_ktx2(*view);
  if (!image) return kRefused;
  return view->layer_count() == layers && is_kept(*image) ? kKept : kConverted;
}
struct Texel {
  TexelFormat format;
  std::uint32_t dxgi, gl_type, gl_type_bytes, gl_internal;
  std::string bytes;
};
std::string dds_file(const Texel& texel, std::uint32_t layers = 1) {
  std::string file = "DDS ";
  for (const std::uint32_t v : {124u, 0x1007u, 1u, 1u, 0u, 0u, 1u}) file += little(v, 4);
  file += std::string(44, '\0');
  for (const std::uint32_t v : {32u, 4u, fourcc("DX10"), 0u, 0u, 0u, 0u, 0u, 0x1000u, 0u, 0u, 0u, 0u})
    file += little(v, 4);
  for (const std::uint32_t v : {texel.dxgi, 3u, 0u, layers, 0u}) file += little(v, 4);
  for (std::uint32_t i = 0; i < layers; ++i) file += texel.bytes;
  return file;
}
std::string ktx1_file(const Texel& texel, std::uint32_t layers = 0) {
  std::string file("\xABKTX 11\xBB\r\n\x1A\n", 12), data;
  for (std::uint32_t i = 0; i < std::max(layers, 1u); ++i) data += texel.bytes;
  data.append((4 - data.size() % 4) % 4, '\0');
  for (const std::uint32_t v : {0x04030201u, texel.gl_type, texel.gl_type_bytes, 0x1903u, texel.gl_internal, 0x1903u,
                                1u, 1u, 0u, layers, 1u, 1u, 0u, static_cast<std::uint32_t>(data.size())})
    file += little(v, 4);
  return file + data;
}
std::string ktx2_file(const Texel& texel, std::uint32_t layers = 0) {
  std::string data;
  for (std::uint32_t i = 0; i < std::max(layers, 1u); ++i) data += texel.bytes;
  ktx2::Texture texture;
  texture.format = texel.format;
  texture.transfer = ktx2::Transfer::kLinear;
  texture.width_texels = texture.height_texels = 1;
  texture.layer_count = layers;
  texture.levels = {{as_bytes(data), data.size()}};
  const auto file = ktx2::write(texture);
  EXPECT_TRUE(file) << file.error().to_string();
  return file ? text_of(*file) : "";
}

TEST(Properties, of_pictures_are_what_the_table_says) {
  constexpr float kNegative = -2.5f, kBright = 7.25f, kFine = 1.0f + 0x1p-23f;
  constexpr std::uint16_t kWord = 0x1234;
  const std::string word_big = big(kWord, 2), word_little = little(kWord, 2);
  const auto& [negative, bright, beyond8, beyond16, cut, layers] = kPictureProperties;
  const std::string png = text_of(encode_png(4, 4, 8, 2, noise_bytes(48)));
  const std::string jpeg = text_of(encode_jpeg(16, 16, 3, noise_bytes(16 * 16 * 3)));
  const std::string webp = text_of(encode_webp_lossless(9, 7, noise_bytes(9 * 7 * 4)));
  const auto whole = [](const std::string& file) {
    EXPECT_EQ(fate_of(file), kKept);
    return half_of(file);
  };
  const auto exr = [](float value) { return testing::plain_exr({{"Y", value}}); };
  const auto big_float = [](float value) { return big(std::bit_cast<std::uint32_t>(value), 4); };
  const auto number = [](float value) { return Texel{TexelFormat::kR32f, 41, 0x1406, 4, 0x822E, float_text(value)}; };
  const Texel word{TexelFormat::kR16, 56, 0x1403, 2, 0x822A, word_little};
  Outcomes outcomes{
      {{"PNG", beyond8},
       [&] {
         const std::array<std::uint16_t, 1> gray{kWord};
         return fate_of(text_of(encode_png(1, 1, 16, 0, std::as_bytes(std::span(gray)))), has_word(kWord));
       }},
      {{"PNG", cut}, [&] { return fate_of(whole(png)); }},
      {{"PNG", layers},
       [&] {
         // A chunk of 8 bytes: the numbers of frames and of plays. Its checksum is not looked at.
         std::string file = png;
         return fate_of(file.insert(33, big(8, 4) + "acTL" + big(3, 4) + big(0, 4) + big(0, 4)));
       }},
      {{"JPEG", beyond8},
       [&] {
         std::string file = jpeg;
         file[file.find("\xFF\xC0") + 4] = 12;
         return fate_of(file);
       }},
      {{"JPEG", cut}, [&] { return fate_of(whole(jpeg)); }},
      {{"JPEG", layers},
       [&] {
         std::string file = jpeg;
         return fate_of(file.insert(2, "\xFF\xE2" + big(8, 2) + std::string("MPF\0II", 6)));
       }},
      {{"WebP", cut}, [&] { return fate_of(whole(webp)); }},
      {{"WebP", layers},
       [&] {
         const std::string body = "WEBPVP8X" + little(10, 4) + std::string("\2\0\0\0\0\0\0\0\0\0", 10) + "ANIM" +
                                  little(6, 4) + std::string(6, '\0');
         return fate_of("RIFF" + little(body.size(), 4) + body);
       }},
      {{"TGA", cut}, [&] { return fate_of(whole(tga())); }},
      {{"BMP", beyond8},
       [&] {
         return fate_of(bmp(32, little(0x3FF00000, 4) + little(0xFFC00, 4) + little(0x3FF, 4), little(0x12345678, 4)));
       }},
      {{"BMP", cut}, [&] { return fate_of(whole(bmp(24, "", std::string(4, '\7')))); }},
      {{"HDR", bright}, [&] { return fate_of(hdr("\x80\x80\x80\x83"), has_float(4)); }},
      {{"HDR", beyond8}, [&] { return fate_of(hdr("\x81\x80\x80\x7C"), has_float(129.0f / 256 / 16)); }},
      {{"HDR", cut}, [&] { return fate_of(whole(hdr("\x80\x80\x80\x83"))); }},
      {{"EXR", negative}, [&] { return fate_of(exr(kNegative), has_float(kNegative)); }},
      {{"EXR", bright}, [&] { return fate_of(exr(kBright), has_float(kBright)); }},
      {{"EXR", beyond8}, [&] { return fate_of(exr(0.1234f), has_float(0.1234f)); }},
      {{"EXR", beyond16}, [&] { return fate_of(exr(kFine), has_float(kFine)); }},
      {{"EXR", cut}, [&] { return fate_of(whole(exr(1))); }},
      {{"EXR", layers}, [&] { return fate_of(testing::plain_exr({{"Y", 1.0f}, {"depth.Z", 2.0f}})); }},
      {{"PSD, PSB", negative}, [&] { return fate_of(psd(32, big_float(kNegative)), has_float(kNegative)); }},
      {{"PSD, PSB", bright}, [&] { return fate_of(psd(32, big_float(kBright)), has_float(kBright)); }},
      {{"PSD, PSB", beyond8}, [&] { return fate_of(psd(16, word_big), has_word(kWord)); }},
      {{"PSD, PSB", beyond16}, [&] { return fate_of(psd(32, big_float(kFine)), has_float(kFine)); }},
      {{"PSD, PSB", cut}, [&] { return fate_of(whole(psd(8, "\7"))); }},
      {{"PSD, PSB", layers},
       [&] {
         // A section of two layers; their texels are not read.
         const std::string file = psd(8, "\7", big(2, 4) + big(2, 2));
         EXPECT_EQ(fate_of(file), kKept);
         const auto image = decode_image(as_bytes(file));
         return image && image->pixels[0] == std::byte{7} ? kConverted : kRefused;
       }},
      {{"TIFF", negative}, [&] { return fate_of(tiff(3, float_text(kNegative)), has_float(kNegative)); }},
      {{"TIFF", bright}, [&] { return fate_of(tiff(3, float_text(kBright)), has_float(kBright)); }},
      {{"TIFF", beyond8}, [&] { return fate_of(tiff(1, word_little), has_word(kWord)); }},
      {{"TIFF", beyond16}, [&] { return fate_of(tiff(3, float_text(kFine)), has_float(kFine)); }},
      {{"TIFF", cut}, [&] { return fate_of(whole(tiff(1, "\7"))); }},
      {{"TIFF", layers}, [&] { return fate_of(tiff(1, "\7", true)); }},
      {{"AVIF", beyond8}, [&] { return fate_of(avif(true, false)); }},
      {{"AVIF", cut}, [&] { return fate_of(half_of(avif(false, false))); }},
      {{"AVIF", layers}, [&] { return fate_of(avif(false, true)); }}};
  const auto add_texture = [&](std::string_view name, const auto& file_of) {
    const auto add = [&](std::string_view property, std::function<Fate()> outcome) {
      outcomes.emplace(std::pair{name, property}, std::move(outcome));
    };
    add(negative, [&, file_of] { return fate_of_texture(file_of(number(kNegative), false), has_float(kNegative)); });
    add(bright, [&, file_of] { return fate_of_texture(file_of(number(kBright), false), has_float(kBright)); });
    add(beyond8, [&, file_of] { return fate_of_texture(file_of(word, false), has_word(kWord)); });
    add(beyond16, [&, file_of] { return fate_of_texture(file_of(number(kFine), false), has_float(kFine)); });
    add(cut, [&, file_of] {
      const std::string file = file_of(number(1), false);
      return fate_of_texture(file.substr(0, file.size() - 3), has_float(1));
    });
    add(layers, [&, file_of] { return fate_of_texture(file_of(number(1), true), has_float(1), 2); });
  };
  add_texture("DDS", [](const Texel& texel, bool array) { return dds_file(texel, array ? 2 : 1); });
  add_texture("KTX 1", [](const Texel& texel, bool array) { return ktx1_file(texel, array ? 2 : 0); });
  add_texture("KTX 2", [](const Texel& texel, bool array) { return ktx2_file(texel, array ? 2 : 0); });
  expect_table(kPictureContainers, kPictureProperties, outcomes);
}

TEST(Properties, integers_of_a_tiff_that_lose_something_are_told) {
  const auto left_out = [](const std::string& file) { return read_image_info(as_bytes(file))->left_out; };
  EXPECT_EQ(left_out(tiff(1, little(7, 2))), "");
  EXPECT_EQ(left_out(tiff(1, little(7, 4))), "the bits of each channel beyond 16");
  EXPECT_EQ(left_out(tiff(2, little(7, 2), true)), "the pages after the first; negative values");
  EXPECT_EQ(left_out(tiff(3, float_text(-7))), "");
}

// ---- Sounds ----

constexpr std::size_t kFrames = 4800;

// A square wave that libsndfile writes.
std::string sound(const std::string& suffix, int format, float height = 0.5f) {
  const auto path = std::filesystem::path(::testing::TempDir()) / ("assetc_properties_test" + suffix);
  SF_INFO info{};
  info.channels = 1;
  info.samplerate = 48000;
  info.format = format;
  SNDFILE* file = sf_open(path.c_str(), SFM_WRITE, &info);
  EXPECT_NE(file, nullptr) << sf_strerror(nullptr);
  if (file == nullptr) return {};
  std::vector<float> samples(kFrames);
  for (std::size_t i = 0; i < kFrames; ++i) samples[i] = i / 240 % 2 == 0 ? height : -height;
  sf_write_float(file, samples.data(), static_cast<sf_count_t>(kFrames));
  sf_close(file);
  const auto bytes = corpus::read_file(path);
  std::filesystem::remove(path);
  return bytes ? text_of(*bytes) : "";
}

Fate fate_of_sound(const std::string& file, const std::function<bool(const scene::Sound&)>& is_kept) {
  const auto read = import_sound(as_bytes(file));
  if (!read) return kRefused;
  if (!read->left_out.empty()) return kReported;
  return is_kept(*read) ? kKept : kConverted;
}
bool is_loud(const scene::Sound& sound) { return *std::ranges::max_element(sound.samples) > 1.2f; }
// A sample that 16 bits cannot hold.
bool is_fine(const scene::Sound& sound) {
  return std::ranges::any_of(sound.samples, [](float s) { return s * 32768 != std::nearbyint(s * 32768); });
}
bool has_loop(const scene::Sound& sound) {
  return sound.loops.size() == 1 && sound.loops[0].first_frame == 100 && sound.loops[0].end_frame == 900;
}
std::string comments() {
  std::string block = little(1, 4) + "x" + little(3, 4);
  for (const std::string text : {"ARTIST=a", "LoopStart=100", "LOOPLENGTH=800"}) block += little(text.size(), 4) + text;
  return block;
}
// A chunk inside of a RIFF or FORM.
std::string with_chunk(std::string file, const std::string& chunk, bool is_big) {
  file += std::string(file.size() % 2, '\0') + chunk;
  return file.replace(4, 4, is_big ? big(file.size() - 8, 4) : little(file.size() - 8, 4));
}
// The same stream with another second packet, which has the comments.
std::string with_ogg_packet(const std::string& file, const std::string& second) {
  ogg_sync_state sync{};
  ogg_sync_init(&sync);
  std::memcpy(ogg_sync_buffer(&sync, static_cast<long>(file.size())), file.data(), file.size());
  ogg_sync_wrote(&sync, static_cast<long>(file.size()));
  ogg_stream_state in{}, out{};
  ogg_page page{}, made{};
  std::string result;
  int number = 0;
  const auto write = [&](bool all) {
    while ((all ? ogg_stream_flush(&out, &made) : ogg_stream_pageout(&out, &made)) != 0) {
      result.append(reinterpret_cast<const char*>(made.header), static_cast<std::size_t>(made.header_len));
      result.append(reinterpret_cast<const char*>(made.body), static_cast<std::size_t>(made.body_len));
    }
  };
  while (ogg_sync_pageout(&sync, &page) == 1) {
    if (number == 0) {
      ogg_stream_init(&in, ogg_page_serialno(&page));
      ogg_stream_init(&out, ogg_page_serialno(&page));
    }
    ogg_stream_pagein(&in, &page);
    ogg_packet packet{};
    while (ogg_stream_packetout(&in, &packet) == 1) {
      std::string other = second;
      if (number == 1) {
        packet.packet = reinterpret_cast<unsigned char*>(other.data());
        packet.bytes = static_cast<long>(other.size());
      }
      ogg_stream_packetin(&out, &packet);
      write(++number <= 3);
    }
  }
  write(true);
  ogg_stream_clear(&in), ogg_stream_clear(&out), ogg_sync_clear(&sync);
  return result;
}
std::string flac_with_comments(std::string file) {
  constexpr std::size_t kStreamInfoEnd = 4 + 4 + 34;
  EXPECT_EQ(file[4] & 0x80, 0) << "another block follows";
  return file.insert(kStreamInfoEnd, "\4" + big(comments().size(), 3) + comments());
}

constexpr int kAiff16 = SF_FORMAT_AIFF | SF_FORMAT_PCM_16, kWav16 = SF_FORMAT_WAV | SF_FORMAT_PCM_16,
              kFlac16 = SF_FORMAT_FLAC | SF_FORMAT_PCM_16, kVorbis = SF_FORMAT_OGG | SF_FORMAT_VORBIS,
              kOpus = SF_FORMAT_OGG | SF_FORMAT_OPUS, kMp3 = SF_FORMAT_MPEG | SF_FORMAT_MPEG_LAYER_III;

// MARK and INST with a loop from frame 100 to 900.
std::string aiff_loop(int mode = 1) {
  const std::string marks = big(2, 2) + big(1, 2) + big(100, 4) + std::string("\5begin\0\0", 8).substr(0, 6) +
                            big(2, 2) + big(900, 4) + std::string("\3end", 4);
  const std::string instrument = std::string(8, '\0') + big(mode, 2) + big(1, 2) + big(2, 2) + std::string(6, '\0');
  return "MARK" + big(marks.size(), 4) + marks + "INST" + big(instrument.size(), 4) + instrument;
}

TEST(Properties, of_sounds_are_what_the_table_says) {
  const auto& [loud, beyond16, cut, loops] = kSoundProperties;
  std::string smpl = std::string(28, '\0') + little(1, 4) + little(0, 4);
  for (const std::uint32_t v : {0u, 0u, 100u, 899u, 0u, 0u}) smpl += little(v, 4);
  const auto half = [](const std::string& file) {
    EXPECT_EQ(fate_of_sound(file, [](const scene::Sound& s) { return s.frame_count() == kFrames; }), kKept);
    return fate_of_sound(half_of(file), [](const scene::Sound&) { return true; });
  };
  const Outcomes outcomes{
      {{"WAV", loud}, [&] { return fate_of_sound(sound(".wav", SF_FORMAT_WAV | SF_FORMAT_FLOAT, 1.5f), is_loud); }},
      {{"WAV", beyond16},
       [&] { return fate_of_sound(sound(".wav", SF_FORMAT_WAV | SF_FORMAT_PCM_24, 0.3f), is_fine); }},
      {{"WAV", cut}, [&] { return half(sound(".wav", kWav16)); }},
      {{"WAV", loops},
       [&] {
         return fate_of_sound(with_chunk(sound(".wav", kWav16), "smpl" + little(smpl.size(), 4) + smpl, false),
                              has_loop);
       }},
      {{"AIFF", loud}, [&] { return fate_of_sound(sound(".aiff", SF_FORMAT_AIFF | SF_FORMAT_FLOAT, 1.5f), is_loud); }},
      {{"AIFF", beyond16},
       [&] { return fate_of_sound(sound(".aiff", SF_FORMAT_AIFF | SF_FORMAT_PCM_24, 0.3f), is_fine); }},
      {{"AIFF", cut}, [&] { return half(sound(".aiff", kAiff16)); }},
      {{"AIFF", loops},
       [&] { return fate_of_sound(with_chunk(sound(".aiff", kAiff16), aiff_loop(), true), has_loop); }},
      {{"FLAC", beyond16},
       [&] { return fate_of_sound(sound(".flac", SF_FORMAT_FLAC | SF_FORMAT_PCM_24, 0.3f), is_fine); }},
      {{"FLAC", cut}, [&] { return half(sound(".flac", kFlac16)); }},
      {{"FLAC", loops}, [&] { return fate_of_sound(flac_with_comments(sound(".flac", kFlac16)), has_loop); }},
      {{"Ogg Vorbis", loud}, [&] { return fate_of_sound(sound(".ogg", kVorbis, 1.5f), is_loud); }},
      {{"Ogg Vorbis", cut}, [&] { return half(sound(".ogg", kVorbis)); }},
      {{"Ogg Vorbis", loops},
       [&] {
         return fate_of_sound(with_ogg_packet(sound(".ogg", kVorbis), "\3vorbis" + comments() + "\1"), has_loop);
       }},
      {{"Opus", loud}, [&] { return fate_of_sound(sound(".opus", kOpus, 1.5f), is_loud); }},
      {{"Opus", cut}, [&] { return half(sound(".opus", kOpus)); }},
      {{"Opus", loops},
       [&] { return fate_of_sound(with_ogg_packet(sound(".opus", kOpus), "OpusTags" + comments()), has_loop); }},
      {{"MP3", loud}, [&] { return fate_of_sound(sound(".mp3", kMp3, 1.5f), is_loud); }},
      {{"MP3", cut}, [&] { return half(sound(".mp3", kMp3)); }}};
  expect_table(kSoundContainers, kSoundProperties, outcomes);
}

std::string said_of(const std::string& file) {
  const auto read = import_sound(as_bytes(file));
  if (!read) return read.error().to_string();
  return read->left_out.empty() ? "" : read->left_out[0].what;
}

TEST(Properties, sounds_that_are_cut_short_say_where) {
  const std::string aiff = sound(".aiff", kAiff16);
  EXPECT_EQ(said_of(aiff.substr(0, aiff.size() - 50)),
            "byte " + std::to_string(aiff.size() - 50) +
                ": the file ends 50 bytes before its samples do; export the sound again");
  const std::string flac = sound(".flac", kFlac16);
  EXPECT_THAT(said_of(flac.substr(0, flac.size() - 3)), ::testing::HasSubstr("expected 4800; export the sound again"));
  for (const auto& [suffix, format] : {std::pair{".ogg", kVorbis}, {".opus", kOpus}}) {
    const std::string ogg = sound(suffix, format);
    EXPECT_EQ(said_of(ogg + "TAG of another format"), "");
    EXPECT_THAT(said_of(ogg.substr(0, ogg.size() - 1)), ::testing::HasSubstr("the file ends inside of an Ogg page"));
    EXPECT_THAT(said_of(ogg.substr(0, ogg.rfind("OggS"))), ::testing::HasSubstr("before the last Ogg page"));
  }
  std::string mp3 = sound(".mp3", kMp3);
  const std::size_t tag = std::min(mp3.find("Xing"), mp3.find("Info"));
  ASSERT_LT(tag, mp3.size());
  mp3.replace(tag, 4, 4, '\0');
  EXPECT_EQ(said_of(mp3), "");
  EXPECT_EQ(said_of(mp3.substr(0, mp3.size() - 10)), "the last frame of the MP3, which is cut short");
}

TEST(Properties, loops_that_are_not_kept_are_told) {
  std::string smpl = std::string(28, '\0') + little(17, 4) + little(0, 4);
  for (int i = 0; i < 17; ++i) {
    for (const std::uint32_t v : {0u, 0u, 100u, 899u, 0u, 0u}) smpl += little(v, 4);
  }
  const std::string wav = with_chunk(sound(".wav", kWav16), "smpl" + little(smpl.size(), 4) + smpl, false);
  EXPECT_EQ(said_of(wav), "1 loop after the first 16");
  EXPECT_EQ(import_sound(as_bytes(wav))->loops.size(), 16u);
  std::string chunks = aiff_loop();
  chunks.replace(chunks.find(big(900, 4)) - 2, 2, big(9, 2));
  EXPECT_EQ(said_of(with_chunk(sound(".aiff", kAiff16), chunks, true)), "a loop whose markers are not in the file");
  const auto alternating = import_sound(as_bytes(with_chunk(sound(".aiff", kAiff16), aiff_loop(2), true)));
  ASSERT_TRUE(alternating);
  EXPECT_EQ(alternating->loops.at(0).kind, aas1::Loop::Kind::kAlternating);
  std::string flac = flac_with_comments(sound(".flac", kFlac16));
  flac.replace(flac.find("=800"), 4, "=8x0");
  EXPECT_EQ(said_of(flac), "a loop whose comment looplength is not a number of frames");
}

// ---- Fonts ----

std::string font_file(const std::string& name) {
  std::ifstream file(std::string(places::kSource) + "/tests/data/corpus/fonts/" + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}
// The same font, with a table of another name.
std::string with_table(std::string file, const std::string& tag) {
  const std::size_t at = file.find("post");
  EXPECT_LT(at, 300u);
  return file.replace(at, 4, tag);
}
std::string magic_of(const std::string& magic, std::string file) { return file.replace(0, 4, magic); }

TEST(Properties, of_fonts_are_what_the_table_says) {
  const std::vector<std::uint32_t> characters{'A'};
  const auto fate = [&](const std::string& file) {
    const auto font = import_font(as_bytes(file), characters);
    return !font ? kRefused : font->left_out.empty() ? kKept : kReported;
  };
  const auto& [cut, faces, colors, variations] = kFontProperties;
  Outcomes outcomes;
  for (const auto& [row, name] :
       {std::pair<std::string_view, std::string>{"TrueType", "blocks.ttf"}, {"OpenType", "blocks.otf"}}) {
    const std::string file = font_file(name);
    EXPECT_EQ(fate(file), kKept);
    outcomes[{row, cut}] = [=] { return fate(file.substr(0, file.size() - 20)); };
    outcomes[{row, colors}] = [=] { return fate(with_table(file, "COLR")); };
    outcomes[{row, variations}] = [=] { return fate(with_table(file, "fvar")); };
  }
  const std::string plain = font_file("blocks.ttf");
  for (const auto& property : kFontProperties) {
    outcomes[{"collection", property}] = [&] { return fate(magic_of("ttcf", plain)); };
    if (property != faces) outcomes[{"WOFF", property}] = [&] { return fate(magic_of("wOF2", plain)); };
  }
  expect_table(kFontContainers, kFontProperties, outcomes);
}

}  // namespace
}  // namespace assetc::importer::properties
