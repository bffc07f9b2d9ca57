// Small pictures of assets, made by workers when they become visible, and kept while there is room.
import { el } from './dom.js';
import { familyOf } from './format.js';
import { run } from './jobs.js';
import { Links } from './links.js';
import { pictureOf, smallest } from './thumbnail_parts.js';

const SIZE = 48;
/** The most pictures that are kept: about 10 KB each. */
const KEPT = 1500;
/** Models are made later than textures, one after another: they take more time. */
const MODEL_DELAY_MS = 150;
const FAMILIES = new Set(['texture', 'mesh', 'scene', 'material', 'font']);
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

/** @param {Picture} picture @param {string} family */
function canvasOf({ data, width, height }, family) {
  const canvas = el('canvas', { class: family === 'texture' ? 'thumbnail' : 'thumbnail shape', width, height, 'aria-hidden': 'true' });
  // Drawing without the GPU: it may be busy with the view.
  canvas.getContext('2d', { willReadFrequently: true })?.putImageData(new ImageData(data, width, height), 0, 0);
  return canvas;
}

/**
 * Shows the thumbnail of an asset in an element, later.
 * @param {import('./data.js').Root} root
 * @param {import('./data.js').FileFact} file
 * @param {HTMLElement} place
 * @returns {() => void} cancels it
 */
export function showThumbnail(root, file, place) {
  const family = familyOf(file);
  if (!FAMILIES.has(family) || file.problem) return () => {};
  const key = `${root.id}/${file.path}`;
  if (kept.has(key)) {
    const picture = touch(key);
    if (picture) place.replaceChildren(canvasOf(picture, family));
    return () => {};
  }
  const stop = new AbortController();
  const timer = setTimeout(async () => {
    try {
      const picture = family === 'texture' ? await textureOf(root, file, stop.signal) : await inTurn(() => modelOf(root, file, family, stop.signal));
      if (stop.signal.aborted && !picture) return;
      kept.set(key, picture);
      if (kept.size > KEPT) {
        const [oldest] = kept.keys();
        kept.delete(oldest);
      }
      if (!stop.signal.aborted && picture) place.replaceChildren(canvasOf(picture, family));
    } catch {
      if (!stop.signal.aborted) kept.set(key, null);
    }
  }, family === 'texture' ? DELAY_MS : MODEL_DELAY_MS);
  return () => {
    clearTimeout(timer);
    stop.abort();
  };
}

/** @param {import('./data.js').Root} root @param {import('./data.js').FileFact} file @param {AbortSignal} signal @returns {Promise<Picture>} */
async function textureOf(root, file, signal) {
  const bytes = await smallest(root, file, signal);
  return run('thumbnail', file.path, { bytes, size: SIZE }, { transfer: [bytes.buffer], urgent: false, signal });
}

/** @type {WeakMap<import('./data.js').Root, Links>} */
const linksOf = new WeakMap();

/**
 * @param {import('./data.js').Root} root
 * @param {import('./data.js').FileFact} file
 * @param {string} family
 * @param {AbortSignal} signal
 * @returns {Promise<Picture | null>}
 */
async function modelOf(root, file, family, signal) {
  if (signal.aborted) return null;
  const links = linksOf.get(root) ?? new Links(root);
  linksOf.set(root, links);
  return pictureOf(root, links, file, family, SIZE, signal);
}

let last = Promise.resolve();

/** Runs after what was asked for before. @template T @param {() => Promise<T>} work @returns {Promise<T>} */
function inTurn(work) {
  const done = last.then(work);
  last = done.then(
    () => {},
    () => {},
  );
  return done;
}

/** Forgets the picture of a file that was written again. @param {string} rootId @param {string} path */
export function dropThumbnail(rootId, path) {
  kept.delete(`${rootId}/${path}`);
}

/** Forgets which files there are. @param {import('./data.js').Root} root */
export function dropLinks(root) {
  linksOf.delete(root);
}
