// Meshes and materials of cooked assets, AAS1: docs/formats/aas1.md. They become what the readers of .hmesh and .hmat give.
import { decodeOctahedral, readNames, readPrimitives, readSkeleton, readTargets } from '../../three/src/hmesh.js';
import { checkMagic, fileError, NONE, Reader } from '../../three/src/reader.js';
import { Context, formatOf, openPart, textsOf } from '../../three/src/table.js';
import { arrayAt, FORMAT, readBlob, readTyped } from './aas1.js';

const HMESH = formatOf('hmesh');
const ATTRIBUTE = 28,
  SUBMESH = 16,
  LEVEL = 60,
  MOST_LEVELS = 16;
const POSITION = 0,
  NORMAL = 1,
  TANGENT = 2,
  TEXCOORD = 3,
  COLOR = 4,
  JOINTS = 5,
  WEIGHTS = 6;
/** Components of formats of 32-bit floats. @type {Record<number, number>} */
const FLOATS = { 1: 1, 2: 2, 3: 3, 4: 4 };
const NORMAL16 = 16,
  TANGENT16 = 17,
  UINT16 = 18,
  UNORM8 = 19;

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
 * The mesh of a blob. Its skeleton is another asset, which the caller adds.
 * @param {Uint8Array} bytes
 * @param {string} file for errors
 * @returns {{ mesh: any, materials: string[], skeleton: string | null }} mesh: an Hmesh; materials: the UUID of each slot; skeleton: a UUID
 */
export function readCookedMesh(bytes, file) {
  const { typeName, desc, data, extensions } = readBlob(bytes, file);
  if (typeName !== 'Mesh') throw fileError(file, '', `the asset is a ${typeName}, expected a Mesh`);
  const reader = new Reader(desc, file, 'Desc'),
    body = new Reader(data, file, 'data');
  const vertexCount = reader.u32(),
    indexCount = reader.u32(),
    stride = reader.u32(),
    indexType = reader.u32(),
    attributeCount = reader.u32(),
    submeshCount = reader.u32();
  const [attributesAt, submeshesAt, verticesAt, indicesAt] = [reader.u32(), reader.u32(), reader.u32(), reader.u32()];
  reader.skip(8);
  const min = reader.floats(3),
    max = reader.floats(3);
  reader.u32();
  const levelCount = desc.length >= 84 ? reader.u32() : 0,
    levelsAt = levelCount > 0 ? reader.u32() : 0;
  if (attributeCount > 64 || levelCount > MOST_LEVELS || indexType > 1) reader.fail('a count or a type is out of range');
  if (stride === 0 || stride % 4 !== 0) reader.fail(`a vertex has ${stride} bytes, expected a multiple of 4`);
  body.need(verticesAt, vertexCount * stride);
  body.need(attributesAt, attributeCount * ATTRIBUTE);
  const mesh = {
    vertexCount,
    hasTangents: false,
    positions: new Float32Array(3 * vertexCount),
    normals: new Float32Array(3 * vertexCount),
    tangents: new Float32Array(4 * vertexCount),
    texcoords: new Float32Array(2 * vertexCount),
    indices: indicesOf(body, indicesAt, indexCount, indexType),
    submeshes: submeshesOf(body, submeshesAt, submeshCount, indexCount),
    materials: [],
    materialNames: [],
    nodeNames: [],
    bounds: { min, max, center: min.map((low, i) => (low + max[i]) / 2), radius: Math.hypot(...max.map((high, i) => high - min[i])) / 2 },
    poseBounds: [],
    skin: /** @type {any} */ (null),
    skeleton: [],
    levels: /** @type {any[]} */ ([]),
    further: null,
    targets: [],
    targetGroups: [],
    primitives: [],
  };
  for (let i = 0; i < attributeCount; ++i) {
    body.at = attributesAt + i * ATTRIBUTE;
    const semantic = body.u32(),
      set = body.u32(),
      format = body.u32();
    body.u32();
    const offset = body.u32();
    if (set === 0) readAttribute(body, mesh, { semantic, format, at: verticesAt + offset, stride });
  }
  for (let i = 1; i < levelCount; ++i) {
    body.at = levelsAt + i * LEVEL;
    body.u32();
    const count = body.u32(),
      levelVerticesAt = body.u32(),
      levelIndicesAt = body.u32();
    body.skip(8);
    const rowsAt = body.u32(),
      rowCount = body.u32();
    // Levels with vertices of their own are not what assetc writes.
    if (levelVerticesAt !== verticesAt || rowCount !== submeshCount) break;
    const indices = indicesOf(body, levelIndicesAt, count, indexType);
    mesh.levels.push({
      indices,
      ranges: submeshesOf(body, rowsAt, rowCount, count).map(({ firstIndex, indexCount: size }) => ({ first: firstIndex, count: size })),
    });
  }
  for (const list of [mesh.indices, ...mesh.levels.map(({ indices }) => indices)])
    for (let i = 0; i < list.length; ++i)
      if (list[i] >= vertexCount) throw fileError(file, `index ${i}`, `it is ${list[i]}, but there are ${vertexCount} vertices`);
  checkWeights(mesh, body);
  const slots = extensions.get('MTRL') ?? new Uint8Array(),
    materials = Array.from({ length: Math.floor(slots.length / 16) }, (_, i) => uuidText(slots.subarray(16 * i, 16 * i + 16)));
  mesh.materials = /** @type {any} */ (materials);
  for (const [id, read] of /** @type {const} */ ([
    ['NAME', readNames],
    ['MRPH', readTargets],
    ['PRIM', readPrimitives],
  ])) {
    const bytesOf = extensions.get(id);
    if (bytesOf) read(new Reader(bytesOf, file, id), /** @type {any} */ (mesh));
  }
  const skeleton = extensions.get('SKEL');
  if (skeleton && skeleton.length !== 16) throw fileError(file, 'SKEL', `the extension has ${skeleton.length} bytes, expected 16`);
  return { mesh, materials, skeleton: skeleton ? uuidText(skeleton) : null };
}

/** A mesh has joints and weights, or none of them. @param {any} mesh @param {Reader} body */
function checkWeights(mesh, body) {
  if (!mesh.skin) return;
  if (!mesh.skin.joints || !mesh.skin.weights) {
    mesh.skin = null;
    return;
  }
  const { weights } = mesh.skin;
  for (let v = 0; v < mesh.vertexCount; ++v) {
    const sum = weights[4 * v] + weights[4 * v + 1] + weights[4 * v + 2] + weights[4 * v + 3];
    if (!(Math.abs(sum - 1) <= 1e-3)) body.fail(`the weights sum to ${sum}, expected 1`, ` vertex ${v}`);
  }
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

/** @param {Reader} body @param {number} at @param {number} count @param {number} type */
function indicesOf(body, at, count, type) {
  return type === 0 ? body.array('u16', at, count) : body.array('u32', at, count);
}

/** @param {Reader} body @param {number} at @param {number} count @param {number} indexCount */
function submeshesOf(body, at, count, indexCount) {
  body.need(at, count * SUBMESH);
  body.at = at;
  return Array.from({ length: count }, (_, i) => {
    const firstIndex = body.u32(),
      size = body.u32(),
      baseVertex = body.i32(),
      material = body.u32();
    if (firstIndex > indexCount || size > indexCount - firstIndex || size % 3 !== 0)
      body.fail(`${size} indices from ${firstIndex} are not whole triangles of ${indexCount}`, ` submesh ${i}`);
    if (baseVertex !== 0) body.fail(`the base vertex is ${baseVertex}, expected 0, as assetc writes it`, ` submesh ${i}`);
    return {
      firstIndex,
      indexCount: size,
      material,
      bounds: { min: [0, 0, 0], max: [0, 0, 0], center: [0, 0, 0], radius: 0 },
      name: '',
      node: NONE,
    };
  });
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
