// Meshes and materials of cooked assets, AAS1: docs/formats/aas1.md. They become what the readers of .hmesh and .hmat give.
import { decodeOctahedral, readNames, readPrimitives, readSkeleton, readTargets } from '../../three/src/hmesh.js';
import { checkMagic, fileError, NONE, Reader } from '../../three/src/reader.js';
import { checkRecords, Context, formatOf, makeFormat, openPart, textsOf } from '../../three/src/table.js';
import { arrayAt, FORMAT, readBlob, readTyped } from './aas1.js';
import { FORMATS } from './tables.js';

/** @typedef {import('../../three/src/table.js').Rows} Rows */

const HMESH = formatOf('hmesh'),
  MESH = makeFormat(FORMATS.aas1Mesh),
  /** Bytes of a Desc that has levels of detail. */
  MESH_WITH_LEVELS = MESH.records['mesh descriptor'].size + MESH.records['level fields'].size;
/** Fields in which level 0 is the mesh of the Desc. */
const SAME_IN_LEVEL_0 = [
  'vertex_data_offset_bytes',
  'vertex_count',
  'index_data_offset_bytes',
  'index_count',
  'submeshes_offset_bytes',
  'submesh_count',
];
const POSITION = 0,
  NORMAL = 1,
  TANGENT = 2,
  TEXCOORD = 3,
  COLOR = 4,
  JOINTS = 5,
  WEIGHTS = 6;
/** Components of formats of 32-bit floats. @type {Record<number, number>} */
const FLOATS = { 1: 1, 2: 2, 3: 3, 4: 4 };
const FLOAT3 = 3,
  FLOAT4 = 4,
  NORMAL16 = 16,
  TANGENT16 = 17,
  UINT16 = 18,
  UNORM8 = 19;
/** Bytes of each format. @type {Record<number, number>} */
const SIZES = { 1: 4, 2: 8, 3: 12, 4: 16, 16: 4, 17: 4, 18: 8, 19: 4 };

/** Encodings of payloads, and the versions of .hanim by encoding. */
const TEXT = 0x54584554,
  SPIRV = 0x56525053,
  SPIRV_MAGIC = 0x07230203;
/** @type {Record<number, number>} */
const CLIP_VERSIONS = { 0x4d4e4148: 1, 0x324e4148: 2 };

/** Names that materials store as hashes. */
const NAMES = [
  'BaseColor',
  'Metallic',
  'Roughness',
  'NormalMapStrength',
  'Occlusion',
  'Emissive',
  'BaseColorTex',
  'MetallicRoughnessTex',
  'NormalTex',
  'OcclusionTex',
  'EmissiveTex',
  'Clearcoat',
  'ClearcoatRoughness',
  'ClearcoatTex',
  'ClearcoatRoughnessTex',
  'ClearcoatNormalTex',
  'ClearcoatNormalScale',
  'Transmission',
  'TransmissionTex',
  'Thickness',
  'ThicknessTex',
  'AttenuationDistance',
  'AttenuationColor',
  'Ior',
  'Specular',
  'SpecularTex',
  'SpecularColor',
  'SpecularColorTex',
  'SheenColor',
  'SheenColorTex',
  'SheenRoughness',
  'SheenRoughnessTex',
  'AnisotropyStrength',
  'AnisotropyRotation',
  'AnisotropyTex',
  'Iridescence',
  'IridescenceIor',
  'IridescenceTex',
  'IridescenceThicknessTex',
  'IridescenceThicknessMinimum',
  'IridescenceThicknessMaximum',
  'Dispersion',
  'EmissiveStrength',
];
const CORE = ['BaseColorTex', 'MetallicRoughnessTex', 'NormalTex', 'OcclusionTex', 'EmissiveTex'];

/** FNV-1a 32. @param {string} text */
function hash32(text) {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; ++i) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193) >>> 0;
  return hash;
}
/** @type {Map<number, string>} */
const BY_HASH = new Map(
  [...NAMES, ...NAMES.filter((name) => name.endsWith('Tex')).flatMap((name) => [`${name}Transform`, `${name}Rotation`])].map((name) => [
    hash32(name),
    name,
  ]),
);

/** @param {Uint8Array} bytes 16 @returns {string} */
export function uuidText(bytes) {
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

/**
 * The mesh of a blob. Its skeleton is another asset, which the caller adds. The checks are those of src/formats/aas1/mesh.cpp.
 * @param {Uint8Array} bytes
 * @param {string} file for errors
 * @returns {{ mesh: any, materials: string[], skeleton: string | null }} mesh: an Hmesh; materials: the UUID of each slot; skeleton: a UUID
 */
export function readCookedMesh(bytes, file) {
  const { typeName, desc: descBytes, data, extensions } = readBlob(bytes, file);
  if (typeName !== 'Mesh') throw fileError(file, '', `the asset is a ${typeName}, expected a Mesh`);
  const { records, parts } = MESH,
    context = new Context(MESH),
    body = new Reader(data, file, 'data'),
    desc = recordAt(records['mesh descriptor'], new Reader(descBytes, file, 'Desc'), 0, context).row(0);
  if ((desc.flags & 1) === 0) throw fileError(file, 'Desc', `the flags are ${desc.flags}, expected bit 0, one interleaved stream`);
  const dataPlace = 16 + descBytes.length,
    hasBounds = (desc.flags & 2) !== 0,
    stride = desc.vertex_stride_bytes,
    width = desc.index_type === 0 ? 2 : 4;
  /** @param {string} name @param {number} at @param {number} count */
  const rowsAt = (name, at, count) => {
    if (at % 4 !== 0 || descBytes.length % 4 !== 0) body.fail(`an array of ${name} is at ${at}, expected a multiple of 4`);
    body.need(at, count * records[name].size);
    return checkRecords(records[name], new Reader(data.subarray(at, at + count * records[name].size), file, name), context);
  };
  const attributes = rowsAt('attribute', desc.attributes_offset_bytes, desc.attribute_count).map((attribute, i) => {
    if (attribute.offset_bytes + (SIZES[attribute.format] ?? 0) > stride) body.fail(`attribute ${i} does not fit in a vertex of ${stride} bytes`);
    return attribute;
  });
  if (new Set(attributes.map(({ semantic, semantic_index: set }) => `${semantic} ${set}`)).size !== attributes.length)
    body.fail('two attributes have the same semantic and index');
  const position = attributes.find(({ semantic, semantic_index: set }) => semantic === POSITION && set === 0);
  if (position?.format !== FLOAT3) body.fail('there are no positions of three floats');
  const [min, max] = [desc.bounds.slice(0, 3), desc.bounds.slice(3)];
  /** @param {any} level of the table, or the Desc */
  const readLevel = (level) => {
    const { vertex_count: count, index_count: indexCount, vertex_data_offset_bytes: verticesAt, index_data_offset_bytes: indicesAt } = level;
    if (level.vertex_data_size_bytes !== count * stride) body.fail(`${count} vertices have ${level.vertex_data_size_bytes} bytes`);
    if (level.index_data_size_bytes !== indexCount * width) body.fail(`${indexCount} indices have ${level.index_data_size_bytes} bytes`);
    if (indexCount % 3 !== 0) body.fail(`there are ${indexCount} indices, expected a multiple of 3`);
    body.need(verticesAt, count * stride);
    body.need(indicesAt, indexCount * width);
    if ((dataPlace + verticesAt) % 4 !== 0 || (dataPlace + indicesAt) % width !== 0) body.fail('vertices or indices are not aligned');
    const indices = width === 2 ? body.array('u16', indicesAt, indexCount) : body.array('u32', indicesAt, indexCount),
      rows = rowsAt('submesh', level.submeshes_offset_bytes, level.submesh_count);
    checkSubmeshes(rows, indices, count);
    if (hasBounds && (!level.bounds.every(Number.isFinite) || [0, 1, 2].some((k) => level.bounds[k] > level.bounds[k + 3])))
      body.fail(`the box is ${level.bounds}, expected finite numbers in order`);
    if (hasBounds) checkPositions(body, verticesAt + position.offset_bytes, count, stride, [...min, ...max]);
    for (const { semantic, semantic_index: set, format, offset_bytes: offset } of attributes) {
      if (semantic !== WEIGHTS || format !== FLOAT4) continue;
      const vertices = new Reader(data.subarray(verticesAt + offset, verticesAt + count * stride), file, 'weights');
      checkRecords(records[set === 0 ? 'vertex' : 'vertex with more weights'], vertices, context, 0, stride);
    }
    return { verticesAt, indices: withBaseVertices(rows, indices), rows };
  };
  const full = readLevel(desc),
    vertexCount = desc.vertex_count;
  const mesh = {
    vertexCount,
    hasTangents: false,
    positions: new Float32Array(3 * vertexCount),
    normals: new Float32Array(3 * vertexCount),
    tangents: new Float32Array(4 * vertexCount),
    texcoords: new Float32Array(2 * vertexCount),
    indices: full.indices,
    submeshes: full.rows.map((row) => ({
      firstIndex: row.first_index,
      indexCount: row.index_count,
      material: row.material_slot,
      bounds: { min: [0, 0, 0], max: [0, 0, 0], center: [0, 0, 0], radius: 0 },
      name: '',
      node: NONE,
    })),
    materials: [],
    materialNames: [],
    nodeNames: [],
    bounds: {
      min,
      max,
      center: min.map((/** @type {number} */ low, /** @type {number} */ i) => (low + max[i]) / 2),
      radius: Math.hypot(...max.map((/** @type {number} */ high, /** @type {number} */ i) => high - min[i])) / 2,
    },
    poseBounds: [],
    skin: /** @type {any} */ (null),
    skeleton: [],
    levels: /** @type {any[]} */ ([]),
    further: null,
    targets: [],
    targetGroups: [],
    primitives: [],
  };
  for (const { semantic, semantic_index: set, format, offset_bytes: offset } of attributes)
    if (set === 0) readAttribute(body, mesh, { semantic, format, at: full.verticesAt + offset, stride });
  if (!mesh.skin?.joints || !mesh.skin?.weights) mesh.skin = null;
  const levels = [full];
  if (descBytes.length >= MESH_WITH_LEVELS) {
    const fields = recordAt(records['level fields'], new Reader(descBytes, file, 'Desc'), records['mesh descriptor'].size, context).row(0),
      table = rowsAt('level', fields.lod_table_offset_bytes, fields.lod_count);
    const first = table.row(0);
    for (const name of SAME_IN_LEVEL_0) if (first[name] !== desc[name]) table.fail(0, `its ${name} is ${first[name]}, expected that of the Desc, ${desc[name]}`);
    let above = 1;
    table.map((level, i) => {
      if (!(level.screen_size > 0 && level.screen_size <= above)) table.fail(i, `its screen size is ${level.screen_size}, expected more than 0, at most ${above}`);
      above = level.screen_size;
      const read = readLevel(level);
      levels.push(read);
      // Levels with vertices of their own are not what assetc writes, and are not drawn.
      if (i === 0 || read.verticesAt !== full.verticesAt || read.rows.length !== full.rows.length) return;
      mesh.levels.push({ indices: read.indices, ranges: read.rows.map((row) => ({ first: row.first_index, count: row.index_count })) });
    });
  }
  const materials = uuidsOf(extensions, 'MTRL', file),
    skeleton = uuidsOf(extensions, 'SKEL', file);
  for (const { rows } of levels)
    rows.map(({ material_slot: slot }, i) => {
      if (materials.length > 0 && slot !== NONE && slot >= materials.length)
        rows.fail(i, `its material slot is ${slot}, expected none or less than ${materials.length}`);
    });
  mesh.materials = /** @type {any} */ (materials);
  checkParts(mesh, extensions, file, materials.length, parts.CNAM);
  return { mesh, materials, skeleton: skeleton[0] ?? null };
}

/** @param {import('../../three/src/table.js').Record_} record @param {Reader} reader @param {number} at @param {Context} context */
function recordAt(record, reader, at, context) {
  reader.need(at, record.size);
  return checkRecords(record, new Reader(reader.bytes.subarray(at, at + record.size), reader.file, reader.place), context);
}

/** Submeshes are in order and do not overlap. @param {Rows} rows @param {Uint16Array | Uint32Array} indices @param {number} vertexCount */
function checkSubmeshes(rows, indices, vertexCount) {
  let end = 0;
  rows.map(({ first_index: first, index_count: count, base_vertex: base }, i) => {
    if (first < end || first + count > indices.length || count % 3 !== 0) rows.fail(i, `${count} indices from ${first} are not whole triangles from ${end} to ${indices.length}`);
    end = first + count;
    for (let k = first; k < end; ++k)
      if (base + indices[k] < 0 || base + indices[k] >= vertexCount) rows.fail(i, `it draws vertex ${base + indices[k]}, but there are ${vertexCount}`);
  });
}

/** Indices of the vertices, without base vertices. @param {Rows} rows @param {Uint16Array | Uint32Array} indices */
function withBaseVertices(rows, indices) {
  const bases = rows.column('base_vertex');
  if (bases.every((/** @type {number} */ base) => base === 0)) return indices;
  const out = Uint32Array.from(indices);
  rows.map(({ first_index: first, index_count: count, base_vertex: base }) => {
    for (let k = first; k < first + count; ++k) out[k] += base;
  });
  return out;
}

/** @param {Reader} body @param {number} at @param {number} count @param {number} stride @param {number[]} box */
function checkPositions(body, at, count, stride, box) {
  for (let v = 0; v < count; ++v)
    for (let k = 0; k < 3; ++k) {
      const value = body.view.getFloat32(at + v * stride + 4 * k, true);
      if (!(value >= box[k] && value <= box[k + 3])) body.fail(`vertex ${v} lies outside the box of the mesh`);
    }
}

/** @param {Map<string, Uint8Array>} extensions @param {string} id @param {string} file @returns {string[]} */
function uuidsOf(extensions, id, file) {
  const bytes = extensions.get(id) ?? new Uint8Array();
  if (bytes.length % 16 !== 0) throw fileError(file, id, `the extension has ${bytes.length} bytes, expected UUIDs of 16`);
  return Array.from({ length: bytes.length / 16 }, (_, i) => {
    const uuid = bytes.subarray(16 * i, 16 * i + 16);
    if (uuid.every((byte) => byte === 0)) throw fileError(file, id, 'it names no asset, expected a UUID');
    return uuidText(uuid);
  });
}

/**
 * The extensions that a mesh shares with .hmesh.
 * @param {any} mesh
 * @param {Map<string, Uint8Array>} extensions
 * @param {string} file
 * @param {number} materialCount
 * @param {import('../../three/src/table.js').Part} customNames
 */
function checkParts(mesh, extensions, file, materialCount, customNames) {
  const { bounds } = formatOf('hmesh').records;
  /** @param {string} id @param {(reader: Reader) => void} read */
  const each = (id, read) => {
    const bytes = extensions.get(id);
    if (bytes) read(new Reader(bytes, file, id));
  };
  for (const id of ['SBND', 'PBND'])
    each(id, (reader) => {
      if (reader.size % bounds.size !== 0) reader.fail('it is not a list of bounds');
      const rows = checkRecords(bounds, reader, new Context(formatOf('hmesh')));
      if (id === 'SBND' && rows.length !== mesh.submeshes.length) reader.fail(`there are bounds of ${rows.length} submeshes, expected ${mesh.submeshes.length}`);
    });
  each('CNAM', (reader) => openPart(customNames, reader, new Context(MESH)));
  each('NAME', (reader) => readNames(reader, mesh));
  each('MRPH', (reader) => readTargets(reader, mesh));
  // A mesh without MTRL names its materials elsewhere.
  each('PRIM', (reader) => readPrimitives(reader, mesh, materialCount || NONE));
}

/**
 * The joints of a skeleton blob.
 * @param {Uint8Array} bytes
 * @param {string} file for errors
 * @returns {{ joints: any[], nodes: Uint32Array | null }} joints: as in an Hmesh; nodes: the node of each joint in its model
 */
export function readCookedSkeleton(bytes, file) {
  const blob = readTyped(bytes, file, 'Skeleton', FORMAT.records.skeleton);
  const { data, extensions, fields } = blob,
    { joint_count: count, joints_offset_bytes: jointsAt, names_offset_bytes: namesAt, names_size_bytes: namesSize } = fields;
  const joints = readSkeleton(arrayAt(blob, HMESH.records.joint, jointsAt, count, jointContext(count)).reader);
  const nodes = extensions.get('NODE');
  if (nodes && nodes.length !== 4 * count) throw fileError(file, 'NODE', `the extension has ${nodes.length} bytes, expected ${4 * count}`);
  if (namesSize > 0) {
    const body = new Reader(data, file, 'names');
    body.need(namesAt, namesSize);
    if ((blob.desc.length + namesAt) % 4 !== 0) body.fail(`the names are at ${namesAt}, expected a multiple of 4`);
    const { header, sections, texts } = openPart(HMESH.parts.NAME, new Reader(data.subarray(namesAt, namesAt + namesSize), file, 'names'), jointContext(count));
    const names = textsOf(sections[1], 'end', texts);
    for (let i = 0; i < header.joint_count; ++i) joints[i].name = names[i];
  }
  return { joints, nodes: nodes ? new Reader(nodes, file, 'NODE').array('u32', 0, count) : null };
}

/** The context of a mesh that has joints and nothing else. @param {number} count */
function jointContext(count) {
  const context = new Context(HMESH);
  context.setCount('joints', count);
  return context;
}

/** @param {Reader} body @param {any} mesh @param {{ semantic: number, format: number, at: number, stride: number }} attribute */
function readAttribute(body, mesh, { semantic, format, at, stride }) {
  const count = mesh.vertexCount,
    components = FLOATS[format] ?? 0,
    size = components * 4 || 4;
  if (count > 0) body.need(at, (count - 1) * stride + size);
  const { view } = body;
  /** @param {Float32Array} out @param {number} width */
  const floats = (out, width) => {
    for (let v = 0; v < count; ++v)
      for (let c = 0; c < Math.min(width, components); ++c) out[v * width + c] = view.getFloat32(at + v * stride + 4 * c, true);
  };
  if (semantic === POSITION) floats(mesh.positions, 3);
  else if (semantic === TEXCOORD) floats(mesh.texcoords, 2);
  else if (semantic === NORMAL && format === NORMAL16)
    for (let v = 0; v < count; ++v)
      decodeOctahedral(view.getInt16(at + v * stride, true), view.getInt16(at + v * stride + 2, true), mesh.normals, 3 * v);
  else if (semantic === NORMAL) floats(mesh.normals, 3);
  else if (semantic === TANGENT && format === TANGENT16) {
    mesh.hasTangents = true;
    for (let v = 0; v < count; ++v) {
      const x = view.getInt16(at + v * stride, true);
      decodeOctahedral(x, view.getInt16(at + v * stride + 2, true), mesh.tangents, 4 * v);
      mesh.tangents[4 * v + 3] = x & 1 ? -1 : 1;
    }
  } else if (semantic === TANGENT && components === 4) {
    mesh.hasTangents = true;
    floats(mesh.tangents, 4);
  } else if (semantic === JOINTS && format === UINT16) {
    const joints = new Uint16Array(4 * count);
    body.need(at, count > 0 ? (count - 1) * stride + 8 : 0);
    for (let v = 0; v < count; ++v) for (let c = 0; c < 4; ++c) joints[4 * v + c] = view.getUint16(at + v * stride + 2 * c, true);
    mesh.skin = { ...mesh.skin, joints };
  } else if (semantic === WEIGHTS && components === 4) {
    const weights = new Float32Array(4 * count);
    floats(weights, 4);
    mesh.skin = { ...mesh.skin, weights };
  } else if (semantic === COLOR && format === UNORM8) {
    const packed = new Uint8Array(4 * count);
    for (let v = 0; v < count; ++v) for (let c = 0; c < 4; ++c) packed[4 * v + c] = view.getUint8(at + v * stride + c);
    mesh.further = { stride: 4, bytes: packed, attributes: [{ semantic: COLOR, set: 0, format: UNORM8, offset: 0, name: '' }] };
  }
}

/**
 * The clip of an animation blob, as the bytes of a .hanim.
 * @param {Uint8Array} bytes
 * @param {string} file for errors
 * @returns {{ bytes: Uint8Array, isHanim: boolean, ofModel: boolean }} isHanim: the bytes should be a .hanim, as the encoding says;
 *   ofModel: its channels are nodes of a model, not joints
 */
export function readCookedClip(bytes, file) {
  const { data, extensions, fields } = readTyped(bytes, file, 'Animation', FORMAT.records.payload);
  const { encoding, offset_bytes: at, size_bytes: size } = fields,
    body = new Reader(data, file, 'data');
  body.need(at, size);
  const payload = new Reader(data.slice(at, at + size), file, 'payload'),
    version = CLIP_VERSIONS[encoding] ?? 0;
  // The reader of .hanim checks the rest.
  if (version !== 0) checkMagic(payload, 'HANM', [version]);
  if (encoding === TEXT) payload.text(0, size);
  if (encoding === SPIRV && (size < 4 || payload.u32() !== SPIRV_MAGIC)) payload.fail('the payload is not SPIR-V');
  const model = extensions.get('MODL');
  if (model) checkUuids(model, file, 'MODL');
  return { bytes: payload.bytes, isHanim: version !== 0, ofModel: model !== undefined };
}

/** An extension of UUIDs, none nil. @param {Uint8Array} bytes @param {string} file @param {string} id */
function checkUuids(bytes, file, id) {
  if (bytes.length % 16 !== 0) throw fileError(file, id, `the extension has ${bytes.length} bytes, expected UUIDs of 16`);
  for (let at = 0; at < bytes.length; at += 16) if (isNil(bytes.subarray(at, at + 16))) throw fileError(file, id, 'a UUID is nil');
}

/** @param {ArrayLike<number>} uuid */
const isNil = (uuid) => Array.from(uuid).every((byte) => byte === 0);

/** Parameters of a kind have names of their own. @param {import('../../three/src/table.js').Rows} rows */
function checkNames(rows) {
  const seen = new Set();
  rows.column('name_hash').forEach((/** @type {number} */ hash, /** @type {number} */ i) => {
    if (seen.has(hash)) rows.fail(i, `the parameter ${hash} occurs twice`);
    seen.add(hash);
  });
}

/**
 * The material of a blob, as a row of a .hmat with the values of a scene.
 * @param {Uint8Array} bytes
 * @param {string} file for errors
 * @returns {{ row: any, parameters: Map<string, number[]>, textures: { name: string, uuid: string, use: any }[] }}
 */
export function readCookedMaterial(bytes, file) {
  const blob = readTyped(bytes, file, 'Material', FORMAT.records.material),
    { fields } = blob;
  const scalars = arrayAt(blob, FORMAT.records.scalar, fields.scalars_offset_bytes, fields.scalar_count),
    vectors = arrayAt(blob, FORMAT.records.vector, fields.vectors_offset_bytes, fields.vector_count),
    textureRows = arrayAt(blob, FORMAT.records['texture parameter'], fields.textures_offset_bytes, fields.texture_count);
  for (const rows of [scalars, vectors, textureRows]) checkNames(rows);
  /** @type {Map<string, number[]>} */
  const parameters = new Map();
  for (const rows of [scalars, vectors])
    rows.map(({ name_hash: hash, value }) => parameters.set(BY_HASH.get(hash) ?? `0x${hash.toString(16)}`, [value].flat()));
  const textures = textureRows.map(({ name_hash: hash, texture, sampler_flags: bits }, i) => {
    if (isNil(texture)) textureRows.fail(i, 'the UUID of the texture is nil');
    const uuid = uuidText(texture),
      name = BY_HASH.get(hash) ?? `0x${hash.toString(16)}`,
      field = (/** @type {number} */ shift, /** @type {number} */ most) => (((bits >>> shift) & 3) <= most ? (bits >>> shift) & 3 : 0);
    const [u, v, scaleU, scaleV] = parameters.get(`${name}Transform`) ?? [0, 0, 1, 1];
    return {
      name,
      uuid,
      use: {
        name,
        set: (bits >>> 8) & 255,
        sampler: { wrapU: field(0, 2), wrapV: field(2, 2), mag: field(16, 2), min: field(18, 2), mip: field(20, 3) },
        offset: [u, v],
        rotation: parameters.get(`${name}Rotation`)?.[0] ?? 0,
        scale: [scaleU, scaleV],
      },
    };
  });
  const one = (/** @type {string} */ name, /** @type {number} */ otherwise) => parameters.get(name)?.[0] ?? otherwise;
  const row = {
    baseColor: parameters.get('BaseColor') ?? [1, 1, 1, 1],
    emissive: (parameters.get('Emissive') ?? [0, 0, 0]).slice(0, 3),
    metallic: one('Metallic', 1),
    roughness: one('Roughness', 1),
    normalScale: one('NormalMapStrength', 1),
    occlusion: one('Occlusion', 1),
    alphaCutoff: fields.alpha_cutoff,
    doubleSided: (fields.flags & 1) !== 0,
    alphaMode: ['opaque', 'mask', 'blend'][fields.blend_mode],
    unlit: fields.shading_model === 1,
    textures: CORE.map(() => ({ hash: 0n, sampler: null })),
  };
  for (const name of ['BaseColor', 'Emissive', 'Metallic', 'Roughness', 'NormalMapStrength', 'Occlusion']) parameters.delete(name);
  for (const name of parameters.keys()) if (/Tex(Transform|Rotation)$/.test(name)) parameters.delete(name);
  return { row, parameters, textures };
}
