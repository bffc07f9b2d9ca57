#include "engine/look/recorded.hpp"

#include <algorithm>

#include "engine/config/acceptance.hpp"
#include "engine/publish/index.hpp"
#include "engine/state/cache.hpp"
#include "engine/state/writing_mark.hpp"

namespace assetc::engine {
namespace {

// The file that a step read first. The source of a picture of a model is named "chair.glb image 3 (wood.png)".
std::string source_file_of(const StepRecord& record) {
  if (!record.input_path.empty()) return std::string(record.input_path);
  return std::string(record.source.substr(0, record.source.find(kImageInside)));
}

}  // namespace

Result<std::optional<Recorded>> recorded_of(const std::string& output, const Target& target, Disk& disk) {
  const std::string path = output + "/" + std::string(kCacheName);
  if (!disk.status(path)) return std::nullopt;
  ASSETC_TRY(const auto cache, Cache::open(disk, path, true));
  State state;
  ASSETC_CHECK(cache->load(state));
  Recorded recorded;
  StepRecord scratch;
  for (std::size_t i = 0; i < state.steps.size(); ++i) {
    const StepRecord& record = state.steps[i].read(scratch);
    for (const OutputRecord& file : record.outputs)
      recorded.contents.insert_or_assign(target.file_path(record.stem, file.suffix), file.hash);
  }
  const std::vector<ContentHash> index = recorded_index(*cache);
  for (std::size_t i = 0; i < std::min(index.size(), target.index_paths.size()); ++i)
    recorded.contents.insert_or_assign(std::string(target.index_paths[i]), index[i]);
  recorded.dropped = cache->dropped();
  recorded.unfinished = WritingMark(*cache, disk).stands();
  return recorded;
}

Result<std::map<std::string, RecordedOrigin, std::less<>>> recorded_origins(const std::string& output,
                                                                            const Target& target, Disk& disk) {
  std::map<std::string, RecordedOrigin, std::less<>> origins;
  const std::string path = output + "/" + std::string(kCacheName);
  if (!disk.status(path)) return origins;
  ASSETC_TRY(const auto cache, Cache::open(disk, path, true));
  State state;
  ASSETC_CHECK(cache->load(state));
  StepRecord scratch;
  for (std::size_t i = 0; i < state.steps.size(); ++i) {
    const StepRecord& record = state.steps[i].read(scratch);
    for (const OutputRecord& file : record.outputs) {
      origins.insert_or_assign(target.file_path(record.stem, file.suffix),
                               RecordedOrigin{source_file_of(record), std::string(record.recipe), file.hash});
    }
  }
  return origins;
}

Result<std::optional<ContentHash>> recorded_hash(const std::string& file, const Target& target, Disk& disk) {
  const std::string real = disk.real_path(file);
  for (std::size_t slash = real.rfind('/'); slash != 0 && slash != std::string::npos;
       slash = real.rfind('/', slash - 1)) {
    ASSETC_TRY(const auto recorded, recorded_of(real.substr(0, slash), target, disk));
    if (!recorded) continue;
    const auto found = recorded->contents.find(std::string_view(real).substr(slash + 1));
    return found == recorded->contents.end() ? std::nullopt : std::optional(found->second);
  }
  return std::nullopt;
}

}  // namespace assetc::engine
