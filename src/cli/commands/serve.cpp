// assetc serve: compiled files over HTTP for devices, during development. Beyond this machine a token is needed,
// because the network may have other users.
#include <cstdio>

#include "base/json_line.hpp"
#include "cli/commands/commands.hpp"
#include "cli/serve/view_site.hpp"
#include "cli/serve/watch_follower.hpp"
#include "cli/serve/web_access.hpp"
#include "crypto/text.hpp"
#include "engine/config/environment.hpp"
#include "engine/remote/key_files.hpp"

namespace assetc::cli {
namespace {

using engine::HttpAnswer;
using engine::HttpRequest;

constexpr std::string_view kEventsPath = "/.assetc-watch";

// Empty if none was given.
Result<std::string> token_of(const ServeArguments& asked, engine::Disk& disk) {
  if (!asked.token_file.empty()) return engine::read_token(disk, asked.token_file, asked.may_share_keys);
  return !asked.token.empty() ? asked.token : engine::process_environment()("ASSETC_SERVE_TOKEN").value_or("");
}

bool is_loopback_address(std::string_view address) { return address.starts_with("127."); }

}  // namespace

int run_serve(const Arguments& arguments, Console& console, engine::Disk& disk) {
  const ServeArguments& asked = arguments.serve;
  const auto at = look_at(arguments, console, disk);
  if (!at) return stop(arguments, console, at.error());
  const auto root = open_view_root(at->path, nullptr, disk);
  if (!root) return stop(arguments, console, Error(root.error()).in(at->path));
  const bool is_local = is_loopback_address(asked.address);
  WebAccess access{.only_loopback = is_local, .origins = asked.origins};
  for (const std::string& origin : asked.origins) {
    if (WebAccess::is_origin(origin)) continue;
    return stop(
        arguments, console,
        Error{ErrorCode::kUsage,
              {},
              {},
              "found the origin \"" + origin + "\", expected a scheme, a host in lower case and a port if it has one",
              "for example http://localhost:5173, without a path"});
  }
  auto token = token_of(asked, disk);
  if (!token) return stop(arguments, console, token.error());
  access.token = token->empty() && !is_local ? crypto::random_token() : std::move(*token);
  const auto answer_to = [&](const HttpRequest& request) {
    if (request.method == "OPTIONS") return WebAccess::preflight();
    if (auto refused = access.refuse_tokenless(request)) return std::move(*refused);
    if (request.path == kEventsPath) {
      HttpAnswer events;
      events.content_type = "text/event-stream";
      events.is_event_stream = true;
      return events;
    }
    auto found = (*root)->file(request.path.substr(1));
    return found ? std::move(*found) : refusal(found.error());
  };
  const auto handle = [&](const HttpRequest& request) {
    if (auto refused = access.refuse_stranger(request)) return std::move(*refused);
    HttpAnswer answer = answer_to(request);
    access.admit_page(request, answer);
    return answer;
  };
  auto server = engine::HttpServer::open({.address = asked.address,
                                          .port = asked.port,
                                          .only_this_user = is_local,
                                          .answers_options = !asked.origins.empty()},
                                         handle);
  if (!server) return stop(arguments, console, server.error());
  const std::string address = "http://" + asked.address + ":" + std::to_string((*server)->port());
  if (arguments.json) {
    console.out(json_event("serving").add("address", address).add("token", access.token).str() + "\n");
  } else {
    console.out("serving " + printable(at->path) + " at " + address +
                (access.token.empty() ? std::string() : " with the token " + access.token) + "\n");
  }
  std::fflush(stdout);
  const WatchFollower follower(at->path, disk, [&](std::string line, bool is_greeting) {
    if (is_greeting) (*server)->greet_with(line);
    (*server)->send_event(std::move(line));
  });
  (*server)->run();
  return kExitOk;
}

}  // namespace assetc::cli
