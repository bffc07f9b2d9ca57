// Reads glTF files and their pictures, for the benchmarks of `assetc optimize`.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, extname, join } from 'node:path';

const require = createRequire(new URL('../../tests/interop/', import.meta.url));
const sharp = require('sharp');
const { loadTranscoder } = require('./basis.cjs');
const RGBA8 = 13; // of Basis Universal's texture formats
let basis;

/** The bytes that a URI of the file names. */
function resource(file, uri) {
  const data = uri.match(/^data:[^,]*;base64,/);
  return data ? Buffer.from(uri.slice(data[0].length), 'base64') : readFileSync(join(dirname(file), decodeURIComponent(uri)));
}

/** The JSON of a .gltf or .glb, and its buffers. */
export function readGltf(file) {
  const bytes = readFileSync(file);
  if (extname(file) === '.gltf') {
    const json = JSON.parse(bytes.toString());
    return { json, buffers: (json.buffers ?? []).map((buffer) => (buffer.uri ? resource(file, buffer.uri) : Buffer.alloc(0))) };
  }
  const size = bytes.readUInt32LE(12), json = JSON.parse(bytes.subarray(20, 20 + size).toString());
  return { json, buffers: (json.buffers ?? []).map((buffer) => (buffer.uri ? resource(file, buffer.uri) : bytes.subarray(28 + size))) };
}

/** The bytes of all files that the model consists of. */
export function bytesOf(file) {
  const { json } = readGltf(file), uris = [...(json.buffers ?? []), ...(json.images ?? [])].map((one) => one.uri);
  const outside = new Set(uris.filter((uri) => uri && !uri.startsWith('data:')));
  return [...outside].reduce((sum, uri) => sum + resource(file, uri).length, readFileSync(file).length);
}

// Null if Basis Universal's transcoder cannot decode it: KTX 2 of other formats.
async function decode(bytes) {
  if (bytes.subarray(1, 4).toString() !== 'KTX') {
    const plain = sharp(bytes, { ignoreIcc: true }).toColourspace('srgb').ensureAlpha().raw();
    const { data, info } = await plain.toBuffer({ resolveWithObject: true });
    return { width: info.width, height: info.height, data };
  }
  basis ??= await loadTranscoder();
  const texture = new basis.KTX2File(new Uint8Array(bytes));
  try {
    if (!texture.isValid() || !texture.startTranscoding()) return null;
    const data = new Uint8Array(texture.getImageTranscodedSizeInBytes(0, 0, 0, RGBA8));
    if (!texture.transcodeImage(data, 0, 0, 0, RGBA8, 0, -1, -1)) return null;
    return { width: texture.getWidth(), height: texture.getHeight(), data };
  } finally {
    texture.close();
    texture.delete();
  }
}

/** The images that materials use as normal maps. */
function normalMaps(json) {
  const found = new Set();
  const walk = (value, key) => {
    if (typeof value !== 'object' || value === null) return;
    if (/[nN]ormalTexture$/.test(key)) {
      const { source, extensions = {} } = json.textures[value.index];
      for (const image of [source, ...Object.values(extensions).map((one) => one.source)]) found.add(image);
    }
    for (const [name, inner] of Object.entries(value)) walk(inner, name);
  };
  walk(json.materials, '');
  return found;
}

// Replaces normals by unit vectors: shaders do the same, so only the direction counts.
function normalize(data) {
  for (let at = 0; at < data.length; at += 4) {
    const [x, y, z] = [0, 1, 2].map((c) => data[at + c] / 127.5 - 1), size = Math.hypot(x, y, z) || 1;
    for (const [c, v] of [x, y, z].entries()) data[at + c] = 127.5 * (v / size + 1);
  }
}

/** The pictures of a file: largest level, rows of RGBA. Null for one that the transcoder cannot decode. */
export async function picturesOf(file) {
  const { json, buffers } = readGltf(file), normals = normalMaps(json), out = [];
  for (const [index, image] of (json.images ?? []).entries()) {
    const view = json.bufferViews?.[image.bufferView], start = view?.byteOffset ?? 0;
    const bytes = view ? buffers[view.buffer ?? 0].subarray(start, start + view.byteLength) : resource(file, image.uri);
    const picture = await decode(bytes);
    if (!picture) {
      out.push(null);
      continue;
    }
    const isNormal = normals.has(index), data = isNormal ? Float32Array.from(picture.data) : picture.data;
    if (isNormal) normalize(data);
    let clear = false;
    for (let at = 3; at < data.length && !clear; at += 4) clear = data[at] !== 255;
    out.push({ ...picture, data, isNormal, clear: clear && !isNormal, stored: bytes.length });
  }
  return out;
}

/** Squared errors and their number, of every stride-th texel. Alpha counts unless the program left it out. */
function errors(a, b, stride) {
  const channels = b.clear ? 4 : 3;
  let sum = 0, count = 0;
  for (let at = 0; at < a.data.length; at += 4 * stride) {
    for (let c = 0; c < channels; ++c) sum += (a.data[at + c] - b.data[at + c]) ** 2;
    count += channels;
  }
  return { sum, count };
}

/**
 * Compares each picture of a file with the picture of the source that is nearest to it. One of another size is left out.
 * Nothing is compared if a picture of the source cannot be decoded.
 * @returns squared errors and their number, over all channels of all pictures: `texels`, and of normal maps, as unit
 *   vectors, `normals`
 */
export function compare(sources, made) {
  const out = { texels: { sum: 0, count: 0 }, normals: { sum: 0, count: 0 } };
  if (sources.includes(null)) return out;
  for (const one of made.filter(Boolean)) {
    const same = sources.filter((source) => ['width', 'height', 'isNormal'].every((key) => source[key] === one[key]));
    if (same.length === 0) continue;
    const sampled = same.map((source) => ({ source, error: errors(source, one, 101).sum }));
    const nearest = sampled.sort((a, b) => a.error - b.error)[0];
    const whole = errors(nearest.source, one, 1), into = one.isNormal ? out.normals : out.texels;
    into.sum += whole.sum;
    into.count += whole.count;
  }
  return out;
}

/** PSNR in dB of 8-bit channels. */
export const psnr = ({ sum, count }) => (count === 0 ? NaN : sum === 0 ? Infinity : 10 * Math.log10((255 * 255 * count) / sum));
