// The encoder gives the bytes of the command, with and without SIMD and workers.
import assert from 'node:assert/strict';
import path from 'node:path';
import test from 'node:test';
import { assetc, folder, picture, read, savePicture } from './tools.mjs';
import { AssetcError, hasSimd, loadEncoder } from '../src/index.js';

const CASES = [
  [{ format: 'uastc', color: 'srgb' }, []],
  [{ format: 'uastc', color: 'srgb', quality: 'fast', zstd: 3 }, ['--texture.quality', 'fast', '--texture.zstd', '3']],
  [{ format: 'uastc', color: 'srgb', quality: 'best', mips: false }, ['--texture.quality', 'best', '--texture.mips', 'false']],
  [{ format: 'uastc', color: 'srgb', rdo: 20 }, ['--texture.rdo', '20']],
  [{ format: 'uastc', color: 'normal' }, []],
  [{ format: 'uastc', color: 'normal', channels: 'rgb' }, ['--texture.channels', 'rgb']],
  [{ format: 'bc4', color: 'linear', channels: 'a' }, ['--texture.channels', 'a']],
  [{ format: 'uastc', color: 'linear', mipFilter: 'box', wrap: 'clamp' }, ['--texture.mip_filter', 'box', '--texture.wrap', 'clamp']],
  [{ format: 'bc7', color: 'srgb', metric: 'perceptual' }, ['--texture.metric', 'perceptual']],
  [{ format: 'bc5', color: 'normal' }, []],
  [{ format: 'bc4', color: 'gray' }, []],
  [{ format: 'bc3', color: 'srgb' }, []],
  [{ format: 'bc1', color: 'srgb' }, []],
  [{ format: 'etc2', color: 'srgb' }, []],
  [{ format: 'etc2', color: 'gray' }, []],
  [{ format: 'etc1s', color: 'srgb', etc1sQuality: 90 }, ['--texture.etc1s_quality', '90']],
  [{ format: 'etc1s', color: 'normal' }, []],
  [{ format: 'rgba8', color: 'srgb', zstd: 19 }, ['--texture.zstd', '19']],
];
const USAGE = { srgb: 'color', linear: 'linear', normal: 'normal', gray: 'gray' };

for (const [width, height, alpha] of [[64, 40, false], [45, 27, true], [1, 3, true]]) {
  const source = picture(width, height, { alpha });
  const png = savePicture(source, `${width}x${height}.png`);
  test(`gives the command's bytes: ${width} x ${height}${alpha ? ', alpha' : ''}`, async () => {
    const encoders = [await loadEncoder({ simd: false, workers: 0 })];
    if (hasSimd()) encoders.push(await loadEncoder({ simd: true, workers: 0 }), await loadEncoder({ simd: true, workers: 2 }));
    for (const [settings, flags] of CASES) {
      const out = path.join(folder, 'native.ktx2');
      assetc('convert', png, out, '--texture.usage', USAGE[settings.color], '--texture.format', settings.format, ...flags);
      const native = read(out);
      for (const encoder of encoders) {
        const ours = await encoder.encode(source, settings);
        assert.deepEqual(Buffer.from(ours), Buffer.from(native),
          `${JSON.stringify(settings)}, simd ${encoder.simd}, workers ${encoder.workers}`);
      }
    }
    for (const encoder of encoders) encoder.close();
  });
}

test('spreads pictures over workers and keeps their order', async () => {
  const encoder = await loadEncoder({ workers: 3 }), alone = await loadEncoder({ workers: 0 });
  const pictures = Array.from({ length: 7 }, (_, i) => picture(16 + 4 * i, 20, { seed: i }));
  const settings = { format: 'bc7', color: 'srgb' };
  const files = await Promise.all(pictures.map((one) => encoder.encode(one, settings)));
  for (const [i, file] of files.entries()) assert.deepEqual(file, await alone.encode(pictures[i], settings));
  encoder.close();
  alone.close();
});

test('copies the picture before it returns', async () => {
  const encoder = await loadEncoder({ workers: 1 });
  const source = picture(32, 32), settings = { format: 'bc1', color: 'srgb' };
  const before = await encoder.encode(source, settings);
  const after = encoder.encode(source, settings);
  source.data.fill(0);
  assert.deepEqual(await after, before);
  assert.equal(source.data.length, 32 * 32 * 4);
  encoder.close();
});

test('refuses wrong arguments with AssetcError', async () => {
  const encoder = await loadEncoder({ workers: 1 });
  const good = picture(8, 8), settings = { format: 'uastc', color: 'srgb' };
  const refuses = (source, given, pattern) => assert.rejects(encoder.encode(source, given), (error) => {
    assert.ok(error instanceof AssetcError, String(error));
    assert.match(error.message, pattern);
    return true;
  });
  await refuses({ ...good, width: 0 }, settings, /^width is 0, expected 1 to 32768$/);
  await refuses({ ...good, height: 9 }, settings, /^data has 256 bytes, expected 288 for 8 x 9 RGBA texels$/);
  await refuses({ ...good, data: [] }, settings, /^data is not a Uint8Array of RGBA texels$/);
  await refuses(good, { ...settings, format: 'jpeg' }, /^format is "jpeg", expected one of uastc, /);
  await refuses(good, { ...settings, rdo: 101 }, /^rdo is 101, expected 0 to 100$/);
  await refuses(good, { ...settings, zstd: 23 }, /^zstd is 23, expected 0 to 22$/);
  await refuses(good, { ...settings, channels: 'xyz' }, /^channels is "xyz", expected auto or 1 to 4 of r, g, b, a, 0 and 1$/);
  await refuses(good, { ...settings, speed: 1 }, /^no setting "speed", expected format, /);
  await refuses(good, { format: 'bc5', color: 'srgb' }, /bc5/); // the message of the command
  assert.ok((await encoder.encode(good, settings)).length > 0);
  encoder.close();
  await refuses(good, settings, /^the encoder was closed$/);
});

test('rejects pictures that are not finished when it is closed', async () => {
  const encoder = await loadEncoder({ workers: 1 });
  const all = Promise.allSettled([1, 2, 3].map((seed) => encoder.encode(picture(256, 256, { seed }), { format: 'uastc', color: 'srgb' })));
  encoder.close();
  for (const one of await all) {
    assert.equal(one.status, 'rejected');
    assert.ok(one.reason instanceof AssetcError);
  }
});
