// The readers of compiled files. Each message is one operation; its answer is `result` or `error`.
import { MeshoptDecoder } from 'three/addons/libs/meshopt_decoder.module.js';
import { ZSTDDecoder } from 'three/addons/libs/zstddec.module.js';
import { hasSimd, loadTranscoder } from '../../codec/src/index.js';
import { parseHanim } from '../../three/src/hanim.js';
import { parseManifest } from '../../three/src/hman.js';
import { parseHmat } from '../../three/src/hmat.js';
import { parseHmesh } from '../../three/src/hmesh.js';
import { parseHscene } from '../../three/src/hscene.js';
import { makeTexture } from '../../three/src/Ktx2Loader.js';
import { fileError, NONE } from '../../three/src/reader.js';
import { compose, materialPicture, modelPicture, multiply, trianglesOfClusters, trianglesOfMesh } from './model_thumbnail.js';
import { drawText } from './font_draw.js';
import { readMeshlets } from './meshlets.js';
import { comparePictures } from './metrics.js';
import { blobToKtx2, isBlob } from './aas1.js';
import { readCookedClip, readCookedMaterial, readCookedMesh, readCookedSkeleton } from './aas1_model.js';
import { ktx2Header, wrapKtx2 } from './ktx2_wrap.js';
import { factsOf } from './file_facts.js';
import { ClusterPool } from './cluster_pool.js';
import { Readers } from './readers.js';

/** @type {Promise<import('../../codec/index.d.ts').Transcoder> | null} */
let transcoder = null;
const codec = () => {
  if (!hasSimd()) throw new Error('this browser has no SIMD in WebAssembly, which the page needs; use one of 2023 or later');
  transcoder ??= loadTranscoder({ wasm: new URL('transcode-simd.wasm', import.meta.url) });
  return transcoder;
};

/** @type {Promise<Readers> | null} */
let readers = null;
const moreReaders = () => {
  readers ??= Readers.load(new URL('readers.wasm', import.meta.url));
  return readers;
};
/** The font that is open in this worker. @type {{ reader: import('./readers.js').Font, facts: import('./readers.js').FontFacts, atlas: any } | null} */
let font = null;
/** The longest side of the texture of a thumbnail. */
const SURFACE_TEXELS = 128;
const IDENTITY = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];
/** Files with clusters that stay open. @type {ClusterPool[]} */
const pools = [];

/** @type {Promise<any> | null} */
let decoders = null;

/** Decoders of meshes that mesh.compress stores encoded. */
function meshDecoders() {
  decoders ??= (async () => {
    const zstd = new ZSTDDecoder(),
      request = self.fetch;
    // It requests its module from a data: URL, which the page's policy forbids.
    self.fetch = async (url) => new Response(Uint8Array.from(atob(String(url).split(',')[1]), (character) => character.charCodeAt(0)));
    try {
      await Promise.all([MeshoptDecoder.ready, zstd.init()]);
    } finally {
      self.fetch = request;
    }
    return { meshopt: MeshoptDecoder, zstd };
  })();
  return decoders;
}

/** VkFormats of targets, linear and sRGB. @type {Record<string, [number, number]>} */
const VK = {
  bc1: [131, 132],
  bc3: [137, 138],
  bc4: [139, 0],
  bc5: [141, 0],
  bc7: [145, 146],
  etc1: [147, 148],
  'etc2-rgb': [147, 148],
  'etc2-rgba': [151, 152],
  'eac-r11': [153, 0],
  'eac-rg11': [155, 0],
  'astc-4x4': [157, 158],
};

/** The KTX 2 bytes of a texture, which may be in a cooked asset. @param {Uint8Array} bytes @param {string} file */
const textureBytes = (bytes, file) => (isBlob(bytes) ? blobToKtx2(bytes, file) : bytes);

/** @param {import('../../codec/index.d.ts').Ktx2File} file @param {Uint8Array} bytes */
function describe(file, bytes) {
  const { width, height, depth, layers, faces, levels, vkFormat, model, srgb, hdr, hasAlpha } = file;
  const text = new TextDecoder(),
    header = ktx2Header(bytes);
  const keys = [...file.keyValues].map(([key, value]) => [key, text.decode(value.subarray(0, 4096)).replace(/\0+$/, '')]);
  return {
    width,
    height,
    depth,
    layers,
    faces,
    levels: Math.max(levels, 1),
    vkFormat,
    model,
    srgb,
    hdr,
    hasAlpha,
    keys,
    header,
    channels: channelsOf(file, header),
  };
}

/** The channels that the texture stores. @param {any} file @param {ReturnType<typeof ktx2Header>} header @returns {number[]} */
function channelsOf({ vkFormat, model, hasAlpha }, header) {
  if (model === 'uastc')
    return (
      /** @type {Record<number, number[]>} */ ({ 0: [0, 1, 2], 3: [0, 1, 2, 3], 4: [0], 5: [0, 3], 6: [0, 1] })[header.firstChannel] ?? [
        0, 1, 2, 3,
      ]
    );
  if (model === 'etc1s') return header.firstChannel === 3 ? (header.sampleCount === 2 ? [0, 1] : [0]) : hasAlpha ? [0, 1, 2, 3] : [0, 1, 2];
  if ([9, 15, 70, 76, 100, 139, 140, 153, 154].includes(vkFormat)) return [0];
  if ([16, 22, 77, 83, 103, 141, 142, 155, 156].includes(vkFormat)) return [0, 1];
  return hasAlpha ? [0, 1, 2, 3] : [0, 1, 2];
}

/**
 * Data of one channel may be stored as RGB with zeros: then the channel alone is shown.
 * @param {number[]} channels
 * @param {boolean} isColor
 * @param {Uint8Array} data RGBA8
 */
function usedChannels(channels, isColor, data) {
  if (isColor || channels.length !== 3) return channels;
  for (let i = 0; i < data.length; i += 4) if (data[i + 1] !== 0 || data[i + 2] !== 0) return channels;
  return [0];
}

/** @type {Record<string, (data: any, file: string) => Promise<{ result: any, transfer?: Transferable[] }>>} */
const operations = {
  /** An image of a texture as texels. `as`: the format to transcode to and back, or ''. */
  async image({ bytes, index, as }, file) {
    const whole = textureBytes(bytes, file),
      opened = (await codec()).open(whole);
    try {
      const about = describe(opened, whole);
      const started = performance.now();
      let image,
        encodedBytes = 0;
      if (as) {
        const blocks = opened.transcode(index, as);
        encodedBytes = blocks.data.length;
        const again = wrapKtx2({
          vkFormat: VK[as][about.srgb && VK[as][1] ? 1 : 0],
          width: blocks.width,
          height: blocks.height,
          levels: [blocks.data],
        });
        const second = (await codec()).open(/** @type {Uint8Array} */ (again));
        image = second.transcode({}, 'rgba8');
        second.close();
      } else {
        image = opened.transcode(index, opened.hdr || isWide(opened.vkFormat) ? 'rgba16f' : 'rgba8');
      }
      if (image.target === 'rgba8') about.channels = usedChannels(about.channels, about.srgb, image.data);
      return {
        result: {
          about,
          width: image.width,
          height: image.height,
          half: image.target === 'rgba16f',
          data: image.data,
          encodedBytes,
          ms: performance.now() - started,
        },
        transfer: [image.data.buffer],
      };
    } finally {
      opened.close();
    }
  },
  /** A small picture of a texture: RGBA of 8 bits. Normal maps get their z. */
  async thumbnail({ bytes, size }, file) {
    const whole = textureBytes(bytes, file),
      opened = (await codec()).open(whole);
    try {
      let level = 0;
      while (level + 1 < opened.levels && Math.max(opened.width, opened.height) >> level > size * 1.5) ++level;
      const half = opened.hdr || isWide(opened.vkFormat);
      const image = opened.transcode({ level }, half ? 'rgba16f' : 'rgba8');
      const about = usedChannels(channelsOf(opened, ktx2Header(whole)), opened.srgb || half, image.data);
      if (!half && about.length === 1) for (let i = 0; i < image.data.length; i += 4) image.data[i + 1] = image.data[i + 2] = image.data[i];
      if (!half && about.length === 2 && !opened.srgb) addZ(image.data);
      const texels = half ? toneMap(image.data) : image.data,
        scale = Math.min(1, size / Math.max(image.width, image.height));
      const width = Math.max(1, Math.round(image.width * scale)),
        height = Math.max(1, Math.round(image.height * scale));
      const data = shrink(texels, image.width, image.height, width, height);
      return { result: { data, width, height }, transfer: [data.buffer] };
    } finally {
      opened.close();
    }
  },
  /** The levels of a texture as three.js draws them. */
  async texture({ bytes, support, normals }, file) {
    const opened = (await codec()).open(textureBytes(bytes, file));
    try {
      const made = /** @type {any} */ (makeTexture(opened, support, file, normals));
      const mipmaps = made.mipmaps ?? [];
      return {
        result: {
          isCompressed: made.isCompressedTexture === true,
          mipmaps,
          format: made.format,
          type: made.type,
          colorSpace: made.colorSpace,
          width: opened.width,
          height: opened.height,
          minFilter: made.minFilter,
        },
        transfer: mipmaps.map((/** @type {any} */ level) => level.data.buffer),
      };
    } finally {
      opened.close();
    }
  },
  /** Loads what the first operations need. */
  async warm() {
    await codec();
    return { result: null };
  },
  async mesh({ bytes }, file) {
    return { result: parseHmesh(bytes, file, await meshDecoders()) };
  },
  async meshlets({ bytes }, file) {
    return { result: readMeshlets(bytes, file) };
  },
  async scene({ bytes }, file) {
    return { result: parseHscene(bytes, file) };
  },
  async materials({ bytes }, file) {
    return { result: parseHmat(bytes, file) };
  },
  async clips({ bytes }, file) {
    return { result: parseHanim(bytes, file) };
  },
  async manifest({ bytes }, file) {
    return { result: parseManifest(bytes, file) };
  },
  async cookedMesh({ bytes }, file) {
    return { result: readCookedMesh(bytes, file) };
  },
  async cookedClip({ bytes }, file) {
    const clip = readCookedClip(bytes, file);
    return { result: { hanim: parseHanim(clip.bytes, file), ofModel: clip.ofModel } };
  },
  async cookedSkeleton({ bytes }, file) {
    return { result: readCookedSkeleton(bytes, file) };
  },
  async cookedMaterial({ bytes }, file) {
    return { result: readCookedMaterial(bytes, file) };
  },
  /** Opens a file with clusters. Its number is for `clustersCut` of the same worker. */
  async clustersOpen({ bytes, size }, file) {
    const opened = (await moreReaders()).clusters(bytes, file, size);
    pools.push(new ClusterPool(opened));
    return { result: { number: pools.length - 1, facts: opened.facts } };
  },
  /** Clusters of views of one file, with the vertices that were not sent before. */
  async clustersCut({ number, views, weights }) {
    return pools[number].cut(views, weights);
  },
  /** The UUIDs of the materials of a cooked mesh. */
  async meshMaterials({ bytes, size, isClusters }, file) {
    return { result: isClusters ? (await moreReaders()).clusters(bytes, file, size).facts.uuids : readCookedMesh(bytes, file).materials };
  },
  /** The matrices of the instances of each mesh of a scene, at most so many. */
  async sceneInstances({ nodes, most }) {
    return { result: instancesOf(nodes, most) };
  },
  async modelThumbnail({ meshes, surfaces, size }) {
    const made = await Promise.all(surfaces.map(surfaceOf)),
      parts = [];
    for (const { bytes, size: whole, path, isClusters, isCooked, matrices } of meshes) {
      const mesh = isClusters ? null : isCooked ? readCookedMesh(bytes, path).mesh : parseHmesh(bytes, path, await meshDecoders());
      const triangles = mesh
        ? trianglesOfMesh(mesh, made)
        : trianglesOfClusters(await clustersOf(bytes, path, whole), made);
      parts.push({ triangles, matrices });
    }
    return pictureResult(modelPicture(parts, size));
  },
  async materialThumbnail({ surface, size }) {
    return pictureResult(materialPicture(await surfaceOf(surface), size));
  },
  async fontThumbnail({ bytes, atlas, size }, file) {
    const reader = (await moreReaders()).font(bytes, file),
      facts = reader.facts(),
      drawn = drawText(facts, await readAtlas(atlas, file, facts), reader.layout('Ag', { size: size * 0.62 }), 0);
    return pictureResult(tileOf(drawn, size));
  },
  async font({ bytes }, file) {
    return { result: (await moreReaders()).font(bytes, file).facts() };
  },
  /** Opens a font, which the operations below use in the same worker. */
  async fontOpen({ bytes }, file) {
    const reader = (await moreReaders()).font(bytes, file);
    font = { reader, facts: reader.facts(), atlas: null };
    return { result: font.facts };
  },
  async fontAtlas({ bytes }, file) {
    if (!font) throw new Error('no font is open');
    font.atlas = await readAtlas(bytes, file, font.facts);
    return { result: font.atlas };
  },
  /** Lines of text as coverage. */
  async fontDraw({ lines }) {
    if (!font?.atlas) throw new Error('no font with an atlas is open');
    const { reader, facts, atlas } = font,
      pictures = lines.map((/** @type {any} */ { text, margin, ...options }) => drawText(facts, atlas, reader.layout(text, options), margin));
    return { result: pictures, transfer: pictures.map((/** @type {any} */ one) => one.data.buffer) };
  },
  async facts({ bytes }, file) {
    return { result: await factsOf(bytes, file, await codec(), await meshDecoders(), await moreReaders()) };
  },
  async compare({ a, b, width, height, channels }) {
    return { result: comparePictures(a, b, width, height, channels) };
  },
};

/** @param {{ width: number, height: number, data: Uint8ClampedArray<ArrayBuffer> }} picture */
const pictureResult = (picture) => ({ result: picture, transfer: [picture.data.buffer] });

/** The surface of a material, with the small level of its texture. @param {any} from @returns {Promise<any>} */
async function surfaceOf(from) {
  if (!from) return undefined;
  if (!from.texture) return from;
  try {
    const { bytes, path } = from.texture,
      opened = (await codec()).open(textureBytes(bytes, path));
    try {
      let level = 0;
      while (level + 1 < opened.levels && Math.max(opened.width, opened.height) >> level > SURFACE_TEXELS) ++level;
      const { width, height, data } = opened.transcode({ level }, 'rgba8');
      return { ...from, texture: { width, height, data } };
    } finally {
      opened.close();
    }
  } catch {
    return { ...from, texture: null };
  }
}

/** Clusters of the first bytes of a file. Without pages to draw, the first bytes are too few. @param {Uint8Array} bytes @param {string} path @param {number} size */
async function clustersOf(bytes, path, size) {
  const opened = (await moreReaders()).clusters(bytes, path, size);
  if (opened.facts.loadedPages === 0) throw fileError(path, '', `no page ends within the first ${bytes.length} bytes`);
  return opened;
}

/** Text in the middle of a tile. @param {{ width: number, height: number, data: Uint8Array }} text coverage @param {number} size */
function tileOf(text, size) {
  const data = new Uint8ClampedArray(4 * size * size),
    [left, top] = [Math.round((size - text.width) / 2), Math.round((size - text.height) / 2)];
  for (let y = 0; y < size; ++y)
    for (let x = 0; x < size; ++x) {
      const [u, v] = [x - left, y - top],
        covered = u >= 0 && v >= 0 && u < text.width && v < text.height ? text.data[v * text.width + u] / 255 : 0;
      data.set([44 + 200 * covered, 49 + 197 * covered, 60 + 188 * covered, 255], 4 * (y * size + x));
    }
  return { width: size, height: size, data };
}

/** @param {any[]} nodes of a scene @param {number} most @returns {[number, number[][]][]} */
function instancesOf(nodes, most) {
  /** @type {(ArrayLike<number> | null)[]} null: hidden */
  const worlds = [];
  /** @type {Map<number, number[][]>} */
  const found = new Map();
  for (const node of nodes) {
    const parent = node.parent === -1 ? IDENTITY : worlds[node.parent];
    const world = parent && !node.hidden && node.replaces === NONE ? multiply(parent, node.matrix ?? compose(node)) : null;
    worlds.push(world);
    if (!world || node.mesh === NONE || most-- <= 0) continue;
    found.set(node.mesh, [...(found.get(node.mesh) ?? []), node.skin === NONE ? [...world] : IDENTITY]);
  }
  return [...found];
}

/** The texels of the atlas of a font. @param {Uint8Array} bytes @param {string} file @param {import('./readers.js').FontFacts} facts */
async function readAtlas(bytes, file, { width, height }) {
  const opened = (await codec()).open(bytes);
  try {
    if (opened.width !== width || opened.height !== height)
      throw fileError(
        file,
        '',
        `the atlas has ${opened.width} × ${opened.height} texels, but the font expects ${width} × ${height}; compile the font again`,
      );
    const { data } = opened.transcode({}, 'rgba8');
    return { width, height, data: new Uint8ClampedArray(data.buffer, data.byteOffset, data.byteLength) };
  } finally {
    opened.close();
  }
}

/** Formats whose texels exceed 8 bits. @param {number} vk */
const isWide = (vk) => vk >= 70 && vk <= 123;

/** Half floats as sRGB texels. @param {Uint8Array} data */
function toneMap(data) {
  const half = new Uint16Array(data.buffer, data.byteOffset, data.byteLength / 2),
    out = new Uint8ClampedArray(half.length);
  for (let i = 0; i < half.length; ++i) {
    const exponent = (half[i] >> 10) & 31,
      fraction = half[i] & 1023;
    const value = half[i] >> 15 ? 0 : exponent === 0 ? fraction * 2 ** -24 : (1 + fraction / 1024) * 2 ** (exponent - 15);
    out[i] = i % 4 === 3 ? 255 * value : 255 * (value <= 0.0031308 ? 12.92 * value : 1.055 * Math.min(value, 1) ** (1 / 2.4) - 0.055);
  }
  return out;
}

/** Writes the z of unit vectors. @param {Uint8Array} data RGBA8 */
function addZ(data) {
  for (let i = 0; i < data.length; i += 4) {
    const x = data[i] / 127.5 - 1,
      y = data[i + 1] / 127.5 - 1;
    data[i + 2] = 127.5 * (1 + Math.sqrt(Math.max(0, 1 - x * x - y * y)));
  }
}

/**
 * Averages boxes of texels.
 * @param {ArrayLike<number>} from RGBA
 * @param {number} fromWidth
 * @param {number} fromHeight
 * @param {number} width
 * @param {number} height
 */
function shrink(from, fromWidth, fromHeight, width, height) {
  const out = new Uint8ClampedArray(4 * width * height);
  for (let y = 0; y < height; ++y) {
    const top = Math.floor((y * fromHeight) / height),
      bottom = Math.max(top + 1, Math.floor(((y + 1) * fromHeight) / height));
    for (let x = 0; x < width; ++x) {
      const left = Math.floor((x * fromWidth) / width),
        right = Math.max(left + 1, Math.floor(((x + 1) * fromWidth) / width));
      for (let c = 0; c < 4; ++c) {
        let sum = 0;
        for (let v = top; v < bottom; ++v) for (let u = left; u < right; ++u) sum += from[4 * (v * fromWidth + u) + c];
        out[4 * (y * width + x) + c] = sum / ((bottom - top) * (right - left));
      }
    }
  }
  return out;
}

self.onmessage = async ({ data: { id, op, data, file } }) => {
  try {
    const { result, transfer = [] } = await operations[op](data, file);
    /** @type {any} */ (self).postMessage({ id, result }, transfer);
  } catch (/** @type {any} */ error) {
    self.postMessage({
      id,
      error: {
        code: error?.code ?? 'invalid_data',
        place: error?.place ? (error.place.startsWith(file) ? error.place : `${file}: ${error.place}`) : file,
        what: error?.what ?? error?.message ?? String(error),
        hint: error?.hint ?? '',
      },
    });
  }
};
