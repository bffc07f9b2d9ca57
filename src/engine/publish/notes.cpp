#include "engine/publish/notes.hpp"

#include "engine/publish/publish.hpp"
#include "engine/state/cache.hpp"

namespace assetc::engine {
namespace {

constexpr std::size_t kChecksumDigits = 16;

// "checksum path": what does not verify never names a file to remove.
std::string note_of(std::string_view path) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string note(kChecksumDigits, '0');
  std::uint64_t checksum = xxh3_64(as_bytes(path));
  for (std::size_t i = kChecksumDigits; i-- > 0; checksum >>= 4) note[i] = kDigits[checksum & 15];
  return note.append(1, ' ').append(path).append(1, '\0');
}

}  // namespace

OutputNotes::OutputNotes(Disk& disk, const std::string& root, const Target& target)
    : disk_(disk), target_(target), path_(root + "/" + std::string(kCachePrefix) + "-outputs") {}

Result<void> OutputNotes::load() {
  if (noted_) return {};
  auto bytes = disk_.read(path_, nullptr);
  if (!bytes && bytes.error().code != ErrorCode::kNotFound) return std::unexpected(std::move(bytes).error());
  noted_.emplace();
  if (!bytes) return {};
  // A last path without its zero was being noted when the build died: its file was not published, and the next note
  // goes in its place.
  std::string_view rest = as_text(*bytes);
  std::size_t damaged = 0;
  for (std::size_t end; (end = rest.find('\0')) != std::string_view::npos; rest.remove_prefix(end + 1)) {
    const std::string_view path = rest.substr(0, end).substr(std::min(end, kChecksumDigits + 1));
    if (rest.starts_with(note_of(path)) && check_output_path(target_, path)) {
      noted_->emplace(path);
    } else {
      ++damaged;
    }
  }
  end_ = bytes->size() - rest.size();
  if (damaged != 0) {
    dropped_ = "damaged entries of the list of outputs are dropped (" + std::to_string(damaged) +
               "); files that nothing else names stay";
  }
  return {};
}

Result<void> OutputNotes::add(std::string_view path) {
  const std::lock_guard lock(mutex_);
  ASSETC_CHECK(load());
  if (!noted_->emplace(path).second) return {};
  if (!file_) {
    auto opened = disk_.open(path_, true);
    if (!opened) {  // a file that may not be written can still be replaced
      noted_->erase(std::string(path));
      ASSETC_CHECK(write_all());
      noted_->emplace(path);
      opened = disk_.open(path_, true);
      if (!opened) return std::unexpected(std::move(opened).error());
    }
    file_ = std::move(*opened);
  }
  const std::string note = note_of(path);
  auto written = file_->write(end_, as_bytes(note));
  if (written) {
    end_ += note.size();
  } else {
    noted_->erase(std::string(path));
  }
  return written;
}

Result<std::vector<std::string>> OutputNotes::all_but(const std::function<bool(std::string_view)>& known) {
  const std::lock_guard lock(mutex_);
  ASSETC_CHECK(load());
  std::vector<std::string> rest;
  for (const std::string& path : *noted_)
    if (!known(path)) rest.push_back(path);
  return rest;
}

Result<void> OutputNotes::replace(const std::vector<std::string>& paths) {
  const std::lock_guard lock(mutex_);
  file_.reset();
  noted_.emplace(paths.begin(), paths.end());
  return write_all();
}

Result<void> OutputNotes::write_all() {
  std::string text;
  for (const std::string& path : *noted_) text += note_of(path);
  end_ = text.size();
  ASSETC_CHECK(disk_.publish(path_, as_bytes(text)));
  return {};
}

}  // namespace assetc::engine
