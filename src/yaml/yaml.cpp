#include "yaml/yaml.hpp"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <sstream>
#include <utility>

namespace assetc {

struct Yaml::Node {
  Kind kind = Kind::kNull;
  std::string text;
  std::vector<std::size_t> children;  // indices of nodes; of a block: a key, its value, the next key ...
  int line = 1;
};

// Nodes refer to each other by index, so aliases cost nothing and a document that contains itself is freed.
struct Yaml::Tree {
  std::vector<Node> nodes;
};

// Receives the parser's events, which it sends in the order of the text.
class Yaml::Builder : public YAML::EventHandler {
 public:
  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override { add(mark, anchor, Kind::kNull); }
  void OnScalar(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor, const std::string& value) override {
    tree.nodes[add(mark, anchor, Kind::kText)].text = value;
  }
  void OnAlias(const YAML::Mark&, YAML::anchor_t anchor) override {
    if (anchor < anchors_.size()) enter(anchors_[anchor]);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open_.push_back(add(mark, anchor, Kind::kList));
  }
  void OnSequenceEnd() override { open_.pop_back(); }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open_.push_back(add(mark, anchor, Kind::kBlock));
  }
  void OnMapEnd() override { open_.pop_back(); }

  Tree tree;

 private:
  std::size_t add(const YAML::Mark& mark, YAML::anchor_t anchor, Kind kind) {
    const std::size_t index = tree.nodes.size();
    tree.nodes.push_back({kind, {}, {}, std::max(mark.line, 0) + 1});
    if (anchor != YAML::NullAnchor) {
      anchors_.resize(std::max<std::size_t>(anchors_.size(), anchor + 1));
      anchors_[anchor] = index;
    }
    enter(index);
    return index;
  }
  void enter(std::size_t index) {
    if (!open_.empty()) tree.nodes[open_.back()].children.push_back(index);
  }

  std::vector<std::size_t> open_;     // lists and blocks that have not ended, the innermost last
  std::vector<std::size_t> anchors_;  // the node of each anchor; anchors are numbered from 1
};

Result<Yaml> Yaml::parse(std::string_view text) {
  Builder builder;
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser(stream).HandleNextDocument(builder);
  } catch (const YAML::Exception& e) {
    return fail_at(ErrorCode::kUsage, "line " + std::to_string(std::max(e.mark.line, 0) + 1),
                   "not valid YAML: " + e.msg);
  } catch (const std::exception& e) {
    return fail(ErrorCode::kUsage, std::string("not readable as YAML: ") + e.what(), "correct the YAML");
  }
  if (builder.tree.nodes.empty()) builder.tree.nodes.emplace_back();
  return Yaml(std::make_shared<const Tree>(std::move(builder.tree)), 0);
}

const Yaml::Node& Yaml::node() const { return tree_->nodes[index_]; }
Yaml::Kind Yaml::kind() const { return node().kind; }
const std::string& Yaml::text() const { return node().text; }
int Yaml::line() const { return node().line; }
std::string Yaml::place() const { return "line " + std::to_string(line()); }

std::vector<Yaml> Yaml::items() const {
  std::vector<Yaml> items;
  if (!is_list()) return items;
  for (const std::size_t child : node().children) items.push_back(Yaml(tree_, child));
  return items;
}

std::vector<YamlMember> Yaml::members() const {
  std::vector<YamlMember> members;
  if (!is_block()) return members;
  const std::vector<std::size_t>& children = node().children;
  for (std::size_t i = 0; i + 1 < children.size(); i += 2)
    members.push_back({Yaml(tree_, children[i]), Yaml(tree_, children[i + 1])});
  return members;
}

std::string Yaml::describe() const {
  switch (kind()) {
    case Kind::kText:
      return "\"" + text().substr(0, 60) + "\"";
    case Kind::kList:
      return "a list of " + std::to_string(node().children.size());
    case Kind::kBlock:
      return "a block of keys";
    case Kind::kNull:
      break;
  }
  return "nothing";
}

}  // namespace assetc
