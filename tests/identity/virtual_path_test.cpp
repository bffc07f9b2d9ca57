#include "identity/virtual_path.hpp"

#include <gtest/gtest.h>

namespace assetc::identity {
namespace {

std::string refusal_of(std::string_view path) {
  const Result<void> checked = check_virtual_path(path);
  return checked ? "" : checked.error().what;
}

TEST(VirtualPath, takes_what_the_rules_allow) {
  for (const char* path :
       {"Engine/Wood", "Engine/Textures/Wood_Albedo", "Demo/Minimal/Chair", "Tools/A (2)+b~c-d", "X/1"}) {
    EXPECT_EQ(refusal_of(path), "") << path;
  }
}

TEST(VirtualPath, says_which_rule_is_broken) {
  const struct {
    const char *path, *why;
  } cases[] = {
      {"", "empty name"},
      {"/Engine/Wood", "empty name"},
      {"Engine//Wood", "empty name"},
      {"Engine/Wood/", "empty name"},
      {"Engine", "too few names"},
      {"Demo/Minimal", "too few names"},
      {"demo/Minimal", "too few names"},
      {"Engine/Wood.png", "dot"},
      {"Engine/../Wood", "dot"},
      {"Engine\\Wood", "backslash"},
      {"Engine/W\xc3\xb6od", "not allowed"},
      {"Engine/Wo\nod", "not allowed"},
      {"Engine/Wo:od", "not allowed"},
      {"Engine/ Wood", "space"},
      {"Engine/Wood ", "space"},
  };
  for (const auto& [path, why] : cases)
    EXPECT_NE(refusal_of(path).find(why), std::string::npos) << path << ": " << refusal_of(path);
  EXPECT_NE(refusal_of("Engine/" + std::string(kMaxVirtualName + 1, 'a')).find("more than 128"), std::string::npos);
  EXPECT_EQ(refusal_of("Engine/" + std::string(kMaxVirtualName, 'a')), "");
  std::string long_path = "Engine";
  while (long_path.size() <= kMaxVirtualPath) long_path += "/name";
  EXPECT_NE(refusal_of(long_path).find("at most 512"), std::string::npos);
}

TEST(VirtualPath, lookups_do_not_tell_case_apart) {
  EXPECT_EQ(virtual_key("Engine/Wood_A"), virtual_key("ENGINE/wood_a"));
}

TEST(VirtualPath, of_a_source_has_its_domain_and_no_suffix) {
  EXPECT_EQ(virtual_path_of("Assets/Textures/Wood.png", ".png"), "Engine/Textures/Wood");
  EXPECT_EQ(virtual_path_of("assets/Wood.n.png", ".n.png"), "Engine/Wood");
  EXPECT_EQ(virtual_path_of("Demo/Minimal/Assets/Chair.gltf", ".gltf"), "Demo/Minimal/Chair");
  EXPECT_EQ(virtual_path_of("Tools/Assets/Icon.png", ".png"), "Tools/Icon");
  EXPECT_EQ(virtual_path_of("Assets/W\xc3\xb6od.v2.png", ".png"), "Engine/Wood_v2");
  EXPECT_FALSE(virtual_path_of("Textures/Wood.png", ".png"));
  EXPECT_FALSE(virtual_path_of("Demo/Wood.png", ".png"));
}

TEST(VirtualPath, a_name_is_made_of_any_text) {
  EXPECT_EQ(virtual_name("Wood.001"), "Wood_001");
  EXPECT_EQ(virtual_name("  a/b  "), "a_b");
  EXPECT_EQ(virtual_name("Gr\xc3\xb6\xc3\x9f\x65"), "Grosse");
  EXPECT_EQ(virtual_name("\xe6\x9c\xa8"), "mu");
  EXPECT_EQ(virtual_name("\xd0\xb4\xd0\xbe\xd0\xbc"), "dom");
  EXPECT_EQ(virtual_name("\xf0\x9f\x98\x80"), "____");
  EXPECT_EQ(virtual_name(""), "_");
  EXPECT_EQ(virtual_name("   "), "_");
  for (int c = 1; c < 256; ++c) {
    const std::string name = virtual_name(std::string(1, static_cast<char>(c)));
    EXPECT_EQ(refusal_of("Engine/" + name), "") << c;
  }
  EXPECT_EQ(refusal_of("Engine/" + virtual_name(std::string(1000, 'x'))), "");
}

}  // namespace
}  // namespace assetc::identity
