#include "engine/remote/trim.hpp"

#include <algorithm>
#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/remote/listing.hpp"

namespace assetc::engine {
namespace {

// A page has up to 5,000 objects with names of up to 1 KiB.
constexpr std::uint64_t kMaxPageBytes = 16u << 20;
constexpr std::size_t kMaxListedObjects = 64u << 20;
// Requests that wait at once for the server.
constexpr std::size_t kMaxDeletes = 256;

// What this program has written: nothing else is removed.
bool is_of_cache(std::string_view path) {
  constexpr std::size_t kHexDigits = 2 * sizeof(bundle::Sha256);
  const std::string_view name = path.substr(std::min(path.find('/'), path.size() - 1) + 1);
  return (path.starts_with("ac/") || path.starts_with("cas/")) && name.size() == kHexDigits &&
         name.find_first_not_of("0123456789abcdef") == name.npos;
}

Error failed(const Endpoint& endpoint, const std::string& what, const Answer& answer) {
  return {ErrorCode::kIo,
          endpoint.url,
          {},
          what + ": " + answer.trouble,
          answer.advice.empty() ? "allow listing and deleting, and try again" : answer.advice};
}

Answer wait_for(Transfers& transfers, Request request) {
  std::promise<Answer> came;
  request.done = [&](Answer answer) { came.set_value(std::move(answer)); };
  transfers.send(std::move(request));
  return came.get_future().get();
}

}  // namespace

Result<Trimmed> trim_remote(const Endpoint& endpoint, Transfers& transfers, const TrimLimits& limits,
                            std::int64_t now_s, bool only_count) {
  auto store = ListedStore::find(endpoint);
  if (!store) return std::unexpected(std::move(store).error().in(endpoint.url));
  Trimmed trimmed;
  std::vector<ListedObject> objects;
  std::string next;
  do {
    const Answer answer =
        wait_for(transfers, {.method = Method::kGet, .url = store->page_url(next), .max_bytes = kMaxPageBytes});
    if (!answer.ok()) return std::unexpected(failed(endpoint, "cannot list what is there", answer));
    auto page = parse_listing(as_text(answer.body));
    if (!page) return std::unexpected(std::move(page).error().in(endpoint.url));
    for (ListedObject& object : page->objects) {
      object.name = store->path_of(object.name);
      if (!is_of_cache(object.name)) {
        ++trimmed.others;
        continue;
      }
      trimmed.kept_bytes += object.size_bytes;
      objects.push_back(std::move(object));
    }
    if (objects.size() > kMaxListedObjects || (!page->next.empty() && page->next == next)) {
      return std::unexpected(
          Error{ErrorCode::kInvalidData,
                endpoint.url,
                {},
                "the server lists more than " + std::to_string(kMaxListedObjects) + " objects, or the same page twice",
                "use a shorter prefix for each project"});
    }
    next = std::move(page->next);
  } while (!next.empty());
  trimmed.kept = objects.size();

  std::ranges::sort(objects, {}, &ListedObject::modified_s);
  std::size_t count = 0;
  for (const ListedObject& object : objects) {
    const bool is_old = limits.age_s && object.modified_s < now_s - *limits.age_s;
    if (!is_old && !(limits.size_bytes && trimmed.kept_bytes > *limits.size_bytes)) break;
    trimmed.kept_bytes -= object.size_bytes;
    trimmed.removed_bytes += object.size_bytes;
    ++count;
  }
  trimmed.removed = count;
  trimmed.kept -= count;
  if (only_count) return trimmed;
  for (std::size_t begin = 0; begin < count; begin += kMaxDeletes) {
    const std::size_t end = std::min(begin + kMaxDeletes, count);
    std::vector<std::future<Answer>> answers;
    for (std::size_t i = begin; i < end; ++i) {
      auto came = std::make_shared<std::promise<Answer>>();
      answers.push_back(came->get_future());
      transfers.send({.method = Method::kDelete,
                      .path = objects[i].name,
                      .max_bytes = kMaxPageBytes,
                      .done = [came](Answer answer) { came->set_value(std::move(answer)); }});
    }
    for (std::future<Answer>& came : answers) {
      const Answer answer = came.get();
      // Another trim may have removed it.
      if (!answer.ok() && (answer.status != 404 || answer.refused))
        return std::unexpected(failed(endpoint, "cannot remove what is old", answer));
    }
  }
  return trimmed;
}

}  // namespace assetc::engine
