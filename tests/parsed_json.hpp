// JSON in tests: parsed without a check for errors in every test, and printed where a test fails.
#pragma once

#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "json/json.hpp"

namespace assetc {

inline std::ostream& operator<<(std::ostream& out, const Json& json) { return out << json.text(); }

// The value of a text. The test fails if it is not JSON.
inline Json parsed_json(std::string_view text) {
  auto json = Json::parse(text);
  EXPECT_TRUE(json) << text;
  return json ? std::move(*json) : Json();
}

// The items of an array of strings.
inline std::vector<std::string> texts_in(const Json& array) {
  std::vector<std::string> texts;
  for (const Json& item : array.items()) texts.push_back(item.as_string());
  return texts;
}

}  // namespace assetc
