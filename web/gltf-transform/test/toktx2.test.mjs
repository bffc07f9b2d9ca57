// Documents of glTF-Transform whose textures toktx2 encodes: checked by Khronos' validator, by values, and by what must stay.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { AssetcError, loadEncoder, loadTranscoder } from '@assetc/codec';
import { Document, NodeIO } from '@gltf-transform/core';
import { ALL_EXTENSIONS } from '@gltf-transform/extensions';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import sharp from 'sharp';
import { toktx2 } from '../index.js';
import { fittedSize, resizePicture } from '../src/resize.js';
import { corpus, random } from '../../test/support.mjs';

const require = createRequire(import.meta.url);
const modules = join(dirname(fileURLToPath(import.meta.url)), '../../codec/wasm');
const skip = !existsSync(join(modules, 'encode.wasm')) ? 'run scripts/build-web' : false;
const skipCorpus = skip || (!existsSync(join(corpus, 'models')) ? 'set ASSETC_CORPUS to the folder of test files' : false);
const io = () => new NodeIO().registerExtensions(ALL_EXTENSIONS);
const quiet = (document) => document.setLogger({ debug() {}, info() {}, warn() {}, error() {} });

/** The texels of a picture. */
const texels = async (bytes) => {
  const { data, info } = await sharp(bytes, { ignoreIcc: true }).toColourspace('srgb').ensureAlpha().raw({ depth: 'uchar' }).toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, data };
};

/** The ratio of signal to noise of RGB in decibels. */
function psnr(found, expected) {
  assert.equal(found.length, expected.length);
  let sum = 0, count = 0;
  for (let i = 0; i < found.length; ++i) {
    if (i % 4 === 3) continue;
    sum += (found[i] - expected[i]) ** 2;
    ++count;
  }
  return sum === 0 ? Infinity : 10 * Math.log10(255 * 255 * count / sum);
}

/** A .png with a smooth pattern. */
async function png(width, height, { alpha = 255 } = {}) {
  const data = Buffer.alloc(width * height * 4);
  for (let y = 0; y < height; ++y)
    for (let x = 0; x < width; ++x) data.set([128 + 90 * Math.sin(x / 7), 128 + 90 * Math.cos(y / 5), 200, alpha].map(Math.round), 4 * (y * width + x));
  return new Uint8Array(await sharp(data, { raw: { width, height, channels: 4 } }).png().toBuffer());
}

/** A document with a material and the textures of these slots. */
async function document(slots) {
  const made = quiet(new Document()), material = made.createMaterial('paint');
  for (const [slot, bytes] of Object.entries(slots)) {
    const texture = made.createTexture(slot).setImage(bytes).setMimeType('image/png').setURI(`pictures/${slot}.png`).setExtras({ from: slot });
    material[`set${slot[0].toUpperCase()}${slot.slice(1)}`](texture);
  }
  return made;
}

async function opened(texture) {
  return (await loadTranscoder()).open(texture.getImage());
}

test('models pass the validator, and keep the values of their textures', { skip: skipCorpus }, async () => {
  const validator = require('gltf-validator'), encoder = await loadEncoder();
  let count = 0;
  for (const model of ['BoxTextured/BoxTextured.gltf', 'FlightHelmet/FlightHelmet.gltf', 'CesiumMan/CesiumMan.gltf']) {
    const made = quiet(await io().read(join(corpus, 'models', model)));
    const before = made.getRoot().listTextures().map((texture) => ({ name: texture.getName(), extras: texture.getExtras(), image: texture.getImage() }));
    await made.transform(toktx2({ encoder, quality: 'fast' }));
    const glb = await io().writeBinary(made);
    const report = await validator.validateBytes(glb, { maxIssues: 50 });
    assert.equal(report.issues.numErrors, 0, `${model}: ${JSON.stringify(report.issues.messages)}`);

    const again = quiet(await io().readBinary(glb)), json = (await io().writeJSON(again)).json;
    assert.ok(json.extensionsRequired.includes('KHR_texture_basisu'), model);
    for (const texture of json.textures) assert.ok(texture.source === undefined && texture.extensions.KHR_texture_basisu.source !== undefined, model);
    const after = again.getRoot().listTextures();
    assert.equal(after.length, before.length);
    for (const [i, texture] of after.entries()) {
      assert.equal(texture.getMimeType(), 'image/ktx2');
      assert.equal(texture.getName(), before[i].name);
      assert.deepEqual(texture.getExtras(), before[i].extras);
      const file = await opened(texture), source = await texels(before[i].image);
      assert.equal(file.model, 'uastc');
      assert.deepEqual([file.width, file.height], [source.width, source.height]);
      const quality = psnr(file.transcode({}, 'rgba8').data, source.data);
      assert.ok(quality > 30, `${model} texture ${i}: ${quality.toFixed(1)} dB`);
      file.close();
      ++count;
    }
  }
  encoder.close();
  assert.ok(count > 10, `${count} textures`);
});

test('slots decide the color space; normal maps keep z', { skip }, async () => {
  const normals = Buffer.alloc(64 * 64 * 4);
  for (let i = 0; i < 64 * 64; ++i) {
    const x = 0.7 * Math.sin(i % 64 / 10), y = 0.6 * Math.cos(Math.floor(i / 64) / 12), z = Math.sqrt(1 - x * x - y * y);
    normals.set([x, y, z, 1].map((value) => Math.round((value + 1) * 127.5)), 4 * i);
  }
  const normal = new Uint8Array(await sharp(normals, { raw: { width: 64, height: 64, channels: 4 } }).png().toBuffer());
  const made = await document({ baseColorTexture: await png(64, 32), metallicRoughnessTexture: await png(32, 32), normalTexture: normal, emissiveTexture: await png(16, 16) });
  await made.transform(toktx2());
  const textures = new Map(made.getRoot().listTextures().map((texture) => [texture.getName(), texture]));
  for (const [slot, srgb] of [['baseColorTexture', true], ['metallicRoughnessTexture', false], ['normalTexture', false], ['emissiveTexture', true]]) {
    const texture = textures.get(slot), file = await opened(texture);
    assert.equal(file.srgb, srgb, slot);
    assert.equal(texture.getURI(), `pictures/${slot}.ktx2`);
    assert.deepEqual(texture.getExtras(), { from: slot });
    assert.equal(file.levels, Math.log2(Math.max(file.width, file.height)) + 1, slot);
    if (slot === 'normalTexture') assert.ok(psnr(file.transcode({}, 'rgba8').data, normals) > 40);
    file.close();
  }
});

test('options select textures and limit sizes', { skip }, async () => {
  const bytes = await png(100, 50);
  const made = await document({ baseColorTexture: bytes, normalTexture: bytes, emissiveTexture: bytes });
  const kinds = () => made.getRoot().listTextures().map((texture) => texture.getMimeType().slice(6)).join(' ');
  await made.transform(toktx2({ slots: /^normalTexture$/g, maxSize: 40, mips: false }));
  assert.equal(kinds(), 'png ktx2 png');
  const normal = await opened(made.getRoot().listTextures()[1]);
  assert.deepEqual([normal.width, normal.height, normal.levels], [40, 20, 1]);
  await made.transform(toktx2({ pattern: /emissive/ }));
  assert.equal(kinds(), 'png ktx2 ktx2');
  const emissive = await opened(made.getRoot().listTextures()[2]);
  assert.deepEqual([emissive.width, emissive.height], [100, 52], 'sides are multiples of four');
  await made.transform(toktx2());
  assert.equal(kinds(), 'ktx2 ktx2 ktx2');
  assert.throws(() => toktx2({ maxSize: 3 }), /maxSize is 3/);
});

test('RDO makes files smaller', { skip }, async () => {
  const next = random(5), data = Buffer.alloc(128 * 128 * 4);
  for (let i = 0; i < 128 * 128; ++i) data.set([i % 128 + next() % 12, (i >> 7) + next() % 12, 100 + next() % 12, 255], 4 * i);
  const picture = new Uint8Array(await sharp(data, { raw: { width: 128, height: 128, channels: 4 } }).png().toBuffer());
  const sizes = [];
  for (const rdo of [0, 60]) {
    const made = await document({ baseColorTexture: picture });
    await made.transform(toktx2({ rdo }));
    sizes.push(made.getRoot().listTextures()[0].getImage().byteLength);
  }
  assert.ok(sizes[1] < 0.95 * sizes[0], `${sizes}`);
});

test('a texture that no material uses stays, and so do the extensions that it needs', { skip }, async () => {
  const made = await document({ baseColorTexture: await png(8, 8) });
  made.createTexture('loose').setImage(await png(8, 8)).setMimeType('image/png');
  await made.transform(toktx2());
  assert.deepEqual(made.getRoot().listTextures().map((texture) => texture.getMimeType()), ['image/ktx2', 'image/png']);
});

test('a picture that cannot be decoded is an error that names the texture, and nothing changes', { skip }, async () => {
  const made = await document({ baseColorTexture: await png(64, 64), normalTexture: new Uint8Array([1, 2, 3]) });
  await assert.rejects(made.transform(toktx2()), (error) => error instanceof AssetcError && error.message.startsWith('texture 1 ("normalTexture"): '));
  assert.deepEqual(made.getRoot().listTextures().map((texture) => texture.getMimeType()), ['image/png', 'image/png']);
  assert.equal(made.getRoot().listExtensionsUsed().length, 0);

  const bytes = await png(32, 32), next = random(12);
  for (let i = 0; i < 60; ++i) {
    const changed = bytes.slice(0, i % 2 ? bytes.length : next() % bytes.length);
    if (i % 2) changed[next() % changed.length] ^= 1 + next() % 255;
    const broken = await document({ baseColorTexture: changed });
    await broken.transform(toktx2({ workers: 0 })).catch((error) => assert.ok(error instanceof AssetcError, error.stack));
  }
});

test('a caller may give the encoder and the decoder', { skip }, async () => {
  const encoder = await loadEncoder({ workers: 0 });
  const decode = async () => ({ width: 8, height: 4, data: new Uint8Array(8 * 4 * 4).fill(99) });
  const made = await document({ baseColorTexture: await png(8, 8) });
  await made.transform(toktx2({ encoder, decode, mips: false }));
  const file = await opened(made.getRoot().listTextures()[0]);
  assert.deepEqual([file.width, file.height, file.transcode({}, 'rgba8').data[0]], [8, 4, 99]);
  await encoder.encode({ width: 4, height: 4, data: new Uint8Array(64) }, { format: 'uastc', color: 'srgb' });  // it is still open
  encoder.close();
});

test('sizes are multiples of four within the limit', () => {
  assert.deepEqual(fittedSize(1024, 512, 32768), [1024, 512]);
  assert.deepEqual(fittedSize(1023, 511, 32768), [1024, 512]);
  assert.deepEqual(fittedSize(1000, 10, 256), [256, 4]);
  assert.deepEqual(fittedSize(1, 1, 32768), [4, 4]);
  assert.deepEqual(fittedSize(4000, 4000, 1023), [1020, 1020]);
});

test('scaling keeps constant pictures and averages in linear light', () => {
  const data = new Uint8Array(16 * 16 * 4).fill(77);
  for (const color of ['srgb', 'linear', 'gray']) assert.deepEqual([...resizePicture({ width: 16, height: 16, data }, 8, 4, color).data.slice(0, 4)], [77, 77, 77, 77]);
  const stripes = new Uint8Array(64 * 64 * 4).map((_, i) => i % 4 === 3 ? 255 : (i >> 2) % 2 ? 255 : 0);
  const middle = resizePicture({ width: 64, height: 64, data: stripes }, 16, 16, 'srgb').data[4 * (8 * 16 + 8)];
  assert.ok(Math.abs(middle - 188) <= 2, `${middle}`);
});
