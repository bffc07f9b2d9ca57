#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>

#include "base/ascii.hpp"
#include "engine/run/engine.hpp"

namespace assetc::engine {
namespace {

// What a killed build loses at most, in time.
constexpr auto kCommitEvery = std::chrono::milliseconds(500);
constexpr std::size_t kCommitBytes = 4u << 20;
// Outputs of equal steps that are tried before cooking again.
constexpr std::size_t kMaxCopySources = 4;
// What a step costs beyond what its recipe says.
constexpr std::uint64_t kStepOverheadBytes = 64u << 10;

recipes::Diagnostic error_diagnostic(Error error) { return {recipes::Severity::kError, std::move(error)}; }

bool is_disk_trouble(const Error& error) { return error.code == ErrorCode::kIo; }

}  // namespace

std::vector<recipes::Diagnostic> diagnostics_of(const StepRecord& record) {
  std::vector<recipes::Diagnostic> result;
  for (const DiagnosticRecord& d : record.diagnostics) {
    result.push_back({d.severity, Error{d.code, std::string(d.file), std::string(d.place), std::string(d.what),
                                        std::string(d.hint)}});
  }
  return result;
}

Runner::Runner(const Context& context) : c_(context) {
  if (c_.options.no_cache) return;
  for (const auto& record : c_.state.steps) {
    if (record->shareable) by_key_[record->key].push_back(record);
  }
}

void Runner::add_cached(const CachedStep& step) {
  scheduled_.emplace(step.id, std::string(step.source));
  std::string path;
  for (const OutputRecord& output : step.record->outputs) {
    path.assign(step.stem).append(output.suffix);
    owners_.emplace(ascii_lower(path), Owner{step.id, std::string(step.source)});
  }
}

void Runner::add_renewed(const std::vector<std::shared_ptr<StepRecord>>& records) {
  if (records.empty()) return;
  {
    const std::lock_guard lock(mutex_);
    finished_.insert(finished_.end(), records.begin(), records.end());
  }
  const std::lock_guard lock(cache_mutex_);
  for (const auto& record : records) log_.step(*record);
}

void Runner::emit(Event event) {
  const std::lock_guard lock(c_.events_mutex);
  c_.events.on(event);
}

Result<void> Runner::run(Scheduler& scheduler, std::vector<Node> nodes) {
  scheduler_ = &scheduler;
  for (const Node& node : nodes) scheduled_.emplace(node.id, std::string(node.source));
  // Estimates look into files: in parallel.
  scheduler.execute(
      [&] { tbb::parallel_for(std::size_t{0}, nodes.size(), [&](std::size_t i) { push(std::move(nodes[i])); }); });
  scheduler.run();
  if (stop_error_) {
    (void)commit_if_due(true);  // what was finished stays finished, if the disk lets us
    return std::unexpected(*stop_error_);
  }
  return commit_if_due(true);
}

void Runner::push(Node node) {
  if (stopped_) return;
  Scheduler::Work work;
  {
    const std::lock_guard lock(mutex_);
    node.order = next_order_++;
  }
  work.order = node.order;
  work.held_bytes = node.inline_input.size();
  auto shared = std::make_shared<Node>(std::move(node));
  recipes::Step step;
  step.recipe = shared->recipe;
  step.source = shared->source;
  step.input_path = shared->input_path;
  step.inline_input = shared->inline_input;
  step.stem = shared->stem;
  step.settings = shared->view().restricted;
  step.params = decode_params(shared->params);
  PeekingInputs peek(c_.files);
  try {
    work.estimate_bytes = shared->recipe->estimate_peak_bytes(step, peek);
  } catch (const std::exception&) {
    work.estimate_bytes = 0;  // the cook will meet the same fault and say so
  }
  if (const auto position = c_.files.find(shared->input_path); position && !shared->input_path.empty()) {
    work.estimate_bytes += c_.files.size_bytes(*position);
  }
  work.estimate_bytes += kStepOverheadBytes;
  work.run = [this, shared] { execute(*shared); };
  scheduler_->push(std::move(work));
}

void Runner::stop(Error error) {
  {
    const std::lock_guard lock(mutex_);
    if (!stop_error_) stop_error_ = std::move(error);
  }
  stopped_ = true;
  scheduler_->cancel();
}

// True when another step of the same key runs: the node waits for it.
bool Runner::wait_for_key(const Node& node, const ContentHash& key) {
  const std::lock_guard lock(mutex_);
  const auto [it, first] = waiting_.try_emplace(key);
  if (first) return false;
  it->second.push_back(node);
  return true;
}

void Runner::release_key(const ContentHash& key) {
  std::vector<Node> waiters;
  {
    const std::lock_guard lock(mutex_);
    const auto it = waiting_.find(key);
    if (it == waiting_.end()) return;
    waiters = std::move(it->second);
    waiting_.erase(it);
  }
  for (Node& waiter : waiters) {
    waiter.retried = true;  // it copies now, or cooks: it does not queue up again
    push(std::move(waiter));
  }
}

void Runner::execute(Node& node) {
  if (stopped_) return;
  const auto start = Clock::now();
  const auto seconds = [&] { return std::chrono::duration<double>(Clock::now() - start).count(); };

  auto key = c_.planner.key(node);
  if (!key) return fail_step(node, {error_diagnostic(std::move(key).error())}, seconds());
  const bool leads = *key && !node.retried;
  if (leads && wait_for_key(node, **key)) return;
  emit(StepStarted{{std::string(node.recipe->name), std::string(node.source), std::string(node.stem)}, *node.reason});

  std::uint64_t bytes = 0;
  std::uint64_t added = 0;
  bool copied = false;
  Result<std::shared_ptr<StepRecord>> record(nullptr);
  std::optional<recipes::RdoResult> rdo;
  if (*key) record = copy(node, **key, bytes);
  if (record && *record) {
    copied = true;
  } else if (record) {
    TrackedInputs inputs(c_.files);
    auto product = cook(node, inputs);
    if (product && inputs.torn()) product = std::unexpected(*inputs.torn());
    if (!product) {
      if (leads) release_key(**key);
      return fail_step(node, {error_diagnostic(std::move(product).error())}, seconds());
    }
    const bool refused = std::ranges::any_of(product->diagnostics,
                                             [](const auto& d) { return d.severity == recipes::Severity::kError; });
    if (refused) {
      if (leads) release_key(**key);
      return fail_step(node, std::move(product->diagnostics), seconds());
    }
    rdo = product->rdo;
    record = publish(node, *product, inputs, *key, bytes);
    if (record) {
      if (auto adopted = adopt_children(node, *product, **record, added); !adopted)
        record = std::unexpected(std::move(adopted).error());
    }
  }
  if (!record) {
    if (leads) release_key(**key);
    if (is_disk_trouble(record.error())) stop(record.error());
    return fail_step(node, {error_diagnostic(std::move(record).error())}, seconds());
  }
  succeed(node, *record, seconds(), copied, bytes, added, rdo);
  if (leads) release_key(**key);
}

Result<recipes::Product> Runner::cook(const Node& node, TrackedInputs& inputs) {
  recipes::Step step;
  step.recipe = node.recipe;
  step.source = node.source;
  step.input_path = node.input_path;
  step.inline_input = node.inline_input;
  step.stem = node.stem;
  step.settings = node.view().restricted;
  step.params = decode_params(node.params);
  step.listed = node.listed;
  Result<recipes::Product> product;
  try {
    // Isolated: a thread that waits for a parallel loop of this cook must not start another step, whose bytes nobody
    // counted.
    tbb::this_task_arena::isolate([&] { product = node.recipe->cook(step, inputs); });
  } catch (const std::bad_alloc&) {
    return fail(ErrorCode::kLimit, "not enough memory to compile this",
                "close other programs, or build with fewer --jobs");
  } catch (const std::exception& e) {
    return fail(ErrorCode::kInvalidData,
                std::string("the ") + std::string(node.recipe->name) + " recipe threw: " + e.what(),
                "this is a fault in assetc; please report it with the file");
  }
  return product;
}

Result<void> Runner::claim_output(const Node& node, std::string_view path) {
  ASSETC_CHECK(check_output_path(path));
  const std::lock_guard lock(mutex_);
  const auto [it, added] = owners_.try_emplace(ascii_lower(path), Owner{node.id, std::string(node.source)});
  if (added || it->second.step == node.id) return {};
  return fail(ErrorCode::kConflict,
              "would publish " + std::string(path) + ", which " + it->second.source + " publishes",
              "rename one of them, or leave one out with ignore:");
}

Result<std::shared_ptr<StepRecord>> Runner::publish(const Node& node, recipes::Product& product,
                                                    const TrackedInputs& inputs, const std::optional<ContentHash>& key,
                                                    std::uint64_t& bytes) {
  auto record = std::make_shared<StepRecord>();
  Arena& arena = c_.state.arena;
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
    record->diagnostics.push_back({d.severity, d.what.code, arena.keep(d.what.file), arena.keep(d.what.place),
                                   arena.keep(d.what.what), arena.keep(d.what.hint)});
  }
  if (key) {
    record->key = *key;
    const auto& seen = inputs.seen();
    bool only_input = seen.empty() && node.input_path.empty();
    if (seen.size() == 1 && seen[0].path == node.input_path && seen[0].kind == DependencyKind::kRead) {
      ASSETC_TRY(const auto planned, c_.files.hash(node.input_path));
      only_input = planned == seen[0].hash;  // else the key is of bytes that were not the ones cooked
    }
    record->shareable = only_input && product.steps.empty() && product.references.empty();
  }

  // All paths are claimed before the first byte is written.
  std::unordered_set<std::string> suffixes;
  for (const recipes::Output& output : product.outputs) {
    const std::string path = std::string(node.stem) + output.suffix;
    ASSETC_CHECK(claim_output(node, path));
    if (!suffixes.insert(ascii_lower(output.suffix)).second) {
      return fail(ErrorCode::kConflict, "publishes " + path + " twice",
                  "this is a fault in the " + std::string(node.recipe->name) + " recipe");
    }
  }
  for (recipes::Output& output : product.outputs) {
    const std::string path = std::string(node.stem) + output.suffix;
    ASSETC_TRY(const FileSignature signature, c_.publisher.publish(path, output.bytes));
    record->outputs.push_back(
        {arena.keep(output.suffix), content_hash(output.bytes), signature, output.kind, output.srgb});
    bytes += output.bytes.size();
    output.bytes = {};
  }
  return record;
}

// The outputs of an equal step under this step's name; null when there is none whose bytes are still there.
Result<std::shared_ptr<StepRecord>> Runner::copy(const Node& node, const ContentHash& key, std::uint64_t& bytes) {
  std::vector<std::shared_ptr<const StepRecord>> candidates;
  {
    const std::lock_guard lock(mutex_);
    const auto it = by_key_.find(key);
    if (it == by_key_.end()) return nullptr;
    const std::size_t n = std::min(it->second.size(), kMaxCopySources);
    candidates.assign(it->second.end() - static_cast<std::ptrdiff_t>(n), it->second.end());
  }
  for (const auto& from : candidates) {
    recipes::Product product;
    bool whole = true;
    std::string path;
    for (const OutputRecord& output : from->outputs) {
      path.assign(from->stem).append(output.suffix);
      auto present = c_.publisher.read(path);
      whole = present && content_hash(*present) == output.hash;
      if (!whole) break;
      product.outputs.push_back({std::string(output.suffix), std::move(*present), output.kind, output.srgb});
    }
    if (!whole) continue;
    for (recipes::Diagnostic& d : diagnostics_of(*from)) {
      if (d.what.file == from->source) d.what.file = node.source;
      product.diagnostics.push_back(std::move(d));
    }
    TrackedInputs inputs(c_.files);
    ASSETC_TRY(auto record, publish(node, product, inputs, std::nullopt, bytes));
    if (!node.input_path.empty()) {
      ASSETC_TRY(const auto hash, c_.files.hash(node.input_path));
      if (!hash) return nullptr;
      record->dependencies.push_back({record->input_path, DependencyKind::kRead, *hash});
    }
    record->key = key;
    record->shareable = true;
    return record;
  }
  return nullptr;
}

std::vector<recipes::Diagnostic> Runner::located(const Node& node, std::vector<recipes::Diagnostic> diagnostics) const {
  for (recipes::Diagnostic& d : diagnostics) {
    if (d.what.file.empty()) d.what.file = node.source;
  }
  return diagnostics;
}

// Records the steps that a step asked for, and starts those that must run.
Result<void> Runner::adopt_children(const Node& node, recipes::Product& product, StepRecord& record,
                                    std::uint64_t& added) {
  Arena& arena = c_.state.arena;
  Planner::Decision decision;
  std::unordered_map<StepId, Bytes> inline_inputs;
  for (recipes::Step& child : product.steps) {
    if (child.recipe == nullptr) return fail(ErrorCode::kInvalidData, "asks for a step without a recipe");
    ChildRecord r;
    r.recipe = child.recipe->name;
    r.source = arena.keep(child.source.empty() ? std::string(node.source) : child.source);
    if (!child.input_path.empty()) {
      ASSETC_TRY(const std::string path, normalized_input_path(child.input_path));
      r.input_path = arena.keep(path);
    }
    r.stem = arena.keep(child.stem);
    r.params = arena.keep(encode_params(child.params));
    r.overrides = arena.keep(settings_overrides(child.settings, node.view().restricted));
    r.listed = child.listed;
    if (child.input_path.empty()) r.inline_hash = content_hash(child.inline_input);
    const StepId id = step_id(r.recipe, r.stem);
    {
      const std::lock_guard lock(mutex_);
      const auto [it, first] = scheduled_.try_emplace(id, std::string(r.source));
      if (!first) {
        return fail(ErrorCode::kConflict,
                    std::string(r.source) + " would publish the same files as " + it->second + ", as " +
                        std::string(r.stem) + ".*",
                    "rename one of them, or leave one out with ignore:");
      }
    }
    Node wanted = c_.planner.child_node(r, node.rules_source);
    if (wanted.recipe == nullptr)
      return fail(ErrorCode::kInvalidData, "asks for a step of the unknown recipe " + std::string(r.recipe));
    if (child.input_path.empty()) {
      // A copy: a part of the parent's file would keep all of it in memory until the child has run.
      const ByteSpan span = child.inline_input.span();
      inline_inputs.emplace(id, Bytes(ByteVector(span.begin(), span.end())));
      child.inline_input = {};
    }
    record.children.push_back(r);
    ASSETC_CHECK(c_.planner.decide(std::move(wanted), decision));
    ++added;
  }
  add_renewed(decision.renewed);
  if (!decision.cached.empty()) {
    cached_children_ += decision.cached.size();
    const std::lock_guard lock(mutex_);
    for (const CachedStep& cached : decision.cached) {
      add_cached(cached);
      live_.emplace_back(cached.record, cached.listed);
    }
  }
  if (!decision.cached.empty()) emit(StepsCached{decision.cached.size()});
  for (Node& child : decision.run) {
    if (const auto it = inline_inputs.find(child.id); it != inline_inputs.end())
      child.inline_input = std::move(it->second);
    emit(StepQueued{{std::string(child.recipe->name), std::string(child.source), std::string(child.stem)}});
    push(std::move(child));
  }
  return {};
}

void Runner::succeed(const Node& node, std::shared_ptr<const StepRecord> record, double seconds, bool copied,
                     std::uint64_t bytes, std::uint64_t added, const std::optional<recipes::RdoResult>& rdo) {
  StepName name{std::string(node.recipe->name), std::string(node.source), std::string(node.stem)};
  std::vector<std::string> left;  // outputs that the step no longer has
  if (node.record) {
    for (const OutputRecord& old : node.record->outputs) {
      const auto same = [&](const OutputRecord& o) { return o.suffix == old.suffix; };
      if (std::ranges::none_of(record->outputs, same)) left.push_back(std::string(node.stem) + std::string(old.suffix));
    }
  }
  {
    const std::lock_guard lock(mutex_);
    finished_.push_back(record);
    live_.emplace_back(record, node.listed);
    reports_.push_back({name, *node.reason, seconds, copied, false});
    orphans_.insert(orphans_.end(), left.begin(), left.end());
    if (record->shareable) by_key_[record->key].push_back(record);
  }
  {
    const std::lock_guard lock(cache_mutex_);
    log_.step(*record);
    for (const std::string& path : left) log_.orphan(path);
  }
  if (auto committed = commit_if_due(false); !committed) stop(std::move(committed).error());
  emit(StepFinished{std::move(name), *node.reason, seconds, bytes, copied, added, diagnostics_of(*record), rdo});
}

void Runner::fail_step(const Node& node, std::vector<recipes::Diagnostic> diagnostics, double seconds) {
  diagnostics = located(node, std::move(diagnostics));
  StepName name{std::string(node.recipe->name), std::string(node.source), std::string(node.stem)};
  {
    const std::lock_guard lock(mutex_);
    failures_.push_back({name.source, diagnostics});
    reports_.push_back({name, *node.reason, seconds, false, true});
  }
  emit(StepFailed{std::move(name), *node.reason, seconds, std::move(diagnostics)});
}

Result<void> Runner::commit_if_due(bool now) {
  const std::lock_guard lock(cache_mutex_);
  const auto time = Clock::now();
  if (!now && time - last_commit_ < kCommitEvery && log_.size() < kCommitBytes) return {};
  last_commit_ = time;
  return c_.cache.append(log_.take());
}

void Runner::finish() {
  for (const auto& record : finished_) c_.state.put(step_id(record->recipe, record->stem), record);
  finished_.clear();
  for (const std::string& path : orphans_) c_.state.orphans.insert(c_.state.arena.keep(path));
}

}  // namespace assetc::engine
