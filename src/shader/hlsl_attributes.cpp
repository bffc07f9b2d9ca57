#include "shader/hlsl_attributes.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <vector>

#include "shader/words.hpp"
#include "text/format.hpp"

namespace assetc::shader {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

// How far an attribute, and a declaration behind one, may reach. Without limits, a text of open brackets would be
// searched to its end from each of them.
constexpr std::size_t kMaxAttributeBytes = 512, kMaxDeclarationBytes = 4 << 10;
// Attributes in a row before one declaration.
constexpr int kMaxInARow = 8;

// A range of the text.
struct Range {
  std::size_t begin = 0, end = 0;
};

class Rewriter {
 public:
  explicit Rewriter(std::string_view text) : in_(text) {}

  Result<RewrittenHlsl> run() {
    while (at_ < in_.size()) {
      if (in_[at_] == '#' && is_line_start(at_)) {
        copy_to(std::min(in_.find('\n', at_), in_.size()));
      } else if (in_[at_] == '"') {
        copy_to(after_string(at_));
      } else if (in_.substr(at_).starts_with("[[")) {
        attributes();
      } else if (in_[at_] == '[' && is_mark(at_)) {
        out_.has_marks = true;
        blank_to(std::min(find_outside(at_ + 1, "]", kMaxAttributeBytes) + 1, in_.size()));
      } else if (is_word(in_[at_])) {
        std::size_t end = at_;
        while (end < in_.size() && is_word(in_[end])) ++end;
        if (is_marked_space(in_.substr(at_, end - at_))) out_space_ = in_.substr(at_, end - at_);
        copy_to(end);
      } else {
        copy_to(at_ + 1);
      }
    }
    if (out_.has_bindings && !out_space_.empty()) {
      return fail(
          ErrorCode::kLimit,
          formatted("found register {} beside [[vk::binding]], expected space0 to space{}", out_space_, kMarkedSet - 1),
          "use a lower space, or install dxc, which compiles the stage without this limit");
    }
    return std::move(out_);
  }

 private:
  void copy_to(std::size_t end) {
    out_.text.append(in_.substr(at_, end - at_));
    at_ = end;
  }
  // Replaces a part by blanks; lines stay.
  void blank_to(std::size_t end) {
    for (; at_ < end; ++at_) out_.text += is_blank(in_[at_]) ? in_[at_] : ' ';
  }
  bool is_line_start(std::size_t at) const {
    while (at > 0 && (in_[at - 1] == ' ' || in_[at - 1] == '\t')) --at;
    return at == 0 || in_[at - 1] == '\n';
  }
  std::size_t after_string(std::size_t at) const {
    const std::size_t last = std::min(in_.size(), at + kMaxDeclarationBytes);
    for (++at; at < last && in_[at] != '"' && in_[at] != '\n'; ++at) {
      if (in_[at] == '\\') ++at;
    }
    return std::min(at + 1, in_.size());
  }
  std::size_t skip_blanks(std::size_t at) const {
    while (at < in_.size() && is_blank(in_[at])) ++at;
    return at;
  }
  bool is_mark(std::size_t at) const {
    constexpr std::string_view kShader = "shader";
    const std::size_t word = skip_blanks(at + 1);
    const std::size_t open = skip_blanks(std::min(word + kShader.size(), in_.size()));
    return in_.substr(std::min(word, in_.size())).starts_with(kShader) && open < in_.size() && in_[open] == '(';
  }
  static bool is_marked_space(std::string_view word) {
    constexpr std::string_view kSpace = "space";
    if (!word.starts_with(kSpace)) return false;
    std::uint32_t number = 0;
    const auto [end, error] = std::from_chars(word.data() + kSpace.size(), word.data() + word.size(), number);
    return end == word.data() + word.size() && (error == std::errc::result_out_of_range || number >= kMarkedSet);
  }

  // The first of the characters outside brackets, from at on; the end of the text if there is none so near.
  std::size_t find_outside(std::size_t at, std::string_view any, std::size_t most_bytes) const {
    int depth = 0;
    for (const std::size_t last = std::min(in_.size(), at + most_bytes); at < last; ++at) {
      const char c = in_[at];
      if (c == '"') {
        at = after_string(at) - 1;
        continue;
      }
      if (depth == 0 && any.find(c) != any.npos) return at;
      if (c == '(' || c == '[' || c == '{') ++depth;
      if ((c == ')' || c == ']' || c == '}') && depth > 0) --depth;
    }
    return in_.size();
  }
  std::string squeezed(Range range) const {
    std::string word;
    for (const char c : in_.substr(range.begin, range.end - range.begin)) {
      if (!is_blank(c)) word += c;
    }
    return word;
  }

  // At [[.
  void attributes() {
    const std::size_t close = find_outside(at_ + 2, "]", kMaxAttributeBytes);
    if (!in_.substr(std::min(close, in_.size())).starts_with("]]")) return copy_to(at_ + 2);
    std::vector<Range> each;
    for (std::size_t begin = at_ + 2; begin < close;) {
      const std::size_t end = std::min(find_outside(begin, ",]", kMaxAttributeBytes), close);
      each.push_back({begin, end});
      begin = end + 1;
    }
    bool binds = false, pushes = false;
    std::string kept;
    for (const Range& one : each) {
      const std::size_t open = std::min(find_outside(one.begin, "(", kMaxAttributeBytes), one.end);
      const std::string name = squeezed({one.begin, open});
      if (name == "vk::push_constant" && !is_buffer(close + 2)) {
        pushes = true;
        continue;
      }
      std::string text(in_.substr(one.begin, one.end - one.begin));
      if (name == "vk::binding" && open < one.end) {
        binds = true;
        text = marked(open, one.end);
      }
      kept.append(kept.empty() ? "" : ",").append(text);
    }
    if (!binds && !pushes) return copy_to(close + 2);
    out_.has_bindings |= binds;
    out_.has_push_constants |= pushes;
    if (!kept.empty()) out_.text.append("[[").append(kept).append("]]");
    // Lines stay.
    const std::string_view before = in_.substr(at_, close + 2 - at_);
    const auto lost = std::ranges::count(before, '\n') - std::ranges::count(kept, '\n');
    out_.text.append(static_cast<std::size_t>(std::max<std::ptrdiff_t>(lost, 0)), '\n');
    at_ = close + 2;
    if (binds) return without_register();
    // Further attributes precede the declaration.
    ++nested_;
    while (nested_ < kMaxInARow && in_.substr(skip_blanks(at_)).starts_with("[[")) {
      copy_to(skip_blanks(at_));
      attributes();
    }
    --nested_;
    push_constant();
  }

  bool is_buffer(std::size_t at) const {
    at = skip_blanks(at);
    for (int i = 0; i < kMaxInARow && in_.substr(std::min(at, in_.size())).starts_with("[["); ++i)
      at = skip_blanks(std::min(find_outside(at + 2, "]", kMaxAttributeBytes) + 2, in_.size()));
    for (const std::string_view word : {"cbuffer", "tbuffer", "ConstantBuffer", "TextureBuffer"}) {
      const std::string_view rest = in_.substr(std::min(at, in_.size()));
      if (rest.starts_with(word) && (rest.size() == word.size() || !is_word(rest[word.size()]))) return true;
    }
    return false;
  }

  // The attribute with the marked set: open is its parenthesis, end the end of the attribute.
  std::string marked(std::size_t open, std::size_t end) const {
    const std::size_t comma = std::min(find_outside(open + 1, ",)", kMaxAttributeBytes), end);
    const std::string binding(in_.substr(open + 1, comma - open - 1));
    if (comma >= end || in_[comma] != ',') return formatted("vk::binding({}, {})", binding, kMarkedSet);
    const std::size_t close = std::min(find_outside(comma + 1, ")", kMaxAttributeBytes), end);
    return formatted("vk::binding({}, ({}) + {})", binding, in_.substr(comma + 1, close - comma - 1), kMarkedSet);
  }

  // Removes ": register(...)" up to the end of the declaration. A register after the attribute would set its space.
  void without_register() {
    constexpr std::string_view kRegister = "register";
    const std::size_t end = find_outside(at_, ";{=", kMaxDeclarationBytes);
    while (at_ < end) {
      const std::size_t colon = std::min(find_outside(at_, ":", kMaxDeclarationBytes), end);
      copy_to(colon);
      if (colon == end) return;
      const std::size_t word = skip_blanks(colon + 1);
      const std::size_t open = skip_blanks(std::min(word + kRegister.size(), in_.size()));
      if (in_.substr(word).starts_with(kRegister) && open < end && in_[open] == '(')
        blank_to(std::min(find_outside(open + 1, ")", kMaxAttributeBytes) + 1, end));
      else
        copy_to(colon + 1);
    }
  }

  // At the declaration of a variable that holds push constants: makes it the member of a buffer.
  void push_constant() {
    const std::size_t semicolon = find_outside(at_, ";", kMaxDeclarationBytes);
    if (semicolon >= in_.size()) return;
    out_.text += formatted(" [[vk::push_constant]] cbuffer PushConstant{}_ {{ ", pushed_++);
    copy_to(skip_blanks(at_));
    if (in_.substr(at_).starts_with("const") && !is_word(in_[at_ + 5])) blank_to(at_ + 5);
    copy_to(semicolon + 1);
    out_.text += " }";
  }

  std::string_view in_;
  std::size_t at_ = 0;
  RewrittenHlsl out_;
  std::string_view out_space_;  // a register's space that is a marked set
  std::uint32_t pushed_ = 0;
  int nested_ = 0;  // calls of attributes()
};

}  // namespace

Result<RewrittenHlsl> rewrite_attributes(std::string_view preprocessed) { return Rewriter(preprocessed).run(); }

}  // namespace assetc::shader
