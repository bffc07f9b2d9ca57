#include "engine/publish/shared_files.hpp"

#include <algorithm>

#include "engine/target/output_tree.hpp"

namespace assetc::engine {
namespace {

// Two paths on each line.
constexpr std::string_view kEntry = "shared files";

}  // namespace

void SharedFiles::begin(Table table) {
  const std::lock_guard lock(mutex_);
  table_ = std::move(table);
  published_.clear();
}

void SharedFiles::begin_next() {
  const std::lock_guard lock(mutex_);
  published_.clear();
}

SharedFiles::Table SharedFiles::table() const {
  const std::lock_guard lock(mutex_);
  return table_;
}

std::optional<std::string> SharedFiles::file_of(std::string_view output) const {
  const std::lock_guard lock(mutex_);
  const auto at = table_.find(output);
  return at == table_.end() ? std::nullopt : std::optional(at->second);
}

std::set<std::string, std::less<>> SharedFiles::files() const {
  const std::lock_guard lock(mutex_);
  std::set<std::string, std::less<>> files;
  for (const auto& [output, file] : table_) files.insert(file);
  return files;
}

bool SharedFiles::takes(std::string_view output, std::string_view file, const ContentHash& content) const {
  const std::lock_guard lock(mutex_);
  const auto at = table_.find(output);
  return (at != table_.end() && at->second == file) || published_.contains(content);
}

void SharedFiles::put(std::string_view output, std::string_view file) {
  const std::lock_guard lock(mutex_);
  table_.insert_or_assign(std::string(output), std::string(file));
}

void SharedFiles::leave(std::string_view output, const std::optional<ContentHash>& content) {
  const std::lock_guard lock(mutex_);
  if (const auto at = table_.find(output); at != table_.end()) table_.erase(at);
  if (content) published_.insert(*content);
}

SharedFiles::Table read_shared_files(Cache& cache, const Target& target) {
  SharedFiles::Table table;
  const auto stored = cache.get(kEntry);
  std::string_view text = stored ? as_text(*stored) : std::string_view();
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const std::size_t tab = line.find('\t');
    if (tab == std::string_view::npos) continue;
    const std::string_view output = line.substr(0, tab), file = line.substr(tab + 1);
    if (check_output_path(target, output) && check_output_path(target, file)) table.emplace(output, file);
  }
  return table;
}

Result<void> write_shared_files(Cache& cache, const SharedFiles::Table& table) {
  std::string text;
  for (const auto& [output, file] : table) text += output + '\t' + file + '\n';
  const auto before = cache.get(kEntry);
  if (before ? as_text(*before) == text : text.empty()) return {};
  return cache.set(kEntry, as_bytes(text));
}

}  // namespace assetc::engine
