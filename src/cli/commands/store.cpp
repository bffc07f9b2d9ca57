#include "cli/commands/store.hpp"

#include "base/json_line.hpp"

namespace assetc::cli {
UploadLines::~UploadLines() {
  if (redraws_) console_.redraw({});
}

void UploadLines::tell(std::size_t uploads) {
  const std::string text = plural(uploads, "upload") + " to the shared cache left";
  if (!arguments_.json && !arguments_.quiet && console_.err_is_terminal()) {
    redraws_ = true;
    return console_.redraw(text);
  }
  if (seconds_++ % 5 != 0) return;
  if (arguments_.json) return console_.out(json_event("uploading").add("left", std::uint64_t{uploads}).str() + "\n");
  if (!arguments_.quiet) console_.err(text + "\n");
}

engine::Stores open_stores(const Arguments& arguments, Console& console, engine::Disk& disk,
                           const engine::CacheSettings& project) {
  return engine::Stores(
      arguments.dry_run ? nullptr : &project, disk, engine::process_environment(),
      [&](const recipes::Diagnostic& diagnostic) { say(arguments, console, diagnostic); }, !arguments.trace.empty());
}

void finish_stores(const Arguments& arguments, Console& console, engine::Stores& stores) {
  UploadLines lines(arguments, console);
  stores.finish([&](std::size_t uploads) { lines.tell(uploads); });
}

}  // namespace assetc::cli
