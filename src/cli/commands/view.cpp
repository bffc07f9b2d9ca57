#include <atomic>
#include <cstdio>

#include "base/json_line.hpp"
#include "cli/commands/commands.hpp"
#include "cli/serve/view_site.hpp"
#include "cli/serve/watch_follower.hpp"
#include "cli/serve/web_access.hpp"
#include "crypto/text.hpp"
#include "engine/disk/inside.hpp"
#include "os/machine.hpp"
#include "os/process.hpp"

namespace assetc::cli {
namespace {

using engine::HttpAnswer;
using engine::HttpRequest;

constexpr std::string_view kDataFolder = "/data/";

std::string folder_of(const std::string& path) { return path.substr(0, std::min(path.rfind('/'), path.size())); }

// What the command line names, and the project that it belongs to.
struct Shown {
  std::string title;
  std::string input;   // of the project
  std::string output;  // the folder whose builds are followed; empty: none
  std::vector<ViewSite::Place> places;
};

std::string base_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

Result<Shown> open_shown(const Arguments& arguments, Console& console, engine::Disk& disk) {
  Shown shown;
  // Outside a project, the defaults are those of a folder without an assetc.yml.
  ASSETC_TRY(const engine::Profile profile, load_profile(arguments, console, disk));
  shown.input = profile.input;
  const bool is_project = arguments.look_at.empty() || disk.same_file(arguments.look_at, profile.output);
  const std::string path = arguments.look_at.empty() ? profile.output : arguments.look_at;
  auto root = open_view_root(path, is_project ? &profile : nullptr, disk);
  if (!root) {
    Error error = std::move(root).error();
    if (error.code == ErrorCode::kNotFound && arguments.look_at.empty()) error.hint = "build it first: assetc";
    return std::unexpected(std::move(error).in(path));
  }
  const auto status = disk.status(path);
  if (status && status->type == engine::FileType::kDirectory) shown.output = path;
  const std::string real = disk.real_path(path);
  const std::string project = profile.config_file.empty() ? "." : folder_of("./" + profile.config_file);
  shown.title = base_name(is_project ? disk.real_path(project) : real);
  shown.places.push_back({base_name(real), path, std::move(*root)});
  if (!arguments.view.compare.empty()) {
    auto older = open_view_root(arguments.view.compare, nullptr, disk);
    if (!older) return std::unexpected(std::move(older).error().in(arguments.view.compare));
    shown.places.push_back(
        {base_name(disk.real_path(arguments.view.compare)), arguments.view.compare, std::move(*older)});
  }
  return shown;
}

// Errors: kUsage if an export would write into a folder that it reads; kNotFound if there is nothing to show.
Result<void> check_export(const ViewArguments& asked, const Shown& shown, const std::string& page, engine::Disk& disk) {
  std::vector<std::string> folders{shown.input, page};
  for (const ViewSite::Place& place : shown.places) folders.push_back(place.path);
  for (const std::string& folder : folders) {
    if (engine::paths_inside(disk, folder, {asked.export_to + "/index.html"}).empty()) continue;
    return std::unexpected(
        Error{ErrorCode::kUsage, asked.export_to, {}, "lies in " + folder + ", which is read", "name another folder"});
  }
  for (const ViewSite::Place& place : shown.places) {
    ASSETC_TRY(const auto files, place.root->files());
    if (files.empty()) {
      return std::unexpected(
          Error{ErrorCode::kNotFound, place.path, {}, "has no files to show", "build the project, or name its output"});
    }
  }
  return {};
}

// Writes the bytes of an answer as a file.
Result<void> write_answer(engine::Disk& disk, const std::string& path, const HttpAnswer& answer) {
  ASSETC_TRY(const auto file, disk.create(path));
  constexpr std::size_t kPiece = 1u << 20;
  for (std::uint64_t at = 0; at < answer.size_bytes; at += kPiece) {
    const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(kPiece, answer.size_bytes - at));
    ASSETC_TRY(const Bytes piece, answer.read(at, size));
    ASSETC_CHECK(file->write(piece));
  }
  return file->commit();
}

Result<std::uint64_t> export_site(const ViewArguments& asked, const std::string& page, const ViewSite& site,
                                  const std::function<void(const Error&)>& leave_out, engine::Disk& disk) {
  const auto nothing = [](std::string_view, bool) { return engine::Visit::kTake; };
  ASSETC_TRY(const engine::Tree tree, disk.walk(page, nothing, 1));
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < tree.size(); ++i) {
    if (tree[i].type != engine::FileType::kFile) continue;
    const std::string path(tree.path(i));
    ASSETC_TRY(const Bytes bytes, disk.read(page + "/" + path));
    ASSETC_TRY([[maybe_unused]] const auto signature, disk.publish(asked.export_to + "/" + path, bytes));
    ++count;
  }
  const auto write = [&](const std::string& url, const HttpAnswer& answer) -> Result<void> {
    if (!answer.status.starts_with("200"))
      return fail(ErrorCode::kIo, url + " cannot be exported: " + std::string(answer.status));
    ++count;
    return write_answer(disk, asked.export_to + "/" + url, answer);
  };
  ASSETC_CHECK(site.each(asked.sources, write, leave_out));
  return count;
}

// A file of the built page.
HttpAnswer page_answer(engine::Disk& disk, const std::string& page, const std::string& path) {
  const std::string file = path == "/" ? "index.html" : path.substr(1);
  const auto opened = disk.open_below(page, file);
  auto bytes = opened ? opened->read(0, opened->size_bytes) : std::unexpected(opened.error());
  HttpAnswer answer = bytes ? engine::answer_of(media_type(file), std::move(*bytes))
                            : engine::answer_of("404 Not Found", "text/plain", "there is no such page\n");
  add_page_headers(answer);
  answer.headers.emplace_back("Cache-Control", "no-cache");
  return answer;
}

// The address of the page, for the browser alone.
HttpAnswer redirect(const std::string& to) {
  HttpAnswer answer = engine::answer_of("303 See Other", "text/plain", "see Location\n");
  add_page_headers(answer);
  answer.headers.emplace_back("Location", to);
  answer.headers.emplace_back("Cache-Control", "no-store");
  return answer;
}

int serve_site(const Arguments& arguments, Console& console, engine::Disk& disk, const std::string& page,
               const ViewSite& site, const std::string& output) {
  const ViewArguments& asked = arguments.view;
  const WebAccess access{.token = crypto::random_token()};
  // Other users see the arguments of the program that opens the browser. So it gets an address that leads to the page
  // once, instead of the token.
  const std::string start = "/open/" + crypto::random_token();
  std::atomic<bool> is_started = asked.no_browser;
  const auto handle = [&](const HttpRequest& request) {
    if (auto refused = access.refuse_stranger(request)) return std::move(*refused);
    if (request.method == "GET" && crypto::same_secret(request.path, start) && !is_started.exchange(true))
      return redirect("/#" + access.token);
    if (!request.path.starts_with(kDataFolder)) return page_answer(disk, page, request.path);
    if (auto refused = access.refuse_tokenless(request)) return std::move(*refused);
    HttpAnswer answer;
    if (request.path == "/data/events") {
      answer.content_type = "text/event-stream";
      answer.is_event_stream = true;
    } else {
      answer = site.answer(std::string_view(request.path).substr(kDataFolder.size()));
    }
    add_page_headers(answer);
    return answer;
  };
  auto server = engine::HttpServer::open({.port = asked.port}, handle);
  if (!server) return stop(arguments, console, server.error());
  const std::string base = "http://127.0.0.1:" + std::to_string((*server)->port());
  const std::string address = base + "/#" + access.token;
  if (arguments.json) {
    console.out(json_event("serving").add("address", address).str() + "\n");
  } else {
    console.out("open " + address + "\nCtrl-C ends it\n");
  }
  std::fflush(stdout);
  std::optional<WatchFollower> follower;
  if (!output.empty()) {
    follower.emplace(output, disk, [&](std::string line, bool is_greeting) {
      if (is_greeting) (*server)->greet_with(line);
      (*server)->send_event(std::move(line));
    });
  }
  if (!asked.no_browser) os::open_in_desktop(base + start);
  (*server)->run();
  return kExitOk;
}

}  // namespace

Result<std::string> find_page(engine::Disk& disk) {
  const std::string folder = folder_of(os::program_path());
  for (const std::string_view place : {"/../share/assetc/page", "/../web/page"}) {
    std::string page = disk.real_path(folder + std::string(place));
    if (disk.status(page + "/index.html")) return page;
  }
  return fail(ErrorCode::kNotFound, "found no page beside the program",
              "scripts/build-web --page builds it; the packages contain it");
}

int run_view(const Arguments& arguments, Console& console, engine::Disk& disk) {
  const auto page = find_page(disk);
  if (!page) return stop(arguments, console, page.error());
  auto shown = open_shown(arguments, console, disk);
  if (!shown) return stop(arguments, console, shown.error());
  const ViewArguments& asked = arguments.view;
  if (!asked.export_to.empty()) {
    const auto allowed = check_export(asked, *shown, *page, disk);
    if (!allowed) return stop(arguments, console, allowed.error());
  }
  const ViewSite site(std::move(shown->title), std::move(shown->places),
                      asked.export_to.empty() && !shown->output.empty());
  if (asked.export_to.empty()) return serve_site(arguments, console, disk, *page, site, shown->output);
  const auto leave_out = [&](const Error& why) {
    Error what = why;
    what.what += "; it is not exported";
    say(arguments, console, {recipes::Severity::kNote, std::move(what)});
  };
  const auto count = export_site(asked, *page, site, leave_out, disk);
  if (!count) return stop(arguments, console, count.error());
  if (arguments.json) {
    console.out(json_event("exported").add("path", asked.export_to).add("files", *count).str() + "\n");
  } else {
    console.out("wrote " + plural(*count, "file") + "; serve " + printable(asked.export_to) + " with any web server\n");
  }
  return kExitOk;
}

}  // namespace assetc::cli
