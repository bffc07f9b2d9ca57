// Content of a source that its importer does not keep, for a warning.
#pragma once

#include <string>

namespace assetc::scene {

struct LeftOut {
  std::string what;  // "a loop from 5 to 5"
  std::string hint;  // what to do
};

}  // namespace assetc::scene
