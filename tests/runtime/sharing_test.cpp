// Assets whose bytes are stored once have one value and one object.
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "assetc/formats/hpack.hpp"
#include "runtime/counted.hpp"
#include "runtime/notes.hpp"
#include "runtime/parts.hpp"

namespace assetc::runtime {
namespace {

using testing::HasSubstr;

std::string note_path(std::uint32_t number) { return "notes/" + std::to_string(number) + ".note"; }

// A pack of texts. The asset i has the text i.
class Packs {
 public:
  void pack(const std::vector<std::string>& texts) {
    std::vector<hpack::File> list;
    for (std::uint32_t i = 0; i < texts.size(); ++i) {
      const ByteSpan bytes = as_bytes(texts[i]);
      list.push_back({note_path(i), Bytes(ByteVector(bytes.begin(), bytes.end()))});
    }
    std::ranges::sort(list, {}, &hpack::File::path);
    pack_name = std::to_string(++versions) + ".hpack";
    files.put(pack_name, Bytes(hpack::write(list).value()));
  }
  Loader<Counted> loader() {
    return {.decode = [this](LoadInput& in) -> Result<Counted> {
              ++decoded;
              if (as_text(in.bytes).starts_with("bad")) return fail(ErrorCode::kInvalidData, "no note");
              return Counted(alive, as_text(in.bytes));
            },
            .finalize = [this](Counted& note, const AssetDesc&) -> Result<GpuObject> {
              return GpuObject{.object = static_cast<std::uint64_t>(++objects), .size_bytes = note.text.size()};
            },
            .release = [this](const GpuObject&) { ++released; }};
  }
  void start(const ManagerOptions& options, unsigned threads = 0) {
    Catalog catalog;
    ASSERT_TRUE(catalog.mount(files.source(threads), Layout::kPack, pack_name));
    mounted = pack_name;
    manager.emplace(std::move(catalog), options);
  }
  Expected<void> replace() {
    return manager->replace(std::exchange(mounted, pack_name), files.source(), Layout::kPack, pack_name);
  }
  AssetRef<Counted> ask(std::uint32_t number) { return manager->load_async<Counted>(note_path(number)); }
  static AssetHandle note(std::uint32_t number) { return {.path_hash = hash_embed_ref(note_path(number))}; }
  void settle() {
    for (int i = 0; i < 8 || manager->stats().loading > 0; ++i) {
      ASSERT_LT(i, 61'000) << manager->stats().loading << " assets do not finish loading";
      if (i > 1000) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      manager->pump({.time = std::chrono::seconds(1)});
    }
  }

  Files files;
  std::string pack_name, mounted;
  int versions = 0;
  std::atomic<long> alive = 0, decoded = 0;
  long objects = 0, released = 0;
  std::optional<Manager> manager;
};

class Sharing : public testing::Test, protected Packs {
 protected:
  void begin(const std::vector<std::string>& texts, bool shares = true) {
    pack(texts);
    ManagerOptions options{.io_thread = false, .cpu_bytes = 0, .gpu_bytes = 0};
    options.on_failure = [this](const Failure& failure) { failures.push_back(failure.to_string()); };
    options.on_reloaded = [this](const AnyRef& asset, const AnyRef&) { reloaded.insert(asset.handle().path_hash); };
    start(options);
    Loader<Counted> made = loader();
    made.shares = shares;
    manager->add<Counted>(kFirstEngineType, std::move(made));
  }
  std::vector<std::string> failures;
  std::set<std::uint64_t> reloaded;
};

TEST_F(Sharing, equal_files_of_a_pack_are_one_value_and_one_object) {
  begin({"atlas", "atlas", "other", "atlas"});
  std::vector<AssetRef<Counted>> refs;
  for (const std::uint32_t i : {0u, 1u, 2u}) refs.push_back(ask(i));
  settle();
  refs.push_back(ask(3));  // when the others are ready
  settle();
  EXPECT_EQ(decoded, 2);
  EXPECT_EQ(objects, 2);
  EXPECT_EQ(manager->stats().gpu_bytes, 10u);
  EXPECT_EQ(manager->stats().sharing, 2u);
  EXPECT_EQ(refs[0].get(), refs[1].get());
  EXPECT_EQ(refs[0].get(), refs[3].get());
  EXPECT_EQ(refs[0].gpu().object, refs[3].gpu().object);
  EXPECT_EQ(refs[2].get()->text, "other");
  EXPECT_NE(refs[0].handle(), refs[1].handle());
  refs.erase(refs.begin());  // the one that was loaded
  settle();
  EXPECT_EQ(refs[0].get()->text, "atlas");
  EXPECT_EQ(released, 0);
  refs.clear();
  settle();
  EXPECT_EQ(released, 2);
  EXPECT_EQ(alive, 0);
  EXPECT_EQ(manager->stats().gpu_bytes, 0u);
}

TEST_F(Sharing, a_loader_may_ask_for_a_value_for_each_asset) {
  begin({"atlas", "atlas"}, false);
  const AssetRef<Counted> one = ask(0), two = ask(1);
  settle();
  EXPECT_EQ(objects, 2);
  EXPECT_NE(one.get(), two.get());
}

TEST_F(Sharing, requests_with_other_settings_have_values_of_their_own) {
  begin({"atlas", "atlas"});
  LoadOptions options;
  options.settings = LoadSettings{.keep_data = true};
  const AssetRef<Counted> one = ask(0), two = manager->load_async<Counted>(note_path(1), options);
  settle();
  EXPECT_NE(one.get(), two.get());
}

TEST_F(Sharing, each_asset_with_damaged_bytes_fails_with_its_own_path) {
  begin({"bad", "bad", "bad"});
  const AssetRef<Counted> one = ask(0), two = ask(1), three = ask(2);
  settle();
  for (const std::uint32_t i : {0u, 1u, 2u}) EXPECT_THAT(failures, testing::Contains(HasSubstr(note_path(i))));
  EXPECT_THAT(two.failure()->to_string(), HasSubstr("no note"));
}

TEST_F(Sharing, assets_that_become_different_are_split_and_equal_ones_joined) {
  begin({"a", "a", "b", "a"});
  const std::array refs = {ask(0), ask(1), ask(2), ask(3)};
  settle();
  ASSERT_EQ(manager->stats().sharing, 2u);
  const Counted* const old = refs[1].get();

  pack({"a", "c", "b", "b"});  // the second and the fourth change
  ASSERT_TRUE(replace());
  manager->pump({.time = std::chrono::seconds(1)});
  EXPECT_EQ(old->text, "a");  // until the frames are over
  settle();
  EXPECT_EQ(refs[0].get()->text, "a");
  EXPECT_EQ(refs[1].get()->text, "c");
  EXPECT_EQ(refs[2].get()->text, "b");
  EXPECT_EQ(refs[3].get(), refs[2].get());
  EXPECT_EQ(alive, 3);
  EXPECT_EQ(manager->stats().gpu_bytes, 3u);

  pack({"d", "d", "d", "d"});
  ASSERT_TRUE(replace());
  settle();
  for (const AssetRef<Counted>& ref : refs) EXPECT_EQ(ref.get(), refs[0].get());
  EXPECT_EQ(refs[0].get()->text, "d");
  EXPECT_EQ(alive, 1);
  EXPECT_EQ(manager->stats().gpu_bytes, 1u);
  EXPECT_EQ(reloaded.size(), 4u);
}

TEST_F(Sharing, an_inserted_value_is_that_of_its_asset_alone) {
  begin({"a", "a"});
  const AssetRef<Counted> one = ask(0), two = ask(1);
  settle();
  manager->insert<Counted>(one.handle(), Counted(alive, "mine"));
  settle();
  EXPECT_EQ(one.get()->text, "mine");
  EXPECT_EQ(two.get()->text, "a");
}

TEST_F(Sharing, refs_that_outlive_the_manager_keep_the_value) {
  begin({"a", "a"});
  AssetRef<Counted> one = ask(0), two = ask(1);
  settle();
  one = {};
  manager.reset();
  EXPECT_EQ(two.get()->text, "a");
  EXPECT_EQ(released, 1);
  two = {};
  EXPECT_EQ(alive, 0);
  EXPECT_EQ(released, 1);
}

// Assets of a cooked folder that lie in one file, and what a cook does to them.
class CookedSharing : public Managers {
 protected:
  // shared: the number of a shared file; 0: it has a file of its own.
  void put(std::uint32_t number, std::string_view text, std::uint32_t shared = 0) {
    const Uuid file = shared == 0 ? Uuid() : uuid(shared);
    cooked.add(uuid(number), {kRaw, "Demo/" + std::to_string(number), raw_blob(text), {}, {}, {}, {}, {}, {}, file});
  }
  // Cooks again. written: files of Assets/.
  void cook(const std::vector<std::uint32_t>& written) {
    cooked.put(files);
    Changes changes{.written = {"Registry/AssetRegistry.bin"}};
    for (const std::uint32_t number : written) changes.written.push_back("Assets/" + uuid(number).to_string() + ".bin");
    manager->changed(changes);
    pump_until_done();
    for (int frame = 0; frame < 4; ++frame) pump_all();  // until what was replaced is gone
  }
};

TEST_F(CookedSharing, a_cook_that_edits_one_of_them_splits_them) {
  for (const std::uint32_t number : {1u, 2u, 3u}) put(number, "atlas", 90);
  start_notes();
  const AssetRef<Note> first = ask(1), second = ask(2);
  AssetRef<Note> third = ask(3);
  pump_until_done();
  EXPECT_EQ(first.get(), third.get());
  EXPECT_EQ(manager->stats().sharing, 2u);
  EXPECT_EQ(files.count_of(blob_path(90)), 1u);

  put(1, "edited");
  cook({1});
  EXPECT_EQ(first.get()->text, "edited");
  EXPECT_EQ(second.get()->text, "atlas");
  EXPECT_EQ(third.get()->text, "atlas");

  for (const std::uint32_t number : {1u, 2u, 3u}) put(number, "equal", 91);
  cook({91});
  for (const AssetRef<Note>* ref : {&first, &second, &std::as_const(third)}) EXPECT_EQ(ref->get()->text, "equal");
  EXPECT_EQ(first.get(), third.get());
  EXPECT_EQ(manager->stats().sharing, 2u);

  // One that is not in use is found in its new file.
  third = {};
  manager->unload({.uuid = uuid(3)});
  pump_all();
  put(3, "alone");
  cook({3});
  third = ask(3);
  pump_until_done();
  EXPECT_EQ(third.get()->text, "alone");
  EXPECT_EQ(first.get()->text, "equal");
}

TEST_F(PartsOf, textures_that_are_stored_once_have_the_finest_level_that_one_of_them_wants) {
  const Bytes texture_file(ktx2_of(false));
  const std::vector<hpack::File> list = {{"a.ktx2", texture_file}, {"b.ktx2", texture_file}};
  files.put("a.hpack", Bytes(hpack::write(list).value()));
  Catalog catalog;
  ASSERT_TRUE(catalog.mount(files.source(), Layout::kPack, "a.hpack"));
  start(catalog, kSmallReads);
  const AssetRef<TextureData> a = manager->load_async<TextureData>(find("a.ktx2"), {.level = 5});
  AssetRef<TextureData> b = manager->load_async<TextureData>(find("b.ktx2"), {.level = 3});
  settle();
  expect_levels(a, 3);
  EXPECT_EQ(a.get(), b.get());
  b.want(0);
  settle();
  expect_levels(a, 0);
  expect_levels(b, 0);
  EXPECT_EQ(a.get(), b.get());
  EXPECT_EQ(manager->stats().gpu_bytes, a.gpu().size_bytes);
  EXPECT_GE(details, 2u);
  EXPECT_LT(read_bytes("a.hpack"), 2 * texture_file.size());
}

// Random requests and versions of a pack, by a seed.
class PackStorm : Packs {
 public:
  explicit PackStorm(unsigned seed) : random_(seed), texts_(3 + below(10)) {}

  void run() {
    change();
    std::optional<ThreadPool> pool;
    if (const unsigned threads = below(3)) pool.emplace(threads);
    start({.jobs = pool ? pool->jobs() : JobSystem{},
           .io_thread = below(2) == 0,
           .in_flight_bytes = below(2) == 0 ? 1u : 1u << 20,
           .cpu_bytes = below(2) == 0 ? 0u : 1u << 20,
           .frames_in_flight = below(3)},
          below(3));
    manager->add<Counted>(kFirstEngineType, loader());
    for (int step = 0; step < 80; ++step) act();
    calm();
    manager.reset();
    EXPECT_EQ(alive, 0);
    EXPECT_EQ(objects, released);
  }

 private:
  std::uint32_t below(std::size_t n) { return static_cast<std::uint32_t>(random_() % n); }
  std::uint32_t any() { return below(texts_.size()); }
  void change() {
    for (std::string& text : texts_) {
      if (below(2) == 0) text = below(8) == 0 ? "bad" : std::string(1 + below(3), static_cast<char>('a' + below(2)));
    }
    for (std::string& text : texts_) text += text.empty() ? "a" : "";
    pack(texts_);
  }
  void keep(AssetRef<Counted> ref, std::uint32_t number) {
    refs_.push_back(std::move(ref));
    numbers_.push_back(number);
  }
  void act() {
    const std::uint32_t number = any();
    switch (below(8)) {
      case 0:
      case 1:
      case 2:
        return keep(ask(number), number);
      case 3: {
        const std::size_t i = refs_.empty() ? 0 : below(refs_.size());
        if (refs_.empty()) return;
        refs_.erase(refs_.begin() + static_cast<std::ptrdiff_t>(i));
        numbers_.erase(numbers_.begin() + static_cast<std::ptrdiff_t>(i));
        return;
      }
      case 4:
        manager->pump({.time = std::chrono::microseconds(below(3) * 200)});
        return;
      case 5:
        return keep(manager->load<Counted>(note_path(number)), number);
      case 6:
        return manager->unload(note(number));
      default:
        change();
        EXPECT_TRUE(replace());
        return;
    }
  }
  void calm() {
    for (std::string& text : texts_) text = text == "bad" ? "a" : text;
    pack(texts_);
    ASSERT_TRUE(replace());
    settle();
    std::set<std::string> held;
    std::set<const Counted*> values;
    for (std::size_t i = 0; i < refs_.size(); ++i) {
      ASSERT_TRUE(refs_[i].is_ready()) << refs_[i].failure()->to_string();
      EXPECT_EQ(refs_[i].get()->text, texts_[numbers_[i]]);
      held.insert(refs_[i].get()->text);
      values.insert(refs_[i].get());
    }
    EXPECT_EQ(held.size(), values.size());
    refs_.clear();
    settle();
    for (std::uint32_t i = 0; i < texts_.size(); ++i) manager->unload(note(i));
    settle();
    const ManagerStats stats = manager->stats();
    EXPECT_EQ(stats.cpu_bytes + stats.gpu_bytes + stats.cached + stats.sharing, 0u);
    EXPECT_EQ(alive, 0);
  }

  std::mt19937 random_;
  std::vector<std::string> texts_;
  std::vector<AssetRef<Counted>> refs_;
  std::vector<std::uint32_t> numbers_;  // of refs_
};

TEST(SharingStorms, leave_one_right_value_for_each_content) {
  for (unsigned seed = 1; seed <= 100 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    PackStorm(seed).run();
  }
}

}  // namespace
}  // namespace assetc::runtime
