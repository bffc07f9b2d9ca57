// Models that become .hcluster, and cuts of it that become scenes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>

#include "assetc/formats/hcluster_view.hpp"
#include "convert/support.hpp"
#include "export/glb.hpp"
#include "filetypes/filetypes.hpp"

namespace assetc::convert {
namespace {

using namespace testing;
using ::testing::HasSubstr;

// Two smooth sheets in two materials.
scene::Scene two_sheets(std::uint32_t side, bool has_materials = true) {
  scene::Scene scene = sheet(side, 3, true);
  scene::Primitive& first = scene.meshes[0].primitives[0];
  for (std::size_t v = 0; v < first.positions.size(); ++v) {
    scene::Vec3& p = first.positions[v];
    p.y = 0.2f * std::sin(3 * p.x) * std::cos(2 * p.z);
    first.normals[v] = scene::normalize_or(
        {-0.6f * std::cos(3 * p.x) * std::cos(2 * p.z), 1, 0.4f * std::sin(3 * p.x) * std::sin(2 * p.z)}, {0, 1, 0});
  }
  scene::Primitive second = first;
  for (scene::Vec3& p : second.positions) p.y += 1;
  second.material = 1;
  scene.materials.push_back({});
  scene.materials[1].name = "Stone";
  scene.meshes[0].primitives.push_back(std::move(second));
  if (!has_materials) {
    for (scene::Primitive& p : scene.meshes[0].primitives) p.material = scene::kNone;
    scene.materials.clear();
  }
  return scene;
}

class Hcluster : public ::testing::Test {
 protected:
  Converted convert(const std::string& from, const std::string& to, const ConvertOptions& options = {}) {
    auto converted = convert_file(from, to, files_.reader(), options);
    EXPECT_TRUE(converted) << from << " to " << to << ": " << converted.error().to_string();
    if (!converted) return {};
    files_.put(*converted);
    return std::move(*converted);
  }
  void write(const scene::Scene& scene) {
    const auto glb = exporter::write_glb(scene);
    ASSERT_TRUE(glb) << glb.error().to_string();
    files_.put("model.glb", Bytes(*glb));
  }
  scene::Scene load(const std::string& path, float max_error = 0) {
    auto model = load_model(path, files_.reader(), {.error = max_error});
    EXPECT_TRUE(model) << model.error().to_string();
    return model ? std::move(model->scene) : scene::Scene();
  }
  static std::string told(const Converted& c) {
    std::string out;
    for (const recipes::Diagnostic& d : c.diagnostics) out += d.what.to_string() + "\n";
    return out;
  }
  static std::size_t triangles(const scene::Scene& scene) {
    std::size_t count = 0;
    for (const scene::Primitive& p : scene.meshes.at(0).primitives) count += p.indices.size() / 3;
    return count;
  }

  Files files_;
};

TEST_F(Hcluster, a_model_comes_back_with_its_materials_and_attributes) {
  const scene::Scene source = two_sheets(40);
  write(source);
  const Converted c = convert("model.glb", "model.hcluster");
  ASSERT_EQ(c.files.size(), 2u);
  EXPECT_EQ(c.files[1].path, "model.hmat");
  EXPECT_EQ(told(c), "");
  const scene::Scene back = load("model.hcluster");
  EXPECT_EQ(triangles(back), triangles(source));
  ASSERT_EQ(back.materials.size(), 2u);
  ASSERT_EQ(back.meshes[0].primitives.size(), 2u);
  for (const scene::Primitive& p : back.meshes[0].primitives) {
    const scene::Primitive& from = source.meshes[0].primitives[p.material];
    EXPECT_EQ(p.indices.size(), from.indices.size());
    EXPECT_EQ(p.clusters.size(), p.indices.size() / 3);
    ASSERT_EQ(p.texcoords.size(), 2u);
    ASSERT_EQ(p.colors.size(), 1u);
    ASSERT_EQ(p.tangents.size(), p.positions.size());
    // Attributes are formulas of the first texture coordinate.
    for (std::size_t v = 0; v < p.positions.size(); ++v) {
      const float u = p.texcoords[0][v].x / 3, w = p.texcoords[0][v].y / 3;
      EXPECT_NEAR(p.positions[v].x, u * 3.7f, 2e-4);
      EXPECT_NEAR(p.positions[v].z, w * 2.3f, 2e-4);
      EXPECT_NEAR(p.texcoords[1][v].x, w * 0.93f, 1e-4);
      EXPECT_NEAR(p.colors[0][v].x, u, 0.003);
      EXPECT_NEAR(p.colors[0][v].w, 1 - w * 0.5f, 0.003);
      const scene::Vec4 t = p.tangents[v];
      EXPECT_NEAR(scene::dot(p.normals[v], {t.x, t.y, t.z}), 0, 1e-5);
      EXPECT_NEAR(std::sqrt(t.x * t.x + t.y * t.y + t.z * t.z), 1, 1e-5);
      EXPECT_NEAR(scene::length(p.normals[v]), 1, 1e-5);
    }
  }
}

TEST_F(Hcluster, a_cut_of_an_error_has_fewer_triangles) {
  write(two_sheets(60));
  convert("model.glb", "model.hcluster");
  std::size_t before = triangles(load("model.hcluster"));
  EXPECT_EQ(before, 2u * 2 * 60 * 60);
  for (const float error : {0.01f, 0.1f}) {
    const std::size_t count = triangles(load("model.hcluster", error));
    EXPECT_LT(count, before) << error;
    EXPECT_GT(count, 0u) << error;
    before = count;
  }
  EXPECT_LT(before, 300u);
  ConvertOptions options;
  options.max_error = 0.1f;
  convert("model.hcluster", "cut.glb", options);
  EXPECT_EQ(triangles(load("cut.glb")), triangles(load("model.hcluster", 0.1f)));
}

// An error that grows with the distance leaves more triangles near the eye than far from it.
TEST_F(Hcluster, a_cut_may_depend_on_the_distance) {
  write(two_sheets(40));
  convert("model.glb", "model.hcluster");
  const importer::ClusterCut cut{.error_per_distance = 0.02f, .eye = {0, 0, 0}, .near = 0.01f};
  const auto model = load_model("model.hcluster", files_.reader(), cut);
  ASSERT_TRUE(model) << model.error().to_string();
  float near_area = 0, far_area = 0;
  std::size_t near_count = 0, far_count = 0;
  for (const scene::Primitive& p : model->scene.meshes.at(0).primitives) {
    for (std::size_t t = 0; t < p.indices.size(); t += 3) {
      const scene::Vec3 a = p.positions[p.indices[t]], b = p.positions[p.indices[t + 1]],
                        c = p.positions[p.indices[t + 2]];
      const bool is_near = scene::length((a + b + c) * (1.0f / 3)) < 1;
      (is_near ? near_count : far_count) += 1;
      (is_near ? near_area : far_area) += scene::length(scene::cross(b - a, c - a)) / 2;
    }
  }
  ASSERT_GT(far_count, 0u);
  EXPECT_GT(static_cast<float>(near_count) / near_area, 1.25f * static_cast<float>(far_count) / far_area);
}

TEST_F(Hcluster, a_mesh_without_materials_has_one_part_without_one) {
  write(two_sheets(10, false));
  convert("model.glb", "model.hcluster");
  const scene::Scene back = load("model.hcluster");
  ASSERT_EQ(back.meshes[0].primitives.size(), 1u);
  EXPECT_EQ(triangles(back), 400u);
}

TEST_F(Hcluster, into_other_containers_and_back) {
  write(two_sheets(20));
  convert("model.glb", "model.hcluster");
  convert("model.hcluster", "other.hmesh");
  EXPECT_EQ(triangles(load("other.hmesh")), 1600u);
  convert("other.hmesh", "again.hcluster");
  EXPECT_EQ(triangles(load("again.hcluster")), 1600u);
  convert("model.hcluster", "same.hcluster");
  EXPECT_TRUE(std::ranges::equal(files_.reader()("same.hcluster")->span(), files_.reader()("model.hcluster")->span()));
}

TEST_F(Hcluster, skinned_models_keep_their_skins) {
  const std::vector<CorpusModel> models = skinned_models();
  ASSERT_FALSE(models.empty());
  for (const CorpusModel& model : models) {
    SCOPED_TRACE(model.path);
    files_ = Files(model.folder);
    convert(model.path, "model.hmesh");
    EXPECT_THAT(told(convert(model.path, "model.hcluster")), Not(HasSubstr("skin")));
    const scene::Scene whole = load("model.hmesh"), back = load("model.hcluster");
    ASSERT_EQ(back.skins.size(), 1u);
    EXPECT_EQ(back.nodes[0].skin, 0u);
    ASSERT_EQ(back.nodes.size(), 1 + back.skins[0].joints.size());
    for (std::size_t j = 0; j < back.skins[0].joints.size(); ++j) {
      const scene::Node &from = whole.nodes[whole.skins[0].joints[j]], &to = back.nodes[back.skins[0].joints[j]];
      EXPECT_EQ(to.name, from.name);
      EXPECT_TRUE(to.transform.rotation == from.transform.rotation);
      EXPECT_TRUE(back.skins[0].inverse_bind[j] == whole.skins[0].inverse_bind[j]);
    }
    // The same vertices follow the same joints: compare the sums over the mesh.
    const auto weights_of = [](const scene::Scene& scene) {
      std::map<std::uint32_t, double> sums;
      for (const scene::Primitive& p : scene.meshes[0].primitives) {
        for (const std::uint32_t v : p.indices) {
          double sum = 0;
          for (const scene::Influences& set : p.influences) {
            const std::array<float, 4> weights = {set.weights[v].x, set.weights[v].y, set.weights[v].z,
                                                  set.weights[v].w};
            for (std::size_t i = 0; i < 4; ++i) {
              if (weights[i] > 0) sums[set.joints[v][i]] += static_cast<double>(weights[i]);
              sum += static_cast<double>(weights[i]);
            }
          }
          EXPECT_NEAR(sum, 1, 1e-5);
        }
      }
      return sums;
    };
    const auto expected = weights_of(whole), found = weights_of(back);
    for (const auto& [joint, sum] : expected)
      EXPECT_NEAR(found.contains(joint) ? found.at(joint) : 0, sum, 0.5 + sum / 50);

    const scene::Scene coarse = load("model.hcluster", 1e9f);
    EXPECT_LE(triangles(coarse), triangles(back));
    EXPECT_FALSE(coarse.meshes[0].primitives[0].influences.empty());
    ConvertOptions options;
    options.max_error = 1e9f;
    convert("model.hcluster", "cut.glb", options);
    EXPECT_EQ(load("cut.glb").skins.at(0).joints.size(), back.skins[0].joints.size());
    EXPECT_FALSE(load("cut.glb").meshes.at(0).primitives.at(0).influences.empty());

    const Bytes file = *files_.reader()("model.hcluster");
    const filetypes::Row* row = filetypes::find_row("model.hcluster");
    ASSERT_NE(row, nullptr);
    EXPECT_TRUE(row->reader->check(file));
    EXPECT_EQ(std::get<filetypes::MeshInfo>(*row->reader->inspect(file)).joints, back.skins[0].joints.size());
  }
}

TEST_F(Hcluster, leaves_keep_their_area) {
  std::string leaves;
  for (int i = 0; i < 2000; ++i) {
    const std::string x = std::to_string(i % 50), z = std::to_string(i / 50 * 2);
    leaves += "v " + x + " 0 " + z + "\nv " + x + " 1 " + z + "\nv " + x + ".5 0 " + z + ".5\nf -1 -2 -3\n";
  }
  files_.put("leaves.obj", Bytes(ByteVector(as_bytes(leaves).begin(), as_bytes(leaves).end())));
  const auto area = [](const scene::Scene& scene) {
    float sum = 0;
    for (const scene::Primitive& p : scene.meshes.at(0).primitives) {
      for (std::size_t i = 0; i < p.indices.size(); i += 3) {
        const scene::Vec3 a = p.positions[p.indices[i]], b = p.positions[p.indices[i + 1]],
                          c = p.positions[p.indices[i + 2]];
        sum += scene::length(scene::cross(b - a, c - a)) / 2;
      }
    }
    return sum;
  };
  const filetypes::Row* row = filetypes::find_row("model.hcluster");
  ASSERT_NE(row, nullptr);
  ConvertOptions options;
  for (const bool keeps : {true, false}) {
    options.settings.mesh.keep_area = keeps;
    convert("leaves.obj", "model.hcluster", options);
    const auto checked = row->reader->check(*files_.reader()("model.hcluster"));
    EXPECT_TRUE(checked) << checked.error().to_string();
    const scene::Scene fine = load("model.hcluster");
    const scene::Scene coarse = load("model.hcluster", 12);
    EXPECT_EQ(triangles(fine), 2000u);
    EXPECT_LT(triangles(coarse), 1001u);
    if (keeps) {
      EXPECT_NEAR(area(coarse) / area(fine), 1, 0.05);
    } else {
      EXPECT_LT(area(coarse) / area(fine), 0.7);
    }
  }
}

TEST_F(Hcluster, reports_what_it_cannot_hold) {
  scene::Scene scene = two_sheets(10);
  for (scene::Primitive& p : scene.meshes[0].primitives) {
    scene::CustomAttribute wind;
    wind.name = "_WIND";
    wind.values.resize(p.positions.size() * sizeof(float));
    p.custom.push_back(std::move(wind));
  }
  write(scene);
  const std::string report = told(convert("model.glb", "model.hcluster"));
  EXPECT_THAT(report, HasSubstr("attributes/_WIND: 2 vertex attributes are left out"));
}

// Two targets: a bulge of the middle with its normals, and a shift of colors and texture coordinates of one side.
void add_morphs(scene::Scene& scene) {
  scene.meshes[0].morph_weights = {0.25f, 0};
  scene.meshes[0].morph_names = {"bulge", "paint"};
  for (scene::Primitive& p : scene.meshes[0].primitives) {
    p.morphs.resize(2);
    p.morphs[1].texcoords.resize(2);
    p.morphs[1].colors.resize(1);
    for (std::uint32_t v = 0; v < p.positions.size(); ++v) {
      const float u = p.texcoords[0][v].x / 3 - 0.5f, w = p.texcoords[0][v].y / 3 - 0.5f;
      if (const float near = 0.1f - u * u - w * w; near > 0) {
        p.morphs[0].vertices.push_back(v);
        p.morphs[0].positions.push_back({0.5f * near, 3 * near, -near});
        p.morphs[0].normals.push_back({near, 0, -2 * near});
      }
      if (u > 0) {
        p.morphs[1].vertices.push_back(v);
        p.morphs[1].texcoords[1].push_back({u, -u});
        p.morphs[1].colors[0].push_back({-u, 0, u / 2, 0});
      }
    }
  }
}

TEST_F(Hcluster, morph_targets_come_back_with_names_and_weights) {
  scene::Scene source = two_sheets(40);
  add_morphs(source);
  write(source);
  EXPECT_EQ(told(convert("model.glb", "model.hcluster")), "");
  for (const float error : {0.0f, 0.1f}) {
    const scene::Scene back = load("model.hcluster", error);
    EXPECT_EQ(back.meshes[0].morph_weights, source.meshes[0].morph_weights);
    EXPECT_EQ(back.meshes[0].morph_names, source.meshes[0].morph_names);
    ASSERT_EQ(back.meshes[0].primitives.size(), 2u);
    for (const scene::Primitive& p : back.meshes[0].primitives) {
      ASSERT_EQ(p.morphs.size(), 2u);
      EXPECT_GT(p.morphs[0].vertices.size(), 3u);
      EXPECT_LT(p.morphs[0].vertices.size(), p.positions.size());
      ASSERT_EQ(p.morphs[0].normals.size(), p.morphs[0].vertices.size());
      std::size_t moved = 0;
      for (std::uint32_t v = 0; v < p.positions.size(); ++v) {
        const float u = p.texcoords[0][v].x / 3 - 0.5f, w = p.texcoords[0][v].y / 3 - 0.5f;
        const float near = std::max(0.1f - u * u - w * w, 0.0f);
        scene::Vec3 offset, normal;
        if (moved < p.morphs[0].vertices.size() && p.morphs[0].vertices[moved] == v) {
          offset = p.morphs[0].positions[moved], normal = p.morphs[0].normals[moved];
          ++moved;
        }
        EXPECT_NEAR(offset.x, 0.5f * near, 2e-4);
        EXPECT_NEAR(offset.y, 3 * near, 3e-4);
        EXPECT_NEAR(offset.z, -near, 2e-4);
        EXPECT_NEAR(normal.z, -2 * near, 0.005);
      }
      const scene::MorphTarget& paint = p.morphs[1];
      ASSERT_EQ(paint.texcoords.size(), 2u);
      ASSERT_EQ(paint.colors.size(), 1u);
      EXPECT_TRUE(paint.positions.empty());
      for (std::size_t i = 0; i < paint.vertices.size(); ++i) {
        const float u = std::max(p.texcoords[0][paint.vertices[i]].x / 3 - 0.5f, 0.0f);
        EXPECT_NEAR(paint.texcoords[1][i].y, -u, 2e-4);
        EXPECT_NEAR(paint.colors[0][i].x, -u, 0.003);
        EXPECT_NEAR(paint.colors[0][i].z, u / 2, 0.003);
      }
    }
  }
  // A cut becomes a GLB with the targets.
  ConvertOptions options;
  options.max_error = 0.1f;
  EXPECT_EQ(told(convert("model.hcluster", "coarse.glb", options)), "");
  const scene::Scene coarse = load("coarse.glb");
  EXPECT_EQ(coarse.meshes[0].morph_names, source.meshes[0].morph_names);
  EXPECT_LT(triangles(coarse), triangles(source) / 2);
  EXPECT_FALSE(coarse.meshes[0].primitives[0].morphs.at(0).positions.empty());
}

// Vertices at one place that only a target moves apart, such as lips, stay apart.
TEST_F(Hcluster, vertices_that_only_a_target_moves_apart_stay_apart) {
  scene::Scene source = sheet(40, 3, true);
  source.meshes[0].morph_weights = {0};
  source.meshes[0].morph_names = {"open"};
  scene::Primitive& p = source.meshes[0].primitives[0];
  for (scene::Vec3& position : p.positions) position.y = 0;
  for (scene::Vec3& normal : p.normals) normal = {0, 1, 0};
  // A slit along half of row 20: the triangles below it get copies of its vertices.
  constexpr std::uint32_t kRow = 20, kColumns = 41, kEnd = 20;
  p.morphs.resize(1);
  const std::size_t before = p.positions.size();
  ASSERT_EQ(before, std::size_t{kColumns} * kColumns);
  std::vector<std::uint32_t> copy_of(before, scene::kNone);
  const auto copy = [](auto& stream, std::uint32_t v) {
    if (!stream.empty()) stream.push_back(stream[v]);
  };
  for (std::uint32_t v = kRow * kColumns; v < kRow * kColumns + kEnd; ++v) {
    copy_of[v] = static_cast<std::uint32_t>(p.positions.size());
    copy(p.positions, v), copy(p.normals, v), copy(p.tangents, v);
    for (auto& set : p.texcoords) copy(set, v);
    for (auto& set : p.colors) copy(set, v);
  }
  for (std::size_t t = 0; t < p.indices.size(); t += 3) {
    const bool is_below = std::ranges::all_of(std::span(p.indices).subspan(t, 3),
                                              [&](std::uint32_t v) { return v < (kRow + 1) * kColumns; });
    for (std::size_t c = t; c < t + 3 && is_below; ++c) {
      if (copy_of[p.indices[c]] != scene::kNone) p.indices[c] = copy_of[p.indices[c]];
    }
  }
  for (std::uint32_t v = static_cast<std::uint32_t>(before); v < p.positions.size(); ++v) {
    p.morphs[0].vertices.push_back(v);
    p.morphs[0].positions.push_back({0, -0.5f, 0});
  }
  write(source);
  EXPECT_EQ(told(convert("model.glb", "model.hcluster")), "");
  const scene::Scene back = load("model.hcluster");
  EXPECT_EQ(back.meshes[0].primitives[0].positions.size(), p.positions.size());
  EXPECT_EQ(back.meshes[0].primitives[0].morphs[0].vertices.size(), kEnd);
  const scene::Scene coarse = load("model.hcluster", 0.2f);
  EXPECT_LT(triangles(coarse), triangles(back) / 4);
  EXPECT_GE(coarse.meshes[0].primitives[0].morphs[0].vertices.size(), 1u);
}

// check() is what `assetc check` runs on the file alone.
TEST_F(Hcluster, info_and_check_accept_the_file) {
  write(two_sheets(50));
  convert("model.glb", "model.hcluster");
  const Bytes file = *files_.reader()("model.hcluster");
  const filetypes::Row* row = filetypes::find_row("model.hcluster");
  ASSERT_NE(row, nullptr);
  ByteVector bytes(file.span().begin(), file.span().end());
  EXPECT_TRUE(row->reader->check(bytes));
  const auto content = row->reader->inspect(bytes);
  ASSERT_TRUE(content);
  const auto& info = std::get<filetypes::MeshInfo>(*content);
  EXPECT_EQ(info.container, "hcluster");
  EXPECT_EQ(info.triangles, 10000u);
  EXPECT_EQ(info.materials, 2u);
  EXPECT_GT(info.lods, 3u);
  EXPECT_TRUE(info.tangents);

  // The error of the check after a change of a value of the tables.
  const auto view = *hcluster::View::open(bytes);
  const auto words = [&]<class T>(const T& at, T value) {
    ByteVector changed = bytes;
    std::memcpy(changed.data() + (reinterpret_cast<const std::byte*>(&at) - bytes.data()), &value, sizeof value);
    const auto checked = row->reader->check(changed);
    return checked ? "no error" : checked.error().to_string();
  };
  const std::string again = "; the file is damaged or was cut short; write it again";
  const auto last = static_cast<std::uint32_t>(view.groups().size() - 1);
  EXPECT_EQ(words(view.groups()[last].error, view.groups()[last].error), "no error");
  EXPECT_THAT(words(view.groups()[last].error, 100.0f),
              HasSubstr("child " + std::to_string(last) + " is not inside its sphere, or has a larger error" + again));
  EXPECT_THAT(words(view.groups()[last].radius, 100.0f), HasSubstr("is not inside its sphere"));
  EXPECT_EQ(words(view.groups()[0].error, 0.0f),
            "group 0: has a smaller error or sphere than group 1, which its clusters replace" + again);
  EXPECT_EQ(words(view.groups()[0].radius, 0.0f),
            "group 0: has a smaller error or sphere than group 1, which its clusters replace" + again);
  const hcluster::Node& root = view.nodes()[0];
  EXPECT_THAT(words(root.child_count, root.child_count - 1), HasSubstr(" below nodes, expected "));
  EXPECT_EQ(words(view.desc().source_triangle_count, std::uint64_t{9999}),
            "the pages have other counts of triangles than the descriptor" + again);

  bytes[bytes.size() - 40] ^= std::byte{1};
  const auto damaged = row->reader->check(bytes);
  ASSERT_FALSE(damaged);
  EXPECT_THAT(damaged.error().to_string(), HasSubstr("has other bytes than the table of pages says"));
}

}  // namespace
}  // namespace assetc::convert
