// Which stores builds use, where each secret may be sent, and which keys are trusted.
#include "engine/remote/stores.hpp"

#include <gmock/gmock.h>

#include <map>

#include "engine/fake_disk.hpp"

namespace assetc::engine {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

class SomeStores : public testing::Test {
 protected:
  Environment environment() {
    return [this](const char* name) {
      const auto at = variables.find(name);
      return at == variables.end() ? std::nullopt : std::optional(at->second);
    };
  }
  Result<Caching> try_find() {
    return find_caching(project, disk, environment(),
                        [this](const recipes::Diagnostic& d) { said.push_back(d.what.to_string()); });
  }
  Caching find() {
    auto found = try_find();
    EXPECT_TRUE(found) << found.error().to_string();
    return found ? std::move(*found) : Caching();
  }
  std::string refused() {
    const auto found = try_find();
    return found ? "" : found.error().to_string();
  }
  // Writes the user's configuration for all projects.
  void say_for_all(const std::string& yaml) { disk.put("/home/me/.config/assetc/config.yml", yaml); }

  FakeDisk disk;
  std::map<std::string, std::string> variables{{"HOME", "/home/me"}};
  CacheSettings project;
  std::vector<std::string> said;
};

TEST_F(SomeStores, are_the_users_where_nobody_says_anything) {
  EXPECT_EQ(find().local.path, "/home/me/.cache/assetc");
  EXPECT_EQ(find().remote.url, "");
  variables["XDG_CACHE_HOME"] = "/fast";
  EXPECT_EQ(find().local.path, "/fast/assetc");
  variables["XDG_CACHE_HOME"] = "not/absolute";
  EXPECT_EQ(find().local.path, "/home/me/.cache/assetc");
  variables.clear();
  EXPECT_EQ(find().local.path, "") << "there is no user folder";
  ASSERT_TRUE(find().homeless);
  EXPECT_THAT(find().homeless->to_string(), HasSubstr("HOME and XDG_CACHE_HOME name none; set HOME, or ASSETC_CACHE"));
  variables["ASSETC_CACHE"] = "off";
  EXPECT_FALSE(find().homeless);
}

TEST_F(SomeStores, environment_goes_before_project_and_project_before_user) {
  say_for_all("cache: {path: /users}");
  EXPECT_EQ(find().local.path, "/users");
  project.path = "/projects";
  EXPECT_EQ(find().local.path, "/projects");
  variables["ASSETC_CACHE"] = "/environments";
  EXPECT_EQ(find().local.path, "/environments");
  variables["ASSETC_CACHE"] = "off";
  EXPECT_EQ(find().local.path, "");
}

TEST_F(SomeStores, secrets_go_to_the_server_that_the_environment_names) {
  variables["ASSETC_CACHE_REMOTE"] = "https://cache.example/";
  variables["ASSETC_CACHE_BEARER"] = "secret";
  variables["ASSETC_CACHE_BASIC"] = "me:secret";
  const Caching found = find();
  EXPECT_EQ(found.remote.url, "https://cache.example");
  EXPECT_EQ(found.bearer, "secret");
  EXPECT_EQ(found.basic, "me:secret");
}

TEST_F(SomeStores, secrets_go_to_no_server_that_the_project_alone_names) {
  say_for_all("cache: {remote: {url: https://mine.example/game, bearer_file: /home/me/token}, sign: /home/me/me.key}");
  variables["ASSETC_CACHE_BEARER"] = "secret";
  for (const char* url : {"https://theirs.example", "https://mine.example", "https://mine.example/games",
                          "https://mine.example/game/../other", "https://mine.example/game/%2e%2e/other",
                          "https://mine.example/game?x", "https://mine.example.org/game"}) {
    project.remote.url = url;
    const Caching found = find();
    EXPECT_EQ(found.bearer, "") << url;
    EXPECT_EQ(found.remote.bearer_file, "") << url;
    EXPECT_EQ(found.remote.url + found.remote.query, url);
    EXPECT_THAT(found.local.path, StartsWith("/home/me/.cache/assetc/of-")) << "its entries are stored separately";
    EXPECT_EQ(found.root, "/home/me/.cache/assetc");
  }
  project.remote.url = "https://mine.example/game/branch";
  EXPECT_EQ(find().bearer, "secret");
  EXPECT_EQ(find().remote.bearer_file, "/home/me/token");
  EXPECT_EQ(find().local.path, "/home/me/.cache/assetc");
}

// A shared access signature is a secret, as a password is.
TEST_F(SomeStores, the_query_of_an_address_is_kept_apart) {
  say_for_all("cache: {remote: {url: 'https://mine.example/game?sig=mine'}}");
  EXPECT_EQ(find().remote.url, "https://mine.example/game");
  EXPECT_EQ(find().remote.query, "?sig=mine");
  project.remote.url = "https://mine.example/game/branch";
  EXPECT_EQ(find().remote.query, "?sig=mine");
  project.remote.url = "https://theirs.example/game?sig=theirs";
  EXPECT_EQ(find().remote.query, "?sig=theirs");
  project.remote.url = "https://theirs.example/game";
  EXPECT_EQ(find().remote.query, "");
  variables["ASSETC_CACHE_REMOTE"] = "https://other.example/?sig=other";
  EXPECT_EQ(find().remote.url, "https://other.example");
  EXPECT_EQ(find().remote.query, "?sig=other");
  EXPECT_EQ(find().remote.authorities, "");
  variables["SSL_CERT_FILE"] = "/etc/studio.pem";
  EXPECT_EQ(find().remote.authorities, "/etc/studio.pem");
}

TEST_F(SomeStores, keys_of_a_bucket_go_to_the_bucket_that_the_user_names) {
  variables["AWS_ACCESS_KEY_ID"] = "id";
  variables["AWS_SECRET_ACCESS_KEY"] = "secret";
  variables["AWS_REGION"] = "us-east-2";
  project.remote.url = "s3://game-cache/main";
  const std::string url = "https://game-cache.s3.us-east-2.amazonaws.com/main";
  EXPECT_EQ(find().remote.url, url);
  EXPECT_TRUE(find().aws.empty()) << "only the project names it";
  EXPECT_THAT(find().local.path, StartsWith("/home/me/.cache/assetc/of-"));
  say_for_all("cache: {remote: s3://game-cache}");
  EXPECT_EQ(find().aws.access_key, "id");
  say_for_all("cache: {remote: s3://game}");
  EXPECT_TRUE(find().aws.empty()) << "another bucket";
  say_for_all("cache: {remote: s3://game-cache}");
  project.remote.endpoint = "https://theirs.example";
  EXPECT_EQ(find().remote.url, "https://theirs.example/game-cache/main");
  EXPECT_TRUE(find().aws.empty()) << "the same name on another server";
  variables["ASSETC_CACHE_REMOTE"] = "s3://game-cache/main";
  EXPECT_EQ(find().remote.url, url) << "a project does not say where the user's bucket is";
  EXPECT_EQ(find().aws.secret_key, "secret");
  variables["ASSETC_CACHE_REMOTE"] = "https://cache.example";
  EXPECT_TRUE(find().aws.empty()) << "not a bucket";
}

// On a machine of AWS, AWS_REGION is the region of the machine.
TEST_F(SomeStores, the_region_of_a_bucket_is_that_of_its_configuration) {
  variables["AWS_DEFAULT_REGION"] = "us-east-2";
  say_for_all("cache: {remote: {url: s3://game-cache, region: eu-west-1}}");
  EXPECT_EQ(find().remote.region, "eu-west-1");
  EXPECT_EQ(find().remote.url, "https://game-cache.s3.eu-west-1.amazonaws.com");
  project.remote.url = "s3://theirs";
  EXPECT_EQ(find().remote.region, "us-east-2");
  project.remote.region = "eu-north-1";
  EXPECT_EQ(find().remote.region, "eu-north-1");
  variables["ASSETC_CACHE_REMOTE"] = "s3://other";
  EXPECT_EQ(find().remote.region, "us-east-2");
}

TEST_F(SomeStores, keys_of_a_bucket_are_in_the_environment_or_a_file) {
  variables["ASSETC_CACHE_REMOTE"] = "s3://game-cache";
  variables["AWS_REGION"] = "eu-west-1";
  EXPECT_EQ(find().aws_file, "/home/me/.aws/credentials");
  EXPECT_TRUE(find().may_lack_aws_file);
  variables["AWS_SHARED_CREDENTIALS_FILE"] = "/ci/keys";
  variables["AWS_PROFILE"] = "ci";
  EXPECT_EQ(find().aws_file, "/ci/keys");
  EXPECT_EQ(find().aws_profile, "ci");
  EXPECT_FALSE(find().may_lack_aws_file);
  say_for_all("cache: {remote: {aws_file: /home/me/keys}}");
  EXPECT_EQ(find().aws_file, "/home/me/keys");
  disk.put("/home/me/keys", "[ci]\naws_access_key_id = id\naws_secret_access_key = secret\n");
  const auto settings = remote_settings(find(), disk, false);
  ASSERT_TRUE(settings) << settings.error().to_string();
  EXPECT_EQ(settings->endpoint.aws.access_key + settings->endpoint.aws.region, "ideu-west-1");
  variables["AWS_ACCESS_KEY_ID"] = "id";
  EXPECT_THAT(refused(), HasSubstr("found one, expected both"));
}

TEST_F(SomeStores, a_bucket_without_keys_is_only_read) {
  variables["ASSETC_CACHE_REMOTE"] = "s3://game-cache";
  variables["AWS_REGION"] = "eu-west-1";
  EXPECT_TRUE(remote_settings(find(), disk, false));
  variables["ASSETC_CACHE_REMOTE_MODE"] = "read-write";
  const auto settings = remote_settings(find(), disk, false);
  ASSERT_FALSE(settings);
  EXPECT_EQ(settings.error().file + " " + settings.error().what,
            "https://game-cache.s3.eu-west-1.amazonaws.com has no keys to write with");
  variables["ASSETC_CACHE_REMOTE"] = "s3://game-cache?sig=secret";
  EXPECT_THAT(refused(), testing::AllOf(HasSubstr("expected s3://bucket/prefix"), testing::Not(HasSubstr("secret"))));
}

TEST_F(SomeStores, each_server_and_set_of_keys_that_a_project_names_has_a_store_of_its_own) {
  disk.put("team.pub", "a key");
  project.remote.url = "https://theirs.example";
  const std::string one = find().local.path;
  project.trust = {"team.pub"};
  const std::string trusting = find().local.path;
  EXPECT_NE(trusting, one);
  disk.put("team.pub", "another key");
  EXPECT_NE(find().local.path, trusting);
}

TEST_F(SomeStores, whom_to_believe_on_ones_own_server_one_says_oneself) {
  say_for_all("cache: {remote: {url: https://mine.example}, trust: [/home/me/team.pub]}");
  EXPECT_THAT(find().trust, ElementsAre("/home/me/team.pub"));
  project.trust = {"theirs.pub"};
  EXPECT_THAT(find().trust, ElementsAre("/home/me/team.pub"));
  project.remote.url = "https://theirs.example";
  EXPECT_THAT(find().trust, ElementsAre("theirs.pub"));
  variables["ASSETC_CACHE_TRUST"] = "/mine.pub";
  EXPECT_THAT(find().trust, ElementsAre("/mine.pub"));
}

TEST_F(SomeStores, addresses_that_are_none_and_passwords_in_them_are_refused) {
  project.remote.url = "ftp://cache.example";
  EXPECT_THAT(refused(), HasSubstr("found 'ftp://cache.example', expected a URL of http, https or s3"));
  project.remote.url = "https://me:secret@cache.example";
  EXPECT_THAT(refused(), HasSubstr("found a URL with a password"));
  EXPECT_THAT(refused(), testing::Not(HasSubstr("secret@")));
  project.remote.url = "https://cache.example";
  variables["ASSETC_CACHE_REMOTE_MODE"] = "write";
  EXPECT_THAT(refused(), HasSubstr("ASSETC_CACHE_REMOTE_MODE: found 'write', expected read-write or read"));
}

TEST_F(SomeStores, read_their_secrets_and_keys_from_files) {
  const auto key = bundle::SigningKey::generate();
  disk.put("/token", "secret\nand no more");
  disk.put("/me.key", key.to_pem());
  disk.put("/team.pub", bundle::to_pem(key.public_key()));
  Caching caching;
  caching.remote.url = "https://c";
  caching.remote.writes = true;
  caching.remote.bearer_file = "/token";
  caching.trust = {"/team.pub"};
  caching.sign = "/me.key";
  const auto settings = remote_settings(caching, disk, false);
  ASSERT_TRUE(settings) << settings.error().to_string();
  EXPECT_EQ(settings->endpoint.bearer, "secret");
  EXPECT_THAT(settings->trust, ElementsAre(key.public_key()));
  ASSERT_TRUE(settings->signing);
  EXPECT_EQ(settings->signing->public_key(), key.public_key());
  disk.put("/token", "\n");
  EXPECT_EQ(remote_settings(caching, disk, false).error().to_string(), "/token: is empty; write the secret into it");
  disk.erase("/team.pub");
  disk.put("/token", "secret");
  EXPECT_THAT(remote_settings(caching, disk, false).error().to_string(), StartsWith("/team.pub: "));
}

TEST_F(SomeStores, that_cannot_be_opened_are_a_warning) {
  disk.remote = true;
  Stores stores(
      &project, disk, environment(), [this](const recipes::Diagnostic& d) { said.push_back(d.what.to_string()); },
      false);
  EXPECT_EQ(stores.local(), nullptr);
  ASSERT_THAT(said, SizeIs(1));
  EXPECT_THAT(said[0], HasSubstr("is on a network file system"));
  EXPECT_THAT(said[0], HasSubstr("this build does not share outputs with other builds"));
  EXPECT_TRUE(stores.finish([](std::size_t) {}));
}

TEST_F(SomeStores, that_upload_what_nobody_will_believe_say_so) {
  const auto key = bundle::SigningKey::generate();
  disk.put("/team.pub", bundle::to_pem(key.public_key()));
  disk.put("/me.key", key.to_pem());
  project.remote.url = "http://127.0.0.1:9";
  project.remote.writes = true;
  variables["ASSETC_CACHE_TRUST"] = "/team.pub";
  const auto open = [this] {
    said.clear();
    Stores stores(
        &project, disk, environment(), [this](const recipes::Diagnostic& d) { said.push_back(d.what.to_string()); },
        false);
    (void)stores.shared();
    return said;
  };
  EXPECT_THAT(open(), ElementsAre(StartsWith("http://127.0.0.1:9: is written to without a signing key: ")));
  variables["ASSETC_CACHE_SIGN"] = "/me.key";
  EXPECT_THAT(open(), IsEmpty());
  variables.erase("ASSETC_CACHE_SIGN");
  project.remote.writes = false;
  EXPECT_THAT(open(), IsEmpty());
}

TEST_F(SomeStores, of_a_share_must_be_written_to) {
  const auto unshared = [&] {
    Stores stores(&project, disk, environment(), [](const recipes::Diagnostic&) {}, false);
    const auto error = stores.unshared();
    return error ? error->to_string() : "";
  };
  EXPECT_EQ(unshared(), "");
  project.remote.url = "https://cache.example";
  EXPECT_THAT(unshared(), HasSubstr("this shared cache is only read"));
  project.remote.writes = true;
  EXPECT_EQ(unshared(), "");
  variables["ASSETC_CACHE"] = "off";
  EXPECT_THAT(unshared(), HasSubstr("there is no cache for the compiled outputs"));
}

TEST_F(SomeStores, are_none_where_nobody_asks_for_any) {
  Stores stores(nullptr, disk, environment(), [](const recipes::Diagnostic&) { ADD_FAILURE(); }, false);
  EXPECT_EQ(stores.local(), nullptr);
  EXPECT_EQ(stores.shared(), nullptr);
  EXPECT_THAT(disk.paths_below("/home"), IsEmpty());
}

}  // namespace
}  // namespace assetc::engine
