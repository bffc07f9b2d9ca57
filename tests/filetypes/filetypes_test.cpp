#include "filetypes/filetypes.hpp"

#include <gmock/gmock.h>

#include <limits>
#include <map>
#include <set>

#include "assetc/base/hash.hpp"
#include "assetc/formats/galileo.hpp"
#include "assetc/formats/hanim.hpp"
#include "assetc/formats/hfont.hpp"
#include "assetc/formats/hmat.hpp"
#include "assetc/formats/hmesh.hpp"
#include "assetc/formats/hmesh_v1.hpp"
#include "assetc/formats/hscene.hpp"
#include "assetc/formats/ktx2.hpp"
#include "assetc/formats/pak.hpp"
#include "base/ascii.hpp"
#include "etc1s_files.hpp"
#include "formats/sample_aas1.hpp"
#include "formats/sample_cluster.hpp"
#include "formats/sample_mesh.hpp"
#include "shader/shader.hpp"

namespace assetc::filetypes {
namespace {

const Row& row_of(std::string_view name) { return *find_row(name); }

TEST(Rows, every_suffix_is_one_rows_alone_in_lower_case_and_is_found_in_any) {
  std::set<std::pair<std::string_view, bool>> seen;
  for (const Row& row : all_rows()) {
    for (const std::string_view suffix : row.suffixes) {
      if (suffix.empty()) continue;
      EXPECT_TRUE(suffix.starts_with('.')) << suffix;
      EXPECT_EQ(suffix.find('.', 1), suffix.npos) << suffix;
      EXPECT_EQ(suffix, ascii_lower(suffix));
      EXPECT_TRUE(seen.insert({suffix, row.is_folder}).second) << suffix << " is in two rows";
      std::string name = "folder.x/Name" + std::string(suffix);
      for (char& c : name) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
      EXPECT_EQ(find_row(name, row.is_folder), &row) << name;
    }
    EXPECT_FALSE(row.doc.empty()) << row.suffix();
  }
}

TEST(Rows, names_without_a_known_suffix_have_none) {
  for (const char* name : {"", ".", "png", "a.nothing", "a.png/b", "a.pngx", "a.array"})
    EXPECT_EQ(find_row(name), nullptr);
  EXPECT_EQ(find_row("a.png", true), nullptr) << "a folder is not a PNG";
}

TEST(Rows, a_build_writes_lower_case_and_sources_are_not_its) {
  EXPECT_EQ(find_compiled("a/b.hmesh"), &row_of(".hmesh"));
  EXPECT_EQ(find_compiled("a/b.HMESH"), nullptr);
  EXPECT_EQ(find_compiled("a/b.png"), nullptr);
}

TEST(Rows, a_kind_of_info_belongs_to_what_is_inspected) {
  for (const Row& row : all_rows())
    EXPECT_EQ(row.kind != "other", row.is_compiled() && row.reader->inspect != nullptr) << row.suffix();
}

// The format's reader checks entries against its own list of extensions.
TEST(Rows, pack_kinds_are_those_of_the_format) {
  for (const Row& row : all_rows()) {
    for (const std::string_view suffix : row.suffixes) {
      if (suffix.empty() || row.is_folder) continue;
      EXPECT_EQ(row.pack_kind, hpack::kind_of("a" + std::string(suffix))) << suffix;
    }
  }
}

TEST(Rows, no_magic_is_the_beginning_of_another) {
  for (const Row& a : all_rows()) {
    for (const Row& b : all_rows()) {
      if (&a == &b || a.magic[0].bytes.empty()) continue;
      EXPECT_FALSE(b.magic[0].bytes.starts_with(a.magic[0].bytes)) << a.suffix() << " and " << b.suffix();
    }
  }
}

TEST(Rows, a_magic_that_is_cut_short_is_none) {
  for (const Row& row : all_rows()) {
    if (row.magic[0].bytes.empty()) continue;
    std::string file(32, '\0');
    std::size_t end = 0;
    for (const Magic& magic : row.magic) {
      magic.bytes.copy(file.data() + magic.offset_bytes, magic.bytes.size());
      if (!magic.bytes.empty()) end = magic.offset_bytes + magic.bytes.size();
    }
    EXPECT_EQ(find_magic(as_bytes(file)), &row) << row.suffix();
    EXPECT_EQ(find_magic(as_bytes(file.substr(0, end))), &row) << row.suffix();
    for (std::size_t size = 0; size < end; ++size)
      EXPECT_EQ(find_magic(as_bytes(file.substr(0, size))), nullptr) << row.suffix() << " of " << size;
  }
}

TEST(Rows, shader_stages_are_those_that_the_compiler_takes) {
  std::size_t count = 0;
  for (const Row& row : all_rows()) {
    if (row.type != Class::kShader || row.is_folder) continue;
    for (const std::string_view suffix : row.suffixes) {
      if (suffix.empty()) continue;
      ++count;
      EXPECT_TRUE(shader::classify("vertex" + std::string(suffix))) << suffix;
    }
  }
  EXPECT_GT(count, 0u);
}

// The bytes are zeros, which no Zstd frame begins with.
ktx2::Texture one_texel(ktx2::Supercompression supercompression) {
  static constexpr std::byte kTexel[4]{};
  ktx2::Texture texture;
  texture.format = TexelFormat::kRgba8;
  texture.width_texels = texture.height_texels = 1;
  texture.supercompression = supercompression;
  texture.levels = {{kTexel, sizeof(kTexel)}};
  return texture;
}

// A file of each compiled type, made by our writers.
std::map<std::string_view, ByteVector> written_files() {
  const hmesh::Model mesh = formats_test::static_quad();
  const hmesh::Model skinned = formats_test::full_quad();
  hmat::GpuMaterial material;
  material.base_color_texture = hash_asset_ref("wood");
  const hanim::Channel nods{.joint = 1, .times = {0}, .values = {0, 0, 0}};
  const std::uint32_t spirv[] = {0x07230203, 0x00010500, 0, 1, 0};
  const hpack::File packed[] = {{"a.txt", Bytes(ByteVector(3))}};
  std::map<std::string_view, ByteVector> files;
  const auto add = [&](std::string_view suffix, Result<ByteVector> bytes) {
    EXPECT_TRUE(bytes) << suffix << ": " << bytes.error().to_string();
    if (bytes) files.emplace(suffix, std::move(*bytes));
  };
  add(".hmesh", hmesh::write(skinned));
  add(".gali", galileo::write(galileo::from_hmesh(mesh, {})));
  add(".ktx2", ktx2::write(one_texel(ktx2::Supercompression::kNone)));
  add(".hmat", hmat::write(std::span(&material, 1)));
  add(".hanim", hanim::write(std::vector<hanim::Clip>{{"nod", 1, {nods}}}));
  hscene::Model scene;
  scene.nodes.resize(1);
  scene.nodes[0].end = 1;
  add(".hscene", hscene::write(scene));
  add(".hfont", hfont::write({.desc = {.texture = hash_asset_ref("ui.atlas"),
                                       .atlas_width_texels = 4,
                                       .atlas_height_texels = 4,
                                       .size_texels = 40,
                                       .range_texels = 4,
                                       .units_per_em = 1000},
                              .glyphs = {{}},
                              .characters = {{'A', 0}},
                              .kerning = {},
                              .name = "Test"}));
  add(".hcluster", hcluster::write(formats_test::sample_clusters()));
  add(".spv", ByteVector(object_bytes(spirv).begin(), object_bytes(spirv).end()));
  add(".hman", hman::write({hman::texture_entry("wood.ktx2", hman::Colorspace::kSrgb)}));
  add(".hpack", hpack::write(packed));
  ByteVector bundle(sizeof(pak::Header) + sizeof(pak::Footer));
  pak::Header header;
  std::ranges::copy(std::string_view("base"), header.name.begin());
  std::ranges::copy(std::string_view("Win64"), header.platform.begin());
  const pak::Footer footer{.index_offset_bytes = sizeof(pak::Header)};
  std::ranges::copy(object_bytes(header), bundle.begin());
  std::ranges::copy(object_bytes(footer), bundle.begin() + sizeof(header));
  add(".pak", std::move(bundle));
  add(".bin", aas1::write(formats_test::sample_aas1_material()));
  return files;
}

TEST(Rows, magics_are_what_the_writers_write) {
  const auto files = written_files();
  for (const Row& row : all_rows()) {
    if (!row.is_compiled()) continue;
    ASSERT_TRUE(files.contains(row.suffix())) << "add a file of " << row.suffix() << " to written_files()";
    EXPECT_EQ(find_magic(files.at(row.suffix())), &row) << row.suffix();
  }
  EXPECT_TRUE(has_magic(row_of(".hmesh"), *hmesh_v1::write(hmesh_v1::from_hmesh(formats_test::static_quad(), {}))));
}

TEST(Readers, open_and_inspect_what_the_writers_write_and_refuse_the_rest) {
  for (const auto& [suffix, bytes] : written_files()) {
    const Reader& reader = *row_of(suffix).reader;
    const std::string name = "a" + std::string(suffix);
    EXPECT_TRUE(reader.open(bytes)) << suffix;
    // The module has only a header: it opens, but no GPU accepts it.
    EXPECT_EQ(check_file(name, bytes).has_value(), suffix != ".spv") << suffix;
    ByteVector wrong = bytes;
    wrong[0] ^= std::byte{1};
    EXPECT_FALSE(reader.open(wrong)) << suffix;
    EXPECT_FALSE(check_file(name, wrong)) << suffix;
    EXPECT_FALSE(check_file(name, ByteSpan(bytes).first(3))) << suffix;
    if (reader.inspect != nullptr) {
      const auto content = reader.inspect(bytes);
      ASSERT_TRUE(content) << suffix;
      EXPECT_FALSE(std::holds_alternative<std::monostate>(*content)) << suffix;
      EXPECT_FALSE(reader.inspect(wrong)) << suffix;
    }
    EXPECT_FALSE(reader.check != nullptr && reader.check(wrong)) << suffix;
    EXPECT_FALSE(reader.references != nullptr && reader.references(wrong)) << suffix;
  }
  EXPECT_TRUE(check_file("notes.txt", {})) << "files without a reader are not opened";
}

TEST(Readers, both_versions_of_a_mesh_open_and_the_first_names_no_rows) {
  const auto first = hmesh_v1::write(hmesh_v1::from_hmesh(formats_test::static_quad(), {}));
  ASSERT_TRUE(first);
  const Reader& reader = *row_of(".hmesh").reader;
  EXPECT_TRUE(reader.open(*first));
  const auto info = std::get<MeshInfo>(*reader.inspect(*first));
  EXPECT_EQ(info.container, "hmesh 1");
  EXPECT_FALSE(info.names_rows);
  EXPECT_TRUE(std::get<MeshInfo>(*reader.inspect(written_files().at(".hmesh"))).names_rows);
}

TEST(Readers, references_are_told_with_their_places) {
  const auto files = written_files();
  const auto materials = row_of(".hmat").reader->references(files.at(".hmat"));
  ASSERT_TRUE(materials);
  ASSERT_EQ(materials->textures.size(), 1u);
  EXPECT_EQ(materials->textures[0].place, "row 0");
  EXPECT_EQ(materials->textures[0].slot, "base color");
  EXPECT_EQ(materials->textures[0].hash, hash_asset_ref("wood"));
  const auto manifest = row_of(".hman").reader->references(files.at(".hman"));
  ASSERT_TRUE(manifest);
  ASSERT_EQ(manifest->files.size(), 1u);
  EXPECT_EQ(manifest->files[0].path, "wood.ktx2");
  const auto animation = row_of(".hanim").reader->references(files.at(".hanim"));
  ASSERT_TRUE(animation);
  EXPECT_TRUE(animation->check_joints(2));
  EXPECT_EQ(animation->check_joints(1).error().place, "clip \"nod\" channel 0");
}

TEST(Readers, bounds_that_do_not_hold_their_mesh_are_found_by_check_alone) {
  const Reader& reader = *row_of(".hmesh").reader;
  const auto told = [&](auto&& change) {
    hmesh::Model m = formats_test::full_quad();
    change(m);
    const auto file = hmesh::write(m);
    EXPECT_TRUE(file) << file.error().to_string();
    const auto checked = reader.check(*file);
    return checked ? std::string("no error") : checked.error().what;
  };
  EXPECT_EQ(told([](hmesh::Model&) {}), "no error");
  EXPECT_EQ(told([](hmesh::Model& m) { m.bounds.sphere_radius = 0.5f; }),
            "vertex 0 lies outside the sphere of the mesh");
  EXPECT_EQ(told([](hmesh::Model& m) { m.submeshes[1].bounds.aabb_max[1] = 0.5f; }),
            "vertex 2 lies outside the bounds of submesh 1");
  EXPECT_EQ(told([](hmesh::Model& m) {  // only a level uses vertex 3
              m.submeshes[0].bounds = {{0, 0, 0}, {1, 1, 0}, {0.75f, 0.25f, 0}, 0.8f};
              m.lod_indices = {0, 1, 3};
            }),
            "vertex 3 lies outside the bounds of submesh 0");
  EXPECT_EQ(told([](hmesh::Model& m) { m.meshlet_bounds[1].radius = 0.25f; }),
            "vertex 0 lies outside the sphere of meshlet 1, of which it is part");
  EXPECT_EQ(told([](hmesh::Model& m) { m.meshlet_bounds[0].center[2] = std::numeric_limits<float>::quiet_NaN(); }),
            "vertex 0 lies outside the sphere of meshlet 0, of which it is part");
  hmesh::Model old = formats_test::static_quad();
  old.meshlet_bounds[1].radius = 0.25f;
  EXPECT_FALSE(reader.check(*hmesh_v1::write(hmesh_v1::from_hmesh(old, {}))));
}

TEST(Readers, a_level_that_is_no_zstd_is_found_by_check_alone) {
  const auto file = ktx2::write(one_texel(ktx2::Supercompression::kZstd));
  ASSERT_TRUE(file) << file.error().to_string();
  const Reader& reader = *row_of(".ktx2").reader;
  EXPECT_TRUE(reader.open(*file));
  const auto checked = reader.check(*file);
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().place, "level 0");
  EXPECT_EQ(checked.error().hint, "build again with --no-cache");
}

TEST(Readers, a_stream_of_etc1s_that_is_damaged_is_found_by_check_alone) {
  const etc1s::Writer writer({.width = 64, .height = 64, .levels = 2, .alpha = true}, 1);
  ByteVector file = writer.file();
  const Reader& reader = *row_of(".ktx2").reader;
  EXPECT_TRUE(reader.check(file));
  const auto view = ktx2::View::open(file);
  ASSERT_TRUE(view) << view.error().to_string();
  const auto& level = view->levels()[0];
  std::fill_n(file.begin() + static_cast<std::ptrdiff_t>(level.offset_bytes), level.size_bytes, std::byte{0xff});
  EXPECT_TRUE(reader.open(file));
  const auto checked = reader.check(file);
  ASSERT_FALSE(checked);
  EXPECT_TRUE(checked.error().place.starts_with("level 0, image 0, block ")) << checked.error().to_string();
}

TEST(Rows, lists_name_one_suffix_a_row_in_the_tables_order) {
  EXPECT_EQ(list_suffixes([](const Row& row) { return row.is_model() || row.is_picture(); }, " ", " or "),
            ".gltf .glb .obj .fbx .hmesh .hcluster .gali .ktx2 .png .jpg .webp .tga .bmp .hdr .exr .psd .tif .avif "
            ".dds or .ktx");
  EXPECT_EQ(list_suffixes([](const Row& row) { return row.type == Class::kPack; }, ", ", " or "), ".hpack or .pak");
  EXPECT_EQ(list_suffixes([](const Row&) { return false; }, ", ", " or "), "");
}

}  // namespace
}  // namespace assetc::filetypes
