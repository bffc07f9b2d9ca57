#include "engine/remote/xml.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/text_file.hpp"

namespace assetc::engine {
namespace {

constexpr std::size_t kMaxXmlDepth = 16;
constexpr std::string_view kXmlSpaces = " \t\r\n";
constexpr std::uint32_t kLastCodePoint = 0x10FFFF;

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
         c == '.' || c == ':';
}

void append_utf8(std::string& to, std::uint32_t point) {
  const auto add = [&](std::uint32_t byte) { to += static_cast<char>(byte); };
  const auto rest = [&](unsigned shift) { add(0x80 | ((point >> shift) & 0x3F)); };
  if (point < 0x80) return add(point);
  if (point < 0x800) {
    add(0xC0 | point >> 6);
  } else if (point < 0x10000) {
    add(0xE0 | point >> 12);
    rest(6);
  } else {
    add(0xF0 | point >> 18);
    rest(12);
    rest(6);
  }
  rest(0);
}

// The character that "&name;" stands for, without & and ;.
std::optional<std::uint32_t> reference(std::string_view name) {
  if (name == "amp") return '&';
  if (name == "lt") return '<';
  if (name == "gt") return '>';
  if (name == "quot") return '"';
  if (name == "apos") return '\'';
  if (!name.starts_with('#')) return std::nullopt;
  name.remove_prefix(1);
  const int base = name.starts_with('x') ? 16 : 10;
  if (base == 16) name.remove_prefix(1);
  std::uint32_t point = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), point, base);
  const bool is_surrogate = point >= 0xD800 && point < 0xE000;
  if (error != std::errc() || end != name.data() + name.size() || point == 0 || point > kLastCodePoint || is_surrogate)
    return std::nullopt;
  return point;
}

class XmlReader {
 public:
  using OnEnd = std::function<void(std::string_view path, const std::string& text)>;

  XmlReader(std::string_view xml, const OnEnd& on_end) : xml_(xml), on_end_(on_end) {}

  Result<void> read() {
    if (xml_.starts_with(kUtf8Mark)) at_ = kUtf8Mark.size();
    while (at_ < xml_.size()) {
      if (xml_[at_] != '<') {
        ASSETC_CHECK(text());
      } else if (rest().starts_with("<?")) {
        ASSETC_CHECK(skip_to("?>"));
      } else if (rest().starts_with("<!--")) {
        ASSETC_CHECK(skip_to("-->"));
      } else if (rest().starts_with("<!")) {
        return fail(ErrorCode::kUnsupported, "XML at byte " + std::to_string(at_) +
                                                 ": found a document type or CDATA, expected elements and text");
      } else if (rest().starts_with("</")) {
        ASSETC_CHECK(end_tag());
      } else {
        ASSETC_CHECK(start_tag());
      }
    }
    return open_.empty() && has_root_ ? Result<void>() : wrong("the end", has_root_ ? "an end tag" : "an element");
  }

 private:
  struct Open {
    std::string_view name;
    std::size_t path_size;  // of the path of its parent
    std::string text;
  };

  std::string_view rest() const { return xml_.substr(at_); }

  Result<void> wrong(std::string_view found, std::string_view expected) const {
    return fail(ErrorCode::kInvalidData, "XML at byte " + std::to_string(at_) + ": found " + std::string(found) +
                                             ", expected " + std::string(expected));
  }

  Result<void> skip_to(std::string_view end) {
    const std::size_t found = xml_.find(end, at_);
    if (found == xml_.npos) return wrong("no end", end);
    at_ = found + end.size();
    return {};
  }

  Result<void> text() {
    const std::size_t end = std::min(xml_.find('<', at_), xml_.size());
    if (open_.empty()) {
      if (xml_.substr(at_, end - at_).find_first_not_of(kXmlSpaces) != xml_.npos)
        return wrong("text outside of an element", "an element");
      at_ = end;
      return {};
    }
    std::string& to = open_.back().text;
    while (at_ < end) {
      const std::size_t mark = std::min(xml_.find('&', at_), end);
      to.append(xml_.substr(at_, mark - at_));
      at_ = mark;
      if (mark == end) break;
      const std::size_t stop = std::min(xml_.find(';', mark), end);
      const auto point = stop == end ? std::nullopt : reference(xml_.substr(mark + 1, stop - mark - 1));
      if (!point) return wrong("'&' without a known reference", "&amp;, &lt;, &gt;, &quot;, &apos; or a number");
      append_utf8(to, *point);
      at_ = stop + 1;
    }
    return {};
  }

  std::string_view name() {
    const std::size_t begin = at_;
    while (at_ < xml_.size() && is_name_character(xml_[at_])) ++at_;
    return xml_.substr(begin, at_ - begin);
  }
  void skip_spaces() { at_ = std::min(xml_.find_first_not_of(kXmlSpaces, at_), xml_.size()); }

  Result<void> start_tag() {
    if (has_root_ && open_.empty()) return wrong("a second element", "one element around all others");
    if (open_.size() == kMaxXmlDepth)
      return fail(ErrorCode::kUnsupported,
                  "XML at byte " + std::to_string(at_) + ": more than " + std::to_string(kMaxXmlDepth) + " levels");
    ++at_;
    const std::string_view element = name();
    if (element.empty() || element.ends_with(':')) return wrong("no name", "the name of an element");
    for (;;) {
      skip_spaces();
      if (at_ == xml_.size()) return wrong("the end", "'>'");
      if (xml_[at_] == '>' || rest().starts_with("/>")) break;
      ASSETC_CHECK(attribute());
    }
    has_root_ = true;
    open_.push_back({element, path_.size(), {}});
    if (!path_.empty()) path_ += '/';
    path_ += element.substr(element.rfind(':') + 1);
    const bool is_empty = xml_[at_] == '/';
    at_ += is_empty ? 2 : 1;
    if (is_empty) end();
    return {};
  }

  Result<void> attribute() {
    if (name().empty()) return wrong("no name", "the name of an attribute, or '>'");
    skip_spaces();
    if (!rest().starts_with('=')) return wrong("no value", "'='");
    ++at_;
    skip_spaces();
    if (at_ == xml_.size() || (xml_[at_] != '"' && xml_[at_] != '\'')) return wrong("no quote", "a quoted value");
    const char quote = xml_[at_++];
    return skip_to({&quote, 1});
  }

  Result<void> end_tag() {
    at_ += 2;
    const std::string_view element = name();
    if (open_.empty() || open_.back().name != element)
      return wrong("the end of '" + std::string(element.substr(0, 64)) + "'",
                   open_.empty() ? "the start of an element" : "the end of the open element");
    skip_spaces();
    if (!rest().starts_with('>')) return wrong("no end of the tag", "'>'");
    ++at_;
    end();
    return {};
  }

  void end() {
    const Open element = std::move(open_.back());
    open_.pop_back();
    on_end_(path_, element.text);
    path_.resize(element.path_size);
  }

  std::string_view xml_;
  const OnEnd& on_end_;
  std::size_t at_ = 0;
  bool has_root_ = false;
  std::vector<Open> open_;
  std::string path_;
};

}  // namespace

Result<void> read_xml(std::string_view xml,
                      const std::function<void(std::string_view path, const std::string& text)>& on_end) {
  return XmlReader(xml, on_end).read();
}

}  // namespace assetc::engine
