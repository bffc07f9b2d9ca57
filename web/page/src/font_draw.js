// Draws text from the atlas of a font, by the rule of docs/formats/hfont.md: the median of three channels, with linear filtering. It gives
// the coverage that `assetc render` gives. For workers.

/** The longest side of a picture of text, and the most pixels. What is beyond them is not drawn. */
const MOST_SIDE = 4096,
  MOST_PIXELS = 3 << 20;

/** @typedef {{ width: number, height: number, data: Uint8Array | Uint8ClampedArray }} Atlas RGBA */

/** The median of red, green and blue at a place in texels, 0 to 255. @param {Atlas} atlas @param {number} x @param {number} y */
function medianAt({ width, height, data }, x, y) {
  const left = Math.floor(x - 0.5),
    top = Math.floor(y - 0.5),
    u = x - 0.5 - left,
    v = y - 0.5 - top;
  const x0 = Math.min(Math.max(left, 0), width - 1),
    x1 = Math.min(Math.max(left + 1, 0), width - 1),
    y0 = Math.min(Math.max(top, 0), height - 1) * width,
    y1 = Math.min(Math.max(top + 1, 0), height - 1) * width;
  const a = 4 * (y0 + x0),
    b = 4 * (y0 + x1),
    c = 4 * (y1 + x0),
    d = 4 * (y1 + x1);
  const red = (data[a] * (1 - u) + data[b] * u) * (1 - v) + (data[c] * (1 - u) + data[d] * u) * v,
    green = (data[a + 1] * (1 - u) + data[b + 1] * u) * (1 - v) + (data[c + 1] * (1 - u) + data[d + 1] * u) * v,
    blue = (data[a + 2] * (1 - u) + data[b + 2] * u) * (1 - v) + (data[c + 2] * (1 - u) + data[d + 2] * u) * v;
  return Math.max(Math.min(red, green), Math.min(Math.max(red, green), blue));
}

/**
 * The coverage of a text, 0 to 255 for each pixel.
 * @param {import('./readers.js').FontFacts} facts
 * @param {Atlas} atlas
 * @param {import('./readers.js').TextLayout} text
 * @param {number} margin in pixels
 * @returns {{ width: number, height: number, baseline: number, data: Uint8Array<ArrayBuffer> }}
 */
export function drawText({ glyphs }, atlas, text, margin) {
  const width = Math.min(MOST_SIDE, Math.max(1, Math.ceil(text.width) + 2 * margin)),
    height = Math.min(MOST_SIDE, Math.floor(MOST_PIXELS / width), Math.max(1, Math.ceil(text.bottom - text.top) + 2 * margin)),
    baseline = Math.ceil(-text.top) + margin,
    data = new Uint8Array(width * height);
  for (const quad of text.quads) {
    const from = glyphs[quad.glyph],
      left = quad.left + margin,
      top = quad.top + baseline,
      across = quad.right - quad.left,
      down = quad.bottom - quad.top;
    const xEnd = Math.min(width, Math.ceil(left + across)),
      yEnd = Math.min(height, Math.ceil(top + down));
    for (let y = Math.max(0, Math.floor(top)); y < yEnd; ++y) {
      const v = (y + 0.5 - top) / down;
      if (v < 0 || v > 1) continue;
      for (let x = Math.max(0, Math.floor(left)); x < xEnd; ++x) {
        const u = (x + 0.5 - left) / across;
        if (u < 0 || u > 1) continue;
        const value = medianAt(atlas, from.x + u * from.width, from.y + v * from.height) / 255,
          covered = Math.round(255 * Math.min(1, Math.max(0, (value - 0.5) * text.screenRange + 0.5)));
        if (covered > data[y * width + x]) data[y * width + x] = covered;
      }
    }
  }
  return { width, height, baseline, data };
}
