#include "cli/report/info_json.hpp"

#include "base/overload.hpp"

namespace assetc::cli {
namespace {

using filetypes::Facts;

JsonObject object_of(const Facts& facts);

template <class List, class One>
std::string list_json(const List& list, const One& one) {
  std::string text = "[";
  for (const auto& item : list) text += (text.size() > 1 ? "," : "") + one(item);
  return text + "]";
}

void add_facts(JsonObject& object, const Facts& facts) {
  for (const filetypes::Fact& fact : facts.items()) {
    std::visit(Overload{
                   [&](const filetypes::RawJson& json) { object.raw(fact.name, json.text); },
                   [&](const Facts& members) { object.add(fact.name, object_of(members)); },
                   [&](const std::vector<std::string>& texts) { object.raw(fact.name, list_json(texts, json_quote)); },
                   [&](const std::vector<double>& values) { object.raw(fact.name, list_json(values, json_number)); },
                   [&](const std::vector<Facts>& rows) {
                     object.raw(fact.name, list_json(rows, [](const Facts& row) { return object_of(row).str(); }));
                   },
                   [&](const auto& value) { object.add(fact.name, value); },
               },
               fact.value);
  }
}

JsonObject object_of(const Facts& facts) {
  JsonObject object;
  add_facts(object, facts);
  return object;
}

}  // namespace

JsonObject file_json(const engine::FileInfo& file) {
  JsonObject object = json_event("file").add("path", file.path).add("kind", file.kind).add("bytes", file.size_bytes);
  add_facts(object, filetypes::facts_of(file.content));
  if (!file.scene.empty()) object.add("scene", file.scene);
  if (file.problem) object.add("problem", file.problem->to_string());
  return object;
}

}  // namespace assetc::cli
