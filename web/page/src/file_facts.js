// Facts of a file that no assetc has described: files that are dropped on the page. The members are those of `assetc info --json`.
import { parseHanim } from '../../three/src/hanim.js';
import { parseManifest } from '../../three/src/hman.js';
import { parseHmat } from '../../three/src/hmat.js';
import { parseHmesh } from '../../three/src/hmesh.js';
import { parseHscene } from '../../three/src/hscene.js';
import { blobToKtx2, isBlob, readBlob } from './aas1.js';
import { kindOfPath } from './format.js';
import { ktx2Header } from './ktx2_wrap.js';
import { vkName } from './vk_names.js';

/** @param {Uint8Array} bytes @param {string} file @param {import('../../codec/index.d.ts').Transcoder} codec */
function textureFacts(bytes, file, codec) {
  const whole = isBlob(bytes) ? blobToKtx2(bytes, file) : bytes,
    opened = codec.open(whole);
  try {
    const { width, height, depth, layers, faces, levels, vkFormat, model, srgb } = opened,
      header = ktx2Header(whole);
    return {
      kind: 'texture',
      width,
      height,
      depth: depth > 1 ? depth : 0,
      layers: layers > 1 ? layers : 0,
      faces,
      levels,
      format: model === 'block' || model === 'raw' ? vkName(vkFormat) : model,
      colorspace: srgb ? 'srgb' : 'linear',
      supercompression: header.supercompression,
      inflated_bytes: header.levels.reduce((sum, level) => sum + (level.inflated || level.bytes), 0),
    };
  } finally {
    opened.close();
  }
}

/** @type {Record<string, (bytes: Uint8Array, file: string, codec: any, decoders: any, readers: import('./readers.js').Readers) => any>} by the first four bytes */
const READERS = {
  '\u00abKTX': textureFacts,
  HMSH: (bytes, file, _codec, decoders) => {
    const mesh = parseHmesh(bytes, file, decoders);
    return {
      kind: 'mesh',
      container: 'hmesh 2',
      vertices: mesh.vertexCount,
      triangles: mesh.indices.length / 3,
      indices: mesh.indices.length,
      index_width: mesh.indices.BYTES_PER_ELEMENT,
      submeshes: mesh.submeshes.length,
      primitives: mesh.primitives.length,
      materials: mesh.materials.length,
      lods: mesh.levels.length,
      joints: mesh.skeleton.length,
      tangents: mesh.hasTangents,
      morph_targets: mesh.targets.length,
      morph_names: mesh.targets.map(({ name }) => name),
      aabb_min: mesh.bounds.min,
      aabb_max: mesh.bounds.max,
    };
  },
  HSCN: (bytes, file) => {
    const scene = parseHscene(bytes, file);
    return {
      kind: 'scene',
      nodes: scene.nodes.length,
      meshes: scene.meshes.length,
      skins: scene.skins.length,
      cameras: scene.cameras.length,
      lights: scene.lights.length,
      materials: scene.materials.length,
      variants: scene.variants.length,
      clips: scene.clips.map(({ name }) => ({ name })),
    };
  },
  HMAT: (bytes, file) => ({ kind: 'material', materials: parseHmat(bytes, file).length }),
  HANM: (bytes, file) => ({
    kind: 'animation',
    clips: parseHanim(bytes, file).clips.map(({ name, duration, tracks }) => ({ name, seconds: duration, channels: tracks.length })),
  }),
  HMAN: (bytes, file) => ({ kind: 'manifest', entries: parseManifest(bytes, file).size }),
  HCLU: (bytes, file, _codec, _decoders, readers) => {
    const { sourceTriangles, clusters, groups, pages, levels, materials, skeleton, bounds } = readers.clusters(bytes, file).facts;
    return {
      kind: 'mesh',
      container: 'hcluster',
      triangles: sourceTriangles,
      clusters,
      groups,
      pages,
      lods: levels.length - 1,
      materials: materials.length,
      joints: skeleton.length,
      aabb_min: bounds.min,
      aabb_max: bounds.max,
    };
  },
  HFNT: (bytes, file, _codec, _decoders, readers) => {
    const { name, characters, glyphs, kerningPairs, width, height, size, range } = readers.font(bytes, file).facts();
    return { kind: 'font', name, characters: characters.length, glyphs: glyphs.length, kerning_pairs: kerningPairs, width, height, size, range };
  },
  AAS1: (bytes, file, codec) => {
    const { type, typeName } = readBlob(bytes, file);
    return { ...([1, 16, 17, 18, 19].includes(type) ? textureFacts(bytes, file, codec) : {}), kind: 'asset', type: typeName };
  },
  '\u0003\u0002\u0023\u0007': () => ({ kind: 'shader' }),
};

/**
 * @param {Uint8Array} bytes
 * @param {string} file
 * @param {import('../../codec/index.d.ts').Transcoder} codec
 * @param {import('../../three/src/encoded.js').Decoders} decoders
 * @param {import('./readers.js').Readers} readers
 * @returns {Promise<any>} with `problem` if the file cannot be read
 */
export async function factsOf(bytes, file, codec, decoders, readers) {
  const base = { event: 'file', path: file, bytes: bytes.length };
  const reader = READERS[String.fromCharCode(...bytes.subarray(0, 4))];
  if (!reader) return { ...base, kind: 'other' };
  try {
    return { ...base, ...reader(bytes, file, codec, decoders, readers) };
  } catch (/** @type {any} */ error) {
    return { ...base, kind: kindOfPath(file), problem: [error?.place, error?.what ?? error?.message].filter(Boolean).join(': ') };
  }
}
