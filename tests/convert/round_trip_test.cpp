// Each container holds what its source holds: the same triangles, and every attribute within the container's precision.
// The worst errors are printed; docs/formats/precision.md lists them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "convert/support.hpp"
#include "export/glb.hpp"
#include "import/model/model.hpp"
#include "recipes/mesh/parts.hpp"

namespace assetc::convert {
namespace {

using namespace testing;
using scene::Primitive;
using scene::Vec2;
using scene::Vec3;
using scene::Vec4;

// Bounds, derived from the formats. Normals and tangents: degrees of octahedral.hpp's two 16-bit coordinates; a tangent
// gives one bit to its handedness. Texture coordinates: floats in .hmesh; unorm16 in Galileo (half a step, in texels of
// a 4096 texture, and the rounding of a float). Colors: unorm8. Weights: floats, or unorm16 that are adjusted to sum to
// 1 and so are up to a step off. Galileo's normals and tangents are floats, unchanged or normalized: an error of one or
// two times 2^-24 for each coordinate.
struct Bounds {
  double normal_degrees, tangent_degrees, texcoord_texels, color, weight;
};
constexpr double kUnorm16Texels = 0.5 / 65535 * 4096 + 4096 * 6e-8;
constexpr Bounds kHmeshBounds{0.004, 0.008, 0, 0, 0};
constexpr Bounds kGalileoBounds{0.00003, 0.00003, kUnorm16Texels, 0.5 / 255 + 1e-7, 1.0 / 65535 + 1e-7};

struct Corner {
  Vec3 position;
  std::optional<Vec3> normal;
  std::optional<Vec4> tangent;
  std::vector<Vec2> texcoords;
  std::vector<Vec4> colors;
  std::array<std::uint16_t, 4> joints{};
  std::optional<Vec4> weights;
};

using Triangle = std::array<Corner, 3>;

// -0 and 0 are the same position.
std::array<float, 3> key(Vec3 p) { return {p.x + 0.0f, p.y + 0.0f, p.z + 0.0f}; }
std::array<std::array<float, 3>, 3> key(const Triangle& t) {
  return {key(t[0].position), key(t[1].position), key(t[2].position)};
}

// Rotates the triangle so that its least corner is first. Rotations of a triangle are then equal, its mirror image is
// not.
Triangle canonical(Triangle t) {
  for (int turn = 0; turn < 2 && (key(t[0].position) > key(t[1].position) || key(t[0].position) > key(t[2].position));
       ++turn)
    t = {t[1], t[2], t[0]};
  return t;
}

// The compiler may drop a triangle with two equal corners, so these are not compared.
bool is_thin(const Triangle& t) {
  return t[0].position == t[1].position || t[1].position == t[2].position || t[0].position == t[2].position;
}

template <class MakeCorner>
void add_triangles(std::span<const std::uint32_t> indices, const MakeCorner& corner, std::vector<Triangle>& out) {
  for (std::size_t i = 0; i + 2 < indices.size(); i += 3) {
    Triangle t = canonical({corner(indices[i]), corner(indices[i + 1]), corner(indices[i + 2])});
    if (!is_thin(t)) out.push_back(std::move(t));
  }
}

bool has_direction(Vec3 v) { return dot(v, v) > 0 && std::isfinite(dot(v, v)); }
Vec3 xyz(Vec4 v) { return {v.x, v.y, v.z}; }

// The triangles that the container should hold for a submesh that the recipe sees.
std::vector<Triangle> expected_triangles(const mesh::SubmeshInput& s, bool keeps_channels, bool keeps_skin) {
  std::vector<mesh::Stream<Vec2>> texcoords = s.texcoord_sets;
  if (!s.texcoords.empty() && !keeps_channels) texcoords = {s.texcoords};
  const bool tangents_usable =
      std::ranges::all_of(s.tangents, [](Vec4 t) { return has_direction(xyz(t)) && (t.w == 1 || t.w == -1); });
  std::vector<Triangle> out;
  add_triangles(
      s.indices,
      [&](std::uint32_t v) {
        Corner c;
        c.position = s.positions[v];
        if (!s.normals.empty() && has_direction(s.normals[v])) c.normal = s.normals[v];
        if (!s.tangents.empty() && tangents_usable) c.tangent = s.tangents[v];
        for (const auto& set : texcoords) c.texcoords.push_back(set[v]);
        for (const auto& set : s.color_sets) c.colors.push_back(set[v]);
        if (keeps_skin && !s.skin.empty()) {
          std::ranges::copy(s.skin[v].joints, c.joints.begin());
          c.weights = Vec4{s.skin[v].weights[0], s.skin[v].weights[1], s.skin[v].weights[2], s.skin[v].weights[3]};
        }
        return c;
      },
      out);
  return out;
}

std::vector<Triangle> triangles_of(const Primitive& p) {
  std::vector<Triangle> out;
  add_triangles(
      p.indices,
      [&](std::uint32_t v) {
        Corner c;
        c.position = p.positions[v];
        if (!p.normals.empty()) c.normal = p.normals[v];
        if (!p.tangents.empty()) c.tangent = p.tangents[v];
        for (const auto& set : p.texcoords) c.texcoords.push_back(set[v]);
        for (const auto& set : p.colors) c.colors.push_back(set[v]);
        if (!p.influences.empty()) {
          c.joints = p.influences[0].joints[v];
          c.weights = p.influences[0].weights[v];
        }
        return c;
      },
      out);
  return out;
}

double degrees_between(Vec3 a, Vec3 b) {
  const double ax = a.x, ay = a.y, az = a.z, bx = b.x, by = b.y, bz = b.z;
  const double cx = ay * bz - az * by, cy = az * bx - ax * bz, cz = ax * by - ay * bx;
  return std::atan2(std::sqrt(cx * cx + cy * cy + cz * cz), ax * bx + ay * by + az * bz) * 57.29577951308232;
}
double distance(Vec2 a, Vec2 b) {
  return std::max(std::fabs(double{a.x} - double{b.x}), std::fabs(double{a.y} - double{b.y}));
}
double distance(Vec4 a, Vec4 b) {
  return std::max({std::fabs(double{a.x} - double{b.x}), std::fabs(double{a.y} - double{b.y}),
                   std::fabs(double{a.z} - double{b.z}), std::fabs(double{a.w} - double{b.w})});
}
Vec4 clamped(Vec4 c) {
  const auto one = [](float v) { return std::fmin(std::fmax(v, 0.0f), 1.0f); };
  return {one(c.x), one(c.y), one(c.z), one(c.w)};
}

struct Errors {
  std::size_t triangles = 0, wrong = 0;  // wrong: a lost attribute, a flipped handedness, another joint
  double normal_degrees = 0, tangent_degrees = 0, texcoord_texels = 0, color = 0, weight = 0;

  void merge(const Errors& e) {
    triangles += e.triangles;
    wrong += e.wrong;
    normal_degrees = std::max(normal_degrees, e.normal_degrees);
    tangent_degrees = std::max(tangent_degrees, e.tangent_degrees);
    texcoord_texels = std::max(texcoord_texels, e.texcoord_texels);
    color = std::max(color, e.color);
    weight = std::max(weight, e.weight);
  }
  // The sum of all errors, to choose among triangles in the same place.
  double cost() const {
    return 1000 * static_cast<double>(wrong) + normal_degrees + tangent_degrees + texcoord_texels + color + weight;
  }
};

Errors compare(const Triangle& want, const Triangle& got) {
  Errors e;
  e.triangles = 1;
  for (std::size_t k = 0; k < 3; ++k) {
    const Corner &w = want[k], &g = got[k];
    if (w.normal) e.normal_degrees = std::max(e.normal_degrees, degrees_between(*w.normal, g.normal.value_or(Vec3{})));
    if (w.tangent) {
      e.wrong += !g.tangent || g.tangent->w != w.tangent->w;
      e.tangent_degrees =
          std::max(e.tangent_degrees, degrees_between(xyz(*w.tangent), xyz(g.tangent.value_or(Vec4{}))));
    }
    e.wrong +=
        g.texcoords.size() < w.texcoords.size() || g.colors.size() < w.colors.size() || (w.weights && !g.weights);
    if (e.wrong > 0) return e;
    for (std::size_t s = 0; s < w.texcoords.size(); ++s)
      e.texcoord_texels = std::max(e.texcoord_texels, 4096 * distance(w.texcoords[s], g.texcoords[s]));
    for (std::size_t s = 0; s < w.colors.size(); ++s)
      e.color = std::max(e.color, distance(clamped(w.colors[s]), g.colors[s]));
    if (w.weights) {
      e.wrong += w.joints != g.joints;
      e.weight = std::max(e.weight, distance(*w.weights, *g.weights));
    }
  }
  return e;
}

// Pairs the triangles of two lists by their positions, which must be equal. Triangles in the same place are paired by
// the least errors.
std::optional<Errors> compare(const std::vector<Triangle>& all_want, const std::vector<Triangle>& all_got) {
  const auto sorted = [](const std::vector<Triangle>& all) {
    std::vector<std::pair<decltype(key(all[0])), const Triangle*>> by_key;
    by_key.reserve(all.size());
    for (const Triangle& triangle : all) by_key.emplace_back(key(triangle), &triangle);
    std::ranges::sort(by_key);
    return by_key;
  };
  const auto want = sorted(all_want), got = sorted(all_got);
  if (!std::ranges::equal(want, got, {}, [](const auto& w) { return w.first; }, [](const auto& g) { return g.first; }))
    return std::nullopt;
  Errors all;
  for (std::size_t begin = 0, end; begin < want.size(); begin = end) {
    for (end = begin + 1; end < want.size() && want[end].first == want[begin].first;) ++end;
    std::vector<bool> used(end - begin, false);
    for (std::size_t i = begin; i < end; ++i) {
      std::optional<Errors> best;
      std::size_t at = 0;
      for (std::size_t j = begin; j < end; ++j) {
        if (used[j - begin]) continue;
        const Errors e = compare(*want[i].second, *got[j].second);
        if (!best || e.cost() < best->cost()) best = e, at = j - begin;
      }
      used[at] = true;
      all.merge(*best);
    }
  }
  return all;
}

// Converts a model to a container and compares it with itself. Then converts it to .glb, which must hold exactly the
// same, and back.
std::optional<Errors> round_trip(Files& files, const std::string& path, const ContainerCase& to) {
  // Load without the normals that load_model computes: computing them twice gives different rounding.
  const auto source =
      importer::import_model(path, *files.reader()(path), files.reader(), [](std::string_view) { return false; });
  EXPECT_TRUE(source) << source.error().to_string();
  if (!source) return std::nullopt;
  const bool keeps_channels = to.container == recipes::MeshFormat::kGalileo;
  const bool one_range = to.container == recipes::MeshFormat::kHmeshV1;
  recipes::MeshReport report;
  auto flat = recipes::flatten({source->scene, importer::model_kind(path), keeps_channels}, true, report);
  EXPECT_TRUE(flat) << flat.error().to_string();
  if (!flat) return std::nullopt;
  // Version 1 holds triangles alone.
  if (one_range) std::erase_if(flat->submeshes, [](const auto& submesh) { return !submesh.is_of_triangles(); });

  const std::string compiled = path + to.suffix, glb = compiled + ".glb", again = compiled + ".again" + to.suffix;
  for (const auto& [from, out] : {std::pair(path, compiled), std::pair(compiled, glb), std::pair(glb, again)}) {
    const auto converted = convert_file(from, out, files.reader(), into(to.container));
    EXPECT_TRUE(converted) << from << " to " << out << ": " << converted.error().to_string();
    if (!converted) return std::nullopt;
    files.put(*converted);
  }
  std::map<std::string, std::vector<Primitive>> got;
  for (const std::string& step : {compiled, glb, again}) {
    auto model = load_model(step, files.reader());
    EXPECT_TRUE(model) << model.error().to_string();
    if (!model) return std::nullopt;
    got[step] = std::move(model->scene.meshes.at(0).primitives);
  }

  Errors worst;
  std::vector<Triangle> all;
  for (std::size_t s = 0; s < flat->submeshes.size(); ++s) {
    std::vector<Triangle> want = expected_triangles(flat->submeshes[s], keeps_channels, !one_range);
    if (one_range) {
      std::ranges::move(want, std::back_inserter(all));
      if (s + 1 < flat->submeshes.size()) continue;
      want = std::move(all);
    }
    const std::size_t primitive = one_range ? 0 : s;
    for (const std::string& step : {compiled, glb, again}) {
      if (primitive >= got[step].size()) {
        ADD_FAILURE() << step << " has no submesh " << s;
        return std::nullopt;
      }
      const auto errors = compare(want, triangles_of(got[step][primitive]));
      EXPECT_TRUE(errors) << step << ": submesh " << s << " has other triangles than its source";
      if (errors && step == compiled) worst.merge(*errors);
    }
    const Primitive &a = got[compiled][primitive], &b = got[glb][primitive];
    EXPECT_EQ(a.indices, b.indices) << glb;
    EXPECT_TRUE(a.positions == b.positions && a.normals == b.normals && a.tangents == b.tangents &&
                a.texcoords == b.texcoords && a.colors == b.colors)
        << glb << ": submesh " << s;
    EXPECT_EQ(a.influences.size(), b.influences.size());
    for (std::size_t i = 0; i < std::min(a.influences.size(), b.influences.size()); ++i) {
      EXPECT_EQ(a.influences[i].joints, b.influences[i].joints) << glb;
      EXPECT_EQ(a.influences[i].weights, b.influences[i].weights) << glb;
    }
  }
  return worst;
}

void expect_within(const Errors& e, const Bounds& bounds, const std::string& what) {
  EXPECT_EQ(e.wrong, 0u) << what << ": an attribute is lost, or a joint or a handedness differs";
  EXPECT_LE(e.normal_degrees, bounds.normal_degrees) << what;
  EXPECT_LE(e.tangent_degrees, bounds.tangent_degrees) << what;
  EXPECT_LE(e.texcoord_texels, bounds.texcoord_texels) << what;
  EXPECT_LE(e.color, bounds.color) << what;
  EXPECT_LE(e.weight, bounds.weight) << what;
}
const Bounds& bounds_of(const ContainerCase& c) {
  return c.container == recipes::MeshFormat::kGalileo ? kGalileoBounds : kHmeshBounds;
}
void print(const char* of, const ContainerCase& c, const Errors& e) {
  std::printf("| %s | %s | %zu | %.5f | %.5f | %.5f | %.5f | %.7f |\n", of, c.name, e.triangles, e.normal_degrees,
              e.tangent_degrees, e.texcoord_texels, e.color, e.weight);
}

class RoundTrip : public ::testing::TestWithParam<ContainerCase> {};

TEST_P(RoundTrip, every_attribute_of_a_rich_sheet_stays_within_the_containers_bounds) {
  for (const float tiles : {1.0f, 5.0f}) {
    Files files;
    const auto glb = exporter::write_glb(sheet(17, tiles, true));
    ASSERT_TRUE(glb) << glb.error().to_string();
    files.put("sheet.glb", Bytes(*glb));
    const auto errors = round_trip(files, "sheet.glb", GetParam());
    ASSERT_TRUE(errors);
    EXPECT_EQ(errors->triangles, 17u * 17 * 2);
    expect_within(*errors, bounds_of(GetParam()), "sheet");
    print(tiles == 1 ? "sheet" : "tiled sheet", GetParam(), *errors);
  }
}

TEST_P(RoundTrip, mirrored_instances_keep_their_winding) {
  scene::Scene scene = sheet(4, 1, false);
  scene::Node mirrored = scene.nodes[0];
  mirrored.transform.scale = {-1.5f, 1, 1};
  mirrored.transform.translation = {-2, 0, 0.25f};
  scene.nodes.push_back(mirrored);
  Files files;
  files.put("pair.glb", Bytes(*exporter::write_glb(scene)));
  const auto errors = round_trip(files, "pair.glb", GetParam());
  ASSERT_TRUE(errors);
  EXPECT_EQ(errors->triangles, 2u * 4 * 4 * 2);
  expect_within(*errors, bounds_of(GetParam()), "pair");
}

TEST_P(RoundTrip, every_model_of_the_corpus) {
  Errors worst;
  const auto models = corpus_models();
  EXPECT_FALSE(models.empty());
  for (const auto& [folder, model] : models) {
    SCOPED_TRACE(model);
    Files files(folder);
    const auto errors = round_trip(files, model, GetParam());
    ASSERT_TRUE(errors);
    expect_within(*errors, bounds_of(GetParam()), model);
    worst.merge(*errors);
  }
  print("corpus", GetParam(), worst);
}

INSTANTIATE_TEST_SUITE_P(Containers, RoundTrip, ::testing::ValuesIn(kContainers), [](const auto& of) {
  return std::string(of.param.suffix + 1) + (of.param.container == recipes::MeshFormat::kHmeshV1 ? "_v1" : "");
});

}  // namespace
}  // namespace assetc::convert
