#include "shader/entry_points.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "base/ascii.hpp"
#include "base/plural.hpp"
#include "shader/words.hpp"
#include "text/format.hpp"

namespace assetc::shader {
namespace {

constexpr std::array kStageNames{
    std::pair<std::string_view, Stage>{"vertex", Stage::kVertex},
    std::pair<std::string_view, Stage>{"hull", Stage::kTessControl},
    std::pair<std::string_view, Stage>{"domain", Stage::kTessEvaluation},
    std::pair<std::string_view, Stage>{"geometry", Stage::kGeometry},
    std::pair<std::string_view, Stage>{"pixel", Stage::kFragment},
    std::pair<std::string_view, Stage>{"fragment", Stage::kFragment},
    std::pair<std::string_view, Stage>{"compute", Stage::kCompute},
    std::pair<std::string_view, Stage>{"amplification", Stage::kTask},
    std::pair<std::string_view, Stage>{"mesh", Stage::kMesh},
    std::pair<std::string_view, Stage>{"raygeneration", Stage::kRayGeneration},
    std::pair<std::string_view, Stage>{"anyhit", Stage::kAnyHit},
    std::pair<std::string_view, Stage>{"closesthit", Stage::kClosestHit},
    std::pair<std::string_view, Stage>{"miss", Stage::kMiss},
    std::pair<std::string_view, Stage>{"intersection", Stage::kIntersection},
    std::pair<std::string_view, Stage>{"callable", Stage::kCallable},
};

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  // A word, a string with its quotes, or one character; empty at the end.
  std::string_view next() {
    skip();
    const std::size_t begin = at_;
    if (at_ >= text_.size()) return {};
    if (is_word(text_[at_])) {
      while (at_ < text_.size() && is_word(text_[at_])) ++at_;
    } else if (text_[at_] == '"') {
      for (++at_; at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\n'; ++at_) {
        if (text_[at_] == '\\') ++at_;
      }
      at_ = std::min(at_ + 1, text_.size());
    } else {
      ++at_;
    }
    return text_.substr(begin, at_ - begin);
  }
  std::size_t position() const { return at_; }
  std::string line_at(std::size_t at) const {
    return "line " +
           std::to_string(1 + std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
  }

 private:
  void skip() {
    while (at_ < text_.size()) {
      const std::string_view rest = text_.substr(at_);
      if (rest.starts_with("//")) {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (rest.starts_with("/*")) {
        const std::size_t end = text_.find("*/", at_ + 2);
        at_ = end == text_.npos ? text_.size() : end + 2;
      } else if (rest.front() == ' ' || rest.front() == '\t' || rest.front() == '\r' || rest.front() == '\n') {
        ++at_;
      } else {
        return;
      }
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

// After [shader("...")]: the name before the parenthesis of the parameters, past further attributes.
std::string_view function_name(Scanner& scanner) {
  std::string_view last;
  int depth = 0;  // of brackets
  for (std::string_view token = scanner.next(); !token.empty(); token = scanner.next()) {
    if (token == "[") ++depth;
    if (token == "]") --depth;
    if (depth > 0 || token == "]") continue;
    if (token == "(") return last;
    if (token == ";" || token == "{") return {};
    last = is_word(token.front()) ? token : std::string_view();
  }
  return {};
}

}  // namespace

Result<std::vector<EntryPoint>> entry_points_of(std::string_view text) {
  std::vector<EntryPoint> found;
  Scanner scanner(text);
  for (std::string_view token = scanner.next(); !token.empty();) {
    if (token != "[") {
      token = scanner.next();
      continue;
    }
    token = scanner.next();
    if (token != "shader") continue;
    token = scanner.next();
    if (token != "(") continue;
    const std::string_view quoted = token = scanner.next();
    if (quoted.size() < 2 || quoted.front() != '"' || quoted.back() != '"') continue;
    const std::size_t at = scanner.position();
    const std::string_view stage = quoted.substr(1, quoted.size() - 2);
    const auto* const row = std::ranges::find(kStageNames, stage, &std::pair<std::string_view, Stage>::first);
    if (row == kStageNames.end()) {
      return fail_at(ErrorCode::kUnsupported, scanner.line_at(at),
                     formatted("found [shader(\"{}\")], an unknown stage", stage),
                     "name vertex, hull, domain, geometry, pixel, compute, amplification, mesh or a stage of ray "
                     "tracing");
    }
    if (scanner.next() != ")" || scanner.next() != "]") {
      token = scanner.next();
      continue;
    }
    const std::string_view name = function_name(scanner);
    if (!EntryName::fits(name)) {
      return fail_at(ErrorCode::kLimit, scanner.line_at(at),
                     "the name of an entry point has " + counted(name.size(), "byte") + ", expected at most " +
                         std::to_string(EntryName::kMaxBytes),
                     "shorten it");
    }
    if (!name.empty()) found.push_back({row->second, std::string(name)});
    token = scanner.next();
  }
  return found;
}

namespace {

// The marked functions of a file of HLSL or Slang; of others, nothing.
Result<std::vector<StageSource>> marked_in(std::string_view name, const std::function<Result<Bytes>()>& read) {
  const std::string lower = ascii_lower(name);
  const bool is_hlsl = lower.ends_with(".hlsl");
  std::vector<StageSource> stages;
  if (!is_hlsl && !lower.ends_with(".slang")) return stages;
  ASSETC_TRY(const Bytes text, read());
  ASSETC_TRY(const std::vector<EntryPoint> marked, entry_points_of(as_text(text)));
  for (const EntryPoint& entry : marked)
    stages.push_back({entry.stage, is_hlsl ? Language::kHlsl : Language::kSlang, {}, entry.name, entry.name});
  return stages;
}

std::string where(const StageSource& stage) { return stage.file.empty() ? "this file" : stage.file; }

// Sorts by stage and output.
Result<void> order(std::vector<StageSource>& stages) {
  std::ranges::stable_sort(stages, {}, [](const StageSource& s) { return std::pair(s.stage, s.output); });
  std::map<std::string_view, const StageSource*> by_output;
  for (const StageSource& stage : stages) {
    const auto [at, added] = by_output.try_emplace(stage.output, &stage);
    if (added) continue;
    const StageSource& other = *at->second;
    if (stage.output == to_string(stage.stage) && other.output == to_string(other.stage) && !stage.file.empty()) {
      return fail(ErrorCode::kConflict,
                  formatted("both {} and {} are the {} stage", other.file, stage.file, stage.output),
                  "keep one of them");
    }
    return fail(ErrorCode::kConflict,
                formatted("{} of {} and {} of {} would both become {}", other.entry, where(other), stage.entry,
                          where(stage), stage.output),
                "rename one of the functions");
  }
  return {};
}

}  // namespace

Result<std::vector<StageSource>> stages_of_folder(std::span<const std::string> names, const ReadFile& read) {
  std::vector<StageSource> stages;
  for (const std::string& name : names) {
    if (const auto file = classify(name)) {
      stages.push_back({file->stage, file->language, name, "main", std::string(to_string(file->stage))});
      continue;
    }
    auto marked = marked_in(name, [&] { return read(name); });
    if (!marked) return std::unexpected(std::move(marked).error().in(name));
    for (StageSource& stage : *marked) {
      stage.file = name;
      stages.push_back(std::move(stage));
    }
  }
  ASSETC_CHECK(order(stages));
  return stages;
}

Result<std::vector<StageSource>> stages_of_file(std::string_view name, const std::function<Result<Bytes>()>& read) {
  if (const auto file = classify(name)) return std::vector{StageSource{file->stage, file->language, {}, "main", {}}};
  ASSETC_TRY(std::vector<StageSource> stages, marked_in(name, read));
  ASSETC_CHECK(order(stages));
  return stages;
}

}  // namespace assetc::shader
