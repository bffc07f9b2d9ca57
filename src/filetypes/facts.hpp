// The facts of a compiled file: one list for each file type, which `assetc info` prints as text and as JSON, and the
// page of `assetc view` as a table. docs/guide/json.md gives the meaning of each name.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace assetc::filetypes {

class Facts;
struct Fact;

// A value that is already JSON.
struct RawJson {
  std::string text;
};

// Facts are an object, and a list of facts is a table.
using FactValue = std::variant<std::uint64_t, double, bool, std::string, std::vector<std::string>, std::vector<double>,
                               RawJson, Facts, std::vector<Facts>>;

class Facts {
 public:
  // text is how a line of text tells the fact; it is not told if text is empty. A text that ends in a colon begins a
  // new list.
  Facts& add(std::string name, FactValue value, std::string text = {});
  // "1 vertex", "12 vertices"
  Facts& count(std::string name, std::uint64_t count, std::string_view one);
  // The same, but text does not tell 0.
  Facts& some(std::string name, std::uint64_t count, std::string_view one);
  // How many of the items that were counted before are so: "3 opaque". Text does not tell 0.
  Facts& share(std::string name, std::uint64_t count, std::string_view so);
  // "2 clips (ROW; ROW)", where ROW is the text of the row. Text does not tell an empty table.
  Facts& table(std::string name, std::vector<Facts> rows, std::string_view one);

  const std::vector<Fact>& items() const { return items_; }
  std::string text() const;  // in one line

 private:
  std::vector<Fact> items_;
};

struct Fact {
  std::string name;  // of the member in JSON
  FactValue value;
  std::string text;
};

}  // namespace assetc::filetypes
