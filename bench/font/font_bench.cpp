// The error, time and size of distance fields: ours and those of msdfgen, on the same glyphs, texels and range.
//
//   font_bench FONT [SIZE [RANGE]]      run from the root of the project
//
// The truth is the exact coverage that FreeType computes. Each printable character of ASCII and Latin-1 is drawn alone
// by the rule of docs/formats/hfont.md, with both atlases, at several sizes. Errors are over the texels that either
// picture covers in part, in 1 / 255. Times are of one core; the peer runs in Node.js.
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "compression/encode.hpp"
#include "font/compile.hpp"
#include "import/font/font.hpp"
#include "measure.hpp"
#include "parallel/parallel.hpp"
#include "recipes/font_truth.hpp"
#include "render/text.hpp"

namespace {

using namespace assetc;
using assetc::testing::CoverageError;
using assetc::testing::FontTruth;

ByteVector read_bytes(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  return {as_bytes(text).begin(), as_bytes(text).end()};
}

std::string utf8(std::uint32_t c) {
  if (c < 0x80) return std::string(1, static_cast<char>(c));
  return {static_cast<char>(0xC0 | c >> 6), static_cast<char>(0x80 | (c & 0x3F))};
}

// The glyphs for the peer: one character each.
void write_jobs(const hfont::Model& model, const std::filesystem::path& path) {
  std::string glyphs;
  std::vector<bool> done(model.glyphs.size());
  for (const hfont::Character& c : model.characters) {
    const hfont::Glyph& g = model.glyphs[c.glyph];
    if (!g.is_drawn() || done[c.glyph]) continue;
    done[c.glyph] = true;
    glyphs += fmt::format(R"({}{{"character":{},"x":{},"y":{},"width":{},"height":{},"left":{},"bottom":{}}})",
                          glyphs.empty() ? "" : ",", c.code_point, g.atlas.x, g.atlas.y, g.atlas.width, g.atlas.height,
                          std::lround(g.left * model.desc.size_texels), std::lround(g.bottom * model.desc.size_texels));
  }
  std::ofstream(path) << fmt::format(R"({{"width":{},"height":{},"size":{},"range":{},"glyphs":[{}]}})",
                                     model.desc.atlas_width_texels, model.desc.atlas_height_texels,
                                     model.desc.size_texels, model.desc.range_texels, glyphs);
}

// The error, and the character with the largest.
std::pair<CoverageError, std::uint32_t> measure(const hfont::View& font, const scene::Image& atlas,
                                                const FontTruth& truth, float size) {
  CoverageError error;
  std::uint32_t worst = 0;
  for (const hfont::Character& c : font.characters()) {
    if (!font.glyphs()[c.glyph].is_drawn()) continue;
    const auto drawn = render::cover_text(font, atlas, utf8(c.code_point), {.size_texels = size});
    if (!drawn) continue;
    const double baseline = std::ceil(static_cast<double>(font.desc().ascender * size)) + 8;
    const double before = error.most;
    error.add(drawn->values, truth.cover(c.code_point, static_cast<double>(size), 8, baseline, drawn->width_texels,
                                         drawn->height_texels));
    if (error.most > before) worst = c.code_point;
  }
  return {error, worst};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: font_bench FONT [SIZE [RANGE]]\n");
    return 2;
  }
  const std::string path = argv[1];
  const font::Options options{.size_texels = argc > 2 ? std::atof(argv[2]) : 40,
                              .range_texels = argc > 3 ? std::atof(argv[3]) : 4};
  const ByteVector file = read_bytes(path);
  std::vector<std::uint32_t> characters;
  for (std::uint32_t c = 0x20; c <= 0xFF; ++c) {
    if (c < 0x7F || c > 0x9F) characters.push_back(c);
  }
  const auto source = importer::read_font_here(file, characters);
  if (!source) {
    fmt::print(stderr, "{}: {}\n", path, source.error().to_string());
    return 1;
  }
  auto compiled = font::compile(*source, options);
  if (!compiled) {
    fmt::print(stderr, "{}: {}\n", path, compiled.error().to_string());
    return 1;
  }
  const double read_ms = 1000 * bench::least(3, [&] { (void)importer::read_font_here(file, characters); });
  double ours_ms = 0;
  {
    const ThreadLimit one_core(1);
    ours_ms = 1000 * bench::least(3, [&] { (void)font::compile(*source, options); });
  }

  const auto folder = std::filesystem::temp_directory_path() / "assetc-font-bench";
  std::filesystem::create_directories(folder);
  const auto jobs = folder / "jobs.json", theirs_path = folder / "peer.rgba", time_path = folder / "time.txt";
  std::filesystem::remove(theirs_path);
  write_jobs(compiled->model, jobs);
  const std::string command = fmt::format("node '{}' '{}' '{}' '{}' > '{}'", ASSETC_PEER, path, jobs.string(),
                                          theirs_path.string(), time_path.string());
  const bool has_peer = std::system(command.c_str()) == 0;
  double theirs_ms = 0;
  std::ifstream(time_path) >> theirs_ms;

  const ByteVector hfont_file = *hfont::write(compiled->model);
  const hfont::View font = *hfont::View::open(hfont_file);
  const auto image = [&](ByteVector texels) {
    return scene::Image{.width_texels = font.desc().atlas_width_texels,
                        .height_texels = font.desc().atlas_height_texels,
                        .pixels = std::move(texels)};
  };
  const auto packed_kib = [](ByteSpan bytes) {
    return static_cast<double>(compression::deflate(bytes, {.level = 6}).size()) / 1024;
  };
  const scene::Image ours = image(compiled->texels), theirs = image(has_peer ? read_bytes(theirs_path) : ByteVector());
  ByteVector opaque = compiled->texels;  // without the plain distance, which the peer does not make
  for (std::size_t i = 3; i < opaque.size(); i += 4) opaque[i] = std::byte{255};

  fmt::print("{}: {} glyphs, {} texels per em, range {}, atlas {}x{}\n", path, font.glyphs().size(),
             options.size_texels, options.range_texels, font.desc().atlas_width_texels,
             font.desc().atlas_height_texels);
  fmt::print("  read {:.1f} ms; fields on one core: ours {:.1f} ms, msdfgen {:.1f} ms\n", read_ms, ours_ms, theirs_ms);
  fmt::print("  Zstd: ours {:.1f} KiB with plain distances, {:.1f} KiB without; msdfgen {:.1f} KiB\n",
             packed_kib(ours.pixels), packed_kib(opaque), has_peer ? packed_kib(theirs.pixels) : 0.0);
  const FontTruth truth(file);
  for (const float size : {16.0f, 24.0f, 40.0f, 80.0f, 160.0f}) {
    const auto [a, a_worst] = measure(font, ours, truth, size);
    fmt::print("  at {:3} texels: ours mean {:.2f} most {:.0f} (U+{:X})", size, a.mean * 255, a.most * 255, a_worst);
    if (has_peer) {
      const auto [b, b_worst] = measure(font, theirs, truth, size);
      fmt::print("; msdfgen mean {:.2f} most {:.0f} (U+{:X})", b.mean * 255, b.most * 255, b_worst);
    }
    fmt::print("\n");
  }
}
