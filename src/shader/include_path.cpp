#include "shader/include_path.hpp"

#include <vector>

#include "base/text_file.hpp"

namespace assetc::shader {

std::optional<std::string> join_inside_root(std::string_view directory, std::string_view name) {
  if (name.empty() || name.front() == '/' || name.find('\\') != name.npos || name.find('\0') != name.npos)
    return std::nullopt;
  std::vector<std::string_view> parts;
  for (std::string_view path : {directory, name}) {
    while (!path.empty()) {
      const std::size_t slash = path.find('/');
      const std::string_view part = path.substr(0, slash);
      path = slash == path.npos ? std::string_view{} : path.substr(slash + 1);
      if (part.empty() || part == ".") continue;
      if (part != "..") {
        parts.push_back(part);
      } else if (parts.empty()) {
        return std::nullopt;
      } else {
        parts.pop_back();
      }
    }
  }
  if (parts.empty()) return std::nullopt;
  std::string joined;
  for (std::string_view part : parts) {
    if (!joined.empty()) joined += '/';
    joined += part;
  }
  return joined;
}

std::string_view parent_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == path.npos ? std::string_view{} : path.substr(0, slash);
}

Result<Included> find_include(std::string_view name, bool angled, std::string_view includer, const ReadFile& read) {
  std::vector<std::string> candidates;
  if (!angled) {
    if (auto beside = join_inside_root(parent_of(includer), name)) candidates.push_back(std::move(*beside));
  }
  if (auto in_root = join_inside_root({}, name); in_root && (candidates.empty() || candidates.front() != *in_root)) {
    candidates.push_back(std::move(*in_root));
  }
  if (candidates.empty()) {
    return fail(ErrorCode::kInvalidData, "\"" + std::string(name) + "\" leaves the input folder",
                "move the file below the input folder");
  }
  std::string looked;
  for (std::string& candidate : candidates) {
    Result<Bytes> bytes = read(candidate);
    if (bytes) return Included{std::move(candidate), without_mark(*bytes)};
    if (bytes.error().code != ErrorCode::kNotFound) return std::unexpected(std::move(bytes).error());
    if (!looked.empty()) looked += " and ";
    looked += candidate;
  }
  return fail(ErrorCode::kNotFound, "no file \"" + std::string(name) + "\"; looked for " + looked);
}

}  // namespace assetc::shader
