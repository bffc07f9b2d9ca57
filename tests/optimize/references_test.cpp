// Extensions that assetc does not interpret refer to the same objects after they have moved, or are left out by name.
#include <gmock/gmock.h>

#include <random>

#include "export/png.hpp"
#include "import/gltf/gltf.hpp"
#include "json/json.hpp"
#include "optimize/support.hpp"
#include "scene/extension_references.hpp"

namespace assetc::optimize {
namespace {

using namespace testing;
using scene::ReferenceKind;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

Bytes bytes_of(std::string_view text) { return Bytes(ByteVector(as_bytes(text).begin(), as_bytes(text).end())); }

// Six nodes, three meshes, four materials of which 0 and 2 differ in their name only, three pictures and two clips, of
// which only clip 1 has keys.
Json document() {
  return *Json::parse(R"({
    "asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0,3]}],
    "nodes":[{"name":"n0","children":[1,2],"mesh":0},{"name":"n1","mesh":1,"translation":[1,0,0]},
             {"name":"n2","mesh":1,"translation":[2,0,0]},{"name":"n3","children":[4,5]},
             {"name":"n4","mesh":2},{"name":"n5"}],
    "meshes":[{"name":"m0","primitives":[{"attributes":{"POSITION":0},"material":3}]},
              {"name":"m1","primitives":[{"attributes":{"POSITION":0},"material":1}]},
              {"name":"m2","primitives":[{"attributes":{"POSITION":0},"material":0}]},
              {"name":"m3","primitives":[{"attributes":{"POSITION":0}}]}],
    "materials":[{"name":"a0"},{"name":"a1","pbrMetallicRoughness":{"baseColorTexture":{"index":1}}},{"name":"a2"},
                 {"name":"a3","doubleSided":true}],
    "textures":[{"source":2},{"source":1},{"source":0}],
    "images":[{"uri":"i0.png"},{"uri":"i1.png"},{"uri":"i2.png"}],
    "animations":[{"name":"c0","samplers":[],"channels":[]},
                  {"name":"c1","samplers":[{"input":1,"output":2}],
                   "channels":[{"sampler":0,"target":{"node":5,"path":"translation"}}]}],
    "accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3","min":[0,0,0],"max":[1,1,0]},
                 {"bufferView":1,"componentType":5126,"count":2,"type":"SCALAR","min":[0],"max":[1]},
                 {"bufferView":0,"componentType":5126,"count":2,"type":"VEC3"}],
    "bufferViews":[{"buffer":0,"byteLength":36},{"buffer":0,"byteOffset":8,"byteLength":8}],
    "buffers":[{"uri":"a.bin","byteLength":36}]})");
}

Files files_of(const Json& document) {
  Files files;
  const float positions[] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
  const ByteSpan bytes = std::as_bytes(std::span(positions));
  files.put("a.bin", Bytes(ByteVector(bytes.begin(), bytes.end())));
  for (int i = 0; i < 3; ++i) {
    scene::Image image;
    image.width_texels = image.height_texels = 4;
    image.pixels.assign(64, std::byte(i * 50));
    files.put("i" + std::to_string(i) + ".png", Bytes(*exporter::write_png(image)));
  }
  files.put("in.gltf", bytes_of(document.text()));
  return files;
}

// The first byte of the picture of an image in a .glb tells the images apart; elsewhere its file does.
std::string name_of_image(const Json& root, std::uint64_t image) {
  const Json& of = root["images"][image];
  const Json* const name = of.find("name");
  return name != nullptr ? name->as_string() : of["uri"].as_string();
}

std::string name_of(const Json& root, ReferenceKind kind, std::uint64_t number) {
  switch (kind) {
    case ReferenceKind::kNode:
    case ReferenceKind::kDrawingNode:
      return root["nodes"][number]["name"].as_string();
    case ReferenceKind::kMesh:
      return root["meshes"][number]["name"].as_string();
    case ReferenceKind::kMaterial:
      return root["materials"][number]["name"].as_string();
    case ReferenceKind::kTexture:
      return name_of_image(root, root["textures"][number]["source"].as_uint());
    case ReferenceKind::kImage:
      return name_of_image(root, number);
    case ReferenceKind::kClip:
      return root["animations"][number]["name"].as_string();
    default:
      return std::to_string(number);
  }
}

// The names of all objects to which the extensions of a document refer.
std::vector<std::string> referred(const Json& document) {
  // A written file has members in another order.
  const Json root = *Json::parse(document.text({.is_sorted = true}));
  std::vector<std::string> out;
  const scene::ReferenceVisitor visitor{[&](ReferenceKind kind, std::uint32_t number, scene::TextureUsage) {
                                          out.push_back(name_of(root, kind, number));
                                          return number;
                                        },
                                        [](ReferenceKind) { return true; }, [](std::string_view) { return true; }};
  std::vector<const Json*> objects{&root};
  for (const char* array : {"nodes", "materials"})
    for (const Json& object : root[array].items()) objects.push_back(&object);
  for (const Json* const object : objects) {
    for (const JsonMember& extension : (*object)["extensions"].members()) {
      Json data = extension.value;
      if (!scene::has_reference_rule(extension.name)) continue;
      EXPECT_TRUE(renumber_references(extension.name, data, visitor));
    }
  }
  return out;
}

struct Made {
  Json root;
  std::vector<std::string> said;
};
Made made_of(const Json& document, const char* keep = "all", bool keep_pictures = true) {
  OptimizeOptions options = usual();
  options.keep_pictures = keep_pictures;
  options.keep = *parse_keep(keep);
  const Converted converted = optimized(files_of(document), "in.gltf", options);
  Made out;
  for (const recipes::Diagnostic& d : converted.diagnostics) out.said.push_back(d.what.what);
  if (!converted.files.empty()) out.root = *Json::parse(importer::gltf_json_text(converted.files.front().bytes));
  return out;
}

Json with(std::string_view extension, std::string_view data) {
  Json root = document();
  root["extensions"][extension] = *Json::parse(data);
  root["extensionsUsed"] = Json::array({Json(extension)});
  return root;
}

TEST(References, an_avatar_of_vrm_1_keeps_bones_expressions_springs_and_materials) {
  Json root = with("VRMC_vrm", R"({"specVersion":"1.0","meta":{"name":"t","thumbnailImage":2},
    "humanoid":{"humanBones":{"hips":{"node":3},"head":{"node":4}}},
    "firstPerson":{"meshAnnotations":[{"node":2,"type":"auto"}]},
    "expressions":{"preset":{"happy":{"morphTargetBinds":[{"node":4,"index":0,"weight":1}],
                                      "materialColorBinds":[{"material":2,"type":"color"}]}}}})");
  root["extensions"]["VRMC_springBone"] =
      *Json::parse(R"({"colliders":[{"node":5}],"springs":[{"joints":[{"node":4}],"center":3}]})");
  root["materials"][2]["extensions"]["VRMC_materials_mtoon"] =
      *Json::parse(R"({"specVersion":"1.0","shadeMultiplyTexture":{"index":0},"matcapTexture":{"index":2}})");
  root["nodes"][5]["extensions"]["VRMC_node_constraint"] = *Json::parse(R"({"constraint":{"roll":{"source":4}}})");
  for (const char* keep : {"all", "names,extras,materials", "names,extras"}) {
    SCOPED_TRACE(keep);
    const Made made = made_of(root, keep);
    EXPECT_EQ(referred(made.root), referred(root));
    // A material that only an extension names stays, and is not merged with an equal one.
    EXPECT_THAT(referred(made.root), Contains("a2"));
    EXPECT_THAT(made.said, Not(Contains(HasSubstr("whose data refers"))));
  }
}

TEST(References, pictures_that_only_an_extension_uses_are_encoded_for_their_use) {
  Json root = document();
  root["materials"][1]["extensions"]["VRMC_materials_mtoon"] =
      *Json::parse(R"({"shadeMultiplyTexture":{"index":0},"shadingShiftTexture":{"index":2}})");
  const Made made = made_of(root, "all", false);
  const Json& toon = made.root["materials"][1]["extensions"]["VRMC_materials_mtoon"];
  ASSERT_TRUE(toon.is_object()) << made.root["materials"].text();
  EXPECT_NE(toon["shadeMultiplyTexture"]["index"].as_uint(), toon["shadingShiftTexture"]["index"].as_uint());
  EXPECT_EQ(made.root["images"].size(), 3u);
  for (const Json& image : made.root["images"].items()) EXPECT_EQ(image["mimeType"].as_string(), "image/ktx2");
}

TEST(References, an_avatar_of_vrm_0_keeps_bones_and_the_order_of_its_materials) {
  Json root = with("VRM", R"({"meta":{"texture":0},"humanoid":{"humanBones":[{"bone":"hips","node":3}]},
    "firstPerson":{"firstPersonBone":-1},"blendShapeMaster":{"blendShapeGroups":[{"binds":[{"mesh":3,"index":0}]}]},
    "secondaryAnimation":{"boneGroups":[{"bones":[4,5],"center":-1}],"colliderGroups":[{"node":5}]},
    "materialProperties":[{"name":"a0","textureProperties":{"_MainTex":2}},{"name":"a1"},{"name":"a2"},{"name":"a3"}]})");
  for (const char* keep : {"all", "names,extras"}) {
    SCOPED_TRACE(keep);
    const Made made = made_of(root, keep);
    EXPECT_EQ(referred(made.root), referred(root));
    const Json& properties = made.root["extensions"]["VRM"]["materialProperties"];
    ASSERT_EQ(properties.size(), made.root["materials"].size());
    for (std::size_t i = 0; i < properties.size(); ++i)
      EXPECT_EQ(properties[i]["name"].as_string(), made.root["materials"][i]["name"].as_string());
    EXPECT_EQ(made.root["extensions"]["VRM"]["firstPerson"]["firstPersonBone"].as_number(), -1);
  }
  root["extensions"]["VRM"]["materialProperties"][0]["textureProperties"]["_Unknown"] = 1;
  EXPECT_THAT(made_of(root).said, Contains(HasSubstr("extension VRM, whose data refers to other objects")));
}

// "/nodes/4/translation" of a graph names the same node, which keeps the scale that the graph sees.
TEST(References, pointers_of_a_graph_follow) {
  Json root = with("KHR_interactivity", R"({"graph":0,"graphs":[{"types":[{"signature":"float3"}],
    "declarations":[{"op":"event/onStart"},{"op":"pointer/set"}],
    "nodes":[{"declaration":0,"flows":{"out":{"node":1,"socket":"in"}}},
             {"declaration":1,"configuration":{"pointer":{"value":["/nodes/4/scale"]},"type":{"value":[0]}}},
             {"declaration":1,"configuration":{"pointer":{"value":["/materials/2/alphaCutoff"]}}},
             {"declaration":1,"configuration":{"pointer":
               {"value":["/nodes/4/extensions/KHR_node_visibility/visible"]}}}]}]})");
  root["nodes"][4]["extensions"]["KHR_node_visibility"]["visible"] = true;
  for (const char* keep : {"all", "names,extras"}) {
    SCOPED_TRACE(keep);
    const Made made = made_of(root, keep);
    EXPECT_EQ(referred(made.root), referred(root));
    for (const Json& node : made.root["nodes"].items()) {
      const Json* const name = node.find("name");
      if (name == nullptr || name->as_string() != "n4") continue;
      EXPECT_FALSE(node.contains("scale")) << "the graph sets it";
      EXPECT_TRUE(node["extensions"].contains("KHR_node_visibility")) << "the graph sets it";
    }
  }
}

TEST(References, numbers_that_a_graph_computes_need_objects_that_do_not_move) {
  const auto graph = [](std::string_view op, std::string_view pointer) {
    return with("KHR_interactivity", R"({"graphs":[{"declarations":[{"op":")" + std::string(op) +
                                         R"("}],"nodes":[{"declaration":0,"configuration":{"pointer":{"value":[")" +
                                         std::string(pointer) + R"("]}}}]}]})");
  };
  const auto is_kept = [](const Json& root, const char* keep) {
    const Made made = made_of(root, keep);
    const bool kept = made.root["extensions"].contains("KHR_interactivity");
    EXPECT_NE(kept, ::testing::Value(made.said, Contains(HasSubstr("extension KHR_interactivity"))));
    return kept;
  };
  EXPECT_TRUE(is_kept(graph("event/onSelect", "/nodes/1/scale"), "all"));
  EXPECT_TRUE(is_kept(graph("event/onSelect", "/nodes/1/scale"), "names,extras"));
  EXPECT_FALSE(is_kept(graph("animation/start", ""), "all")) << "clip 0 has no channels, so clip 1 moves";
  EXPECT_FALSE(is_kept(graph("physics/applyImpulse", ""), "all")) << "no rule for what it refers to";
  EXPECT_FALSE(is_kept(graph("pointer/get", "/scenes/0/nodes"), "all")) << "scenes are numbered anew";
  EXPECT_FALSE(is_kept(graph("pointer/get", "/nodes/17/scale"), "all")) << "there is no such node";
}

// Objects of an extension refer to what the document has of it.
TEST(References, an_extension_is_left_out_everywhere_if_the_document_loses_its_part) {
  Json root = with("ACME_sounds", R"({"sounds":[{"bufferView":0}]})");
  root["nodes"][5]["extensions"]["ACME_sounds"] = *Json::parse(R"({"sound":0})");
  root["nodes"][3]["extensions"]["ACME_other"] = *Json::parse(R"({"sound":0})");
  const Made made = made_of(root);
  EXPECT_FALSE(made.root.contains("extensions"));
  EXPECT_FALSE(made.root["nodes"][5].contains("extensions"));
  EXPECT_TRUE(made.root["nodes"][3]["extensions"].contains("ACME_other"));
  EXPECT_THAT(made.root["extensionsUsed"].text(), Not(HasSubstr("ACME_sounds")));
}

TEST(References, an_unknown_extension_that_refers_is_left_out) {
  for (const char* data : {R"({"mesh":1})", R"({"a":{"materials":[0,1]}})", R"({"target":"/nodes/3"})",
                           R"({"list":["/materials/0/alphaCutoff"]})"}) {
    SCOPED_TRACE(data);
    const Made made = made_of(with("ACME_any", data));
    EXPECT_FALSE(made.root.contains("extensions"));
    EXPECT_THAT(made.said, Contains(HasSubstr("extension ACME_any, whose data refers to other objects")));
  }
  for (const char* data : {R"({"material":"wood"})", R"({"nodes":[]})", R"({"path":"/home/x"})", R"({"mesh":0.5})"}) {
    SCOPED_TRACE(data);
    EXPECT_TRUE(made_of(with("ACME_any", data)).root["extensions"].contains("ACME_any"));
  }
}

// Any references of an avatar, with any list of what stays.
TEST(References, random_references_keep_their_objects) {
  std::mt19937 random(5);
  const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  for (int round = 0; round < 60; ++round) {
    Json root = document();
    Json& vrm = root["extensions"]["VRMC_vrm"];
    for (std::uint32_t i = below(4); i > 0; --i)
      vrm["humanoid"]["humanBones"]["bone" + std::to_string(i)]["node"] = below(6);
    for (std::uint32_t i = below(3); i > 0; --i) vrm["firstPerson"]["meshAnnotations"].push_back({{"node", below(6)}});
    for (std::uint32_t i = below(3); i > 0; --i)
      vrm["expressions"]["custom"]["e"]["materialColorBinds"].push_back({{"material", below(4)}});
    if (below(2) == 0) vrm["meta"]["thumbnailImage"] = below(3);
    if (below(2) == 0)
      root["materials"][below(4)]["extensions"]["VRMC_materials_mtoon"]["matcapTexture"]["index"] = below(3);
    if (below(2) == 0)
      root["nodes"][below(6)]["extensions"]["VRMC_node_constraint"]["constraint"]["aim"]["source"] = below(6);
    const char* const keeps[] = {"all", "names,extras", "names,extras,materials", "names,extras,nodes"};
    const char* const keep = keeps[below(4)];
    SCOPED_TRACE(std::string(keep) + " " + root.text());
    const Made made = made_of(root, keep);
    std::vector<std::string> expected = referred(root);
    // Materials that nothing draws go, and what they alone refer to.
    std::vector<std::string> found = referred(made.root);
    std::ranges::sort(expected), std::ranges::sort(found);
    EXPECT_TRUE(std::ranges::includes(expected, found));
    if (!root["materials"][2].contains("extensions")) {
      EXPECT_EQ(expected, found);
    }
    for (const Json& annotation : vrm["firstPerson"]["meshAnnotations"].items()) {
      const Json& of_source = root["nodes"][annotation["node"].as_uint()];
      for (const Json& node : made.root["nodes"].items()) {
        const Json* const name = node.find("name");
        if (name == nullptr || *name != *of_source.find("name")) continue;
        EXPECT_EQ(node.contains("mesh"), of_source.contains("mesh")) << "it must draw its mesh itself";
      }
    }
  }
}

// Numbers of any kind and size, in data of any shape.
TEST(References, broken_data_are_left_out_or_stay) {
  for (const char* data :
       {R"({"humanoid":{"humanBones":{"hips":{"node":4294967295}}}})",
        R"({"humanoid":{"humanBones":{"hips":{"node":6}}}})", R"({"humanoid":{"humanBones":{"hips":{"node":1.5}}}})",
        R"({"humanoid":{"humanBones":{"hips":{"node":1e300}}}})"}) {
    SCOPED_TRACE(data);
    const Made made = made_of(with("VRMC_vrm", data));
    EXPECT_FALSE(made.root.contains("extensions"));
    EXPECT_THAT(made.said, Contains(HasSubstr("extension VRMC_vrm")));
  }
  for (const char* data : {R"({"humanoid":[]})", R"({"humanoid":{"humanBones":3}})", "[]",
                           R"({"humanoid":{"humanBones":{"hips":{"node":"x"}}}})"}) {
    SCOPED_TRACE(data);
    const Made made = made_of(with("VRMC_vrm", data));
    EXPECT_THAT(made.said, Not(Contains(HasSubstr("extension VRMC_vrm"))));
  }
}

}  // namespace
}  // namespace assetc::optimize
