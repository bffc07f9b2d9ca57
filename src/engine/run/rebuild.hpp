// A build from what the last one knew, which looks only at what changed since.
#pragma once

#include <optional>

#include "engine/run/build.hpp"

namespace assetc::engine {

// The build; nothing where it takes one that looks at everything, which is to follow at once. What was done before that
// came out is then in begun: to that build it is as if this one had been killed. Requires options.kept.
std::optional<Report> rebuild(const Options& options, const Profile& profile, Disk& disk, EventSink& events,
                              Report& begun);

}  // namespace assetc::engine
