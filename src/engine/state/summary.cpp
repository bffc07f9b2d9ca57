#include "engine/state/summary.hpp"

#include <array>

namespace assetc::engine {
namespace {

// The totals that describe the tree rather than one build of it.
constexpr std::array kCounts{&Totals::sources, &Totals::taken,   &Totals::unclaimed,
                             &Totals::steps,   &Totals::outputs, &Totals::output_bytes};

void put(ByteVector& out, std::string_view text) {
  append(out, std::uint64_t{text.size()});
  append_bytes(out, as_bytes(text));
}

class Reader {
 public:
  explicit Reader(ByteSpan bytes) : bytes_(bytes) {}
  template <class T>
  T raw() {
    if (!range_fits(at_, sizeof(T), bytes_.size())) {
      ok_ = false;
      at_ = bytes_.size();
      return T{};
    }
    at_ += sizeof(T);
    return load<T>(bytes_, at_ - sizeof(T));
  }
  std::string text() {
    const auto size = count();
    const std::string result(as_text(bytes_.subspan(at_, size)));
    at_ += size;
    return result;
  }
  std::size_t count() {
    const auto n = raw<std::uint64_t>();
    if (n <= bytes_.size() - at_) return static_cast<std::size_t>(n);
    ok_ = false;
    at_ = bytes_.size();
    return 0;
  }
  bool whole() const { return ok_ && at_ == bytes_.size(); }
  bool ok() const { return ok_; }

 private:
  ByteSpan bytes_;
  std::size_t at_ = 0;
  bool ok_ = true;
};

}  // namespace

ByteVector encode_summary(const Summary& s) {
  ByteVector out;
  append(out, s.environment);
  append(out, s.input);
  append(out, s.output);
  for (const auto count : kCounts) append(out, s.totals.*count);
  append(out, std::uint64_t{s.uncovered.size()});
  for (const Summary::Uncovered& file : s.uncovered) {
    put(out, file.path);
    const FileSignature signature = file.signature.value_or(FileSignature{});
    append(out, std::uint8_t{file.signature.has_value()});
    append(out, signature);
  }
  append(out, std::uint64_t{s.diagnostics.size()});
  for (const recipes::Diagnostic& d : s.diagnostics) {
    append(out, d.severity);
    append(out, d.what.code);
    for (const std::string* text : {&d.what.file, &d.what.place, &d.what.what, &d.what.hint}) put(out, *text);
  }
  append(out, std::uint64_t{s.unclaimed.size()});
  for (const std::string& path : s.unclaimed) put(out, path);
  return out;
}

std::optional<Summary> decode_summary(ByteSpan bytes) {
  Reader in(bytes);
  Summary s;
  s.environment = in.raw<ContentHash>();
  s.input = in.raw<ContentHash>();
  s.output = in.raw<ContentHash>();
  for (const auto count : kCounts) s.totals.*count = in.raw<std::uint64_t>();
  for (std::size_t n = in.count(); n > 0 && in.ok(); --n) {
    Summary::Uncovered file;
    file.path = in.text();
    const bool there = in.raw<std::uint8_t>() != 0;
    const auto signature = in.raw<FileSignature>();
    if (there) file.signature = signature;
    s.uncovered.push_back(std::move(file));
  }
  for (std::size_t n = in.count(); n > 0 && in.ok(); --n) {
    recipes::Diagnostic d;
    d.severity = in.raw<recipes::Severity>();
    d.what.code = in.raw<ErrorCode>();
    for (std::string* text : {&d.what.file, &d.what.place, &d.what.what, &d.what.hint}) *text = in.text();
    s.diagnostics.push_back(std::move(d));
  }
  for (std::size_t n = in.count(); n > 0 && in.ok(); --n) s.unclaimed.push_back(in.text());
  if (!in.whole()) return std::nullopt;
  return s;
}

}  // namespace assetc::engine
