#include "base/lexical_path.hpp"

#include <filesystem>

namespace assetc {
namespace {

std::filesystem::path native(std::string_view utf8) { return {std::u8string(utf8.begin(), utf8.end())}; }
std::string text_of(const std::filesystem::path& path) {
  const std::u8string text = path.generic_u8string();
  return {text.begin(), text.end()};
}

}  // namespace

std::string path_in(std::string_view folder, std::string_view path) {
  return text_of((native(folder) / native(path)).lexically_normal());
}

std::string path_from(std::string_view folder, std::string_view path) {
  return text_of(native(path).lexically_relative(native(folder)));
}

}  // namespace assetc
