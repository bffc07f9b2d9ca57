#include "shader/mentions.hpp"

#include <set>
#include <string>
#include <utility>

namespace assetc::shader {
namespace {

constexpr std::size_t kMaxFiles = 1024;

struct Mention {
  std::string name;
  bool angled = false;
};

std::string_view skip_blanks(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  return text;
}

// The files that a line names: #include "x", #include <x>, import a.b; __include a; implementing a;
// Lines in comments and in untaken #if branches count too: the file is offered to the compiler, and if it does not
// exist nothing is lost.
std::vector<Mention> mentions_of(std::string_view line) {
  line = skip_blanks(line);
  if (line.starts_with('#')) {
    line = skip_blanks(line.substr(1));
    if (!line.starts_with("include")) return {};
    line = skip_blanks(line.substr(7));
    if (line.empty() || (line.front() != '"' && line.front() != '<')) return {};
    const bool angled = line.front() == '<';
    const std::size_t end = line.find(angled ? '>' : '"', 1);
    if (end == line.npos) return {};
    return {{std::string(line.substr(1, end - 1)), angled}};
  }
  for (std::string_view word : {"import ", "__import ", "__include ", "implementing "}) {
    if (!line.starts_with(word)) continue;
    std::string_view name = skip_blanks(line.substr(word.size()));
    name = name.substr(0, name.find_first_of("; \t\r"));
    if (name.size() > 1 && name.front() == '"' && name.back() == '"')
      return {{std::string(name.substr(1, name.size() - 2))}};
    std::string path(name);
    for (char& c : path) {
      if (c == '.') c = '/';
    }
    std::string dashed = path;
    for (char& c : dashed) {
      if (c == '_') c = '-';
    }
    std::vector<Mention> found{{path + ".slang"}};
    if (dashed != path) found.push_back({dashed + ".slang"});  // the file of module foo_bar may be foo-bar.slang
    return found;
  }
  return {};
}

}  // namespace

Result<std::vector<Included>> mentioned_files(std::string_view path, const Bytes& source, const ReadFile& read) {
  std::set<std::string, std::less<>> seen{std::string(path)};
  std::vector<Included> files{{std::string(path), source}};
  for (std::size_t i = 0; i < files.size(); ++i) {
    const Included file = files[i];  // a copy, because files reallocates as it grows
    std::string_view text = as_text(file.bytes);
    while (!text.empty()) {
      const std::size_t end = text.find('\n');
      for (const Mention& mention : mentions_of(text.substr(0, end))) {
        auto found = find_include(mention.name, mention.angled, file.path, read);
        if (!found) {
          if (found.error().code == ErrorCode::kNotFound) continue;  // the compiler reports it, with the line
          return std::unexpected(std::move(found).error().in(file.path));
        }
        if (!seen.insert(found->path).second) continue;
        if (seen.size() > kMaxFiles) {
          return fail(ErrorCode::kLimit, "names more than " + std::to_string(kMaxFiles) + " files");
        }
        files.push_back(std::move(*found));
      }
      text = end == text.npos ? std::string_view{} : text.substr(end + 1);
    }
  }
  return files;
}

}  // namespace assetc::shader
