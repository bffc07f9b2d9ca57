// Cooked assets, AAS1 version 1: docs/formats/aas1.md.
import { fileError, Reader } from '../../three/src/reader.js';
import { checkRecords, Context, makeFormat, takeRecord } from '../../three/src/table.js';
import { layoutOf, wrapKtx2 } from './ktx2_wrap.js';
import { FORMATS as TABLES } from './tables.js';

/** @typedef {import('../../three/src/table.js').Record_} Record_ */
/** @typedef {{ file: string, type: number, typeName: string, srgb: boolean, desc: Uint8Array, data: Uint8Array, extensions: Map<string, Uint8Array> }} Blob_ */

/** The table of AAS1, without the parts of meshes. */
export const FORMAT = makeFormat(TABLES.aas1);
const NO_RULES = new Context(FORMAT);

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
  26: 'Font',
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

/** Skips the zeros up to the next multiple of 4. @param {Reader} reader */
function skipPadding(reader) {
  const start = reader.skip((4 - (reader.at % 4)) % 4);
  if (reader.bytes.subarray(start, reader.at).some((byte) => byte !== 0)) reader.fail(`the padding at ${start} is not 0`);
}

/**
 * The parts of a blob.
 * @param {Uint8Array} bytes
 * @param {string} file for errors
 * @returns {Blob_}
 */
export function readBlob(bytes, file) {
  const reader = new Reader(bytes, file);
  const header = takeRecord(FORMAT.records['blob header'], reader, NO_RULES);
  const { type, flags, desc_size_bytes: descSize, data_size_bytes: dataSize } = header;
  const desc = bytes.subarray(reader.skip(descSize), 16 + descSize),
    data = bytes.subarray(reader.skip(dataSize), 16 + descSize + dataSize);
  /** @type {Map<string, Uint8Array>} */
  const extensions = new Map();
  if (flags & 128) {
    skipPadding(reader);
    const { count } = takeRecord(FORMAT.records['extensions header'], reader, NO_RULES),
      start = reader.skip(8 * count);
    const rows = checkRecords(FORMAT.records.extension, new Reader(bytes.subarray(start, reader.at), file, 'extensions'), NO_RULES);
    for (const { id, size_bytes: size } of rows.map((row) => row)) {
      const name = String.fromCharCode(id & 255, (id >>> 8) & 255, (id >>> 16) & 255, id >>> 24),
        from = reader.skip(size);
      if (extensions.has(name)) reader.fail(`there is a second extension ${JSON.stringify(name)}, expected one`);
      extensions.set(name, bytes.subarray(from, from + size));
      skipPadding(reader);
    }
  }
  reader.end();
  return { file, type, typeName: BLOB_TYPES[type], srgb: (flags & 1) !== 0, desc, data, extensions };
}

/**
 * A blob of a type, with the fields of its Desc.
 * @param {Uint8Array} bytes
 * @param {string} file for errors
 * @param {string} typeName
 * @param {Record_} record of its Desc
 * @returns {Blob_ & { fields: any }}
 */
export function readTyped(bytes, file, typeName, record) {
  const blob = readBlob(bytes, file);
  if (blob.typeName !== typeName) throw fileError(file, '', `the asset is a ${blob.typeName}, expected a ${typeName}`);
  return { ...blob, fields: takeRecord(record, new Reader(blob.desc, file, 'Desc'), NO_RULES) };
}

/**
 * The array of records that a Desc refers to.
 * @param {Blob_} blob
 * @param {Record_} record
 * @param {number} offset from the end of the Desc
 * @param {number} count
 * @param {Context} [context]
 */
export function arrayAt({ file, desc, data }, record, offset, count, context = NO_RULES) {
  const body = new Reader(data, file, record.name);
  body.need(offset, count * record.size);
  if (offset % 4 !== 0 || desc.length % 4 !== 0) body.fail(`the array is at ${offset}, expected a multiple of 4`);
  return checkRecords(record, new Reader(data.subarray(offset, offset + count * record.size), file, record.name), context);
}

/** The sides, layers, faces and levels of a type. @param {Reader} reader @param {number} type @param {any} shape */
function checkShape(reader, type, { width, height, depth, layers, faces, levelCount }) {
  const isCubic = type === 16 || type === 18;
  if ((depth !== 1 && type !== 19) || (layers !== 1 && type !== 17 && type !== 18) || faces !== (isCubic ? 6 : 1) || (isCubic && width !== height))
    reader.fail(`a ${BLOB_TYPES[type]} does not have depth ${depth}, ${layers} layers and ${faces} faces of ${width} x ${height} texels`);
  const most = 32 - Math.clz32(Math.max(width, height, depth));
  if (levelCount < 1 || levelCount > most) reader.fail(`there are ${levelCount} levels, expected 1 to ${most}`);
}

/** The extensions of textures. @param {Blob_} blob @returns {number} the channels of UASTC */
function readTextureExtensions({ file, extensions }) {
  const swizzle = extensions.get('SWZL'),
    metadata = extensions.get('META'),
    said = extensions.get('UCHN');
  if (swizzle && !/^[rgba01]{4}$/.test(String.fromCharCode(...swizzle.subarray(0, 5)))) throw fileError(file, 'SWZL', 'it is not four of r, g, b, a, 0 and 1');
  if (metadata) {
    new Reader(metadata, file, 'META').text(0, metadata.length);
    const zeros = metadata.reduce((sum, byte) => sum + (byte === 0 ? 1 : 0), 0);
    if (metadata[metadata.length - 1] !== 0 || zeros % 2 !== 0) throw fileError(file, 'META', 'it is not pairs of keys and texts');
  }
  if (!said) return 3;
  const channels = said.length === 4 ? new Reader(said, file, 'UCHN').u32() : -1;
  if (![0, 3, 4, 5, 6].includes(channels)) throw fileError(file, 'UCHN', 'the channels are not known');
  return channels;
}

/**
 * The KTX 2 file with the texels of a texture blob.
 * @param {Uint8Array} bytes
 * @param {string} file for errors
 */
export function blobToKtx2(bytes, file) {
  const blob = readBlob(bytes, file),
    { type, typeName, srgb, desc, data } = blob;
  if (!TEXTURES.has(type)) throw fileError(file, '', `the asset is a ${typeName}, expected a texture`);
  const reader = new Reader(desc, file, 'Desc');
  const {
    width_texels: width,
    height_texels: height,
    format,
    mip_count: levelCount,
    row_pitch_bytes: pitch,
  } = takeRecord(FORMAT.records.texture, reader, NO_RULES);
  const {
    depth_texels: depth,
    layer_count: layers,
    face_count: faces,
  } = type === 1 ? { depth_texels: 1, layer_count: 1, face_count: 1 } : takeRecord(FORMAT.records['texture shape'], reader, NO_RULES);
  const vk = FORMATS[format];
  if (!vk) reader.fail(`the format is ${format}, which is not known`);
  checkShape(reader, type, { width, height, depth, layers, faces, levelCount });
  const layout = format === UASTC ? { block: [4, 4], size: 16 } : /** @type {any} */ (layoutOf(vk[0])).layout;
  const rowSize = Math.ceil(width / layout.block[0]) * layout.size;
  if (pitch !== rowSize) reader.fail(`the row pitch is ${pitch}, expected ${rowSize}`);
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
  if (at !== data.length) throw fileError(file, '', `the levels have ${at} bytes, but there are ${data.length}`);
  return /** @type {Uint8Array} */ (
    wrapKtx2({
      vkFormat: vk[srgb ? 1 : 0],
      srgb,
      uastcChannel: readTextureExtensions(blob),
      width,
      height,
      depth: type === 19 ? depth : 0,
      layers: type === 17 || type === 18 ? layers : 0,
      faces,
      levels,
    })
  );
}
