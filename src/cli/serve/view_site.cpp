#include "cli/serve/view_site.hpp"

#include <algorithm>
#include <charconv>

#include "base/ascii.hpp"
#include "base/json_line.hpp"
#include "cli/report/version.hpp"
#include "filetypes/filetypes.hpp"

namespace assetc::cli {
namespace {

using engine::HttpAnswer;

HttpAnswer missing() { return engine::answer_of("404 Not Found", "text/plain", "there is no such file\n"); }

HttpAnswer text_answer(std::string_view type, const std::string& text) {
  HttpAnswer answer = engine::answer_of("200 OK", std::string(type), text);
  answer.headers.emplace_back("Cache-Control", "no-store");
  return answer;
}

constexpr std::string_view kTexts[] = {"build.jsonl", "diagnostics.jsonl", "registry.json"};

}  // namespace

HttpAnswer refusal(const Error& error) {
  const bool missing = error.code == ErrorCode::kNotFound || error.code == ErrorCode::kConflict;
  return engine::answer_of(missing ? "404 Not Found" : "503 Service Unavailable", "text/plain; charset=utf-8",
                           error.to_string() + "\n");
}

std::string media_type(std::string_view path) {
  struct Row {
    std::string_view suffix, type;
  };
  static constexpr Row kRows[] = {{".html", "text/html; charset=utf-8"},
                                  {".js", "text/javascript; charset=utf-8"},
                                  {".mjs", "text/javascript; charset=utf-8"},
                                  {".css", "text/css; charset=utf-8"},
                                  {".json", "application/json"},
                                  {".jsonl", "application/jsonl"},
                                  {".wasm", "application/wasm"},
                                  {".png", "image/png"},
                                  {".jpg", "image/jpeg"},
                                  {".jpeg", "image/jpeg"},
                                  {".webp", "image/webp"},
                                  {".txt", "text/plain; charset=utf-8"}};
  if (const filetypes::Row* known = filetypes::find_row(path); known != nullptr && !known->media_type.empty())
    return std::string(known->media_type);
  const auto* row = std::ranges::find_if(kRows, [&](const Row& r) { return ends_with_ignoring_case(path, r.suffix); });
  return std::string(row == std::end(kRows) ? "application/octet-stream" : row->type);
}

std::string ViewSite::site_json() const {
  std::string roots = "[";
  for (std::size_t i = 0; i < places_.size(); ++i) {
    roots += (i == 0 ? "" : ",") + JsonObject()
                                       .add("id", std::to_string(i))
                                       .add("label", places_[i].label)
                                       .add("type", places_[i].root->type())
                                       .add("path", places_[i].path)
                                       .str();
  }
  JsonObject site;
  site.add("assetc", kVersion).add("title", title_).add("live", is_live_).raw("roots", roots + "]");
  site.raw("compare", places_.size() > 1 ? "\"1\"" : "null");
  return site.str() + "\n";
}

Result<std::string> ViewSite::list(const Place& place) const {
  ASSETC_TRY(const std::vector<ViewRoot::File> files, place.root->files());
  std::string text;
  for (const ViewRoot::File& file : files) text += file.json + "\n";
  return text + json_event("totals").add("output", place.path).add("files", files.size()).str() + "\n";
}

HttpAnswer ViewSite::answer(std::string_view path) const {
  if (path == "site.json") return text_answer("application/json", site_json());
  const std::size_t slash = path.find('/');
  if (slash == path.npos) return missing();
  const std::string id(path.substr(0, slash));
  std::size_t number = 0;
  const auto [end, fault] = std::from_chars(id.data(), id.data() + id.size(), number);
  if (fault != std::errc() || end != id.data() + id.size() || number >= places_.size()) return missing();
  const Place& place = places_[number];
  const std::string_view name = path.substr(slash + 1);
  if (name == "files.jsonl") {
    auto text = list(place);
    return text ? text_answer("application/jsonl", *text) : refusal(text.error());
  }
  if (std::ranges::find(kTexts, name) != std::end(kTexts)) {
    const auto text = place.root->text(name);
    // Lines that are not known are none, so that a browser logs no error.
    return text || name.ends_with(".jsonl") ? text_answer(media_type(name), text.value_or("")) : missing();
  }
  for (const std::string_view folder : {"files/", "sources/"}) {
    if (!name.starts_with(folder)) continue;
    const std::string below(name.substr(folder.size()));
    auto found = folder == "files/" ? place.root->file(below) : place.root->source(below);
    return found ? std::move(*found) : refusal(found.error());
  }
  return missing();
}

Result<void> ViewSite::each(bool sources,
                            const std::function<Result<void>(const std::string& url, HttpAnswer answer)>& write,
                            const std::function<void(const Error& why)>& leave_out) const {
  const auto send = [&](const std::string& path) { return write("data/" + path, answer(path)); };
  ASSETC_CHECK(send("site.json"));
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const std::string folder = std::to_string(i) + "/";
    ViewRoot& root = *places_[i].root;
    ASSETC_CHECK(send(folder + "files.jsonl"));
    for (const std::string_view name : kTexts)
      if (root.text(name)) ASSETC_CHECK(send(folder + std::string(name)));
    ASSETC_TRY(const std::vector<ViewRoot::File> files, root.files());
    for (const ViewRoot::File& file : files) {
      if (auto found = root.file(file.path)) {
        ASSETC_CHECK(write("data/" + folder + "files/" + file.path, std::move(*found)));
      } else {
        leave_out(found.error());
      }
      if (!sources || file.source.empty()) continue;
      const std::string source = folder + "sources/" + file.source;
      // A source that is a folder, such as the faces of a cubemap, has no bytes to show.
      if (answer(source).status.starts_with("200")) ASSETC_CHECK(send(source));
    }
  }
  return {};
}

}  // namespace assetc::cli
