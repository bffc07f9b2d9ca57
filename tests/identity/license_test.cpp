#include "identity/license.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace assetc::identity {
namespace {

TEST(License, spdx_expressions_are_known) {
  for (const char* const text :
       {"MIT", "mit", "CC0-1.0", "CC-BY-SA-4.0", "OFL-1.1", "GPL-2.0", "GPL-2.0+", "GPL-3.0-or-later",
        "LicenseRef-Studio", "MIT OR Apache-2.0", "(MIT and BSD-3-Clause) or CC0-1.0",
        "GPL-2.0-only WITH Classpath-exception-2.0", " MIT "})
    EXPECT_TRUE(is_spdx_expression(text)) << text;
  for (const char* const text : {"", "Internal", "MIT License", "MIT OR", "OR MIT", "(MIT", "MIT)", "()", "MIT MIT",
                                 "MIT WITH", "our own, see mail", "CC-BY"})
    EXPECT_FALSE(is_spdx_expression(text)) << text;
  EXPECT_FALSE(is_spdx_expression(std::string(100'000, '(') + "MIT"));
}

TEST(License, a_list_allows_texts_and_parts_of_expressions) {
  const std::vector<std::string> allowed{"MIT", "cc0-1.0", "Bought from Ada"};
  for (const char* const text : {"MIT", "mit ", "CC0-1.0", "bought from ada", "MIT OR GPL-3.0-only", "MIT AND CC0-1.0",
                                 "(GPL-3.0-only OR MIT) AND CC0-1.0"})
    EXPECT_TRUE(is_allowed(text, allowed)) << text;
  for (const char* const text :
       {"", "GPL-3.0-only", "MIT AND GPL-3.0-only", "Bought from Ad", "MIT OR GPL", "MIT OR Bought from Ada"})
    EXPECT_FALSE(is_allowed(text, allowed)) << text;
  EXPECT_FALSE(is_allowed("MIT", {}));
  EXPECT_TRUE(is_allowed("", std::vector<std::string>{""}));
}

}  // namespace
}  // namespace assetc::identity
