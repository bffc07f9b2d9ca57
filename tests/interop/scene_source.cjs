// Writes a .glb that has everything a scene can hold, with a name for every object. Every position of a mesh occurs
// once, so it names the vertex.
'use strict';
const fs = require('fs');
const { writeGlb } = require('./glb_file.cjs');
const { writePng } = require('./png.cjs');

const FLOAT = 5126, BYTE = 5121, SHORT = 5123;
const WIDTHS = { SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4, MAT4: 16 };

class Data {
  constructor() {
    Object.assign(this, { parts: [], size: 0, views: [], accessors: [] });
  }
  view(bytes, more = {}) {
    const padded = Buffer.concat([bytes, Buffer.alloc(-bytes.length & 3)]);
    this.views.push({ buffer: 0, byteOffset: this.size, byteLength: bytes.length, ...more });
    this.parts.push(padded);
    this.size += padded.length;
    return this.views.length - 1;
  }
  static bounds(values, width) {
    const of = (pick) => Array.from({ length: width }, (_, c) => values.filter((_, i) => i % width === c).reduce((a, b) => pick(a, b)));
    return { min: of(Math.min), max: of(Math.max) };
  }
  floats(values, type, { hasBounds = false } = {}) {
    const array = Float32Array.from(values), width = WIDTHS[type];
    return this.accessors.push({ bufferView: this.view(Buffer.from(array.buffer)), componentType: FLOAT, count: values.length / width, type,
      ...(hasBounds ? Data.bounds([...array], width) : {}) }) - 1;
  }
  bytes(values, type, more = {}) {
    return this.accessors.push({ bufferView: this.view(Buffer.from(values)), componentType: BYTE, count: values.length / WIDTHS[type], type, ...more }) - 1;
  }
  shorts(values) {
    return this.accessors.push({ bufferView: this.view(Buffer.from(Uint16Array.from(values).buffer)), componentType: SHORT, count: values.length, type: 'SCALAR' }) - 1;
  }
  sparse(count, at, values) {
    const array = Float32Array.from(values);
    return this.accessors.push({ componentType: FLOAT, count, type: 'VEC3', ...Data.bounds([...array, 0, 0, 0], 3), sparse: { count: at.length,
      indices: { bufferView: this.view(Buffer.from(Uint16Array.from(at).buffer)), componentType: SHORT }, values: { bufferView: this.view(Buffer.from(array.buffer)) } } }) - 1;
  }
  // A sampler of an animation.
  keys(times, values, type, interpolation = 'LINEAR') {
    return { input: this.floats(times, 'SCALAR', { hasBounds: true }), output: this.floats(values, type), interpolation };
  }
}

// A grid of 5 x 5 vertices in the square from 0 to 1.
function grid(data, each) {
  const at = [];
  for (let y = 0; y < 5; ++y) for (let x = 0; x < 5; ++x) at.push([x / 4, y / 4]);
  const indices = [];
  for (let y = 0; y < 4; ++y) for (let x = 0; x < 4; ++x) indices.push(...[0, 1, 5, 1, 6, 5].map((k) => y * 5 + x + k));
  const all = (of) => at.flatMap(([u, v], i) => of(u, v, i));
  return { attributes: { POSITION: data.floats(all((u, v) => [u, v, u * v / 4]), 'VEC3', { hasBounds: true }),
    NORMAL: data.floats(all((u, v) => { const n = Math.hypot(v / 4, u / 4, 1); return [-v / 4 / n, -u / 4 / n, 1 / n]; }), 'VEC3'), ...each(all) },
  indices: data.shorts(indices) };
}

// Points, lines, a loop and a strip around a triangle mesh, each with other attributes. One morph target moves them all.
function sketch(data, panel) {
  const corners = (z) => data.floats([0, 0, z, 1, 0, z, 1, 1, z, 0, 1, z], 'VEC3', { hasBounds: true });
  const up = data.floats([0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0], 'VEC3');
  const moves = (count) => [{ POSITION: data.floats(Array.from({ length: count }, (_, i) => [0, 0.02 * i, 0.5]).flat(), 'VEC3', { hasBounds: true }) }];
  return [
    { mode: 0, material: 2, attributes: { POSITION: corners(1), COLOR_0: data.bytes([255, 0, 0, 255, 0, 255, 0, 255, 0, 0, 255, 128, 9, 8, 7, 6], 'VEC4', { normalized: true }) },
      targets: moves(4), extras: { part: 'dots' } },
    { ...panel, targets: moves(25) },
    { mode: 1, material: 1, indices: data.shorts([3, 0, 1, 2]), attributes: { POSITION: corners(2), NORMAL: up, TEXCOORD_0: data.floats([0, 0, 1, 0, 1, 1, 0, 1], 'VEC2') }, targets: moves(4) },
    { mode: 2, material: 1, attributes: { POSITION: corners(3), _TEMPERATURE: data.floats([1, 2, 3, 4], 'SCALAR') }, targets: moves(4),
      extensions: { KHR_materials_variants: { mappings: [{ material: 2, variants: [1] }] } } },
    { mode: 3, indices: data.shorts([2, 0, 3, 1]), attributes: { POSITION: corners(4) }, targets: moves(4), extras: { part: 'strip' } },
  ];
}

function meshes(data) {
  const board = grid(data, (all) => ({
    TEXCOORD_0: data.floats(all((u, v) => [u, v]), 'VEC2'),
    TEXCOORD_1: data.floats(all((u, v) => [2 * v, u - 0.5]), 'VEC2'),
    TEXCOORD_2: data.floats(all((u, v) => [u * u, v * v]), 'VEC2'),
    COLOR_0: data.bytes(all((u, v, i) => [i * 10, 255 - i * 10, 7 * i, 255 - i]), 'VEC4', { normalized: true }),
    _TEMPERATURE: data.floats(all((u, v) => [20 + u - 3 * v]), 'SCALAR'),
    _FLOW: data.floats(all((u, v) => [u, v, -1]), 'VEC3'),
  }));
  const panel = grid(data, (all) => ({ TEXCOORD_0: data.floats(all((u, v) => [u, v]), 'VEC2') }));
  const flag = grid(data, (all) => ({
    TEXCOORD_0: data.floats(all((u, v) => [u, v]), 'VEC2'),
    JOINTS_0: data.bytes(all(() => [0, 1, 2, 0]), 'VEC4'),
    WEIGHTS_0: data.floats(all((u, v) => [0.5 - u / 4, 0.2, 0.1 + u / 8, 0]), 'VEC4'),
    JOINTS_1: data.bytes(all(() => [3, 4, 5, 0]), 'VEC4'),
    WEIGHTS_1: data.floats(all((u, v) => [0.1 + v / 16, 0.1 - v / 16, u / 8, 0]), 'VEC4'),
  }));
  const count = 25, face = grid(data, (all) => ({ TEXCOORD_0: data.floats(all((u, v) => [u, v]), 'VEC2') }));
  const dense = [], turned = [];
  for (let i = 0; i < count; ++i) {
    dense.push(0.01 * i, -0.02 * i, 0.3 - 0.01 * i);
    turned.push(0.1, 0.002 * i, -0.1);
  }
  face.targets = [{ POSITION: data.floats(dense, 'VEC3', { hasBounds: true }), NORMAL: data.floats(turned, 'VEC3') },
    { POSITION: data.sparse(count, [3, 12, 24], [0, 0, 0.5, 0.1, 0.2, 0.3, -0.5, 0, 0]), NORMAL: data.sparse(count, [3], [0.2, 0, 0]) }];
  Object.assign(board, { material: 0, extras: { part: 'top' }, extensions: { ACME_thing: { kind: 'slab' },
    KHR_materials_variants: { mappings: [{ material: 1, variants: [0] }, { material: 2, variants: [1] }] } } });
  Object.assign(panel, { material: 1 });
  Object.assign(flag, { material: 2 });
  Object.assign(face, { material: 1 });
  return [
    { name: 'board', primitives: [board, { ...panel }], extras: { made: ['oak', 3] } },
    { name: 'panel', primitives: [panel] },
    { name: 'flag', primitives: [flag] },
    { name: 'sketch', primitives: sketch(data, panel), weights: [0.5], extras: { targetNames: ['lift'] } },
    { name: 'dots alone', primitives: [{ mode: 0, attributes: { POSITION: data.floats([0, 0, 0, 2, 0, 0, 0, 2, 0], 'VEC3', { hasBounds: true }) } }] },
    { name: 'face', primitives: [face], weights: [0.25, 0], extras: { targetNames: ['smile', 'wink'], mood: 'calm' } },
  ];
}

const NODES = [
  { name: 'yard', extras: { level: 1, nested: { a: [1, 'two', null, true] } }, children: ['slanted', 'first', 'second', 'unseen', 'eye', 'plan', 'sun', 'bulb', 'torch', 'head', 'other head', 'odd', 'drawing', 'stars'], translation: [0, 0.5, 0] },
  { name: 'slanted', mesh: 0, matrix: [1, 0, 0, 0, 0.5, 1, 0, 0, 0, 0.25, 2, 0, -2, 0, 1, 1], children: ['socket'] },
  { name: 'socket', translation: [0.5, 1, 0], rotation: [0, 0.6, 0, 0.8] },
  { name: 'first', mesh: 1, translation: [1, 0, 0] },
  { name: 'second', mesh: 1, translation: [2, 0, 1], rotation: [0.6, 0, 0, 0.8], scale: [1, 2, 0.5] },
  { name: 'unseen', mesh: 1, extensions: { KHR_node_visibility: { visible: false } }, translation: [0, 3, 0], children: ['below unseen'] },
  { name: 'below unseen', translation: [0, 0, 1] },
  { name: 'eye', camera: 0, translation: [0, 1, 5], extras: { role: 'start' } },
  { name: 'plan', camera: 1, translation: [0, 9, 0], rotation: [-Math.SQRT1_2, 0, 0, Math.SQRT1_2] },
  { name: 'sun', extensions: { KHR_lights_punctual: { light: 0 } }, rotation: [-0.6, 0, 0, 0.8] },
  { name: 'bulb', extensions: { KHR_lights_punctual: { light: 1 } }, translation: [0, 2, 0] },
  { name: 'torch', extensions: { KHR_lights_punctual: { light: 2 } }, translation: [1, 2, 3] },
  { name: 'head', mesh: 5, weights: [0.5, 1], translation: [3, 0, 0] },
  { name: 'other head', mesh: 5, translation: [4, 0, 0] },
  { name: 'odd', extensions: { ACME_thing: { speed: 0.1, list: [1, 2, 3], text: 'x' } } },
  { name: 'drawing', mesh: 3, translation: [0, -2, 0] },
  { name: 'stars', mesh: 4, scale: [1, 1, -1] },
  { name: 'left flag', mesh: 2, skin: 0 },
  { name: 'right flag', mesh: 2, skin: 1 },
  { name: 'left pole', translation: [-3, 0, 0], children: ['left 0'] },
  { name: 'left 0', translation: [0, 0.25, 0], children: ['left 1', 'left 2'] },
  { name: 'left 1', translation: [0, 0.5, 0], children: ['left 3'] },
  { name: 'left 2', translation: [0.5, 0, 0], children: ['left 4', 'left 5'] },
  { name: 'left 3' }, { name: 'left 4', translation: [0, 0.25, 0] }, { name: 'left 5', translation: [0.5, 0.25, 0] },
  { name: 'right pole', translation: [-3, 2, 0], scale: [1.5, 1.5, 1.5], children: ['right 0', 'right 1', 'right 2', 'right 3', 'right 4', 'right 5'] },
  ...[0, 1, 2, 3, 4, 5].map((k) => ({ name: `right ${k}`, translation: [0.2 * k, 0, 0.1 * k] })),
];

function writeSource(file) {
  const data = new Data(), number = (name) => NODES.findIndex((node) => node.name === name);
  const made = meshes(data);
  const bind = (shift) => data.floats([0, 1, 2, 3, 4, 5].flatMap((k) => [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, shift + 0.1 * k, -0.2, 0, 1]), 'MAT4');
  const s = Math.SQRT1_2;
  const target = (name, way) => ({ node: number(name), path: way });
  const pointer = (text) => ({ path: 'pointer', extensions: { KHR_animation_pointer: { pointer: text } } });
  const clip = (name, extras, ...moves) => ({ name, extras, samplers: moves.map(([, sampler]) => sampler), channels: moves.map(([to], i) => ({ sampler: i, target: to })) });
  const lights = '/extensions/KHR_lights_punctual/lights/';
  const visible = { input: data.floats([0, 0.5, 1], 'SCALAR', { hasBounds: true }), output: data.bytes([0, 1, 0], 'SCALAR'), interpolation: 'STEP' };
  const animations = [
    clip('move', { loop: true },
      [target('first', 'translation'), data.keys([0, 0.5, 1], [1, 0, 0, 1, 2, 0, 1.5, 0, 0.5], 'VEC3')],
      [target('second', 'rotation'), data.keys([0, 1], [0, 0, 0, 0, 0.6, 0, 0, 0.8, 0, 0.5, 0, 0, 0, 0.5, 0, 0, 0, s, 0, s, 0, 0, 0, 0], 'VEC4', 'CUBICSPLINE')],
      [target('second', 'scale'), data.keys([0, 0.6], [1, 2, 0.5, 2, 1, 1], 'VEC3', 'STEP')],
      [target('socket', 'rotation'), data.keys([0, 1], [0, 0, 0, 1, 0, s, 0, s], 'VEC4')],
      [target('head', 'weights'), data.keys([0, 0.4, 1], [0, 1, 1, 0.5, 0.25, 0], 'SCALAR')]),
    clip('light show', { beat: 4 },
      [pointer('/cameras/0/perspective/yfov'), data.keys([0, 1], [0.7, 1.1], 'SCALAR')],
      [pointer('/cameras/1/orthographic/xmag'), data.keys([0, 1], [4, 2], 'SCALAR')],
      [pointer(`${lights}1/intensity`), data.keys([0, 0.5, 1], [10, 90, 5], 'SCALAR')],
      [pointer(`${lights}1/color`), data.keys([0, 1], [1, 0.5, 0.25, 0.25, 0.5, 1], 'VEC3')],
      [pointer(`${lights}2/spot/outerConeAngle`), data.keys([0, 1], [0.5, 0.9], 'SCALAR')],
      [pointer(`/nodes/${number('unseen')}/extensions/KHR_node_visibility/visible`), visible]),
    clip('wave', { joints: 'both' },
      [target('left 1', 'rotation'), data.keys([0, 0.5, 1], [0, 0, 0, 1, 0, 0, s, s, 0, 0, 0, 1], 'VEC4')],
      [target('left 2', 'translation'), data.keys([0, 1], [0.5, 0, 0, 0.5, 0.5, 0.25], 'VEC3')],
      [target('right 3', 'scale'), data.keys([0, 1], [1, 1, 1, 2, 1, 1], 'VEC3')],
      [target('right 0', 'translation'), data.keys([0, 0.5], [0, 0, 0, 0, 1, 0], 'VEC3', 'STEP')]),
  ];
  const json = {
    asset: { version: '2.0', copyright: 'nobody', extras: { tool: 'test' } },
    extras: { project: 'yard' }, scene: 0,
    scenes: [{ name: 'whole yard', extras: { sky: 'blue' }, nodes: ['yard', 'left flag', 'right flag', 'left pole', 'right pole'].map(number) }],
    extensionsUsed: ['ACME_document', 'ACME_thing', 'KHR_animation_pointer', 'KHR_lights_punctual', 'KHR_materials_clearcoat', 'KHR_materials_emissive_strength',
      'KHR_materials_variants', 'KHR_node_visibility', 'KHR_texture_transform'],
    extensions: { ACME_document: { seed: 7 },
      KHR_materials_variants: { variants: [{ name: 'day' }, { name: 'night' }] },
      KHR_lights_punctual: { lights: [
        { name: 'sunlight', type: 'directional', color: [1, 0.9, 0.8], intensity: 3, extras: { warm: true } },
        { name: 'lamp', type: 'point', intensity: 40, range: 12 },
        { name: 'beam', type: 'spot', color: [0.5, 0.5, 1], intensity: 100, range: 20, spot: { innerConeAngle: 0.2, outerConeAngle: 0.6 } }] } },
    nodes: NODES.map((node) => (node.children ? { ...node, children: node.children.map(number) } : node)),
    cameras: [{ name: 'lens', type: 'perspective', perspective: { yfov: 0.8, aspectRatio: 1.5, znear: 0.1, zfar: 100 }, extras: { film: 35 } },
      { name: 'map', type: 'orthographic', orthographic: { xmag: 4, ymag: 3, znear: 0, zfar: 20 } }],
    meshes: made,
    skins: [{ name: 'left skin', joints: [0, 1, 2, 3, 4, 5].map((k) => number(`left ${k}`)), inverseBindMatrices: bind(0), extras: { side: 'l' } },
      { name: 'right skin', joints: [0, 1, 2, 3, 4, 5].map((k) => number(`right ${k}`)), inverseBindMatrices: bind(0.5) }],
    materials: [
      { name: 'lacquer', extras: { price: 12.5 }, pbrMetallicRoughness: { baseColorFactor: [1, 0.5, 0.25, 1], metallicFactor: 0.1, roughnessFactor: 0.6,
        baseColorTexture: { index: 0, texCoord: 1, extensions: { KHR_texture_transform: { offset: [0.25, 0.5], rotation: 0.3, scale: [2, 3] } } } },
      occlusionTexture: { index: 1, strength: 0.5, texCoord: 2 }, doubleSided: true,
      extensions: { KHR_materials_clearcoat: { clearcoatFactor: 0.75, clearcoatRoughnessFactor: 0.25, clearcoatTexture: { index: 1 } } } },
      { name: 'plain', pbrMetallicRoughness: { roughnessFactor: 0.5 }, alphaMode: 'MASK', alphaCutoff: 0.25 },
      { name: 'glow', pbrMetallicRoughness: { metallicFactor: 0 }, emissiveFactor: [1, 0.5, 0.25], extensions: { KHR_materials_emissive_strength: { emissiveStrength: 4 } } }],
    samplers: [{ magFilter: 9728, minFilter: 9984, wrapS: 33071, wrapT: 33648 }, { magFilter: 9729, minFilter: 9987, wrapS: 10497, wrapT: 10497 }],
    textures: [{ source: 0, sampler: 0 }, { source: 1, sampler: 1 }],
    images: [[200, 100, 50], [255, 255, 255]].map((color, i) => ({ name: `picture ${i}`, mimeType: 'image/png', bufferView: data.view(writePng(4, 4, () => [...color, 255])) })),
    animations, buffers: [{ byteLength: 0 }], bufferViews: data.views, accessors: data.accessors,
  };
  json.buffers[0].byteLength = data.size;
  writeGlb(file, json, Buffer.concat(data.parts));
}

// The errors that Khronos' validator finds.
async function validate(file) {
  const report = await require('gltf-validator').validateBytes(new Uint8Array(fs.readFileSync(file)), { maxIssues: 0 });
  return report.issues.messages.filter((issue) => issue.severity === 0).map((m) => `${m.code} at ${m.pointer}: ${m.message}`);
}

module.exports = { validate, writeSource };
