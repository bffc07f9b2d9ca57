// Rows of a .hmat, version 1: docs/formats/hmat.md of assetc.
import { Reader } from './reader.js';

const ROW = 96;

/**
 * @typedef {object} MaterialRow
 * @property {number[]} baseColor linear RGBA
 * @property {number[]} emissive linear RGB, with the strength multiplied in
 * @property {number} metallic
 * @property {number} roughness
 * @property {number} normalScale
 * @property {number} occlusion
 * @property {number} alphaCutoff
 * @property {boolean} doubleSided
 * @property {'opaque' | 'mask' | 'blend'} alphaMode
 * @property {boolean} unlit
 * @property {{ hash: bigint, sampler: Sampler }[]} textures base color, metallic-roughness, normal, occlusion, emissive; hash 0: none
 *
 * How a texture is read. Wrap: 0 repeat, 1 clamp, 2 mirror. Filters: 0 the default, 1 nearest, 2 linear. Between levels: 0 the
 * default, 1 level 0 alone, 2 nearest, 3 linear.
 * @typedef {{ wrapU: number, wrapV: number, mag: number, min: number, mip: number }} Sampler
 */

/** The sampler of a texture without one. @type {Sampler} */
export const DEFAULT_SAMPLER = { wrapU: 0, wrapV: 0, mag: 0, min: 0, mip: 0 };

/**
 * Reads a .hmat.
 * @param {ArrayBuffer | Uint8Array} data
 * @param {string} file its name, for errors
 * @returns {MaterialRow[]} row i is the material of slot i
 * @throws AssetcError with the file and the place, if the file breaks a rule of the format
 */
export function parseHmat(data, file) {
  const reader = new Reader(data instanceof Uint8Array ? data : new Uint8Array(data), file);
  const magic = reader.text4();
  if (magic !== 'HMAT') reader.fail(`the file begins with ${JSON.stringify(magic)}, expected "HMAT"`);
  const version = reader.u32();
  if (version !== 1) reader.fail(`the version is ${version}, expected 1`);
  const count = reader.u32();
  reader.u32();
  if (reader.size !== 16 + ROW * count) reader.fail(`the file has ${reader.size} bytes, expected ${16 + ROW * count} for ${count} rows`);
  /** @type {MaterialRow[]} */
  const rows = [];
  for (let i = 0; i < count; ++i) {
    const baseColor = reader.floats(4), emissive = reader.floats(3);
    const [metallic, roughness, normalScale, occlusion, alphaCutoff] = reader.floats(5);
    const flags = reader.u32(), filters = reader.u32(), mode = flags >>> 1 & 3, hasSamplers = (flags & 16) !== 0;
    if (mode === 3) reader.fail('the alpha mode is 3, expected 0 to 2', `row ${i}`);
    const textures = Array.from({ length: 5 }, (_, t) => {
      const sampler = hasSamplers ? {
        wrapU: flags >>> (5 + 4 * t) & 3, wrapV: flags >>> (7 + 4 * t) & 3,
        mag: filters >>> (6 * t) & 3, min: filters >>> (6 * t + 2) & 3, mip: filters >>> (6 * t + 4) & 3,
      } : DEFAULT_SAMPLER;
      if (sampler.wrapU === 3 || sampler.wrapV === 3 || sampler.mag === 3 || sampler.min === 3)
        reader.fail(`texture ${t} has a wrap or filter of 3, expected 0 to 2`, `row ${i}`);
      return { hash: reader.u64(), sampler };
    });
    rows.push({
      baseColor, emissive, metallic, roughness, normalScale, occlusion, alphaCutoff, doubleSided: (flags & 1) !== 0,
      alphaMode: /** @type {const} */ (['opaque', 'mask', 'blend'])[mode], unlit: (flags & 8) !== 0, textures,
    });
  }
  return rows;
}
