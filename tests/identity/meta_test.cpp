#include "identity/meta.hpp"

#include <gtest/gtest.h>

#include "identity/members.hpp"

namespace assetc::identity {
namespace {

// As edited by a person: their order, their spacing, members that no tool knows.
constexpr const char* kEdited = R"({
    "Tags": ["PBR",   "Wood"],
    "Uuid": "a9c1b3c0-6d6e-4e16-9f4d-2d0a4f2d9a0b", "Type": "Texture2D",
    "VirtualPath": "Engine/Textures/Wood_Albedo",
    "SourcePath": "Assets/Textures/Wood_Albedo.png",
    "ImportSettings": { "SRGB": true, "Scale": 1.50, "\u0041": "}]\"" },
    "Studio": {"Ticket": 17.0}
})";

Meta read(const std::string& text) {
  Result<MetaFile> file = MetaFile::parse(text);
  EXPECT_TRUE(file) << file.error().to_string();
  return file ? file->meta() : Meta{};
}
std::string refusal(const std::string& text) {
  const Result<MetaFile> file = MetaFile::parse(text);
  return file ? "" : file.error().to_string();
}
std::string replaced(std::string text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(Meta, reads_what_a_person_wrote) {
  const Meta meta = read(kEdited);
  EXPECT_EQ(meta.uuid.to_string(), "a9c1b3c0-6d6e-4e16-9f4d-2d0a4f2d9a0b");
  EXPECT_EQ(meta.type, "Texture2D");
  EXPECT_EQ(meta.virtual_path, "Engine/Textures/Wood_Albedo");
  EXPECT_EQ(meta.source_path, "Assets/Textures/Wood_Albedo.png");
  EXPECT_EQ(meta.tags, (std::vector<std::string>{"PBR", "Wood"}));
}

TEST(Meta, a_change_of_nothing_keeps_every_byte) {
  const Result<MetaFile> file = MetaFile::parse(kEdited);
  ASSERT_TRUE(file);
  EXPECT_EQ(file->with(file->meta()).text(), kEdited);
}

TEST(Meta, a_change_touches_its_member_only) {
  const Result<MetaFile> file = MetaFile::parse(kEdited);
  ASSERT_TRUE(file);
  Meta next = file->meta();
  next.source_path = "Assets/Moved/Wood_Albedo.png";
  EXPECT_EQ(file->with(next).text(), replaced(kEdited, "Assets/Textures/", "Assets/Moved/"));
}

TEST(Meta, a_new_member_follows_the_one_before_it_in_order) {
  const Result<MetaFile> file = MetaFile::parse(kEdited);
  ASSERT_TRUE(file);
  Meta next = file->meta();
  next.importer = "TextureImporter";
  next.importer_version = 3;
  next.source_dependencies = {"Assets/a.bin", "Assets/b.png"};
  next.sub_assets = {{Uuid::from_random({1}), "Mesh", "S\xc3\xa4ule", "Engine/Saeule", "00ff"}};
  next.redirects = {{Uuid::from_random({2}), "Engine/Old"}};
  const MetaFile changed = file->with(next);
  EXPECT_EQ(read(changed.text()), next);
  const std::string& text = changed.text();
  EXPECT_LT(text.find("\"SourcePath\""), text.find("\"Importer\""));
  EXPECT_LT(text.find("\"Importer\""), text.find("\"ImporterVersion\""));
  EXPECT_LT(text.find("\"ImporterVersion\""), text.find("\"SourceDependencies\""));
  EXPECT_LT(text.find("\"SourceDependencies\""), text.find("\"SubAssets\""));
  EXPECT_NE(text.find("\"ImportSettings\": { \"SRGB\": true, \"Scale\": 1.50, \"\\u0041\": \"}]\\\"\" }"),
            std::string::npos);
  EXPECT_NE(text.find("\"Studio\": {\"Ticket\": 17.0}"), std::string::npos);
  for (char c : text) EXPECT_LT(static_cast<unsigned char>(c), 0x80);
}

TEST(Meta, a_new_file_has_the_documented_order) {
  Meta meta;
  meta.uuid = Uuid::from_random({7});
  meta.type = "Texture2D";
  meta.virtual_path = "Engine/Wood";
  meta.source_path = "Assets/W\xc3\xb6od.png";
  meta.importer = "Texture";
  meta.importer_version = 1;
  const MetaFile file = MetaFile::create(meta);
  EXPECT_EQ(file.text(), "{\n  \"Uuid\": \"" + meta.uuid.to_string() + R"(",
  "Type": "Texture2D",
  "VirtualPath": "Engine/Wood",
  "SourcePath": "Assets/W\u00f6od.png",
  "Importer": "Texture",
  "ImporterVersion": 1,
  "SourceDependencies": [],
  "Dependencies": [],
  "ImportSettings": {},
  "Tags": [],
  "License": ""
}
)");
  EXPECT_EQ(read(file.text()), meta);
}

TEST(Meta, refuses_with_the_place_and_what_to_do) {
  const struct {
    std::string text;
    const char* says;
  } cases[] = {
      {"", "line 1"},
      {"[]", "found no object"},
      {"{", "line 1"},
      {"{}", "no \"Uuid\""},
      {replaced(kEdited, "\"Studio\"", "\"Uuid\""), "line 7, column 5: found \"Uuid\" a second time"},
      {replaced(kEdited, "\"Studio\"", "\"\\u0055uid\""), "a second time"},
      {replaced(kEdited, "2d0a4f2d9a0b", "2d0a4f2d9a0"), "/Uuid"},
      {replaced(kEdited, "a9c1b3c0-6d6e-4e16-9f4d-2d0a4f2d9a0b", "00000000-0000-0000-0000-000000000000"), "all zero"},
      {replaced(kEdited, "Assets/Textures/", "/Assets/Textures/"), "/SourcePath"},
      {replaced(kEdited, "Assets/Textures/", "C:/Textures/"), "/SourcePath"},
      {replaced(kEdited, "Assets/Textures/", "Assets/../"), "without .."},
      {replaced(kEdited, "Engine/Textures/Wood", "Engine/../Wood"), "/VirtualPath"},
      {replaced(kEdited, "\"Texture2D\"", "17"), "/Type: found 17, expected a string"},
      {replaced(kEdited, "\"PBR\"", "{}"), "/Tags/0"},
      {std::string("{\n<<<<<<< HEAD\n") + kEdited, "line 2, column 1: found git's conflict markers"},
      {"{\"Uuid\": " + std::string(100'000, '[') + std::string(100'000, ']') + "}", "nests deeper"},
      {std::string("{\"Uuid\": \"\xff\"}"), "is not JSON"},
      {replaced(kEdited, "1.50", "5e660"), "out of range"},
      {std::string(kMaxMetaBytes + 1, ' '), "at most"},
  };
  for (const auto& [text, says] : cases) {
    EXPECT_NE(refusal(text).find(says), std::string::npos) << says << " in: " << refusal(text);
  }
}

// As saved by editors on Windows: with a byte order mark, and lines that end in CR LF.
std::string of_windows(const std::string& text) {
  std::string saved = "\xEF\xBB\xBF";
  for (const char c : text) saved += c == '\n' ? "\r\n" : std::string(1, c);
  return saved;
}

TEST(Meta, a_byte_order_mark_and_the_line_ends_of_windows_stay) {
  const Result<MetaFile> file = MetaFile::parse(of_windows(kEdited));
  ASSERT_TRUE(file) << file.error().to_string();
  EXPECT_EQ(file->meta(), read(kEdited));
  EXPECT_EQ(file->with(file->meta()).text(), of_windows(kEdited));
  Meta next = file->meta();
  next.importer = "TextureImporter";
  next.tags = {"Oak", "Sale"};
  EXPECT_EQ(file->with(next).text(), of_windows(MetaFile::parse(kEdited)->with(next).text()));
}

TEST(Meta, every_prefix_of_a_marked_file_is_refused_in_words) {
  const std::string whole = of_windows(kEdited);
  for (std::size_t size = 0; size + 1 < whole.size(); ++size)
    EXPECT_FALSE(MetaFile::parse(whole.substr(0, size))) << size;
}

TEST(Meta, a_json_pointer_leads_to_a_line) {
  const std::string text =
      "\xEF\xBB\xBF{\r\n \"a\": 1, \"b\":\r\n  [ {\"c\": \"]}\\\"\"},\r\n\r\n {\"c\" : [],\r\n\"d\":{}}] }\r\n";
  const auto line = [&](std::string_view pointer) { return line_of(text, pointer); };
  EXPECT_EQ(line("/a"), 2u);
  EXPECT_EQ(line("/b"), 3u);
  EXPECT_EQ(line("/b/0/c"), 3u);
  EXPECT_EQ(line("/b/1"), 5u);
  EXPECT_EQ(line("/b/1/c"), 5u);
  EXPECT_EQ(line("/b/1/d"), 6u);
  for (const char* const missing : {"/c", "/b/2", "/b/x", "/b/-1", "/a/0", "/b/1/c/0", "/b/0/c/0"})
    EXPECT_EQ(line(missing), 0u) << missing;
  EXPECT_EQ(line_of("{", "/a"), 0u);
  EXPECT_EQ(line_of("", "/a"), 0u);
}

}  // namespace
}  // namespace assetc::identity
