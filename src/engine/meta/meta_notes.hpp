// What an import says of .meta files.
#pragma once

#include <string>

#include "engine/disk/disk.hpp"
#include "identity/reconcile.hpp"
#include "recipes/recipe.hpp"

namespace assetc::engine {

// Of parts that a .meta lists and its source lacks. meta: one with absent sub-assets.
recipes::Diagnostic note_of_absent(const identity::Meta& meta);
// Of a value that a person may have edited.
recipes::Diagnostic note_of(const identity::UnredirectedEdit& edit);
// Of a member that assetc does not read: a warning if it looks like a misspelled one.
recipes::Diagnostic note_of(const std::string& meta_path, const identity::UnknownMember& member);
// If the place of the error is a JSON pointer into a .meta, adds the line that a person must edit.
Error with_line(Error error, const std::string& root, Disk& disk);

}  // namespace assetc::engine
