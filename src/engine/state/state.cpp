#include "engine/state/state.hpp"

#include <charconv>
#include <cstring>

namespace assetc::engine {
namespace {

constexpr std::size_t kArenaChunkBytes = 1 << 18;

enum class Tag : std::uint8_t { kStep = 1, kEraseStep, kFile, kForgetFile, kOrphan, kForgetOrphan };

bool has_hash(DependencyKind kind) {
  return kind == DependencyKind::kRead || kind == DependencyKind::kListing || kind == DependencyKind::kAsset ||
         kind == DependencyKind::kUuid || kind == DependencyKind::kNamed || kind == DependencyKind::kSettings;
}

// Reads what LogWriter wrote. After the first fault, every read returns zero or empty, and ok() is false.
class LogReader {
 public:
  // Reads a new block from its start and collects its shared texts.
  explicit LogReader(LogBlock& block) : bytes_(block.bytes), shared_(&block.shared_texts), learns_(&block) {}
  // Reads one record in a block that was already read.
  LogReader(const LogBlock& block, std::uint32_t offset)
      : bytes_(block.bytes), at_(offset), shared_(&block.shared_texts) {}
  explicit LogReader(ByteSpan bytes) : bytes_(bytes) {}

  std::size_t position() const { return at_; }
  std::string_view text_from(std::size_t begin) const { return as_text(bytes_.subspan(begin, at_ - begin)); }

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
  // A number of items that take at least one byte each.
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
    if (index != 0) return index <= shared_->size() ? (*shared_)[index - 1] : (fault(), std::string_view());
    const std::string_view first = text();
    if (learns_ != nullptr) learns_->shared_texts.push_back(first);
    return first;
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
  void refuse() { fault(); }

 private:
  std::uint8_t fault() {
    ok_ = false;
    at_ = bytes_.size();
    return 0;
  }

  ByteSpan bytes_;
  std::size_t at_ = 0;
  bool ok_ = true;
  const std::vector<std::string_view>* shared_ = nullptr;
  LogBlock* learns_ = nullptr;
};

// Sets every member, because the record may hold values of another step.
void read_step(LogReader& in, StepRecord& r) {
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
  r.inline_hash = (flags & 2) != 0 ? in.hash() : ContentHash{};
  r.key = in.hash();
  r.dependencies.resize(in.count());
  for (Dependency& d : r.dependencies) {
    d.kind = in.enumerator(DependencyKind::kSettings);
    d.path = in.text();
    if (d.path.empty()) d.path = r.input_path;
    d.hash = has_hash(d.kind) ? in.hash() : ContentHash{};
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
    d.kind = std::nullopt;
    if (d.severity == recipes::Severity::kWarning) {
      d.kind = parse_warning_kind(in.shared_text());
      if (!d.kind) in.refuse();  // written by a newer version
    }
    d.code = in.enumerator(ErrorCode::kCanceled);
    d.file = in.text();
    d.place = in.text();
    d.what = in.text();
    d.hint = in.text();
  }
}

FileRecord read_file(LogReader& in) {
  FileRecord record;
  record.signature = in.signature();
  record.hash = in.hash();
  return record;
}

std::uint64_t hash_of(std::string_view path) { return std::hash<std::string_view>()(path); }

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

const StepRecord& Arena::keep(std::unique_ptr<const StepRecord> record) {
  const std::lock_guard lock(mutex_);
  return *records_.emplace_back(std::move(record));
}

LogBlock& Arena::adopt(Bytes block) {
  const std::lock_guard lock(mutex_);
  blocks_.push_back({std::move(block), {}});
  return blocks_.back();
}

const StepRecord& StepRef::read(StepRecord& scratch) const {
  if (offset_ == kMade) return *made_;
  LogReader in(*block_, offset_);
  read_step(in, scratch);
  return scratch;
}

std::optional<std::uint32_t> StepTable::find(const StepId& id) const {
  const std::uint32_t position = positions_.find(id.low, [&](std::uint32_t i) { return steps_[i].id == id; });
  return position == Positions::kNone ? std::nullopt : std::optional(position);
}

void StepTable::put(const StepId& id, StepRef record) {
  if (const auto position = find(id)) {
    steps_[*position].record = record;
  } else {
    positions_.insert(id.low, static_cast<std::uint32_t>(steps_.size()));
    steps_.push_back({id, record});
  }
}

void StepTable::erase(const StepId& id) {
  const auto hole = find(id);
  if (!hole) return;
  positions_.erase(id.low, *hole);
  const auto last = static_cast<std::uint32_t>(steps_.size() - 1);
  if (*hole != last) {
    steps_[*hole] = steps_[last];
    positions_.move(steps_[last].id.low, last, *hole);
  }
  steps_.pop_back();
}

std::string encode_file_record(const FileRecord& record) {
  LogWriter writer;
  writer.file_record(record);
  return std::string(as_text(writer.take()));
}

std::uint32_t FileRecords::position(std::string_view path) const {
  return positions_.find(hash_of(path), [&](std::uint32_t i) { return this->path(i) == path; });
}

FileRecord FileRecords::operator[](std::size_t i) const {
  LogReader in(as_bytes({files_[i].encoded, files_[i].encoded_size}));
  return read_file(in);
}

std::optional<FileRecord> FileRecords::find(std::string_view path) const {
  const std::uint32_t at = position(path);
  return at == Positions::kNone ? std::nullopt : std::optional((*this)[at]);
}

void FileRecords::put(std::string_view path, std::string_view encoded) {
  std::uint32_t at = position(path);
  if (at == Positions::kNone) {
    at = static_cast<std::uint32_t>(files_.size());
    positions_.insert(hash_of(path), at);
    files_.push_back({path.data(), nullptr, static_cast<std::uint32_t>(path.size()), 0});
  }
  files_[at].encoded = encoded.data();
  files_[at].encoded_size = static_cast<std::uint32_t>(encoded.size());
}

void FileRecords::erase(std::string_view path) {
  const std::uint32_t hole = position(path);
  if (hole == Positions::kNone) return;
  positions_.erase(hash_of(path), hole);
  const auto last = static_cast<std::uint32_t>(files_.size() - 1);
  if (hole != last) {
    positions_.move(hash_of(this->path(last)), last, hole);
    files_[hole] = files_[last];
  }
  files_.pop_back();
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
    // By name: the numbers of kinds depend on the version, but machines with different versions share records.
    if (d.kind) shared_text(to_string(*d.kind));
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
  file_record(record);
}
void LogWriter::file_record(const FileRecord& record) {
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
  LogBlock& kept = state.arena.adopt(block);
  LogReader in(kept);
  StepRecord scratch;
  while (!in.done()) {
    const auto tag = static_cast<Tag>(in.byte());
    switch (tag) {
      case Tag::kStep: {
        const auto offset = static_cast<std::uint32_t>(in.position());
        read_step(in, scratch);
        if (in.ok()) state.steps.put(step_id(scratch.recipe, scratch.stem), StepRef(kept, offset));
        break;
      }
      case Tag::kEraseStep: {
        const ContentHash id = in.hash();
        if (in.ok()) state.steps.erase(id);
        break;
      }
      case Tag::kFile: {
        const std::string_view path = in.text();
        const std::size_t begin = in.position();
        read_file(in);
        if (in.ok()) state.files.put(path, in.text_from(begin));
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

}  // namespace assetc::engine
