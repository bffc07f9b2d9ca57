// Cooked assets, AAS1 version 1: docs/formats/aas1.md.
import { fileError, Reader } from '../../three/src/reader.js';
import { layoutOf, wrapKtx2 } from './ktx2_wrap.js';

/** @type {Record<number, string>} */
export const BLOB_TYPES = {
  1: 'Texture2D',
  2: 'Mesh',
  3: 'Material',
  4: 'Audio',
  5: 'Script',
  6: 'Redirector',
  16: 'TextureCube',
  17: 'Texture2DArray',
  18: 'TextureCubeArray',
  19: 'Texture3D',
  20: 'Skeleton',
  21: 'Animation',
  22: 'Shader',
  23: 'Raw',
  24: 'Model',
  25: 'Clusters',
};
const TEXTURES = new Set([1, 16, 17, 18, 19]);
const UASTC = 23;

/** VkFormats by format of a blob: linear, sRGB. @type {Record<number, [number, number]>} */
const FORMATS = {
  1: [9, 15],
  2: [23, 29],
  3: [37, 43],
  16: [131, 132],
  17: [137, 138],
  18: [139, 139],
  19: [141, 141],
  20: [145, 146],
  21: [157, 158],
  22: [151, 152],
  23: [0, 0],
  24: [133, 134],
  25: [135, 136],
  26: [140, 140],
  27: [142, 142],
  28: [143, 143],
  29: [144, 144],
  30: [147, 148],
  31: [153, 153],
  32: [154, 154],
  33: [155, 155],
  34: [156, 156],
  35: [16, 22],
  36: [70, 70],
  37: [77, 77],
  38: [91, 91],
  39: [76, 76],
  40: [83, 83],
  41: [97, 97],
  42: [100, 100],
  43: [103, 103],
  44: [109, 109],
};
for (let i = 0; i < 13; ++i) FORMATS[45 + i] = [159 + 2 * i, 160 + 2 * i];

/** @param {Uint8Array} bytes */
export const isBlob = (bytes) => bytes.length >= 16 && String.fromCharCode(...bytes.subarray(0, 4)) === 'AAS1';

/**
 * The parts of a blob.
 * @param {Uint8Array} bytes
 * @param {string} file for errors
 * @returns {{ type: number, typeName: string, srgb: boolean, desc: Uint8Array, data: Uint8Array, extensions: Map<string, Uint8Array> }}
 */
export function readBlob(bytes, file) {
  const reader = new Reader(bytes, file),
    magic = reader.text4();
  if (magic !== 'AAS1') reader.fail(`the file begins with ${JSON.stringify(magic)}, expected "AAS1"`);
  const version = reader.u16(),
    type = reader.u8(),
    flags = reader.u8(),
    descSize = reader.u32(),
    dataSize = reader.u32();
  if (version !== 1) reader.fail(`the version is ${version}, expected 1`);
  const desc = bytes.subarray(reader.skip(descSize), 16 + descSize),
    data = bytes.subarray(reader.skip(dataSize), 16 + descSize + dataSize);
  /** @type {Map<string, Uint8Array>} */
  const extensions = new Map();
  if (flags & 128) {
    reader.at = Math.ceil(reader.at / 4) * 4;
    if (reader.text4() !== 'AASX') reader.fail('the extensions do not begin with "AASX"');
    const count = reader.u32();
    if (count < 1 || count > 64) reader.fail(`there are ${count} extensions, expected 1 to 64`);
    const rows = Array.from({ length: count }, () => ({ id: reader.text4(), size: reader.u32() }));
    for (const { id, size } of rows) {
      const start = reader.skip(Math.ceil(size / 4) * 4);
      extensions.set(id, bytes.subarray(start, start + size));
    }
  }
  return { type, typeName: BLOB_TYPES[type] ?? `type ${type}`, srgb: (flags & 1) !== 0, desc, data, extensions };
}

/**
 * The KTX 2 file with the texels of a texture blob.
 * @param {Uint8Array} bytes
 * @param {string} file for errors
 */
export function blobToKtx2(bytes, file) {
  const { type, typeName, srgb, desc, data, extensions } = readBlob(bytes, file);
  if (!TEXTURES.has(type)) throw fileError(file, '', `the asset is a ${typeName}, expected a texture`);
  const reader = new Reader(desc, file, 'Desc');
  const width = reader.u32(),
    height = reader.u32(),
    format = reader.u32(),
    levelCount = reader.u32();
  reader.u32();
  const [depth, layers, faces] = type === 1 ? [1, 1, 1] : [reader.u32(), reader.u32(), reader.u32()];
  const vk = FORMATS[format];
  if (!vk) reader.fail(`the format is ${format}, which is not known`);
  if (levelCount < 1 || levelCount > 17) reader.fail(`there are ${levelCount} levels, expected 1 to 17`);
  if ([width, height, depth, layers].some((n) => n < 1 || n > 65536) || (faces !== 1 && faces !== 6))
    reader.fail('the extent is out of range');
  const layout = format === UASTC ? { block: [4, 4], size: 16 } : /** @type {any} */ (layoutOf(vk[0])).layout;
  /** @type {Uint8Array[]} */
  const levels = [];
  let at = 0;
  for (let i = 0; i < levelCount; ++i) {
    const across = Math.ceil(Math.max(1, width >> i) / layout.block[0]),
      down = Math.ceil(Math.max(1, height >> i) / layout.block[1]);
    const size = across * down * Math.max(1, depth >> i) * layers * faces * layout.size;
    if (size > data.length - at) throw fileError(file, `level ${i}`, `${size} bytes are needed, but ${data.length - at} are left`);
    levels.push(data.subarray(at, at + size));
    at += size;
  }
  const channels = extensions.get('UCHN');
  return /** @type {Uint8Array} */ (
    wrapKtx2({
      vkFormat: vk[srgb ? 1 : 0],
      srgb,
      uastcChannel: channels ? channels[0] : 3,
      width,
      height,
      depth: type === 19 ? depth : 0,
      layers: type === 17 || type === 18 ? layers : 0,
      faces,
      levels,
    })
  );
}
