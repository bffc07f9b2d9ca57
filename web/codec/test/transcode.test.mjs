// The transcoder gives the texels and blocks of the native one.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import test from 'node:test';
import { assetc, assetcIn, corpus, etc1sProbe, folder, picture, probe, read, readPng, root } from './tools.mjs';
import { AssetcError, loadEncoder, loadTranscoder } from '../src/index.js';

// Without SIMD, where the engine has it, only in the test of all modes.
const transcoder = await loadTranscoder(), plain = await loadTranscoder({ simd: false });

test('decodes every level of the corpus as the command does', async () => {
  let levels = 0;
  for (const file of corpus()) {
    if (file.includes('/bad/')) continue;
    const texture = transcoder.open(read(file));
    // The command writes linear light of 16 bits as sRGB.
    const is8bit = texture.srgb || ![91, 97].includes(texture.vkFormat);
    for (let level = 0; is8bit && level < texture.levels; ++level) {
      for (let face = 0; face < texture.faces; ++face) {
        for (let layer = 0; layer < texture.layers; ++layer) {
          const out = path.join(folder, 'level.png');
          assetc('convert', file, out, '--level', level, ...(texture.faces > 1 ? ['--face', face] : []),
            ...(texture.layers > 1 ? ['--layer', layer] : []));
          const png = readPng(fs.readFileSync(out)), image = texture.transcode({ level, face, layer }, 'rgba8');
          assert.deepEqual([image.width, image.height], [png.width, png.height]);
          for (let i = 0; i < image.data.length; ++i) {
            const native = png.at(Math.floor(i / 4) % png.width, Math.floor(i / 4 / png.width), i % 4) * 255;
            assert.ok(Math.abs(image.data[i] - native) <= 0.51, `${file}: level ${level}, byte ${i}: ${image.data[i]}, ${native}`);
          }
          ++levels;
        }
      }
    }
    texture.close();
  }
  assert.ok(levels >= 10, `${levels} levels`);
});

// Blocks of every mode, with our native transcoder's blocks for each target.
test('transcodes every mode of UASTC to the bytes of the native transcoder', async (t) => {
  if (!fs.existsSync(probe)) return t.skip(`no ${probe}`);
  const blocks = path.join(folder, 'blocks');
  fs.mkdirSync(blocks);
  assert.equal(spawnSync(probe, ['write', blocks]).status, 0);
  const encoder = await loadEncoder({ workers: 0 });
  const names = {
    rgba8: 'rgba8', bc1: 'bc1', bc3: 'bc3', bc4: 'bc4', bc5: 'bc5', bc7: 'bc7', etc1: 'etc1', 'etc2-rgba': 'etc2_rgba',
    'eac-r11': 'eac_r11', 'eac-rg11': 'eac_rg11', 'astc-4x4': 'astc4x4',
  };
  let compared = 0;
  for (const file of fs.readdirSync(blocks).filter((name) => name.endsWith('.uastc'))) {
    const set = read(path.join(blocks, file));
    const across = Math.min(256, set.length / 16), down = Math.floor(set.length / 16 / across), count = across * down;
    const holder = await encoder.encode(picture(across * 4, down * 4), { format: 'uastc', color: 'linear', mips: false });
    holder.set(set.subarray(0, count * 16), holder.length - count * 16);
    // The probe takes red and alpha for two channels: the channels of the file become RRRG.
    const dfd = new DataView(holder.buffer).getUint32(48, true);
    holder[dfd + 4 + 24 + 3] = (holder[dfd + 4 + 24 + 3] & 0xf0) | 5;
    const texture = transcoder.open(holder), other = plain.open(holder);
    for (const [target, name] of Object.entries(names)) {
      const native = read(path.join(blocks, file.replace(/uastc$/, name)));
      const { data } = texture.transcode({}, target);
      assert.deepEqual(Buffer.from(other.transcode({}, target).data), Buffer.from(data), `${file}: ${target}, no SIMD`);
      if (target !== 'rgba8') {
        assert.deepEqual(Buffer.from(data), Buffer.from(native.subarray(0, data.length)), `${file}: ${target}`);
        ++compared;
        continue;
      }
      for (let b = 0; b < count; ++b) { // 16 texels of each block, there; rows of the picture, here
        for (let y = 0; y < 4; ++y) {
          const at = ((Math.floor(b / across) * 4 + y) * across + b % across) * 16;
          assert.deepEqual(data.subarray(at, at + 16), native.subarray(b * 64 + y * 16, b * 64 + y * 16 + 16), `${file}: block ${b}`);
        }
      }
      ++compared;
    }
    other.close();
    texture.close();
  }
  assert.ok(compared > 50, `${compared} comparisons`);
});

test('decodes ETC1S files of every shape to the texels of the native reader', (t) => {
  if (!fs.existsSync(etc1sProbe)) return t.skip(`no ${etc1sProbe}`);
  const files = path.join(folder, 'etc1s'), out = path.join(folder, 'etc1s.rgba');
  fs.mkdirSync(files);
  assert.equal(spawnSync(etc1sProbe, ['write', files]).status, 0);
  let images = 0;
  for (const file of fs.readdirSync(files)) {
    assert.equal(spawnSync(etc1sProbe, ['decode', path.join(files, file), out]).status, 0);
    const native = fs.readFileSync(out), texture = transcoder.open(read(path.join(files, file)));
    assert.equal(texture.model, 'etc1s');
    let at = 0;
    for (let level = 0; level < texture.levels; ++level) {
      for (let layer = 0; layer < texture.layers; ++layer) {
        for (let face = 0; face < texture.faces; ++face, ++images) {
          const { data, width, height } = texture.transcode({ level, layer, face }, 'rgba8');
          assert.deepEqual(Buffer.from(data), native.subarray(at, at + data.length), `${file}: ${level}, ${layer}, ${face}`);
          at += data.length;
          for (const target of ['bc7', 'etc2-rgba', 'astc-4x4'])
            assert.equal(texture.transcode({ level, layer, face }, target).data.length, Math.ceil(width / 4) * Math.ceil(height / 4) * 16);
        }
      }
    }
    assert.equal(at, native.length, file);
    texture.close();
  }
  assert.ok(images > 20, `${images} images`);
});

test('agrees with the transcoder of Basis Universal on files of our encoder', async (t) => {
  let basis;
  try {
    const require = createRequire(import.meta.url);
    require('../../../tests/interop/node_modules/three/package.json');
    basis = await require('../../../tests/interop/basis.cjs').loadTranscoder();
  } catch {
    return t.skip('run npm ci in tests/interop');
  }
  const encoder = await loadEncoder();
  for (const [settings, worst] of [[{ format: 'uastc', color: 'linear' }, 0], [{ format: 'uastc', color: 'srgb', rdo: 10 }, 1],
    [{ format: 'uastc', color: 'srgb', zstd: 10 }, 1]]) {
    const file = await encoder.encode(picture(70, 50, { alpha: true }), settings);
    const theirs = new basis.KTX2File(file), ours = transcoder.open(file);
    assert.ok(theirs.isValid() && theirs.startTranscoding());
    assert.equal(theirs.getLevels(), ours.levels);
    for (let level = 0; level < ours.levels; ++level) {
      const RGBA8 = 13, expected = new Uint8Array(theirs.getImageTranscodedSizeInBytes(level, 0, 0, RGBA8));
      assert.ok(theirs.transcodeImage(expected, level, 0, 0, RGBA8, 0, -1, -1));
      const { data } = ours.transcode({ level }, 'rgba8');
      assert.equal(data.length, expected.length);
      for (let i = 0; i < data.length; ++i)
        assert.ok(Math.abs(data[i] - expected[i]) <= worst, `level ${level}, byte ${i}: ${data[i]}, theirs ${expected[i]}`);
    }
    theirs.close();
    theirs.delete();
    ours.close();
  }
  encoder.close();
});

test('decodes BC6H and half floats', () => {
  const source = path.join(root, 'tests/data/corpus/images/sky.hdr');
  const open = (format) => {
    const out = path.join(folder, `${format}.ktx2`);
    assetc('convert', source, out, '--texture.usage', 'hdr', '--texture.format', format);
    return transcoder.open(read(out));
  };
  const halves = open('rgba16f'), blocks = open('bc6h');
  assert.deepEqual([halves.hdr, halves.model, halves.vkFormat, blocks.hdr, blocks.model, blocks.vkFormat],
    [true, 'raw', 97, true, 'block', 143]);
  const stored = halves.transcode({}, 'source').data;
  assert.deepEqual(halves.transcode({}, 'rgba16f').data, stored);
  const decoded = blocks.transcode({}, 'rgba16f');
  assert.equal(decoded.data.length, decoded.width * decoded.height * 8);
  assert.equal(blocks.transcode({}, 'bc6h').data.length, Math.ceil(decoded.width / 4) * Math.ceil(decoded.height / 4) * 16);
  // Positive halves are ordered like their bits, and neighbors of 1 are 2^-10 apart.
  const a = new Uint16Array(stored.buffer), b = new Uint16Array(decoded.data.buffer);
  let worst = 0;
  for (let i = 0; i < a.length; ++i) worst = Math.max(worst, Math.abs(a[i] - b[i]));
  assert.ok(worst < 512, `${worst} steps`);
  assert.ok(b.some((half) => half > 0x3c00), 'light above 1');
  halves.close();
  blocks.close();
});

test('decodes the slices of a three-dimensional texture', () => {
  const size = 5, project = path.join(folder, 'grading');
  const lines = Array.from({ length: size ** 3 }, (_, i) => [i % size, Math.floor(i / size) % size, Math.floor(i / size ** 2)]
    .map((value) => (value / (size - 1)).toFixed(3)).join(' '));
  fs.mkdirSync(path.join(project, 'assets'), { recursive: true });
  fs.writeFileSync(path.join(project, 'assets/grade.lut.cube'), `LUT_3D_SIZE ${size}\n${lines.join('\n')}\n`);
  assetcIn(project, '-q');
  const texture = transcoder.open(read(path.join(project, 'runtime/grade.lut.ktx2')));
  assert.deepEqual([texture.width, texture.height, texture.depth], [size, size, size]);
  const seen = new Set();
  for (let slice = 0; slice < size; ++slice) {
    const { data } = texture.transcode({ slice }, 'rgba8');
    seen.add(data[2]);
    for (let i = 0; i < data.length; i += 4) {
      const expected = [i / 4 % size, Math.floor(i / 4 / size), slice].map((value) => value * 255 / (size - 1));
      for (let c = 0; c < 3; ++c) assert.ok(Math.abs(data[i + c] - expected[c]) <= 1, `slice ${slice}, byte ${i + c}`);
    }
  }
  assert.equal(seen.size, size);
  assert.throws(() => texture.transcode({ slice: size }, 'rgba8'), AssetcError);
  texture.close();
});

test('describes a file', async () => {
  const encoder = await loadEncoder({ workers: 0 });
  const texture = transcoder.open(await encoder.encode(picture(12, 7, { alpha: true }), { format: 'bc7', color: 'srgb', zstd: 1 }));
  const { width, height, depth, layers, faces, levels, vkFormat, model, srgb, hdr, hasAlpha } = texture;
  assert.deepEqual({ width, height, depth, layers, faces, levels, vkFormat, model, srgb, hdr, hasAlpha },
    { width: 12, height: 7, depth: 1, layers: 1, faces: 1, levels: 4, vkFormat: 146, model: 'block', srgb: true, hdr: false, hasAlpha: true });
  assert.equal(new TextDecoder().decode(texture.keyValues.get('KTXwriter')), 'assetc\0');
  texture.close();
  texture.close();
});

test('refuses what it cannot do with AssetcError', async () => {
  const encoder = await loadEncoder({ workers: 0 });
  const texture = transcoder.open(await encoder.encode(picture(8, 8), { format: 'uastc', color: 'srgb' }));
  const refuses = (work, pattern) => assert.throws(work, (error) => {
    assert.ok(error instanceof AssetcError, String(error));
    assert.match(error.message, pattern);
    return true;
  });
  refuses(() => texture.transcode({ level: 4 }, 'bc7'), /^level 4: the texture has 4 levels$/);
  refuses(() => texture.transcode({ face: 1 }, 'bc7'), /^face 1: the texture has 1 face$/);
  refuses(() => texture.transcode({ layer: -1 }, 'bc7'), /^layer is -1, expected a whole number from 0$/);
  refuses(() => texture.transcode({}, 'pvrtc'), /^no target "pvrtc", expected rgba8, /);
  refuses(() => texture.transcode({}, 'bc6h'), /HDR/);
  texture.close();
  refuses(() => texture.transcode({}, 'bc7'), /^this file was closed$/);
  refuses(() => transcoder.open(new Uint8Array()), /./);
  refuses(() => transcoder.open('x'), /^expected the bytes of a file as a Uint8Array$/);
  await assert.rejects(loadTranscoder({ wasm: new Uint8Array(4) }), AssetcError);
});
