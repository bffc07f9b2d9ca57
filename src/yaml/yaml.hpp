// A YAML document that is read, never changed: configurations, materials, descriptions of embeds.
//
// yaml.cpp is the only file that includes yaml-cpp, because its templates take seconds in each file that includes them,
// and because it throws when a value is not what the caller asks for. Here a caller asks for the kind first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "assetc/base/result.hpp"

namespace assetc {

struct YamlMember;

// One value of a document. A copy is cheap and keeps the document. An alias is the same node as its anchor, so a short
// text can stand for a very long document: a reader that visits all members needs a limit. A document may contain
// itself. Thread-safe: nothing changes after parsing.
class Yaml {
 public:
  enum class Kind : std::uint8_t { kNull, kText, kList, kBlock };

  // The first document of the text; kNull if there is none. Errors: kUsage with the line if it is not YAML.
  static Result<Yaml> parse(std::string_view text);

  Kind kind() const;
  bool is_null() const { return kind() == Kind::kNull; }
  bool is_text() const { return kind() == Kind::kText; }
  bool is_list() const { return kind() == Kind::kList; }
  bool is_block() const { return kind() == Kind::kBlock; }

  // The text of a scalar as it was written, without quotes: "64M", "true". Empty for other kinds.
  const std::string& text() const;
  // The items of a list; none for other kinds.
  std::vector<Yaml> items() const;
  // The members of a block in their order; a key that was written twice is there twice. None for other kinds.
  std::vector<YamlMember> members() const;

  // The line on which the value begins; the first is 1.
  int line() const;
  // "line 12", for errors.
  std::string place() const;
  // "\"text\"", "a list of 3", "a block of keys" or "nothing", for errors. Longer texts are cut.
  std::string describe() const;

 private:
  struct Node;
  struct Tree;
  class Builder;
  Yaml(std::shared_ptr<const Tree> tree, std::size_t index) : tree_(std::move(tree)), index_(index) {}
  const Node& node() const;

  std::shared_ptr<const Tree> tree_;
  std::size_t index_ = 0;
};

struct YamlMember {
  Yaml key;
  Yaml value;
};

}  // namespace assetc
