// Small pictures of textures, made when they become visible, and kept while there is room.
import { el } from './dom.js';
import { familyOf } from './format.js';
import { run } from './jobs.js';
import { smallLevels } from './ktx2_wrap.js';

const SIZE = 48;
/** The most pictures that are kept: about 10 KB each. */
const KEPT = 1500;
/** Of larger .ktx2 files only these first bytes are read: the smallest levels come first. */
const HEAD_BYTES = 64 << 10;
/** Files above this get no thumbnail if their head does not suffice. */
const MAX_BYTES = 16 << 20;
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
  const isTexture = familyOf(file) === 'texture';
  if (!isTexture || file.problem) return () => {};
  const key = `${root.id}/${file.path}`;
  if (kept.has(key)) {
    const picture = touch(key);
    if (picture) place.replaceChildren(canvasOf(picture));
    return () => {};
  }
  const stop = new AbortController();
  const timer = setTimeout(async () => {
    try {
      const bytes = await smallest(root, file, stop.signal);
      const picture = await run(
        'thumbnail',
        file.path,
        { bytes, size: SIZE },
        { transfer: [bytes.buffer], urgent: false, signal: stop.signal },
      );
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

/**
 * The bytes of a file with at least the small levels.
 * @param {import('./data.js').Root} root
 * @param {import('./data.js').FileFact} file
 * @param {AbortSignal} signal
 */
async function smallest(root, file, signal) {
  if (file.bytes > HEAD_BYTES && file.path.endsWith('.ktx2')) {
    const head = await root.readHead(file.path, HEAD_BYTES, signal),
      small = head.length < file.bytes ? smallLevels(head) : head;
    if (small) return small;
  }
  if (file.bytes > MAX_BYTES) throw new Error('the file is too large for a thumbnail');
  return root.read(file.path, signal);
}

/** Forgets the picture of a file that was written again. @param {string} rootId @param {string} path */
export function dropThumbnail(rootId, path) {
  kept.delete(`${rootId}/${path}`);
}
