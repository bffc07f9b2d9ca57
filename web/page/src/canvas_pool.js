// The canvas of textures. It is used again, because a new WebGL context takes time.
import { handleMoves } from './canvas_moves.js';
import { el } from './dom.js';
import { TextureCanvas } from './texture_canvas.js';

/** A canvas that no view uses. @type {TextureCanvas | null} */
let free = null;

/** @returns {TextureCanvas} */
export function takeCanvas() {
  const canvas = free;
  free = null;
  if (canvas && !canvas.gl.isContextLost()) return canvas;
  const element = el('canvas', { tabindex: 0, role: 'img' });
  const made = new TextureCanvas(element);
  handleMoves([made], element, () => {});
  return made;
}

/** @param {TextureCanvas} canvas */
export function giveCanvas(canvas) {
  if (free) {
    canvas.destroy();
    return;
  }
  canvas.reset();
  free = canvas;
}
