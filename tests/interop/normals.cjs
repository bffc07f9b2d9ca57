// A compiled normal map, in any format, converts back to one that other programs can use: red, green and blue are
// within a few steps of the source's, in the PNG of a .glb, in a PNG file and in a KTX 2 file.
//
//   node normals.cjs ASSETC       exits 1 on a difference, 77 (skipped) when node_modules is absent
'use strict';
const fs = require('fs');
const os = require('os');
const path = require('path');
const { spawnSync } = require('child_process');
const { loadTranscoder, loadKtxParse } = require('./basis.cjs');
const { writePng, readPng } = require('./png.cjs');

const SIDE = 64;
const RGBA32 = 13;  // transcoder_texture_format

// Waves with all directions up to 50 degrees from the vertical, without seams.
function normal(x, y) {
  const at = 2 * Math.PI / SIDE, nx = 0.55 * Math.sin(x * at), ny = 0.55 * Math.cos(y * at);
  return [nx, ny, Math.sqrt(1 - nx * nx - ny * ny)].map((v) => Math.round((v * 0.5 + 0.5) * 255));
}

function quad() {
  const numbers = Buffer.alloc(4 * 12 + 4 * 8 + 12);
  [0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 0, 1, 1, 1, 0, 0, 1, 0].forEach((v, i) => numbers.writeFloatLE(v, i * 4));
  [0, 1, 2, 2, 1, 3].forEach((v, i) => numbers.writeUInt16LE(v, 80 + i * 2));
  return JSON.stringify({
    asset: { version: '2.0' },
    buffers: [{ byteLength: 92, uri: `data:application/octet-stream;base64,${numbers.toString('base64')}` }],
    bufferViews: [{ buffer: 0, byteLength: 48 }, { buffer: 0, byteOffset: 48, byteLength: 32 }, { buffer: 0, byteOffset: 80, byteLength: 12 }],
    accessors: [{ bufferView: 0, componentType: 5126, count: 4, type: 'VEC3', min: [0, 0, 0], max: [1, 1, 0] },
      { bufferView: 1, componentType: 5126, count: 4, type: 'VEC2' }, { bufferView: 2, componentType: 5123, count: 6, type: 'SCALAR' }],
    images: [{ uri: 'bumps.n.png' }], textures: [{ source: 0 }],
    materials: [{ normalTexture: { index: 0 } }],
    meshes: [{ primitives: [{ attributes: { POSITION: 0, TEXCOORD_0: 1 }, indices: 2, material: 0 }] }],
    nodes: [{ mesh: 0 }], scenes: [{ nodes: [0] }], scene: 0,
  });
}

function readGlb(file) {
  const length = file.readUInt32LE(12), json = JSON.parse(file.toString('utf8', 20, 20 + length));
  const view = json.bufferViews[json.images[0].bufferView], start = 28 + length + (view.byteOffset ?? 0);
  return { json, image: file.subarray(start, start + view.byteLength) };
}

// [texture.format, texture.channels, the largest error of a channel in steps of 1/255]
const CASES = [['auto', '', 8], ['bc5', '', 8], ['bc7', '', 8], ['astc4x4', '', 10], ['astc6x6', '', 20], ['etc2', '', 8],
  ['rgba8', '', 2], ['uastc', '', 10], ['bc3', 'rrrg', 10], ['bc7', 'rrrg', 10], ['uastc', 'rrrg', 10], ['bc7', '1g0r', 10], ['uastc', 'rgb', 16],
  ['bc7', 'rgb', 12], ['bc1', 'rgb', 28], ['bc5', 'rg01', 8]];

async function main() {
  const assetc = path.resolve(process.argv[2] ?? '');
  const basis = await loadTranscoder();
  const ktx = await loadKtxParse();
  let failures = 0;
  for (const [format, channels, limit] of CASES) {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assetc-normals-'));
    const name = `${format} ${channels}`.trim();
    const fail = (why) => {
      console.log(`${name}: ${why}`);
      ++failures;
    };
    const run = (...args) => {
      const done = spawnSync(assetc, args, { cwd: folder, encoding: 'utf8' });
      if (done.status !== 0) fail(`${args.join(' ')}: ${done.stderr}`);
      return done;
    };
    const compare = (what, at) => {
      const worst = [0, 0, 0];
      for (let y = 0; y < SIDE; ++y) {
        for (let x = 0; x < SIDE; ++x) {
          normal(x, y).forEach((v, c) => { worst[c] = Math.max(worst[c], Math.abs(v - at(x, y, c) * 255)); });
        }
      }
      if (Math.max(...worst) > limit) fail(`${what}: red, green and blue are off by ${worst.map((v) => v.toFixed(1))}, at most ${limit} was expected`);
    };
    fs.mkdirSync(path.join(folder, 'assets'));
    fs.writeFileSync(path.join(folder, 'assets/quad.gltf'), quad());
    fs.writeFileSync(path.join(folder, 'assets/bumps.n.png'), writePng(SIDE, SIDE, (x, y) => [...normal(x, y), 255]));
    const texture = [`format: ${format}`, ...(channels ? [`channels: ${channels}`] : [])].join(', ');
    fs.writeFileSync(path.join(folder, 'assetc.yml'), `default: {texture: {${texture}}}\n`);
    run('-q');
    run('convert', 'runtime/quad.hmesh', 'back.glb');
    const back = readGlb(fs.readFileSync(path.join(folder, 'back.glb')));
    compare('the PNG of a .glb', readPng(back.image).at);

    const kept = run('convert', 'runtime/quad.hmesh', 'kept.glb', '--keep-ktx2');
    const { json, image } = readGlb(fs.readFileSync(path.join(folder, 'kept.glb')));
    if (json.images[0].mimeType === 'image/png') {
      compare('the PNG of a .glb for KTX 2', readPng(image).at);
      if (!kept.stderr.includes('KHR_texture_basisu')) fail(`no message about the PNG: ${kept.stderr}`);
      if (json.extensionsRequired) fail('a PNG requires an extension');
    } else {
      const container = ktx.read(new Uint8Array(image)), dfd = container.dataFormatDescriptor[0];
      if (container.vkFormat !== 0 || dfd.colorModel !== ktx.KHR_DF_MODEL_UASTC) fail('the kept KTX 2 is not UASTC');
      if (dfd.transferFunction !== ktx.KHR_DF_TRANSFER_LINEAR || dfd.colorPrimaries !== 0) fail('normals are not linear');
      if (![0, 3].includes(dfd.samples[0].channelType)) fail(`channels ${dfd.samples[0].channelType}, RGB or RGBA was expected`);
      const file = new basis.KTX2File(new Uint8Array(image));
      file.startTranscoding();
      const texels = new Uint8Array(file.getImageTranscodedSizeInBytes(0, 0, 0, RGBA32));
      file.transcodeImage(texels, 0, 0, 0, RGBA32, 0, -1, -1);
      compare('the KTX 2 of a .glb', (x, y, c) => texels[(y * SIDE + x) * 4 + c] / 255);
    }
    const wantsKtx2 = format === 'uastc' && channels === 'rgb';
    if (wantsKtx2 !== (json.images[0].mimeType === 'image/ktx2')) fail(`the kept image is ${json.images[0].mimeType}`);

    if (!['rrrg', '1g0r'].includes(channels)) {  // a single channel can have any meaning
      run('convert', 'runtime/quad/tex_0.ktx2', 'alone.png');
      compare('a PNG alone', readPng(fs.readFileSync(path.join(folder, 'alone.png'))).at);
    }
    fs.rmSync(folder, { recursive: true, force: true });
  }
  console.log(`${CASES.length} formats of normal maps came back, ${failures} faults`);
  process.exit(failures === 0 ? 0 : 1);
}
main();
