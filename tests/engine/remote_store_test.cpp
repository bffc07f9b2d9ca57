#include "engine/remote/remote_store.hpp"

#include <gmock/gmock.h>

#include <random>
#include <thread>

#include "engine/sharing.hpp"

namespace assetc::engine {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

const ContentHash kBatch{7, 8};

// ---- every store ----

enum class Kind : std::uint8_t { kLocal, kRemote, kLayered };

class EachStore : public testing::TestWithParam<Kind> {
 protected:
  Store& of(Machine& machine) const {
    if (GetParam() == Kind::kLocal) return *machine.local;
    return GetParam() == Kind::kRemote ? static_cast<Store&>(*machine.remote) : *machine.layered;
  }
  // The machine that can find the first machine's products.
  Machine& reader() { return GetParam() == Kind::kLocal ? one : two; }
  void put(const AProduct& product) {
    product.put_into(*one.layered);
    EXPECT_EQ(one.finish().not_uploaded, 0u);
  }
  FakeServer server;
  Machine one{server}, two{server};
};
INSTANTIATE_TEST_SUITE_P(All, EachStore, testing::Values(Kind::kLocal, Kind::kRemote, Kind::kLayered));

TEST_P(EachStore, gives_back_what_was_put) {
  const AProduct product("p", true);
  put(product);
  const auto found = get(of(reader()), {.key = product.key});
  ASSERT_TRUE(found);
  ASSERT_THAT(found->products, SizeIs(1));
  EXPECT_TRUE(product.is(found->products[0]));
  const auto blob = get_blob(of(reader()), product.blob().hash, product.blob().signature.size_bytes);
  ASSERT_TRUE(blob);
  EXPECT_TRUE(holds(*blob, product.blob().hash, product.blob().signature.size_bytes));
}

TEST_P(EachStore, has_nothing_of_another_key) {
  put(AProduct("p"));
  EXPECT_FALSE(get(of(reader()), {.key = {1, 2}}));
  EXPECT_FALSE(get_blob(of(reader()), {1, 2}, 10000));
}

TEST_P(EachStore, gives_the_newest_product_of_a_key_first) {
  AProduct first("p"), second("p");
  second.add(".c", "more");
  put(first);
  Machine other(server);
  Machine& writer = GetParam() == Kind::kLocal ? one : other;
  second.put_into(*writer.layered);
  other.finish();
  const auto found = get(of(reader()), {.key = first.key});
  ASSERT_TRUE(found);
  ASSERT_THAT(found->products, SizeIs(2));
  EXPECT_TRUE(second.is(found->products[0]));
  EXPECT_TRUE(first.is(found->products[1]));
}

TEST_P(EachStore, gives_no_blob_under_another_size) {
  const AProduct product("p", true);
  put(product);
  ASSERT_TRUE(get(of(reader()), {.key = product.key}));
  EXPECT_FALSE(get_blob(of(reader()), product.blob().hash, product.blob().signature.size_bytes + 1));
}

// ---- a local store in front of a shared one ----

class ARemoteStore : public testing::Test {
 protected:
  void put(const AProduct& product, std::optional<ContentHash> batch = {}, double seconds = 1) {
    Machine writer(server);
    product.put_into(*writer.layered, seconds, batch);
    const RemoteStore::Summary summary = writer.finish();
    EXPECT_EQ(summary.uploaded, 1u);
    EXPECT_FALSE(summary.trouble);
    (void)server.take_requests();
  }
  static RemoteSettings believing(const bundle::SigningKey& key) {
    return {.endpoint = {.url = "http://cache"}, .trust = {key.public_key()}};
  }
  static RemoteSettings signing(const bundle::SigningKey& key) {
    return {.endpoint = {.url = "http://cache"}, .writes = true, .signing = key};
  }
  std::size_t gets() {
    std::size_t count = 0;
    for (const std::string& request : server.take_requests()) count += request.starts_with("GET") ? 1 : 0;
    return count;
  }
  FakeServer server;
};

TEST_F(ARemoteStore, fills_the_store_in_front) {
  const AProduct product("p", true);
  put(product);
  Machine machine(server);
  ASSERT_TRUE(get(*machine.layered, {.key = product.key}));
  ASSERT_TRUE(get_blob(*machine.layered, product.blob().hash, product.blob().signature.size_bytes));
  const auto here = get(*machine.local, {.key = product.key});
  ASSERT_TRUE(here);
  EXPECT_TRUE(product.is(here->products[0]));
  EXPECT_TRUE(machine.local->has_blob(product.blob().hash));
  EXPECT_EQ(machine.finish().found, 1u);
}

TEST_F(ARemoteStore, says_what_a_product_took_and_lacks) {
  put(AProduct("p", true), {}, 2.5);
  Machine machine(server);
  const auto found = get(*machine.remote, {.key = AProduct("p").key});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->seconds, 2.5);
  EXPECT_GT(found->blob_bytes, kInlineBytes);
  EXPECT_FALSE(found->is_whole);
}

TEST_F(ARemoteStore, takes_nothing_that_is_damaged) {
  const AProduct product("p");
  put(product);
  const std::string path = server.paths("ac/").at(0), whole = server.files().at(path);
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string flipped = whole;
    flipped[i] = static_cast<char>(flipped[i] ^ 0x10);
    for (const std::string& damaged : {flipped, whole.substr(0, i)}) {
      server.put(path, damaged);
      Machine machine(server);
      const auto found = get(*machine.layered, {.key = product.key});
      // Fields that are never read may differ.
      for (const StoredProduct& taken : found.value_or(FoundProducts()).products) EXPECT_TRUE(product.is(taken)) << i;
      for (const StoredProduct& kept : machine.local->find(product.key, {})) EXPECT_TRUE(product.is(kept)) << i;
    }
  }
}

TEST_F(ARemoteStore, takes_no_damaged_blob) {
  const AProduct product("p", true);
  put(product);
  const std::string path = server.paths("cas/").at(0), whole = server.files().at(path);
  for (const std::size_t i : {std::size_t{0}, whole.size() / 2, whole.size() - 1}) {
    std::string flipped = whole;
    flipped[i] = static_cast<char>(flipped[i] ^ 0x10);
    for (const std::string& damaged : {flipped, whole.substr(0, i), whole + "x"}) {
      server.put(path, damaged);
      Machine machine(server);
      ASSERT_TRUE(get(*machine.layered, {.key = product.key}));
      EXPECT_FALSE(get_blob(*machine.layered, product.blob().hash, product.blob().signature.size_bytes));
      EXPECT_FALSE(machine.local->has_blob(product.blob().hash));
      EXPECT_THAT(machine.trouble(), HasSubstr("http://cache: sent "));
    }
  }
}

TEST_F(ARemoteStore, takes_no_product_of_another_key) {
  const AProduct one("one"), two("two");
  put(one);
  put(two);
  server.put(entry_path(two.key), server.files().at(entry_path(one.key)));
  Machine machine(server);
  EXPECT_FALSE(get(*machine.layered, {.key = two.key}));
  EXPECT_THAT(machine.trouble(), HasSubstr("damaged, or of another key"));
}

TEST_F(ARemoteStore, takes_what_is_signed_by_whom_it_trusts) {
  const auto ours = bundle::SigningKey::generate();
  const AProduct product("p");
  {
    Machine writer(server, signing(ours));
    product.put_into(*writer.layered);
    writer.finish();
  }
  Machine machine(server, believing(ours));
  EXPECT_TRUE(get(*machine.layered, {.key = product.key}));
  EXPECT_EQ(machine.trouble(), "");
}

TEST_F(ARemoteStore, takes_nothing_unsigned_nor_of_others_and_says_so) {
  const auto ours = bundle::SigningKey::generate(), theirs = bundle::SigningKey::generate();
  const AProduct product("p"), other("other");
  put(product);
  {
    Machine writer(server, signing(theirs));
    other.put_into(*writer.layered);
    writer.finish();
  }
  Machine machine(server, believing(ours));
  for (const ContentHash& key : {product.key, other.key}) {
    EXPECT_FALSE(get(*machine.layered, {.key = key}));
    machine.remote->post([&machine, key] { machine.remote->not_found(key); });
  }
  EXPECT_THAT(machine.local->find(product.key, {}), IsEmpty());
  EXPECT_EQ(machine.trouble(),
            "http://cache: has 2 products without a valid signature by a key of cache.trust; "
            "they were compiled here; check who can write to the shared cache");
}

TEST_F(ARemoteStore, a_signed_product_under_another_key_is_not_believed) {
  const auto ours = bundle::SigningKey::generate();
  const AProduct one("one"), two("two");
  Machine writer(server, signing(ours));
  one.put_into(*writer.layered);
  writer.finish();
  server.put(entry_path(two.key), server.files().at(entry_path(one.key)));
  Machine machine(server, believing(ours));
  EXPECT_FALSE(get(*machine.layered, {.key = two.key}));
}

TEST_F(ARemoteStore, is_left_alone_after_three_failures_in_a_row) {
  server.fail_reads(FakeServer::Fault{0, "Couldn't connect to server"});
  Machine machine(server);
  for (std::uint64_t i = 0; i < 3; ++i) {
    EXPECT_TRUE(machine.remote->is_readable());
    EXPECT_FALSE(get(*machine.layered, {.key = {i, i}}));
  }
  EXPECT_FALSE(machine.remote->is_readable());
  EXPECT_EQ(machine.trouble(),
            "http://cache: Couldn't connect to server; no further requests were sent; "
            "missing outputs were compiled here; check that the shared cache is running");
}

TEST_F(ARemoteStore, that_drips_is_told_of_and_asked_again) {
  const AProduct product("p");
  put(product);
  server.fail_reads(FakeServer::Fault{0, "Operation too slow"});
  Machine machine(server);
  EXPECT_FALSE(get(*machine.layered, {.key = product.key}));
  server.fail_reads(std::nullopt);
  EXPECT_TRUE(get(*machine.layered, {.key = product.key}));
  EXPECT_TRUE(machine.remote->is_readable());
  EXPECT_THAT(machine.trouble(), HasSubstr("Operation too slow; missing outputs"));
}

// With the race, a build ends before a request fails.
TEST_F(ARemoteStore, that_never_answers_is_told_of_once) {
  Machine machine(server);
  server.be_silent_for(3.24);
  EXPECT_EQ(machine.trouble(),
            "http://cache: did not answer in 3.2 s; missing outputs were compiled here; check that the shared cache is "
            "running");
  Machine quick(server);
  server.be_silent_for(0.5);
  EXPECT_EQ(quick.finish().trouble, std::nullopt);
}

TEST_F(ARemoteStore, a_miss_is_no_failure) {
  Machine machine(server);
  for (std::uint64_t i = 0; i < 10; ++i) EXPECT_FALSE(get(*machine.layered, {.key = {i, i}}));
  EXPECT_TRUE(machine.remote->is_readable());
  const RemoteStore::Summary summary = machine.finish();
  EXPECT_EQ(summary.asked, 10u);
  EXPECT_EQ(summary.found, 0u);
  EXPECT_FALSE(summary.trouble);
}

TEST_F(ARemoteStore, that_does_not_know_us_is_asked_once) {
  server.fail_reads(FakeServer::Fault{401, "answered 401: the credentials are missing or wrong"});
  Machine machine(server);
  EXPECT_FALSE(get(*machine.layered, {.key = {1, 1}}));
  EXPECT_FALSE(machine.remote->is_readable());
  EXPECT_EQ(gets(), 1u);
}

TEST_F(ARemoteStore, that_refuses_uploads_still_gives) {
  const AProduct product("p"), made("made");
  put(product);
  for (const int status : {403, 405}) {
    server.fail_writes(FakeServer::Fault{status, "answered " + std::to_string(status)});
    Machine machine(server);
    made.put_into(*machine.layered);
    EXPECT_TRUE(get(*machine.layered, {.key = product.key}));
    const RemoteStore::Summary summary = machine.finish();
    EXPECT_EQ(summary.uploaded, 0u);
    EXPECT_EQ(summary.not_uploaded, 1u);
    ASSERT_TRUE(summary.trouble);
    EXPECT_EQ(summary.trouble->to_string(), "http://cache: answered " + std::to_string(status) +
                                                "; no further uploads were sent; "
                                                "other machines will compile the missing outputs; "
                                                "check that the shared cache is running");
  }
}

TEST_F(ARemoteStore, that_is_full_may_have_room_for_another) {
  server.fail_writes(FakeServer::Fault{507, "answered 507: the server is full"});
  Machine machine(server);
  AProduct("p").put_into(*machine.layered);
  const RemoteStore::Summary summary = machine.finish();
  EXPECT_EQ(summary.not_uploaded, 1u);
  EXPECT_FALSE(summary.given_up);
}

// A large body says nothing of the others, however many there are.
TEST_F(ARemoteStore, gets_all_that_is_not_too_large_for_the_server) {
  server.take_at_most(4000);
  Machine machine(server);
  for (int i = 0; i < 8; ++i) {
    AProduct large("large " + std::to_string(i));
    std::string noise(20'000, ' ');
    std::mt19937 random(static_cast<unsigned>(i));
    for (char& c : noise) c = static_cast<char>(random());
    large.add(".c", noise);
    large.put_into(*machine.layered);
    AProduct("small " + std::to_string(i)).put_into(*machine.layered);
    // Small products travel together, and the whole is too large.
    AProduct member("member " + std::to_string(i));
    member.add(".c", noise.substr(0, 900));
    member.put_into(*machine.layered, 1, ContentHash{7, 7});
  }
  const RemoteStore::Summary summary = machine.finish();
  EXPECT_EQ(summary.uploaded, 16u);
  EXPECT_EQ(summary.not_uploaded, 8u);
  EXPECT_EQ(summary.too_large, 8u);
  EXPECT_FALSE(summary.given_up);
  ASSERT_TRUE(summary.trouble);
  EXPECT_THAT(summary.trouble->to_string(), HasSubstr("does not take 8 products, of at least 20"));
  EXPECT_THAT(summary.trouble->to_string(), HasSubstr("raise its limit for bodies"));
}

TEST_F(ARemoteStore, is_not_written_to_where_it_is_only_read) {
  Machine machine(server, {.endpoint = {.url = "http://cache"}});
  AProduct("p").put_into(*machine.layered);
  machine.finish();
  EXPECT_THAT(server.files(), IsEmpty());
  EXPECT_THAT(machine.local->find(AProduct("p").key, {}), SizeIs(1));
}

TEST_F(ARemoteStore, what_is_there_is_not_sent_again) {
  const AProduct product("p", true);
  put(product);
  Machine machine(server);
  product.put_into(*machine.layered);
  EXPECT_EQ(machine.finish().not_uploaded, 0u);
  EXPECT_THAT(server.take_requests(),
              ElementsAre("GET " + entry_path(product.key), "HEAD " + server.paths("cas/").at(0)));
}

TEST_F(ARemoteStore, what_came_from_there_is_not_sent_back) {
  const AProduct product("p");
  put(product);
  Machine machine(server);
  ASSERT_TRUE(get(*machine.layered, {.key = product.key}));
  machine.remote->offer({.key = product.key}, *machine.local);
  EXPECT_EQ(machine.finish().not_uploaded, 0u);
  EXPECT_THAT(server.take_requests(), ElementsAre("GET " + entry_path(product.key)));
}

// ---- batches ----

TEST_F(ARemoteStore, small_products_travel_together) {
  const AProduct one("one"), two("two");
  {
    Machine writer(server);
    one.put_into(*writer.layered, 1, kBatch);
    two.put_into(*writer.layered, 1, kBatch);
    const RemoteStore::Summary summary = writer.finish();
    EXPECT_EQ(summary.uploaded, 2u);
    EXPECT_EQ(summary.batches, 1u);
  }
  EXPECT_THAT(server.paths("ac/"), ElementsAre(batch_path(kBatch)));
  (void)server.take_requests();
  Machine machine(server);
  const auto first = get(*machine.layered, {.key = one.key, .batch = kBatch});
  const auto second = get(*machine.layered, {.key = two.key, .batch = kBatch});
  ASSERT_TRUE(first && second);
  EXPECT_TRUE(one.is(first->products.at(0)));
  EXPECT_TRUE(two.is(second->products.at(0)));
  EXPECT_FALSE(first->is_last_of_batch);
  EXPECT_TRUE(second->is_last_of_batch);
  EXPECT_FALSE(get(*machine.layered, {.key = {1, 1}, .batch = kBatch}));
  EXPECT_EQ(gets(), 1u) << "one request for all of them";
  machine.finish();
  EXPECT_THAT(machine.disk.paths_below("cache/batches-2"), SizeIs(1));
}

// A killed build loses what it compiled since then, not everything.
TEST_F(ARemoteStore, gets_batches_while_the_build_runs) {
  const AProduct one("one"), two("two"), three("three"), four("four");
  Machine writer(server);
  // All tasks that were posted before have run.
  const auto settle = [&] {
    for (int i = 0; i < 20; ++i) {
      std::promise<void> done;
      writer.remote->post([&] { done.set_value(); });
      done.get_future().wait();
    }
  };
  one.put_into(*writer.layered, 1, kBatch);
  settle();
  EXPECT_THAT(server.paths("ac/"), IsEmpty()) << "others of its batch may come";
  writer.clock.advance(31);
  two.put_into(*writer.layered, 1, kBatch);
  settle();
  EXPECT_THAT(server.paths("ac/"), ElementsAre(batch_path(kBatch)));
  const auto is_there = [&](const AProduct& product) {
    Machine reader(server);
    return get(*reader.layered, {.key = product.key, .batch = kBatch}).has_value();
  };
  EXPECT_TRUE(is_there(one) && is_there(two));
  // While a batch is uploaded, another one of the same name waits, and replaces nothing.
  server.hold();
  writer.clock.advance(31);
  three.put_into(*writer.layered, 1, kBatch);
  settle();
  writer.clock.advance(31);
  four.put_into(*writer.layered, 1, kBatch);
  settle();
  EXPECT_EQ(server.held(), 1u);
  server.release();
  const RemoteStore::Summary summary = writer.finish();
  EXPECT_EQ(summary.uploaded, 4u);
  for (const AProduct* product : {&one, &two, &three, &four}) EXPECT_TRUE(is_there(*product));
}

TEST_F(ARemoteStore, a_batch_brings_its_blobs) {
  const AProduct product("p", true);
  put(product, kBatch);
  EXPECT_THAT(server.paths("cas/"), IsEmpty());
  Machine machine(server);
  const auto found = get(*machine.layered, {.key = product.key, .batch = kBatch});
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->is_whole);
  EXPECT_TRUE(machine.local->blob(product.blob().hash, product.blob().signature.size_bytes));
}

TEST_F(ARemoteStore, a_batch_keeps_what_others_have_put_there) {
  const AProduct one("one"), two("two");
  put(one, kBatch);
  put(two, kBatch);
  Machine machine(server);
  for (const AProduct* product : {&one, &two})
    EXPECT_TRUE(get(*machine.layered, {.key = product->key, .batch = kBatch}));
}

TEST_F(ARemoteStore, what_is_not_worth_it_stays_in_its_batch) {
  const AProduct product("p");
  put(product, kBatch, 0.001);
  Machine machine(server);
  const auto found = get(*machine.layered, {.key = product.key, .batch = kBatch, .worth_seconds = 0.01});
  ASSERT_TRUE(found);
  EXPECT_THAT(found->products, IsEmpty());
  EXPECT_FLOAT_EQ(static_cast<float>(found->seconds), 0.001f);
  EXPECT_THAT(machine.local->find(product.key, {}), IsEmpty());
}

TEST_F(ARemoteStore, takes_no_damaged_batch) {
  const AProduct product("p");
  put(product, kBatch);
  const std::string path = batch_path(kBatch), whole = server.files().at(path);
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string flipped = whole;
    flipped[i] = static_cast<char>(flipped[i] ^ 0x10);
    for (const std::string& damaged : {flipped, whole.substr(0, i)}) {
      server.put(path, damaged);
      Machine machine(server);
      (void)get(*machine.layered, {.key = product.key, .batch = kBatch});
      for (const StoredProduct& kept : machine.local->find(product.key, {})) EXPECT_TRUE(product.is(kept)) << i;
    }
  }
}

// ---- time ----

TEST_F(ARemoteStore, what_nobody_wants_any_more_is_not_taken) {
  const AProduct product("p");
  put(product);
  Machine machine(server);
  const auto unwanted = std::make_shared<std::atomic<bool>>(false);
  server.hold();
  std::promise<bool> answer;
  machine.layered->get({.key = product.key, .unwanted = unwanted},
                       [&](const std::optional<FoundProducts>& found) { answer.set_value(found.has_value()); });
  *unwanted = true;
  server.release();
  EXPECT_FALSE(answer.get_future().get());
  EXPECT_THAT(server.take_requests(), IsEmpty());
  EXPECT_THAT(machine.local->find(product.key, {}), IsEmpty());
}

TEST_F(ARemoteStore, tells_each_second_how_many_uploads_are_left) {
  Machine machine(server);
  server.hold();
  AProduct("p").put_into(*machine.layered);
  int told = 0;
  const auto waiting = [&](std::size_t uploads) {
    EXPECT_EQ(uploads, 1u);
    if (++told == 3) server.release();
  };
  std::atomic<bool> ended = false;
  std::thread time([&] {
    while (!ended) {
      machine.clock.advance(0.25);
      std::this_thread::yield();
    }
  });
  EXPECT_EQ(machine.remote->finish(waiting).uploaded, 1u);
  ended = true;
  time.join();
  EXPECT_GE(told, 3);
}

TEST_F(ARemoteStore, that_is_gone_calls_nobody) {
  server.hold();
  {
    Machine machine(server);
    machine.layered->get({.key = {1, 1}}, [](const std::optional<FoundProducts>&) { ADD_FAILURE(); });
  }
  server.release();
}

}  // namespace
}  // namespace assetc::engine
