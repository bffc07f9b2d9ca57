// Scales pictures with a Lanczos filter.

/**
 * @typedef {import('@assetc/codec').Picture} Picture
 * @typedef {import('@assetc/codec').EncodeSettings['color']} Color
 */

const LOBES = 3;

/**
 * The size of a picture in a glTF with KHR_texture_basisu: multiples of four, at most `maxSize`, with about the same aspect.
 * @param {number} width
 * @param {number} height
 * @param {number} maxSize
 * @returns {[number, number]}
 */
export function fittedSize(width, height, maxSize) {
  const scale = Math.min(1, maxSize / Math.max(width, height)), most = Math.floor(maxSize / 4) * 4;
  const side = (/** @type {number} */ size) => Math.min(most, Math.max(4, Math.round(size * scale / 4) * 4));
  return [side(width), side(height)];
}

/** @param {number} value 0 to 1, sRGB */
const toLinear = (value) => value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
/** @param {number} value 0 to 1, linear */
const toSrgb = (value) => value <= 0.0031308 ? value * 12.92 : 1.055 * value ** (1 / 2.4) - 0.055;

/** @param {number} x */
function lanczos(x) {
  if (x === 0) return 1;
  if (Math.abs(x) >= LOBES) return 0;
  const px = Math.PI * x;
  return LOBES * Math.sin(px) * Math.sin(px / LOBES) / (px * px);
}

/**
 * For each texel of the result: the first texel that it reads, and the weights of this one and those after it.
 * @param {number} from
 * @param {number} to
 */
function kernels(from, to) {
  const ratio = from / to, stretch = Math.max(1, ratio), reach = LOBES * stretch;
  return Array.from({ length: to }, (_, i) => {
    const center = (i + 0.5) * ratio, first = Math.ceil(center - reach - 0.5), last = Math.floor(center + reach - 0.5);
    const weights = Float64Array.from({ length: last - first + 1 }, (_, k) => lanczos((first + k + 0.5 - center) / stretch));
    const sum = weights.reduce((total, weight) => total + weight, 0);
    return { first, weights: weights.map((weight) => weight / sum) };
  });
}

/**
 * Scales rows of four channels; texels beyond an edge are those of the edge.
 * @param {Float32Array} source
 * @param {number} count of rows
 * @param {number} from texels of a row
 * @param {number} to texels of a row of the result
 * @returns {Float32Array} columns of the source become rows: the result is transposed
 */
function scaleRows(source, count, from, to) {
  const out = new Float32Array(count * to * 4), list = kernels(from, to);
  for (let row = 0; row < count; ++row) {
    for (let i = 0; i < to; ++i) {
      const { first, weights } = list[i], at = (i * count + row) * 4;
      for (let k = 0; k < weights.length; ++k) {
        const texel = (row * from + Math.min(from - 1, Math.max(0, first + k))) * 4;
        for (let c = 0; c < 4; ++c) out[at + c] += weights[k] * source[texel + c];
      }
    }
  }
  return out;
}

/**
 * Scales a picture. Colors are averaged in linear light, weighted by alpha. Normals are averaged as vectors.
 * @param {Picture} picture
 * @param {number} width
 * @param {number} height
 * @param {Color} color
 * @returns {Picture}
 */
export function resizePicture(picture, width, height, color) {
  const linear = Float32Array.from({ length: 256 }, (_, i) => color === 'srgb' ? toLinear(i / 255) : color === 'normal' ? i / 127.5 - 1 : i / 255);
  const source = new Float32Array(picture.width * picture.height * 4);
  for (let i = 0; i < source.length; i += 4) {
    const alpha = picture.data[i + 3] / 255, weight = color === 'srgb' ? alpha : 1;
    for (let c = 0; c < 3; ++c) source[i + c] = linear[picture.data[i + c]] * weight;
    source[i + 3] = alpha;
  }
  const scaled = scaleRows(scaleRows(source, picture.height, picture.width, width), width, picture.height, height);
  const data = new Uint8Array(width * height * 4);
  for (let i = 0; i < scaled.length; i += 4) {
    const alpha = Math.min(1, Math.max(0, scaled[i + 3])), weight = color === 'srgb' ? (alpha > 0 ? 1 / scaled[i + 3] : 0) : 1;
    const length = color === 'normal' ? Math.hypot(scaled[i], scaled[i + 1], scaled[i + 2]) || 1 : 1;
    for (let c = 0; c < 3; ++c) {
      const value = scaled[i + c] * weight / length;
      const stored = color === 'srgb' ? toSrgb(Math.min(1, Math.max(0, value))) : color === 'normal' ? (value + 1) / 2 : value;
      data[i + c] = Math.round(255 * Math.min(1, Math.max(0, stored)));
    }
    data[i + 3] = Math.round(255 * alpha);
  }
  return { width, height, data };
}
