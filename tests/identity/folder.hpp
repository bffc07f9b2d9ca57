// A folder of sources, on which import runs as in the command.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "identity/reconcile.hpp"

namespace assetc::identity {

inline Uuid numbered(std::uint32_t number) {
  std::array<std::uint8_t, 16> random{};
  for (std::size_t i = 0; i < 4; ++i) random[i] = static_cast<std::uint8_t>(number >> (24 - 8 * i));
  return Uuid::from_random(random);
}

struct Folder {
  std::map<std::string, std::string> files;  // .meta files too
  std::map<std::string, ContentHash> remembered = {};
  std::map<std::string, Meta> remembered_metas = {};
  std::map<std::string, std::vector<FoundSubAsset>> parts = {};  // by the content of a file
  std::uint32_t next_uuid = 1;
  bool by_hand = true, is_of_checkout = false;
  std::size_t contents_asked_for = 0;

  Reconciled import() {
    ReconcileInput input;
    for (const auto& [path, text] : files) {
      if (path.ends_with(".meta")) {
        if (Result<MetaFile> file = MetaFile::parse(text)) {
          input.metas.push_back({path, file->meta()});
        } else {
          input.unreadable_metas.push_back(path);
        }
      } else {
        const std::string suffix = path.substr(path.rfind('.'));
        input.sources.push_back({path, suffix, "Texture2D", "Texture", 1, {}, parts[text]});
      }
    }
    const auto metas_before = remembered_metas;
    input.remembered_at = [&](const std::string& path) {
      const auto at = metas_before.find(path);
      return at == metas_before.end() ? nullptr : &at->second;
    };
    input.remembered = [&](const Uuid& asset) -> const Meta* {
      for (const auto& [path, meta] : metas_before) {
        if (meta.uuid == asset) return &meta;
      }
      return nullptr;
    };
    input.old_content = [&](const std::string& path) -> std::optional<ContentHash> {
      const auto at = remembered.find(path);
      return at == remembered.end() ? std::nullopt : std::optional(at->second);
    };
    input.content = [&](const std::string& path) -> std::optional<ContentHash> {
      ++contents_asked_for;
      return content_hash(as_bytes(files.at(path)));
    };
    input.by_hand = by_hand;
    input.is_of_checkout = [&](const std::string&) { return is_of_checkout; };
    input.new_uuid = [&] { return numbered(next_uuid++); };
    // The result must not depend on the order of directories.
    std::mt19937 random(next_uuid);
    std::shuffle(input.sources.begin(), input.sources.end(), random);
    std::shuffle(input.metas.begin(), input.metas.end(), random);
    Reconciled result = reconcile(std::move(input));
    std::map<std::string, std::string> written;
    for (const MetaWrite& write : result.writes) {
      const Meta& next = result.assets.at(write.asset);
      written[write.path] =
          write.from.empty() ? MetaFile::create(next).text() : MetaFile::parse(files.at(write.from))->with(next).text();
    }
    for (const std::string& path : result.removals) files.erase(path);
    for (auto& [path, text] : written) files[path] = std::move(text);
    remembered.clear();
    for (const auto& [path, text] : files) {
      if (!path.ends_with(".meta")) remembered[path] = content_hash(as_bytes(text));
    }
    remembered_metas.clear();
    for (const Meta& asset : result.assets) {
      const auto is_of_it = [&](const UnredirectedEdit& edit) {
        return !edit.is_of_checkout && edit.path == asset.source_path;
      };
      const auto before = metas_before.find(asset.source_path);
      remembered_metas[asset.source_path] = std::ranges::any_of(result.unredirected, is_of_it) ? before->second : asset;
    }
    return result;
  }
  Meta meta(const std::string& source) const {
    const auto at = files.find(source + ".meta");
    return at == files.end() ? Meta{} : MetaFile::parse(at->second)->meta();
  }
  void move(const std::string& from, const std::string& to) {
    auto node = files.extract(from);
    node.key() = to;
    files.insert(std::move(node));
  }
};

inline std::string said(const Reconciled& result, bool tells_paths = false) {
  static constexpr const char* kKinds[] = {"created", "moved", "found", "copied", "restored", "updated", "orphaned"};
  std::string text;
  for (const IdentityChange& c : result.changes) {
    text +=
        std::string(kKinds[static_cast<int>(c.kind)]) + " " + c.path + (c.from.empty() ? "" : " < " + c.from) + "; ";
    for (const auto& path : c.paths) {
      if (tells_paths) text += "path " + path.from + (path.is_redirected ? " -> " : " | ") + path.to + "; ";
    }
  }
  for (const UnredirectedEdit& edit : result.unredirected)
    text += "note " + edit.path + " " + edit.member + " " + edit.from + " -> " + edit.to + "; ";
  for (const Error& e : result.errors) text += "error " + e.to_string() + "; ";
  return text;
}

}  // namespace assetc::identity
