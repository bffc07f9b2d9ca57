// Settings of the encoder as the numbers of native/encode.cpp.
import { AssetcError } from './error.js';

const FORMATS = ['uastc', 'bc7', 'bc5', 'bc4', 'bc3', 'bc1', 'etc2', 'rgba8', 'etc1s'];
const COLORS = ['srgb', 'linear', 'normal', 'gray'];
const QUALITIES = ['fast', 'normal', 'best'];
const FILTERS = ['kaiser', 'box', 'lanczos'];
const WRAPS = ['repeat', 'clamp'];
const METRICS = ['rgb', 'perceptual'];
const KNOWN = ['format', 'color', 'quality', 'rdo', 'mips', 'mipFilter', 'wrap', 'metric', 'alphaCutoff', 'zstd', 'channels', 'etc1sQuality'];

/**
 * @param {string} name
 * @param {readonly string[]} values
 * @param {unknown} value
 */
function indexOf(name, values, value) {
  const index = values.indexOf(/** @type {string} */ (value));
  if (index < 0) throw new AssetcError(`${name} is ${JSON.stringify(value)}, expected one of ${values.join(', ')}`);
  return index;
}

/**
 * @param {string} name
 * @param {unknown} value
 * @param {number} low
 * @param {number} high
 */
function between(name, value, low, high) {
  if (typeof value !== 'number' || !(value >= low && value <= high))
    throw new AssetcError(`${name} is ${JSON.stringify(value)}, expected ${low} to ${high}`);
  return value;
}

/**
 * Up to four letters in the bytes of one integer.
 * @param {string} channels
 */
function lettersOf(channels) {
  if (channels === 'auto') return 0;
  if (typeof channels !== 'string' || !/^[rgba01]{1,4}$/.test(channels))
    throw new AssetcError(`channels is ${JSON.stringify(channels)}, expected auto or 1 to 4 of r, g, b, a, 0 and 1`);
  return [...channels].reduce((sum, letter, i) => sum + letter.charCodeAt(0) * 2 ** (8 * i), 0);
}

/**
 * Returns the integers and the floats of a Request, without the picture.
 * @param {import('../index.d.ts').EncodeSettings} settings
 */
export function numbersOf(settings) {
  for (const name of Object.keys(settings))
    if (!KNOWN.includes(name)) throw new AssetcError(`no setting "${name}", expected ${KNOWN.join(', ')}`);
  const {
    format, color, quality = 'normal', rdo = 0, mips = true, mipFilter = 'kaiser', wrap = 'repeat', metric = 'rgb',
    alphaCutoff = 0, zstd = false, channels = 'auto', etc1sQuality = 128,
  } = settings;
  return {
    integers: [
      indexOf('format', FORMATS, format), indexOf('color', COLORS, color), indexOf('quality', QUALITIES, quality),
      mips ? 1 : 0, indexOf('mipFilter', FILTERS, mipFilter), indexOf('wrap', WRAPS, wrap),
      indexOf('metric', METRICS, metric), zstd === false ? 0 : Math.trunc(between('zstd', zstd, 0, 22)),
      Math.trunc(between('etc1sQuality', etc1sQuality, 1, 255)), lettersOf(channels),
    ],
    floats: [between('rdo', rdo, 0, 100), between('alphaCutoff', alphaCutoff, 0, 1)],
  };
}

/** @param {import('../index.d.ts').Picture} picture */
export function checkPicture({ width, height, data }) {
  for (const [name, side] of Object.entries({ width, height }))
    if (!Number.isInteger(side)) throw new AssetcError(`${name} is ${side}, expected a whole number of texels`);
  between('width', width, 1, 32768);
  between('height', height, 1, 32768);
  if (!(data instanceof Uint8Array || data instanceof Uint8ClampedArray))
    throw new AssetcError('data is not a Uint8Array of RGBA texels');
  if (data.byteLength !== width * height * 4)
    throw new AssetcError(`data has ${data.byteLength} bytes, expected ${width * height * 4} for ${width} x ${height} RGBA texels`);
}
