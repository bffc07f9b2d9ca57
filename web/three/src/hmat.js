// Rows of a .hmat, version 1: docs/formats/hmat.md of assetc.
import { checkMagic, Reader } from './reader.js';
import { Context, formatOf, openPart } from './table.js';

const FORMAT = formatOf('hmat');
const PART = FORMAT.parts['the file'];

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
  checkMagic(reader, 'HMAT', [1]);
  const { sections: [rows] } = openPart(PART, reader, new Context(FORMAT));
  return rows.map((row, i) => {
    const { flags, filters } = row, mode = flags >>> 1 & 3, hasSamplers = (flags & 16) !== 0;
    if (mode === 3) reader.fail('the alpha mode is 3, expected 0 to 2', `row ${i}`);
    const textures = row.textures.map((/** @type {bigint} */ hash, /** @type {number} */ t) => {
      const sampler = hasSamplers ? {
        wrapU: flags >>> (5 + 4 * t) & 3, wrapV: flags >>> (7 + 4 * t) & 3,
        mag: filters >>> (6 * t) & 3, min: filters >>> (6 * t + 2) & 3, mip: filters >>> (6 * t + 4) & 3,
      } : DEFAULT_SAMPLER;
      if (sampler.wrapU === 3 || sampler.wrapV === 3 || sampler.mag === 3 || sampler.min === 3)
        reader.fail(`texture ${t} has a wrap or filter of 3, expected 0 to 2`, `row ${i}`);
      return { hash, sampler };
    });
    return {
      baseColor: row.base_color_factor, emissive: row.emissive_factor, metallic: row.metallic_factor, roughness: row.roughness_factor,
      normalScale: row.normal_scale, occlusion: row.occlusion_strength, alphaCutoff: row.alpha_cutoff, doubleSided: (flags & 1) !== 0,
      alphaMode: /** @type {const} */ (['opaque', 'mask', 'blend'])[mode], unlit: (flags & 8) !== 0, textures,
    };
  });
}
