#include "cli/console.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace assetc::cli {
namespace {

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

bool wants_color(ColorMode mode, bool terminal) {
  if (mode != ColorMode::kAuto) return mode == ColorMode::kAlways;
  return terminal && environment("NO_COLOR").empty() && environment("TERM") != "dumb";
}

std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

}  // namespace

Console::Console(ColorMode mode)
    : err_is_terminal_(isatty(STDERR_FILENO) != 0),
      color_out_(wants_color(mode, isatty(STDOUT_FILENO) != 0)),
      color_err_(wants_color(mode, err_is_terminal_)) {}

void Console::out(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); }

void Console::err(std::string_view text) {
  std::fflush(stdout);
  std::fwrite(text.data(), 1, text.size(), stderr);
}

int Console::columns() const {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

std::string Console::paint(bool colored, Style style, std::string_view text) {
  static constexpr std::string_view kCodes[] = {"", "\x1b[1m", "\x1b[2m", "\x1b[1;31m", "\x1b[1;33m", "\x1b[1;32m"};
  if (!colored || style == Style::kPlain) return std::string(text);
  return std::string(kCodes[static_cast<std::size_t>(style)]) + std::string(text) + "\x1b[0m";
}

void Console::diagnostic(recipes::Severity severity, const Error& what) {
  const auto [style, word] = severity == recipes::Severity::kError     ? std::pair(Style::kRed, "error")
                             : severity == recipes::Severity::kWarning ? std::pair(Style::kYellow, "warning")
                                                                       : std::pair(Style::kBold, "note");
  err(paint_err(style, word) + ": " + what.to_string() + "\n");
}

void Table::add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }

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

std::string size_text(std::uint64_t bytes) {
  if (bytes < 1024) return fmt::format("{} B", bytes);
  double value = static_cast<double>(bytes);
  const char* unit = "KiB";
  for (const char* next : {"KiB", "MiB", "GiB", "TiB"}) {
    value /= 1024;
    unit = next;
    if (value < 1023.95) break;
  }
  return fmt::format("{:.1f} {}", value, unit);
}

std::string count_text(std::uint64_t count) {
  std::string digits = std::to_string(count);
  for (std::size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, ",");
  return digits;
}

std::string seconds_text(double seconds) {
  if (seconds < 60) return fmt::format("{:.1f} s", seconds);
  const auto whole = static_cast<std::uint64_t>(seconds);
  if (whole < 3600) return fmt::format("{}:{:02}", whole / 60, whole % 60);
  return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

std::string plural(std::uint64_t count, std::string_view one) {
  std::string text = count_text(count) + " " + std::string(one);
  if (count == 1) return text;
  if (one.ends_with('y') && one != "key") return text.replace(text.size() - 1, 1, "ies");
  if (one == "vertex" || one == "index") return text.replace(text.size() - 2, 2, "ices");
  return text + (one.ends_with('h') ? "es" : "s");
}

}  // namespace assetc::cli
