#include "engine/publish/notes.hpp"

#include "engine/publish/publish.hpp"
#include "engine/state/cache.hpp"

namespace assetc::engine {

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
  for (std::size_t end; (end = rest.find('\0')) != std::string_view::npos; rest.remove_prefix(end + 1)) {
    const std::string_view path = rest.substr(0, end);
    if (check_output_path(target_, path)) noted_->emplace(path);
  }
  end_ = bytes->size() - rest.size();
  return {};
}

Result<void> OutputNotes::add(std::string_view path) {
  std::string line(path);
  const std::lock_guard lock(mutex_);
  ASSETC_CHECK(load());
  if (noted_->contains(line)) return {};
  if (!file_) {
    ASSETC_TRY(file_, disk_.open(path_, true));
  }
  noted_->insert(line);
  line += '\0';
  ASSETC_CHECK(file_->write(end_, as_bytes(line)));
  end_ += line.size();
  return {};
}

Result<std::vector<std::string>> OutputNotes::all() {
  const std::lock_guard lock(mutex_);
  ASSETC_CHECK(load());
  return std::vector<std::string>(noted_->begin(), noted_->end());
}

Result<void> OutputNotes::replace(const std::vector<std::string>& paths) {
  std::string text;
  for (const std::string& path : paths) text.append(path).push_back('\0');
  const std::lock_guard lock(mutex_);
  file_.reset();
  noted_.emplace(paths.begin(), paths.end());
  end_ = text.size();
  ASSETC_CHECK(disk_.publish(path_, as_bytes(text)));
  return {};
}

}  // namespace assetc::engine
