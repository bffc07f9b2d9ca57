// Puts texels or blocks that have no container into a KTX 2 file, so that one reader reads everything: docs/formats/ktx2.md.

const MAGIC = [0xab, 0x4b, 0x54, 0x58, 0x20, 0x32, 0x30, 0xbb, 0x0d, 0x0a, 0x1a, 0x0a];
const ALPHA = 15,
  LINEAR = 0x10,
  SIGNED = 0x40,
  FLOAT = 0x80;
const RGBSDA = 1,
  ETC2 = 161,
  ASTC = 162,
  UASTC = 166;
const ONE = 0x3f800000,
  MINUS_ONE = 0xbf800000;

/**
 * Color model, bytes of a block, and samples as [bit, bits, channel].
 * @typedef {{ model: number, size: number, block: number[], samples: number[][], number: 'unorm' | 'snorm' | 'ufloat' | 'sfloat', typeSize: number }} Layout
 */

/**
 * @param {number} model
 * @param {number} size
 * @param {number[][]} samples
 * @param {Layout['number']} [number]
 * @param {number[]} [block]
 * @returns {Layout}
 */
const blocks = (model, size, samples, number = 'unorm', block = [4, 4]) => ({ model, size, block, samples, number, typeSize: 1 });

/** @param {number} channels @param {number} bits @param {Layout['number']} [number] @returns {Layout} */
const texels = (channels, bits, number = 'unorm') => ({
  model: RGBSDA,
  size: (channels * bits) / 8,
  block: [1, 1],
  number,
  typeSize: bits / 8,
  samples: Array.from({ length: channels }, (_, c) => [c * bits, bits, c === 3 ? ALPHA : c]),
});

const ASTC_BLOCKS = [
  [4, 4],
  [5, 4],
  [5, 5],
  [6, 5],
  [6, 6],
  [8, 5],
  [8, 6],
  [8, 8],
  [10, 5],
  [10, 6],
  [10, 8],
  [10, 10],
  [12, 10],
  [12, 12],
];

/** @param {number} vk VkFormat @returns {{ layout: Layout, srgb: boolean } | null} */
export function layoutOf(vk) {
  /** @type {[number, number, Layout][]} linear and sRGB numbers; 0: none */
  const rows = [
    [9, 15, texels(1, 8)],
    [16, 22, texels(2, 8)],
    [23, 29, texels(3, 8)],
    [37, 43, texels(4, 8)],
    [70, 0, texels(1, 16)],
    [77, 0, texels(2, 16)],
    [91, 0, texels(4, 16)],
    [76, 0, texels(1, 16, 'sfloat')],
    [83, 0, texels(2, 16, 'sfloat')],
    [97, 0, texels(4, 16, 'sfloat')],
    [100, 0, texels(1, 32, 'sfloat')],
    [103, 0, texels(2, 32, 'sfloat')],
    [109, 0, texels(4, 32, 'sfloat')],
    [131, 132, blocks(128, 8, [[0, 64, 0]])],
    [133, 134, blocks(128, 8, [[0, 64, 1]])],
    [
      135,
      136,
      blocks(129, 16, [
        [0, 64, ALPHA],
        [64, 64, 0],
      ]),
    ],
    [
      137,
      138,
      blocks(130, 16, [
        [0, 64, ALPHA],
        [64, 64, 0],
      ]),
    ],
    [139, 0, blocks(131, 8, [[0, 64, 0]])],
    [140, 0, blocks(131, 8, [[0, 64, 0]], 'snorm')],
    [
      141,
      0,
      blocks(132, 16, [
        [0, 64, 0],
        [64, 64, 1],
      ]),
    ],
    [
      142,
      0,
      blocks(
        132,
        16,
        [
          [0, 64, 0],
          [64, 64, 1],
        ],
        'snorm',
      ),
    ],
    [143, 0, blocks(133, 16, [[0, 128, 0]], 'ufloat')],
    [144, 0, blocks(133, 16, [[0, 128, 0]], 'sfloat')],
    [145, 146, blocks(134, 16, [[0, 128, 0]])],
    [147, 148, blocks(ETC2, 8, [[0, 64, 2]])],
    [
      151,
      152,
      blocks(ETC2, 16, [
        [0, 64, ALPHA],
        [64, 64, 2],
      ]),
    ],
    [153, 0, blocks(ETC2, 8, [[0, 64, 0]])],
    [154, 0, blocks(ETC2, 8, [[0, 64, 0]], 'snorm')],
    [
      155,
      0,
      blocks(ETC2, 16, [
        [0, 64, 0],
        [64, 64, 1],
      ]),
    ],
    [
      156,
      0,
      blocks(
        ETC2,
        16,
        [
          [0, 64, 0],
          [64, 64, 1],
        ],
        'snorm',
      ),
    ],
    ...ASTC_BLOCKS.map(
      (block, i) => /** @type {[number, number, Layout]} */ ([157 + 2 * i, 158 + 2 * i, blocks(ASTC, 16, [[0, 128, 0]], 'unorm', block)]),
    ),
  ];
  const row = rows.find(([linear, srgb]) => linear === vk || srgb === vk);
  return row ? { layout: row[2], srgb: row[1] === vk } : null;
}

/** @param {Layout} layout @param {boolean} srgb */
function descriptor(layout, srgb) {
  const size = 24 + 16 * layout.samples.length,
    view = new DataView(new ArrayBuffer(4 + size));
  view.setUint32(0, 4 + size, true);
  view.setUint16(8, 2, true);
  view.setUint16(10, size, true);
  view.setUint8(12, layout.model);
  view.setUint8(13, srgb ? 1 : 0);
  view.setUint8(14, srgb ? 2 : 1);
  view.setUint8(16, layout.block[0] - 1);
  view.setUint8(17, layout.block[1] - 1);
  view.setUint8(20, layout.size);
  layout.samples.forEach(([bit, bits, channel], i) => {
    const at = 28 + 16 * i,
      most = bits >= 32 ? 0xffffffff : 2 ** bits - 1;
    let flags = channel === ALPHA && srgb ? LINEAR : 0,
      lower = 0,
      upper = most;
    if (layout.number === 'snorm') [flags, lower, upper] = [flags | SIGNED, ((most >>> 1) ^ 0xffffffff) >>> 0, most >>> 1];
    if (layout.number === 'snorm' && bits <= 32) lower = (lower + 1) >>> 0;
    if (layout.number === 'ufloat') [flags, upper] = [flags | FLOAT, ONE];
    if (layout.number === 'sfloat') [flags, lower, upper] = [flags | FLOAT | SIGNED, MINUS_ONE, ONE];
    view.setUint16(at, bit, true);
    view.setUint8(at + 2, bits - 1);
    view.setUint8(at + 3, channel | flags);
    view.setUint32(at + 8, lower, true);
    view.setUint32(at + 12, upper, true);
  });
  return new Uint8Array(view.buffer);
}

/**
 * Makes a KTX 2 file without supercompression.
 * @param {{ vkFormat: number, uastcChannel?: number, srgb?: boolean, width: number, height: number, depth?: number, layers?: number,
 *   faces?: number, levels: Uint8Array[] }} texture vkFormat 0: UASTC, whose `uastcChannel` and `srgb` count; depth and layers 0: none;
 *   levels: largest first
 * @returns {Uint8Array | null} null: the format has no known layout
 */
export function wrapKtx2({ vkFormat, uastcChannel = 0, srgb = false, width, height, depth = 0, layers = 0, faces = 1, levels }) {
  const found = vkFormat === 0 ? { layout: blocks(UASTC, 16, [[0, 128, uastcChannel]]), srgb } : layoutOf(vkFormat);
  if (!found) return null;
  const dfd = descriptor(found.layout, found.srgb);
  const align =
    found.layout.size % 4 === 0 ? found.layout.size : found.layout.size % 2 === 0 ? 2 * found.layout.size : 4 * found.layout.size;
  const start = 80 + 24 * levels.length;
  let end = start + dfd.length;
  /** @type {number[]} */
  const offsets = [];
  for (let i = levels.length - 1; i >= 0; --i) {
    offsets[i] = Math.ceil(end / align) * align;
    end = offsets[i] + levels[i].length;
  }
  const file = new Uint8Array(end),
    view = new DataView(file.buffer);
  file.set(MAGIC);
  [vkFormat, found.layout.typeSize, width, height, depth, layers, faces, levels.length, 0, start, dfd.length].forEach((value, i) =>
    view.setUint32(12 + 4 * i, value, true),
  );
  levels.forEach((level, i) => {
    view.setBigUint64(80 + 24 * i, BigInt(offsets[i]), true);
    view.setBigUint64(88 + 24 * i, BigInt(level.length), true);
    view.setBigUint64(96 + 24 * i, BigInt(level.length), true);
    file.set(level, offsets[i]);
  });
  file.set(dfd, start);
  return file;
}

/**
 * A file of the levels that the first bytes of a KTX 2 file hold. The smallest levels come first in a file.
 * @param {Uint8Array} head
 * @returns {Uint8Array<ArrayBuffer> | null} null: the bytes hold no level, or the levels need global data
 */
export function smallLevels(head) {
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  const u32 = (/** @type {number} */ at) => view.getUint32(at, true),
    big = (/** @type {number} */ at) => Number(view.getBigUint64(at, true));
  if (head.length < 80 || MAGIC.some((byte, i) => head[i] !== byte)) return null;
  const count = Math.max(1, u32(40)),
    [dfdAt, dfdSize, kvdAt, kvdSize] = [u32(48), u32(52), u32(56), u32(60)];
  if (
    count > 32 ||
    u32(44) === 1 ||
    80 + 24 * count > head.length ||
    dfdSize < 24 ||
    dfdAt + dfdSize > head.length ||
    kvdAt + kvdSize > head.length
  )
    return null;
  const entries = Array.from({ length: count }, (_, i) => ({
    offset: big(80 + 24 * i),
    bytes: big(88 + 24 * i),
    inflated: big(96 + 24 * i),
  }));
  let first = count;
  while (first > 0 && entries[first - 1].offset + entries[first - 1].bytes <= head.length) --first;
  if (first === count) return null;
  const block = head[dfdAt + 20] || 16,
    align = u32(44) !== 0 ? 1 : block % 4 === 0 ? block : block % 2 === 0 ? 2 * block : 4 * block,
    kept = entries.slice(first),
    start = 80 + 24 * kept.length;
  let end = start + dfdSize + kvdSize;
  /** @type {number[]} */
  const offsets = [];
  for (let i = kept.length - 1; i >= 0; --i) {
    offsets[i] = Math.ceil(end / align) * align;
    end = offsets[i] + kept[i].bytes;
  }
  const file = new Uint8Array(end),
    out = new DataView(file.buffer);
  file.set(head.subarray(0, 80));
  for (const at of [20, 24, 28]) if (u32(at) !== 0) out.setUint32(at, Math.max(1, u32(at) >>> first), true);
  [
    [40, kept.length],
    [48, start],
    [56, kvdSize ? start + dfdSize : 0],
  ].forEach(([at, value]) => out.setUint32(at, value, true));
  kept.forEach(({ offset, bytes, inflated }, i) => {
    [offsets[i], bytes, inflated].forEach((value, part) => out.setBigUint64(80 + 24 * i + 8 * part, BigInt(value), true));
    file.set(head.subarray(offset, offset + bytes), offsets[i]);
  });
  file.set(head.subarray(dfdAt, dfdAt + dfdSize), start);
  file.set(head.subarray(kvdAt, kvdAt + kvdSize), start + dfdSize);
  return file;
}

/** What the header of a KTX 2 file says beyond a reader's answers. @param {Uint8Array} bytes of a valid file */
export function ktx2Header(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const u32 = (/** @type {number} */ at) => view.getUint32(at, true),
    big = (/** @type {number} */ at) => Number(view.getBigUint64(at, true));
  const levelCount = Math.max(1, u32(40)),
    descriptorAt = u32(48);
  return {
    supercompression: ['none', 'basis-lz', 'zstd', 'zlib'][u32(44)] ?? String(u32(44)),
    levels: Array.from({ length: levelCount }, (_, i) => ({
      offset: big(80 + 24 * i),
      bytes: big(88 + 24 * i),
      inflated: big(96 + 24 * i),
    })),
    firstChannel: view.getUint8(descriptorAt + 4 + 24 + 3) & 15,
    sampleCount: (view.getUint16(descriptorAt + 10, true) - 24) / 16,
  };
}
