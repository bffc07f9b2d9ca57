// The data of the page of `assetc view`: one set of URLs, which a server answers and an export writes as files.
//
//   data/site.json                 what is shown
//   data/ROOT/files.jsonl          a line for each file, as `assetc info --json` prints it
//   data/ROOT/build.jsonl          the last build that changed something, as `assetc --json` prints it
//   data/ROOT/diagnostics.jsonl    budgets
//   data/ROOT/registry.json        of a cooked folder
//   data/ROOT/files/PATH           a compiled file
//   data/ROOT/sources/PATH         a source
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assetc/base/result.hpp"
#include "engine/config/config.hpp"
#include "engine/disk/disk.hpp"
#include "engine/http/server.hpp"

namespace assetc::cli {

// A place with compiled files: a folder, a pack, a bundle or a file.
class ViewRoot {
 public:
  struct File {
    std::string path;
    std::string json;    // its line in files.jsonl
    std::string source;  // the path of its source, if that can be served; else empty
  };

  virtual ~ViewRoot() = default;
  virtual std::string_view type() const = 0;  // "output", "cooked", "files", "pack", "bundle"
  // All files, in byte order. Errors: kIo, and those of an archive's format.
  virtual Result<std::vector<File>> files() = 0;
  // The answer with a file's bytes. Errors: kNotFound; kConflict for a path that leads out of the root.
  virtual Result<engine::HttpAnswer> file(const std::string& path) = 0;
  // A source; kNotFound if sources are not known.
  virtual Result<engine::HttpAnswer> source(const std::string& path) = 0;
  // The other files of the list above, by name ("build.jsonl"); nothing if the root does not have it.
  virtual std::optional<std::string> text(std::string_view name) = 0;
};

// path: an output folder, a cooked folder, another folder, a .hpack, a .pak, or a compiled file. profile: of the
// project whose output it is; null if there is none. Errors: kNotFound, kIo, and those of an archive's format. Thread
// safety of the root: all functions.
Result<std::unique_ptr<ViewRoot>> open_view_root(const std::string& path, const engine::Profile* profile,
                                                 engine::Disk& disk);

// Thread safety: const.
class ViewSite {
 public:
  struct Place {
    std::string label;
    std::string path;
    std::unique_ptr<ViewRoot> root;
  };
  // places: one, or the newer and the older build to compare.
  ViewSite(std::string title, std::vector<Place> places, bool is_live)
      : title_(std::move(title)), places_(std::move(places)), is_live_(is_live) {}

  // The answer to data/PATH; a status of 404 if there is no such data.
  engine::HttpAnswer answer(std::string_view path) const;
  // Calls write(url, answer) for all data, without sources unless asked, and leave_out() for files that cannot be read.
  Result<void> each(bool sources,
                    const std::function<Result<void>(const std::string& url, engine::HttpAnswer answer)>& write,
                    const std::function<void(const Error& why)>& leave_out) const;

 private:
  std::string site_json() const;
  Result<std::string> list(const Place& place) const;

  std::string title_;
  std::vector<Place> places_;
  bool is_live_;
};

// The answer to a request for something that cannot be given: 404 if it is not there or not allowed, 503 if it cannot
// be read now, as while an archive is being replaced.
engine::HttpAnswer refusal(const Error& error);
// The media type of a file name, for a browser.
std::string media_type(std::string_view path);

}  // namespace assetc::cli
