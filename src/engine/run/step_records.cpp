#include "engine/run/step_records.hpp"

#include "engine/target/params.hpp"

namespace assetc::engine {

StepName name_of(const Node& node) { return step_name(node.recipe->name, node.source, node.stem, node.params); }

std::string_view own_source(const Node& node) {
  return node.input_path == node.rules_source ? node.input_path : std::string_view();
}

recipes::Step step_of(const Node& node) {
  recipes::Step step;
  step.recipe = node.recipe;
  step.source = node.source;
  step.input_path = node.input_path;
  step.inline_input = node.inline_input;
  step.stem = node.stem;
  step.settings = node.view().restricted;
  step.params = decode_params(node.params);
  step.listed = node.listed;
  step.only_children = node.only_children;
  return step;
}

std::vector<recipes::Diagnostic> located(const Node& node, std::vector<recipes::Diagnostic> diagnostics) {
  for (recipes::Diagnostic& d : diagnostics) {
    if (d.what.file.empty()) d.what.file = node.source;
  }
  return diagnostics;
}

namespace {

// A record with what the node says of its step.
std::unique_ptr<StepRecord> record_of(const Node& node, Arena& arena) {
  auto record = std::make_unique<StepRecord>();
  record->recipe = node.recipe->name;
  record->version = node.recipe->version;
  record->stem = arena.keep(node.stem);
  record->source = arena.keep(node.source);
  record->input_path = arena.keep(node.input_path);
  record->settings = node.view().canonical;
  record->params = arena.keep(node.params);
  record->inline_hash = node.inline_hash;
  return record;
}

}  // namespace

std::unique_ptr<StepRecord> record_of(const Node& node, recipes::Product& product, const TrackedInputs& inputs,
                                      Arena& arena) {
  auto record = record_of(node, arena);
  for (const TrackedInputs::Seen& seen : inputs.seen())
    record->dependencies.push_back({arena.keep(seen.path), seen.kind, seen.hash});
  for (const recipes::Output& output : product.outputs) {
    record->outputs.push_back({arena.keep(output.suffix),
                               content_hash(output.bytes),
                               {.size_bytes = output.bytes.size()},
                               output.descriptor});
  }
  for (const std::string& reference : product.references) record->references.push_back(arena.keep(reference));
  for (const recipes::Diagnostic& d : located(node, std::move(product.diagnostics))) {
    record->diagnostics.push_back({d.severity, d.kind, d.what.code, arena.keep(d.what.file), arena.keep(d.what.place),
                                   arena.keep(d.what.what), arena.keep(d.what.hint)});
  }
  return record;
}

std::unique_ptr<StepRecord> record_like(const StepRecord& from, const Node& node, Arena& arena) {
  auto record = record_of(node, arena);
  if (!from.shareable) {
    for (const Dependency& read : from.dependencies)
      record->dependencies.push_back({arena.keep(read.path), read.kind, read.hash});
  } else if (!node.input_path.empty()) {
    // It read only its input: a file at any path, or bytes inside another source.
    const ContentHash hash = from.dependencies.empty() ? from.inline_hash : from.dependencies.front().hash;
    record->dependencies.push_back({record->input_path, DependencyKind::kRead, hash});
  }
  for (const OutputRecord& output : from.outputs) {
    record->outputs.push_back(
        {arena.keep(output.suffix), output.hash, {.size_bytes = output.signature.size_bytes}, output.descriptor});
  }
  for (const std::string_view reference : from.references) record->references.push_back(arena.keep(reference));
  for (const DiagnosticRecord& d : from.diagnostics) {
    record->diagnostics.push_back({d.severity, d.kind, d.code,
                                   d.file == from.source ? record->source : arena.keep(d.file), arena.keep(d.place),
                                   arena.keep(d.what), arena.keep(d.hint)});
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

}  // namespace assetc::engine
