// The parts of a .hscene, version 1: docs/formats/hscene.md of assetc.
import { fileError, limitError, MAX_DEPTH, NONE, readChunks } from './reader.js';
import { checkChunks, Context, formatOf, openChunks, openPart, textsOf } from './table.js';

/** Elements that all ranges of a file name together: a small file may name large ranges often. */
const MAX_ELEMENTS = 1 << 22;
const FORMAT = formatOf('hscene');
const KNOWN = new Set(FORMAT.chunks.map(({ id }) => id));

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
 * @property {boolean} hasUuids its refs are UUIDs, as in a cooked scene, and not hashes
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

/** @param {number} flags the sampler flags of AAS1 @returns {Sampler} */
function samplerOf(flags) {
  const limited = (/** @type {number} */ shift, /** @type {number} */ most) => (flags >>> shift & 3) <= most ? flags >>> shift & 3 : 0;
  return { wrapU: limited(0, 2), wrapV: limited(2, 2), mag: limited(16, 2), min: limited(18, 2), mip: limited(20, 3) };
}

/** @param {number[]} box @returns {Box} */
const boxOf = (box) => ({ min: box.slice(0, 3), max: box.slice(3) });

/**
 * Rules that a table cannot say: src/formats/hscene/view.cpp has the same.
 * @param {Record<string, import('./table.js').Rows>} rows
 * @param {string[]} texts
 * @param {string} file
 */
function checkOrder(rows, texts, file) {
  /** @param {string} id @param {number} i @param {string} message @returns {never} */
  const fail = (id, i, message) => { throw fileError(file, `${id}[${i}]`, message); };
  const { NODE: nodes, BYNM: byName, VMAP: variants, CLIP: clips, CNOD: clipNodes } = rows;
  const parents = nodes.column('parent'), ends = nodes.column('end'), names = nodes.column('name'), meshes = nodes.column('mesh');
  const replaced = nodes.column('detail_of'), submeshes = rows.MESH.column('submesh_count');
  // The node whose range the next node must be in.
  let inside = -1, named = 0;
  for (let n = 0; n < nodes.length; ++n) {
    while (inside >= 0 && ends[inside] === n) inside = parents[inside];
    if (parents[n] !== inside) fail('NODE', n, `found parent ${parents[n]}, expected ${inside}, the node in whose range it lies`);
    const limit = inside < 0 ? nodes.length : ends[inside];
    if (ends[n] <= n || ends[n] > limit) fail('NODE', n, `found end ${ends[n]}, expected ${n + 1} to ${limit}`);
    if (ends[n] > n + 1) inside = n;
    if (names[n] !== NONE) ++named;
    const full = replaced[n];
    if (full !== NONE && (full === n || replaced[full] !== NONE || meshes[n] === NONE))
      fail('NODE', n, `found a node that replaces node ${full}, expected one with a mesh that replaces a node of full detail`);
  }
  const order = byName.column('node');
  if (order.length !== named) throw fileError(file, 'BYNM', `it lists ${order.length} nodes, expected ${named}, those with a name`);
  // Texts compare by their bytes in UTF-8, which are in the order of code points.
  const points = (/** @type {number} */ n) => Array.from(texts[names[n]], (c) => /** @type {number} */ (c.codePointAt(0)));
  for (let i = 0; i < order.length; ++i) {
    if (names[order[i]] === NONE) fail('BYNM', i, `node ${order[i]} has no name`);
    if (i === 0 || names[order[i - 1]] === NONE) continue;
    const a = points(order[i - 1]), b = points(order[i]), at = a.findIndex((point, k) => point !== b[k]);
    if (at === -1 ? a.length === b.length && order[i - 1] >= order[i] : at >= b.length || a[at] > b[at]) fail('BYNM', i, 'the nodes are out of order');
  }
  let before = [-1, -1, -1];
  variants.map(({ mesh, submesh, variant }, i) => {
    if (submesh >= submeshes[mesh]) fail('VMAP', i, `found submesh ${submesh}, expected less than ${submeshes[mesh]}`);
    const key = [mesh, submesh, variant], at = key.findIndex((value, k) => value !== before[k]);
    if (at === -1 || key[at] < before[at]) fail('VMAP', i, 'it is out of order, expected each once, ascending');
    before = key;
  });
  const moved = clipNodes.column('node');
  clips.map(({ first_node: first, node_count: count }, i) => {
    for (let n = first + 1; n < first + count; ++n) if (moved[n - 1] >= moved[n]) fail('CLIP', i, 'its nodes are not ascending');
  });
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
  const context = new Context(FORMAT), rows = openChunks(FORMAT, chunks, file, context);
  if (context.count('inverseBinds') !== 0 && context.count('inverseBinds') !== context.count('joints'))
    throw fileError(file, 'IBMT', `there are ${context.count('inverseBinds')} matrices for ${context.count('joints')} joints`);
  const list = openPart(FORMAT.parts.TEXT, /** @type {any} */ (chunks.get('TEXT')), context), texts = textsOf(list.sections[0], 'end', list.texts);
  const hasUuids = (rows.DESC.get(0, 'flags') & 1) !== 0;
  context.setCount('uuids', hasUuids ? 1 : 0);
  checkChunks(rows, context);
  checkOrder(rows, texts, file);

  const text = (/** @type {number} */ i) => i === NONE ? '' : texts[i];
  let named = 0;
  /** @template T @param {T[]} array @param {number} first @param {number} count @param {string} place @returns {T[]} */
  const part = (array, first, count, place) => {
    named += count;
    if (named > MAX_ELEMENTS) throw limitError(file, place, `the ranges of the file have more than ${MAX_ELEMENTS} elements`);
    return array.slice(first, first + count);
  };
  const [desc] = rows.DESC.map(({ name, extra, asset_extra: sourceExtra, flags, box }) => ({
    name: text(name), extra: text(extra), sourceExtra: text(sourceExtra), hasUuids, box: flags & 2 ? boxOf(box) : null }));
  const matrices = rows.MTRX.map(({ matrix }) => matrix), weights = /** @type {number[]} */ (Array.from(rows.WGHT.column('weight')));
  const depths = new Uint32Array(rows.NODE.length);
  const nodes = rows.NODE.map((node, i) => {
    depths[i] = node.parent === -1 ? 0 : depths[node.parent] + 1;
    if (depths[i] > MAX_DEPTH) throw limitError(file, `NODE[${i}]`, `it lies below ${MAX_DEPTH} nodes, which this loader does not draw`);
    return {
      translation: node.translation, rotation: node.rotation, scale: node.scale, box: node.flags & 2 ? boxOf(node.box) : null, parent: node.parent,
      end: node.end, mesh: node.mesh, skin: node.skin, camera: node.camera, light: node.light, name: text(node.name), extra: text(node.extra),
      weights: part(weights, node.first_weight, node.weight_count, `NODE[${i}]`), matrix: node.matrix === NONE ? null : matrices[node.matrix],
      hidden: (node.flags & 1) !== 0, replaces: node.detail_of, source: node.source,
    };
  });
  const meshes = rows.MESH.map((mesh) => ({ hash: mesh.file[0], box: boxOf(mesh.box), name: text(mesh.name), extra: text(mesh.extra),
    submeshCount: mesh.submesh_count, targetCount: mesh.morph_count }));
  const joints = /** @type {number[]} */ (Array.from(rows.JNTS.column('node'))), inverseBinds = rows.IBMT.map(({ matrix }) => matrix);
  const skins = rows.SKIN.map(({ name, extra, first_joint: first, joint_count: count }, i) => ({ name: text(name),
    joints: part(joints, first, count, `SKIN[${i}]`), inverseBinds: inverseBinds.slice(first, first + count), extra: text(extra) }));
  const cameras = rows.CAMR.map((camera) => ({
    orthographic: camera.type === 1, fovY: camera.y_fov_radians, aspect: camera.aspect_ratio, halfWidth: camera.x_magnification,
    halfHeight: camera.y_magnification, near: camera.z_near, far: camera.z_far, name: text(camera.name), extra: text(camera.extra) }));
  const lights = rows.LGHT.map((light) => ({
    type: (/** @type {const} */ (['directional', 'point', 'spot']))[light.type], color: light.color, intensity: light.intensity, range: light.range,
    innerAngle: light.inner_cone_radians, outerAngle: light.outer_cone_radians, name: text(light.name), extra: text(light.extra) }));
  const parameters = rows.MPAR.map(({ name, component_count: count, value }) => ({ name: text(name), values: value.slice(0, count) }));
  const textures = rows.MTEX.map((texture) => ({ name: text(texture.name), set: texture.texcoord, hash: texture.file[0],
    sampler: samplerOf(texture.sampler), offset: texture.offset, rotation: texture.rotation_radians, scale: texture.scale }));
  const materials = rows.MTRL.map((material, i) => ({
    hash: material.file[0], row: material.row, name: text(material.name), extra: text(material.extra),
    parameters: new Map(part(parameters, material.first_parameter, material.parameter_count, `MTRL[${i}]`).map(({ name, values }) => [name, values])),
    textures: part(textures, material.first_texture, material.texture_count, `MTRL[${i}]`) }));
  const variants = rows.VRNT.map(({ name }) => text(name)), variantMaterials = rows.VMAP.map((row) => row);
  const clipNodes = /** @type {number[]} */ (Array.from(rows.CNOD.column('node')));
  const clips = rows.CLIP.map((clip, i) => ({ hash: clip.file[0], number: clip.number, name: text(clip.name), duration: clip.duration_seconds,
    nodes: part(clipNodes, clip.first_node, clip.node_count, `CLIP[${i}]`), extra: text(clip.extra) }));
  return { ...desc, nodes, meshes, skins, cameras, lights, materials, variants, variantMaterials, clips };
}
