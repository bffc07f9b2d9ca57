#include "assetc/runtime/stream.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "base/plural.hpp"
#include "runtime/loader/trace_scope.hpp"
#include "runtime/loaders/load_mesh.hpp"
#include "runtime/mount/mount_point.hpp"
#include "runtime/mount/wrong_type.hpp"
#include "runtime/stream/stream_parts.hpp"

namespace assetc::runtime {
namespace {

// At most so many reads are at sources at a time, so that what becomes urgent waits behind few.
constexpr std::size_t kMaxStreamReads = 16;

struct Textures {
  TextureSteps steps;
  Streamer::TextureSink sink;
};
struct Meshes {
  MeshSteps steps;
  Streamer::MeshSink sink;
  std::optional<MeshData> mesh{};
};

}  // namespace

// One thread has all of it, but for a stream that is decoding: that is its job's.
class Streamer::Impl {
 public:
  Impl(Catalog catalog, StreamOptions options) : catalog_(std::move(catalog)), options_(std::move(options)) {}

  ~Impl() {
    for (const auto& [id, stream] : streams_) close(*stream);
    cancel_reads();
    while (!reads_.empty()) on_answer(completions_.wait());
    const JobSystem& jobs = options_.jobs;
    std::unique_lock lock(mutex_);
    while (jobs_ != decoded_.size()) {
      lock.unlock();
      const bool helped = jobs.help != nullptr && jobs.help(jobs.context);
      lock.lock();
      if (!helped && jobs_ != decoded_.size()) finished_.wait(lock);
    }
  }

  StreamId open(const AssetHandle& asset, std::variant<Textures, Meshes> kind, int priority) {
    const StreamId id{++last_id_};
    auto stream = std::make_unique<Stream>(*this, id, std::move(kind), priority);
    const auto known = asset.uuid.is_nil() ? catalog_.find(asset.path_hash) : catalog_.find(asset.uuid);
    const AssetHandle wanted = known.value_or(asset);
    stream->desc = catalog_.desc(wanted).value_or(AssetDesc{.handle = wanted});
    stream->place = catalog_.locate(wanted);
    Stream& opened = *streams_.emplace(id, std::move(stream)).first->second;
    const AssetType type = opened.desc.handle.type;
    const bool is_mesh = std::holds_alternative<Meshes>(opened.kind);
    if (opened.place.mount == nullptr) {
      end(opened, Fault::kMissing, {ErrorCode::kNotFound, {}, {}, "no mount has it", "cook it, or mount what has it"});
    } else if (type != kUnknownType && (is_mesh ? type != AssetType::kMesh : !aas1::is_texture(type))) {
      end(opened, Fault::kWrongType, wrong_type(type, is_mesh ? "a mesh" : "a texture"));
    } else {
      opened.content_bytes = opened.place.mount->size_bytes(opened.place.entry);
      advance(opened);
    }
    return id;
  }

  void want(StreamId id, std::uint32_t level) {
    Stream* stream = find(id);
    if (stream == nullptr) return;
    stream->wanted = level;
    if (stream->state == State::kIdle || stream->state == State::kQueued) apply_want(*stream);
  }

  void set_priority(StreamId id, int priority) {
    if (Stream* stream = find(id)) stream->priority = priority;
  }

  void close(StreamId id) {
    if (Stream* stream = find(id)) close(*stream);
    if (!is_pumping_) {
      cancel_reads();
      sweep();
    }
  }

  bool pump(std::chrono::microseconds time) {
    const TraceScope scope(options_.trace, "stream_pump");
    const auto start = std::chrono::steady_clock::now();
    const auto is_late = [&] { return std::chrono::steady_clock::now() - start > time; };
    is_pumping_ = true;
    bool progressed = true;
    while (progressed) {
      progressed = false;
      while (auto completion = completions_.poll()) {
        on_answer(std::move(*completion));
        progressed = true;
      }
      for (Stream* stream : take_decoded()) {
        finish(*stream);
        progressed = true;
      }
      for (Stream* stream : sorted(State::kEnding)) tell_failure(*stream);
      progressed = tell_dropped() || progressed;
      progressed = start_decoding() || progressed;
      progressed = start_reads() || progressed;
      if (is_late()) break;
    }
    cancel_reads();
    is_pumping_ = false;
    sweep();
    options_.trace(
        {.kind = TraceEvent::Kind::kCounter, .name = "stream_in_flight_bytes", .value = stats_.in_flight_bytes});
    return std::ranges::any_of(streams_, [](const auto& entry) {
      const Stream& stream = *entry.second;
      return stream.has_dropped || (stream.state != State::kIdle && stream.state != State::kEnded);
    });
  }

  StreamStats stats() const {
    StreamStats out = stats_;
    out.streams = streams_.size();
    return out;
  }
  const StreamOptions& options() const { return options_; }

 private:
  enum class State : std::uint8_t {
    kQueued,  // to be read
    kReading,
    kRead,  // to be decoded
    kDecoding,
    kIdle,    // has what is wanted
    kEnding,  // its failure is to be told
    kEnded,
  };
  struct Range {
    ContentRange range;
    std::vector<StoredRange> parts;
    std::vector<Bytes> answers;
  };
  struct Stream {
    Stream(Impl& of, StreamId id_, std::variant<Textures, Meshes> kind_, int priority_)
        : impl(of), id(id_), kind(std::move(kind_)), priority(priority_) {}

    Impl& impl;
    const StreamId id;
    std::variant<Textures, Meshes> kind;
    int priority;
    AssetDesc desc{};
    Catalog::Place place{};
    State state = State::kIdle;
    std::uint64_t content_bytes = kToEnd;
    bool asks_size = false;
    StreamFiles files{};
    std::vector<Range> ranges{};
    std::size_t unanswered = 0;
    std::size_t read_count = 0;
    std::uint64_t reserved_bytes = 0, needs_bytes = 0;
    std::optional<std::uint32_t> wanted{};
    std::optional<Error> read_error{};
    Result<bool> taken = false;
    std::optional<Failure> failure{};
    bool has_dropped = false;  // levels, which is to be told
    bool is_closed = false;
    std::atomic<bool> canceled = false;
  };
  struct Read {
    Stream* stream;
    std::size_t range, part;
    std::uint32_t file;
    Source* source;
    std::optional<Ticket> ticket;
  };

  Stream* find(StreamId id) {
    const auto found = streams_.find(id);
    return found == streams_.end() || found->second->is_closed ? nullptr : found->second.get();
  }

  // The most urgent first; of equal ones what was read least, then the oldest.
  std::vector<Stream*> sorted(State state) const {
    std::vector<Stream*> out;
    for (const auto& [id, stream] : streams_) {
      if (stream->state == state && !stream->is_closed) out.push_back(stream.get());
    }
    std::ranges::stable_sort(out, [](const Stream* a, const Stream* b) {
      return a->priority != b->priority ? a->priority > b->priority : a->read_count < b->read_count;
    });
    return out;
  }

  void reserve(Stream& stream, std::uint64_t bytes) {
    stats_.in_flight_bytes += bytes;
    stats_.in_flight_bytes -= stream.reserved_bytes;
    stats_.peak_in_flight_bytes = std::max(stats_.peak_in_flight_bytes, stats_.in_flight_bytes);
    stream.reserved_bytes = bytes;
  }

  void close(Stream& stream) {
    stream.is_closed = true;
    stream.canceled = true;
  }

  // Sources hear of reads that nobody wants any more.
  void cancel_reads() {
    std::vector<std::pair<Source*, Ticket>> tickets;
    for (auto& [user, read] : reads_) {
      if (!read.stream->is_closed || !read.ticket) continue;
      tickets.emplace_back(read.source, *std::exchange(read.ticket, std::nullopt));
    }
    for (const auto& [source, ticket] : tickets) source->cancel(ticket);
  }

  void sweep() {
    std::erase_if(streams_, [this](const auto& entry) {
      Stream& stream = *entry.second;
      if (!stream.is_closed || stream.unanswered > 0 || stream.state == State::kDecoding) return false;
      reserve(stream, 0);
      return true;
    });
  }

  void end(Stream& stream, Fault fault, Error error) {
    stream.failure = {fault, stream.desc.handle, std::string(stream.desc.virtual_path), std::move(error)};
    stream.state = State::kEnding;
    stream.ranges.clear();
    stream.has_dropped = false;
    reserve(stream, 0);
  }
  void end(Stream& stream, Error error) {
    const Fault fault = fault_of(error.code);
    end(stream, fault, std::move(error));
  }

  void tell_failure(Stream& stream) {
    if (stream.is_closed) return;  // by the sink of another
    stream.state = State::kEnded;
    std::visit([&](auto& kind) { kind.sink(std::unexpected(*stream.failure)); }, stream.kind);
  }

  void tell(Stream& stream) {
    if (stream.is_closed) return;
    const TraceScope scope(options_.trace, "stream_sink", stream.desc.virtual_path);
    if (auto* texture = std::get_if<Textures>(&stream.kind)) {
      texture->sink(texture->steps.told());
      return;
    }
    auto& mesh = std::get<Meshes>(stream.kind);
    const MeshSteps& steps = mesh.steps;
    MeshParts parts{std::move(*mesh.mesh), steps.lod(), steps.lod_count()};
    mesh.mesh.reset();
    mesh.sink(std::move(parts));
  }

  void apply_want(Stream& stream) {
    const std::uint32_t level = *std::exchange(stream.wanted, std::nullopt);
    if (std::visit([&](auto& kind) { return kind.steps.want(level); }, stream.kind)) stream.has_dropped = true;
    stream.state = State::kIdle;
    advance(stream);
  }
  bool tell_dropped() {
    bool any = false;
    for (const auto& [id, stream] : streams_) {
      if (stream->state == State::kDecoding || !std::exchange(stream->has_dropped, false)) continue;
      tell(*stream);
      any = true;
    }
    return any;
  }

  // What a stream that is idle does next.
  void advance(Stream& stream) {
    if (stream.is_closed) return;
    stream.ranges.clear();
    stream.asks_size = stream.content_bytes == kToEnd;
    stream.needs_bytes = 0;
    if (stream.asks_size) {
      stream.state = State::kQueued;
      return;
    }
    if (stream.content_bytes == 0)
      return end(stream, {ErrorCode::kTruncated, {}, {}, "found no bytes, expected a header", {}});
    if (stream.content_bytes > options_.max_asset_bytes) {
      return end(stream, Fault::kLimit,
                 {ErrorCode::kLimit,
                  {},
                  {},
                  "found " + counted(stream.content_bytes, "byte") + ", expected at most " +
                      std::to_string(options_.max_asset_bytes),
                  "raise max_asset_bytes"});
    }
    const auto next = std::visit([&](auto& kind) { return kind.steps.next(stream.content_bytes); }, stream.kind);
    if (!next) {
      stream.state = State::kIdle;
      return;
    }
    stream.needs_bytes = std::visit([](const auto& kind) { return kind.steps.decoded_bytes(); }, stream.kind);
    for (const ContentRange& range : *next) {
      Range& read = stream.ranges.emplace_back(Range{range, {}, {}});
      stream.place.mount->cover(stream.place.entry, range.offset_bytes, range.size_bytes, read.parts);
      read.answers.resize(read.parts.size());
      for (const StoredRange& part : read.parts) stream.needs_bytes += part.size_bytes;
    }
    stream.state = State::kQueued;
  }

  bool start_reads() {
    bool any = false;
    for (Stream* stream : sorted(State::kQueued)) {
      if (reads_.size() >= kMaxStreamReads) break;
      const std::uint64_t bytes = stats_.in_flight_bytes + stream->needs_bytes;
      if (stats_.in_flight_bytes > 0 && bytes > options_.in_flight_bytes) break;
      reserve(*stream, stream->needs_bytes);
      stream->state = State::kReading;
      ++stream->read_count;
      any = true;
      const MountPoint& mount = *stream->place.mount;
      if (stream->asks_size) {
        std::vector<StoredRange> parts;
        mount.parts(stream->place.entry, parts);
        submit(*stream, 0, 0, {.file = parts.front().file, .size_bytes = 0});
        continue;
      }
      for (std::size_t i = 0; i < stream->ranges.size(); ++i) {
        const std::vector<StoredRange>& parts = stream->ranges[i].parts;
        for (std::size_t j = 0; j < parts.size(); ++j) {
          stats_.read_bytes += parts[j].size_bytes;
          submit(*stream, i, j, parts[j]);
        }
      }
      if (stream->unanswered == 0) stream->state = State::kRead;  // all of it is there already
    }
    return any;
  }

  void submit(Stream& stream, std::size_t range, std::size_t part, const StoredRange& from) {
    const std::uint64_t user = ++last_read_;
    const MountPoint& mount = *stream.place.mount;
    Source& source = mount.source();
    ++stream.unanswered;
    ++stats_.reads;
    Read& read = reads_.emplace(user, Read{&stream, range, part, from.file, &source, {}}).first->second;
    options_.trace({.kind = TraceEvent::Kind::kAsyncBegin, .name = "stream_read", .value = user});
    read.ticket = source.submit({mount.file(from.file), from.offset_bytes, from.size_bytes, user}, completions_);
  }

  void on_answer(Completion completion) {
    options_.trace({.kind = TraceEvent::Kind::kAsyncEnd, .name = "stream_read", .value = completion.user});
    const auto found = reads_.find(completion.user);
    const Read read = found->second;
    reads_.erase(found);
    Stream& stream = *read.stream;
    Result<void> same;
    if (completion.answer) same = stream.files.check(read.file, *completion.answer);
    if (!completion.answer) {
      stream.read_error = std::move(completion.answer).error();
    } else if (!same) {
      stream.read_error = std::move(same).error();
    } else if (stream.asks_size) {
      stream.content_bytes = completion.answer->file_size_bytes;
    } else {
      Range& range = stream.ranges[read.range];
      if (completion.answer->bytes.size() != range.parts[read.part].size_bytes)
        stream.read_error = Error{ErrorCode::kTruncated, {}, {}, "found fewer bytes than were asked for", {}};
      range.answers[read.part] = std::move(completion.answer->bytes);
    }
    if (--stream.unanswered > 0 || stream.is_closed) return;
    if (stream.read_error) return end(stream, std::move(*std::exchange(stream.read_error, std::nullopt)));
    if (!stream.asks_size) {
      stream.state = State::kRead;
      return;
    }
    next_step(stream);
  }

  void next_step(Stream& stream) {
    stream.state = State::kIdle;
    reserve(stream, 0);
    if (stream.wanted) return apply_want(stream);
    advance(stream);
  }

  bool start_decoding() {
    bool any = false;
    for (Stream* stream : sorted(State::kRead)) {
      stream->state = State::kDecoding;
      any = true;
      {
        const std::lock_guard lock(mutex_);
        ++jobs_;
      }
      if (options_.jobs.submit != nullptr) {
        options_.jobs.submit(options_.jobs.context, run, stream);
        continue;
      }
      run(stream);
      break;  // and then look at the time
    }
    return any;
  }

  static void run(void* data) {
    Stream& stream = *static_cast<Stream*>(data);
    Impl& impl = stream.impl;
    {
      const TraceScope scope(impl.options_.trace, "stream_decode", stream.desc.virtual_path);
      stream.taken = decode(stream);
    }
    const std::lock_guard lock(impl.mutex_);
    impl.decoded_.push_back(&stream);
    impl.finished_.notify_all();
  }

  static Result<bool> decode(Stream& stream) {
    std::vector<ContentPart> parts;
    for (const Range& range : stream.ranges) {
      const auto [offset, size] = range.range;
      ASSETC_TRY(Bytes bytes, stream.place.mount->assemble_range(stream.place.entry, offset, size, range.answers));
      parts.push_back({range.range, std::move(bytes)});
    }
    if (auto* texture = std::get_if<Textures>(&stream.kind))
      return texture->steps.take(std::move(parts), stream.canceled);
    auto& mesh = std::get<Meshes>(stream.kind);
    ASSETC_TRY(const bool any, mesh.steps.take(parts));
    if (!any) return false;
    LoadInput input{stream.desc, mesh.steps.bytes(), stream.impl.catalog_, stream.canceled};
    ASSETC_TRY(mesh.mesh, load_mesh(input));
    return true;
  }

  std::vector<Stream*> take_decoded() {
    const std::lock_guard lock(mutex_);
    jobs_ -= decoded_.size();
    return std::exchange(decoded_, {});
  }

  void finish(Stream& stream) {
    stream.state = State::kIdle;
    stream.ranges.clear();
    if (stream.is_closed) return;
    if (!stream.taken) return end(stream, std::move(stream.taken).error());
    if (*stream.taken) tell(stream);
    next_step(stream);
  }

  const Catalog catalog_;
  const StreamOptions options_;
  Completions completions_;
  std::map<StreamId, std::unique_ptr<Stream>> streams_;
  std::unordered_map<std::uint64_t, Read> reads_;
  StreamStats stats_;
  std::uint64_t last_id_ = 0, last_read_ = 0;
  bool is_pumping_ = false;  // sinks may be running: streams stay

  std::mutex mutex_;
  std::condition_variable finished_;
  std::vector<Stream*> decoded_;
  std::size_t jobs_ = 0;  // that run, or whose stream is in decoded_
};

Streamer::Streamer(Catalog catalog, StreamOptions options)
    : impl_(std::make_unique<Impl>(std::move(catalog), std::move(options))) {}
Streamer::~Streamer() = default;

StreamId Streamer::texture(const AssetHandle& asset, TextureSink sink, int priority, std::uint32_t first_level) {
  return impl_->open(asset, Textures{TextureSteps(impl_->options(), first_level), std::move(sink)}, priority);
}
StreamId Streamer::mesh(const AssetHandle& asset, MeshSink sink, int priority, std::uint32_t lod) {
  return impl_->open(asset, Meshes{MeshSteps(impl_->options(), lod), std::move(sink)}, priority);
}
void Streamer::want(StreamId stream, std::uint32_t first_level) { impl_->want(stream, first_level); }
void Streamer::set_priority(StreamId stream, int priority) { impl_->set_priority(stream, priority); }
void Streamer::close(StreamId stream) { impl_->close(stream); }
bool Streamer::pump(std::chrono::microseconds time) { return impl_->pump(time); }
StreamStats Streamer::stats() const { return impl_->stats(); }

}  // namespace assetc::runtime
