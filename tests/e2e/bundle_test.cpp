// Creating, verifying and patching bundles with the command.
#include <gmock/gmock.h>

#include <chrono>

#include "e2e/cooked.hpp"
#include "e2e/project.hpp"

namespace assetc::e2e {
namespace {

class Bundle : public Project {
 protected:
  void SetUp() override {
    Project::SetUp();
    write_cooked(root_ / "Cooked/Win64", sample_assets());
    CookedAssets next = sample_assets();
    next["Engine/Textures/Wood"].insert(100'000, "edited");
    next["Engine/Audio/Bell"] = std::string(3000, 'b');
    next.erase("Engine/Materials/Plain_7");
    write_cooked(root_ / "Next/Win64", next);
  }
  void make_both() const {
    build("bundle create base.pak --cooked Cooked/Win64");
    build("bundle create next.pak --cooked Next/Win64 --name base --bundle-version 2 --base base.pak");
    build("bundle diff base.pak next.pak -o to2.patch");
  }
  // The files of the project, without those that the test runs themselves write.
  std::map<std::string, std::string> files() const {
    auto all = tree(".");
    all.erase("stdout.txt");
    all.erase("stderr.txt");
    return all;
  }
};

TEST_F(Bundle, is_made_verified_and_extracted) {
  const Finished made = build("bundle create base.pak --cooked Cooked/Win64 --bundle-version 3");
  EXPECT_THAT(made.out, testing::StartsWith("wrote base.pak, \"base\" version 3 for Win64: 64 assets, "));
  EXPECT_THAT(made.out, testing::HasSubstr("identical contents are stored once, which saves "));
  EXPECT_THAT(
      made.out,
      testing::AnyOf(testing::HasSubstr("  Demo/Minimal/Stone is identical to Engine/Textures/Stone, 4.9 KiB\n"),
                     testing::HasSubstr("  Engine/Textures/Stone is identical to Demo/Minimal/Stone, 4.9 KiB\n")));
  EXPECT_EQ(build("bundle verify base.pak").out,
            "base.pak: \"base\" version 3 for Win64 is intact, 64 assets\n"
            "not signed: its origin cannot be verified\n");
  build("bundle extract base.pak -o out");
  EXPECT_EQ(tree("out/Assets"), tree("Cooked/Win64/Assets"));
  EXPECT_EQ(lines_after(build("bundle list base.pak").out, "").size(), 65u);
  EXPECT_THAT(build("bundle info base.pak").out, testing::HasSubstr("not signed\nnot encrypted\n"));
  // The result does not depend on place and time.
  write_cooked(root_ / "elsewhere/Cooked/Win64", sample_assets());
  build("bundle create elsewhere/base.pak --cooked elsewhere/Cooked/Win64 --bundle-version 3");
  EXPECT_TRUE(read("base.pak") == read("elsewhere/base.pak"));
}

TEST_F(Bundle, takes_assets_by_virtual_path) {
  build("bundle create a.pak --cooked Cooked/Win64 --prefix engine/textures --prefix Demo/Minimal/Chair");
  build("bundle extract a.pak -o out");
  EXPECT_EQ(tree("out/Assets").size(), 3u);
  const Finished none = run("bundle create b.pak --cooked Cooked/Win64 --prefix Engine/Tex");
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_EQ(
      none.err,
      "error: Cooked/Win64/Registry/AssetRegistry.json: has no asset at or below Engine/Tex; a prefix is a virtual "
      "path, such as Engine/Textures\n");
  EXPECT_FALSE(exists("b.pak"));
}

TEST_F(Bundle, a_patch_is_applied_beside_in_place_and_mounted) {
  make_both();
  EXPECT_LT(fs::file_size(root_ / "to2.patch"), fs::file_size(root_ / "next.pak") / 2);
  build("bundle extract base.pak --patch to2.patch -o out");
  EXPECT_EQ(tree("out/Assets"), tree("Next/Win64/Assets"));
  build("bundle verify base.pak --patch to2.patch");
  build("bundle apply base.pak to2.patch -o made.pak");
  EXPECT_TRUE(read("made.pak") == read("next.pak"));
  build("bundle apply base.pak to2.patch");
  EXPECT_TRUE(read("base.pak") == read("next.pak"));
  const Finished again = run("bundle apply base.pak to2.patch");
  EXPECT_EQ(again.exit_code, 1);
  EXPECT_EQ(again.err, "error: to2.patch: is already applied: version 2 of \"base\" for Win64\n");
}

TEST_F(Bundle, a_killed_apply_leaves_the_old_or_the_new) {
  make_both();
  const std::string old = read("base.pak"), next = read("next.pak");
  for (int after_ms = 0; after_ms < 40; after_ms += 4) {
    write("base.pak", old);
    const pid_t child = start("bundle apply base.pak to2.patch");
    std::this_thread::sleep_for(std::chrono::milliseconds(after_ms));
    kill(-child, SIGKILL);
    finish(child);
    while (kill(-child, 0) == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));  // its locks end with it
    const std::string left = read("base.pak");
    EXPECT_TRUE(left == old || left == next) << after_ms;
  }
  write("base.pak", old);
  build("bundle apply base.pak to2.patch");
  EXPECT_TRUE(read("base.pak") == next);
  for (const auto& entry : fs::directory_iterator(root_))
    EXPECT_FALSE(entry.path().filename().string().starts_with(".assetc-tmp.")) << entry.path();
}

TEST_F(Bundle, who_signed_it_and_which_it_is_are_what_verify_compares) {
  build("keygen studio");
  build("keygen other");
  EXPECT_EQ(fs::status(root_ / "studio.key").permissions() & fs::perms::all,
            fs::perms::owner_read | fs::perms::owner_write);
  build("bundle create base.pak --cooked Cooked/Win64 --sign studio.key");
  build("verify base.pak --key studio.pub --platform Win64 --name base --at-least 1");
  EXPECT_EQ(run("verify base.pak --key other.pub").exit_code, 1);
  EXPECT_EQ(run("verify base.pak --key studio.pub --at-least 2").err,
            "error: base.pak: found version 1, expected 2 or newer; do not use it instead of the expected bundle\n");
  EXPECT_EQ(run("verify base.pak --key studio.pub --platform Linux").err,
            "error: base.pak: found platform Win64, expected Linux; do not use it instead of the expected bundle\n");
  build("sign base.pak --key other.key -o resigned.pak");
  build("verify resigned.pak --key other.pub");
  const Finished taken = run("keygen studio");
  EXPECT_EQ(
      taken.err,
      "error: studio.key: already exists; overwriting it would lose the old key; give the new key another name\n");
}

TEST_F(Bundle, a_secret_key_that_others_may_read_is_refused) {
  build("keygen studio");
  build("keygen content --encryption");
  build("bundle create base.pak --cooked Cooked/Win64 --encrypt content.key");
  const auto shared = fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_read;
  for (const char* key : {"studio.key", "content.key"}) fs::permissions(root_ / key, shared);
  for (const std::string command :
       {"sign base.pak --key studio.key --decrypt content.key",
        "bundle create new.pak --cooked Cooked/Win64 --sign studio.key",
        "bundle create new.pak --cooked Cooked/Win64 --encrypt content.key",
        "bundle extract base.pak -o unpacked --decrypt content.key", "bundle verify base.pak --decrypt content.key"}) {
    const Finished refused = run(command);
    EXPECT_NE(refused.exit_code, 0) << command;
    EXPECT_THAT(refused.err, testing::HasSubstr(".key: holds a secret and belongs to or is open to other users"))
        << command;
    build(command + " --allow-shared-key");
  }
}

TEST_F(Bundle, apply_keeps_the_signer_unless_told) {
  build("keygen studio");
  build("keygen other");
  make_both();
  build("sign base.pak --key studio.key -o signed.pak");
  build("sign next.pak --key studio.key -o next-signed.pak");
  build("sign next.pak --key other.key -o next-other.pak");
  build("bundle diff signed.pak next.pak -o unsigned.patch");
  build("bundle diff signed.pak next-other.pak -o other.patch");
  build("bundle diff signed.pak next-signed.pak -o same.patch");
  const auto before = files();
  const Finished bare = run("bundle apply signed.pak unsigned.patch");
  EXPECT_EQ(bare.exit_code, 1);
  EXPECT_THAT(bare.err, testing::StartsWith("error: unsigned.patch: turns a bundle signed by "));
  EXPECT_THAT(bare.err, testing::EndsWith(" into an unsigned one; if this is intended, use --any-signer\n"));
  const Finished another = run("bundle apply signed.pak other.patch");
  EXPECT_THAT(another.err, testing::EndsWith("; if the signer changed, give the new public key with --key\n"));
  EXPECT_TRUE(files() == before);
  build("bundle apply signed.pak same.patch -o a.pak");
  EXPECT_TRUE(read("a.pak") == read("next-signed.pak"));
  build("bundle apply signed.pak other.patch -o b.pak --key other.pub");
  EXPECT_TRUE(read("b.pak") == read("next-other.pak"));
  build("bundle apply signed.pak unsigned.patch -o c.pak --any-signer");
  EXPECT_TRUE(read("c.pak") == read("next.pak"));
}

TEST_F(Bundle, extract_takes_the_key_of_the_signer) {
  build("keygen studio");
  build("keygen other");
  build("bundle create base.pak --cooked Cooked/Win64 --sign studio.key");
  const Finished refused = run("bundle extract base.pak -o out --key other.pub");
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.err, testing::HasSubstr("base.pak: byte 32: is signed by "));
  EXPECT_FALSE(exists("out"));
  build("bundle extract base.pak -o out --key studio.pub");
  EXPECT_EQ(tree("out/Assets"), tree("Cooked/Win64/Assets"));
}

// A hash covers the header of an unsigned bundle.
TEST_F(Bundle, verify_finds_a_change_of_any_byte_of_an_unsigned_header) {
  build("bundle create base.pak --cooked Cooked/Win64");
  const std::string good = read("base.pak");
  std::string renamed = good;
  renamed[96] = 'c';  // "base" becomes "case"
  write("renamed.pak", renamed);
  EXPECT_EQ(run("bundle verify renamed.pak").err,
            "error: renamed.pak: byte 0: the header does not match its hash; "
            "the file is damaged or was cut short; write it again\n");
  for (const std::size_t at : {16u, 64u, 99u}) {
    std::string changed = good;
    changed[at] = static_cast<char>(changed[at] ^ 1);
    write("changed.pak", changed);
    EXPECT_EQ(run("bundle verify changed.pak").exit_code, 1) << at;
  }
}

// As a broken copy, a full disk or a proxy leaves them. A signature must not vouch for that.
TEST_F(Bundle, create_refuses_what_is_no_asset_of_the_registry) {
  build("keygen studio");
  const auto blobs = tree("Cooked/Win64/Assets");
  const std::string name = "Cooked/Win64/Assets/" + blobs.begin()->first, good = blobs.begin()->second;
  for (const std::string& bad : {std::string(), good.substr(0, 40), std::string("<html>404</html>")}) {
    write(name, bad);
    const Finished done = run("bundle create base.pak --cooked Cooked/Win64 --sign studio.key");
    EXPECT_EQ(done.exit_code, 1) << bad.size();
    EXPECT_THAT(done.err, testing::StartsWith("error: " + name)) << bad.size();
    EXPECT_THAT(done.err, testing::HasSubstr("cook again, or copy the folder again")) << bad.size();
    EXPECT_FALSE(exists("base.pak"));
  }
  write(name, good);
  const std::string registry = read("Cooked/Win64/Registry/AssetRegistry.json");
  std::string other = registry;
  write("Cooked/Win64/Registry/AssetRegistry.json", other.replace(other.find("\"Raw\""), 5, "\"Mesh\""));
  EXPECT_THAT(run("bundle create base.pak --cooked Cooked/Win64").err,
              testing::HasSubstr("is a Raw, but the registry says Mesh; cook again"));
  other = registry;
  write("Cooked/Win64/Registry/AssetRegistry.json",
        other.replace(other.find("\"Desc\""), 6, "\"Sha256\": \"" + std::string(64, '0') + "\", \"Desc\""));
  EXPECT_THAT(run("bundle create base.pak --cooked Cooked/Win64").err,
              testing::HasSubstr("but the registry says " + std::string(64, '0') + "; cook again"));
}

TEST_F(Bundle, create_takes_no_file_that_a_link_leads_to) {
  write("secret.txt", "not an asset");
  const fs::path first = root_ / "Cooked/Win64/Assets" / tree("Cooked/Win64/Assets").begin()->first;
  fs::remove(first);
  fs::create_symlink(root_ / "secret.txt", first);
  const Finished done = run("bundle create base.pak --cooked Cooked/Win64");
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_THAT(done.err,
              testing::EndsWith("is reached through a link that leads out of Cooked/Win64; put the file itself "
                                "in the folder\n"));
  EXPECT_FALSE(exists("base.pak"));
}

TEST_F(Bundle, bad_input_is_one_located_error_and_writes_nothing) {
  build("keygen --encryption content");
  build("keygen --encryption wrong");
  build("keygen studio");
  build("bundle create good.pak --cooked Cooked/Win64 --encrypt content.key --sign studio.key");
  make_both();
  const std::string good = read("good.pak");
  write("cut.pak", good.substr(0, good.size() / 2));
  std::string flipped = read("base.pak");
  flipped[400] = static_cast<char>(flipped[400] ^ 1);
  write("flipped.pak", flipped);
  std::string patch = read("to2.patch");
  patch[patch.size() - 100] = static_cast<char>(patch[patch.size() - 100] ^ 1);
  write("flipped.patch", patch);
  std::string registry = read("Cooked/Win64/Registry/AssetRegistry.json");
  write_cooked(root_ / "Newer", {});
  write("Newer/Registry/AssetRegistry.json", "{\"SchemaVersion\": 2, \"Assets\": []}");
  write("Escaping/Registry/AssetRegistry.json", registry.replace(registry.find("Assets/"), 7, "../../x/"));
  write("Broken/Registry/AssetRegistry.json", "{\"SchemaVersion\": 1,\n  \"Assets\": [}");
  write("NoUuid/Registry/AssetRegistry.json",
        "{\"SchemaVersion\": 1, \"Assets\": [{\"Uuid\": \"chair\", \"Type\": \"Raw\"}]}");
  const auto before = files();
  const struct {
    const char* arguments;
    const char* error;
  } cases[] = {
      {"bundle extract good.pak -o out", "error: good.pak: is encrypted with key "},
      {"bundle extract good.pak -o out --decrypt wrong.key", "error: good.pak: is encrypted with key "},
      {"bundle extract cut.pak -o out", "error: cut.pak: byte "},
      {"bundle extract flipped.pak -o out", "error: flipped.pak: byte "},
      {"bundle extract base.pak -o out --asset chair", "error: base.pak: found --asset chair, expected a UUID\n"},
      {"bundle apply base.pak flipped.patch -o out.pak", "error: flipped.patch: byte "},
      {"bundle apply flipped.pak to2.patch -o out.pak", "error: flipped.pak: byte "},
      {"bundle apply next.pak good.pak -o out.pak", "error: good.pak: byte 0: found magic APAK, expected APKP"},
      {"bundle diff next.pak base.pak -o out.patch", "error: base.pak: replaces version 2 with the older version 1"},
      {"bundle create out.pak --cooked Newer", "error: Newer/Registry/AssetRegistry.json: /SchemaVersion: found 2"},
      {"bundle create out.pak --cooked Escaping",
       "error: Escaping/Registry/AssetRegistry.json: /Assets/0/CookedPath: "},
      {"bundle create out.pak --cooked Broken", "error: Broken/Registry/AssetRegistry.json: line 2, column 14: "},
      {"bundle create out.pak --cooked NoUuid",
       "error: NoUuid/Registry/AssetRegistry.json: /Assets/0/Uuid: found \"chair\", expected a UUID"},
      {"bundle create out.pak --cooked Cooked/Win64 --sign content.key", "error: content.key: "},
      {"sign flipped.pak --key studio.key", "error: flipped.pak: byte "},
  };
  for (const auto& [arguments, error] : cases) {
    const Finished done = run(arguments);
    EXPECT_NE(done.exit_code, 0) << arguments;
    EXPECT_THAT(done.err, testing::HasSubstr(error)) << arguments;
    EXPECT_TRUE(files() == before) << arguments;
  }
}

}  // namespace
}  // namespace assetc::e2e
