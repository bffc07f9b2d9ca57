#include "engine/publish/notes.hpp"

#include <algorithm>

#include "engine/disk/own_files.hpp"
#include "engine/target/output_tree.hpp"

namespace assetc::engine {
namespace {

constexpr std::size_t kChecksumDigits = 16;

// "checksum path", ended by a zero byte. A note whose checksum is wrong must never name a file to remove.
void append_note(std::string& text, std::string_view path) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::uint64_t checksum = xxh3_64(as_bytes(path));
  text.append(kChecksumDigits, '0');
  for (std::size_t i = text.size(); checksum != 0; checksum >>= 4) text[--i] = kDigits[checksum & 15];
  text.append(1, ' ').append(path).append(1, '\0');
}

}  // namespace

bool OutputNotes::Noted::has(std::uint64_t hash) const {
  return positions.find(hash, [&](std::uint32_t i) { return hashes[i] == hash; }) != Positions::kNone;
}

bool OutputNotes::Noted::add(std::uint64_t hash) {
  if (has(hash)) return false;
  positions.insert(hash, static_cast<std::uint32_t>(hashes.size()));
  hashes.push_back(hash);
  return true;
}

void OutputNotes::Noted::drop_last() {
  positions.erase(hashes.back(), static_cast<std::uint32_t>(hashes.size() - 1));
  hashes.pop_back();
}

OutputNotes::OutputNotes(Disk& disk, const std::string& root, const Target& target)
    : disk_(disk), target_(target), path_(root + "/" + std::string(kCachePrefix) + "-outputs") {}

bool OutputNotes::has(std::string_view path) const { return noted_ && noted_->has(xxh3_64(as_bytes(path))); }

Result<OutputNotes::Extent> OutputNotes::read(const std::function<void(std::string_view)>& visit) {
  auto bytes = disk_.read(path_, nullptr);
  if (!bytes && bytes.error().code != ErrorCode::kNotFound) return std::unexpected(std::move(bytes).error());
  Extent extent;
  if (!bytes) return extent;
  // A last path without its zero byte was being noted when the build was killed. Its file was not published, and the
  // next note overwrites it.
  std::string_view rest = as_text(*bytes);
  std::string note;
  for (std::size_t end; (end = rest.find('\0')) != std::string_view::npos; rest.remove_prefix(end + 1)) {
    const std::string_view path = rest.substr(0, end).substr(std::min(end, kChecksumDigits + 1));
    note.clear();
    append_note(note, path);
    if (rest.starts_with(note) && check_output_path(target_, path)) {
      visit(path);
    } else {
      ++extent.damaged;
    }
  }
  extent.end = bytes->size() - rest.size();
  return extent;
}

Result<void> OutputNotes::load() {
  if (noted_) return {};
  Noted noted;
  ASSETC_TRY(const Extent extent, read([&](std::string_view path) { noted.add(xxh3_64(as_bytes(path))); }));
  noted_ = std::move(noted);
  end_ = extent.end;
  if (extent.damaged != 0) {
    dropped_ = "damaged entries of the list of outputs were dropped (" + std::to_string(extent.damaged) +
               "); files that only they named are kept";
  }
  return {};
}

Result<void> OutputNotes::add(std::string_view path) {
  const std::lock_guard lock(mutex_);
  ASSETC_CHECK(load());
  if (!noted_->add(xxh3_64(as_bytes(path)))) return {};
  const auto forget = [&](Result<void> refused) {
    noted_->drop_last();
    return refused;
  };
  if (!file_) {
    auto opened = disk_.open(path_, true);
    // A link may have been put there by somebody else, so a person has to look at it.
    if (!opened && opened.error().code == ErrorCode::kConflict)
      return forget(std::unexpected(std::move(opened).error()));
    if (!opened) {  // a file that cannot be written can still be replaced
      std::vector<std::string> paths;
      auto known = read([&](std::string_view noted) { paths.emplace_back(noted); });
      if (!known) return forget(std::unexpected(std::move(known).error()));
      if (auto written = write_all(paths); !written) return forget(std::move(written));
      opened = disk_.open(path_, true);
      if (!opened) return forget(std::unexpected(std::move(opened).error()));
    }
    file_ = std::move(*opened);
  }
  std::string note;
  append_note(note, path);
  auto written = file_->write(end_, as_bytes(note));
  if (!written) return forget(std::move(written));
  end_ += note.size();
  return {};
}

Result<std::vector<std::string>> OutputNotes::all_but(std::span<const std::uint64_t> hashes) {
  const std::lock_guard lock(mutex_);
  ASSETC_CHECK(load());
  const auto known = [&](std::uint64_t hash) { return std::ranges::binary_search(hashes, hash); };
  std::vector<std::string> rest;
  if (std::ranges::all_of(noted_->hashes, known)) return rest;
  ASSETC_CHECK(read([&](std::string_view path) {
    if (!known(xxh3_64(as_bytes(path)))) rest.emplace_back(path);
  }));
  return rest;
}

Result<void> OutputNotes::replace(const std::vector<std::string>& paths) {
  const std::lock_guard lock(mutex_);
  file_.reset();
  Noted noted;
  for (const std::string& path : paths) noted.add(xxh3_64(as_bytes(path)));
  noted_ = std::move(noted);
  return write_all(paths);
}

Result<void> OutputNotes::write_all(std::span<const std::string> paths) {
  std::string text;
  for (const std::string& path : paths) append_note(text, path);
  end_ = text.size();
  ASSETC_CHECK(disk_.publish(path_, as_bytes(text)));
  return {};
}

}  // namespace assetc::engine
