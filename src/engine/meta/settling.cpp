#include "engine/meta/settling.hpp"

#include <algorithm>

#include "engine/meta/in_root.hpp"

namespace assetc::engine {
namespace {

// The folder of git's own files: ".git" above the root, or the folder that a file of this name leads to, in a worktree
// and in a submodule.
std::string git_folder(const std::string& root, Disk& disk) {
  constexpr std::string_view kLead = "gitdir:";
  for (std::string folder = disk.real_path(root); !folder.empty(); folder = folder_of(folder)) {
    std::string git = folder + "/.git";
    const auto status = disk.status(git);
    if (!status) continue;
    if (status->type != FileType::kFile) return git;
    const auto bytes = disk.read(git);
    std::string_view to = bytes ? as_text(*bytes) : std::string_view();
    if (!to.starts_with(kLead)) return {};
    to.remove_prefix(kLead.size());
    while (!to.empty() && (to.front() == ' ' || to.front() == '\t')) to.remove_prefix(1);
    to = to.substr(0, to.find_first_of("\r\n"));
    const bool is_absolute = to.starts_with('/') || (to.size() > 1 && to[1] == ':');
    return is_absolute ? std::string(to) : folder + "/" + std::string(to);
  }
  return {};
}

bool has_folder(const Tree& tree, std::string_view folder) {
  for (std::size_t i = 0; i < tree.size(); ++i) {
    if (tree.path(i) == folder) return true;
  }
  return false;
}

}  // namespace

std::string folder_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return std::string(path.substr(0, slash == std::string_view::npos ? 0 : slash));
}

void Settling::find_lock() {
  if (!git_) git_ = git_folder(root_, disk_);
  lock_ = git_->empty() ? std::string() : *git_ + "/index.lock";
  if (!lock_.empty() && !disk_.status(lock_)) lock_.clear();
}

void Settling::find_busy(const std::set<std::string>& folders, const Tree& tree) {
  find_lock();
  busy_ = lock_.empty() ? std::set<std::string>() : folders;
  // A stamp in the future is of another clock, and says as little as one of now.
  const std::int64_t since_ns = disk_.now_ns() - patience_.rest_ns;
  for (const std::string& folder : folders) {
    const auto status = disk_.status(folder.empty() ? root_ : in_root(root_, folder));
    const bool is_gone = !status && status.error().code == ErrorCode::kNotFound && has_folder(tree, folder);
    if (is_gone || (status && changed_since(status->signature, since_ns))) busy_.insert(folder);
  }
  for (std::size_t i = 0; i < tree.size(); ++i) {
    if (tree[i].type != FileType::kFile || !changed_since(tree[i].signature, since_ns)) continue;
    if (std::string folder = folder_of(tree.path(i)); folders.contains(folder)) busy_.insert(std::move(folder));
  }
}

// Git writes files first, and then where HEAD is. In the middle of a merge or a rebase, files are of either side.
bool Settling::is_of_checkout(const FileSignature& signature) {
  constexpr std::string_view kUnderWay[] = {"MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge",
                                            "rebase-apply"};
  find_lock();
  if (git_->empty()) return false;
  const auto exists = [&](std::string_view name) { return disk_.status(*git_ + "/" + std::string(name)).has_value(); };
  if (!lock_.empty() || std::ranges::any_of(kUnderWay, exists)) return true;
  for (const char* const name : {"/logs/HEAD", "/HEAD"}) {
    if (const auto head = disk_.status(*git_ + name)) return !changed_since(signature, head->signature.mtime_ns + 1);
  }
  return false;
}

Result<Settling::Found> Settling::wait_for_rest(const std::set<std::string>& folders, const Tree& tree,
                                                const std::function<Result<Tree>()>& walk) {
  if (patience_.rest_ns == 0) return Found::kRest;
  find_busy(folders, tree);
  if (busy_.empty()) return Found::kRest;
  if (waited_ns_ >= patience_.longest_ns) return Found::kBusy;
  waited_ns_ += patience_.rest_ns;
  disk_.wait(patience_.rest_ns);
  ASSETC_TRY(const Tree now, walk());
  find_lock();
  if (!lock_.empty() || now.fingerprint() != tree.fingerprint()) return Found::kChange;
  busy_.clear();
  return Found::kRest;
}

Error Settling::error_of(const std::string& folder) const {
  if (lock_.empty()) {
    return {ErrorCode::kConflict,
            folder,
            {},
            "something keeps changing files in this folder, so nothing was written here",
            "run the command again when the copy or export is done"};
  }
  return {ErrorCode::kConflict,
          folder,
          {},
          "git changes files now (" + lock_ + " exists), so nothing was written here",
          "run the command again when it is done; if no git runs, remove that file"};
}

}  // namespace assetc::engine
