// The manifest of an output folder, assets.hman, version 1: docs/formats/hman.md of assetc.
import { Reader, refHash } from './reader.js';

/** A texture, embed or other file of the manifest. @typedef {{ path: string, kind: number, srgb: boolean }} ManifestEntry */

/** The kind of a texture in a manifest. */
export const TEXTURE = 0;

/**
 * Reads a manifest.
 * @param {ArrayBuffer | Uint8Array} data
 * @param {string} file its name, for errors
 * @returns {Map<bigint, ManifestEntry>} the files by hash
 * @throws AssetcError with the file and the place, if the file breaks a rule of the format
 */
export function parseManifest(data, file) {
  const reader = new Reader(data instanceof Uint8Array ? data : new Uint8Array(data), file);
  const magic = reader.text4();
  if (magic !== 'HMAN') reader.fail(`the file begins with ${JSON.stringify(magic)}, expected "HMAN"`);
  const version = reader.u32();
  if (version !== 1) reader.fail(`the version is ${version}, expected 1`);
  const count = reader.u32();
  reader.u32();
  /** @type {Map<bigint, ManifestEntry>} */
  const files = new Map();
  let last = -1n;
  for (let i = 0; i < count; ++i) {
    const hash = reader.u64(), kind = reader.u8(), color = reader.u8(), length = reader.u16();
    const path = reader.text(reader.skip(length), length);
    const place = `entry ${i}`;
    if (hash <= last) reader.fail(`its hash ${hash} does not ascend`, place);
    if (color > 1) reader.fail(`its color space is ${color}, expected 0 or 1`, place);
    // A path of the manifest must never lead out of the folder.
    if (/[\\:\u0000-\u001f\u007f]/.test(path) || path.split('/').some((part) => part === '' || part === '.' || part === '..'))
      reader.fail(`its path is ${JSON.stringify(path)}, expected names separated by "/"`, place);
    if (kind === TEXTURE && (!path.endsWith('.ktx2') || refHash(path.slice(0, -5)) !== hash))
      reader.fail(`its hash is not that of ${JSON.stringify(path)}`, place);
    last = hash;
    files.set(hash, { path, kind, srgb: color === 1 });
  }
  reader.end();
  return files;
}
