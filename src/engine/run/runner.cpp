#include "engine/run/runner.hpp"

#include <algorithm>
#include <iterator>
#include <new>
#include <tuple>

#include "base/ascii.hpp"
#include "base/exceptions.hpp"
#include "base/plural.hpp"
#include "engine/run/one_step.hpp"
#include "engine/run/step_records.hpp"
#include "engine/target/params.hpp"
#include "parallel/parallel.hpp"

namespace assetc::engine {
namespace {

// Bytes that a step costs beyond its recipe's estimate.
constexpr std::uint64_t kStepOverheadBytes = 64u << 10;

// A step is cooked at most so many times if its files change during the cook.
constexpr int kMaxCooks = 3;

constexpr const char* kMemoryHint = "close other programs, or build with fewer --jobs";

recipes::Diagnostic error_diagnostic(Error error) { return {recipes::Severity::kError, std::move(error)}; }

bool is_disk_trouble(const Error& error) { return error.code == ErrorCode::kIo; }

}  // namespace

Runner::Runner(const Context& context)
    : c_(context),
      claims_(context.target, context.state, context.assets.identities != nullptr, context.rest),
      equal_(context.no_cache ? nullptr : &context.state.steps,
             context.rest == nullptr ? nullptr : &context.rest->relations),
      journal_(context.cache) {
  if (context.store == nullptr) return;
  restorer_.emplace(*context.store, context.planner, context.planner.context());
  if (context.shared == nullptr || context.no_cache) return;
  fetcher_.emplace(*context.shared, *restorer_);
  if (!context.shared->races()) context.scheduler.wait_forever();
}

void Runner::take(std::vector<CachedStep> cached, bool claim) {
  if (claim) claims_.add_cached(cached);
  const std::lock_guard lock(mutex_);
  outcome_.cached += cached.size();
  outcome_.live.add(std::move(cached));
}

void Runner::run(Planner::Decision decision) {
  for (const StepRecord* record : decision.renewed) journal_.add(*record);
  take(std::move(decision.cached), !decision.run.empty());
  if (!decision.run.empty()) {
    if (auto marked = c_.writing.set(); !marked) stop(std::move(marked).error());
  }
  c_.scheduler.execute([&] {
    start(std::move(decision.run));
    end_taker();
  });
  c_.scheduler.run();
  fetcher_.reset();                    // from here on the state changes
  auto committed = journal_.commit();  // finished steps are recorded if the disk allows it
  outcome_.not_started = wanted_ - outcome_.reports.size();
  if (stop_error_ && outcome_.not_started > 0) {
    stop_error_->what +=
        "; " + plural(outcome_.not_started, "step") + (outcome_.not_started == 1 ? " was" : " were") + " not started";
    outcome_.troubles.push_back(std::move(*stop_error_));
  }
  if (!committed) outcome_.troubles.push_back(std::move(committed).error());
}

Outcome Runner::finish() {
  journal_.apply(c_.state);
  return std::move(outcome_);
}

void Runner::want(Node node) {
  {
    const std::lock_guard lock(mutex_);
    ++wanted_;
  }
  push(std::move(node));
}

void Runner::start(std::vector<Node> nodes) {
  std::erase_if(nodes, [&](const Node& node) {
    if (node.refused() != nullptr) return false;
    auto claimed = claims_.add_step(node.id, node.source, node.stem, {node.input_path, node.params});
    if (claimed) return !*claimed;
    fail_unstarted({name_of(node), node.id, node.reason(), own_source(node)},
                   located(node, {error_diagnostic(std::move(claimed).error())}));
    return true;
  });
  // Estimates read files, so they run in parallel.
  parallel_for(nodes.size(), [&](std::size_t i) { want(std::move(nodes[i])); });
}

void Runner::end_taker() {
  if (--takers_ != 0 || !decide_rest_ || stopped_) return;
  Taken taken;
  {
    const std::lock_guard lock(mutex_);
    outcome_.live.each([&](const StepRecord& record, const StepSet::Member&) { taken.add(record); });
  }
  Planner::Decision decision;
  // Isolated, as a cook is.
  isolated([&] { std::exchange(decide_rest_, {})(taken, decision); });
  for (const StepRecord* record : decision.renewed) journal_.add(*record);
  StepRecord scratch;
  std::erase_if(decision.cached, [&](const CachedStep& step) {
    const StepRecord& record = step.record.read(scratch);
    const StepId& id = c_.state.steps.id(step.position);
    const auto asked = claims_.add_step(id, record.source, record.stem, {record.input_path, record.params});
    if (asked && !*asked) return true;
    Result<void> claimed = asked ? Result<void>() : std::unexpected(asked.error());
    for (const std::string& file : files_of(record, c_.target)) {
      if (claimed) claimed = claims_.add_file(id, record.source, file);
    }
    if (claimed) return false;
    Error error = std::move(claimed).error().in(std::string(record.source));
    fail_unstarted({step_name(record.recipe, record.source, record.stem, record.params), id, {}, record.input_path},
                   {error_diagnostic(std::move(error))});
    return true;
  });
  if (const std::size_t cached = decision.cached.size(); cached > 0) {
    take(std::move(decision.cached), false);
    c_.events.emit(StepsCached{cached});
  }
  for (const Node& node : decision.run) c_.events.emit(StepQueued{name_of(node)});
  isolated([&] { start(std::move(decision.run)); });
}

void Runner::push(Node node) {
  if (stopped_) return;
  const Node::ToRun* const run = std::get_if<Node::ToRun>(&node.state);
  const std::uint64_t reserved_bytes = run != nullptr ? run->reserved_bytes : 0;
  const bool is_first = run == nullptr || (!run->has_waited && reserved_bytes == 0);
  const bool may_come = is_first && run != nullptr && std::holds_alternative<NotAsked>(run->answer);
  if (is_first && node.recipe->takes_sources) ++takers_;
  Scheduler::Work work;
  {
    const std::lock_guard lock(mutex_);
    node.order = next_order_++;
  }
  work.order = node.order;
  work.held_bytes = node.inline_input.size();
  PeekingInputs peek(c_.files);
  try {
    work.estimate_bytes = node.recipe->estimate_peak_bytes(step_of(node), peek);
  } catch (const std::exception&) {
    work.estimate_bytes = 0;  // the cook will fail for the same reason and report it
  }
  if (!node.input_path.empty()) work.estimate_bytes += input_bytes(node);
  work.estimate_bytes = std::max(work.estimate_bytes, reserved_bytes) + kStepOverheadBytes;
  if (work.estimate_bytes > c_.scheduler.budget_bytes()) {
    const std::lock_guard lock(mutex_);
    Outcome::Oversized& oversized = outcome_.oversized;
    ++oversized.steps;
    // Among equal ones take the first by name, so that the order of threads does not matter.
    if (std::tuple(work.estimate_bytes, oversized.source) > std::tuple(oversized.bytes, std::string(node.source))) {
      oversized.bytes = work.estimate_bytes;
      oversized.source = node.source;
    }
  }
  auto shared = std::make_shared<Node>(std::move(node));
  if (fetcher_ && may_come) {
    if (auto question = fetcher_->question(*shared, expected_seconds(*shared)))
      return push_waiting(std::move(work), shared, std::move(*question));
  }
  work.run = [this, shared] { execute(*shared); };
  c_.scheduler.push(std::move(work));
}

void Runner::push_waiting(Scheduler::Work work, const std::shared_ptr<Node>& node, Fetcher::Question question) {
  const auto unwanted = std::make_shared<std::atomic<bool>>(false);
  struct Arrived {
    std::mutex mutex;
    std::shared_ptr<const std::vector<StoredProduct>> products;
  };
  const auto came = std::make_shared<Arrived>();
  work.run = [this, node, unwanted, came] {
    *unwanted = true;
    {
      const std::lock_guard lock(came->mutex);
      node->to_run().answer = came->products != nullptr ? StoreAnswer(came->products) : Absent{};
    }
    execute(*node);
  };
  const std::uint64_t waiting = c_.scheduler.push_waiting(std::move(work), question.seconds, question.rank);
  fetcher_->start(*node, std::move(question), unwanted,
                  {[this, waiting, came](std::shared_ptr<const std::vector<StoredProduct>> products) {
                     const bool is_spared = products != nullptr;
                     {
                       const std::lock_guard lock(came->mutex);
                       came->products = std::move(products);
                     }
                     c_.scheduler.arrived(waiting, is_spared);
                   },
                   [this, waiting](double seconds, double rank) { c_.scheduler.expect(waiting, seconds, rank); }});
}

std::uint64_t Runner::input_bytes(const Node& node) const {
  const auto position = node.input_path.empty() ? std::nullopt : c_.files.find(node.input_path);
  return position ? c_.files.size_bytes(*position) : node.inline_input.size();
}

void Runner::stop(Error error) {
  {
    const std::lock_guard lock(mutex_);
    if (!stop_error_) stop_error_ = std::move(error);
  }
  stopped_ = true;
  c_.scheduler.cancel();
}

void Runner::execute(Node& node) {
  if (stopped_) return;
  const Clock::Time start = c_.clock->now();
  const auto seconds = [&] { return seconds_between(start, c_.clock->now()); };

  if (const Node::Refused* refused = node.refused()) return fail_step(node, {error_diagnostic(*refused->why)}, 0);
  const Node::ToRun& run = node.to_run();
  if (!node.key) {
    auto key = c_.planner.key(node);
    if (!key) return fail_step(node, {error_diagnostic(std::move(key).error())}, seconds());
    node.key = *key;
  }
  const std::optional<ContentHash> key = node.key->shareable;
  const bool leads = key && !run.has_waited && !node.only_children;
  const bool goes_on = run.reserved_bytes != 0;
  if (leads && !goes_on && equal_.wait(*key, node)) return;
  if (!goes_on) c_.events.emit(StepStarted{name_of(node), run.reason});

  const auto make_or_fail = [&]() -> std::expected<Made, Trouble> {
    try {
      return make(node, key);
    } catch (const std::bad_alloc&) {
      return std::unexpected(Trouble{
          {error_diagnostic(Error{ErrorCode::kLimit, {}, {}, "not enough memory to compile this", kMemoryHint})}});
    }
  };
  auto made = make_or_fail();
  if (made) {
    succeed(node, std::move(*made), seconds());
  } else if (made.error().needs_bytes != 0) {
    Node again = node;
    again.to_run().reserved_bytes = made.error().needs_bytes;
    return push(std::move(again));  // equal steps keep waiting
  } else {
    if (made.error().stops) stop(made.error().diagnostics.front().what);
    fail_step(node, std::move(made.error().diagnostics), seconds());
  }
  if (!leads) return;
  for (Node& waiter : equal_.end(*key)) push(std::move(waiter));
}

std::expected<Runner::Made, Runner::Trouble> Runner::make(const Node& node, const std::optional<ContentHash>& key) {
  auto result = find(node, key);
  if (!result) return not_published(std::move(result).error());
  if (!*result) {
    auto cooked = cook(node, key);
    if (!cooked) return std::unexpected(std::move(cooked).error());
    *result = std::move(*cooked);
  }
  if (auto published = publish(node, **result); !published) return not_published(std::move(published).error());
  if (auto adopted = adopt(node, **result); !adopted) return not_published(std::move(adopted).error());
  return std::move((*result)->made);
}

std::unexpected<Runner::Trouble> Runner::not_published(Error error) const {
  const bool stops = is_disk_trouble(error) && !c_.publisher.takes_files();
  return std::unexpected(Trouble{{error_diagnostic(std::move(error))}, stops});
}

Result<std::optional<Runner::StepResult>> Runner::find(const Node& node, const std::optional<ContentHash>& key) {
  if (key && !node.only_children) {
    ASSETC_TRY(auto copied, copy(node, *key));
    if (copied) return copied;
  }
  if (!restorer_ || c_.no_cache) return std::nullopt;
  const auto stored = stored_of(node);
  return stored ? std::optional(restore(node, *stored, key)) : std::nullopt;
}

std::expected<Runner::StepResult, Runner::Trouble> Runner::cook(const Node& node,
                                                                const std::optional<ContentHash>& key) {
  std::optional<TrackedInputs> inputs;
  Result<recipes::Product> product;
  bool refused = false;
  for (int cooks = 0; cooks == 0 || ((!product || refused) && cooks < kMaxCooks && inputs->is_outdated()); ++cooks) {
    inputs.emplace(c_.files, c_.toolchain, c_.assets, c_.target, node.rules_source);
    if (c_.store != nullptr)
      inputs->make_with([this](const recipes::Step& step) { return make_inline(step, c_.files.disk(), c_.store); });
    product = cook(node, *inputs);
    if (product && inputs->torn()) product = std::unexpected(*inputs->torn());
    refused = product && std::ranges::any_of(product->diagnostics,
                                             [](const auto& d) { return d.severity == recipes::Severity::kError; });
  }
  if (!product) return std::unexpected(Trouble{{error_diagnostic(std::move(product).error())}});
  if (product->needs_bytes > node.to_run().reserved_bytes)
    return std::unexpected(Trouble{{}, false, product->needs_bytes});
  const bool names_sources =
      !product->references.empty() ||
      std::ranges::any_of(product->steps, [](const recipes::Step& step) { return !step.input_path.empty(); });
  if (names_sources && !node.recipe->takes_sources) {
    return std::unexpected(Trouble{{error_diagnostic(
        Error{ErrorCode::kInvalidData, {}, {}, "takes another source", "this is a fault in the recipe"})}});
  }
  if (refused) return std::unexpected(Trouble{std::move(product->diagnostics)});
  if (node.only_children) product->outputs.clear();
  auto result = cooked(node, *product, *inputs, node.only_children ? std::nullopt : key);
  if (!result) return not_published(std::move(result).error());
  return std::move(*result);
}

Result<recipes::Product> Runner::cook(const Node& node, TrackedInputs& inputs) {
  recipes::Step step = step_of(node);
  step.containers = c_.target.containers;
  step.reserved_bytes = node.to_run().reserved_bytes;
  return catch_exceptions("the " + std::string(node.recipe->name) + " recipe", kMemoryHint, [&] {
    Result<recipes::Product> product;
    // Isolated: a thread that waits for a parallel loop of this cook must not start another step, because its bytes
    // would not be counted.
    isolated([&] { product = node.recipe->cook(step, inputs); });
    return product;
  });
}

Result<Runner::StepResult> Runner::cooked(const Node& node, recipes::Product& product, const TrackedInputs& inputs,
                                          const std::optional<ContentHash>& key) {
  StepResult result;
  result.made.record = record_of(node, product, inputs, c_.state.arena);
  result.made.statistics = std::move(product.statistics);
  StepRecord& record = *result.made.record;
  record.toolchain = c_.toolchain.libraries(node.recipe_index);
  if (!inputs.programs().empty())
    record.toolchain = c_.state.arena.keep(c_.toolchain.with_programs(node.recipe_index, inputs.programs()));
  if (key) {
    record.key = *key;
    const auto& seen = inputs.seen();
    bool only_input = seen.empty() && node.input_path.empty();
    if (seen.size() == 1 && seen[0].path == node.input_path && seen[0].kind == DependencyKind::kRead) {
      ASSETC_TRY(const auto planned, c_.files.hash(node.input_path));
      only_input = planned == seen[0].hash;  // otherwise the key was computed from bytes that are not the cooked ones
    }
    record.shareable = only_input && product.steps.empty() && product.references.empty() && inputs.programs().empty();
  }
  for (recipes::Output& output : product.outputs) result.outputs.push_back(std::move(output.bytes));
  for (recipes::Step& child : product.steps) {
    ASSETC_TRY(Wanted wanted, wanted_by(node, child));
    result.children.push_back(std::move(wanted));
  }
  return result;
}

// The outputs of an equal step, under this step's name; nullopt if the bytes of none are still there.
Result<std::optional<Runner::StepResult>> Runner::copy(const Node& node, const ContentHash& key) {
  StepRecord scratch;
  for (const StepRef& equal : equal_.finished(key)) {
    const StepRecord& from = equal.read(scratch);
    StepResult result;
    for (const OutputRecord& output : from.outputs) {
      auto present = c_.publisher.read(c_.target.file_path(from.stem, output.suffix));
      if (!present || content_hash(*present) != output.hash) break;
      result.outputs.push_back(std::move(*present));
    }
    if (result.outputs.size() != from.outputs.size()) continue;
    result.made.origin = Origin::kCopied;
    result.made.record = record_like(from, node, c_.state.arena);
    StepRecord& record = *result.made.record;
    record.toolchain = c_.toolchain.libraries(node.recipe_index);
    record.key = key;
    record.shareable = true;
    return result;
  }
  return std::nullopt;
}

Runner::StepResult Runner::restore(const Node& node, const Restorable& from, const std::optional<ContentHash>& key) {
  const StepRecord& stored = from.product.record();
  Arena& arena = c_.state.arena;
  StepResult result;
  result.made.origin = Origin::kRestored;
  result.made.record = record_like(stored, node, arena);
  result.outputs = from.outputs;
  StepRecord& record = *result.made.record;
  record.toolchain = arena.keep(stored.toolchain);
  if (key) record.key = *key;
  record.shareable = key && stored.shareable;
  for (const ChildRecord& child : stored.children) {
    ChildRecord r = child;
    for (std::string_view* text : {&r.recipe, &r.source, &r.input_path, &r.stem, &r.params, &r.pins})
      *text = arena.keep(*text);
    const auto inside = from.inside.find(step_id(r.recipe, r.stem));
    result.children.push_back({r, {}, inside == from.inside.end() ? nullptr : inside->second});
  }
  return result;
}

Result<void> Runner::publish(const Node& node, StepResult& result) {
  Made& made = result.made;
  // All paths are claimed before the first byte is written.
  std::vector<std::string> files;
  std::unordered_set<std::string> suffixes;
  for (const OutputRecord& output : made.record->outputs) {
    files.push_back(c_.target.file_path(node.stem, output.suffix));
    ASSETC_CHECK(claims_.add_file(node.id, node.source, files.back()));
    if (!suffixes.insert(ascii_lower(output.suffix)).second) {
      return fail(ErrorCode::kConflict, "publishes " + files.back() + " twice",
                  "this is a fault in the " + std::string(node.recipe->name) + " recipe");
    }
  }
  for (std::size_t i = 0; i < files.size(); ++i) {
    const Bytes bytes = std::move(result.outputs[i]);
    OutputRecord& output = made.record->outputs[i];
    if (c_.share == nullptr) {
      ASSETC_TRY(output.signature, c_.publisher.publish(files[i], bytes));
    }
    made.bytes += bytes.size();
    if (c_.store != nullptr && made.origin == Origin::kCooked) {
      const bool small = bytes.size() <= kInlineBytes;
      if (!small) c_.store->put_blob(output.hash, bytes);
      made.small.push_back(small ? bytes : Bytes());
    }
  }
  return {};
}

std::shared_ptr<const Restorable> Runner::stored_of(const Node& node) const {
  const StoreAnswer& answer = node.to_run().answer;
  if (std::holds_alternative<Absent>(answer)) return nullptr;
  if (const auto* complete = std::get_if<std::shared_ptr<const Restorable>>(&answer)) return *complete;
  const auto* came = std::get_if<std::shared_ptr<const std::vector<StoredProduct>>>(&answer);
  return came != nullptr && !(*came)->empty() ? restorer_->choose(node, **came) : restorer_->find(node);
}

double Runner::expected_seconds(const Node& node) const {
  const std::uint64_t bytes = input_bytes(node);
  const Costs* const costs = c_.shared->costs();
  return costs != nullptr ? costs->estimate(kind_of(node), bytes) : Costs::guess(bytes);
}

void Runner::store(const Node& node, const Made& made, double seconds) {
  if (!restorer_ || made.origin == Origin::kCopied || node.only_children) return;
  const bool is_new = made.origin == Origin::kCooked;
  std::optional<ContentHash> batch;
  if (c_.shared != nullptr) {
    Costs* const costs = c_.shared->costs();
    if (is_new && costs != nullptr) costs->add(kind_of(node), input_bytes(node), seconds);
    // Several shards would overwrite what each other put into a batch.
    if (c_.share == nullptr) batch = batch_for(*restorer_, node, is_new ? seconds : expected_seconds(node));
  }
  Store& store = c_.shared != nullptr ? *c_.shared : *c_.store;
  if (is_new) {
    store.put({node.key->stored, *made.record, made.small, seconds, batch});
  } else {
    store.share({node.key->stored, 0, batch});
  }
}

Result<Runner::Wanted> Runner::wanted_by(const Node& node, recipes::Step& child) {
  Arena& arena = c_.state.arena;
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
  ASSETC_TRY(const std::string pins, encode_pins(child.pins));
  r.pins = arena.keep(pins);
  r.listed = child.listed;
  if (child.input_path.empty()) {
    const auto content = child.params.find(recipes::kContentParam);
    r.inline_hash =
        content == child.params.end() ? content_hash(child.inline_input) : content_hash(as_bytes(content->second));
  }
  return Wanted{r, std::move(child.inline_input), nullptr};
}

// Records the steps that a step asked for, and starts those that must run.
Result<void> Runner::adopt(const Node& node, StepResult& result) {
  Made& made = result.made;
  Planner::Decision decision;
  std::unordered_map<StepId, Wanted> first;
  const bool is_source = node.input_path == node.rules_source;
  for (std::size_t i = 0; i < result.children.size(); ++i) {
    Wanted& child = result.children[i];
    const ChildRecord& r = child.record;
    const StepId id = step_id(r.recipe, r.stem);
    ASSETC_TRY(const bool is_first, claims_.add_step(id, r.source, r.stem, {r.input_path, r.params}));
    if (!is_first) {
      made.record->children.push_back(r);
      continue;
    }
    Node wanted = c_.planner.child_node(r, node.rules_source);
    if (wanted.recipe == nullptr)
      return fail(ErrorCode::kInvalidData, "asks for a step of the unknown recipe " + std::string(r.recipe));
    // Copy it: a part of the parent's file would keep the whole file in memory until the child has run.
    const ByteSpan span = child.inline_input.span();
    if (!span.empty()) child.inline_input = Bytes(ByteVector(span.begin(), span.end()));
    made.record->children.push_back(r);
    if (c_.share != nullptr && is_source && !c_.share->makes_child(node.rules_source, i, r.input_path)) continue;
    first.emplace(id, std::move(child));
    c_.planner.decide(std::move(wanted), decision);
    ++made.steps_added;
  }
  for (const StepRecord* record : decision.renewed) journal_.add(*record);
  if (const std::size_t cached = decision.cached.size(); cached > 0) {
    take(std::move(decision.cached), true);
    c_.events.emit(StepsCached{cached});
  }
  for (Node& child : decision.run) {
    if (const auto it = first.find(child.id); it != first.end()) {
      child.inline_input = std::move(it->second.inline_input);
      if (it->second.stored != nullptr) child.to_run().answer = std::move(it->second.stored);
    }
    c_.events.emit(StepQueued{name_of(child)});
    want(std::move(child));
  }
  return {};
}

void Runner::succeed(const Node& node, Made made, double seconds) {
  std::vector<std::string> left;  // files that the step wrote last time and not now
  store(node, made, seconds);
  const StepRecord& record = c_.state.arena.keep(std::move(made.record));
  if (node.record) {
    StepRecord scratch;
    for (const OutputRecord& old : node.record.read(scratch).outputs) {
      const auto same = [&](const OutputRecord& o) { return o.suffix == old.suffix; };
      if (std::ranges::none_of(record.outputs, same)) left.push_back(c_.target.file_path(node.stem, old.suffix));
    }
  }
  {
    const std::lock_guard lock(mutex_);
    if (const auto* graphics = recipes::find_statistic<texture::GraphicsReport>(made.statistics))
      outcome_.graphics.add(*graphics, node.source);
    outcome_.live.add(record, node.listed);
    outcome_.reports.push_back(
        {.step = name_of(node), .reason = node.reason(), .seconds = seconds, .origin = made.origin});
  }
  equal_.add(record);
  journal_.add(record, std::move(left));
  if (auto committed = journal_.commit_if_due(); !committed) stop(std::move(committed).error());
  c_.events.emit(StepFinished{name_of(node), node.reason(), seconds, made.bytes, made.origin, made.steps_added,
                              diagnostics_of(record), std::move(made.statistics),
                              std::string(node.input_path.empty() ? node.rules_source : node.input_path)});
  if (node.recipe->takes_sources) end_taker();
}

void Runner::fail_step(const Failed& failed, std::vector<recipes::Diagnostic> diagnostics, double seconds,
                       std::vector<std::string> outputs) {
  {
    const std::lock_guard lock(mutex_);
    outcome_.failures.push_back(
        {failed.name.source, failed.id, std::string(failed.own_source), diagnostics, std::move(outputs)});
    outcome_.reports.push_back({.step = failed.name, .reason = failed.reason, .seconds = seconds, .failed = true});
  }
  c_.events.emit(StepFailed{failed.name, failed.reason, seconds, std::move(diagnostics)});
}

void Runner::fail_unstarted(const Failed& failed, std::vector<recipes::Diagnostic> diagnostics) {
  {
    const std::lock_guard lock(mutex_);
    ++wanted_;
  }
  fail_step(failed, std::move(diagnostics), 0);
}

// The outputs of the step's last run. A step that has lost its identity had another name then.
std::vector<std::string> Runner::left_by(const Node& node) {
  StepRecord scratch;
  if (node.record) return files_of(node.record.read(scratch), c_.target);
  if (node.refused() == nullptr) return {};
  std::call_once(has_steps_of_sources_, [&] {
    for (std::size_t i = 0; i < c_.state.steps.size(); ++i)
      steps_of_sources_[std::string(c_.state.steps[i].read(scratch).source)].push_back(i);
  });
  std::vector<std::string> outputs;
  const auto known = steps_of_sources_.find(std::string(node.source));
  if (known == steps_of_sources_.end()) return outputs;
  for (const std::size_t position : known->second)
    std::ranges::move(files_of(c_.state.steps[position].read(scratch), c_.target), std::back_inserter(outputs));
  return outputs;
}

void Runner::fail_step(const Node& node, std::vector<recipes::Diagnostic> diagnostics, double seconds) {
  fail_step({name_of(node), node.id, node.reason(), own_source(node)}, located(node, std::move(diagnostics)), seconds,
            left_by(node));
  if (node.recipe->takes_sources) end_taker();
}

}  // namespace assetc::engine
