#include "cli/report/console.hpp"

#include <algorithm>
#include <cstdio>

#include "base/json_line.hpp"
#include "os/console.hpp"
#include "os/machine.hpp"
#include "text/format.hpp"

namespace assetc::cli {
namespace {

std::string environment(const char* name) { return os::environment_variable(name).value_or(""); }

bool wants_color(ColorMode mode, bool terminal) {
  if (mode != ColorMode::kAuto) return mode == ColorMode::kAlways;
  return terminal && environment("NO_COLOR").empty() && environment("TERM") != "dumb";
}

constexpr std::string_view kStyleCodes[] = {"", "\x1b[1m", "\x1b[2m", "\x1b[1;31m", "\x1b[1;33m", "\x1b[1;32m"};
constexpr std::string_view kPlainCode = "\x1b[0m";

void write(std::FILE* file, std::string_view text) { std::fwrite(text.data(), 1, text.size(), file); }

void append_escaped(std::string& out, std::string_view bytes) {
  for (const char c : bytes) out += formatted("\\x{:02x}", static_cast<unsigned char>(c));
}

// Returns the size of the next character in bytes, and whether it is printable: valid UTF-8 and no control character of
// ASCII or Latin-1.
std::pair<std::size_t, bool> next_character(std::string_view text) {
  const std::size_t length = utf8_length(text);
  if (length == 0) return {1, false};
  const auto first = static_cast<unsigned char>(text[0]);
  if (length == 1) return {1, first >= 0x20 && first != 0x7f};
  return {length, first != 0xc2 || static_cast<unsigned char>(text[1]) >= 0xa0};
}

// Escapes everything that controls a terminal, except line ends, tabs and, if painted is set, the codes of paint().
std::string harmless(std::string_view text, bool painted) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    auto [length, shown] = next_character(text);
    if (text[0] == '\n' || text[0] == '\t') shown = true;
    if (painted && text[0] == '\x1b') {
      const auto is_next = [&](std::string_view code) { return !code.empty() && text.starts_with(code); };
      const auto code = std::ranges::find_if(kStyleCodes, is_next);
      shown = is_next(kPlainCode) || code != std::end(kStyleCodes);
      if (shown) length = is_next(kPlainCode) ? kPlainCode.size() : code->size();
    }
    if (shown) {
      out += text.substr(0, length);
    } else {
      append_escaped(out, text.substr(0, length));
    }
    text.remove_prefix(length);
  }
  return out;
}

std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

// Names of files may contain terminal codes, so they are escaped.
std::string as_said(Error what) {
  what.file = printable(what.file);
  what.place = printable(what.place);
  return what.to_string();
}

}  // namespace

Console::Console(ColorMode mode)
    : err_is_terminal_(os::is_error_terminal()),
      color_out_(wants_color(mode, os::is_output_terminal())),
      color_err_(wants_color(mode, err_is_terminal_)) {}

void Console::out(std::string_view text) { write(stdout, harmless(text, color_out_)); }

void Console::err(std::string_view text) {
  std::fflush(stdout);
  write(stderr, harmless(text, color_err_));
}

void Console::redraw(std::string_view line) {
  std::fflush(stdout);
  write(stderr, "\r" + harmless(line, false) + "\x1b[K");
}

int Console::columns() const { return os::terminal_columns(); }

std::string Console::paint(bool colored, Style style, std::string_view text) {
  if (!colored || style == Style::kPlain) return std::string(text);
  return std::string(kStyleCodes[static_cast<std::size_t>(style)]).append(text).append(kPlainCode);
}

void Console::diagnostic(recipes::Severity severity, const Error& what) {
  if (severity == recipes::Severity::kWarning) return warning(as_said(what));
  const bool is_error = severity == recipes::Severity::kError;
  err(paint_err(is_error ? Style::kRed : Style::kBold, is_error ? "error" : "note") + ": " + as_said(what) + "\n");
}

void Console::diagnostic(const recipes::Diagnostic& diagnostic) {
  if (!diagnostic.kind) {
    this->diagnostic(diagnostic.severity, diagnostic.what);
    if (const std::string line = ignore_line(diagnostic); !line.empty()) err("  to leave it out: " + line + "\n");
    return;
  }
  warning(as_said(diagnostic.what) + " [" + std::string(to_string(*diagnostic.kind)) + "]");
}

void Console::warning(std::string_view text) {
  err(paint_err(Style::kYellow, "warning") + ": " + std::string(text) + "\n");
}

void Table::add(std::vector<std::string> cells) {
  // Names of files may contain line ends. Colors stay.
  for (std::string& cell : cells) {
    for (std::size_t at = 0; (at = cell.find_first_of("\n\t", at)) != cell.npos; at += 2)
      cell.replace(at, 1, cell[at] == '\n' ? "\\n" : "\\t");
  }
  rows_.push_back(std::move(cells));
}

std::string Table::str() const {
  std::vector<std::size_t> widths(columns_.size());
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < columns_.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
  }
  std::string text;
  for (const auto& row : rows_) {
    std::string line;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const std::string padding(widths[i] - width_of(row[i]), ' ');
      if (i > 0) line += "  ";
      line += columns_[i] == Align::kRight ? padding + row[i] : row[i] + padding;
    }
    line.resize(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

void Console::wrote(std::string_view path, std::string_view text) {
  out("wrote " + printable(path) + std::string(text) + "\n");
}

std::string printable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const auto [length, shown] = next_character(text);
    if (shown) {
      out += text.substr(0, length);
    } else if (text[0] == '\n' || text[0] == '\t') {
      out += text[0] == '\n' ? "\\n" : "\\t";
    } else {
      append_escaped(out, text.substr(0, length));
    }
    text.remove_prefix(length);
  }
  return out;
}

std::string ignore_line(const recipes::Diagnostic& diagnostic) {
  if (diagnostic.ignore.empty()) return {};
  std::string list;
  for (const std::string& path : diagnostic.ignore) list += (list.empty() ? "" : ", ") + json_quote(path);
  return "ignore: [" + list + "] in assetc.yml";
}

std::string seconds_text(double seconds) {
  if (seconds < 60) return formatted("{:.1f} s", seconds);
  const auto whole = static_cast<std::uint64_t>(seconds);
  if (whole < 3600) return formatted("{}:{:02}", whole / 60, whole % 60);
  return formatted("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

}  // namespace assetc::cli
