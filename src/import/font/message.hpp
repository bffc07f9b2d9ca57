// A font as a message between the process that reads it and this one.
#pragma once

#include "process/message.hpp"
#include "scene/font.hpp"

namespace assetc::importer {

void write_font(process::MessageWriter& to, const scene::Font& font);

// Errors: kInvalidData if the message is cut short, or if it breaks a rule of scene::Font: an index out of range,
// characters or pairs that are not ascending.
Result<scene::Font> read_font(process::MessageReader& from);

}  // namespace assetc::importer
