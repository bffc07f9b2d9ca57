#include <algorithm>

#include "base/plural.hpp"
#include "engine/disk/disk.hpp"

namespace assetc::engine {

ContentHash hash_of(const FileSignature& signature) {
  ByteVector packed;
  append(packed, signature.size_bytes);
  append(packed, signature.mtime_ns);
  append(packed, signature.ctime_ns);
  append(packed, signature.inode);
  return content_hash(packed);
}

Result<void> Tree::whole(const std::string& root) const {
  const auto is_unreadable = [](const Note& note) { return note.why == LeftOut::kUnreadable; };
  const auto first = std::ranges::find_if(left_out_, is_unreadable);
  if (first == left_out_.end()) return {};
  std::string what = "cannot be read: " + first->detail;
  const auto others = static_cast<std::uint64_t>(std::count_if(first + 1, left_out_.end(), is_unreadable));
  if (others > 0) what += "; nor can " + plural(others, "other file") + " or folder" + (others == 1 ? "" : "s");
  return std::unexpected(Error{ErrorCode::kIo, root + "/" + first->path, {}, std::move(what), "check who may read it"});
}

const Tree::Twin* find_twin(std::string_view path, const std::vector<Tree::Twin>& twins) {
  const auto is_below = [&](const Tree::Twin& twin) {
    const std::size_t size = twin.path.size();
    return path.starts_with(twin.path) && (path.size() == size || path[size] == '/');
  };
  const auto found = std::ranges::find_if(twins, is_below);
  return found == twins.end() ? nullptr : &*found;
}

bool Tree::is_twin(std::string_view path) const { return find_twin(path, twins_) != nullptr; }

ContentHash Tree::fingerprint() const {
  ByteVector packed;
  packed.reserve(entries_.size() * 37 + text_.size());
  for (const Entry& e : entries_) {
    append(packed, e.path_size);
    append(packed, e.type);
    append(packed, e.signature.size_bytes);
    append(packed, e.signature.mtime_ns);
    append(packed, e.signature.ctime_ns);
    append(packed, e.signature.inode);
  }
  append_bytes(packed, as_bytes(text_));
  for (const Note& note : left_out_) {
    append(packed, note.why);
    append_bytes(packed, as_bytes(note.path));
    append(packed, std::byte{0});
  }
  return content_hash(packed);
}

}  // namespace assetc::engine
