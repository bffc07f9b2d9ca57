#include "import/text/yaml.hpp"

#include <string>

#include "base/plural.hpp"

namespace assetc::importer {
namespace {

constexpr std::size_t kMaxBytes = 64u << 10;

}  // namespace

std::unexpected<Error> wrong_yaml(const Yaml& node, std::string_view key, std::string_view expected) {
  return fail_at(ErrorCode::kUsage, node.place(),
                 std::string(key) + ": found " + node.describe() + ", expected " + std::string(expected));
}

Result<Yaml> parse_yaml(const Bytes& file, std::string_view what) {
  if (file.size() > kMaxBytes) {
    return fail(ErrorCode::kLimit, "the " + std::string(what) + " has " + counted(file.size(), "byte") +
                                       ", expected at most " + std::to_string(kMaxBytes));
  }
  return Yaml::parse(as_text(file.span()));
}

}  // namespace assetc::importer
