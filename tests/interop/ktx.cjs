// Checks the command `ktx` with a program that calls it and with readers of KTX 2.
//
//   node ktx.cjs ASSETC MODEL.gltf      exits 1 on a difference, 77 (skipped) when node_modules is absent
//
// - The command-line program of glTF-Transform finds `ktx` on PATH, and compresses and decompresses the textures of
//   the model with it. Khronos' validator finds no error in the result, and Binomial's transcoder decodes each texture
//   to its source picture.
// - ktx-parse reads what the options of `ktx create` ask for.
'use strict';
const fs = require('fs');
const os = require('os');
const path = require('path');
const { spawnSync } = require('child_process');
const { SKIPPED, loadTranscoder, loadKtxParse } = require('./basis.cjs');
const { writePng } = require('./png.cjs');

const RGBA8 = 13;                    // of transcoder_texture_format
const LEAST_PSNR = 36;               // of a texture with --rdo, in dB
let faults = 0;
function fail(why) {
  console.log(why);
  ++faults;
}

// The largest level as rows of RGBA, by Binomial's transcoder.
function decode(basis, bytes) {
  const file = new basis.KTX2File(new Uint8Array(bytes));
  if (!file.isValid() || !file.startTranscoding()) throw new Error('Binomial refuses the texture');
  const out = new Uint8Array(file.getImageTranscodedSizeInBytes(0, 0, 0, RGBA8));
  if (!file.transcodeImage(out, 0, 0, 0, RGBA8, 0, -1, -1)) throw new Error('Binomial cannot transcode the texture');
  file.close();
  file.delete();
  return out;
}

// Rows of RGBA of a PNG, by the library that glTF-Transform uses.
async function readPng(bytes) {
  return require('sharp')(bytes).ensureAlpha().raw().toBuffer();
}

// PSNR of the color channels.
function psnr(a, b) {
  let sum = 0;
  for (let at = 0; at < a.length; ++at) if ((at & 3) !== 3) sum += (a[at] - b[at]) ** 2;
  return 10 * Math.log10(255 * 255 * a.length * 0.75 / sum);
}

function chunks(glb) {
  const size = glb.readUInt32LE(12), json = JSON.parse(glb.subarray(20, 20 + size).toString());
  return { json, bin: glb.subarray(28 + size) };
}
function images(file) {
  const { json, bin } = chunks(fs.readFileSync(file));
  return json.images.map((image) => {
    const view = json.bufferViews[image.bufferView];
    const start = view.byteOffset || 0;
    return { name: image.name, type: image.mimeType, bytes: bin.subarray(start, start + view.byteLength) };
  });
}

async function main() {
  const [assetc, model] = process.argv.slice(2);
  const basis = await loadTranscoder(), ktxParse = await loadKtxParse();
  let program, validator;
  try {
    program = path.join(__dirname, 'node_modules', '@gltf-transform', 'cli', 'bin', 'cli.js');
    fs.accessSync(program);
    validator = require('gltf-validator');
  } catch {
    console.log('skipped: run npm ci in tests/interop to call ktx from glTF-Transform');
    process.exit(SKIPPED);
  }
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assetc-ktx-'));
  fs.symlinkSync(path.resolve(assetc), path.join(folder, 'ktx'));
  const env = { ...process.env, PATH: `${folder}:${process.env.PATH}` };
  const transform = (...args) => {
    const run = spawnSync(process.execPath, [program, ...args], { env, encoding: 'utf8' });
    if (run.status !== 0) fail(`gltf-transform ${args[0]}: ${run.stdout}${run.stderr}`);
    return run.stdout + run.stderr;
  };
  const ktx = (...args) => spawnSync(path.join(folder, 'ktx'), args, { cwd: folder });

  try {
    const source = path.join(folder, 'source.glb'), small = path.join(folder, 'small.glb'), back = path.join(folder, 'back.glb');
    transform('copy', model, source);
    transform('uastc', source, small, '--level', '2', '--rdo', '--zstd', '18');
    const report = await validator.validateBytes(new Uint8Array(fs.readFileSync(small)));
    if (report.issues.numErrors !== 0) fail(`the validator: ${JSON.stringify(report.issues.messages)}`);
    const before = images(source), after = images(small);
    if (before.length === 0 || before.length !== after.length) fail(`${before.length} images became ${after.length}`);
    for (const [i, image] of after.entries()) {
      if (image.type !== 'image/ktx2') {
        fail(`image ${i} is ${image.type}`);
        continue;
      }
      fs.writeFileSync(path.join(folder, 'one.ktx2'), image.bytes);
      const checked = ktx('validate', '--gltf-basisu', 'one.ktx2');
      if (checked.status !== 0) fail(`image ${i}: ${checked.stdout}`);
      const got = psnr(decode(basis, image.bytes), await readPng(before[i].bytes));
      if (!(got > LEAST_PSNR)) fail(`image ${i} has ${got} dB`);
    }
    transform('ktxdecompress', small, back);
    for (const [i, image] of images(back).entries()) {
      if (image.type !== 'image/png') fail(`decompressed image ${i} is ${image.type}`);
      const texels = decode(basis, after[i].bytes), png = await readPng(image.bytes);
      const at = texels.findIndex((value, place) => Math.abs(value - png[place]) > 1);
      if (at !== -1) fail(`decompressed image ${i} differs at texel ${at >> 2}`);
    }
    const LEAST_PSNR_ETC1S = 24;
    transform('etc1s', '--quality', '255', source, small);
    for (const [i, image] of images(small).entries()) {
      if (image.type !== 'image/ktx2') fail(`ETC1S image ${i} is ${image.type}`);
      if (ktxParse.read(new Uint8Array(image.bytes)).supercompressionScheme !== 1) fail(`image ${i} has no Basis LZ`);
      fs.writeFileSync(path.join(folder, 'one.ktx2'), image.bytes);
      const checked = ktx('validate', '--gltf-basisu', 'one.ktx2');
      if (checked.status !== 0) fail(`ETC1S image ${i}: ${checked.stdout}`);
      const got = psnr(decode(basis, image.bytes), await readPng(before[i].bytes));
      if (!(got > LEAST_PSNR_ETC1S)) fail(`ETC1S image ${i} has ${got} dB`);
    }

    // What the options ask for, as ktx-parse reads it.
    fs.writeFileSync(path.join(folder, 'a.png'), writePng(16, 16, (x, y) => [x * 15, y * 15, 90, 255 - x]));
    const read = (...args) => {
      const made = ktx('create', ...args, 'a.png', 'a.ktx2');
      if (made.status !== 0) return fail(`ktx create ${args.join(' ')}: ${made.stderr}`), null;
      return ktxParse.read(new Uint8Array(fs.readFileSync(path.join(folder, 'a.ktx2'))));
    };
    const same = (what, found, expected) => {
      if (found !== expected) fail(`${what}: found ${found}, expected ${expected}`);
    };
    const linear = ['--assign-oetf', 'linear', '--assign-primaries', 'none'];
    for (const [format, vk, channel, options] of [
      ['R8G8B8A8_SRGB', 0, 3, ['--encode', 'uastc']],
      ['R8G8B8_UNORM', 0, 0, ['--encode', 'uastc', ...linear]],
      ['R8_UNORM', 0, 4, ['--encode', 'uastc', ...linear]],
      ['R8G8_UNORM', 0, 6, ['--encode', 'uastc', ...linear]],
      ['R8G8B8A8_SRGB', ktxParse.VK_FORMAT_R8G8B8A8_SRGB, 0, []],
      ['R8G8_UNORM', ktxParse.VK_FORMAT_R8G8_UNORM, 0, linear],
      ['BC7_SRGB_BLOCK', ktxParse.VK_FORMAT_BC7_SRGB_BLOCK, 0, []],
      ['ASTC_4x4_UNORM_BLOCK', ktxParse.VK_FORMAT_ASTC_4x4_UNORM_BLOCK, 0, linear],
    ]) {
      const file = read('--format', format, '--generate-mipmap', '--zstd', '9', ...options);
      if (!file) continue;
      const what = `${format} ${options.join(' ')}`, dfd = file.dataFormatDescriptor[0];
      const srgb = format.includes('SRGB');
      same(`${what}: vkFormat`, file.vkFormat, vk);
      same(`${what}: channel`, dfd.samples[0].channelType & 15, channel);
      same(`${what}: transfer`, dfd.transferFunction, srgb ? ktxParse.KHR_DF_TRANSFER_SRGB : ktxParse.KHR_DF_TRANSFER_LINEAR);
      same(`${what}: primaries`, dfd.colorPrimaries, srgb ? ktxParse.KHR_DF_PRIMARIES_BT709 : ktxParse.KHR_DF_PRIMARIES_UNSPECIFIED);
      same(`${what}: levels`, file.levels.length, 5);
      same(`${what}: supercompression`, file.supercompressionScheme, ktxParse.KHR_SUPERCOMPRESSION_ZSTD);
    }
    const premultiplied = read('--format', 'R8G8B8A8_SRGB', '--premultiply-alpha', '--swizzle', 'bgra');
    same('flags', premultiplied.dataFormatDescriptor[0].flags, ktxParse.KHR_DF_FLAG_ALPHA_PREMULTIPLIED);
    same('swizzle', premultiplied.keyValue.KTXswizzle, 'bgra');
    // Standard streams.
    const piped = spawnSync(path.join(folder, 'ktx'), ['create', '--format', 'R8G8B8A8_SRGB', '-', '-'],
      { input: fs.readFileSync(path.join(folder, 'a.png')) });
    same('piped: status', piped.status, 0);
    same('piped: width', ktxParse.read(new Uint8Array(piped.stdout)).pixelWidth, 16);
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
  if (faults === 0) console.log('ktx: glTF-Transform, the validator, Binomial and ktx-parse agree');
  process.exit(faults ? 1 : 0);
}

main().catch((error) => {
  console.log(error.stack);
  process.exit(1);
});
