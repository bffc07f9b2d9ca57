// Pictures of optimized models: formats, sizes and what stays.
#include <gmock/gmock.h>

#include <mutex>
#include <set>
#include <string>

#include "assetc/formats/ktx2.hpp"
#include "export/png.hpp"
#include "export/webp.hpp"
#include "icc_profile.hpp"
#include "import/image/image.hpp"
#include "import/tiny_gltf.hpp"
#include "optimize/support.hpp"
#include "recipes/settings.hpp"

namespace assetc::optimize {
namespace {

using namespace testing;

// A picture whose every channel varies, so that lossy encoders have work.
scene::Image picture(std::uint32_t side, bool with_alpha) {
  scene::Image image{.width_texels = side, .height_texels = side, .pixels = ByteVector(std::size_t{side} * side * 4)};
  std::uint32_t noise = 1;
  for (std::size_t i = 0; i < image.pixels.size(); ++i) {
    noise = noise * 1664525u + 1013904223u;
    const std::size_t x = i / 4 % side, y = i / 4 / side;
    const std::size_t smooth = (i % 4 == 0 ? x : i % 4 == 1 ? y : x + y) * 3 + (noise >> 27);
    image.pixels[i] = static_cast<std::byte>(i % 4 == 3 && !with_alpha ? 255 : smooth);
  }
  return image;
}

// A sheet with one picture as base color and normal map, and another as emission.
scene::Scene textured(std::uint32_t side, bool with_alpha = false) {
  scene::Scene scene = sheet(4, 1, true);
  scene.images.push_back({"wood.png", {}, Bytes(*exporter::write_png(picture(side, with_alpha)))});
  scene.images.push_back({"glow.png", {}, Bytes(*exporter::write_png(picture(side / 2, false)))});
  scene::Material& material = scene.materials[0];
  material.base_color_texture.image = material.normal_texture.image = 0;
  material.emissive_texture.image = 1;
  material.emissive = {1, 1, 1};
  return scene;
}

OptimizeOptions webp(std::uint32_t quality = 85) {
  OptimizeOptions options = usual();
  options.pictures.format = PictureFormat::kWebp;
  options.pictures.webp_quality = quality;
  return options;
}

double mean_square_error(const scene::Image& a, const scene::Image& b) {
  EXPECT_EQ(a.pixels.size(), b.pixels.size());
  double sum = 0;
  for (std::size_t i = 0; i < a.pixels.size(); ++i) {
    const double gap = std::to_integer<int>(a.pixels[i]) - std::to_integer<int>(b.pixels[i]);
    sum += gap * gap;
  }
  return sum / static_cast<double>(a.pixels.size());
}

scene::Image picture_of(const scene::Scene& scene, const scene::TextureUse& use) {
  auto image = importer::decode_image(scene.images.at(use.image).inline_bytes);
  EXPECT_TRUE(image);
  return image ? std::move(*image) : scene::Image();
}

TEST(OptimizedPictures, become_webp_that_readers_must_know) {
  const Pair pair = pair_of(textured(64), webp());
  const auto has = [&](const char* text) { return pair.text.contains(text); };
  EXPECT_TRUE(has("\"image/webp\""));
  EXPECT_TRUE(has("\"EXT_texture_webp\",\"KHR_mesh_quantization\",\"KHR_texture_transform\"],\"extensionsUsed\""));
  EXPECT_FALSE(has("image/png"));
  EXPECT_LT(mean_square_error(picture(64, false), picture_of(pair.made, pair.made.materials[0].base_color_texture)),
            400);  // noise in each channel, and the chroma of WebP has half the size
}

TEST(OptimizedPictures, tell_what_they_declare_if_they_are_encoded_again) {
  const std::string profile(as_text(assetc::testing::icc_profile("Display P3")));
  const auto told = [&](const OptimizeOptions& options) {
    scene::Scene scene = textured(64);
    // The profile of a WebP, which a build reports.
    const ByteVector plain = *exporter::write_webp(picture(64, false), {.quality = 100});
    const auto le32 = [](std::size_t v) {
      return std::string{static_cast<char>(v), static_cast<char>(v >> 8), static_cast<char>(v >> 16), 0};
    };
    std::string body = "WEBPVP8X" + le32(10) + std::string("\x20\0\0\0\x3F\0\0\x3F\0\0", 10) + "ICCP" +
                       le32(profile.size()) + profile + std::string(profile.size() % 2, '\0');
    body += as_text(plain).substr(12);
    const std::string file = "RIFF" + le32(body.size()) + body;
    scene.images[0].inline_bytes = Bytes(ByteVector(as_bytes(file).begin(), as_bytes(file).end()));
    scene.materials[0].normal_texture = {};
    std::size_t count = 0;
    Files files;
    files.put("in.glb", glb_of(scene));
    for (const recipes::Diagnostic& d : optimized(files, "in.glb", options).diagnostics)
      count += d.kind == WarningKind::kPictureColors ? 1u : 0u;
    return count;
  };
  EXPECT_EQ(told(webp(20)), 1u);
  EXPECT_EQ(told(usual()), 1u) << "as KTX 2";
  OptimizeOptions keeps = usual();
  keeps.keep_pictures = true;
  EXPECT_EQ(told(keeps), 0u) << "the picture still declares it";
}

TEST(OptimizedPictures, keep_alpha_exactly) {
  const Pair pair = pair_of(textured(64, true), webp(30));
  const scene::Image source = picture(64, true),
                     made = picture_of(pair.made, pair.made.materials[0].base_color_texture);
  ASSERT_EQ(source.pixels.size(), made.pixels.size());
  for (std::size_t i = 3; i < source.pixels.size(); i += 4) ASSERT_EQ(source.pixels[i], made.pixels[i]) << i;
}

TEST(OptimizedPictures, of_quality_100_are_exact) {
  const Pair pair = pair_of(textured(64, true), webp(100));
  EXPECT_EQ(mean_square_error(picture(64, true), picture_of(pair.made, pair.made.materials[0].normal_texture)), 0);
}

TEST(OptimizedPictures, of_lower_quality_are_smaller_and_the_same_each_time) {
  const scene::Scene scene = textured(64);
  const std::string good = pair_of(scene, webp(90)).text;
  EXPECT_LT(pair_of(scene, webp(40)).text.size(), good.size());
  EXPECT_EQ(pair_of(scene, webp(90)).text, good);
}

// Keeps what the key of each step consists of.
class Recorded final : public recipes::Inputs {
 public:
  explicit Recorded(const Files& files) : inner_(files) {}
  Result<Bytes> read(std::string_view path) override { return inner_.read(path); }
  bool exists(std::string_view path) override { return inner_.exists(path); }
  Result<std::vector<std::string>> list(std::string_view path) override { return inner_.list(path); }
  std::optional<recipes::SourceAsset> asset(std::string_view path) override { return inner_.asset(path); }
  std::uint64_t ref(std::string_view path) override { return inner_.ref(path); }
  Result<recipes::Product> make(const recipes::Step& step) override {
    std::string key(step.recipe->name);
    for (const auto& [name, value] : step.params) key.append(" ").append(name).append("=").append(value);
    key += recipes::canonical_settings(step.settings, step.recipe->setting_groups);
    key += as_text(step.inline_input);
    {
      const std::lock_guard lock(mutex_);
      keys.insert(std::move(key));
    }
    return inner_.make(step);
  }
  std::multiset<std::string> keys;

 private:
  std::mutex mutex_;
  FilesInputs inner_;
};

std::multiset<std::string> steps_of(const scene::Scene& scene, const OptimizeOptions& options) {
  Files files;
  files.put("a.glb", glb_of(scene));
  Recorded inputs(files);
  const auto made = optimize_file("a.glb", "out.glb", inputs, options);
  EXPECT_TRUE(made) << (made ? "" : made.error().to_string());
  return inputs.keys;
}

TEST(OptimizedPictures, of_the_same_bytes_are_encoded_once) {
  scene::Scene scene = textured(32);
  scene.images[1] = scene.images[0];
  scene.images[1].name = "copy.png";
  scene.materials[0].normal_texture.image = scene::kNone;
  for (const OptimizeOptions& options : {usual(), webp()}) EXPECT_EQ(steps_of(scene, options).size(), 1u);
}

// So that an engine with a store encodes the atlas of a pack once.
TEST(OptimizedPictures, of_several_models_are_the_same_steps) {
  const scene::Scene scene = textured(32);
  scene::Scene other = sheet(9, 1, false);
  other.images = scene.images;
  for (scene::ImageSource& image : other.images) image.name = "renamed " + image.name;
  other.materials = scene.materials;
  for (const OptimizeOptions& options : {usual(), webp()}) {
    const auto steps = steps_of(scene, options);
    EXPECT_EQ(steps.size(), 3u);
    EXPECT_EQ(steps_of(other, options), steps);
    EXPECT_NE(steps_of(textured(64), options), steps);
  }
  EXPECT_NE(steps_of(scene, webp(40)), steps_of(scene, webp(41)));
}

TEST(OptimizedPictures, stay_if_webp_is_no_smaller) {
  scene::Scene scene = textured(64);
  // Lossy WebP of less quality, which a better one would only make larger.
  for (scene::ImageSource& image : scene.images)
    image.inline_bytes = Bytes(*exporter::write_webp(picture(64, false), {.quality = 10}));
  const Pair pair = pair_of(scene, webp(95));
  for (const scene::ImageSource& image : pair.made.images)
    EXPECT_EQ(image.inline_bytes.size(), scene.images[0].inline_bytes.size());
}

TEST(OptimizedPictures, are_limited_by_slot) {
  OptimizeOptions options = usual();
  options.settings.texture.max_size_texels = 48;
  options.pictures.max_sizes = parse_size_limits("normal=16")->slots;
  for (const PictureFormat format : {PictureFormat::kUastc, PictureFormat::kWebp}) {
    options.pictures.format = format;
    const Pair pair = pair_of(textured(64), options);
    const auto side = [&](const scene::TextureUse& use) {
      return importer::read_image_info(pair.made.images.at(use.image).inline_bytes)->width_texels;
    };
    EXPECT_EQ(side(pair.made.materials[0].base_color_texture), 48u);
    EXPECT_EQ(side(pair.made.materials[0].normal_texture), 16u);
    EXPECT_EQ(side(pair.made.materials[0].emissive_texture), 32u);
  }
}

TEST(OptimizedPictures, of_several_slots_get_the_largest_limit) {
  scene::Scene scene = textured(64);
  scene.materials[0].emissive_texture.image = 0;
  OptimizeOptions options = webp();
  options.pictures.max_sizes = parse_size_limits("base_color=16,emissive=32,normal=8")->slots;
  const Pair pair = pair_of(scene, options);
  const scene::TextureUse& use = pair.made.materials[0].base_color_texture;
  EXPECT_EQ(importer::read_image_info(pair.made.images.at(use.image).inline_bytes)->width_texels, 32u);
}

TEST(OptimizedPictures, limits_are_read_and_written) {
  const SizeLimits limits = *parse_size_limits("2048,normal=512,base_color=1024");
  EXPECT_EQ(limits.all_texels, 2048u);
  EXPECT_EQ(to_string(limits.slots), "base_color=1024,normal=512");
  EXPECT_EQ(parse_size_limits("0")->all_texels, 0u);
  for (const char* text : {"", "x", "normal", "normal=", "=5", "normals=5", "1,2", "normal=1,normal=2", "40000", "1,"})
    EXPECT_FALSE(parse_size_limits(text)) << text;
}

TEST(OptimizedPictures, become_etc1s_but_for_normal_maps) {
  OptimizeOptions options = usual();
  options.pictures.format = PictureFormat::kEtc1s;
  const Pair pair = pair_of(textured(64, true), options);
  const auto format = [&](const scene::TextureUse& use) {
    const auto view = ktx2::View::open(pair.made.images.at(use.image).inline_bytes);
    EXPECT_TRUE(view);
    return view ? view->format() : TexelFormat::kRgba8;
  };
  EXPECT_EQ(format(pair.made.materials[0].base_color_texture), TexelFormat::kEtc1s);
  EXPECT_EQ(format(pair.made.materials[0].emissive_texture), TexelFormat::kEtc1s);
  EXPECT_EQ(format(pair.made.materials[0].normal_texture), TexelFormat::kUastc);
}

// Pixel art: hard edges between a few colors, which lossy WebP blurs.
TEST(OptimizedPictures, of_few_colors_are_exact) {
  scene::Image art{.width_texels = 64, .height_texels = 64, .pixels = ByteVector(64 * 64 * 4)};
  std::uint32_t noise = 1;
  for (std::size_t i = 0; i < art.pixels.size(); i += 4) {
    noise = noise * 1664525u + 1013904223u;
    const std::uint32_t number = noise >> 27;
    const std::byte color[4] = {static_cast<std::byte>(number * 29), static_cast<std::byte>(number * 53),
                                static_cast<std::byte>(number * 97), std::byte{255}};
    std::ranges::copy(color, art.pixels.begin() + static_cast<std::ptrdiff_t>(i));
  }
  scene::Scene scene = textured(64);
  for (scene::ImageSource& image : scene.images) image.inline_bytes = Bytes(*exporter::write_png(art));
  const Pair pair = pair_of(scene, webp());
  const scene::TextureUse& use = pair.made.materials[0].base_color_texture;
  EXPECT_EQ(mean_square_error(art, picture_of(pair.made, use)), 0);
  EXPECT_LT(pair.made.images.at(use.image).inline_bytes.size(), scene.images[0].inline_bytes.size());
}

TEST(OptimizedPictures, tell_the_video_memory) {
  Files files;
  files.put("a.glb", glb_of(textured(64)));
  const auto notes = [&](const OptimizeOptions& options) {
    std::string text;
    for (const recipes::Diagnostic& d : optimized(files, "a.glb", options).diagnostics)
      text += d.what.to_string() + "\n";
    return text;
  };
  // Two of 64x64 texels and one of 32x32, of 4 bytes, with mips.
  EXPECT_THAT(notes(webp()),
              ::testing::HasSubstr("a.glb: a GPU holds its textures in 48.0 KiB; --texture.format uastc"));
  EXPECT_THAT(notes(usual()), ::testing::Not(::testing::HasSubstr("a GPU holds")));
}

TEST(OptimizedPictures, of_files_that_grow_are_a_warning_or_stay) {
  scene::Scene scene = textured(64);
  for (scene::ImageSource& image : scene.images) image.inline_bytes = Bytes(*exporter::write_png(picture(64, false)));
  Files files;
  const Converted small = [&] {
    Files sources;
    sources.put("a.glb", glb_of(scene));
    return optimized(sources, "a.glb", webp(40));
  }();
  files.put("a.glb", small.files[0].bytes);
  const auto told = [](const Converted& made) {
    std::vector<std::string> lines;
    for (const recipes::Diagnostic& d : made.diagnostics) {
      if (d.what.what.contains("% of the source")) lines.push_back(d.what.to_string());
    }
    return lines;
  };
  const Converted grown = optimized(files, "a.glb", usual());
  EXPECT_GT(grown.files[0].bytes.size(), small.files[0].bytes.size());
  ASSERT_EQ(told(grown).size(), 1u);
  EXPECT_THAT(told(grown)[0], ::testing::MatchesRegex("a.glb: becomes larger: it has [0-9]+ % of the source: pictures "
                                                      ".* KiB to .* KiB.*; --texture.format webp makes pictures "
                                                      "smaller; KTX 2 saves video memory"));
  // KTX 2 is for the GPU, so only a caller that wants nothing but a small file gets the source back.
  OptimizeOptions options = usual();
  options.may_keep_source = true;
  const Converted kept = optimized(files, "a.glb", options);
  EXPECT_TRUE(std::ranges::equal(kept.files[0].bytes.span(), small.files[0].bytes.span()));
  ASSERT_EQ(kept.diagnostics.size(), 1u);
  EXPECT_THAT(kept.diagnostics[0].what.to_string(),
              ::testing::StartsWith("a.glb: stays as it is; optimized, it would"));
}

// What is not JSON in a source is not counted as JSON.
TEST(OptimizedPictures, growth_is_said_of_what_grows) {
  const auto told = [](const std::string& path, const std::string& text) {
    Files files;
    const ByteSpan bytes = as_bytes(text);
    files.put(path, Bytes(ByteVector(bytes.begin(), bytes.end())));
    for (const recipes::Diagnostic& d : optimized(files, path).diagnostics) {
      if (d.kind == WarningKind::kLargerOutput) return d.what.what;
    }
    return std::string("nothing");
  };
  EXPECT_THAT(told("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"),
              ::testing::MatchesRegex("becomes larger: it has [0-9]+ % of the source: JSON 0 B to [0-9.]+ KiB, "
                                      "geometry and clips 32 B to [0-9]+ B"));
  importer::testing::TinyGltf g;
  const std::string p = std::to_string(g.vec3({0, 0, 0, 1, 0, 0, 0, 1, 0}));
  const std::string gltf =
      g.json(R"("meshes":[{"primitives":[{"attributes":{"POSITION":)" + p + R"(}}]}],"nodes":[{"mesh":0}])");
  EXPECT_THAT(told("a.gltf", gltf), ::testing::MatchesRegex(".*JSON [0-9]+ B to [0-9.]+ KiB, geometry and clips "
                                                            "8[0-9] B to [0-9]+ B.*"));
}

TEST(OptimizedPictures, purposes_differ) {
  EXPECT_EQ(optimize_options().pictures.format, PictureFormat::kWebp);
  EXPECT_EQ(optimize_options_for("web")->pictures.format, PictureFormat::kWebp);
  EXPECT_EQ(optimize_options_for("headset")->pictures.format, PictureFormat::kUastc);
  EXPECT_EQ(optimize_options_for("phone")->settings.texture.max_size_texels, 1024u);
  EXPECT_EQ(optimize_options_for("headset")->settings.mesh.position_bits, 15u);
  EXPECT_TRUE(optimize_options_for("web")->removes_keys);
  EXPECT_FALSE(optimize_options().removes_keys);
  EXPECT_FALSE(optimize_options_for("tv"));
}

}  // namespace
}  // namespace assetc::optimize
