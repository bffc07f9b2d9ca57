// Compares the texels of compiled textures, read by three.js, with their sources: for every usage, for pictures of 8
// and 16 bits and of light, and for KTX 2 files that are converted to another format.
//
//   node values.cjs ASSETC       exits 1 on a difference, 77 (skipped) when node_modules is absent
'use strict';
const fs = require('fs');
const os = require('os');
const path = require('path');
const { pathToFileURL } = require('url');
const { spawnSync } = require('child_process');
const { SKIPPED, loadTranscoder } = require('./basis.cjs');
const { writePng } = require('./png.cjs');

const SIDE = 16;
const RGBA32 = 13;  // transcoder_texture_format
const BC4 = 'bc4', BC5 = 'bc5';

// All texels differ, in alpha too.
const bytes = (x, y) => [x * 16 + y, 255 - x * 7 - y, (x * y + 3) & 255, 255 - x * 11];
const words = (x, y) => [x * 4096 + y * 200 + 1, 65535 - x * 1999 - y, (x * y * 257 + 77) & 65535, 65535 - x * 2048];
// A smooth ramp, as in a height map.
const ramp = (x, y) => { const v = 8000 + x * 130 + y * 37; return [v, v, v, 65535]; };
// Unit normals in 16 bits.
const bumps = (x, y) => {
  const nx = 0.6 * Math.sin(x * 0.7), ny = 0.6 * Math.cos(y * 0.9), nz = Math.sqrt(1 - nx * nx - ny * ny);
  return [...[nx, ny, nz].map((v) => Math.round((v * 0.5 + 0.5) * 65535)), 65535];
};
const light = (x, y) => [2 ** (x - 6), 0.25 + y, 3 + x * y / 8];

const fromHalf = (h) => {
  const sign = h & 0x8000 ? -1 : 1, exponent = h >> 10 & 31, fraction = h & 1023;
  return sign * (exponent === 0 ? fraction * 2 ** -24 : (1 + fraction / 1024) * 2 ** (exponent - 15));
};
const toLinear = (v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
const toHalf = (v) => Math.abs(v) * 2 ** -11 + 2 ** -25;  // the largest error of rounding to a half float

// A Radiance file without run lengths: {file, at}; at returns the stored values.
function writeHdr(texel) {
  const rows = [], values = [];
  for (let y = 0; y < SIDE; ++y) {
    for (let x = 0; x < SIDE; ++x) {
      const v = texel(x, y), exponent = Math.floor(Math.log2(Math.max(...v))) + 1;
      const mantissa = v.map((c) => Math.min(255, Math.floor(c * 256 / 2 ** exponent)));
      rows.push(...mantissa, exponent + 128);
      values.push(mantissa.map((m) => [m * 2 ** (exponent - 8), (m + 0.5) * 2 ** (exponent - 8)]));
    }
  }
  const head = `#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y ${SIDE} +X ${SIDE}\n`;
  return { file: Buffer.concat([Buffer.from(head), Buffer.from(rows)]), at: (x, y) => values[y * SIDE + x] };
}

// Khronos Data Format Specification 1.3, section 18.4, in exact fractions.
function decodeBc4(data, at) {
  const r0 = data[at] / 255, r1 = data[at + 1] / 255;
  const table = [r0, r1];
  for (let i = 1; i < 7; ++i) table.push(data[at] > data[at + 1] ? ((7 - i) * r0 + i * r1) / 7 : i < 5 ? ((5 - i) * r0 + i * r1) / 5 : i - 5);
  let bits = 0n;
  for (let i = 7; i > 1; --i) bits = bits << 8n | BigInt(data[at + i]);
  return Array.from({ length: 16 }, (_, i) => table[Number(bits >> BigInt(3 * i) & 7n)]);
}
function readBlocks(data, channels) {
  const out = new Map();
  for (let block = 0; block < SIDE * SIDE / 16; ++block) {
    for (let c = 0; c < channels; ++c) {
      decodeBc4(data, (block * channels + c) * 8).forEach((v, i) => {
        out.set(`${(block % (SIDE / 4)) * 4 + i % 4},${Math.floor(block / (SIDE / 4)) * 4 + (i >> 2)},${c}`, v);
      });
    }
  }
  return (x, y, c) => out.get(`${x},${y},${c}`);
}

async function main() {
  const assetc = path.resolve(process.argv[2] ?? '');
  const basis = await loadTranscoder();
  let loader;
  try {
    const file = require.resolve('three/examples/jsm/loaders/KTX2Loader.js');
    const { KTX2Loader } = await import(pathToFileURL(file).href);
    loader = new KTX2Loader();
    loader.workerConfig = {};  // no GPU formats; nothing is transcoded here
  } catch (error) {
    console.log(`skipped: ${error.message}`);
    process.exit(SKIPPED);
  }
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assetc-values-'));
  let failures = 0, compared = 0;

  // Builds a picture with settings and reads level 0: {at(x, y, channel) from 0 to 1, colorSpace, levels, said}.
  async function compile(name, file, settings) {
    fs.rmSync(path.join(folder, 'assets'), { recursive: true, force: true });
    fs.rmSync(path.join(folder, 'runtime'), { recursive: true, force: true });
    fs.mkdirSync(path.join(folder, 'assets'));
    fs.writeFileSync(path.join(folder, 'assets', name), file);
    fs.writeFileSync(path.join(folder, 'assetc.yml'), `default: {texture: {${settings}}}\n`);
    const done = spawnSync(assetc, ['-q'], { cwd: folder, encoding: 'utf8' });
    if (done.status !== 0) throw new Error(done.stderr);
    const made = fs.readFileSync(path.join(folder, 'runtime', `${path.parse(name).name}.ktx2`));
    const { buffer, byteOffset, byteLength } = made;
    const copy = buffer.slice(byteOffset, byteOffset + byteLength);
    if (made.readUInt32LE(12) === 0) {
      const ktx = new basis.KTX2File(new Uint8Array(copy));
      ktx.startTranscoding();
      const texels = new Uint8Array(ktx.getImageTranscodedSizeInBytes(0, 0, 0, RGBA32));
      ktx.transcodeImage(texels, 0, 0, 0, RGBA32, 0, -1, -1);
      return { at: (x, y, c) => texels[(y * SIDE + x) * 4 + c] / 255, levels: ktx.getLevels(), said: done.stderr, file: made };
    }
    const texture = await loader._createTexture(copy);
    const { data } = texture.mipmaps[0];
    const channels = data.length / (SIDE * SIDE);
    const at = settings.includes(BC4) ? readBlocks(data, 1) : settings.includes(BC5) ? readBlocks(data, 2)
      : (x, y, c) => { const v = data[(y * SIDE + x) * channels + c]; return data instanceof Uint16Array ? fromHalf(v) : v / 255; };
    return { at, colorSpace: texture.colorSpace, levels: texture.mipmaps.length, said: done.stderr, file: made };
  }

  // wanted(x, y, channel): a number, or the least and the greatest allowed value.
  async function expect(what, name, file, settings, { channels = 4, wanted, limit = () => 1e-9, colorSpace, levels = 5, says = '' }) {
    ++compared;
    const fail = (why) => {
      console.log(`${what} (${settings}): ${why}`);
      ++failures;
    };
    let got;
    try {
      got = await compile(name, file, settings);
    } catch (error) {
      return fail(error.message);
    }
    let worst = 0, place = '';
    for (let y = 0; y < SIDE; ++y) {
      for (let x = 0; x < SIDE; ++x) {
        for (let c = 0; c < channels; ++c) {
          const want = wanted(x, y, c), [least, most] = Array.isArray(want) ? want : [want, want];
          const found = got.at(x, y, c), off = Math.max(0, least - found, found - most) / limit(most);
          if (!(off <= worst)) [worst, place] = [off, `${x}, ${y}, channel ${c}: ${found}, expected ${want}`];
        }
      }
    }
    if (!(worst <= 1)) fail(place);
    if (got.levels !== levels) fail(`${got.levels} levels, expected ${levels}`);
    if (colorSpace !== undefined && got.colorSpace !== colorSpace) fail(`color space "${got.colorSpace}", expected "${colorSpace}"`);
    if (says === '' ? /16-bit/.test(got.said) : !got.said.includes(says)) fail(`says "${got.said}", expected "${says}"`);
    return got.file;
  }

  const SRGB = 'srgb', LIGHT = 'srgb-linear', DATA = '';
  const picture = writePng(SIDE, SIDE, bytes), deep = writePng(SIDE, SIDE, words, 16);
  const shallow = writePng(SIDE, SIDE, (x, y) => bytes(x, y).map((v) => v * 257), 16), heights = writePng(SIDE, SIDE, ramp, 16);
  const is = (texel, most) => (x, y, c) => texel(x, y)[c] / most;

  // Without compression: every texel for every usage.
  const spaces = { color: SRGB, linear: DATA, normal: DATA, gray: DATA, orm: DATA, lut: DATA };
  for (const [usage, colorSpace] of Object.entries(spaces)) {
    const levels = usage === 'lut' ? 1 : 5;
    await expect(`8 bits as ${usage}`, 'a.png', picture, `usage: ${usage}, compress: false`, { wanted: is(bytes, 255), colorSpace, levels });
    await expect(`8 bits in 16 as ${usage}`, 'a.png', shallow, `usage: ${usage}, compress: false`, { wanted: is(bytes, 255), colorSpace, levels });
    await expect(`16 bits as ${usage}`, 'a.png', deep, `usage: ${usage}, compress: false`,
      { wanted: (x, y, c) => Math.round(words(x, y)[c] / 257) / 255, colorSpace, levels, says: '8 bits per channel' });
  }

  // Formats with more than 8 bits.
  await expect('16 bits as normal', 'a.png', writePng(SIDE, SIDE, bumps, 16), 'usage: normal, format: rgba16f',
    { wanted: is(bumps, 65535), limit: (v) => toHalf(v) + 2 / 65535, colorSpace: DATA });
  for (const usage of ['linear', 'orm', 'gray'])
    await expect(`16 bits as ${usage}`, 'a.png', deep, `usage: ${usage}, format: rgba16f`, { wanted: is(words, 65535), limit: toHalf, colorSpace: DATA });
  await expect('16 bits as color', 'a.png', deep, 'usage: color, format: rgba16f',
    { wanted: (x, y, c) => c === 3 ? words(x, y)[c] / 65535 : toLinear(words(x, y)[c] / 65535), limit: (v) => toHalf(v) + 1e-6, colorSpace: LIGHT });
  for (const [format, channels] of [[BC4, 1], [BC5, 2]])
    await expect('16-bit heights', 'a.png', heights, `usage: gray, format: ${format}${channels === 2 ? ', channels: rg' : ''}`,
      { channels, wanted: is(ramp, 65535), limit: () => 0.4 / 255 });

  // Light.
  const hdr = writeHdr(light);
  await expect('light', 'a.hdr', hdr.file, 'format: rgba16f', { channels: 3, wanted: (x, y, c) => hdr.at(x, y)[c], limit: toHalf, colorSpace: LIGHT });

  // Compressed formats, within the error of their blocks.
  const near = (x, y) => [100 + x * 4, 150 - y * 3, 90 + x + y, 255];
  for (const [usage, channels] of [['color', 4], ['linear', 4], ['orm', 4], ['gray', 1], ['normal', 2]])
    await expect(`blocks as ${usage}`, 'a.png', writePng(SIDE, SIDE, near), `usage: ${usage}`, { channels, wanted: is(near, 255), limit: () => 5 / 255 });

  // A KTX 2 file as the source of another one.
  const plain = await expect('a first KTX 2', 'a.png', picture, 'usage: linear, format: rgba8', { wanted: is(bytes, 255) });
  await expect('KTX 2, copied', 'a.ktx2', plain, 'format: rgba8', { wanted: is(bytes, 255), colorSpace: DATA });
  await expect('KTX 2', 'a.ktx2', plain, 'format: rgba16f', { wanted: is(bytes, 255), limit: toHalf, colorSpace: DATA });
  const soft = await expect('a soft KTX 2', 'a.png', writePng(SIDE, SIDE, near), 'usage: color, format: rgba8', { wanted: is(near, 255) });
  await expect('KTX 2', 'a.ktx2', soft, 'format: uastc', { wanted: is(near, 255), limit: () => 5 / 255 });
  await expect('KTX 2', 'a.ktx2', soft, 'format: rgba8', { wanted: is(near, 255), colorSpace: SRGB });

  fs.rmSync(folder, { recursive: true, force: true });
  console.log(`${compared} textures compared, ${failures} faults`);
  process.exit(failures === 0 ? 0 : 1);
}
main();
