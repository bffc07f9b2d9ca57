#include "engine/run/step_records.hpp"

namespace assetc::engine {

std::vector<recipes::Diagnostic> located(const Node& node, std::vector<recipes::Diagnostic> diagnostics) {
  for (recipes::Diagnostic& d : diagnostics) {
    if (d.what.file.empty()) d.what.file = node.source;
  }
  return diagnostics;
}

std::unique_ptr<StepRecord> record_of(const Node& node, recipes::Product& product, const TrackedInputs& inputs,
                                      Arena& arena) {
  auto record = std::make_unique<StepRecord>();
  record->recipe = node.recipe->name;
  record->version = node.recipe->version;
  record->stem = arena.keep(node.stem);
  record->source = arena.keep(node.source);
  record->input_path = arena.keep(node.input_path);
  record->settings = node.view().canonical;
  record->params = arena.keep(node.params);
  record->inline_hash = node.inline_hash;
  for (const TrackedInputs::Seen& seen : inputs.seen())
    record->dependencies.push_back({arena.keep(seen.path), seen.kind, seen.hash});
  for (const std::string& reference : product.references) record->references.push_back(arena.keep(reference));
  for (const recipes::Diagnostic& d : located(node, std::move(product.diagnostics))) {
    record->diagnostics.push_back({d.severity, d.kind, d.what.code, arena.keep(d.what.file), arena.keep(d.what.place),
                                   arena.keep(d.what.what), arena.keep(d.what.hint)});
  }
  return record;
}

std::vector<recipes::Diagnostic> diagnostics_of(const StepRecord& record) {
  std::vector<recipes::Diagnostic> result;
  result.reserve(record.diagnostics.size());
  for (const DiagnosticRecord& d : record.diagnostics) {
    auto diagnostic = recipes::Diagnostic::remembered(
        d.severity, d.kind,
        Error{d.code, std::string(d.file), std::string(d.place), std::string(d.what), std::string(d.hint)});
    if (diagnostic) result.push_back(std::move(*diagnostic));
  }
  return result;
}

recipes::Product product_of(const StepRecord& from, std::string_view source) {
  recipes::Product product;
  for (recipes::Diagnostic& d : diagnostics_of(from)) {
    if (d.what.file == from.source) d.what.file = source;
    product.diagnostics.push_back(std::move(d));
  }
  for (std::string_view reference : from.references) product.references.emplace_back(reference);
  return product;
}

}  // namespace assetc::engine
