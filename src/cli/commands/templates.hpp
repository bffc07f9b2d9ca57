// The files of src/cli/templates, which the program contains. CMake writes the source.
#pragma once

#include <span>
#include <string_view>

namespace assetc::cli {

struct Template {
  std::string_view path;  // below src/cli/templates: "engine/main.cpp"
  std::string_view text;
};

std::span<const Template> templates();

}  // namespace assetc::cli
