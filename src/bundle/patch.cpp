#include "bundle/patch.hpp"

#include <algorithm>

#include "formats/message.hpp"
#include "formats/pak/recipe.hpp"
#include "parallel/parallel.hpp"

namespace assetc::bundle {
namespace {

using formats::message;

// The number of blocks that are verified at a time.
constexpr std::size_t kBatchBlocks = 256;

// Counts the entries that were added, changed and removed.
void count_entries(const Reader& old, const Reader& next, PatchReport& report) {
  const std::span<const pak::Entry> before = old.entries(), after = next.entries();
  std::size_t i = 0, j = 0;
  while (i < before.size() || j < after.size()) {
    if (j == after.size() || (i < before.size() && before[i].uuid < after[j].uuid)) {
      ++report.removed;
      ++i;
    } else if (i == before.size() || after[j].uuid < before[i].uuid) {
      ++report.added;
      ++j;
    } else {
      if (before[i].digest != after[j].digest) ++report.changed;
      ++i;
      ++j;
    }
  }
}

// Verifies these blocks in parallel batches, and passes each to write in order.
template <class Write>
Result<void> verify_and_write(const Reader& bundle, std::span<const std::size_t> blocks, const Write& write) {
  for (std::size_t from = 0; from < blocks.size(); from += kBatchBlocks) {
    const std::span batch = blocks.subspan(from, std::min(kBatchBlocks, blocks.size() - from));
    std::vector<Result<void>> checked(batch.size());
    parallel_for(batch.size(), [&](std::size_t i) { checked[i] = bundle.check_block(batch[i]); });
    for (std::size_t i = 0; i < batch.size(); ++i) {
      ASSETC_CHECK(checked[i]);
      ASSETC_CHECK(write(batch[i]));
    }
  }
  return {};
}

// A sink that counts its bytes.
class Output {
 public:
  explicit Output(const Sink& sink) : sink_(sink) {}
  Result<void> put(ByteSpan bytes) {
    end_ += bytes.size();
    return sink_(bytes);
  }
  Result<void> pad() {
    static constexpr std::byte kZeros[pak::kAlignment]{};
    return put(ByteSpan(kZeros).first(pak::align_up(end_) - end_));
  }
  std::uint64_t end() const { return end_; }

 private:
  const Sink& sink_;
  std::uint64_t end_ = 0;
};

}  // namespace

Result<PatchReport> write_patch(const Reader& old, const Reader& next, const Sink& sink) {
  ASSETC_CHECK(pak::check_successor(old.header(), next.header()));
  PatchReport report;
  count_entries(old, next, report);
  const std::span<const pak::Block> blocks = next.view().blocks();
  const pak::BlockNumbers known(old.view());
  std::vector<std::size_t> fresh;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    if (known.find(blocks[i])) continue;
    fresh.push_back(i);
    if (i == 0 && next.header().has_dictionary()) {
      report.new_dictionary = true;
    } else {
      report.changed_bytes += blocks[i].size_bytes;
    }
    report.block_bytes += blocks[i].stored_size_bytes;
  }
  report.new_blocks = fresh.size();

  const ByteVector recipe = pak::recipe_of(next.view());
  const ByteVector stored = compression::deflate_after(pak::recipe_of(old.view()), recipe);
  pak::PatchHead head;
  head.old_bundle_version = old.header().bundle_version;
  head.old_file_size_bytes = old.view().file_size_bytes();
  head.recipe_size_bytes = recipe.size();
  head.recipe_stored_size_bytes = stored.size();
  head.old_id = old.id();
  head.recipe_sha256 = sha256(stored);
  head.header = next.header();
  head.footer = next.view().footer();
  head.head_sha256 = sha256(object_bytes(head).first(sizeof head - sizeof head.head_sha256));
  Output out(sink);
  ASSETC_CHECK(out.put(object_bytes(head)));
  ASSETC_CHECK(out.put(stored));
  if (fresh.empty()) ASSETC_CHECK(out.pad());
  const auto write = [&](std::size_t block) -> Result<void> {
    ASSETC_CHECK(out.pad());
    return out.put(next.stored(block));
  };
  ASSETC_CHECK(verify_and_write(next, fresh, write));
  report.patch_bytes = out.end();
  return report;
}

Result<void> write_patched(const Reader& mounted, const Sink& sink) {
  Output out(sink);
  ASSETC_CHECK(out.put(mounted.view().header_bytes()));
  std::vector<std::size_t> all(mounted.view().blocks().size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  const auto write = [&](std::size_t block) -> Result<void> {
    ASSETC_CHECK(out.pad());
    return out.put(mounted.stored(block));
  };
  ASSETC_CHECK(verify_and_write(mounted, all, write));
  ASSETC_CHECK(out.pad());
  ASSETC_CHECK(out.put(mounted.view().index_bytes()));
  return out.put(mounted.view().footer_bytes());
}

}  // namespace assetc::bundle
