#include "assetc/runtime/stream.hpp"

#include <gmock/gmock.h>
#include <zstd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <random>

#include "assetc/formats/aas1_mesh.hpp"
#include "assetc/formats/hmesh.hpp"
#include "runtime/cooked.hpp"

namespace assetc::runtime {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::uint32_t kSide = 256;

// The bytes of level i: all are of one value, so that each level is known again.
ByteVector texels_of(std::uint32_t level) {
  const std::size_t side = std::max(kSide >> level, 1u);
  return ByteVector(side * side * 4, static_cast<std::byte>(level + 1));
}

ByteVector ktx2_of(bool zstd) {
  ktx2::Texture texture;
  texture.format = ktx2::Format::kRgba8;
  texture.width_texels = texture.height_texels = kSide;
  std::vector<ByteVector> levels;
  for (std::uint32_t i = 0; i <= 8; ++i) levels.push_back(texels_of(i));
  std::vector<std::uint64_t> sizes;
  for (ByteVector& level : levels) {
    sizes.push_back(level.size());
    if (!zstd) continue;
    ByteVector frame(ZSTD_compressBound(level.size()));
    frame.resize(ZSTD_compress(frame.data(), frame.size(), level.data(), level.size(), 3));
    level = std::move(frame);
  }
  if (zstd) texture.supercompression = ktx2::Supercompression::kZstd;
  for (std::size_t i = 0; i < levels.size(); ++i) texture.levels.push_back({levels[i], sizes[i]});
  return ktx2::write(texture).value();
}

ByteVector aas1_of() {
  std::vector<ByteVector> levels;
  aas1::Texture texture;
  texture.width_texels = texture.height_texels = kSide;
  for (std::uint32_t i = 0; i <= 8; ++i) levels.push_back(texels_of(i));
  for (const ByteVector& level : levels) texture.levels.emplace_back(level);
  texture.swizzle = "bgra";
  return aas1::write(texture).value();
}

hmesh::Model grid(std::uint32_t side) {
  hmesh::Model model;
  for (std::uint32_t y = 0; y <= side; ++y) {
    for (std::uint32_t x = 0; x <= side; ++x)
      model.vertices.push_back({{static_cast<float>(x), static_cast<float>(y), 0}, {0, 0}, {0, 0}, {0, 0}});
  }
  const auto corner = [&](std::uint32_t x, std::uint32_t y) { return y * (side + 1) + x; };
  const auto squares = [&](std::uint32_t step, std::vector<std::uint32_t>& out) {
    for (std::uint32_t y = 0; y < side; y += step) {
      for (std::uint32_t x = 0; x < side; x += step) {
        for (const std::uint32_t i : {corner(x, y), corner(x + step, y), corner(x, y + step)}) out.push_back(i);
      }
    }
  };
  squares(1, model.indices);
  const auto s = static_cast<float>(side);
  model.bounds = {{0, 0, 0}, {s, s, 0}, {s / 2, s / 2, 0}, s};
  model.submeshes = {{0, static_cast<std::uint32_t>(model.indices.size()), 0, 0, hmesh::kNoMaterial, 0, model.bounds}};
  model.lod_count = 2;
  for (const std::uint32_t step : {2u, 4u}) {
    const auto first = static_cast<std::uint32_t>(model.lod_indices.size());
    squares(step, model.lod_indices);
    model.lods.push_back({first, static_cast<std::uint32_t>(model.lod_indices.size()) - first});
  }
  return model;
}

ByteVector aas1_grid(std::uint32_t side) {
  const hmesh::Model from = grid(side);
  aas1::Mesh mesh;
  mesh.vertex_stride_bytes = 12;
  mesh.attributes = {{aas1::Semantic::kPosition, 0, aas1::VertexFormat::kRgb32F, 0, 0, 0, 0}};
  for (const hmesh::GpuVertex& vertex : from.vertices) append_bytes(mesh.vertices, object_bytes(vertex.position));
  const auto add = [&](std::vector<std::uint32_t> indices, float screen_size) {
    const auto count = static_cast<std::uint32_t>(indices.size());
    mesh.levels.push_back({std::move(indices), {{0, count, 0, 0}}, screen_size, {0, 0, 0}, {}});
    mesh.levels.back().bounds_max = {static_cast<float>(side), static_cast<float>(side), 0};
  };
  add(from.indices, 1);
  for (std::size_t i = 0; i < from.lods.size(); ++i) {
    const auto begin = from.lod_indices.begin() + from.lods[i].first_index;
    add({begin, begin + from.lods[i].index_count}, 0.5f / static_cast<float>(i + 1));
  }
  mesh.materials = {uuid(70)};
  return aas1::write(mesh).value();
}

// A tree of files that are streamed, and what sinks were told.
class Streaming : public testing::Test {
 protected:
  Streamer& start(StreamOptions options = {}, unsigned threads = 0) {
    std::vector<std::string> names;
    names.reserve(files.files.size());
    for (const auto& [path, bytes] : files.files) names.push_back(path);
    Catalog catalog;
    const auto mounted = catalog.mount(files.source(threads), Layout::kTree, "", {.files = names});
    EXPECT_TRUE(mounted) << fault_text(mounted);
    catalog_ = catalog;
    return streamer.emplace(std::move(catalog), std::move(options));
  }
  AssetHandle find(const std::string& path) const { return catalog_.find_by_path(path).value_or(AssetHandle{}); }
  Streamer::TextureSink textures() {
    return [this](const Outcome<TextureParts>& parts) {
      if (!parts) {
        failure = parts.error().to_string();
        return;
      }
      firsts.push_back(parts->first_level);
      last = *parts;
    };
  }
  Streamer::MeshSink meshes() {
    return [this](const Outcome<MeshParts>& parts) {
      if (!parts) {
        failure = parts.error().to_string();
        return;
      }
      const MeshData& mesh = parts->mesh;
      lods.push_back(parts->lod);
      indices.push_back(mesh.hmesh() != nullptr ? mesh.hmesh()->desc().index_count : mesh.aas1()->desc().index_count);
      last_mesh = *parts;
    };
  }
  void finish() {
    while (streamer->pump()) continue;
  }
  // Every level that is there has its value, and as many bytes as it should.
  void expect_levels() const {
    for (std::size_t i = 0; i < last.texture.levels.size(); ++i) {
      const auto level = static_cast<std::uint32_t>(last.first_level + i);
      const ByteVector texels = texels_of(level);
      const ByteSpan bytes = last.texture.levels[i].bytes;
      EXPECT_TRUE(std::ranges::equal(bytes, texels)) << level << " has " << bytes.size();
      EXPECT_EQ(last.texture.levels[i].width_texels, std::max(kSide >> level, 1u));
    }
  }
  std::vector<std::uint64_t> read_sizes(const std::string& path) const {
    std::vector<std::uint64_t> sizes;
    for (const ReadRequest& read : files.reads()) {
      if (read.path == path && read.size_bytes != 0) sizes.push_back(read.size_bytes);
    }
    return sizes;
  }

  Files files;
  Catalog catalog_;
  std::optional<Streamer> streamer;
  std::vector<std::uint32_t> firsts, lods, indices;
  TextureParts last;
  MeshParts last_mesh;
  std::string failure;
};

TEST_F(Streaming, jobs_that_only_help_runs_are_run_before_a_streamer_goes) {
  files.files["a.ktx2"] = Bytes(ktx2_of(false));
  HelpedJobs jobs;
  start({.jobs = jobs.system()});
  streamer->texture(find("a.ktx2"), textures());
  while (jobs.waiting.empty()) streamer->pump();
  streamer.reset();
  EXPECT_TRUE(jobs.waiting.empty());
  EXPECT_TRUE(firsts.empty());
}

TEST_F(Streaming, small_levels_come_first_in_larger_and_larger_reads) {
  for (const char* path : {"plain.ktx2", "zstd.ktx2"})
    files.files[path] = Bytes(ktx2_of(std::string_view(path) == "zstd.ktx2"));
  start({.first_read_bytes = 8192});
  streamer->texture(find("plain.ktx2"), textures());
  finish();
  // 4 to 256 x 256: levels 3 to 8 have 5460 bytes.
  EXPECT_THAT(firsts, ElementsAre(3, 2, 1, 0));
  EXPECT_EQ(last.level_count, 9u);
  EXPECT_EQ(last.texture.levels.size(), 9u);
  expect_levels();
  EXPECT_THAT(read_sizes("plain.ktx2"), ElementsAre(8192, 16384, 65536, 262144));
  firsts.clear();
  streamer->texture(find("zstd.ktx2"), textures());
  finish();
  EXPECT_THAT(firsts, ElementsAre(0)) << "all of it fits the first read";
  expect_levels();
  EXPECT_EQ(failure, "");
}

TEST_F(Streaming, blobs_have_their_small_levels_at_their_end) {
  Cooked cooked;
  cooked.add(uuid(1), {AssetType::kTexture2D, "Demo/Brick", aas1_of(), {}, {}});
  cooked.put(files, "");
  Catalog catalog;
  ASSERT_TRUE(catalog.mount(files.source(), Layout::kCooked, ""));
  streamer.emplace(catalog, StreamOptions{.first_read_bytes = 8192});
  streamer->texture({.uuid = uuid(1)}, textures());
  finish();
  EXPECT_EQ(failure, "");
  EXPECT_THAT(firsts, ElementsAre(3, 2, 1, 0));
  expect_levels();
  EXPECT_EQ(last.texture.swizzle, "bgra");
}

TEST_F(Streaming, an_engine_asks_for_fewer_levels_and_gets_them_back) {
  files.files["a.ktx2"] = Bytes(ktx2_of(false));
  start({.first_read_bytes = 8192});
  const StreamId id = streamer->texture(find("a.ktx2"), textures(), 0, 2);
  finish();
  EXPECT_THAT(firsts, ElementsAre(3, 2));
  const std::uint64_t read = streamer->stats().read_bytes;
  EXPECT_LT(read, 40'000u);
  streamer->want(id, 0);
  finish();
  EXPECT_THAT(firsts, ElementsAre(3, 2, 1, 0));
  streamer->want(id, 2);
  EXPECT_FALSE(streamer->pump());
  EXPECT_THAT(firsts, ElementsAre(3, 2, 1, 0, 2));
  EXPECT_EQ(last.texture.levels.size(), 7u);
  streamer->want(id, 8);
  finish();
  EXPECT_EQ(last.first_level, 3u) << "what came first is never dropped";
  streamer->want(id, 1);
  finish();
  EXPECT_EQ(last.first_level, 1u);
  expect_levels();
  EXPECT_EQ(streamer->stats().in_flight_bytes, 0u);
}

TEST_F(Streaming, urgent_ones_are_read_first_and_memory_in_flight_is_bounded) {
  for (const char* path : {"a.ktx2", "b.ktx2", "c.ktx2", "d.ktx2"}) files.files[path] = Bytes(ktx2_of(false));
  start({.first_read_bytes = 8192, .in_flight_bytes = 300'000});
  std::vector<std::string> order;
  std::map<std::string, StreamId> ids;
  for (const std::string path : {"a.ktx2", "b.ktx2", "c.ktx2", "d.ktx2"}) {
    ids[path] = streamer->texture(find(path), [&, path](const Outcome<TextureParts>& parts) {
      if (parts && parts->first_level == 0) order.push_back(path);
    });
  }
  streamer->set_priority(ids["c.ktx2"], 5);
  streamer->close(ids["d.ktx2"]);
  finish();
  EXPECT_EQ(order.size(), 3u);
  EXPECT_EQ(order.front(), "c.ktx2");
  EXPECT_LE(streamer->stats().peak_in_flight_bytes, 300'000u);
  EXPECT_EQ(streamer->stats().streams, 3u);
}

TEST_F(Streaming, a_sink_may_close_its_stream_and_open_others) {
  files.files["a.ktx2"] = Bytes(ktx2_of(false));
  start({.first_read_bytes = 8192});
  StreamId id{};
  id = streamer->texture(find("a.ktx2"), [&](const Outcome<TextureParts>& parts) {
    firsts.push_back(parts->first_level);
    streamer->close(id);
    streamer->texture(find("a.ktx2"), [&](const Outcome<TextureParts>& other) { lods.push_back(other->first_level); });
  });
  finish();
  EXPECT_THAT(firsts, ElementsAre(3));
  EXPECT_THAT(lods, ElementsAre(3, 2, 1, 0));
  EXPECT_EQ(streamer->stats().streams, 1u);
}

TEST_F(Streaming, meshes_come_coarse_first) {
  files.files["a.hmesh"] = Bytes(hmesh::write(grid(64)).value());
  start({.first_read_bytes = 4096});
  streamer->mesh(find("a.hmesh"), meshes());
  finish();
  EXPECT_EQ(failure, "");
  EXPECT_THAT(lods, ElementsAre(2, 1, 0));
  EXPECT_THAT(indices, ElementsAre(16 * 16 * 3, 32 * 32 * 3, 64 * 64 * 3));
  EXPECT_EQ(last_mesh.lod_count, 3u);
  EXPECT_EQ(last_mesh.mesh.hmesh()->to_model(), hmesh::View::open(files.files["a.hmesh"])->to_model());
  EXPECT_EQ(streamer->stats().read_bytes, files.files["a.hmesh"].size()) << "nothing is read twice";
}

TEST_F(Streaming, a_coarse_mesh_draws_what_its_level_says) {
  const hmesh::Model model = grid(64);
  files.files["a.hmesh"] = Bytes(hmesh::write(model).value());
  start({.first_read_bytes = 4096});
  const StreamId id = streamer->mesh(find("a.hmesh"), meshes(), 0, 2);
  finish();
  EXPECT_THAT(lods, ElementsAre(2));
  const hmesh::View& coarse = *last_mesh.mesh.hmesh();
  ASSERT_EQ(coarse.desc().index_count, model.lods[1].index_count);
  for (std::size_t i = 0; i < coarse.desc().index_count; ++i)
    ASSERT_EQ(coarse.index(i), model.lod_indices[model.lods[1].first_index + i]) << i;
  EXPECT_TRUE(std::ranges::equal(coarse.vertices(), model.vertices));
  EXPECT_LT(streamer->stats().read_bytes, files.files["a.hmesh"].size() * 9 / 10);
  streamer->want(id, 0);
  finish();
  EXPECT_THAT(lods, ElementsAre(2, 1, 0));
}

TEST_F(Streaming, cooked_meshes_come_coarse_first) {
  Cooked cooked;
  cooked.add(uuid(1), {AssetType::kMesh, "Demo/Grid", aas1_grid(64), {}, {}});
  cooked.put(files, "");
  Catalog catalog;
  ASSERT_TRUE(catalog.mount(files.source(), Layout::kCooked, ""));
  streamer.emplace(catalog, StreamOptions{.first_read_bytes = 4096});
  streamer->mesh({.uuid = uuid(1)}, meshes());
  finish();
  EXPECT_EQ(failure, "");
  EXPECT_THAT(lods, ElementsAre(2, 1, 0));
  EXPECT_THAT(indices, ElementsAre(16 * 16 * 3, 32 * 32 * 3, 64 * 64 * 3));
  EXPECT_THAT(last_mesh.mesh.materials, ElementsAre(AssetHandle{.uuid = uuid(70)}));
}

TEST_F(Streaming, what_has_no_levels_comes_whole) {
  hmesh::Model model = grid(8);
  model.lod_count = 0;
  model.lods.clear();
  model.lod_indices.clear();
  files.files["a.hmesh"] = Bytes(hmesh::write(model).value());
  start({.first_read_bytes = 256});
  streamer->mesh(find("a.hmesh"), meshes(), 0, 1);
  finish();
  EXPECT_THAT(lods, ElementsAre(0));
  EXPECT_EQ(failure, "");
}

TEST_F(Streaming, failures_are_told_once) {
  files.files["short.ktx2"] = files.files["a.ktx2"] = Bytes(ktx2_of(false));
  files.files["short.ktx2"] = files.files["short.ktx2"].slice(0, 100'000);
  files.files["empty.ktx2"] = Bytes();
  files.files["a.hmesh"] = Bytes(hmesh::write(grid(4)).value());
  start({.first_read_bytes = 8192});
  const auto fault = [&](const std::string& path) {
    failure.clear();
    streamer->texture(find(path), textures());
    finish();
    return failure;
  };
  EXPECT_THAT(fault("short.ktx2"), HasSubstr("short.ktx2 ("));
  EXPECT_THAT(failure, HasSubstr("corrupt"));
  EXPECT_THAT(failure, HasSubstr("leaves the file of 100000 bytes"));
  EXPECT_THAT(fault("empty.ktx2"), HasSubstr("found no bytes"));
  EXPECT_THAT(fault("a.hmesh"), HasSubstr("wrong_type: is Mesh, and a texture was asked for"));
  EXPECT_THAT(fault("nothing.ktx2"), HasSubstr("missing"));
  EXPECT_THAT(firsts, IsEmpty());
}

TEST_F(Streaming, a_first_read_of_one_byte_is_enough) {
  files.files["a.ktx2"] = Bytes(ktx2_of(true));
  files.files["b.ktx2"] = Bytes(ktx2_of(true)).slice(0, 70);
  files.put("c.ktx2", Bytes(aas1_of()));
  start({.first_read_bytes = 1});
  for (const std::string path : {"a.ktx2", "c.ktx2"}) {
    firsts.clear();
    streamer->texture(find(path), textures());
    finish();
    EXPECT_EQ(failure, "");
    ASSERT_FALSE(firsts.empty());
    EXPECT_EQ(firsts.back(), 0u);
  }
  streamer->texture(find("b.ktx2"), textures());
  finish();
  EXPECT_THAT(failure, HasSubstr("corrupt"));
}

// The first file's levels and the second's would be one texture.
TEST_F(Streaming, a_file_that_is_replaced_meanwhile_is_told) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("assetc-stream-" + std::to_string(std::random_device()()));
  const auto replace = [&] {
    const ByteVector bytes = ktx2_of(false);
    std::ofstream(folder / "new", std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    std::filesystem::rename(folder / "new", folder / "a.ktx2");
  };
#ifdef _WIN32
  const std::vector<bool> mappings = {false};
#else
  const std::vector<bool> mappings = {false, true};
#endif
  std::filesystem::create_directory(folder);
  for (const bool is_mapped : mappings) {
    replace();
    Catalog catalog;
    ASSERT_TRUE(catalog.mount(folder.string(), {.mapped = is_mapped}));
    failure.clear();
    firsts.clear();
    streamer.emplace(catalog, StreamOptions{.first_read_bytes = 8192});
    const auto sink = textures();
    streamer->texture(*catalog.find_by_path("a.ktx2"), [&](const Outcome<TextureParts>& parts) {
      if (firsts.empty()) replace();
      sink(parts);
    });
    finish();
    EXPECT_THAT(failure, HasSubstr("io: the file was replaced while it was read in parts; open the stream again"));
    EXPECT_THAT(firsts, testing::SizeIs(1));
    streamer.reset();
  }
  std::filesystem::remove_all(folder);
}

TEST_F(Streaming, a_sink_that_was_closed_by_another_is_not_told_of_its_failure) {
  start();
  StreamId second{};
  int told = 0;
  const auto sink = [&](const Outcome<TextureParts>&) {
    ++told;
    streamer->close(second);
  };
  streamer->texture(find("nothing.ktx2"), sink);
  second = streamer->texture(find("nothing.ktx2"), sink);
  finish();
  EXPECT_EQ(told, 1);
  EXPECT_EQ(streamer->stats().streams, 1u);
}

TEST_F(Streaming, what_a_first_read_inflates_to_is_bounded) {
  files.files["a.ktx2"] = Bytes(ktx2_of(true));
  start({.in_flight_bytes = 100'000});  // levels 2 to 8 have 21844 bytes, level 1 65536
  streamer->texture(find("a.ktx2"), textures());
  finish();
  EXPECT_EQ(failure, "");
  EXPECT_THAT(firsts, ElementsAre(2, 0));
  expect_levels();
  EXPECT_GE(streamer->stats().peak_in_flight_bytes, 262'144u) << "level 0, alone";
  start({.max_asset_bytes = 100'000});
  firsts.clear();
  streamer->texture(find("a.ktx2"), textures());
  finish();
  EXPECT_THAT(failure, HasSubstr("limit: level 0 becomes 262144 bytes, expected at most 100000"));
}

TEST_F(Streaming, what_a_coarse_mesh_is_made_of_counts_as_in_flight) {
  const hmesh::Model model = grid(64);
  files.files["a.hmesh"] = Bytes(hmesh::write(model).value());
  start({.first_read_bytes = 4096});
  streamer->mesh(find("a.hmesh"), meshes(), 0, 2);
  finish();
  EXPECT_THAT(lods, ElementsAre(2));
  EXPECT_GE(streamer->stats().peak_in_flight_bytes, 2 * model.vertices.size() * sizeof(hmesh::GpuVertex));
  EXPECT_EQ(streamer->stats().in_flight_bytes, 0u);
}

TEST_F(Streaming, every_prefix_and_every_changed_byte_is_told_or_refused) {
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
      failure.clear();
      if (path == "a.hmesh") {
        streamer->mesh(find(path), meshes());
      } else {
        streamer->texture(find(path), textures());
      }
      finish();
    }
  }
}

TEST_F(Streaming, works_on_threads_and_is_left_in_the_middle) {
  for (int i = 0; i < 12; ++i) {
    files.files[std::to_string(i) + ".ktx2"] = Bytes(ktx2_of(i % 2 == 0));
    files.files[std::to_string(i) + ".hmesh"] = Bytes(hmesh::write(grid(16)).value());
  }
  ThreadPool pool(3);
  for (const bool to_the_end : {true, false}) {
    start({.jobs = pool.jobs(), .first_read_bytes = 2048}, 3);
    firsts.clear();
    lods.clear();
    std::vector<StreamId> ids;
    for (int i = 0; i < 12; ++i) {
      ids.push_back(streamer->texture(find(std::to_string(i) + ".ktx2"), textures(), i));
      ids.push_back(streamer->mesh(find(std::to_string(i) + ".hmesh"), meshes(), 12 - i));
    }
    for (int i = 0; i < 20; ++i) {
      streamer->pump();
      streamer->want(ids[static_cast<std::size_t>(i)], static_cast<std::uint32_t>(i % 3));
      if (i % 5 == 4) streamer->close(ids[static_cast<std::size_t>(i)]);
    }
    if (!to_the_end) break;
    for (const StreamId id : ids) streamer->want(id, 0);
    finish();
    EXPECT_GE(std::ranges::count(firsts, 0u), 10);
    EXPECT_EQ(streamer->stats().streams, 20u);
    expect_levels();
  }
  streamer.reset();
  EXPECT_EQ(failure, "");
}

}  // namespace
}  // namespace assetc::runtime
