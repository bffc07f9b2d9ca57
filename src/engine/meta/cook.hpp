// Loads the asset identities for a cook: a build of a repository for one platform, into Cooked/<Platform>/.
#pragma once

#include <functional>
#include <string>

#include "assetc/base/result.hpp"
#include "engine/config/config.hpp"
#include "engine/disk/disk.hpp"
#include "engine/target/identities.hpp"

namespace assetc::engine {

// Loads the identity of each asset from the .meta files. If an import would have to write a source's .meta, the source
// is refused: its steps fail with a message that says so.
// is_arrival: whether such a source, or one with an error, came or changed after an import, so that the load is
// canceled (kCanceled). May be empty. If the profile has a base, the identities include the base's. Errors: also those
// of find_base().
Result<Identities> load_identities(const Profile& profile,
                                   const std::function<bool(const std::string& path)>& is_arrival, Disk& disk);

// Sets the hash of the base's registry, so that a build notices if it changes. Does nothing without a base. Errors:
// kUsage if the base has no valid registry.
Result<void> find_base(Profile& profile, Disk& disk);

// BuildRequest::selects for the sources of one demo and the shared sources. Errors: kUsage if the demo does not exist;
// the message lists the existing ones.
Result<std::function<bool(std::string_view)>> sources_of_demo(const Profile& profile, const std::string& demo,
                                                              Disk& disk);

}  // namespace assetc::engine
