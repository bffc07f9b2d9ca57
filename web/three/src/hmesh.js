// The parts of a .hmesh, version 2: docs/formats/hmesh.md of assetc.
import { decodeChunks } from './encoded.js';
import { fileError, limitError, MAX_DEPTH, NONE, readChunks, Reader } from './reader.js';
import { checkChunks, checkRecords, Context, formatOf, openChunks, openPart, Rows, textsOf } from './table.js';

const FORMAT = formatOf('hmesh');
const KNOWN = new Set(FORMAT.chunks.map(({ id }) => id));
/** Numbers of all dense morph targets, and indices of all levels of detail: a small file may repeat large parts. */
const MAX_VALUES = 1 << 28;
/** Bytes of each format of an attribute. @type {Record<number, number>} */
const FORMATS = { 1: 4, 2: 8, 3: 12, 4: 16, 19: 4, 20: 8 };
const CUSTOM = 16;
const MESHLET_CHUNKS = ['MLET', 'MLVR', 'MLTR', 'MLBN'];

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

/** @param {number[]} v a minimum, a maximum, a center, a radius @returns {Bounds} */
const boundsOf = (v) => ({ min: v.slice(0, 3), max: v.slice(3, 6), center: v.slice(6, 9), radius: v[9] });

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
 * Reads a .hmesh.
 * @param {ArrayBuffer | Uint8Array} data
 * @param {string} file its name, for errors
 * @param {import('./encoded.js').Decoders} [decoders] of encoded chunks, ready to decode
 * @returns {Hmesh}
 * @throws AssetcError with the file and the place, if the file breaks a rule of the format
 */
export function parseHmesh(data, file, decoders = {}) {
  const { chunks, encoded } = readChunks(data, file, 'HMSH', 2, KNOWN);
  const skipped = decodeChunks(chunks, encoded, file, decoders);
  const context = new Context(FORMAT), rows = openChunks(FORMAT, chunks, file, context, skipped);
  // Meshlets refer to one another, so that some of them cannot be checked alone.
  const hasMeshlets = !MESHLET_CHUNKS.some((id) => skipped.has(id));
  if (!hasMeshlets) delete rows.MLET;
  const [desc] = checkRecords(rows.DESC.record, rows.DESC.reader, context).map((row) => row), vertexCount = desc.vertex_count;
  const bounds = boundsOf(rows.BNDS.get(0, 'bounds')), isWide = desc.index_width_bytes === 4;
  context.box = [...bounds.min, ...bounds.max];
  /** @param {string} id */
  const has = (id) => chunks.has(id) && !skipped.has(id);
  /** @param {string} id @param {string} message @returns {never} */
  const fail = (id, message) => { throw fileError(file, id, message); };
  const jointCount = rows.SKEL.length;
  for (const id of ['SKIN', 'SKN8', 'PBND']) if (chunks.has(id) && jointCount === 0) fail(id, 'the mesh has no joints in SKEL, expected both or neither');
  if (rows.SKIN.length !== (jointCount > 0 ? vertexCount : 0)) fail('SKIN', `there are ${rows.SKIN.length} vertices, expected ${vertexCount}`);
  if (has('SKN8') && rows.SKN8.length !== vertexCount) fail('SKN8', `there are ${rows.SKN8.length} vertices, expected ${vertexCount}`);
  if (has('PBND') && rows.PBND.length === 0) fail('PBND', 'it is empty, expected bounds of the rest pose at least');
  if (has('LODI') && !has('LODT')) fail('LODI', 'there is no LODT, expected both or neither');
  if (has('ATTR') !== has('VTX2')) fail(has('ATTR') ? 'ATTR' : 'VTX2', 'there is one of ATTR and VTX2, expected both or neither');
  const list = /** @type {Reader} */ (chunks.get('IDXS')), indexRecord = FORMAT.records[isWide ? 'index' : 'index of 16 bits'];
  if (list.size !== desc.index_count * desc.index_width_bytes) list.fail(`the chunk has ${list.size} bytes for ${desc.index_count} indices`);
  checkChunks(rows, context);
  const indices = checkRecords(indexRecord, list, context).column('index');
  if (hasMeshlets) checkMeshlets(rows, desc);
  const skeleton = skeletonOf(rows.SKEL);

  const positions = rows.VTXS.column('position'), texcoords = rows.VTXS.column('uv'), normals = new Float32Array(vertexCount * 3), tangents = new Float32Array(vertexCount * 4);
  const packedNormals = rows.VTXS.column('normal'), packedTangents = rows.VTXS.column('tangent');
  for (let i = 0; i < vertexCount; ++i) {
    decodeOctahedral(packedNormals[2 * i], packedNormals[2 * i + 1], normals, 3 * i);
    decodeOctahedral(packedTangents[2 * i], packedTangents[2 * i + 1], tangents, 4 * i);
    tangents[4 * i + 3] = packedTangents[2 * i] & 1 ? -1 : 1;
  }
  /** @type {Hmesh} */
  const mesh = {
    vertexCount, hasTangents: (desc.flags & 1) !== 0, positions, normals, tangents, texcoords, indices,
    submeshes: rows.SUBM.map((row) => ({ firstIndex: row.first_index, indexCount: row.index_count, material: row.material_slot, bounds: boundsOf(row.bounds), name: '', node: NONE })),
    materials: [...rows.MTRL.column('hash')], materialNames: [], nodeNames: [], bounds, poseBounds: rows.PBND.map((row) => boundsOf(row.bounds)),
    skin: jointCount > 0 ? { joints: rows.SKIN.column('joints'), weights: rows.SKIN.column('weights') } : null,
    skeleton, levels: has('LODT') ? readLevels(/** @type {Reader} */ (chunks.get('LODT')), rows.LODI.column('index'), context) : [], further: null,
    targets: [], targetGroups: [], primitives: [],
  };
  const names = chunks.get('NAME'), attributes = chunks.get('ATTR'), morphs = chunks.get('MRPH'), primitives = chunks.get('PRIM');
  if (names) readNames(names, mesh);
  if (attributes) mesh.further = readAttributes(attributes, /** @type {Reader} */ (chunks.get('VTX2')), vertexCount);
  if (morphs) readTargets(morphs, mesh);
  if (primitives) readPrimitives(primitives, mesh);
  return mesh;
}

/** @param {Record<string, Rows>} rows @param {any} desc */
function checkMeshlets({ MLET: meshlets, MLTR: triangles }, desc) {
  const corners = triangles.column('corners');
  meshlets.map((meshlet, i) => {
    if (meshlet.vertex_count > desc.meshlet_max_vertices || meshlet.triangle_count > desc.meshlet_max_triangles)
      meshlets.fail(i, `it has ${meshlet.vertex_count} vertices and ${meshlet.triangle_count} triangles, expected at most ${desc.meshlet_max_vertices} and ${desc.meshlet_max_triangles}`);
    for (let c = 3 * meshlet.triangle_offset; c < 3 * (meshlet.triangle_offset + meshlet.triangle_count); ++c)
      if (corners[c] >= meshlet.vertex_count) meshlets.fail(i, `a triangle has corner ${corners[c]}, expected less than ${meshlet.vertex_count}`);
  });
}

/**
 * The joints of a skeleton, without names.
 * @param {Reader} reader of joints alone
 * @returns {Joint[]}
 */
export function readSkeleton(reader) {
  const { joint } = FORMAT.records, context = new Context(FORMAT);
  if (reader.size % joint.size !== 0) reader.fail(`there are ${reader.size} bytes, expected a multiple of ${joint.size}`);
  context.setCount('joints', reader.size / joint.size);
  return skeletonOf(checkRecords(joint, reader, context));
}

/** @param {Rows} joints that were checked @returns {Joint[]} */
function skeletonOf(joints) {
  const parents = joints.column('parent'), count = joints.length;
  for (let i = 0; i < count; ++i) {
    let depth = 0;
    for (let j = i; j !== -1; j = parents[j])
      if (++depth > Math.min(count, MAX_DEPTH)) {
        if (depth > count) joints.fail(j, 'a joint is its own ancestor');
        throw limitError(joints.reader.file, `${joints.reader.place}[${i}]`, `it lies below ${MAX_DEPTH} joints, which this loader does not draw`);
      }
  }
  return joints.map((joint) => ({ inverseBind: joint.inverse_bind, translation: joint.translation, rotation: joint.rotation, scale: joint.scale, parent: joint.parent, name: '' }));
}

/** @param {Reader} table @param {Uint32Array} indices @param {Context} context */
function readLevels(table, indices, context) {
  const { header, sections: [ranges] } = openPart(FORMAT.parts.LODT, table, context), submeshCount = header.submesh_count;
  if (submeshCount === 0) return [];
  /** @type {{ indices: Uint32Array, ranges: { first: number, count: number }[] }[]} */
  const levels = Array.from({ length: header.lod_count }, () => ({ indices, ranges: [] }));
  let total = 0;
  ranges.map(({ first_index: first, index_count: count }, i) => {
    levels[i % header.lod_count].ranges.push({ first, count });
    total += count;
    if (total > MAX_VALUES) throw limitError(table.file, 'LODT', `the levels have more than ${MAX_VALUES} indices`);
  });
  return levels;
}

/** @param {Reader} reader @param {Hmesh} mesh */
export function readNames(reader, mesh) {
  const context = new Context(FORMAT);
  context.setCount('submeshes', mesh.submeshes.length);
  context.setCount('materials', mesh.materials.length);
  context.setCount('joints', mesh.skeleton.length);
  const { header, sections: [nodes, ends], texts } = openPart(FORMAT.parts.NAME, reader, context);
  nodes.map(({ node }, i) => { mesh.submeshes[i].node = node; });
  const names = textsOf(ends, 'end', texts);
  names.splice(0, header.submesh_count).forEach((name, i) => { mesh.submeshes[i].name = name; });
  mesh.materialNames = names.splice(0, header.material_count);
  names.splice(0, header.joint_count).forEach((name, i) => { mesh.skeleton[i].name = name; });
  mesh.nodeNames = names;
}

/** @param {Reader} reader @param {Reader} vertices @param {number} vertexCount */
function readAttributes(reader, vertices, vertexCount) {
  const { header, sections: [rows], texts } = openPart(FORMAT.parts.ATTR, reader, new Context(FORMAT)), names = textsOf(rows, 'name_end', texts);
  const stride = header.stride_bytes, seen = new Set();
  let free = 0;
  const attributes = rows.map(({ semantic, set, format, offset_bytes: offset }, i) => {
    const name = names[i], isCustom = semantic === CUSTOM, key = `${semantic} ${set} ${name}`;
    if (offset < free) rows.fail(i, `it lies at ${offset}, expected a multiple of 4 from ${free}`);
    free = offset + FORMATS[format];
    if (isCustom ? name.length < 2 || name[0] !== '_' : name !== '') rows.fail(i, `its name is ${JSON.stringify(name)}, expected ${isCustom ? 'one that begins with _' : 'none'}`);
    if (seen.has(key)) rows.fail(i, 'it is the same as one before it');
    seen.add(key);
    return { semantic, set, format, offset, name };
  });
  if (stride < free || stride % 4 !== 0) reader.fail(`the stride is ${stride}, expected a multiple of 4 of at least ${free}`);
  if (vertices.size !== stride * vertexCount) vertices.fail(`the chunk has ${vertices.size} bytes, expected ${stride * vertexCount}`);
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
  const context = new Context(FORMAT), { vertexCount } = mesh;
  context.setCount('vertices', vertexCount);
  context.setCount('nodes', mesh.nodeNames.length);
  const { header, sections: [targets, groups, channels, channelMoves], texts, more } = openPart(FORMAT.parts.MRPH, reader, context);
  const kinds = [1, 2, 0, 3][header.flags], stride = header.move_stride_bytes, end = reader.size - more.size, movesAt = Math.ceil(end / 16) * 16;
  if (stride !== [12, 16, 0, 24][header.flags]) reader.fail(`a move has ${stride} bytes, expected ${[12, 16, 0, 24][header.flags]}`);
  if (header.moves_offset_bytes !== movesAt) reader.fail(`the moves are at ${header.moves_offset_bytes}, expected ${movesAt}`);
  if (reader.size !== movesAt + header.move_count * stride) reader.fail(`the chunk has ${reader.size} bytes, expected ${movesAt + header.move_count * stride}`);
  checkMorphs(targets, groups, channels, channelMoves);
  const { view } = reader, names = textsOf(targets, 'name_end', texts);
  targets.map((target, t) => {
    let least = 0;
    for (let m = target.first_move; m < target.first_move + target.move_count; ++m) {
      const vertex = view.getUint32(movesAt + m * stride, true);
      if (vertex < least || vertex >= vertexCount) targets.fail(t, `move ${m} is of vertex ${vertex}, expected an ascending number below ${vertexCount}`);
      least = vertex + 1;
    }
  });
  if (header.target_count * vertexCount * 6 > MAX_VALUES)
    throw limitError(reader.file, 'MRPH', `${header.target_count} targets of ${vertexCount} vertices are more than three.js can hold`);
  mesh.targets.push(...targets.map((target, t) => {
    const { first_move: first, move_count: count } = target, steps = [target.position_step, target.normal_step, target.tangent_step];
    const vertices = new Uint32Array(count), moves = Array.from({ length: kinds }, () => new Float32Array(count * 3));
    for (let m = 0; m < count; ++m) {
      const at = movesAt + (first + m) * stride;
      vertices[m] = view.getUint32(at, true);
      moves.forEach((values, kind) => {
        for (let c = 0; c < 3; ++c) values[3 * m + c] = view.getInt16(at + 4 + 2 * (3 * kind + c), true) * steps[kind];
      });
    }
    return { name: names[t], weight: target.weight, moves, vertices };
  }));
  mesh.targetGroups.push(...groups.map(({ first_target: first, target_count: count, node }) => ({ first, count, node })));
}

/** Rules about order: src/formats/hmesh/morphs.cpp has the same. @param {Rows} targets @param {Rows} groups @param {Rows} channels @param {Rows} moves */
function checkMorphs(targets, groups, channels, moves) {
  const groupOf = targets.column('group'), vertices = moves.column('vertex');
  groups.map(({ first_target: first, target_count: count }, g) => {
    for (let t = first; t < first + count; ++t) if (groupOf[t] !== g) targets.fail(t, `its group is ${groupOf[t]}, expected ${g}`);
  });
  let before = -1;
  channels.map(({ target, semantic, set, first_move: first, move_count: count }, c) => {
    const key = (target * 65536 + semantic) * 65536 + set;
    if (key <= before) channels.fail(c, 'it is not in order of target, semantic and set');
    before = key;
    for (let m = first + 1; m < first + count; ++m) if (vertices[m - 1] >= vertices[m]) channels.fail(c, `its move ${m - first} is of vertex ${vertices[m]}, expected ascending ones`);
  });
}

/**
 * @param {Reader} reader
 * @param {Hmesh} mesh
 * @param {number} [materialCount] NONE: the mesh names its materials elsewhere
 */
export function readPrimitives(reader, mesh, materialCount = mesh.materials.length) {
  const context = new Context(FORMAT);
  context.setCount('vertices', mesh.vertexCount);
  context.setCount('submeshes', mesh.submeshes.length);
  context.setCount('materials', materialCount);
  context.setCount('nodes', mesh.nodeNames.length);
  context.box = [...mesh.bounds.min, ...mesh.bounds.max];
  const { sections: [items, list], texts } = openPart(FORMAT.parts.PRIM, reader, context), names = textsOf(items, 'name_end', texts), indices = list.column('index');
  let before = 0;
  mesh.primitives.push(...items.map((item, i) => {
    const { first_index: first, index_count: count, submeshes_before: submeshesBefore } = item, isLines = item.topology === 1;
    if (count === 0 || (isLines && count % 2 !== 0)) items.fail(i, `it has ${count} indices, expected ${isLines ? 'two for each line' : 'one for each point'}`);
    if (submeshesBefore < before) items.fail(i, `it comes after ${submeshesBefore} submeshes, expected at least ${before}`);
    before = submeshesBefore;
    return { topology: isLines ? /** @type {const} */ ('lines') : /** @type {const} */ ('points'), flags: item.flags, indices: indices.subarray(first, first + count),
      material: item.material_slot, submeshesBefore, node: item.node, name: names[i], bounds: boundsOf(item.bounds) };
  }));
}
