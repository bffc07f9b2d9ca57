#include "import/sound/ogg_flac.hpp"

#include <ogg/ogg.h>

#include <cstring>
#include <memory>

namespace assetc::importer {
namespace {

constexpr std::string_view kFirstPacket(
    "\x7F"
    "FLAC",
    5);  // followed by version, header count and "fLaC"
constexpr std::size_t kMappingBytes = 9;

std::unexpected<Error> damaged(std::uint64_t at, std::string what) {
  return fail_at(ErrorCode::kInvalidData, byte_place(at), std::move(what), "export the sound again");
}

struct Sync {
  Sync() { ogg_sync_init(&state); }
  ~Sync() { ogg_sync_clear(&state); }
  Sync(const Sync&) = delete;
  Sync& operator=(const Sync&) = delete;
  ogg_sync_state state{};
};
struct Stream {
  explicit Stream(int serial) { ogg_stream_init(&state, serial); }
  ~Stream() { ogg_stream_clear(&state); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ogg_stream_state state{};
};

}  // namespace

bool is_ogg_flac(ByteSpan file) {
  constexpr std::size_t kFirstBodyAt = 28;  // a page header with one segment
  return as_text(file).starts_with("OggS") && file.size() > kFirstBodyAt + kFirstPacket.size() &&
         as_text(file).substr(kFirstBodyAt).starts_with(kFirstPacket);
}

Result<ByteVector> unwrap_ogg_flac(ByteSpan file) {
  Sync sync;
  char* buffer = ogg_sync_buffer(&sync.state, static_cast<long>(file.size()));
  if (buffer == nullptr)
    return fail(ErrorCode::kLimit, "the sound does not fit into memory", "cut it into several files");
  std::memcpy(buffer, file.data(), file.size());
  ogg_sync_wrote(&sync.state, static_cast<long>(file.size()));
  ByteVector out;
  std::unique_ptr<Stream> stream;
  ogg_page page{};
  bool has_end = false;
  for (int got = 0; (got = ogg_sync_pageout(&sync.state, &page)) != 0;) {
    if (got < 0) return damaged(static_cast<std::uint64_t>(sync.state.returned), "found bytes outside of an Ogg page");
    if (!stream) stream = std::make_unique<Stream>(ogg_page_serialno(&page));
    if (ogg_page_serialno(&page) != stream->state.serialno) continue;
    ogg_stream_pagein(&stream->state, &page);
    ogg_packet packet{};
    for (int taken = 0; (taken = ogg_stream_packetout(&stream->state, &packet)) != 0;) {
      if (taken < 0)
        return damaged(static_cast<std::uint64_t>(sync.state.returned), "an Ogg page is missing before this one");
      const ByteSpan bytes(reinterpret_cast<const std::byte*>(packet.packet), static_cast<std::size_t>(packet.bytes));
      const bool is_first = out.empty();
      if (is_first && bytes.size() < kMappingBytes) return damaged(0, "the first packet is not a header of Ogg FLAC");
      append_bytes(out, bytes.subspan(is_first ? kMappingBytes : 0));
    }
    has_end = has_end || ogg_page_eos(&page) != 0;
  }
  if (!has_end) return damaged(file.size(), "the file ends before the last Ogg page");
  return out;
}

}  // namespace assetc::importer
