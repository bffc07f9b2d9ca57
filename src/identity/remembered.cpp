#include "identity/remembered.hpp"

#include <algorithm>

#include "base/packed.hpp"

namespace assetc::identity {
namespace {

constexpr std::uint32_t kMagic = 0x534d4552;  // "REMS"
constexpr std::uint32_t kVersion = 3;

// Visits the members of a row in a fixed order. Reading and writing share it.
template <class Row, class Member>
void each_member(Row& row, const Member& member) {
  member(row.path);
  member(row.signature);
  member(row.content);
  member(row.source_dependencies);
  member(row.dependency_signature);
  member(row.sub_assets);
  member(row.asset_names);
  member(row.meta_signature);
  member(row.meta.uuid);
  member(row.meta.type);
  member(row.meta.virtual_path);
  member(row.meta.source_path);
  member(row.meta.importer);
  member(row.meta.importer_version);
  member(row.meta.source_dependencies);
  member(row.meta.dependencies);
  member(row.meta.soft_dependencies);
  member(row.meta.sub_assets);
  member(row.meta.redirects);
  member(row.meta.tags);
  member(row.meta.license);
  member(row.meta.import_settings);
}

struct Write {
  ByteVector& out;
  void operator()(const std::string& text) const { append_text(out, text); }
  void operator()(const ContentHash& hash) const { append(out, hash); }
  void operator()(const Uuid& uuid) const { append(out, uuid); }
  void operator()(std::uint32_t value) const { append(out, value); }
  void operator()(const FoundSubAsset& sub) const {
    for (const std::string* text : {&sub.type, &sub.name, &sub.fingerprint, &sub.uuid_name}) append_text(out, *text);
  }
  void operator()(const SubAsset& sub) const {
    append(out, sub.uuid);
    for (const std::string* text : {&sub.type, &sub.name, &sub.virtual_path, &sub.fingerprint}) append_text(out, *text);
    (*this)(sub.redirects);
  }
  void operator()(const Redirect& redirect) const {
    append(out, redirect.uuid);
    append_text(out, redirect.virtual_path);
  }
  void operator()(const ImportSetting& setting) const {
    append_text(out, setting.key);
    append_text(out, setting.value);
  }
  template <class T>
  void operator()(const std::vector<T>& list) const {
    append(out, std::uint64_t{list.size()});
    for (const T& item : list) (*this)(item);
  }
};

struct Read {
  PackedReader& in;
  void operator()(std::string& text) const { text = in.text(); }
  void operator()(ContentHash& hash) const { hash = in.raw<ContentHash>(); }
  void operator()(Uuid& uuid) const { uuid = in.raw<Uuid>(); }
  void operator()(std::uint32_t& value) const { value = in.raw<std::uint32_t>(); }
  void operator()(FoundSubAsset& sub) const {
    for (std::string* text : {&sub.type, &sub.name, &sub.fingerprint, &sub.uuid_name}) *text = in.text();
  }
  void operator()(SubAsset& sub) const {
    sub.uuid = in.raw<Uuid>();
    for (std::string* text : {&sub.type, &sub.name, &sub.virtual_path, &sub.fingerprint}) *text = in.text();
    (*this)(sub.redirects);
  }
  void operator()(Redirect& redirect) const {
    redirect.uuid = in.raw<Uuid>();
    redirect.virtual_path = in.text();
  }
  void operator()(ImportSetting& setting) const {
    setting.key = in.text();
    setting.value = in.text();
  }
  template <class T>
  void operator()(std::vector<T>& list) const {
    for (std::size_t n = in.count(); n > 0 && in.ok(); --n) (*this)(list.emplace_back());
  }
};

}  // namespace

ByteVector write_remembered(const ContentHash& environment, std::span<const Remembered> all) {
  ByteVector body;
  append(body, environment);
  append(body, std::uint64_t{all.size()});
  for (const Remembered& one : all) each_member(one, Write{body});
  ByteVector file;
  file.reserve(body.size() + 24);
  append(file, kMagic);
  append(file, kVersion);
  append(file, content_hash(body));
  append_bytes(file, body);
  return file;
}

std::vector<Remembered> parse_remembered(ByteSpan bytes, const ContentHash& environment) {
  PackedReader head(bytes.first(std::min<std::size_t>(bytes.size(), 24)));
  const bool known = head.raw<std::uint32_t>() == kMagic && head.raw<std::uint32_t>() == kVersion;
  const auto hash = head.raw<ContentHash>();
  if (!known || !head.whole() || content_hash(bytes.subspan(24)) != hash) return {};
  PackedReader in(bytes.subspan(24));
  const bool same = in.raw<ContentHash>() == environment;
  std::vector<Remembered> all;
  for (std::size_t n = in.count(); n > 0 && in.ok(); --n) {
    Remembered& one = all.emplace_back();
    each_member(one, Read{in});
    if (!same) one = {.path = std::move(one.path), .content = one.content, .meta = std::move(one.meta)};
  }
  if (!in.whole()) return {};
  return all;
}

}  // namespace assetc::identity
