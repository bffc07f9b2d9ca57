// Valid files of every format of assetc, small and with every part of the format: the seeds of mutants. Each format has
// a function that judges bytes.
//
// Seeds come from three places:
// - tests/formats/golden
// - tests/data/seeds: files that assetc wrote from tests/interop/scene_source.cjs, tests/data/corpus/models/worm.glb
// and
//   tests/formats/golden, committed because their encoders are not below this folder
// - the writers of the formats, below
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "assetc/base/hash.hpp"
#include "assetc/formats/aas1_audio.hpp"
#include "assetc/formats/aas1_clusters.hpp"
#include "assetc/formats/aas1_material.hpp"
#include "assetc/formats/aas1_mesh.hpp"
#include "assetc/formats/aas1_texture.hpp"
#include "assetc/formats/chunks.hpp"
#include "assetc/formats/hcluster.hpp"
#include "assetc/formats/hfont.hpp"
#include "assetc/formats/hman.hpp"
#include "assetc/formats/hmesh.hpp"
#include "assetc/formats/hmesh_view.hpp"
#include "assetc/formats/hscene.hpp"
#include "assetc/formats/pak.hpp"
#include "assetc/formats/registry.hpp"
#include "etc1s_files.hpp"
#include "filetypes/filetypes.hpp"
#include "formats/encoded_mesh.hpp"
#include "formats/mutants.hpp"
#include "formats/sample_aas1.hpp"
#include "formats/sample_cluster.hpp"
#include "formats/sample_mesh.hpp"
#include "formats/sample_scene.hpp"

namespace assetc::filetypes_test {

using namespace formats_test;

struct Seed {
  std::string name;
  ByteVector bytes;
};

// A judge returns whether the bytes are a valid file. They start at a multiple of 16.
struct SeededFormat {
  std::string_view name;
  Result<void> (*judge)(ByteSpan);
  // Makes the checksum of a mutant right again. Otherwise a reader that checks it refuses every mutant there. Or null.
  void (*repair)(ByteVector&);
  std::vector<Seed> seeds;

  std::uint32_t mutants_per_seed() const {
    constexpr std::size_t kMutantsPerFormat = 10'000, kFewest = 1'200;
    return static_cast<std::uint32_t>(std::max(kFewest, (kMutantsPerFormat + seeds.size() - 1) / seeds.size()));
  }
  ByteVector mutant(const Mutants& mutants, std::uint32_t i) const {
    ByteVector bytes = mutants.make(i);
    if (repair != nullptr) repair(bytes);
    return bytes;
  }
};

template <class T>
ByteVector written(Result<T> file) {
  return file ? std::move(*file) : ByteVector();  // an empty seed fails the test of seeds
}

// ---- judges ----

template <const char* kSuffix>
Result<void> open_as(ByteSpan file) {
  return filetypes::find_row(kSuffix)->reader->open(file);
}
inline constexpr char kHmesh[] = ".hmesh", kHscene[] = ".hscene", kHmat[] = ".hmat", kHanim[] = ".hanim",
                      kHman[] = ".hman", kAas1[] = ".bin", kHcluster[] = ".hcluster", kHfont[] = ".hfont",
                      kGali[] = ".gali", kHpack[] = ".hpack", kPak[] = ".pak", kKtx2[] = ".ktx2";

// The pages of clusters too, which open() does not decode.
inline Result<void> check_clusters(ByteSpan file) { return filetypes::check_file(kHcluster, file); }
inline Result<void> check_registry(ByteSpan file) {
  ASSETC_TRY(const registry::View view, registry::View::open(file));
  return view.check();
}
inline Result<void> open_patch(ByteSpan file) {
  const auto view = pak::PatchView::open(file);
  if (!view) return std::unexpected(view.error());
  return {};
}

// ---- repairs ----

inline void put_at(ByteVector& file, std::size_t at, std::uint64_t value) {
  if (range_fits(at, sizeof value, file.size())) std::memcpy(file.data() + at, &value, sizeof value);
}
inline void repair_registry(ByteVector& file) {
  constexpr std::size_t kHeader = sizeof(registry::Header);
  if (file.size() >= kHeader) put_at(file, kHeader - 8, xxh3_64(ByteSpan(file).subspan(kHeader)));
}
inline void repair_galileo(ByteVector& file) {
  constexpr std::size_t kHeader = 36;
  if (file.size() >= kHeader) put_at(file, kHeader - 8, xxh3_64(ByteSpan(file).subspan(kHeader)));
}
// The hashes of the pages in the table of a .hcluster.
inline void repair_clusters(ByteVector& file) {
  const auto view = hcluster::View::open(file);
  if (!view) return;
  for (std::uint32_t p = 0; p < view->pages().size(); ++p) {
    const auto place = reinterpret_cast<const std::byte*>(&view->pages()[p].hash) - file.data();
    put_at(file, static_cast<std::size_t>(place), xxh3_64(view->page(p)));
  }
}

// ---- seeds from writers ----

inline hmesh::Model whole_quad() {
  hmesh::Model m = further_quad();
  m.pose_bounds = {quad_bounds(), quad_bounds()};
  m.meshlet_bounds[1].cone_cutoff = 0.5f;
  m.primitives = quad_with_primitives().primitives;
  for (std::uint32_t& index : m.primitives.indices) index = index % 4;
  return m;
}

// The file with its chunks changed by `change`.
template <class Change>
ByteVector with_chunks(ByteSpan file, Change change) {
  const auto table = chunks::open_table(file, hmesh::kVersion);
  std::vector<ByteVector> payloads;
  std::vector<std::uint32_t> ids;
  for (const chunks::ChunkEntry& entry : *table) {
    const ByteSpan payload = file.subspan(entry.offset_bytes, entry.size_bytes);
    ids.push_back(entry.id);
    payloads.emplace_back(payload.begin(), payload.end());
  }
  change(ids, payloads);
  std::vector<chunks::Chunk> list;
  list.reserve(ids.size());
  for (std::size_t i = 0; i < ids.size(); ++i) list.push_back({ids[i], payloads[i]});
  return chunks::write_file(hmesh::kVersion, list);
}

// Writers store 32-bit indices for large meshes only, and readers take them for any.
inline ByteVector with_wide_indices(ByteSpan file) {
  return with_chunks(file, [](std::vector<std::uint32_t>& ids, std::vector<ByteVector>& payloads) {
    for (std::size_t i = 0; i < ids.size(); ++i) {
      if (ids[i] == fourcc("DESC")) payloads[i][22] = std::byte{4};
      if (ids[i] != fourcc("IDXS")) continue;
      ByteVector wide;
      for (std::size_t k = 0; k < payloads[i].size(); k += 2)
        append(wide, std::uint32_t{load<std::uint16_t>(payloads[i], k)});
      payloads[i] = std::move(wide);
    }
  });
}
inline ByteVector with_unknown_chunk(ByteSpan file) {
  return with_chunks(file, [](std::vector<std::uint32_t>& ids, std::vector<ByteVector>& payloads) {
    ids.insert(ids.begin() + 3, fourcc("ZZZZ"));
    payloads.insert(payloads.begin() + 3, ByteVector(20, std::byte{7}));
  });
}

// A quad that a skeleton moves, with morph targets, lines and names: every extension that sample_aas1_mesh() lacks.
inline aas1::Mesh moving_aas1_mesh() {
  using aas1::Semantic;
  using aas1::VertexFormat;
  aas1::Mesh mesh = sample_aas1_mesh();
  mesh.vertex_stride_bytes = 72;
  mesh.attributes = {{Semantic::kPosition, 0, VertexFormat::kRgb32F, 0, 0, 0, 0},
                     {Semantic::kNormal, 0, VertexFormat::kRg16Snorm, 0, 12, 0, 0},
                     {Semantic::kTangent, 0, VertexFormat::kRg16Sint, 0, 16, 0, 0},
                     {Semantic::kTexcoord, 0, VertexFormat::kRg32F, 0, 20, 0, 0},
                     {Semantic::kTexcoord, 1, VertexFormat::kRg32F, 0, 28, 0, 0},
                     {Semantic::kCustom, 0, VertexFormat::kR32F, 0, 36, 0, 0},
                     {Semantic::kJoints, 0, VertexFormat::kRgba16Uint, 0, 40, 0, 0},
                     {Semantic::kWeights, 0, VertexFormat::kRgba32F, 0, 48, 0, 0},
                     {Semantic::kColor, 0, VertexFormat::kRgba8Unorm, 0, 64, 0, 0},
                     {Semantic::kColor, 1, VertexFormat::kRgba8Unorm, 0, 68, 0, 0}};
  mesh.vertices.clear();
  const float corners[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
  for (const auto& c : corners) {
    append(mesh.vertices, std::array<float, 3>{c[0], c[1], 0});
    append(mesh.vertices, std::array<std::int16_t, 4>{0, 0, 32767, 1});
    append(mesh.vertices, std::array<float, 5>{c[0], 1 - c[1], c[1], 0.5f, 7});
    append(mesh.vertices, std::array<std::uint16_t, 4>{0, 1, 0, 0});
    append(mesh.vertices, std::array<float, 4>{0.25f, 0.75f, 0, 0});
    append(mesh.vertices, std::array<std::uint8_t, 8>{255, 128, 0, 255, 1, 2, 3, 4});
  }
  mesh.custom_names = {"_HEAT"};
  mesh.morphs = further_quad().morphs;
  mesh.primitives = quad_with_primitives().primitives;
  for (std::uint32_t& index : mesh.primitives.indices) index = index % 4;
  for (hmesh::GpuPrimitive& item : mesh.primitives.items) item.material_slot = hmesh::kNoMaterial;
  mesh.names.nodes = {"Chair"};
  mesh.names.submesh_nodes = {0, hmesh::kNoNode};
  return mesh;
}

inline ByteVector aas1_texture(aas1::Type type, TexelFormat format, aas1::ShapeDesc shape, std::size_t level_bytes) {
  static const ByteVector kTexels(4096, std::byte{0x55});
  aas1::Texture texture;
  texture.type = type;
  texture.format = format;
  texture.srgb = format == TexelFormat::kRgba8;
  texture.width_texels = texture.height_texels = 4;
  texture.shape = shape;
  texture.levels = {ByteSpan(kTexels).first(level_bytes)};
  if (format == TexelFormat::kUastc) texture.channels = UastcChannels::kRg;
  return written(aas1::write(texture));
}

inline ByteVector sample_registry() {
  std::vector<registry::Asset> assets;
  for (std::uint8_t i = 0; i < 20; ++i) {
    registry::Asset asset;
    asset.uuid = uuid_number(static_cast<std::uint8_t>(i * 13 + 1));
    asset.type = static_cast<registry::TypeNumber>(1 + i % 4);
    asset.virtual_path = "Engine/Things/Thing_" + std::to_string(i);
    if (i % 4 == 0) asset.desc = registry::TextureDesc{4, 4, 1, 20, 3, 1};
    if (i % 4 == 1) asset.desc = registry::MeshDesc{4, 6, 2, 1, 1, {0, 0, 0}, {1, 1, 0}};
    if (i % 4 == 2) asset.desc = registry::MaterialDesc{0, 1, 2};
    if (i % 4 == 3) asset.desc = registry::AudioDesc{1, 2, 48000, 100};
    if (i > 0) asset.hard_dependencies = {uuid_number(static_cast<std::uint8_t>(i / 2 * 13 + 1))};
    if (i > 2) asset.soft_dependencies = {uuid_number(1)};
    if (i % 5 == 4) {
      asset.container = uuid_number(1);
      asset.tags = {"wood", "outside"};
      asset.outer_hard_dependencies = {uuid_number(7)};
      asset.desc = registry::MaterialDesc{0, 0, 1};
      asset.texture_bindings = {{7, uuid_number(1)}};
      asset.outer_soft_dependencies = {uuid_number(8), uuid_number(9)};
    }
    if (i == 8 || i == 16) asset.shared_file = uuid_number(3);
    assets.push_back(std::move(asset));
  }
  return written(registry::write(std::move(assets), {{uuid_number(2), uuid_number(14), "Engine/Things/Old"},
                                                     {uuid_number(3), uuid_number(27), ""}}));
}

// compressed_clip: the bytes of a .hanim, version 2.
inline void add_written_seeds(std::map<std::string_view, std::vector<Seed>>& seeds, ByteSpan compressed_clip) {
  const auto add = [&](std::string_view format, std::string name, ByteVector bytes) {
    seeds[format].push_back({std::move(name), std::move(bytes)});
  };
  const ByteVector quad = written(hmesh::write(whole_quad()));
  add("hmesh", "whole", quad);
  add("hmesh", "wide", with_wide_indices(quad));
  add("hmesh", "unknown", with_unknown_chunk(written(hmesh::write(full_quad()))));
  add("hmesh", "literal", encoded_mesh(written(hmesh::write(full_quad()))));
  add("hscene", "whole", written(hscene::write(sample_scene())));
  add("hcluster", "skinned", written(hcluster::write(skinned_clusters())));
  add("hcluster", "morphed", written(hcluster::write(morphed_clusters())));
  add("hman", "kinds", written(hman::write([] {
        std::vector<hman::Entry> entries{hman::texture_entry("a/wood.ktx2", hman::Colorspace::kSrgb),
                                         hman::texture_entry("a/b/stone.ktx2", hman::Colorspace::kLinear)};
        for (int kind = 1; kind <= static_cast<int>(hman::kLastKind); ++kind)
          entries.push_back(hman::file_entry("b/file" + std::to_string(kind), static_cast<hman::Kind>(kind)));
        return entries;
      }())));
  add("registry", "sample", sample_registry());

  using aas1::Type;
  add("aas1", "mesh_moving", written(aas1::write(moving_aas1_mesh())));
  add("aas1", "animation_compressed",
      written(aas1::write_payload(Type::kAnimation, aas1::kEncodingHanimCompressed, compressed_clip)));
  add("aas1", "texture_bc7", aas1_texture(Type::kTexture2D, TexelFormat::kBc7, {1, 1, 1}, 16));
  add("aas1", "texture_uastc", aas1_texture(Type::kTexture2D, TexelFormat::kUastc, {1, 1, 1}, 16));
  add("aas1", "texture_cube", aas1_texture(Type::kTextureCube, TexelFormat::kBc7, {1, 1, 6}, 96));
  add("aas1", "texture_array", aas1_texture(Type::kTexture2DArray, TexelFormat::kRgba8, {1, 3, 1}, 192));
  add("aas1", "texture_cubes", aas1_texture(Type::kTextureCubeArray, TexelFormat::kBc7, {1, 2, 6}, 192));
  add("aas1", "texture_3d", aas1_texture(Type::kTexture3D, TexelFormat::kRgba8, {3, 1, 1}, 192));
  add("aas1", "script", written(aas1::write_payload(Type::kScript, aas1::kEncodingText, as_bytes("print('hi')\n"))));
  add("aas1", "raw", written(aas1::write_payload(Type::kRaw, aas1::kEncodingRaw, as_bytes("abc"), uuid_number(7))));
  const std::uint32_t spirv[] = {0x07230203, 0x00010500, 0, 1, 0};
  add("aas1", "shader", written(aas1::write_payload(Type::kShader, aas1::kEncodingSpirv, object_bytes(spirv))));
  const ByteVector scene = written(hscene::write(sample_scene()));
  const aas1::ModelNode node{
      aas1::ModelNode::kNone, aas1::ModelNode::kNone, {}, {}, {0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}};
  const std::vector<aas1::ModelNode> nodes(4, node);
  const std::vector<std::string> names{"car", "body", "wheel", ""};
  add("aas1", "model_sample", written(aas1::write_model(nodes, names, scene)));
  const std::vector<Uuid> materials{uuid_number(1), uuid_number(2)};
  add("aas1", "clusters_skinned",
      written(aas1::write_clusters(written(hcluster::write(skinned_clusters())), materials, uuid_number(99))));
  add("ktx2", "etc1s", etc1s::Writer({.width = 16, .height = 8, .levels = 2, .alpha = true}, 1).file());
}

// ---- the list ----

inline ByteVector file_bytes(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  return {as_bytes(text).begin(), as_bytes(text).end()};
}

// Returns "" for files that are no seeds.
inline std::string_view format_of_seed(const std::filesystem::path& path) {
  if (path.filename() == "quad_v1.hmesh") return "hmesh-v1";
  static const std::map<std::string, std::string_view> kFormats = {
      {".hmesh", "hmesh"}, {".hscene", "hscene"},     {".hmat", "hmat"},      {".hanim", "hanim"},
      {".hman", "hman"},   {".bin", "aas1"},          {".aas1", "aas1"},      {".hfont", "hfont"},
      {".gali", "gali"},   {".hpack", "hpack"},       {".ktx2", "ktx2"},      {".hcluster", "hcluster"},
      {".pak", "pak"},     {".registry", "registry"}, {".patch", "pak-patch"}};
  const auto found = kFormats.find(path.extension().string());
  return found == kFormats.end() ? std::string_view() : found->second;
}

// All formats with their seeds, in the same order on every machine. root: of the source tree.
inline std::vector<SeededFormat> seeded_formats(const std::filesystem::path& root) {
  std::map<std::string_view, std::vector<Seed>> seeds;
  for (const char* folder : {"tests/formats/golden", "tests/data/seeds", "tests/data/corpus/ktx2/shapes"}) {
    for (const auto& entry : std::filesystem::directory_iterator(root / folder)) {
      const std::string_view format = format_of_seed(entry.path());
      if (!format.empty()) seeds[format].push_back({entry.path().filename().string(), file_bytes(entry.path())});
    }
  }
  add_written_seeds(seeds, file_bytes(root / "tests/formats/golden/clip_v2.hanim"));
  std::vector<SeededFormat> formats = {
      {"hmesh", open_as<kHmesh>, nullptr, {}},
      {"hmesh-v1", open_as<kHmesh>, nullptr, {}},
      {"hscene", open_as<kHscene>, nullptr, {}},
      {"hmat", open_as<kHmat>, nullptr, {}},
      {"hanim", open_as<kHanim>, nullptr, {}},
      {"hman", open_as<kHman>, nullptr, {}},
      {"aas1", open_as<kAas1>, nullptr, {}},
      {"hcluster", open_as<kHcluster>, nullptr, {}},
      {"hcluster-pages", check_clusters, repair_clusters, {}},
      {"hfont", open_as<kHfont>, nullptr, {}},
      {"gali", open_as<kGali>, repair_galileo, {}},
      {"registry", check_registry, repair_registry, {}},
      {"hpack", open_as<kHpack>, nullptr, {}},
      {"pak", open_as<kPak>, nullptr, {}},
      {"pak-patch", open_patch, nullptr, {}},
      {"ktx2", open_as<kKtx2>, nullptr, {}},
  };
  seeds["hcluster-pages"] = seeds["hcluster"];
  for (SeededFormat& format : formats) {
    format.seeds = std::move(seeds[format.name]);
    std::ranges::sort(format.seeds, {}, &Seed::name);
  }
  return formats;
}

}  // namespace assetc::filetypes_test
