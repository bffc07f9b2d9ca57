#include "identity/license.hpp"

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "base/ascii.hpp"

namespace assetc::identity {
namespace {

constexpr std::string_view kLicenses[] = {"0bsd",
                                          "afl-3.0",
                                          "agpl-3.0-only",
                                          "agpl-3.0-or-later",
                                          "apache-1.1",
                                          "apache-2.0",
                                          "apsl-2.0",
                                          "arphic-1999",
                                          "artistic-1.0",
                                          "artistic-2.0",
                                          "bitstream-vera",
                                          "blueoak-1.0.0",
                                          "bsd-1-clause",
                                          "bsd-2-clause",
                                          "bsd-3-clause",
                                          "bsd-4-clause",
                                          "bsl-1.0",
                                          "busl-1.1",
                                          "cal-1.0",
                                          "cc-by-1.0",
                                          "cc-by-2.0",
                                          "cc-by-2.5",
                                          "cc-by-3.0",
                                          "cc-by-4.0",
                                          "cc-by-nc-1.0",
                                          "cc-by-nc-2.0",
                                          "cc-by-nc-2.5",
                                          "cc-by-nc-3.0",
                                          "cc-by-nc-4.0",
                                          "cc-by-nc-nd-1.0",
                                          "cc-by-nc-nd-2.0",
                                          "cc-by-nc-nd-2.5",
                                          "cc-by-nc-nd-3.0",
                                          "cc-by-nc-nd-4.0",
                                          "cc-by-nc-sa-1.0",
                                          "cc-by-nc-sa-2.0",
                                          "cc-by-nc-sa-2.5",
                                          "cc-by-nc-sa-3.0",
                                          "cc-by-nc-sa-4.0",
                                          "cc-by-nd-1.0",
                                          "cc-by-nd-2.0",
                                          "cc-by-nd-2.5",
                                          "cc-by-nd-3.0",
                                          "cc-by-nd-4.0",
                                          "cc-by-sa-1.0",
                                          "cc-by-sa-2.0",
                                          "cc-by-sa-2.5",
                                          "cc-by-sa-3.0",
                                          "cc-by-sa-4.0",
                                          "cc-pddc",
                                          "cc0-1.0",
                                          "cddl-1.0",
                                          "cecill-2.1",
                                          "cern-ohl-p-2.0",
                                          "cern-ohl-s-2.0",
                                          "cern-ohl-w-2.0",
                                          "ecl-2.0",
                                          "efl-2.0",
                                          "epl-1.0",
                                          "epl-2.0",
                                          "eupl-1.1",
                                          "eupl-1.2",
                                          "fsfap",
                                          "ftl",
                                          "gfdl-1.1-or-later",
                                          "gfdl-1.2-only",
                                          "gfdl-1.2-or-later",
                                          "gfdl-1.3-only",
                                          "gfdl-1.3-or-later",
                                          "gpl-1.0-or-later",
                                          "gpl-2.0-only",
                                          "gpl-2.0-or-later",
                                          "gpl-3.0-only",
                                          "gpl-3.0-or-later",
                                          "gust-font-license",
                                          "hpnd",
                                          "icu",
                                          "ijg",
                                          "ipa",
                                          "isc",
                                          "lal-1.3",
                                          "lgpl-2.0-only",
                                          "lgpl-2.0-or-later",
                                          "lgpl-2.1-only",
                                          "lgpl-2.1-or-later",
                                          "lgpl-3.0-only",
                                          "lgpl-3.0-or-later",
                                          "libpng",
                                          "libpng-2.0",
                                          "lppl-1.3c",
                                          "mit",
                                          "mit-0",
                                          "mpl-1.1",
                                          "mpl-2.0",
                                          "ms-pl",
                                          "ms-rl",
                                          "mulanpsl-2.0",
                                          "ncsa",
                                          "odbl-1.0",
                                          "odc-by-1.0",
                                          "ofl-1.0",
                                          "ofl-1.1",
                                          "ofl-1.1-no-rfn",
                                          "ofl-1.1-rfn",
                                          "ogl-uk-3.0",
                                          "openssl",
                                          "osl-3.0",
                                          "pddl-1.0",
                                          "postgresql",
                                          "psf-2.0",
                                          "python-2.0",
                                          "ruby",
                                          "sleepycat",
                                          "unicode-3.0",
                                          "unicode-dfs-2016",
                                          "unlicense",
                                          "upl-1.0",
                                          "vim",
                                          "w3c",
                                          "wtfpl",
                                          "x11",
                                          "zlib",
                                          "zlib-acknowledgement",
                                          "zpl-2.1"};

std::string key_of(std::string_view text) { return ascii_lower(trimmed(text)); }

// Evaluates an expression with one answer for each license in it. The parts are separated by spaces and parentheses.
class Expression {
 public:
  Expression(std::string_view text, std::function<bool(std::string_view license)> holds) : holds_(std::move(holds)) {
    std::string word;
    for (const char c : text) {
      const bool is_sign = c == '(' || c == ')';
      if (c != ' ' && c != '\t' && !is_sign) {
        word += ascii_lower(c);
        continue;
      }
      if (!word.empty()) words_.push_back(std::exchange(word, {}));
      if (is_sign) words_.emplace_back(1, c);
    }
    if (!word.empty()) words_.push_back(std::move(word));
  }

  // False for a text that is no expression.
  bool holds() {
    const bool value = any(0);
    return value && is_well_formed_ && at_ == words_.size();
  }
  bool is_well_formed() {
    any(0);
    return is_well_formed_ && at_ == words_.size();
  }

 private:
  static constexpr int kMaxDepth = 32;

  bool takes(std::string_view word) {
    if (at_ == words_.size() || words_[at_] != word) return false;
    ++at_;
    return true;
  }
  bool any(int depth) {
    bool value = all(depth);
    while (takes("or")) value = all(depth) || value;
    return value;
  }
  bool all(int depth) {
    bool value = one(depth);
    while (takes("and")) value = one(depth) && value;
    return value;
  }
  bool one(int depth) {
    if (takes("(")) {
      if (depth == kMaxDepth) return is_well_formed_ = false;
      const bool value = any(depth + 1);
      if (!takes(")")) is_well_formed_ = false;
      return value;
    }
    if (at_ == words_.size()) return is_well_formed_ = false;
    const std::string license = words_[at_++];
    if (takes("with")) {  // an exception allows more, so it does not matter which one
      if (at_ == words_.size()) return is_well_formed_ = false;
      ++at_;
    }
    return holds_(license);
  }

  std::function<bool(std::string_view)> holds_;
  std::vector<std::string> words_;
  std::size_t at_ = 0;
  bool is_well_formed_ = true;
};

bool is_license(std::string_view word) {
  if (word.starts_with("licenseref-") || word.starts_with("documentref-")) return true;
  if (word.ends_with('+')) word.remove_suffix(1);
  return std::ranges::binary_search(kLicenses, word) ||
         std::ranges::binary_search(kLicenses, std::string(word) + "-only");  // "GPL-2.0", which SPDX had before
}

}  // namespace

static_assert(std::ranges::is_sorted(kLicenses));

bool is_spdx_expression(std::string_view text) {
  bool all = true;
  Expression expression(text, [&](std::string_view license) { return all &= is_license(license), true; });
  return expression.is_well_formed() && all;
}

bool is_allowed(std::string_view license, std::span<const std::string> allowed) {
  const auto is_listed = [&](std::string_view text) {
    return std::ranges::any_of(allowed, [&](const std::string& one) { return key_of(one) == text; });
  };
  return is_listed(key_of(license)) || (is_spdx_expression(license) && Expression(license, is_listed).holds());
}

}  // namespace assetc::identity
