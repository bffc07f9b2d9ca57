// Small pictures of textures, made when they become visible, and kept while there is room.
import { el } from './dom.js';
import { run } from './jobs.js';

const SIZE = 48;
/** The most pictures that are kept: about 10 KB each. */
const KEPT = 1500;
/** Files above this are read only when they are opened. */
const MAX_BYTES = 48 << 20;
const DELAY_MS = 60;

/** @typedef {{ data: Uint8ClampedArray<ArrayBuffer>, width: number, height: number }} Picture RGBA */

/** @type {Map<string, Picture | null>} null: there is none */
const kept = new Map();

/** @param {string} key */
function touch(key) {
  const value = kept.get(key);
  kept.delete(key);
  kept.set(key, value ?? null);
  return value;
}

/** @param {Picture} picture */
function canvasOf({ data, width, height }) {
  const canvas = el('canvas', { class: 'thumbnail', width, height, 'aria-hidden': 'true' });
  // Drawing without the GPU: it may be busy with the view.
  canvas.getContext('2d', { willReadFrequently: true })?.putImageData(new ImageData(data, width, height), 0, 0);
  return canvas;
}

/**
 * Shows the thumbnail of a texture in an element, later.
 * @param {import('./data.js').Root} root
 * @param {import('./data.js').FileFact} file
 * @param {HTMLElement} place
 * @returns {() => void} cancels it
 */
export function showThumbnail(root, file, place) {
  const isTexture = file.kind === 'texture' || (file.kind === 'asset' && /^Texture/.test(file.type ?? ''));
  if (!isTexture || file.problem || file.bytes > MAX_BYTES || root.info.type === 'bundle') return () => {};
  const key = `${root.id}/${file.path}`;
  if (kept.has(key)) {
    const picture = touch(key);
    if (picture) place.replaceChildren(canvasOf(picture));
    return () => {};
  }
  const stop = new AbortController();
  const timer = setTimeout(async () => {
    try {
      const bytes = await root.read(file.path, stop.signal);
      const picture = await run('thumbnail', file.path, { bytes, size: SIZE }, { transfer: [bytes.buffer], urgent: false, signal: stop.signal });
      kept.set(key, picture);
      if (kept.size > KEPT) {
        const [oldest] = kept.keys();
        kept.delete(oldest);
      }
      if (!stop.signal.aborted) place.replaceChildren(canvasOf(picture));
    } catch {
      if (!stop.signal.aborted) kept.set(key, null);
    }
  }, DELAY_MS);
  return () => {
    clearTimeout(timer);
    stop.abort();
  };
}

/** Forgets the picture of a file that was written again. @param {string} rootId @param {string} path */
export function dropThumbnail(rootId, path) {
  kept.delete(`${rootId}/${path}`);
}
