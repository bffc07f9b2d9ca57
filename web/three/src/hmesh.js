// The parts of a .hmesh, version 2: docs/formats/hmesh.md of assetc.
import { decodeChunks } from './encoded.js';
import { fileError, limitError, MAX_DEPTH, NONE, readChunks, Reader } from './reader.js';

const KNOWN = new Set(['DESC', 'BNDS', 'SUBM', 'VTXS', 'IDXS', 'MTRL', 'MLET', 'MLVR', 'MLTR', 'MLBN', 'SKIN', 'SKEL', 'LODI', 'LODT',
  'PBND', 'NAME', 'ATTR', 'VTX2', 'SKN8', 'MRPH', 'PRIM']);
/** Numbers of all dense morph targets, and indices of all levels of detail: a small file may repeat large parts. */
const MAX_VALUES = 1 << 28;
const VERTEX = 28, SUBMESH = 64, SKIN_VERTEX = 24, JOINT = 112, PRIMITIVE = 72;

/**
 * @typedef {{ min: number[], max: number[], center: number[], radius: number }} Bounds
 * @typedef {{ firstIndex: number, indexCount: number, material: number, bounds: Bounds, name: string, node: number }} Submesh
 * @typedef {{ inverseBind: number[], translation: number[], rotation: number[], scale: number[], parent: number, name: string }} Joint
 * @typedef {{ semantic: number, set: number, format: number, offset: number, name: string }} Attribute
 * @typedef {{ name: string, weight: number, moves: Float32Array[], vertices: Uint32Array }} Target
 *   `moves`: the offsets of positions, normals and tangents, three numbers for each of `vertices`
 * @typedef {{ topology: 'lines' | 'points', flags: number, indices: Uint32Array, material: number, submeshesBefore: number, node: number,
 *   name: string, bounds: Bounds }} Primitive
 * @typedef {object} Hmesh
 * @property {number} vertexCount
 * @property {boolean} hasTangents
 * @property {Float32Array} positions three for each vertex
 * @property {Float32Array} normals three for each vertex
 * @property {Float32Array} tangents four for each vertex; the last is the handedness
 * @property {Float32Array} texcoords two for each vertex
 * @property {Uint16Array | Uint32Array} indices
 * @property {Submesh[]} submeshes
 * @property {bigint[]} materials the hash of each slot's ref
 * @property {string[]} materialNames
 * @property {string[]} nodeNames
 * @property {Bounds} bounds
 * @property {Bounds[]} poseBounds
 * @property {{ joints: Uint16Array, weights: Float32Array } | null} skin
 * @property {Joint[]} skeleton
 * @property {{ indices: Uint32Array, ranges: { first: number, count: number }[] }[]} levels for each level a range for each submesh
 * @property {{ stride: number, bytes: Uint8Array, attributes: Attribute[] } | null} further
 * @property {Target[]} targets
 * @property {{ first: number, count: number, node: number }[]} targetGroups
 * @property {Primitive[]} primitives
 */

/** @param {Reader} reader @returns {Bounds} */
export function readBounds(reader) {
  const min = reader.floats(3), max = reader.floats(3), center = reader.floats(3), radius = reader.f32();
  if (min.some((value, i) => value > max[i]) || radius < 0) reader.fail(`bounds before offset ${reader.at} are inverted`);
  return { min, max, center, radius };
}

/**
 * Writes the unit vector of two octahedral integers.
 * @param {number} x
 * @param {number} y
 * @param {Float32Array} out
 * @param {number} at
 */
export function decodeOctahedral(x, y, out, at) {
  let u = Math.max(x / 32767, -1), v = Math.max(y / 32767, -1);
  const z = 1 - Math.abs(u) - Math.abs(v);
  if (z < 0) [u, v] = [(1 - Math.abs(v)) * (u < 0 ? -1 : 1), (1 - Math.abs(u)) * (v < 0 ? -1 : 1)];
  const length = Math.hypot(u, v, z) || 1;
  out[at] = u / length;
  out[at + 1] = v / length;
  out[at + 2] = z / length;
}

/**
 * Texts that lie one after another; `ends` says where each ends.
 * @param {Reader} reader the chunk
 * @param {number[]} ends
 * @param {number} start where the text begins in the chunk
 * @param {number} size of the text
 * @returns {string[]}
 */
function splitText(reader, ends, start, size) {
  let from = 0;
  const names = ends.map((end) => {
    if (end < from || end > size) reader.fail(`a name ends at ${end}, expected from ${from} to ${size}`);
    const name = reader.text(start + from, end - from);
    from = end;
    return name;
  });
  if (from !== size) reader.fail(`the names end at ${from} of ${size} bytes of text`);
  return names;
}

/**
 * Reads a .hmesh.
 * @param {ArrayBuffer | Uint8Array} data
 * @param {string} file its name, for errors
 * @param {import('./encoded.js').Decoders} [decoders] of encoded chunks, ready to decode
 * @returns {Hmesh}
 * @throws AssetcError with the file and the place, if the file breaks a rule of the format
 */
export function parseHmesh(data, file, decoders = {}) {
  const { chunks, encoded } = readChunks(data, file, 'HMSH', 2, KNOWN);
  decodeChunks(chunks, encoded, file, decoders);
  /** @param {string} id */
  const required = (id) => chunks.get(id) ?? new Reader(new Uint8Array(), file).fail(`the chunk ${id} is missing`);
  /** @param {string} id @param {number} size */
  const sized = (id, size) => {
    const reader = required(id);
    if (reader.size !== size) reader.fail(`the chunk has ${reader.size} bytes, expected ${size}`);
    return reader;
  };
  const desc = sized('DESC', 32);
  const vertexCount = desc.u32(), indexCount = desc.u32();
  desc.u32();
  const submeshCount = desc.u32(), materialCount = desc.u32(), stride = desc.u16(), width = desc.u8(), flags = desc.u8();
  if (stride !== VERTEX) desc.fail(`vertices have ${stride} bytes, expected ${VERTEX}`);
  if (width !== 2 && width !== 4) desc.fail(`indices have ${width} bytes, expected 2 or 4`);
  const bounds = readBounds(sized('BNDS', 40));

  const vertices = sized('VTXS', vertexCount * VERTEX);
  const positions = new Float32Array(vertexCount * 3), normals = new Float32Array(vertexCount * 3);
  const tangents = new Float32Array(vertexCount * 4), texcoords = new Float32Array(vertexCount * 2);
  for (let i = 0; i < vertexCount; ++i) {
    for (let c = 0; c < 3; ++c) positions[3 * i + c] = vertices.f32();
    decodeOctahedral(vertices.i16(), vertices.i16(), normals, 3 * i);
    const u = vertices.i16(), v = vertices.i16();
    decodeOctahedral(u, v, tangents, 4 * i);
    tangents[4 * i + 3] = u & 1 ? -1 : 1;
    for (let c = 0; c < 2; ++c) texcoords[2 * i + c] = vertices.f32();
  }
  const indices = sized('IDXS', indexCount * width).array(width === 2 ? 'u16' : 'u32', 0, indexCount);
  /** @param {ArrayLike<number>} list @param {string} id */
  const checkIndices = (list, id) => {
    for (let i = 0; i < list.length; ++i)
      if (list[i] >= vertexCount) throw fileError(file, `${id}[${i}]`, `the index is ${list[i]}, but there are ${vertexCount} vertices`);
  };
  checkIndices(indices, 'IDXS');

  const rows = sized('SUBM', submeshCount * SUBMESH);
  /** @type {Submesh[]} */
  const submeshes = [];
  let covered = 0;
  for (let i = 0; i < submeshCount; ++i) {
    const firstIndex = rows.u32(), count = rows.u32();
    rows.skip(8);
    const material = rows.u32(), baseVertex = rows.u32();
    if (firstIndex !== covered || count > indexCount - covered || count % 3 !== 0)
      rows.fail(`its indices are ${count} from ${firstIndex}, expected a multiple of 3 from ${covered}, up to ${indexCount}`, `[${i}]`);
    if (material !== NONE && material >= materialCount) rows.fail(`its material is ${material}, but there are ${materialCount}`, `[${i}]`);
    if (baseVertex !== 0) rows.fail(`its base vertex is ${baseVertex}, expected 0`, `[${i}]`);
    covered += count;
    submeshes.push({ firstIndex, indexCount: count, material, bounds: readBounds(rows), name: '', node: NONE });
  }
  if (covered !== indexCount) rows.fail(`the submeshes cover ${covered} of ${indexCount} indices`);
  /** @type {bigint[]} */
  const materials = [];
  if (materialCount > 0) {
    const hashes = sized('MTRL', materialCount * 8);
    for (let i = 0; i < materialCount; ++i) materials.push(hashes.u64());
  }

  if (chunks.has('SKIN') !== chunks.has('SKEL')) throw fileError(file, '', 'one of SKIN and SKEL is missing');
  /** @type {Joint[]} */
  let skeleton = [];
  let skin = null;
  if (chunks.has('SKEL')) {
    skeleton = readSkeleton(required('SKEL'));
    skin = readSkin(sized('SKIN', vertexCount * SKIN_VERTEX), vertexCount, skeleton.length);
  }

  /** @type {Hmesh} */
  const mesh = {
    vertexCount, hasTangents: (flags & 1) !== 0, positions, normals, tangents, texcoords, indices, submeshes, materials, materialNames: [],
    nodeNames: [], bounds, poseBounds: [], skin, skeleton, levels: readLevels(chunks, file, submeshCount, checkIndices), further: null,
    targets: [], targetGroups: [], primitives: [],
  };
  const poses = chunks.get('PBND');
  if (poses) {
    if (poses.size % 40 !== 0 || poses.size === 0) poses.fail(`the chunk has ${poses.size} bytes, expected a multiple of 40`);
    while (poses.at < poses.size) mesh.poseBounds.push(readBounds(poses));
  }
  const names = chunks.get('NAME');
  if (names) readNames(names, mesh);
  if (chunks.has('ATTR') !== chunks.has('VTX2')) throw fileError(file, '', 'one of ATTR and VTX2 is missing');
  const attributes = chunks.get('ATTR');
  if (attributes) mesh.further = readAttributes(attributes, required('VTX2'), vertexCount);
  const morphs = chunks.get('MRPH');
  if (morphs) readTargets(morphs, mesh);
  const primitives = chunks.get('PRIM');
  if (primitives) readPrimitives(primitives, mesh);
  return mesh;
}

/**
 * The joints of a skeleton, without names.
 * @param {Reader} reader of joints alone
 * @returns {Joint[]}
 */
export function readSkeleton(reader) {
  if (reader.size % JOINT !== 0) reader.fail(`there are ${reader.size} bytes, expected a multiple of ${JOINT}`);
  const count = reader.size / JOINT;
  /** @type {Joint[]} */
  const skeleton = [];
  for (let i = 0; i < count; ++i) {
    const inverseBind = reader.floats(16), translation = reader.floats(3), rotation = reader.floats(4), scale = reader.floats(3);
    const parent = reader.i32();
    reader.u32();
    if (parent < -1 || parent >= count) reader.fail(`its parent is ${parent}, but there are ${count} joints`, `[${i}]`);
    skeleton.push({ inverseBind, translation, rotation, scale, parent, name: '' });
  }
  for (let i = 0; i < count; ++i) {
    let depth = 0;
    for (let j = i; j !== -1; j = skeleton[j].parent)
      if (++depth > Math.min(count, MAX_DEPTH)) {
        if (depth > count) reader.fail('a joint is its own ancestor', `[${j}]`);
        throw limitError(reader.file, `${reader.place}[${i}]`, `it lies below ${MAX_DEPTH} joints, which this loader does not draw`);
      }
  }
  return skeleton;
}

/** @param {Reader} reader @param {number} vertexCount @param {number} jointCount */
function readSkin(reader, vertexCount, jointCount) {
  const joints = new Uint16Array(vertexCount * 4), weights = new Float32Array(vertexCount * 4);
  for (let i = 0; i < vertexCount; ++i) {
    for (let c = 0; c < 4; ++c) {
      joints[4 * i + c] = reader.u16();
      if (joints[4 * i + c] >= jointCount) reader.fail(`joint ${joints[4 * i + c]}, but there are ${jointCount}`, `[${i}]`);
    }
    let sum = 0;
    for (let c = 0; c < 4; ++c) {
      const weight = weights[4 * i + c] = reader.f32();
      if (weight < 0) reader.fail(`the weight ${weight} is negative`, `[${i}]`);
      sum += weight;
    }
    if (Math.abs(sum - 1) > 1e-3) reader.fail(`the weights sum to ${sum}, expected 1`, `[${i}]`);
  }
  return { joints, weights };
}

/**
 * @param {Map<string, Reader>} chunks
 * @param {string} file
 * @param {number} submeshCount
 * @param {(list: ArrayLike<number>, id: string) => void} checkIndices
 */
function readLevels(chunks, file, submeshCount, checkIndices) {
  const table = chunks.get('LODT'), data = chunks.get('LODI');
  if (!table) {
    if (data) throw fileError(file, '', 'there is LODI, but no LODT');
    return [];
  }
  const levelCount = table.u32(), count = table.u32();
  if (levelCount === 0 && count === 0 && table.size === 8 && !data) return [];
  if (count !== submeshCount) table.fail(`it has ${count} submeshes, expected ${submeshCount}`);
  if (table.size !== 8 + 8 * levelCount * submeshCount) table.fail(`the chunk has ${table.size} bytes for ${levelCount} levels of ${submeshCount} submeshes`);
  if (submeshCount === 0) return [];
  const size = data ? data.size : 0;
  if (size % 4 !== 0) table.fail(`LODI has ${size} bytes, expected a multiple of 4`);
  const indices = data ? data.array('u32', 0, size / 4) : new Uint32Array();
  checkIndices(indices, 'LODI');
  /** @type {{ indices: Uint32Array, ranges: { first: number, count: number }[] }[]} */
  const levels = Array.from({ length: levelCount }, () => ({ indices, ranges: [] }));
  let total = 0;
  for (let s = 0; s < submeshCount; ++s) {
    for (const level of levels) {
      const first = table.u32(), rangeCount = table.u32();
      if (first > indices.length || rangeCount > indices.length - first || rangeCount % 3 !== 0)
        table.fail(`${rangeCount} indices from ${first} are not whole triangles of the ${indices.length} of LODI`, ` submesh ${s}`);
      level.ranges.push({ first, count: rangeCount });
      total += rangeCount;
      if (total > MAX_VALUES) throw limitError(file, 'LODT', `the levels have more than ${MAX_VALUES} indices`);
    }
  }
  return levels;
}

/** @param {Reader} reader @param {Hmesh} mesh */
export function readNames(reader, mesh) {
  if (reader.u32() !== 1) return;  // a later version
  const counts = [reader.u32(), reader.u32(), reader.u32(), reader.u32()], nodeCount = reader.u32();
  const expected = [mesh.submeshes.length, mesh.materials.length, mesh.skeleton.length];
  expected.forEach((count, i) => { if (counts[i] !== 0 && counts[i] !== count) reader.fail(`${counts[i]} names, expected ${count}`); });
  if (nodeCount !== 0 && nodeCount !== mesh.submeshes.length) reader.fail(`${nodeCount} nodes of submeshes, expected ${mesh.submeshes.length}`);
  const total = counts.reduce((sum, count) => sum + count, 0);
  reader.need(reader.at, 4 * (nodeCount + total));
  for (let i = 0; i < nodeCount; ++i) {
    const node = reader.u32();
    if (node !== NONE && node >= counts[3]) reader.fail(`submesh ${i} is of node ${node}, but there are ${counts[3]}`);
    mesh.submeshes[i].node = node;
  }
  const ends = Array.from({ length: total }, () => reader.u32());
  const names = splitText(reader, ends, reader.at, reader.size - reader.at);
  names.splice(0, counts[0]).forEach((name, i) => { mesh.submeshes[i].name = name; });
  mesh.materialNames = names.splice(0, counts[1]);
  names.splice(0, counts[2]).forEach((name, i) => { mesh.skeleton[i].name = name; });
  mesh.nodeNames = names;
}

/** @type {Record<number, number>} bytes of each format of an attribute */
const FORMATS = { 1: 4, 2: 8, 3: 12, 4: 16, 19: 4, 20: 8 };

/** @param {Reader} reader @param {Reader} vertices @param {number} vertexCount */
function readAttributes(reader, vertices, vertexCount) {
  const stride = reader.u32(), count = reader.u32();
  if (stride % 4 !== 0 || stride === 0) reader.fail(`the stride is ${stride}, expected a multiple of 4`);
  if (count < 1 || count > 64) reader.fail(`there are ${count} attributes, expected 1 to 64`);
  if (vertices.size !== stride * vertexCount) vertices.fail(`the chunk has ${vertices.size} bytes, expected ${stride * vertexCount}`);
  /** @type {Attribute[]} */
  const attributes = [];
  const ends = [];
  let free = 0;
  for (let i = 0; i < count; ++i) {
    const semantic = reader.u16(), set = reader.u16(), format = reader.u16(), offset = reader.u16();
    ends.push(reader.u32());
    reader.u32();
    const size = FORMATS[format];
    if (size === undefined) reader.fail(`the format is ${format}, which is not known`, `[${i}]`);
    if (offset % 4 !== 0 || offset < free || offset + size > stride) reader.fail(`${size} bytes at ${offset} of a vertex of ${stride}`, `[${i}]`);
    free = offset + size;
    attributes.push({ semantic, set, format, offset, name: '' });
  }
  splitText(reader, ends, reader.at, reader.size - reader.at).forEach((name, i) => { attributes[i].name = name; });
  return { stride, bytes: vertices.bytes, attributes };
}

/**
 * The values of an attribute of a second vertex buffer.
 * @param {{ stride: number, bytes: Uint8Array }} further
 * @param {Attribute} attribute
 * @param {number} vertexCount
 * @returns {{ array: Float32Array | Uint8Array | Uint16Array, itemSize: number, normalized: boolean }}
 */
export function attributeValues(further, attribute, vertexCount) {
  const view = new DataView(further.bytes.buffer, further.bytes.byteOffset, further.bytes.byteLength);
  const itemSize = attribute.format <= 4 ? attribute.format : 4;
  const array = attribute.format <= 4 ? new Float32Array(vertexCount * itemSize)
    : attribute.format === 19 ? new Uint8Array(vertexCount * 4) : new Uint16Array(vertexCount * 4);
  for (let i = 0; i < vertexCount; ++i) {
    for (let c = 0; c < itemSize; ++c) {
      const at = i * further.stride + attribute.offset + c * array.BYTES_PER_ELEMENT;
      array[itemSize * i + c] = attribute.format <= 4 ? view.getFloat32(at, true) : attribute.format === 19 ? view.getUint8(at) : view.getUint16(at, true);
    }
  }
  return { array, itemSize, normalized: attribute.format > 4 };
}

/** @param {Reader} reader @param {Hmesh} mesh */
export function readTargets(reader, mesh) {
  if (reader.u32() !== 1) reader.fail('the version is not 1');
  const flags = reader.u32(), vertexCount = reader.u32(), targetCount = reader.u32(), groupCount = reader.u32(), moveCount = reader.u32();
  const moveSize = reader.u32(), movesAt = reader.u32(), channelCount = reader.u32(), channelMoveCount = reader.u32(), textSize = reader.u32();
  reader.u32();
  if (![0, 1, 3].includes(flags)) reader.fail(`the flags are ${flags}, expected 0, 1 or 3`);
  const expectedSize = [12, 16, 0, 24][flags];
  if (moveSize !== expectedSize) reader.fail(`a move has ${moveSize} bytes, expected ${expectedSize}`);
  if (vertexCount !== mesh.vertexCount) reader.fail(`${vertexCount} vertices, expected ${mesh.vertexCount}`);
  if (targetCount < 1 || targetCount > 65535) reader.fail(`${targetCount} targets, expected 1 to 65535`);
  const textAt = 48 + 40 * targetCount + 16 * groupCount + 24 * channelCount + 12 * channelMoveCount;
  if (movesAt !== Math.ceil((textAt + textSize) / 16) * 16) reader.fail(`the moves are at ${movesAt}, expected ${Math.ceil((textAt + textSize) / 16) * 16}`);
  if (reader.size !== movesAt + moveCount * moveSize) reader.fail(`the chunk has ${reader.size} bytes, expected ${movesAt + moveCount * moveSize}`);
  if (targetCount * vertexCount * 6 > MAX_VALUES)
    throw limitError(reader.file, 'MRPH', `${targetCount} targets of ${vertexCount} vertices are more than three.js can hold`);
  const ends = [], kinds = [1, 2, 0, 3][flags];
  let covered = 0;
  for (let t = 0; t < targetCount; ++t) {
    const first = reader.u32(), count = reader.u32(), weight = reader.f32();
    reader.skip(8);
    const steps = reader.floats(3);
    ends.push(reader.u32());
    if (reader.u32() >= groupCount) reader.fail('the group does not exist', ` target ${t}`);
    if (first !== covered || count > moveCount - covered) reader.fail(`${count} moves from ${first}, expected from ${covered} up to ${moveCount}`, ` target ${t}`);
    covered += count;
    const vertices = new Uint32Array(count), moves = Array.from({ length: kinds }, () => new Float32Array(count * 3));
    for (let m = 0; m < count; ++m) {
      const at = movesAt + (first + m) * moveSize;
      vertices[m] = reader.view.getUint32(at, true);
      if (vertices[m] >= vertexCount) reader.fail(`vertex ${vertices[m]}, but there are ${vertexCount}`, ` target ${t}`);
      moves.forEach((values, kind) => {
        for (let c = 0; c < 3; ++c) values[3 * m + c] = reader.view.getInt16(at + 4 + 2 * (3 * kind + c), true) * steps[kind];
      });
    }
    mesh.targets.push({ name: '', weight, moves, vertices });
  }
  if (covered !== moveCount) reader.fail(`the targets cover ${covered} of ${moveCount} moves`);
  let target = 0;
  for (let g = 0; g < groupCount; ++g) {
    const first = reader.u32(), count = reader.u32(), node = reader.u32();
    reader.u32();
    if (first !== target || count > targetCount - target) reader.fail(`${count} targets from ${first}, expected from ${target}`, ` group ${g}`);
    if (node !== NONE && node >= mesh.nodeNames.length) reader.fail(`node ${node}, but there are ${mesh.nodeNames.length}`, ` group ${g}`);
    target += count;
    mesh.targetGroups.push({ first, count, node });
  }
  splitText(reader, ends, textAt, textSize).forEach((name, t) => { mesh.targets[t].name = name; });
}

/** @param {Reader} reader @param {Hmesh} mesh */
export function readPrimitives(reader, mesh) {
  if (reader.u32() !== 1) reader.fail('the version is not 1');
  const count = reader.u32(), indexCount = reader.u32(), textSize = reader.u32();
  const indicesAt = 16 + PRIMITIVE * count, textAt = indicesAt + 4 * indexCount;
  if (reader.size !== textAt + textSize) reader.fail(`the chunk has ${reader.size} bytes, expected ${textAt + textSize}`);
  const indices = reader.array('u32', indicesAt, indexCount);
  const bad = indices.findIndex((index) => index >= mesh.vertexCount);
  if (bad !== -1) reader.fail(`index ${bad} is ${indices[bad]}, but there are ${mesh.vertexCount} vertices`);
  const ends = [];
  let covered = 0;
  for (let i = 0; i < count; ++i) {
    const topology = reader.u32(), flags = reader.u32(), first = reader.u32(), size = reader.u32(), material = reader.u32();
    const submeshesBefore = reader.u32(), node = reader.u32();
    ends.push(reader.u32());
    if (topology !== 1 && topology !== 2) reader.fail(`the topology is ${topology}, expected 1 or 2`, `[${i}]`);
    if (first !== covered || size === 0 || size > indexCount - covered || (topology === 1 && size % 2 !== 0))
      reader.fail(`${size} indices from ${first}, expected from ${covered} up to ${indexCount}`, `[${i}]`);
    if (material !== NONE && material >= mesh.materials.length) reader.fail(`its material is ${material}, but there are ${mesh.materials.length}`, `[${i}]`);
    if (submeshesBefore > mesh.submeshes.length) reader.fail(`it comes after ${submeshesBefore} submeshes, but there are ${mesh.submeshes.length}`, `[${i}]`);
    if (node !== NONE && node >= mesh.nodeNames.length) reader.fail(`node ${node}, but there are ${mesh.nodeNames.length}`, `[${i}]`);
    covered += size;
    mesh.primitives.push({ topology: topology === 1 ? 'lines' : 'points', flags, indices: indices.subarray(first, first + size), material,
      submeshesBefore, node, name: '', bounds: readBounds(reader) });
  }
  if (covered !== indexCount) reader.fail(`the primitives cover ${covered} of ${indexCount} indices`);
  splitText(reader, ends, textAt, textSize).forEach((name, i) => { mesh.primitives[i].name = name; });
}
