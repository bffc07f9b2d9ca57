// Meshes in parts, ranges, and parts of damaged files.
#include <gmock/gmock.h>

#include <random>

#include "formats/encoded_mesh.hpp"
#include "runtime/parts.hpp"

namespace assetc::runtime {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST_F(PartsOf, meshes_come_coarse_first) {
  files.files["a.hmesh"] = Bytes(hmesh::write(grid(64)).value());
  start({.first_read_bytes = 4096});
  const AssetRef<MeshData> a = mesh("a.hmesh");
  finish();
  EXPECT_THAT(failures, IsEmpty());
  EXPECT_THAT(lods, ElementsAre(2, 1, 0));
  EXPECT_THAT(indices, ElementsAre(16 * 16 * 3, 32 * 32 * 3, 64 * 64 * 3));
  EXPECT_EQ(a.get()->lod_count, 3u);
  EXPECT_EQ(a.get()->hmesh()->to_model(), hmesh::View::open(files.files["a.hmesh"])->to_model());
  EXPECT_EQ(read_bytes("a.hmesh"), files.files["a.hmesh"].size()) << "nothing is read twice";
  a.want(1);
  finish();
  EXPECT_THAT(lods, ElementsAre(2, 1, 0, 1));
  a.want(0);
  finish();
  EXPECT_THAT(lods, ElementsAre(2, 1, 0, 1, 0));
  EXPECT_EQ(a.get()->hmesh()->to_model(), hmesh::View::open(files.files["a.hmesh"])->to_model());
}

TEST_F(PartsOf, encoded_meshes_are_loaded_whole) {
  const ByteVector plain = hmesh::write(grid(64)).value();
  files.files["a.hmesh"] = Bytes(formats_test::encoded_mesh(plain));
  start({.first_read_bytes = 4096});
  const AssetRef<MeshData> a = mesh("a.hmesh");
  finish();
  EXPECT_THAT(failures, IsEmpty());
  EXPECT_THAT(lods, ElementsAre(0));
  EXPECT_EQ(a.get()->lod_count, 1u);
  EXPECT_TRUE(std::ranges::equal(a.get()->bytes.span(), plain));
  a.want(1);
  finish();
  EXPECT_THAT(lods, ElementsAre(0));
}

TEST_F(PartsOf, parts_of_a_mapped_mesh_are_spans) {
  files.files["a.hmesh"] = Bytes(hmesh::write(grid(64)).value());
  const Bytes file = files.files["a.hmesh"];
  for (const bool copies : {false, true}) {
    files.copies = copies;
    lods.clear();
    start({.first_read_bytes = 4096});
    const AssetRef<MeshData> a = mesh("a.hmesh");
    finish();
    EXPECT_THAT(lods, ElementsAre(2, 1, 0));
    EXPECT_EQ(a.get()->bytes.data() == file.data(), !copies);
    EXPECT_TRUE(std::ranges::equal(a.get()->bytes.span(), file.span()));
  }
}

TEST_F(PartsOf, ranges_that_follow_one_another_in_one_file_are_one_piece) {
  const Bytes file(ByteVector(100, std::byte{7})), other(ByteVector(100, std::byte{8}));
  PartContent content;
  EXPECT_EQ(content.in_place(100), std::nullopt);
  content.add({0, 10}, file.slice(0, 10));
  content.add({20, 10}, file.slice(20, 10));
  EXPECT_EQ(content.pieces().size(), 2u);
  ASSERT_TRUE(content.in_place(100));
  EXPECT_EQ(content.in_place(100)->data(), file.data());
  content.add({10, 10}, file.slice(10, 10));
  ASSERT_EQ(content.pieces().size(), 1u);
  EXPECT_EQ(content.pieces()[0].range, (ContentRange{0, 30}));
  EXPECT_TRUE(content.has_one_piece({5, 20}));
  EXPECT_EQ(content.find({5, 20})->data(), file.data() + 5);
  content.add({30, 10}, other.slice(30, 10));
  EXPECT_EQ(content.pieces().size(), 2u) << "another owner";
  EXPECT_EQ(content.in_place(100), std::nullopt);
  EXPECT_FALSE(content.has_one_piece({25, 10}));
  EXPECT_EQ(content.find({25, 10})->span()[5], std::byte{8});
  PartContent shifted;
  shifted.add({0, 10}, file.slice(0, 10));
  shifted.add({10, 10}, file.slice(30, 10));
  EXPECT_EQ(shifted.pieces().size(), 2u) << "another place of the file";
  EXPECT_EQ(shifted.in_place(100), std::nullopt);
}

TEST_F(PartsOf, a_large_mesh_without_levels_is_one_read_after_the_first) {
  hmesh::Model model = grid(32);
  model.lod_count = 0;
  model.lods.clear();
  model.lod_indices.clear();
  const Bytes file(hmesh::write(model).value());
  files.files["a.hmesh"] = file;
  files.copies = true;
  start({.first_read_bytes = 256});
  const AssetRef<MeshData> a = mesh("a.hmesh");
  finish();
  EXPECT_THAT(read_sizes("a.hmesh"), ElementsAre(256, file.size()));
  EXPECT_EQ(a.get()->bytes.size(), file.size());
}

TEST_F(PartsOf, a_coarse_mesh_draws_what_its_level_says) {
  const hmesh::Model model = grid(64);
  files.files["a.hmesh"] = Bytes(hmesh::write(model).value());
  start({.first_read_bytes = 4096});
  const AssetRef<MeshData> a = mesh("a.hmesh");
  a.want(2);
  finish();
  EXPECT_THAT(lods, ElementsAre(2));
  const hmesh::View& coarse = *a.get()->hmesh();
  ASSERT_EQ(coarse.desc().index_count, model.lods[1].index_count);
  for (std::size_t i = 0; i < coarse.desc().index_count; ++i)
    ASSERT_EQ(coarse.index(i), model.lod_indices[model.lods[1].first_index + i]) << i;
  EXPECT_TRUE(std::ranges::equal(coarse.vertices(), model.vertices));
  EXPECT_LT(read_bytes("a.hmesh"), files.files["a.hmesh"].size() * 9 / 10);
  EXPECT_GE(manager->stats().peak_in_flight_bytes, 2 * model.vertices.size() * sizeof(hmesh::GpuVertex));
  EXPECT_EQ(manager->stats().in_flight_bytes, 0u);
  a.want(0);
  finish();
  EXPECT_THAT(lods, ElementsAre(2, 1, 0));
}

TEST_F(PartsOf, cooked_meshes_come_coarse_first) {
  Cooked cooked;
  cooked.add(uuid(1), {AssetType::kMesh, "Demo/Grid", aas1_grid(64), {}, {}});
  cooked.put(files, "");
  Catalog catalog;
  ASSERT_TRUE(catalog.mount(files.source(), Layout::kCooked, ""));
  start(catalog, {.first_read_bytes = 4096});
  const AssetRef<MeshData> a = manager->load_async<MeshData>({.uuid = uuid(1)});
  finish();
  EXPECT_THAT(failures, IsEmpty());
  EXPECT_THAT(lods, ElementsAre(2, 1, 0));
  EXPECT_THAT(indices, ElementsAre(16 * 16 * 3, 32 * 32 * 3, 64 * 64 * 3));
  EXPECT_THAT(a.get()->materials, ElementsAre(AssetHandle{.uuid = uuid(70)}));
}

TEST_F(PartsOf, a_mesh_without_levels_comes_whole) {
  hmesh::Model model = grid(8);
  model.lod_count = 0;
  model.lods.clear();
  model.lod_indices.clear();
  files.files["a.hmesh"] = Bytes(hmesh::write(model).value());
  start({.first_read_bytes = 256});
  const AssetRef<MeshData> a = mesh("a.hmesh");
  a.want(1);
  finish();
  EXPECT_THAT(lods, ElementsAre(0));
  EXPECT_THAT(failures, IsEmpty());
}

TEST_F(PartsOf, a_first_read_of_one_byte_is_enough) {
  files.files["a.ktx2"] = Bytes(ktx2_of(true));
  files.files["b.ktx2"] = Bytes(ktx2_of(true)).slice(0, 70);
  files.put("c.ktx2", Bytes(aas1_of()));
  files.put("d.hmesh", Bytes(hmesh::write(grid(16)).value()));
  start({.first_read_bytes = 1});
  for (const std::string path : {"a.ktx2", "c.ktx2"}) {
    const AssetRef<TextureData> ref = texture(path);
    finish();
    EXPECT_THAT(failures, IsEmpty());
    expect_levels(ref, 0);
  }
  const AssetRef<MeshData> d = mesh("d.hmesh");
  finish();
  EXPECT_EQ(d.get()->lod, 0u);
  const AssetRef<TextureData> b = texture("b.ktx2");
  finish();
  EXPECT_THAT(failures, ElementsAre(HasSubstr("corrupt")));
}

TEST_F(PartsOf, every_prefix_and_every_changed_byte_is_loaded_or_refused) {
  std::mt19937 random(7);
  const auto all = {std::pair<std::string, ByteVector>{"a.hmesh", hmesh::write(grid(16)).value()},
                    {"a.ktx2", ktx2_of(true)}};
  for (const auto& [path, good] : all) {
    for (int i = 0; i < 400; ++i) {
      ByteVector bytes = good;
      if (i % 2 == 0) {
        bytes.resize(1 + random() % good.size());
      } else {
        bytes[random() % std::min<std::size_t>(good.size(), 2048)] ^= static_cast<std::byte>(1 << random() % 8);
      }
      files.files.clear();
      files.files[path] = Bytes(std::move(bytes));
      start({.first_read_bytes = 1024});
      const AnyRef ref = path == "a.hmesh" ? AnyRef(mesh(path)) : AnyRef(texture(path));
      finish();
      EXPECT_NE(ref.state(), LoadState::kLoading);
    }
  }
}

TEST_F(PartsOf, a_range_is_an_asset_of_its_own) {
  files.files["a.ktx2"] = Bytes(ktx2_of(false));
  start(kSmallReads);
  const AssetRef<TextureData> a = texture("a.ktx2");
  a.want(3);
  const Bytes file = files.files["a.ktx2"];
  AssetRef<PartBytes> range = manager->load_range(a, {100'000, 500});
  const AssetRef<PartBytes> outside = manager->load_range(a, {file.size() - 10, 500});
  finish();
  ASSERT_TRUE(range.is_ready());
  EXPECT_TRUE(std::ranges::equal(range.get()->bytes.span(), file.span().subspan(100'000, 500)));
  ASSERT_NE(outside.failure(), nullptr);
  EXPECT_EQ(outside.failure()->fault, Fault::kCorrupt);
  files.put("a.ktx2", Bytes(ktx2_of(true)));
  manager->changed({.written = {"a.ktx2"}});
  settle();
  EXPECT_TRUE(std::ranges::equal(range.get()->bytes.span(), file.span().subspan(100'000, 500))) << "it stays";
  const std::uint64_t cpu_bytes = manager->stats().cpu_bytes;
  range = {};
  manager->pump();
  EXPECT_EQ(manager->stats().cpu_bytes, cpu_bytes - 500);
}

TEST_F(PartsOf, works_on_threads_and_is_left_in_the_middle) {
  for (int i = 0; i < 12; ++i) {
    files.files[std::to_string(i) + ".ktx2"] = Bytes(ktx2_of(false));
    files.files[std::to_string(i) + ".hmesh"] = Bytes(hmesh::write(grid(16)).value());
  }
  ThreadPool pool(3);
  for (const bool to_the_end : {true, false}) {
    start({.first_read_bytes = 2048}, {.jobs = pool.jobs(), .gpu_bytes = 2'000'000}, 3);
    std::vector<AssetRef<TextureData>> textures;
    std::vector<AssetRef<MeshData>> meshes;
    for (int i = 0; i < 12; ++i) {
      textures.push_back(texture(std::to_string(i) + ".ktx2", i));
      meshes.push_back(mesh(std::to_string(i) + ".hmesh"));
    }
    for (std::size_t i = 0; i < 12; ++i) {
      manager->pump();
      textures[i].want(static_cast<std::uint32_t>(i % 3));
      if (i % 5 == 4) textures[i] = {};
      if (i % 4 == 3) manager->changed({.everything = true});
    }
    if (!to_the_end) break;
    std::erase_if(textures, [](const auto& ref) { return !ref; });
    for (const AssetRef<TextureData>& ref : textures) ref.want(1);
    settle();
    for (const AssetRef<TextureData>& ref : textures) expect_levels(ref, 1);
    for (const AssetRef<MeshData>& ref : meshes) EXPECT_EQ(ref.get()->lod, 0u);
  }
  manager.reset();
  EXPECT_THAT(failures, IsEmpty());
}

}  // namespace
}  // namespace assetc::runtime
