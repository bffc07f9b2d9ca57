// Texels that Ktx2Loader gives equal those of the .png that the command writes from the same file.
import assert from 'node:assert/strict';
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import sharp from 'sharp';
import {
  DataUtils, HalfFloatType, LinearMipmapLinearFilter, RED_GREEN_RGTC2_Format, RGBAFormat, RGBA_ASTC_4x4_Format, RGBA_BPTC_Format, RGBA_ETC2_EAC_Format,
  RGBA_S3TC_DXT5_Format, SRGBColorSpace,
} from 'three';
import { chooseTarget, Ktx2Loader } from '../index.js';
import { corpus, run, serve, skip, skipCorpus, temporary } from '../../test/support.mjs';

const ALL = { astc: true, bptc: true, etc2: true, s3tc: true, rgtc: true }, NONE = { astc: false, bptc: false, etc2: false, s3tc: false, rgtc: false };

/** A picture with a gradient, an edge and alpha. */
async function picture(path, width, height) {
  const data = Buffer.alloc(width * height * 4);
  for (let y = 0; y < height; ++y)
    for (let x = 0; x < width; ++x)
      data.set([255 * x / (width - 1), 255 * y / (height - 1), (x >> 3 ^ y >> 3) & 1 ? 200 : 40, 255 - 4 * (x & 15)], 4 * (y * width + x));
  writeFileSync(path, await sharp(data, { raw: { width, height, channels: 4 } }).png().toBuffer());
}

const texels = async (png) => sharp(png).toColourspace('srgb').ensureAlpha().raw({ depth: 'uchar' }).toBuffer();

function furthest(found, expected) {
  assert.equal(found.length, expected.length);
  let most = 0;
  for (let i = 0; i < found.length; ++i) most = Math.max(most, Math.abs(found[i] - expected[i]));
  return most;
}

test('texels equal those of the converted png', { skip }, async (t) => {
  const folder = temporary(t);
  await picture(join(folder, 'picture.png'), 52, 28);
  for (const format of ['uastc', 'bc7', 'bc3', 'bc1', 'etc2', 'rgba8']) {
    run(folder, 'convert', 'picture.png', 'picture.ktx2', '--texture.format', format);
    run(folder, 'convert', 'picture.ktx2', 'back.png');
    const texture = await new Ktx2Loader().parseAsync(readFileSync(join(folder, 'picture.ktx2')), `${format}.ktx2`);
    assert.equal(texture.format, RGBAFormat);
    assert.equal(texture.colorSpace, SRGBColorSpace, format);
    assert.equal(texture.mipmaps.length, 6, format);
    assert.equal(texture.minFilter, LinearMipmapLinearFilter);
    assert.deepEqual([texture.image.width, texture.image.height], [52, 28]);
    const most = furthest(texture.mipmaps[0].data, await texels(join(folder, 'back.png')));
    assert.ok(most === 0, `${format}: a channel differs by ${most}`);
  }
});

test('corpus files load, with the texels of the converted png', { skip: skipCorpus }, async (t) => {
  const folder = temporary(t);
  let loaded = 0;
  for (const name of readdirSync(join(corpus, 'ktx2'))) {
    const bytes = readFileSync(join(corpus, 'ktx2', name));
    const texture = await new Ktx2Loader().parseAsync(bytes, name);
    ++loaded;
    if (texture.mipmaps[0].data instanceof Uint16Array) continue;  // 16 bits a channel
    writeFileSync(join(folder, name), bytes);
    run(folder, 'convert', name, 'back.png');
    const most = furthest(texture.mipmaps[0].data, await texels(join(folder, 'back.png')));
    assert.ok(most === 0, `${name}: a channel differs by ${most}`);
  }
  assert.ok(loaded >= 5);
});

test('the target fits the renderer and the file', () => {
  const file = (more) => ({ model: 'uastc', hdr: false, hasAlpha: true, vkFormat: 0, width: 64, height: 64, ...more });
  assert.equal(chooseTarget(file(), ALL), 'astc-4x4');
  assert.equal(chooseTarget(file(), { ...ALL, astc: false }), 'bc7');
  assert.equal(chooseTarget(file({ width: 62 }), { ...ALL, astc: false }), 'etc2-rgba', 'BC formats need whole blocks');
  assert.equal(chooseTarget(file({ hasAlpha: false }), { ...NONE, s3tc: true }), 'bc1');
  assert.equal(chooseTarget(file({ model: 'etc1s' }), ALL), 'etc2-rgba');
  assert.equal(chooseTarget(file(), NONE), 'rgba8');
  assert.equal(chooseTarget(file({ model: 'block', vkFormat: 146 }), ALL), 'source');
  assert.equal(chooseTarget(file({ model: 'block', vkFormat: 146 }), { ...ALL, bptc: false }), 'rgba8');
  assert.equal(chooseTarget(file({ model: 'block', vkFormat: 143, hdr: true }), NONE), 'rgba16f');
  assert.equal(chooseTarget(file({ model: 'raw', vkFormat: 43 }), ALL), 'rgba8');
});

test('a renderer decides the format, and native BC formats come before emulated ones', { skip }, async (t) => {
  const folder = temporary(t);
  await picture(join(folder, 'picture.png'), 64, 32);
  run(folder, 'convert', 'picture.png', 'picture.ktx2', '--texture.format', 'uastc');
  const root = await serve(t, folder);
  const webgl = (...names) => ({ extensions: { has: (name) => names.includes(name) } });
  const astc = 'WEBGL_compressed_texture_astc', etc = 'WEBGL_compressed_texture_etc', bptc = 'EXT_texture_compression_bptc';
  const s3tc = ['WEBGL_compressed_texture_s3tc', 'WEBGL_compressed_texture_s3tc_srgb'];
  for (const [renderer, format] of [
    [webgl(astc, etc), RGBA_ASTC_4x4_Format], [webgl(bptc, ...s3tc), RGBA_BPTC_Format], [webgl(...s3tc), RGBA_S3TC_DXT5_Format],
    [webgl(etc), RGBA_ETC2_EAC_Format], [webgl(astc, etc, bptc, ...s3tc), RGBA_BPTC_Format], [webgl(), RGBAFormat],
    [{ isWebGPURenderer: true, hasFeature: (name) => name === 'texture-compression-bc' }, RGBA_BPTC_Format],
  ]) {
    const texture = await new Ktx2Loader().setPath(root).detectSupport(renderer).loadAsync('picture.ktx2');
    assert.equal(texture.format, format);
    assert.equal(texture.colorSpace, SRGBColorSpace);
    const bytes = format === RGBAFormat ? 64 * 32 * 4 : 16 * 8 * 16;
    assert.equal(texture.mipmaps[0].data.byteLength, bytes);
  }
});

test('a normal map that stores x and y gets z, or two channels where a shader computes z', { skip }, async (t) => {
  const folder = temporary(t);
  const width = 32, data = Buffer.alloc(width * width * 4);
  for (let i = 0; i < width * width; ++i) data.set([128 + 60 * Math.sin(i / 9), 128 + 60 * Math.cos(i / 31), 220, 255].map(Math.round), 4 * i);
  writeFileSync(join(folder, 'n.png'), await sharp(data, { raw: { width, height: width, channels: 4 } }).png().toBuffer());
  for (const format of ['bc5', 'uastc', 'bc7', 'rgba8']) {
    run(folder, 'convert', 'n.png', 'n.ktx2', '--texture.format', format, '--texture.usage', 'normal');
    const bytes = readFileSync(join(folder, 'n.ktx2'));
    for (const normals of ['xyz', 'packed']) {
      const loader = new Ktx2Loader();  // without compressed formats
      const texture = await loader.parseAsync(bytes, 'n.ktx2', { normals });
      for (let i = 0; i < width * width * 4; i += 4) {
        const [x, y, z] = [0, 1, 2].map((c) => texture.mipmaps[0].data[i + c] / 127.5 - 1);
        assert.ok(z > 0 && Math.abs(Math.hypot(x, y, z) - 1) < 0.02, `${format} ${normals}: ${x} ${y} ${z}`);
      }
      loader.support = ALL;
      const compressed = await loader.parseAsync(bytes, 'n.ktx2', { normals });
      const isPacked = normals === 'packed' && (format === 'bc5' || format === 'uastc');
      assert.equal(compressed.format, isPacked ? RED_GREEN_RGTC2_Format : RGBAFormat, `${format} ${normals}`);
    }
  }
});

test('a swizzle of the file is applied', { skip }, async (t) => {
  const folder = temporary(t);
  await picture(join(folder, 'picture.png'), 32, 16);
  run(folder, 'convert', 'picture.png', 'gray.ktx2', '--texture.format', 'bc4', '--texture.usage', 'gray', '--texture.channels', 'rrr1');
  const bytes = readFileSync(join(folder, 'gray.ktx2'));
  assert.ok(bytes.includes('KTXswizzle'));
  const loader = new Ktx2Loader();
  loader.support = ALL;
  const { data } = (await loader.parseAsync(bytes, 'gray.ktx2')).mipmaps[0];
  let varies = false;
  for (let i = 0; i < data.length; i += 4) {
    assert.ok(data[i] === data[i + 1] && data[i] === data[i + 2] && data[i + 3] === 255, `${data.slice(i, i + 4)}`);
    varies ||= data[i] !== data[0];
  }
  assert.ok(varies);
});

test('an environment loads as cubemaps of halves with mips', { skip: skipCorpus }, async (t) => {
  const folder = temporary(t);
  cpSync(join(corpus, 'images/spiaggia_di_mondello_1k.hdr'), join(folder, 'sky.env.hdr'));
  run(folder, 'convert', 'sky.env.hdr', 'sky.ktx2', '--environment.size', '64', '--environment.specular_size', '32');
  for (const [name, side] of [['sky', 64], ['sky.specular', 32], ['sky.irradiance', 32]]) {
    const texture = await new Ktx2Loader().parseAsync(readFileSync(join(folder, `${name}.ktx2`)), `${name}.ktx2`);
    assert.ok(texture.isCubeTexture, name);
    assert.equal(texture.type, HalfFloatType, name);
    assert.equal(texture.image.length, 6);
    const sums = texture.image.map((face) => {
      const { data, width, height } = face.mipmaps[0];
      assert.deepEqual([width, height, data.length], [side, side, side * side * 4], name);
      return data.reduce((sum, half) => sum + DataUtils.fromHalfFloat(half), 0);
    });
    assert.ok(sums.every((sum) => Number.isFinite(sum) && sum > 0) && new Set(sums).size === 6, `${name}: ${sums}`);
    for (let face = 0; face < 6; ++face) {
      run(folder, 'convert', `${name}.ktx2`, 'face.png', '--face', String(face));
      const expected = await texels(join(folder, 'face.png'));
      const found = Uint8Array.from(texture.image[face].mipmaps[0].data, (half, i) => {
        const linear = Math.min(1, Math.max(0, DataUtils.fromHalfFloat(half)));
        return Math.round(255 * (i % 4 === 3 ? linear : linear <= 0.0031308 ? 12.92 * linear : 1.055 * linear ** (1 / 2.4) - 0.055));
      });
      assert.ok(furthest(found, expected) <= 1, `${name} face ${face}`);
    }
  }
});
