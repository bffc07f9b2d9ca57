// The manifest of an output folder, assets.hman, version 1: docs/formats/hman.md of assetc.
import { checkMagic, Reader, refHash } from './reader.js';
import { Context, formatOf, takeRecord } from './table.js';

/** A texture, embed or other file of the manifest. @typedef {{ path: string, kind: number, srgb: boolean }} ManifestEntry */

/** The kind of a texture in a manifest. */
export const TEXTURE = 0;
const EMBED = 5;
const FORMAT = formatOf('hman');

/** The hash that an entry must have, or null if its kind does not say. @param {number} kind @param {string} path */
function hashOf(kind, path) {
  if (kind === TEXTURE) return path.endsWith('.ktx2') ? refHash(path.slice(0, -5)) : -1n;
  return kind === EMBED ? refHash(path) : null;
}

const INCOMPLETE = 1;

/** The files of a manifest by hash. @extends {Map<bigint, ManifestEntry>} */
export class Manifest extends Map {
  /** Whether sources that failed, and those that depend on them, are missing: `assetc --keep-going` wrote it. */
  incomplete = false;
}

/**
 * Reads a manifest.
 * @param {ArrayBuffer | Uint8Array} data
 * @param {string} file its name, for errors
 * @returns {Manifest}
 * @throws AssetcError with the file and the place, if the file breaks a rule of the format
 */
export function parseManifest(data, file) {
  const reader = new Reader(data instanceof Uint8Array ? data : new Uint8Array(data), file), context = new Context(FORMAT);
  checkMagic(reader, 'HMAN', [1]);
  const { entry_count: count, flags } = takeRecord(FORMAT.records.header, reader, context);
  const files = new Manifest();
  files.incomplete = (flags & INCOMPLETE) !== 0;
  let last = -1n;
  for (let i = 0; i < count; ++i) {
    const place = `entry ${i}`;
    const { hash, kind, colorspace, path_size_bytes: size } = takeRecord(FORMAT.records.entry, reader, context, i);
    const path = reader.text(reader.skip(size), size), expected = hashOf(kind, path);
    if (hash <= last) reader.fail(`its hash ${hash} does not ascend`, place);
    // A path of the manifest must never lead out of the folder.
    if (/[\\:\u0000-\u001f\u007f]/.test(path) || path.split('/').some((part) => part === '' || part === '.' || part === '..'))
      reader.fail(`its path is ${JSON.stringify(path)}, expected names separated by "/"`, place);
    if (expected !== null && expected !== hash) reader.fail(`its hash is not that of ${JSON.stringify(path)}`, place);
    last = hash;
    files.set(hash, { path, kind, srgb: colorspace === 1 });
  }
  reader.end();
  return files;
}
