// The first entries are read on the calling thread, because starting threads takes longer than reading a small tree.
// From then on each directory is a task, and the stat calls of a large directory are split into tasks. Each directory
// keeps its own names, so tasks share nothing. The tree is assembled in order at the end.
#include "engine/disk/walk.hpp"

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "os/directory.hpp"
#include "parallel/parallel.hpp"

namespace assetc::engine {
namespace {

constexpr std::size_t kStatsPerTask = 512;
constexpr std::size_t kEntriesAlone = 512;  // after as many, directories become tasks
// Limit on links to folders. Each linked folder may contain further links, so the work can double with every level.
constexpr std::size_t kMaxFolderLinks = 10'000;

struct Directory;

struct Item {
  std::uint32_t name_offset;
  std::uint16_t name_size;
  FileType type;
  bool present;
  bool link;
  std::optional<LeftOut> left_out = {};  // reason, if not present
  std::string fault = {};                // for kUnreadable: the system's error
  FileSignature signature = {};
  std::unique_ptr<Directory> child;

  void leave_out(LeftOut why) {
    present = false;
    left_out = why;
  }
};

struct Directory {
  std::string path;  // below the root; empty for the root itself
  const Directory* parent = nullptr;
  bool through_link = false;
  std::optional<LeftOut> left_out;  // reason, if the directory is treated as empty
  std::string fault;                // for kUnreadable: the system's error
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::string names;
  std::vector<Item> items;

  std::string_view name(const Item& item) const {
    return std::string_view(names).substr(item.name_offset, item.name_size);
  }
};

class Walker {
 public:
  Walker(const std::string& root, const Disk::Skip& skip, int threads, Links links)
      : root_(root), skip_(skip), thread_count_(std::max(1, threads)), links_(links) {
    if (links_ == Links::kInside) real_root_ = os::canonical_path(root);
  }

  // Reads the directory and all below it.
  Result<void> walk(Directory& top) {
    std::vector<Directory*> found{&top};
    std::size_t next = 0;
    for (std::size_t entries = 0; next < found.size() && entries < kEntriesAlone; ++next) {
      read(*found[next]);
      entries += found[next]->items.size();
      for (const Item& item : found[next]->items) {
        if (item.child) found.push_back(item.child.get());
      }
    }
    if (next < found.size()) {
      in_threads([&](TaskGroup& group) {
        for (; next < found.size(); ++next) group.run([&, directory = found[next]] { visit(*directory, group); });
        group.wait();
      });
    }
    if (failed_) return std::unexpected(error_);
    return {};
  }

  bool is_aliased() const { return is_aliased_; }

 private:
  struct Threads {
    explicit Threads(int count) : allowed(static_cast<std::size_t>(count)), arena(count) {}
    ThreadLimit allowed;
    assetc::Arena arena;
    TaskGroup group;
  };

  // Calls body with a group of tasks, in an arena of the allowed number of threads. These are started at the first
  // call, which is on the walk's own thread.
  template <class Body>
  void in_threads(const Body& body) {
    if (!threads_) threads_.emplace(thread_count_);
    threads_->arena.execute([&] { body(threads_->group); });
  }

  void visit(Directory& directory, TaskGroup& group) {
    read(directory);
    for (Item& item : directory.items) {
      if (!item.child) continue;
      group.run([this, child = item.child.get(), &group] { visit(*child, group); });
    }
  }

  // Reads the entries of the directory.
  void read(Directory& directory) {
    if (failed_.load(std::memory_order_relaxed)) return;
    const std::string full = directory.path.empty() ? root_ : root_ + "/" + directory.path;
    auto opened = os::Directory::open(full);
    if (!opened) {
      const bool is_gone =
          opened.error().is(os::FaultKind::kNotFound) || opened.error().is(os::FaultKind::kNotDirectory);
      if (!is_gone) refuse(full, directory, opened.error());  // deleted meanwhile: treat as absent
      return;
    }
    const auto self = opened->status();
    if (!self) return refuse(full, directory, self.error());
    directory.device = self->device;
    directory.inode = self->inode;
    if (directory.through_link && is_loop(directory)) {
      directory.left_out = LeftOut::kLoop;
      return;
    }
    read_names(*opened, full, directory);
    stat_items(*opened, full, directory);
  }

  static bool is_loop(const Directory& directory) {
    for (const Directory* up = directory.parent; up != nullptr; up = up->parent) {
      if (up->device == directory.device && up->inode == directory.inode) return true;
    }
    return false;
  }

  Visit ask(std::string_view path, bool directory) const { return skip_ ? skip_(path, directory) : Visit::kTake; }

  static std::string path_of(const Directory& directory, const Item& item) {
    const std::string name(directory.name(item));
    return directory.path.empty() ? name : directory.path + "/" + name;
  }

  // Asks `skip` whether to name the entry. It was not asked about links yet.
  void leave_out(const Directory& directory, Item& item, LeftOut why) const {
    item.present = false;
    const Visit visit = ask(path_of(directory, item), false);
    if (visit == Visit::kTake) item.left_out = why;
    if (visit == Visit::kTell) item.left_out = LeftOut::kTold;
  }

  void stop(Error error) {
    const std::lock_guard lock(mutex_);
    if (!failed_) error_ = std::move(error);
    failed_ = true;
  }
  // A folder that cannot be read becomes empty and is named in left_out. If the root cannot be read, the walk fails.
  void refuse(const std::string& full, Directory& directory, const os::Fault& fault) {
    if (directory.parent == nullptr)
      return stop({ErrorCode::kIo, full, {}, "cannot read the directory: " + fault.text(), {}});
    directory.items.clear();
    directory.left_out = LeftOut::kUnreadable;
    directory.fault = fault.text();
  }

  void read_names(os::Directory& opened, const std::string& full, Directory& directory) {
    std::string path = directory.path.empty() ? "" : directory.path + "/";
    const std::size_t base = path.size();
    for (;;) {
      const auto entry = opened.next();
      if (!entry) return refuse(full, directory, entry.error());
      if (!*entry) break;
      const auto [name, kind] = **entry;
      const bool link = !kind || *kind == os::FileKind::kLink;
      const bool is_directory = kind == os::FileKind::kDirectory;
      path.resize(base);
      path.append(name);
      const Visit visit = link ? Visit::kTake : ask(path, is_directory);
      if (visit == Visit::kLeaveOut) continue;
      if (visit == Visit::kLeaveOutFolder) {
        directory.left_out = LeftOut::kFolder;
        directory.items.clear();
        return;
      }
      const FileType type = is_directory                             ? FileType::kDirectory
                            : kind == os::FileKind::kRegular || link ? FileType::kFile
                                                                     : FileType::kOther;
      Item item{.name_offset = static_cast<std::uint32_t>(directory.names.size()),
                .name_size = static_cast<std::uint16_t>(name.size()),
                .type = type,
                .present = true,
                .link = link,
                .child = nullptr};
      if (visit == Visit::kTell) {
        item.leave_out(LeftOut::kTold);
      } else if (type == FileType::kOther) {
        item.leave_out(LeftOut::kSpecial);
      }
      directory.items.push_back(std::move(item));
      directory.names.append(name);
    }
    std::ranges::sort(directory.items, {}, [&](const Item& item) { return directory.name(item); });
  }

  void stat_item(const os::Directory& opened, const std::string& full, Directory& directory, Item& item) {
    if (!item.present) return;
    const std::string name(directory.name(item));
    if (item.type == FileType::kFile) {
      const auto status = opened.status_of(name);
      if (!status) {
        if (!status.error().is(os::FaultKind::kNotFound) && !status.error().is(os::FaultKind::kTooManyLinks)) {
          item.fault = status.error().text();
          leave_out(directory, item, LeftOut::kUnreadable);
          return;
        }
        item.present = false;
        // If the link still exists, its target is missing. Anything else was deleted meanwhile.
        if (!item.link) return;
        if (const auto link = opened.link_status_of(name)) {
          // a file created at its target would be in the tree twice
          if (link->kind == os::FileKind::kLink) is_aliased_ = true;
          leave_out(directory, item, LeftOut::kNowhere);
        }
        return;
      }
      if (status->kind == os::FileKind::kDirectory) {
        item.type = FileType::kDirectory;
      } else if (status->kind == os::FileKind::kRegular) {
        if (status->link_count > 1) is_aliased_ = true;
        item.signature = signature_of(*status);
      } else {
        leave_out(directory, item, LeftOut::kSpecial);
        return;
      }
    }
    if (!item.link && item.type != FileType::kDirectory) return;
    if (item.link) is_aliased_ = true;
    std::string path = path_of(directory, item);
    if (item.link && links_ == Links::kInside && leaves_root(full + "/" + name)) {
      leave_out(directory, item, LeftOut::kOutside);
      return;
    }
    if (item.link) {
      const Visit visit = ask(path, item.type == FileType::kDirectory);
      if (visit != Visit::kTake) item.present = false;
      if (visit == Visit::kTell) item.left_out = LeftOut::kTold;
      if (visit != Visit::kTake) return;
    }
    if (item.link && links_ == Links::kFiles && item.type == FileType::kDirectory) item.type = FileType::kOther;
    if (item.type == FileType::kDirectory && item.link && ++folder_links_ > kMaxFolderLinks) {
      stop({ErrorCode::kLimit,
            full + "/" + name,
            {},
            "found more than " + std::to_string(kMaxFolderLinks) + " links to folders up to here",
            "do links lead to one another? Keep one path to each folder"});
      return;
    }
    if (item.type == FileType::kDirectory) {
      item.child = std::make_unique<Directory>();
      item.child->path = std::move(path);
      item.child->parent = &directory;
      item.child->through_link = item.link;
    }
  }

  void stat_items(const os::Directory& opened, const std::string& full, Directory& directory) {
    const auto range = [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) stat_item(opened, full, directory, directory.items[i]);
    };
    if (directory.items.size() <= 2 * kStatsPerTask) return range(0, directory.items.size());
    in_threads([&](const TaskGroup&) {
      // Isolated, because the directory stays open meanwhile: this thread must not start another directory.
      isolated([&] { parallel_blocks(directory.items.size(), kStatsPerTask, range); });
    });
  }

  // False for a path that was deleted meanwhile.
  bool leaves_root(const std::string& path) const {
    const std::string real = os::canonical_path(path);
    const std::string_view root(real_root_ == "/" ? std::string_view() : std::string_view(real_root_));
    return !real.empty() && real != real_root_ &&
           !(real.starts_with(root) && real.substr(root.size()).starts_with('/'));
  }

  const std::string& root_;
  const Disk::Skip& skip_;
  const int thread_count_;
  const Links links_;
  std::string real_root_;
  std::optional<Threads> threads_;
  std::atomic<bool> failed_ = false;
  std::atomic<bool> is_aliased_ = false;
  std::atomic<std::size_t> folder_links_ = 0;
  std::mutex mutex_;
  Error error_;
};

void count(const Directory& directory, std::size_t& entries, std::size_t& text) {
  for (const Item& item : directory.items) {
    if (!item.present) continue;
    ++entries;
    text += directory.path.size() + 1 + item.name_size;
    if (item.child) count(*item.child, entries, text);
  }
}

// The folders by device and inode, each with the path that counts.
using Folders = std::map<std::pair<std::uint64_t, std::uint64_t>, std::string>;

// Adds the folders that no link leads to.
void add_folders(const Directory& directory, Folders& folders) {
  for (const Item& item : directory.items) {
    if (!item.child || item.link) continue;
    folders.emplace(std::pair(item.child->device, item.child->inode), item.child->path);
    add_folders(*item.child, folders);
  }
}

// Adds the folders behind links, in order.
void find_twins(const Directory& directory, bool is_behind_link, Folders& folders, Tree& tree) {
  for (const Item& item : directory.items) {
    if (!item.child || item.child->left_out) continue;
    const Directory& child = *item.child;
    const bool is_linked = is_behind_link || item.link;
    if (is_linked && child.inode != 0) {
      const auto [at, is_new] = folders.emplace(std::pair(child.device, child.inode), child.path);
      if (!is_new) {
        tree.add_twin(child.path, at->second);
        continue;  // so are the folders in it
      }
    }
    find_twins(child, is_linked, folders, tree);
  }
}

void flatten(Directory& directory, std::string& scratch, Tree& tree) {
  for (Item& item : directory.items) {
    if (!item.present && !item.left_out) continue;
    scratch = directory.path;
    if (!scratch.empty()) scratch += '/';
    scratch.append(directory.name(item));
    if (!item.present) {
      tree.leave_out(scratch, *item.left_out, item.type == FileType::kDirectory, item.fault);
      continue;
    }
    if (item.child && item.child->left_out) tree.leave_out(scratch, *item.child->left_out, true, item.child->fault);
    tree.add(scratch, item.type, item.signature);
    if (item.child) flatten(*item.child, scratch, tree);
    item.child.reset();
  }
}

}  // namespace

Result<Tree> walk_tree(const std::string& root, const Disk::Skip& skip, int threads, Links links) {
  Directory top;
  Walker walker(root, skip, threads, links);
  ASSETC_CHECK(walker.walk(top));
  Tree tree;
  std::size_t entries = 0;
  std::size_t text = 0;
  count(top, entries, text);
  tree.reserve(entries, text);
  if (walker.is_aliased()) {
    tree.set_aliased();
    Folders folders;
    add_folders(top, folders);
    find_twins(top, false, folders, tree);
  }
  std::string scratch;
  flatten(top, scratch, tree);
  return tree;
}

}  // namespace assetc::engine
