// readers.wasm: reads .hfont files and lays out text.
#include <cstdlib>
#include <memory>
#include <optional>
#include <utility>

#include "assetc/formats/hfont_view.hpp"
#include "assetc/runtime/text.hpp"
#include "module.hpp"

namespace assetc::web {
namespace {

// The result of font_info(). `desc` is one hfont::FontDesc.
struct FontInfo {
  Range desc, glyphs, characters, kerning, name;
};

// The result of font_layout(). Quads are those of the runtime.
struct Layout {
  Range quads;
  std::uint32_t line_count = 0;
  float width = 0, top = 0, bottom = 0, screen_range = 0;
};

struct Font {
  std::unique_ptr<std::byte, decltype(&std::free)> bytes{nullptr, &std::free};
  std::optional<hfont::View> view;
  FontInfo info{};
  runtime::TextLayout text;
  Layout layout{};
};

template <class Items>
Range items_of(const Items& items) {
  return range_of(std::as_bytes(std::span(items)));
}

Font& at(std::uint32_t handle) { return *reinterpret_cast<Font*>(std::uintptr_t{handle}); }

}  // namespace

// Opens a .hfont. bytes: from allocate(); they are freed with the handle. Returns a handle.
ASSETC_EXPORT(font_open) std::uint32_t font_open(std::uint32_t bytes, std::uint32_t size_bytes) {
  auto made = std::make_unique<Font>();
  made->bytes.reset(reinterpret_cast<std::byte*>(std::uintptr_t{bytes}));
  auto view = hfont::View::open({made->bytes.get(), size_bytes});
  if (!view) return refuse(std::move(view).error());
  made->view = *view;
  return address(made.release());
}

ASSETC_EXPORT(font_close) void font_close(std::uint32_t handle) {
  delete reinterpret_cast<Font*>(std::uintptr_t{handle});
}

// Returns a FontInfo.
ASSETC_EXPORT(font_info) std::uint32_t font_info(std::uint32_t handle) {
  Font& font = at(handle);
  const hfont::View& view = *font.view;
  font.info = {range_of(object_bytes(view.desc())), items_of(view.glyphs()), items_of(view.characters()),
               items_of(view.kerning()), range_of(as_bytes(view.name()))};
  return address(&font.info);
}

// Lays out UTF-8 at a size in pixels. max_width: 0 for no limit. Returns a Layout.
ASSETC_EXPORT(font_layout)
std::uint32_t font_layout(std::uint32_t handle, std::uint32_t text, std::uint32_t text_bytes, float size,
                          float max_width, std::uint32_t kerning) {
  Font& font = at(handle);
  font.text = runtime::layout_text(
      *font.view, {reinterpret_cast<const char*>(std::uintptr_t{text}), text_bytes},
      {.size = size, .line_spacing = 1, .letter_spacing = 0, .max_width = max_width, .kerning = kerning != 0});
  font.layout = {items_of(font.text.quads), font.text.line_count,
                 font.text.width,           font.text.top,
                 font.text.bottom,          runtime::screen_range(*font.view, size)};
  return address(&font.layout);
}

}  // namespace assetc::web
