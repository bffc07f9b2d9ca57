// Reads and decodes in flight: as few reads as possible, within a memory budget, urgent ones first.
#include <gmock/gmock.h>

#include <thread>

#include "assetc/formats/hpack.hpp"
#include "assetc/runtime/source.hpp"
#include "runtime/notes.hpp"

namespace assetc::runtime {
namespace {

class InFlight : public Managers {
 protected:
  // Mounts a pack of the files "notes/100.bin" and so on, whose texts are "note 0" and so on.
  std::vector<AssetHandle> mount_pack(std::size_t count) {
    std::vector<hpack::File> packed;
    packed.reserve(count);
    for (std::size_t i = 0; i < count; ++i) packed.push_back({path(i), Bytes(raw_blob("note " + std::to_string(i)))});
    files.files["game.hpack"] = Bytes(hpack::write(packed).value());
    Catalog catalog;
    EXPECT_TRUE(catalog.mount(files.source(), Layout::kPack, "game.hpack"));
    std::vector<AssetHandle> assets;
    assets.reserve(count);
    for (std::size_t i = 0; i < count; ++i) assets.push_back(*catalog.find_by_path(path(i)));
    reads_to_mount = files.reads().size();
    manager.emplace(std::move(catalog), ManagerOptions{.io_thread = false});
    manager->add<Note>(kRaw, note_loader(log));
    return assets;
  }
  static std::string path(std::size_t i) { return "notes/" + std::to_string(100 + i) + ".bin"; }
  void preload_all(std::uint32_t count) {
    std::vector<AssetHandle> wanted;
    wanted.reserve(count);
    for (std::uint32_t i = 1; i <= count; ++i) wanted.push_back({.uuid = uuid(i)});
    const Group group = manager->preload(wanted);
    while (!group.progress().is_done()) manager->pump();
    EXPECT_EQ(group.progress().ready, count);
  }
  static const Note* note_of(const AnyRef& ref) { return static_cast<const AssetRef<Note>&>(ref).get(); }

  std::size_t reads_to_mount = 0;
};

TEST_F(InFlight, memory_in_flight_stays_within_its_bound) {
  for (std::uint32_t i = 1; i <= 300; ++i) add(i, std::string(10'000, 'x'));
  const JobSystem jobs_of_pool = start_pool(3);
  start_notes({.jobs = jobs_of_pool, .in_flight_bytes = 100'000}, 2);
  preload_all(300);
  EXPECT_LE(manager->stats().peak_in_flight_bytes, 100'000u);
  EXPECT_EQ(manager->stats().in_flight_bytes, 0u);
}

// With a budget for one asset at a time, and all assets in one graph.
TEST_F(InFlight, what_others_need_is_loaded_whatever_is_in_flight) {
  for (std::uint32_t i = 1; i <= 100; ++i)
    add(i, std::string(10'000, 'x'), i > 2 ? std::vector{i / 2, i - 2} : std::vector<std::uint32_t>{});
  const JobSystem jobs_of_pool = start_pool(2);
  start_notes({.jobs = jobs_of_pool, .in_flight_bytes = 1}, 2);
  std::vector<AssetRef<Note>> refs;
  for (std::uint32_t i = 100; i >= 1; --i) refs.push_back(ask(i, static_cast<int>(i * 7 % 10)));
  while (manager->stats().loading > 0) manager->pump();
  for (const AssetRef<Note>& ref : refs) EXPECT_TRUE(ref.is_ready());
}

TEST_F(InFlight, what_becomes_larger_than_it_was_stays_within_the_bound) {
  for (std::uint32_t i = 1; i <= 100; ++i) add(i, std::string(10'000, 'x'));
  const JobSystem jobs_of_pool = start_pool(3);
  start({.jobs = jobs_of_pool, .in_flight_bytes = 100'000}, 2);
  Loader<Note> loader = note_loader(log);
  loader.decoded_bytes = [](ByteSpan bytes) { return bytes.size() * 4; };
  manager->add<Note>(kRaw, std::move(loader));
  preload_all(100);
  EXPECT_LE(manager->stats().peak_in_flight_bytes, 100'000u);
}

TEST_F(InFlight, what_a_loader_finds_that_it_needs_stays_within_the_bound) {
  for (std::uint32_t i = 2; i <= 65; ++i) add(i, std::string(10'000, 'x'));
  add(1, "all");
  const JobSystem jobs_of_pool = start_pool(3);
  start({.jobs = jobs_of_pool, .in_flight_bytes = 50'000}, 2);
  Loader<Note> loader = note_loader(log);
  loader.decode = [](LoadInput& in) {
    auto note = read_note(in);
    for (std::uint32_t i = 2; note && note->text == "all" && i <= 65; ++i) in.hard.push_back({.uuid = uuid(i)});
    return note;
  };
  manager->add<Note>(kRaw, std::move(loader));
  const AssetRef<Note> all = ask(1);
  pump_until_done();
  EXPECT_TRUE(all.is_ready());
  EXPECT_LE(manager->stats().peak_in_flight_bytes, 50'000u);
}

// As if the upload of a texture needed a shader.
TEST_F(InFlight, what_finalize_loads_comes_whatever_is_in_flight) {
  add(1, std::string(100'000, 'x'));
  add(2, "note 2");
  const JobSystem jobs_of_pool = start_pool(1);
  start({.jobs = jobs_of_pool, .in_flight_bytes = 100'000}, 2);
  Loader<Note> loader = note_loader(log);
  AssetRef<Note> inner;
  loader.finalize = [&](Note& note, const AssetDesc&) -> Result<GpuObject> {
    if (note.text != "note 2") inner = manager->load<Note>({.uuid = uuid(2)});
    return GpuObject{};
  };
  manager->add<Note>(kRaw, std::move(loader));
  const AssetRef<Note> outer = manager->load<Note>({.uuid = uuid(1)});
  EXPECT_TRUE(outer.is_ready());
  ASSERT_TRUE(inner.is_ready());
  EXPECT_EQ(inner.get()->text, "note 2");
}

TEST_F(InFlight, neighbors_in_a_pack_are_one_read) {
  const std::vector<AssetHandle> assets = mount_pack(100);
  std::vector<AssetHandle> wanted;
  wanted.reserve(60);
  for (std::size_t i = 0; i < 60; ++i) wanted.push_back(assets[i * 37 % 60]);
  const Group group = manager->preload(wanted);
  pump_until_done();
  EXPECT_EQ(group.progress().ready, 60u);
  EXPECT_EQ(files.reads().size() - reads_to_mount, 1u);
  EXPECT_EQ(note_of(group.refs()[1])->text, "note 37");
}

TEST_F(InFlight, a_fault_in_a_read_of_several_is_that_of_one) {
  const std::vector<AssetHandle> assets = mount_pack(20);
  const ByteSpan pack = files.files["game.hpack"];
  const std::size_t bad = as_text(pack).find("note 7");
  files.fault = [&](const ReadRequest& read) {
    return bad >= read.offset_bytes && bad < read.offset_bytes + read.size_bytes;
  };
  const Group group = manager->preload(assets);
  pump_until_done();
  EXPECT_EQ(group.progress().ready, 19u);
  EXPECT_EQ(group.refs()[7].failure()->fault, Fault::kIo);
  EXPECT_EQ(note_of(group.refs()[8])->text, "note 8");
}

// The fifth decode waits until the urgent file was read, which happens within pump(). Its job may have at most 15 more
// decodes, which it finishes first.
TEST_F(InFlight, what_is_urgent_is_decoded_before_most_that_were_there_first) {
  for (std::uint32_t i = 1; i <= 40; ++i) add(i, "note " + std::to_string(i));
  const JobSystem jobs_of_pool = start_pool(1);
  start({.jobs = jobs_of_pool, .io_thread = false});
  Loader<Note> loader = note_loader(log);
  std::atomic<int> begun = 0;
  std::atomic<bool> is_read = false;
  loader.decode = [&](LoadInput& in) -> Result<Note> {
    ASSETC_TRY(Note note, read_note(in));
    if (++begun == 5) {
      while (!is_read) std::this_thread::yield();
    }
    log.add("decode " + note.text);
    return note;
  };
  manager->add<Note>(kRaw, std::move(loader));
  std::vector<AssetRef<Note>> refs;
  refs.reserve(40);
  for (std::uint32_t i = 1; i < 40; ++i) refs.push_back(ask(i));
  while (begun < 5) manager->pump();
  const AssetRef<Note> urgent = ask(40, 10);
  const int before = begun;
  while (files.count_of(blob_path(40)) == 0) manager->pump();
  manager->pump();
  is_read = true;
  while (!urgent.is_ready()) manager->pump();
  std::vector<std::string> lines = log.lines();
  std::erase_if(lines, [](const std::string& line) { return !line.starts_with("decode "); });
  EXPECT_LT(std::ranges::find(lines, "decode note 40") - lines.begin(), before + 17);
  manager.reset();  // its jobs use the variables of this test
}

// A file of unknown size is larger than any limit.
TEST_F(InFlight, a_source_that_knows_no_size_fails_what_it_is_asked_for) {
  Catalog catalog;
  const std::shared_ptr<Source> source = make_source(
      [](const ReadRequest& request, const std::atomic<bool>&) -> Result<ReadAnswer> {
        if (request.path == "assets.hman") return fail(ErrorCode::kNotFound, "no such file");
        return ReadAnswer{kToEnd, {}};
      },
      0);
  ASSERT_TRUE(catalog.mount(source, Layout::kTree, "", {.files = {"a.bin"}}));
  manager.emplace(std::move(catalog), ManagerOptions{.io_thread = false});
  manager->add<Note>(kRaw, note_loader(log));
  const AssetRef<Note> note = manager->load<Note>(*manager->catalog().find_by_path("a.bin"));
  ASSERT_NE(note.failure(), nullptr);
  EXPECT_EQ(note.failure()->fault, Fault::kLimit);
}

}  // namespace
}  // namespace assetc::runtime
