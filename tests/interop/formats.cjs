// Checks every texture.format with ktx-parse: VkFormat, color model, block and samples against its own tables.
//
//   node formats.cjs ASSETC       exits 1 on a difference, 77 (skipped) when node_modules is absent
'use strict';
const fs = require('fs');
const os = require('os');
const path = require('path');
const { spawnSync } = require('child_process');
const { loadKtxParse } = require('./basis.cjs');
const { writePng } = require('./png.cjs');

// 13 x 10 texels, some of them transparent.
const picture = () => writePng(13, 10, (x, y) => [128 + x * 4, 128 - y * 5, 90 + x + y, 255 - x]);

// Color models that ktx-parse has no name for: Data Format Specification 1.3, table 5.6.
const BC1A = 128, BC3 = 130, BC4 = 131, BC5 = 132, BC6H = 133, BC7 = 134;

// [file name, texture.format, VK_FORMAT_..., model, block side, bytes, channels of the samples]
const cases = (ktx) => [
  ['wall.png', 'bc7', 'BC7_SRGB_BLOCK', BC7, 4, 16, [0]],
  ['wall.n.png', 'bc7', 'BC7_UNORM_BLOCK', BC7, 4, 16, [0]],
  ['wall.png', 'bc6h', 'BC6H_UFLOAT_BLOCK', BC6H, 4, 16, [128]],
  ['wall.png', 'bc3', 'BC3_SRGB_BLOCK', BC3, 4, 16, [31, 0]],  // alpha, marked as linear
  ['wall.png', 'bc1', 'BC1_RGB_SRGB_BLOCK', BC1A, 4, 8, [0]],
  ['wall.n.png', 'auto', 'BC5_UNORM_BLOCK', BC5, 4, 16, [0, 1]],
  ['wall.r.png', 'auto', 'BC4_UNORM_BLOCK', BC4, 4, 8, [0]],
  ['wall.png', 'astc4x4', 'ASTC_4x4_SRGB_BLOCK', ktx.KHR_DF_MODEL_ASTC, 4, 16, [0]],
  ['wall.png', 'astc6x6', 'ASTC_6x6_SRGB_BLOCK', ktx.KHR_DF_MODEL_ASTC, 6, 16, [0]],
  ['wall.n.png', 'astc8x8', 'ASTC_8x8_UNORM_BLOCK', ktx.KHR_DF_MODEL_ASTC, 8, 16, [0]],
  ['wall.png', 'etc2', 'ETC2_R8G8B8A8_SRGB_BLOCK', ktx.KHR_DF_MODEL_ETC2, 4, 16, [31, 2]],
  ['wall.n.png', 'etc2', 'EAC_R11G11_UNORM_BLOCK', ktx.KHR_DF_MODEL_ETC2, 4, 16, [0, 1]],
  ['wall.r.png', 'etc2', 'EAC_R11_UNORM_BLOCK', ktx.KHR_DF_MODEL_ETC2, 4, 8, [0]],
  ['wall.png', 'rgba8', 'R8G8B8A8_SRGB', ktx.KHR_DF_MODEL_RGBSDA, 1, 4, [0, 1, 2, 31]],
  ['wall.png', 'rgba16f', 'R16G16B16A16_SFLOAT', ktx.KHR_DF_MODEL_RGBSDA, 1, 8, [192, 193, 194, 207]],
];

async function main() {
  const assetc = path.resolve(process.argv[2] ?? '');
  const ktx = await loadKtxParse();
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assetc-formats-'));
  let failures = 0;
  for (const [name, format, vk, model, side, bytes, channels] of cases(ktx)) {
    const expect = (what, found, wanted) => {
      if (JSON.stringify(found) === JSON.stringify(wanted)) return;
      console.log(`${name} as ${format}: ${what} is ${JSON.stringify(found)}, expected ${JSON.stringify(wanted)}`);
      ++failures;
    };
    const source = path.join(folder, name), made = path.join(folder, 'out.ktx2');
    fs.writeFileSync(source, picture());
    const result = spawnSync(assetc, ['convert', source, made, '--texture.format', format], { encoding: 'utf8' });
    if (result.status !== 0) {
      console.log(`${name} as ${format}: ${result.stderr}`);
      ++failures;
      continue;
    }
    const container = ktx.read(new Uint8Array(fs.readFileSync(made)));
    const [descriptor] = container.dataFormatDescriptor;
    expect('vkFormat', container.vkFormat, ktx[`VK_FORMAT_${vk}`]);
    expect('colorModel', descriptor.colorModel, model);
    expect('transferFunction', descriptor.transferFunction, /SRGB/.test(vk) ? ktx.KHR_DF_TRANSFER_SRGB : ktx.KHR_DF_TRANSFER_LINEAR);
    expect('colorPrimaries', descriptor.colorPrimaries,
      name === 'wall.png' ? ktx.KHR_DF_PRIMARIES_BT709 : ktx.KHR_DF_PRIMARIES_UNSPECIFIED);
    expect('texelBlockDimension', Array.from(descriptor.texelBlockDimension).slice(0, 2), [side - 1, side - 1]);
    expect('bytesPlane', descriptor.bytesPlane[0], bytes);
    expect('channels', descriptor.samples.map((sample) => sample.channelType), channels);
    expect('levels', container.levels.length, 4);
    container.levels.forEach((level, i) => {
      const blocks = (texels) => Math.ceil(Math.max(1, texels >> i) / side);
      expect(`level ${i}`, level.uncompressedByteLength, blocks(13) * blocks(10) * bytes);
    });
  }
  fs.rmSync(folder, { recursive: true, force: true });
  console.log(`${cases(ktx).length} formats read, ${failures} faults`);
  process.exit(failures === 0 ? 0 : 1);
}
main();
