#include "render/render.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace assetc::render {
namespace {

using namespace scene;

// Two quads facing +Z, the red one in front of the green one and half as wide.
Scene quads() {
  Scene scene;
  const auto quad = [](float half, float z, std::uint32_t material) {
    Primitive p;
    p.material = material;
    p.positions = {{-half, -1, z}, {half, -1, z}, {half, 1, z}, {-half, 1, z}};
    p.normals.assign(4, {0, 0, 1});
    p.texcoords = {{{0, 1}, {1, 1}, {1, 0}, {0, 0}}};
    p.indices = {0, 1, 2, 0, 2, 3};
    return p;
  };
  scene.meshes.push_back({"", {quad(0.5f, 0.1f, 0), quad(1, 0, 1)}});
  Node node;
  node.mesh = 0;
  scene.nodes.push_back(node);
  scene.materials.resize(2);
  scene.materials[0].base_color = {1, 0, 0, 1};
  scene.materials[1].base_color = {0, 1, 0, 1};
  scene.materials[0].unlit = scene.materials[1].unlit = true;
  return scene;
}

Options front() {
  Options o;
  o.width_texels = o.height_texels = 64;
  o.yaw_degrees = o.pitch_degrees = 0;
  return o;
}

std::array<int, 3> texel(const Image& image, std::size_t x, std::size_t y) {
  const std::size_t at = (y * image.width_texels + x) * 4;
  return {static_cast<int>(image.pixels[at]), static_cast<int>(image.pixels[at + 1]),
          static_cast<int>(image.pixels[at + 2])};
}

TEST(Render, the_nearer_surface_wins_whatever_the_order) {
  Scene scene = quads();
  for (int swap = 0; swap < 2; ++swap) {
    const auto picture = render(scene, {}, front());
    ASSERT_TRUE(picture) << picture.error().to_string();
    EXPECT_EQ(texel(*picture, 32, 32), (std::array{255, 0, 0}));
    EXPECT_EQ(texel(*picture, 12, 32), (std::array{0, 255, 0}));
    std::swap(scene.meshes[0].primitives[0], scene.meshes[0].primitives[1]);
  }
}

TEST(Render, a_texture_stands_upright) {
  Scene scene = quads();
  scene.materials[0].base_color = {1, 1, 1, 1};
  scene.materials[0].base_color_texture.image = 0;
  scene.materials[0].base_color_texture.sampler.wrap_v = Wrap::kClamp;
  Image image;
  image.width_texels = 1;
  image.height_texels = 2;  // white over black
  image.pixels = {std::byte{255}, std::byte{255}, std::byte{255}, std::byte{255},
                  std::byte{0},   std::byte{0},   std::byte{0},   std::byte{255}};
  const auto picture = render(scene, {&image, 1}, front());
  ASSERT_TRUE(picture);
  EXPECT_GT(texel(*picture, 32, 13)[0], 240);
  EXPECT_LT(texel(*picture, 32, 51)[0], 15);
}

// Two texels, black and white, on twice the width of the texture. Nearest filtering shows no gray between them, and
// outside 0 to 1 the wrap mode decides.
TEST(Render, samples_as_the_material_says) {
  Scene scene = quads();
  scene.materials[0].base_color = {1, 1, 1, 1};
  scene.materials[0].unlit = true;
  TextureUse& use = scene.materials[0].base_color_texture;
  use.image = 0;
  use.transform.scale = {2, 1};
  Image image;
  image.width_texels = 2;
  image.height_texels = 1;
  image.pixels = {std::byte{0},   std::byte{0},   std::byte{0},   std::byte{255},
                  std::byte{255}, std::byte{255}, std::byte{255}, std::byte{255}};
  const auto row = [&](Wrap wrap, sampling::Filter mag) {
    use.sampler.wrap_u = wrap;
    use.sampler.mag = mag;
    Options options = front();
    options.supersample = 1;
    const auto picture = render(scene, {&image, 1}, options);
    EXPECT_TRUE(picture);
    std::vector<int> values;
    if (picture)
      for (std::size_t x = 23; x < 43; ++x) values.push_back(texel(*picture, x, 32)[0]);
    return values;
  };
  const auto gray = [](const std::vector<int>& values) {
    return std::ranges::count_if(values, [](int v) { return v > 8 && v < 247; });
  };
  const auto smooth = row(Wrap::kRepeat, sampling::Filter::kLinear),
             sharp = row(Wrap::kRepeat, sampling::Filter::kNearest);
  EXPECT_EQ(row(Wrap::kRepeat, sampling::Filter::kDefault), smooth);
  EXPECT_GT(gray(smooth), 5);
  EXPECT_EQ(gray(sharp), 0);
  const auto clamped = row(Wrap::kClamp, sampling::Filter::kNearest);
  const auto mirrored = row(Wrap::kMirror, sampling::Filter::kNearest);
  // At one, two and three quarters of the way, and at the end: black, white, then depending on the wrap mode.
  const auto at = [](const std::vector<int>& values, std::size_t i) { return values[i] > 127; };
  EXPECT_EQ((std::array{at(sharp, 2), at(sharp, 7), at(sharp, 12), at(sharp, 17)}),
            (std::array{false, true, false, true}));
  EXPECT_EQ((std::array{at(clamped, 2), at(clamped, 7), at(clamped, 12), at(clamped, 17)}),
            (std::array{false, true, true, true}));
  EXPECT_EQ((std::array{at(mirrored, 2), at(mirrored, 7), at(mirrored, 12), at(mirrored, 17)}),
            (std::array{false, true, true, false}));
}

// From green at the left over yellow to white at the right: red rises, green stays.
TEST(Render, vertex_colors_tint_the_material) {
  Scene scene = quads();
  scene.materials[0].base_color = {1, 1, 0, 1};
  Primitive& p = scene.meshes[0].primitives[0];
  p.colors = {{{0, 1, 0, 1}, {1, 1, 1, 1}, {1, 1, 1, 1}, {0, 1, 0, 1}}};
  auto picture = render(scene, {}, front());
  ASSERT_TRUE(picture) << picture.error().to_string();
  const auto left = texel(*picture, 22, 32), middle = texel(*picture, 32, 32), right = texel(*picture, 41, 32);
  EXPECT_LT(left[0], 90);
  EXPECT_NEAR(middle[0], 188, 6);  // half of the linear light
  EXPECT_GT(right[0], 240);
  for (const auto& at : {left, middle, right}) EXPECT_EQ((std::array{at[1], at[2]}), (std::array{255, 0}));
  // If the material blends, their alpha multiplies its alpha: the green quad behind is visible.
  p.colors[0].assign(4, {1, 1, 1, 0.5f});
  scene.materials[0].base_color = {1, 0, 0, 1};
  scene.materials[0].alpha_mode = AlphaMode::kBlend;
  picture = render(scene, {}, front());
  ASSERT_TRUE(picture);
  EXPECT_EQ(texel(*picture, 32, 32), (std::array{188, 188, 0}));
  // Without a material they are the color of the mesh.
  p.material = kNone;
  p.colors[0].assign(4, {1, 0, 0, 1});
  picture = render(scene, {}, front());
  ASSERT_TRUE(picture);
  EXPECT_GT(texel(*picture, 32, 32)[0], 200);
  EXPECT_LT(texel(*picture, 32, 32)[1], 20);
}

TEST(Render, styles_differ_and_a_picture_is_the_same_twice) {
  const Scene scene = quads();
  std::vector<ByteVector> seen;
  for (const Style style :
       {Style::kShaded, Style::kTextured, Style::kNormals, Style::kUv, Style::kWire, Style::kMeshlets}) {
    Options o = front();
    o.style = style;
    const auto picture = render(scene, {}, o);
    ASSERT_TRUE(picture);
    EXPECT_EQ(picture->pixels, render(scene, {}, o)->pixels);
    for (const ByteVector& other : seen) EXPECT_NE(other, picture->pixels);
    seen.push_back(picture->pixels);
  }
}

TEST(Render, a_level_of_detail_replaces_its_node) {
  Scene scene = quads();
  scene.meshes.push_back({"", {scene.meshes[0].primitives[1]}});
  Node reduced;
  reduced.mesh = 1;
  scene.nodes.push_back(reduced);
  scene.nodes[0].lods = {1};
  Options o = front();
  EXPECT_EQ(texel(*render(scene, {}, o), 32, 32), (std::array{255, 0, 0}));
  o.lod = 1;
  EXPECT_EQ(texel(*render(scene, {}, o), 32, 32), (std::array{0, 255, 0}));
  o.lod = 2;
  EXPECT_EQ(render(scene, {}, o).error().to_string(),
            "level of detail 2 was asked for, the model has 1; ask for one from 0, the full mesh, to 1");
  EXPECT_EQ(render(quads(), {}, o).error().to_string(),
            "level of detail 2 was asked for, the model has 0; ask for 0, the full mesh");
}

TEST(Render, refuses_what_cannot_be_drawn) {
  Options o = front();
  EXPECT_EQ(render({}, {}, o).error().to_string(), "the scene has no triangles, lines or points to draw");
  o.width_texels = 0;
  EXPECT_EQ(render(quads(), {}, o).error().code, ErrorCode::kLimit);
  o = front();
  o.posed = true;
  EXPECT_EQ(render(quads(), {}, o).error().to_string(), "clip 0 was asked for, the scene has 0");
}

// Drawing each of the repeated triangles would take minutes.
TEST(Render, repeated_triangles_are_one) {
  const Scene once = quads();
  Scene often = quads();
  for (Primitive& p : often.meshes[0].primitives) {
    const std::vector<std::uint32_t> one = p.indices;
    for (int i = 0; i < 50'000; ++i) p.indices.insert(p.indices.end(), one.begin(), one.end());
  }
  Options options = front();
  options.width_texels = options.height_texels = 512;
  for (const AlphaMode mode : {AlphaMode::kOpaque, AlphaMode::kMask}) {
    Scene a = once, b = often;
    a.materials[0].alpha_mode = b.materials[0].alpha_mode = mode;
    const auto expected = render(a, {}, options), found = render(b, {}, options);
    ASSERT_TRUE(expected && found);
    EXPECT_TRUE(expected->pixels == found->pixels);
  }
}

// The number of texels of the middle column that are not the background.
int covered_height(const Image& image) {
  const std::array<int, 3> background = texel(image, 0, 0);
  int count = 0;
  for (std::size_t y = 0; y < image.height_texels; ++y)
    count += texel(image, image.width_texels / 2, y) != background ? 1 : 0;
  return count;
}

Scene with_camera(const Camera& camera, Vec3 at) {
  Scene scene = quads();
  scene.meshes[0].primitives.erase(scene.meshes[0].primitives.begin());  // the green quad: 2 high, at z = 0
  scene.cameras.push_back(camera);
  Node node;
  node.camera = 0;
  node.transform.translation = at;
  scene.nodes.push_back(node);
  return scene;
}

TEST(Render, a_camera_of_the_scene_has_its_field_of_view) {
  Options o = front();
  o.camera = 1;
  Camera lens;
  lens.y_fov_radians = 2 * std::atan(0.5f);  // at distance 4, the view is 4 high
  lens.z_near = 0.1f;
  const auto half = render(with_camera(lens, {0, 0, 4}), {}, o);
  ASSERT_TRUE(half) << half.error().to_string();
  EXPECT_EQ(covered_height(*half), 32);
  Camera parallel;
  parallel.is_perspective = false;
  parallel.x_magnification = parallel.y_magnification = 4;  // the view is 8 high at every distance
  for (const float distance : {2.0f, 20.0f}) {
    const auto quarter = render(with_camera(parallel, {0, 0, distance}), {}, o);
    ASSERT_TRUE(quarter) << quarter.error().to_string();
    EXPECT_EQ(covered_height(*quarter), 16);
  }
}

TEST(Render, triangles_behind_a_camera_are_cut) {
  Camera lens;
  lens.y_fov_radians = 1.5707963f;
  lens.z_near = 0.1f;
  Scene scene = with_camera(lens, {0, 0, 0});
  // A floor one below the eye, from 10 before it to 10 behind it: it covers the lower half of the view.
  scene.meshes[0].primitives[0].positions = {{-40, -1, 10}, {40, -1, 10}, {40, -1, -40}, {-40, -1, -40}};
  Options o = front();
  o.camera = 1;
  const auto picture = render(scene, {}, o);
  ASSERT_TRUE(picture) << picture.error().to_string();
  EXPECT_EQ(texel(*picture, 32, 60), (std::array{0, 255, 0}));
  EXPECT_EQ(texel(*picture, 32, 28), texel(*picture, 0, 0));
  EXPECT_NEAR(covered_height(*picture), 31, 1);
}

TEST(Render, hidden_nodes_are_not_drawn) {
  Scene scene = quads();
  Node root;
  root.is_visible = false;
  scene.nodes.push_back(root);
  scene.nodes[0].parent = 1;
  EXPECT_EQ(render(scene, {}, front()).error().what, "the scene has no triangles, lines or points to draw");
}

TEST(Render, a_node_without_a_camera_is_an_error) {
  Options o = front();
  o.camera = 0;
  EXPECT_EQ(render(quads(), {}, o).error().what, "node 0 has no camera");
}

TEST(Render, each_texture_uses_its_own_set_of_coordinates) {
  Scene scene = quads();
  Image image;
  image.width_texels = 2;
  image.height_texels = 1;
  for (const int v : {255, 0, 0, 255, 0, 0, 255, 255}) image.pixels.push_back(static_cast<std::byte>(v));
  scene.images.resize(1);
  Material& m = scene.materials[0];
  m.base_color = {1, 1, 1, 1};
  m.base_color_texture.image = 0;
  m.base_color_texture.texcoord = 1;
  m.base_color_texture.sampler.mag = sampling::Filter::kNearest;
  scene.meshes[0].primitives[0].texcoords.push_back(std::vector<Vec2>(4, {0.75f, 0.5f}));  // blue everywhere
  const auto picture = render(scene, {&image, 1}, front());
  ASSERT_TRUE(picture) << picture.error().to_string();
  EXPECT_EQ(texel(*picture, 24, 32), (std::array{0, 0, 255}));
  EXPECT_EQ(texel(*picture, 40, 32), (std::array{0, 0, 255}));
}

// A red line from left to right, and a green point above it, both without normals.
Scene line_and_point() {
  Scene scene = quads();
  Primitive line, point;
  line.topology = Topology::kLines;
  line.positions = {{-1, 0, 0}, {1, 0, 0}};
  line.indices = {0, 1};
  line.material = 0;
  point.topology = Topology::kPoints;
  point.positions = {{0, 0.5f, 0}};
  point.indices = {0};
  point.colors = {{{0, 1, 0, 1}}};
  scene.meshes[0].primitives = {line, point};
  return scene;
}

std::size_t count_of(const Image& image, std::array<int, 3> color) {
  std::size_t count = 0;
  for (std::size_t y = 0; y < image.height_texels; ++y) {
    for (std::size_t x = 0; x < image.width_texels; ++x) count += texel(image, x, y) == color ? 1 : 0;
  }
  return count;
}

TEST(Render, lines_are_one_texel_wide_and_points_three_without_light) {
  Options o = front();
  o.supersample = 1;
  const auto picture = render(line_and_point(), {}, o);
  ASSERT_TRUE(picture) << picture.error().to_string();
  std::size_t red_rows = 0, first_row = 0;
  for (std::size_t y = 0; y < 64; ++y) {
    if (texel(*picture, 32, y) == std::array{255, 0, 0}) ++red_rows, first_row = y;
  }
  EXPECT_EQ(red_rows, 1u);
  EXPECT_NEAR(static_cast<double>(first_row), 38, 6);
  EXPECT_GT(count_of(*picture, {255, 0, 0}), 40u);
  EXPECT_EQ(count_of(*picture, {0, 255, 0}), 9u);
}

TEST(Render, a_camera_cuts_lines_that_begin_behind_it) {
  Scene scene = line_and_point();
  scene.meshes[0].primitives[0].positions = {{0, 0, 9}, {0.5f, 0, -5}};
  scene.meshes[0].primitives[1].positions = {{0, 0, 9}};
  scene.cameras.emplace_back();
  scene.cameras[0].y_fov_radians = 1;
  scene.cameras[0].z_near = 0.1f;
  scene.nodes.emplace_back().camera = 0;
  Options o = front();
  o.camera = 1;
  o.supersample = 1;
  const auto picture = render(scene, {}, o);
  ASSERT_TRUE(picture) << picture.error().to_string();
  EXPECT_GT(count_of(*picture, {255, 0, 0}), 10u);
  EXPECT_EQ(count_of(*picture, {0, 255, 0}), 0u);
}

// The middle between a black and a white texel is half of the light, which is 188 in sRGB.
TEST(Render, colors_are_decoded_before_they_are_filtered) {
  Scene scene = quads();
  scene.meshes[0].primitives[0].texcoords[0].assign(4, {0.5f, 0.5f});
  Image image;
  image.width_texels = 2;
  image.height_texels = 1;
  for (const int v : {0, 0, 0, 255, 255, 255, 255, 255}) image.pixels.push_back(static_cast<std::byte>(v));
  scene.images.resize(1);
  scene.materials[0].base_color = {1, 1, 1, 1};
  scene.materials[0].base_color_texture.image = 0;
  const auto picture = render(scene, {&image, 1}, front());
  ASSERT_TRUE(picture) << picture.error().to_string();
  EXPECT_EQ(texel(*picture, 32, 32), (std::array{188, 188, 188}));
}

TEST(Render, unlit_materials_do_not_emit) {
  Scene scene = quads();
  scene.materials[0].emissive = {0, 0, 1};
  const auto picture = render(scene, {}, front());
  ASSERT_TRUE(picture) << picture.error().to_string();
  EXPECT_EQ(texel(*picture, 32, 32), (std::array{255, 0, 0}));
}

// A mesh in which another part has colors stores white ones for a part that has none.
TEST(Render, a_part_without_a_material_has_the_default_material) {
  Scene scene = quads();
  scene.meshes[0].primitives.resize(1);
  Primitive& p = scene.meshes[0].primitives[0];
  scene.materials.resize(1);
  scene.materials[0] = {};
  const auto expected = render(scene, {}, front());
  p.material = kNone;
  const auto without = render(scene, {}, front());
  p.colors = {{{1, 1, 1, 1}, {1, 1, 1, 1}, {1, 1, 1, 1}, {1, 1, 1, 1}}};
  const auto white = render(scene, {}, front());
  ASSERT_TRUE(expected && without && white);
  EXPECT_TRUE(without->pixels == expected->pixels);
  EXPECT_TRUE(white->pixels == expected->pixels);
}

Camera lens_with_far_plane(bool is_perspective, float z_far) {
  Camera camera;
  camera.is_perspective = is_perspective;
  camera.y_fov_radians = 1.5707963f;
  camera.x_magnification = camera.y_magnification = 2;
  camera.z_near = 0.1f;
  camera.z_far = z_far;
  return camera;
}

TEST(Render, nothing_beyond_the_far_plane_of_a_camera_is_seen) {
  Options o = front();
  o.camera = 1;
  for (const bool is_perspective : {true, false}) {
    const auto before = render(with_camera(lens_with_far_plane(is_perspective, 4.1f), {0, 0, 4}), {}, o),
               beyond = render(with_camera(lens_with_far_plane(is_perspective, 3.9f), {0, 0, 4}), {}, o);
    ASSERT_TRUE(before && beyond);
    EXPECT_GT(covered_height(*before), 10);
    EXPECT_EQ(covered_height(*beyond), 0);
  }
  // The part of a floor, one below the eye, that is nearer than 2.
  Scene scene = with_camera(lens_with_far_plane(true, 2), {0, 0, 0});
  scene.meshes[0].primitives[0].positions = {{-40, -1, 10}, {40, -1, 10}, {40, -1, -40}, {-40, -1, -40}};
  const auto floor = render(scene, {}, o);
  ASSERT_TRUE(floor) << floor.error().to_string();
  EXPECT_EQ(covered_height(*floor), 16);
}

// The green quad is drawn first and is half a millimeter behind the red one.
TEST(Render, an_orthographic_camera_tells_near_surfaces_apart) {
  Scene scene = quads();
  std::swap(scene.meshes[0].primitives[0], scene.meshes[0].primitives[1]);
  for (Vec3& v : scene.meshes[0].primitives[1].positions) v.z = 0.0005f;
  scene.cameras.push_back(lens_with_far_plane(false, 100));
  scene.nodes.emplace_back().camera = 0;
  scene.nodes[1].transform.translation = {0, 0, 20};
  Options o = front();
  o.camera = 1;
  const auto picture = render(scene, {}, o);
  ASSERT_TRUE(picture) << picture.error().to_string();
  for (std::size_t y = 18; y < 46; ++y) {
    for (std::size_t x = 25; x < 39; ++x) ASSERT_EQ(texel(*picture, x, y), (std::array{255, 0, 0})) << x << " " << y;
  }
  EXPECT_EQ(texel(*picture, 20, 32), (std::array{0, 255, 0}));
  // Blended surfaces are drawn from far to near, in either order.
  for (int swap = 0; swap < 2; ++swap) {
    for (Material& m : scene.materials) m.alpha_mode = AlphaMode::kBlend, m.base_color.w = 0.5f;
    const auto blended = render(scene, {}, o);
    ASSERT_TRUE(blended);
    EXPECT_GT(texel(*blended, 32, 32)[0], texel(*blended, 32, 32)[1] + 30);
    std::swap(scene.meshes[0].primitives[0], scene.meshes[0].primitives[1]);
  }
}

}  // namespace
}  // namespace assetc::render
