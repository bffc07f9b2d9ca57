// The parts of a .hscene, version 1: docs/formats/hscene.md of assetc.
import { fileError, limitError, MAX_DEPTH, NONE, readChunks, Reader } from './reader.js';

const SIZES = { DESC: 64, NODE: 128, MTRX: 64, WGHT: 4, BYNM: 4, MESH: 64, SKIN: 32, JNTS: 4, IBMT: 64, CAMR: 48, LGHT: 48, MTRL: 48,
  MPAR: 24, MTEX: 56, VRNT: 4, VMAP: 16, CLIP: 48, CNOD: 4 };
/** Elements that all ranges of a file name together: a small file may name large ranges often. */
const MAX_ELEMENTS = 1 << 22;
const KNOWN = new Set([...Object.keys(SIZES), 'TEXT']);

/**
 * @typedef {import('./hmat.js').Sampler} Sampler
 * @typedef {{ min: number[], max: number[] }} Box
 * @typedef {object} SceneNode
 * @property {number[]} translation
 * @property {number[]} rotation x y z w
 * @property {number[]} scale
 * @property {Box | null} box of everything at the node and below it, in the node's space
 * @property {number} parent −1: none
 * @property {number} end the nodes below this one are those from the next one up to here
 * @property {number} mesh
 * @property {number} skin
 * @property {number} camera
 * @property {number} light
 * @property {string} name
 * @property {string} extra JSON, or empty
 * @property {number[]} weights of morph targets; empty: those of the mesh
 * @property {number[] | null} matrix exact, column-major
 * @property {boolean} hidden
 * @property {number} replaces the node that this one replaces at lower detail
 * @property {number} source the number of the node in the source
 *
 * @typedef {{ hash: bigint, box: Box, name: string, extra: string, submeshCount: number, targetCount: number }} SceneMesh
 * @typedef {{ name: string, joints: number[], inverseBinds: number[][], extra: string }} SceneSkin
 * @typedef {{ orthographic: boolean, fovY: number, aspect: number, halfWidth: number, halfHeight: number, near: number, far: number,
 *   name: string, extra: string }} SceneCamera
 * @typedef {{ type: 'directional' | 'point' | 'spot', color: number[], intensity: number, range: number, innerAngle: number,
 *   outerAngle: number, name: string, extra: string }} SceneLight
 * @typedef {{ name: string, set: number, hash: bigint, sampler: Sampler, offset: number[], rotation: number, scale: number[] }} SceneTexture
 * @typedef {{ hash: bigint, row: number, name: string, extra: string, parameters: Map<string, number[]>, textures: SceneTexture[] }} SceneMaterial
 * @typedef {{ mesh: number, submesh: number, variant: number, material: number }} VariantMaterial
 * @typedef {{ hash: bigint, number: number, name: string, duration: number, nodes: number[], extra: string }} SceneClip
 * @typedef {object} Hscene
 * @property {string} name
 * @property {string} extra
 * @property {string} sourceExtra
 * @property {Box | null} box
 * @property {SceneNode[]} nodes
 * @property {SceneMesh[]} meshes
 * @property {SceneSkin[]} skins
 * @property {SceneCamera[]} cameras
 * @property {SceneLight[]} lights
 * @property {SceneMaterial[]} materials
 * @property {string[]} variants
 * @property {VariantMaterial[]} variantMaterials
 * @property {SceneClip[]} clips
 */

/** @param {Reader} reader @returns {string[]} */
function readTexts(reader) {
  const count = reader.u32();
  reader.need(4, 4 * count);
  const start = 4 + 4 * count, texts = [];
  let from = 0;
  for (let i = 0; i < count; ++i) {
    const end = reader.u32();
    if (end < from || end > reader.size - start) reader.fail(`it ends at ${end}, expected from ${from} to ${reader.size - start}`, `[${i}]`);
    texts.push(reader.text(start + from, end - from));
    from = end;
  }
  if (from !== reader.size - start) reader.fail(`the texts end at ${from} of ${reader.size - start} bytes`);
  return texts;
}

/** @param {Reader} reader @returns {Box} */
function readBox(reader) {
  return { min: reader.floats(3), max: reader.floats(3) };
}

/** @param {number} flags the sampler flags of AAS1 @returns {Sampler} */
function samplerOf(flags) {
  const limited = (/** @type {number} */ shift, /** @type {number} */ most) => (flags >>> shift & 3) <= most ? flags >>> shift & 3 : 0;
  return { wrapU: limited(0, 2), wrapV: limited(2, 2), mag: limited(16, 2), min: limited(18, 2), mip: limited(20, 3) };
}

/**
 * Reads a .hscene.
 * @param {ArrayBuffer | Uint8Array} data
 * @param {string} file its name, for errors
 * @returns {Hscene}
 * @throws AssetcError with the file and the place, if the file breaks a rule of the format
 */
export function parseHscene(data, file) {
  const { chunks, encoded } = readChunks(data, file, 'HSCN', 1, KNOWN);
  for (const id of encoded.keys()) throw fileError(file, id, 'the flags of the chunk are not 0, which this loader does not know');
  for (const id of ['DESC', 'TEXT']) if (!chunks.has(id)) throw fileError(file, '', `the chunk ${id} is missing`);
  /** @type {Record<string, number>} */
  const counts = {};
  for (const [id, size] of Object.entries(SIZES)) {
    const bytes = chunks.get(id)?.size ?? 0;
    if (bytes % size !== 0) throw fileError(file, id, `the chunk has ${bytes} bytes, expected a multiple of ${size}`);
    counts[id] = bytes / size;
  }
  if (counts.DESC !== 1) throw fileError(file, 'DESC', `there are ${counts.DESC} scenes, expected 1`);
  if (counts.IBMT !== 0 && counts.IBMT !== counts.JNTS) throw fileError(file, 'IBMT', `there are ${counts.IBMT} matrices for ${counts.JNTS} joints`);
  const texts = readTexts(/** @type {Reader} */ (chunks.get('TEXT')));

  /**
   * The elements of a chunk.
   * @template T
   * @param {string} id
   * @param {(reader: Reader, i: number) => T} read
   * @returns {T[]}
   */
  const all = (id, read) => {
    const reader = chunks.get(id), size = /** @type {Record<string, number>} */ (SIZES)[id];
    return Array.from({ length: counts[id] }, (_, i) => {
      const one = new Reader(/** @type {Reader} */ (reader).bytes.subarray(i * size, (i + 1) * size), file, `${id}[${i}]`);
      return read(one, i);
    });
  };
  /** @param {Reader} reader */
  const text = (reader) => {
    const i = reader.u32();
    if (i === NONE) return '';
    return texts[i] ?? reader.fail(`it names text ${i}, but there are ${texts.length}`);
  };
  /** @param {Reader} reader @param {string} id of the array @param {boolean} [optional] */
  const index = (reader, id, optional = true) => {
    const i = reader.u32();
    if (!(optional && i === NONE) && i >= counts[id]) reader.fail(`it names ${id}[${i}], but there are ${counts[id]}`);
    return i;
  };
  let named = 0;
  /** @param {Reader} reader @param {string} id @returns {[number, number]} where a range begins and ends */
  const range = (reader, id) => {
    const first = reader.u32(), count = reader.u32();
    if (count === 0) return [0, 0];
    if (first > counts[id] || count > counts[id] - first) reader.fail(`${count} elements of ${id} from ${first}, but there are ${counts[id]}`);
    named += count;
    if (named > MAX_ELEMENTS) throw limitError(file, reader.place, `the ranges of the file have more than ${MAX_ELEMENTS} elements`);
    return [first, first + count];
  };

  const desc = all('DESC', (reader) => {
    const name = text(reader), extra = text(reader), sourceExtra = text(reader), flags = reader.u32(), box = readBox(reader);
    if (flags & 1) reader.fail('the refs are UUIDs, as in a cooked scene; this loader reads scenes of a runtime folder');
    return { name, extra, sourceExtra, box: flags & 2 ? box : null };
  })[0];
  /** @param {Reader} reader */
  const ref = (reader) => {
    const hash = reader.u64();
    reader.skip(8);
    return hash;
  };

  const matrices = all('MTRX', (reader) => reader.floats(16));
  const weights = all('WGHT', (reader) => reader.f32());
  const nodes = all('NODE', (reader, i) => {
    const translation = reader.floats(3), rotation = reader.floats(4), scale = reader.floats(3), box = readBox(reader);
    const parent = reader.i32(), end = reader.u32(), mesh = index(reader, 'MESH'), skin = index(reader, 'SKIN');
    const camera = index(reader, 'CAMR'), light = index(reader, 'LGHT'), name = text(reader), extra = text(reader);
    const [firstWeight, endWeight] = range(reader, 'WGHT');
    const matrix = index(reader, 'MTRX'), flags = reader.u32(), replaces = index(reader, 'NODE'), source = reader.u32();
    if (parent < -1 || parent >= i) reader.fail(`its parent is ${parent}, expected a node before it, or -1`);
    if (end <= i || end > counts.NODE) reader.fail(`its end is ${end}, expected from ${i + 1} to ${counts.NODE}`);
    if (replaces !== NONE && mesh === NONE) reader.fail('it replaces a node, but has no mesh');
    return {
      translation, rotation, scale, box: flags & 2 ? box : null, parent, end, mesh, skin, camera, light, name, extra,
      weights: weights.slice(firstWeight, endWeight), matrix: matrix === NONE ? null : matrices[matrix], hidden: (flags & 1) !== 0, replaces, source,
    };
  });
  const depths = new Uint32Array(nodes.length);
  nodes.forEach((node, i) => {
    depths[i] = node.parent === -1 ? 0 : depths[node.parent] + 1;
    if (depths[i] > MAX_DEPTH) throw limitError(file, `NODE[${i}]`, `it lies below ${MAX_DEPTH} nodes, which this loader does not draw`);
    if (node.parent !== -1 && (i >= nodes[node.parent].end || node.end > nodes[node.parent].end))
      throw fileError(file, `NODE[${i}]`, `it does not lie among the nodes below its parent ${node.parent}`);
  });
  const meshes = all('MESH', (reader) => ({
    hash: ref(reader), box: readBox(reader), name: text(reader), extra: text(reader), submeshCount: reader.u32(), targetCount: reader.u32(),
  }));
  const joints = all('JNTS', (reader) => index(reader, 'NODE', false));
  const inverseBinds = all('IBMT', (reader) => reader.floats(16));
  const skins = all('SKIN', (reader) => {
    ref(reader);
    const name = text(reader), [first, end] = range(reader, 'JNTS');
    return { name, joints: joints.slice(first, end), inverseBinds: inverseBinds.slice(first, end), extra: text(reader) };
  });
  const cameras = all('CAMR', (reader) => {
    const type = reader.u32();
    if (type > 1) reader.fail(`the type is ${type}, expected 0 or 1`);
    const [fovY, aspect, halfWidth, halfHeight, near, far] = reader.floats(6);
    return { orthographic: type === 1, fovY, aspect, halfWidth, halfHeight, near, far, name: text(reader), extra: text(reader) };
  });
  const lights = all('LGHT', (reader) => {
    const type = reader.u32();
    if (type > 2) reader.fail(`the type is ${type}, expected 0 to 2`);
    const color = reader.floats(3), [intensity, reach, innerAngle, outerAngle] = reader.floats(4);
    return { type: /** @type {const} */ (['directional', 'point', 'spot'])[type], color, intensity, range: reach, innerAngle, outerAngle,
      name: text(reader), extra: text(reader) };
  });
  const parameters = all('MPAR', (reader) => {
    const name = text(reader), count = reader.u32(), values = reader.floats(4);
    if (count < 1 || count > 4) reader.fail(`it has ${count} components, expected 1 to 4`);
    return { name, values: values.slice(0, count) };
  });
  const textures = all('MTEX', (reader) => {
    const name = text(reader), set = reader.u32(), hash = ref(reader), sampler = samplerOf(reader.u32());
    const offset = reader.floats(2), rotation = reader.f32(), scale = reader.floats(2);
    return { name, set, hash, sampler, offset, rotation, scale };
  });
  const materials = all('MTRL', (reader) => {
    const hash = ref(reader), row = reader.u32(), name = text(reader), extra = text(reader);
    const [firstParameter, endParameter] = range(reader, 'MPAR'), [firstTexture, endTexture] = range(reader, 'MTEX');
    return { hash, row, name, extra, parameters: new Map(parameters.slice(firstParameter, endParameter).map(({ name: key, values }) => [key, values])),
      textures: textures.slice(firstTexture, endTexture) };
  });
  const variants = all('VRNT', text);
  const variantMaterials = all('VMAP', (reader) => {
    const mesh = index(reader, 'MESH', false), submesh = reader.u32();
    if (submesh >= meshes[mesh].submeshCount) reader.fail(`it names submesh ${submesh}, but the mesh has ${meshes[mesh].submeshCount}`);
    return { mesh, submesh, variant: index(reader, 'VRNT', false), material: index(reader, 'MTRL', false) };
  });
  const clipNodes = all('CNOD', (reader) => index(reader, 'NODE', false));
  const clips = all('CLIP', (reader) => {
    const hash = ref(reader), number = reader.u32(), name = text(reader), duration = reader.f32(), [first, end] = range(reader, 'CNOD');
    return { hash, number, name, duration, nodes: clipNodes.slice(first, end), extra: text(reader) };
  });
  return { ...desc, nodes, meshes, skins, cameras, lights, materials, variants, variantMaterials, clips };
}
