// The readers of the page, without a browser: damaged files end in an AssetcError, and what they make is what the compiler wrote.
import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { AssetcError, loadTranscoder } from '@assetc/codec';
import { blobToKtx2, isBlob, readBlob } from '../src/aas1.js';
import { readCookedMaterial, readCookedMesh, readCookedSkeleton } from '../src/aas1_model.js';
import { smallLevels, wrapKtx2 } from '../src/ktx2_wrap.js';
import { readMeshlets } from '../src/meshlets.js';
import { comparePictures } from '../src/metrics.js';
import { squarify } from '../src/treemap.js';
import { attack } from './attack.mjs';
import { run, skip } from './browser.mjs';

const demo = fileURLToPath(new URL('../../../examples/demo/assets', import.meta.url));
/** @type {string} */
let folder;
/** @type {Map<string, Uint8Array>} one cooked asset of each type */
const assets = new Map();
/** @type {import('@assetc/codec').Transcoder} */
let codec;

before(async () => {
  if (skip) return;
  folder = mkdtempSync(join(tmpdir(), 'assetc-readers-'));
  for (const path of ['textures', 'models/crate', 'models/tentacle.glb', 'materials']) {
    cpSync(join(demo, path), join(folder, 'Assets', path), { recursive: true });
    cpSync(join(demo, path), join(folder, 'game/assets', path), { recursive: true });
  }
  for (const project of [folder, join(folder, 'game')]) writeFileSync(join(project, 'assetc.yml'), '{}');
  run(join(folder, 'game'), 'build');
  run(folder, 'import');
  run(folder, 'cook', '--platform', 'Linux');
  const cooked = join(folder, 'build/Cooked/Linux/Assets');
  for (const name of readdirSync(cooked)) {
    const bytes = readFileSync(join(cooked, name)),
      { typeName, extensions } = readBlob(bytes, name);
    if (extensions.has('SKEL')) assets.set('skinned', new Uint8Array(bytes));
    if (!assets.has(typeName) || bytes.length < assets.get(typeName).length) assets.set(typeName, new Uint8Array(bytes));
  }
  codec = await loadTranscoder();
});
after(() => {
  if (folder) rmSync(folder, { recursive: true, force: true });
});

test('damaged blobs are refused', { skip }, () => {
  attack(assets.get('Texture2D'), blobToKtx2);
  attack(assets.get('Mesh'), readCookedMesh);
  attack(assets.get('Material'), readCookedMaterial);
  attack(assets.get('skinned'), readCookedMesh);
  attack(assets.get('Skeleton'), readCookedSkeleton);
  attack(readFileSync(join(folder, 'game/runtime/models/crate/crate.hmesh')), readMeshlets);
});

test('a cooked mesh has the joints of its skeleton', { skip }, () => {
  const { mesh, skeleton } = readCookedMesh(assets.get('skinned'), 'mesh'),
    { joints, nodes } = readCookedSkeleton(assets.get('Skeleton'), 'skeleton');
  assert.match(skeleton, /^[0-9a-f-]{36}$/);
  assert.ok(joints.length > 1 && joints.every(({ name }) => name !== ''));
  assert.equal(nodes?.length, joints.length);
  assert.equal(mesh.skin.joints.length, 4 * mesh.vertexCount);
  assert.ok(mesh.skin.joints.every((joint) => joint < joints.length));
});

test('a texture of a blob opens as a KTX 2 file', { skip }, () => {
  const bytes = assets.get('Texture2D');
  assert.ok(isBlob(bytes));
  const file = codec.open(blobToKtx2(bytes, 'blob'));
  assert.ok(file.levels > 1 && file.model === 'block');
  for (let level = 0; level < file.levels; ++level)
    assert.equal(file.transcode({ level }, 'rgba8').width, Math.max(1, file.width >> level));
  file.close();
});

test('wrapped blocks of each format decode', { skip }, () => {
  for (const [vkFormat, size] of [
    [131, 8],
    [137, 16],
    [139, 8],
    [141, 16],
    [145, 16],
    [146, 16],
    [147, 8],
    [151, 16],
    [153, 8],
    [155, 16],
    [157, 16],
    [37, 64],
    [9, 16],
    [97, 128],
  ]) {
    const file = codec.open(wrapKtx2({ vkFormat, width: 4, height: 4, levels: [new Uint8Array(size)] }));
    const { data } = file.transcode({}, file.hdr ? 'rgba16f' : 'rgba8');
    assert.equal(data.length, file.hdr ? 128 : 64, `VkFormat ${vkFormat}`);
    file.close();
  }
  assert.equal(wrapKtx2({ vkFormat: 1000, width: 4, height: 4, levels: [new Uint8Array(16)] }), null);
});

test('the first bytes of a texture hold its small levels', { skip }, () => {
  const bytes = readFileSync(join(folder, 'game/runtime/textures/wall.ktx2')),
    whole = codec.open(bytes);
  const file = codec.open(smallLevels(bytes.subarray(0, 8192)));
  assert.ok(file.levels < whole.levels && file.width < whole.width);
  const first = whole.levels - file.levels;
  for (let level = 0; level < file.levels; ++level)
    assert.deepEqual(file.transcode({ level }, 'rgba8').data, whole.transcode({ level: level + first }, 'rgba8').data);
  assert.equal(smallLevels(bytes.subarray(0, 79)), null);
  attack(bytes.subarray(0, 8192), (damaged) => {
    if (!smallLevels(damaged)) throw new AssetcError('none', { place: 'damaged' });
  });
  file.close();
  whole.close();
});

test('equal pictures have no error, and a flipped texel has its own', () => {
  const a = new Uint8Array(16 * 16 * 4).fill(128),
    b = a.slice();
  assert.deepEqual(comparePictures(a, b, 16, 16, [0, 1, 2, 3]).psnr, Infinity);
  assert.ok(Math.abs(comparePictures(a, b, 16, 16, [0, 1, 2, 3]).ssim - 1) < 1e-6);
  b[4] = 129;
  const { psnr, largest } = comparePictures(a, b, 16, 16, [0, 1, 2]);
  assert.ok(Math.abs(psnr - 10 * Math.log10((255 * 255 * 3 * 256) / 1)) < 1e-9);
  assert.equal(largest, 1 / 255);
});

test('boxes of a treemap have the areas of their weights', () => {
  const weights = [60, 30, 20, 10, 5, 1],
    boxes = squarify(weights, { x: 0, y: 0, width: 120, height: 70 });
  const total = weights.reduce((sum, weight) => sum + weight);
  boxes.forEach(({ x, y, width, height }, i) => {
    assert.ok(Math.abs(width * height - (120 * 70 * weights[i]) / total) < 1e-6);
    assert.ok(x >= -1e-9 && y >= -1e-9 && x + width <= 120 + 1e-9 && y + height <= 70 + 1e-9);
  });
});
