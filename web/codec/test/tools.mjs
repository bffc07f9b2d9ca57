// What the tests of @assetc/codec share: the built command, pictures and broken files.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const require = createRequire(import.meta.url);
export const { writePng, readPng } = require('../../../tests/interop/png.cjs');

export const root = fileURLToPath(new URL('../../../', import.meta.url));
export const packageFolder = path.join(root, 'web/codec');
const program = process.env.ASSETC_PROGRAM ?? path.join(root, 'build/release/assetc');
export const probe = process.env.ASSETC_UASTC_PROBE ?? path.join(root, 'build/release/uastc_probe');
export const etc1sProbe = process.env.ASSETC_ETC1S_PROBE ?? path.join(root, 'build/release/etc1s_probe');

// ctest reports a test as skipped if it prints this word and a colon.
export const missing = ['transcode', 'transcode-simd', 'encode', 'encode-simd'].some(
  (name) => !fs.existsSync(path.join(packageFolder, 'wasm', `${name}.wasm`)));
if (missing) {
  console.log('skipped: no web/codec/wasm; run scripts/build-web --modules');
  process.exit(0);
}

export const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assetc-codec-'));
process.on('exit', () => fs.rmSync(folder, { recursive: true, force: true }));

/** Runs the command, in a folder; returns what it printed. Throws if it failed. */
export const assetc = (...args) => assetcIn(folder, ...args);

export function assetcIn(cwd, ...args) {
  const ran = spawnSync(program, args, { cwd, encoding: 'utf8', env: { ...process.env, ASSETC_CACHE: 'off' } });
  if (ran.status !== 0) throw new Error(`assetc ${args.join(' ')}: ${ran.error ?? ran.stderr}`);
  return ran.stdout;
}

/** Numbers from 0 to 2^32 - 1, the same in each run. */
export function randomNumbers(seed) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state ^ (state >>> 15)) >>> 0;
  };
}

/** A picture with gradients, edges and noise: {width, height, data}. */
export function picture(width, height, { alpha = false, seed = 1 } = {}) {
  const data = new Uint8Array(width * height * 4), random = randomNumbers(seed);
  for (let y = 0, at = 0; y < height; ++y) {
    for (let x = 0; x < width; ++x, at += 4) {
      const noise = random() % 24, stripe = (x >> 3 ^ y >> 3) & 1;
      data[at] = Math.min(255, x * 255 / width + noise);
      data[at + 1] = Math.min(255, stripe ? 40 + noise : y * 255 / height);
      data[at + 2] = 128 + 100 * Math.sin((x + y) / 9) + noise / 2;
      data[at + 3] = alpha ? Math.min(255, (x * 3 + y * 2) & 255) : 255;
    }
  }
  return { width, height, data };
}

export function savePicture({ width, height, data }, name) {
  const file = path.join(folder, name);
  fs.writeFileSync(file, writePng(width, height, (x, y) => [...data.subarray((y * width + x) * 4, (y * width + x) * 4 + 4)]));
  return file;
}

/** All .ktx2 files of the corpora that exist here, without `reported`: its files are damaged or have tests of their own. */
export function corpus() {
  const found = [];
  const walk = (at) => {
    if (!fs.existsSync(at)) return;
    for (const one of fs.readdirSync(at, { withFileTypes: true })) {
      const name = path.join(at, one.name);
      if (one.isDirectory()) {
        if (one.name !== 'reported') walk(name);
      } else if (name.endsWith('.ktx2')) found.push(name);
    }
  };
  walk(path.join(root, 'tests/data/corpus'));
  walk(process.env.ASSETC_CORPUS ?? path.join(root, '../shared/corpus'));
  return found;
}

export const read = (file) => new Uint8Array(fs.readFileSync(file));
