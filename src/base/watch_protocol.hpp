// The protocol between a watch and its listeners. Specified in docs/guide/watch.md.
#pragma once

#include <string_view>

namespace assetc::watch_protocol {

// The socket in the output folder.
inline constexpr std::string_view kSocketName = ".assetc-watch";
// Lines of JSON, each with a member "event". The first is "hello", each other one reports a build.
inline constexpr std::string_view kHello = "hello", kBuilt = "built";
// The member of the first line with the version of the protocol.
inline constexpr std::string_view kVersionName = "protocol";
inline constexpr int kVersion = 1;

}  // namespace assetc::watch_protocol
