// The difference of two pictures, as `assetc diff` computes it: src/texture/compare.hpp.

const RADIUS = 5,
  SIGMA = 1.5;

/** @param {number} squared sum of squared differences @param {number} values */
const psnr = (squared, values) => (squared === 0 ? Infinity : 10 * Math.log10(values / squared));

/**
 * Convolves with an 11x11 Gaussian window, which is cut off at the edges.
 * @param {Float32Array} plane
 * @param {number} width
 * @param {number} height
 */
function blur(plane, width, height) {
  const weights = Float64Array.from({ length: 2 * RADIUS + 1 }, (_, i) => Math.exp(-((i - RADIUS) ** 2) / (2 * SIGMA * SIGMA)));
  const across = new Float32Array(plane.length);
  /**
   * @param {Float32Array} from
   * @param {Float32Array} to
   * @param {number} lines
   * @param {number} size
   * @param {number} line
   * @param {number} step
   */
  const pass = (from, to, lines, size, line, step) => {
    for (let i = 0; i < size; ++i) {
      const first = Math.max(0, i - RADIUS),
        last = Math.min(size - 1, i + RADIUS);
      let weight = 0;
      for (let k = first; k <= last; ++k) weight += weights[k - i + RADIUS];
      for (let l = 0; l < lines; ++l) {
        let sum = 0;
        for (let k = first, at = l * line + first * step; k <= last; ++k, at += step) sum += weights[k - i + RADIUS] * from[at];
        to[l * line + i * step] = sum / weight;
      }
    }
  };
  pass(plane, across, height, width, width, 1);
  pass(across, plane, width, height, 1, width);
}

/** Above this many texels, SSIM is not computed. */
export const MAX_SSIM_TEXELS = 4096 * 2048;

/**
 * Compares two RGBA8 pictures of one size.
 * @param {Uint8Array} a the reference
 * @param {Uint8Array} b
 * @param {number} width
 * @param {number} height
 * @param {number[]} channels the channels that count, 0 to 3
 * @returns {{ psnr: number, psnrChannels: number[], ssim: number | null, largest: number }} psnr: of `channels` without alpha; ssim: of
 *   luma, null if the picture is too large; largest: the largest difference, 0 to 1
 */
export function comparePictures(a, b, width, height, channels) {
  const squared = [0, 0, 0, 0];
  let largest = 0;
  for (let i = 0; i < a.length; i += 4) {
    for (const c of channels) {
      const d = a[i + c] - b[i + c];
      squared[c] += d * d;
      if (d > largest) largest = d;
      else if (-d > largest) largest = -d;
    }
  }
  const texels = width * height,
    full = 255 * 255,
    color = channels.filter((c) => c < 3);
  const sum = color.reduce((all, c) => all + squared[c], 0) / full;
  return {
    psnr: psnr(sum, color.length * texels),
    psnrChannels: squared.map((one) => psnr(one / full, texels)),
    largest: largest / 255,
    ssim: texels > MAX_SSIM_TEXELS ? null : ssim(a, b, width, height, color),
  };
}

/** @param {Uint8Array} a @param {Uint8Array} b @param {number} width @param {number} height @param {number[]} channels */
function ssim(a, b, width, height, channels) {
  const texels = width * height,
    luma = channels.length === 3 ? [0.299, 0.587, 0.114] : [0, 1, 2].map((c) => (channels.includes(c) ? 1 / channels.length : 0));
  const planes = Array.from({ length: 5 }, () => new Float32Array(texels));
  const [ma, mb, aa, bb, ab] = planes;
  for (let i = 0, t = 0; t < texels; i += 4, ++t) {
    const x = (luma[0] * a[i] + luma[1] * a[i + 1] + luma[2] * a[i + 2]) / 255,
      y = (luma[0] * b[i] + luma[1] * b[i + 1] + luma[2] * b[i + 2]) / 255;
    ma[t] = x;
    mb[t] = y;
    aa[t] = x * x;
    bb[t] = y * y;
    ab[t] = x * y;
  }
  for (const plane of planes) blur(plane, width, height);
  const c1 = 1e-4,
    c2 = 9e-4;
  let sum = 0;
  for (let t = 0; t < texels; ++t) {
    const x = ma[t],
      y = mb[t];
    sum += ((2 * x * y + c1) * (2 * (ab[t] - x * y) + c2)) / ((x * x + y * y + c1) * (aa[t] - x * x + (bb[t] - y * y) + c2));
  }
  return sum / texels;
}
