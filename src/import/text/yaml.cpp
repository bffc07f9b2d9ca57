#include "import/text/yaml.hpp"

#include <algorithm>

#include "base/plural.hpp"
#include "import/text/lines.hpp"

namespace assetc::importer {
namespace {

constexpr std::size_t kMaxBytes = 64u << 10;

std::string line_of(const YAML::Mark& mark) {
  return line_place(static_cast<std::uint64_t>(std::max(mark.line, 0)) + 1);
}

}  // namespace

std::string yaml_place(const YAML::Node& node) { return line_of(node.Mark()); }

std::string describe_yaml(const YAML::Node& node) {
  switch (node.Type()) {
    case YAML::NodeType::Scalar:
      return "\"" + node.Scalar().substr(0, 60) + "\"";
    case YAML::NodeType::Sequence:
      return "a list of " + std::to_string(node.size());
    case YAML::NodeType::Map:
      return "a block of keys";
    default:
      return "nothing";
  }
}

std::unexpected<Error> wrong_yaml(const YAML::Node& node, std::string_view key, std::string_view expected) {
  return fail_at(ErrorCode::kUsage, yaml_place(node),
                 std::string(key) + ": found " + describe_yaml(node) + ", expected " + std::string(expected));
}

Result<YAML::Node> parse_yaml(const Bytes& file, std::string_view what) {
  if (file.size() > kMaxBytes) {
    return fail(ErrorCode::kLimit, "the " + std::string(what) + " has " + counted(file.size(), "byte") +
                                       ", expected at most " + std::to_string(kMaxBytes));
  }
  try {
    return YAML::Load(std::string(as_text(file.span())));
  } catch (const YAML::Exception& e) {
    return fail_at(ErrorCode::kUsage, line_of(e.mark), "not valid YAML: " + e.msg);
  }
}

}  // namespace assetc::importer
