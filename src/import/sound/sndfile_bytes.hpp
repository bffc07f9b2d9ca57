// Lets libsndfile read a file from memory.
#pragma once

#include <sndfile.h>

#include <algorithm>
#include <cstring>

#include "assetc/base/bytes.hpp"

namespace assetc::importer {

// The data source of libsndfile. The bytes must outlive the file that is opened on them.
struct SndfileBytes {
  ByteSpan bytes;
  sf_count_t at = 0;

  static SF_VIRTUAL_IO io() {
    return {.get_filelen = [](void* self) { return static_cast<sf_count_t>(of(self).bytes.size()); },
            .seek = [](sf_count_t offset, int whence, void* self) { return of(self).seek(offset, whence); },
            .read = [](void* to, sf_count_t count, void* self) { return of(self).read(to, count); },
            .write = [](const void*, sf_count_t, void*) { return sf_count_t{0}; },
            .tell = [](void* self) { return of(self).at; }};
  }

 private:
  static SndfileBytes& of(void* self) { return *static_cast<SndfileBytes*>(self); }
  sf_count_t seek(sf_count_t offset, int whence) {
    const auto size = static_cast<sf_count_t>(bytes.size());
    const sf_count_t from = whence == SEEK_CUR ? at : whence == SEEK_END ? size : 0;
    // A damaged file may ask for any position.
    if (offset < -from || offset > size - from) return -1;
    return at = from + offset;
  }
  sf_count_t read(void* to, sf_count_t count) {
    count = std::clamp<sf_count_t>(count, 0, static_cast<sf_count_t>(bytes.size()) - at);
    if (count > 0) std::memcpy(to, bytes.data() + at, static_cast<std::size_t>(count));
    at += count;
    return count;
  }
};

}  // namespace assetc::importer
