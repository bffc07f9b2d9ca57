// Small pictures of textures, made when they become visible, and kept while there is room.
import { el } from './dom.js';
import { run } from './jobs.js';

const SIZE = 48;
/** The most pictures that are kept: about 10 KB each. */
const KEPT = 1500;
/** Files above this are read only when they are opened. */
const MAX_BYTES = 48 << 20;
const DELAY_MS = 60;

/** @type {Map<string, ImageBitmap | null>} null: there is none */
const kept = new Map();

/** @param {string} key */
function touch(key) {
  const value = kept.get(key);
  kept.delete(key);
  kept.set(key, value ?? null);
  return value;
}

/** @param {ImageBitmap} bitmap */
function canvasOf(bitmap) {
  const canvas = el('canvas', { class: 'thumbnail', width: bitmap.width, height: bitmap.height, 'aria-hidden': 'true' });
  canvas.getContext('2d')?.drawImage(bitmap, 0, 0);
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
  if (!isTexture || file.problem || file.bytes > MAX_BYTES || !(root.info.type !== 'bundle')) return () => {};
  const key = `${root.id}/${file.path}`;
  if (kept.has(key)) {
    const bitmap = touch(key);
    if (bitmap) place.replaceChildren(canvasOf(bitmap));
    return () => {};
  }
  const stop = new AbortController();
  const timer = setTimeout(async () => {
    try {
      const bytes = await root.read(file.path, stop.signal);
      const bitmap = await run('thumbnail', file.path, { bytes, size: SIZE }, { transfer: [bytes.buffer], urgent: false, signal: stop.signal });
      kept.set(key, bitmap);
      if (kept.size > KEPT) {
        const [oldest] = kept.keys();
        kept.get(oldest)?.close();
        kept.delete(oldest);
      }
      if (!stop.signal.aborted) place.replaceChildren(canvasOf(bitmap));
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
  kept.get(`${rootId}/${path}`)?.close();
  kept.delete(`${rootId}/${path}`);
}
