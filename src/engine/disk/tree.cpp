#include "engine/disk/disk.hpp"

namespace assetc::engine {

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
