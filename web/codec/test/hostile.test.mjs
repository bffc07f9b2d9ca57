// A broken file ends in an AssetcError or in an image, never in a trap, and other files stay usable.
import assert from 'node:assert/strict';
import test from 'node:test';
import { corpus, picture, randomNumbers, read } from './tools.mjs';
import { AssetcError, loadEncoder, loadTranscoder } from '../src/index.js';

const TARGETS = ['rgba8', 'bc7', 'etc2-rgba', 'source'];
const transcoder = await loadTranscoder();

// Opens and transcodes everything. Returns how many AssetcErrors there were.
function attack(bytes, name) {
  let errors = 0;
  const attempt = (work) => {
    try {
      return work();
    } catch (error) {
      assert.ok(error instanceof AssetcError, `${name}: ${error.stack}`);
      assert.notEqual(error.code, 'trap', `${name}: ${error.message}`);
      ++errors;
      return undefined;
    }
  };
  const texture = attempt(() => transcoder.open(bytes));
  if (!texture) return errors;
  for (const target of TARGETS) {
    for (let level = 0; level < Math.min(texture.levels, 3); ++level) {
      const last = { level, layer: texture.layers - 1, face: texture.faces - 1 };
      attempt(() => texture.transcode(last, target));
    }
  }
  texture.close();
  return errors;
}

async function samples() {
  const encoder = await loadEncoder({ workers: 0 });
  const own = [];
  for (const settings of [{ format: 'uastc', color: 'srgb', zstd: 3 }, { format: 'bc7', color: 'srgb' }, { format: 'uastc', color: 'normal' },
    { format: 'rgba8', color: 'srgb', zstd: 1 }])
    own.push([JSON.stringify(settings), await encoder.encode(picture(24, 20, { alpha: true }), settings)]);
  const files = corpus().map((file) => [file, read(file)]).filter(([, bytes]) => bytes.length < 100_000);
  return [...own, ...files];
}

test('flipped and replaced bytes', async () => {
  const random = randomNumbers(7);
  let errors = 0;
  for (const [name, bytes] of await samples()) {
    for (let round = 0; round < 60; ++round) {
      const broken = bytes.slice();
      const head = Math.min(bytes.length, 400), count = 1 + random() % 3;
      for (let i = 0; i < count; ++i) broken[random() % (round % 2 ? bytes.length : head)] = random() & 255;
      errors += attack(broken, `${name}, round ${round}`);
    }
  }
  assert.ok(errors > 100, `${errors} errors`);
});

test('truncated files and files with extra bytes', async () => {
  for (const [name, bytes] of await samples()) {
    for (let i = 0; i < 40; ++i) {
      const size = Math.floor(bytes.length * i / 40);
      assert.ok(attack(bytes.slice(0, size), `${name}, ${size} bytes`) > 0, `${name}, ${size} bytes`);
    }
    attack(new Uint8Array([...bytes, 1, 2, 3]), `${name}, extra bytes`);
  }
});

test('a file that claims to be huge', async () => {
  const encoder = await loadEncoder({ workers: 0 });
  const good = await encoder.encode(picture(8, 8), { format: 'uastc', color: 'srgb', mips: false, zstd: 1 });
  for (const side of [1 << 14, 1 << 16]) {
    const broken = good.slice(), view = new DataView(broken.buffer);
    view.setUint32(20, side, true);
    view.setUint32(24, side, true);
    view.setBigUint64(96, BigInt(side) * BigInt(side), true);
    assert.ok(attack(broken, `${side}`) > 0);
  }
});

test('a trap ends only its own file', async () => {
  const encoder = await loadEncoder({ workers: 0 });
  const bytes = await encoder.encode(picture(8, 8), { format: 'uastc', color: 'srgb' });
  // A module that exports memory, _initialize, and an allocate that traps.
  const trapping = await loadTranscoder({ wasm: new Uint8Array([
    0, 97, 115, 109, 1, 0, 0, 0, 1, 9, 2, 96, 0, 0, 96, 1, 127, 1, 127, 3, 3, 2, 0, 1, 5, 3, 1, 0, 1, 7, 35, 3,
    ...[6, ...Buffer.from('memory'), 2, 0], ...[11, ...Buffer.from('_initialize'), 0, 0], ...[8, ...Buffer.from('allocate'), 0, 1],
    10, 8, 2, 2, 0, 11, 3, 0, 0, 11]) });
  for (let i = 0; i < 2; ++i) // the second time with a new instance
    assert.throws(() => trapping.open(bytes), (error) => error instanceof AssetcError && error.code === 'trap');
  const empty = await loadTranscoder({ wasm: new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]) });
  assert.throws(() => empty.open(bytes), AssetcError);
  const texture = transcoder.open(bytes);
  assert.equal(texture.transcode({}, 'rgba8').data.length, 256);
  texture.close();
});
