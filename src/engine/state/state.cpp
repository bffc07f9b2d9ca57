#include "engine/state/state.hpp"

#include <charconv>
#include <cstring>

namespace assetc::engine {
namespace {

constexpr std::size_t kArenaChunkBytes = 1 << 18;

enum class Tag : std::uint8_t { kStep = 1, kEraseStep, kFile, kForgetFile, kOrphan, kForgetOrphan };

bool has_hash(DependencyKind kind) {
  return kind == DependencyKind::kRead || kind == DependencyKind::kListing || kind == DependencyKind::kAsset ||
         kind == DependencyKind::kUuid;
}

// Reads what LogWriter wrote. After the first fault every read gives zeros and ok() is false.
class LogReader {
 public:
  explicit LogReader(ByteSpan bytes) : bytes_(bytes) {}

  bool ok() const { return ok_; }
  bool done() const { return !ok_ || at_ == bytes_.size(); }

  std::uint8_t byte() {
    if (at_ >= bytes_.size()) return fault();
    return static_cast<std::uint8_t>(bytes_[at_++]);
  }
  std::uint64_t number() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const std::uint8_t b = byte();
      value |= std::uint64_t{b & 0x7Fu} << shift;
      if ((b & 0x80) == 0) return value;
    }
    return fault();
  }
  // A count of things that take at least one byte each.
  std::size_t count() {
    const std::uint64_t n = number();
    return n <= bytes_.size() - at_ ? static_cast<std::size_t>(n) : fault();
  }
  std::string_view text() {
    const std::size_t size = count();
    const std::string_view view = as_text(bytes_.subspan(at_, size));
    at_ += size;
    return view;
  }
  std::string_view shared_text() {
    const std::uint64_t index = number();
    if (index == 0) return shared_.emplace_back(text());
    return index <= shared_.size() ? shared_[index - 1] : (fault(), std::string_view());
  }
  template <class T>
  T raw() {
    if (!range_fits(at_, sizeof(T), bytes_.size())) {
      fault();
      return T{};
    }
    const T value = load<T>(bytes_, at_);
    at_ += sizeof(T);
    return value;
  }
  ContentHash hash() {
    const auto low = raw<std::uint64_t>();
    return {low, raw<std::uint64_t>()};
  }
  FileSignature signature() {
    FileSignature s;
    s.size_bytes = number();
    s.mtime_ns = raw<std::int64_t>();
    s.ctime_ns = raw<std::int64_t>();
    s.inode = number();
    return s;
  }
  template <class E>
  E enumerator(E last) {
    const std::uint8_t value = byte();
    return value <= static_cast<std::uint8_t>(last) ? static_cast<E>(value) : static_cast<E>(fault());
  }

 private:
  std::uint8_t fault() {
    ok_ = false;
    at_ = bytes_.size();
    return 0;
  }

  ByteSpan bytes_;
  std::size_t at_ = 0;
  bool ok_ = true;
  std::vector<std::string_view> shared_;
};

std::shared_ptr<StepRecord> read_step(LogReader& in) {
  auto record = std::make_shared<StepRecord>();
  StepRecord& r = *record;
  r.recipe = in.shared_text();
  r.version = static_cast<std::uint32_t>(in.number());
  r.stem = in.text();
  r.input_path = in.text();
  const std::string_view source = in.text();
  r.source = source.empty() ? r.input_path : source;
  r.settings = in.shared_text();
  r.params = in.shared_text();
  r.toolchain = in.shared_text();
  const std::uint8_t flags = in.byte();
  r.shareable = (flags & 1) != 0;
  if ((flags & 2) != 0) r.inline_hash = in.hash();
  r.key = in.hash();
  r.dependencies.resize(in.count());
  for (Dependency& d : r.dependencies) {
    d.kind = in.enumerator(DependencyKind::kUuid);
    d.path = in.text();
    if (d.path.empty()) d.path = r.input_path;
    if (has_hash(d.kind)) d.hash = in.hash();
  }
  r.outputs.resize(in.count());
  for (OutputRecord& o : r.outputs) {
    o.suffix = in.shared_text();
    o.hash = in.hash();
    o.signature = in.signature();
    o.descriptor.kind = in.enumerator(recipes::kLastAssetKind);
    o.descriptor.srgb = in.byte() != 0;
  }
  r.children.resize(in.count());
  for (ChildRecord& c : r.children) {
    c.recipe = in.shared_text();
    c.source = in.text();
    c.input_path = in.text();
    c.stem = in.text();
    c.params = in.shared_text();
    c.pins = in.shared_text();
    c.inline_hash = in.hash();
    c.listed = in.byte() != 0;
  }
  r.references.resize(in.count());
  for (std::string_view& reference : r.references) reference = in.text();
  r.diagnostics.resize(in.count());
  for (DiagnosticRecord& d : r.diagnostics) {
    d.severity = in.enumerator(recipes::Severity::kError);
    d.code = in.enumerator(ErrorCode::kCanceled);
    d.file = in.text();
    d.place = in.text();
    d.what = in.text();
    d.hint = in.text();
  }
  return record;
}

}  // namespace

std::string_view Arena::keep(std::string_view text) {
  if (text.empty()) return {};
  const std::lock_guard lock(mutex_);
  if (text.size() > left_) {
    const std::size_t size = std::max(kArenaChunkBytes, text.size());
    chunks_.push_back(std::make_unique_for_overwrite<char[]>(size));
    next_ = chunks_.back().get();
    left_ = size;
  }
  std::memcpy(next_, text.data(), text.size());
  const std::string_view kept(next_, text.size());
  next_ += text.size();
  left_ -= text.size();
  return kept;
}

StepId step_id(std::string_view recipe, std::string_view stem) {
  return ContentHasher().add(recipe).add(stem).finish();
}

const StepRecord* State::find(const StepId& id) const {
  const auto it = step_index.find(id);
  return it == step_index.end() ? nullptr : steps[it->second].get();
}

void State::put(const StepId& id, std::shared_ptr<const StepRecord> record) {
  const auto [it, added] = step_index.try_emplace(id, steps.size());
  if (added) {
    steps.push_back(std::move(record));
  } else {
    steps[it->second] = std::move(record);
  }
}

void State::erase(const StepId& id) {
  const auto it = step_index.find(id);
  if (it == step_index.end()) return;
  const std::size_t hole = it->second;
  step_index.erase(it);
  if (hole + 1 != steps.size()) {
    steps[hole] = std::move(steps.back());
    step_index[step_id(steps[hole]->recipe, steps[hole]->stem)] = hole;
  }
  steps.pop_back();
}

void LogWriter::tag(std::uint8_t value) { out_.push_back(std::byte{value}); }

void LogWriter::number(std::uint64_t value) {
  while (value >= 0x80) {
    out_.push_back(static_cast<std::byte>(value | 0x80));
    value >>= 7;
  }
  out_.push_back(static_cast<std::byte>(value));
}

void LogWriter::text(std::string_view value) {
  number(value.size());
  append_bytes(out_, as_bytes(value));
}

void LogWriter::shared_text(std::string_view value) {
  const auto [it, added] = shared_.try_emplace(std::string(value), shared_.size() + 1);
  number(added ? 0 : it->second);
  if (added) text(value);
}

void LogWriter::hash(const ContentHash& value) {
  append(out_, value.low);
  append(out_, value.high);
}

void LogWriter::signature(const FileSignature& value) {
  number(value.size_bytes);
  append(out_, value.mtime_ns);
  append(out_, value.ctime_ns);
  number(value.inode);
}

void LogWriter::step(const StepRecord& r) {
  tag(static_cast<std::uint8_t>(Tag::kStep));
  shared_text(r.recipe);
  number(r.version);
  text(r.stem);
  text(r.input_path);
  text(r.source == r.input_path ? std::string_view() : r.source);
  shared_text(r.settings);
  shared_text(r.params);
  shared_text(r.toolchain);
  const bool inlined = r.inline_hash != ContentHash{};
  tag(static_cast<std::uint8_t>((r.shareable ? 1 : 0) | (inlined ? 2 : 0)));
  if (inlined) hash(r.inline_hash);
  hash(r.key);
  number(r.dependencies.size());
  for (const Dependency& d : r.dependencies) {
    tag(static_cast<std::uint8_t>(d.kind));
    text(d.path == r.input_path ? std::string_view() : d.path);
    if (has_hash(d.kind)) hash(d.hash);
  }
  number(r.outputs.size());
  for (const OutputRecord& o : r.outputs) {
    shared_text(o.suffix);
    hash(o.hash);
    signature(o.signature);
    tag(static_cast<std::uint8_t>(o.descriptor.kind));
    tag(o.descriptor.srgb ? 1 : 0);
  }
  number(r.children.size());
  for (const ChildRecord& c : r.children) {
    shared_text(c.recipe);
    text(c.source);
    text(c.input_path);
    text(c.stem);
    shared_text(c.params);
    shared_text(c.pins);
    hash(c.inline_hash);
    tag(c.listed ? 1 : 0);
  }
  number(r.references.size());
  for (std::string_view reference : r.references) text(reference);
  number(r.diagnostics.size());
  for (const DiagnosticRecord& d : r.diagnostics) {
    tag(static_cast<std::uint8_t>(d.severity));
    tag(static_cast<std::uint8_t>(d.code));
    text(d.file);
    text(d.place);
    text(d.what);
    text(d.hint);
  }
}

void LogWriter::erase_step(const StepId& id) {
  tag(static_cast<std::uint8_t>(Tag::kEraseStep));
  hash(id);
}
void LogWriter::file(std::string_view path, const FileRecord& record) {
  tag(static_cast<std::uint8_t>(Tag::kFile));
  text(path);
  signature(record.signature);
  hash(record.hash);
}
void LogWriter::forget_file(std::string_view path) {
  tag(static_cast<std::uint8_t>(Tag::kForgetFile));
  text(path);
}
void LogWriter::orphan(std::string_view path) {
  tag(static_cast<std::uint8_t>(Tag::kOrphan));
  text(path);
}
void LogWriter::forget_orphan(std::string_view path) {
  tag(static_cast<std::uint8_t>(Tag::kForgetOrphan));
  text(path);
}

ByteVector LogWriter::take() {
  shared_.clear();
  return std::exchange(out_, {});
}

Result<void> replay(State& state, const Bytes& block) {
  state.arena.adopt(block);
  LogReader in(block.span());
  while (!in.done()) {
    const auto tag = static_cast<Tag>(in.byte());
    switch (tag) {
      case Tag::kStep: {
        auto record = read_step(in);
        if (in.ok()) state.put(step_id(record->recipe, record->stem), record);
        break;
      }
      case Tag::kEraseStep: {
        const ContentHash id = in.hash();
        if (in.ok()) state.erase(id);
        break;
      }
      case Tag::kFile: {
        const std::string_view path = in.text();
        FileRecord record;
        record.signature = in.signature();
        record.hash = in.hash();
        if (in.ok()) state.files.insert_or_assign(path, record);
        break;
      }
      case Tag::kForgetFile:
        state.files.erase(in.text());
        break;
      case Tag::kOrphan:
        state.orphans.insert(in.text());
        break;
      case Tag::kForgetOrphan:
        state.orphans.erase(in.text());
        break;
      default:
        return fail(ErrorCode::kInvalidData, "a change of unknown kind " + std::to_string(static_cast<int>(tag)));
    }
  }
  if (!in.ok()) return fail(ErrorCode::kInvalidData, "a change that ends too early");
  return {};
}

std::string encode_params(const recipes::Params& params) {
  std::string text;
  for (const auto& [key, value] : params) {
    text += std::to_string(key.size()) + ":" + key + std::to_string(value.size()) + ":" + value;
  }
  return text;
}

recipes::Params decode_params(std::string_view text) {
  recipes::Params params;
  const auto next = [&]() -> std::string {
    std::size_t size = 0;
    const char* end = text.data() + text.size();
    const auto [after, error] = std::from_chars(text.data(), text.data() + text.size(), size);
    if (error != std::errc() || after == end || *after != ':' || size > static_cast<std::size_t>(end - after - 1)) {
      text = {};
      return {};
    }
    std::string part(after + 1, size);
    text.remove_prefix(static_cast<std::size_t>(after + 1 - text.data()) + size);
    return part;
  };
  while (!text.empty()) {
    std::string key = next();
    params.insert_or_assign(std::move(key), next());
  }
  return params;
}

}  // namespace assetc::engine
