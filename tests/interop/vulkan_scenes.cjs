// Sources of scenes for vulkan.cjs.
'use strict';
const fs = require('fs');
const path = require('path');
const { writePng } = require('./png.cjs');

// Collects the buffer of a glTF. add() returns the number of an accessor.
function buffers() {
  const parts = [], bufferViews = [], accessors = [];
  let size = 0;
  return {
    add(values, type, more = {}) {
      const bytes = Buffer.from(values.buffer), components = { SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4 }[type];
      bufferViews.push({ buffer: 0, byteOffset: size, byteLength: bytes.length });
      parts.push(bytes, Buffer.alloc(-bytes.length & 3));
      size += bytes.length + (-bytes.length & 3);
      accessors.push({ bufferView: bufferViews.length - 1, count: values.length / components, type,
        componentType: values instanceof Float32Array ? 5126 : 5125, ...more });
      return accessors.length - 1;
    },
    json() {
      const uri = `data:application/octet-stream;base64,${Buffer.concat(parts).toString('base64')}`;
      return { bufferViews, accessors, buffers: [{ byteLength: size, uri }] };
    },
  };
}
function positions(into, values) {
  const axis = (c, f) => f(...values.filter((_, i) => i % 3 === c));
  return into.add(new Float32Array(values), 'VEC3',
    { min: [0, 1, 2].map((c) => axis(c, Math.min)), max: [0, 1, 2].map((c) => axis(c, Math.max)) });
}

// Each of five quads has one texture of its material. The texture uses set 1 or 2 and a transform; set 0 of the vertices
// is of no use.
const CORNERS = [[0, 1], [1, 1], [1, 0], [0, 0]];
const SETS = [([u, v]) => [0.9 + 0.05 * u, 0.9 + 0.05 * v], ([u, v]) => [u, v], ([u, v]) => [1 - v, 0.8 * u]];
const USES = [0, 1, 2, 3, 4].map((i) => ({ set: 1 + i % 2, offset: [0.1 + 0.15 * i, 0.2], rotation: 0.4 + 0.5 * i, scale: [0.5 + 0.2 * i, 0.7] }));
const FILES = ['color', 'orm', 'normal', 'occlusion', 'glow'];
const SIZE = 64;

// Source: KHR_texture_transform.
function transformed({ offset, rotation, scale }, [u, v]) {
  const c = Math.cos(rotation), s = Math.sin(rotation), x = u * scale[0], y = v * scale[1];
  return [c * x + s * y + offset[0], -s * x + c * y + offset[1]];
}
function texel(file, x, y) {
  const tile = (x < SIZE / 2) === (y < SIZE / 2) ? 40 : 200, r = Math.round(255 * x / (SIZE - 1)), g = Math.round(255 * y / (SIZE - 1));
  return file === 'normal' ? [64 + r / 2 | 0, 64 + g / 2 | 0, 230, 255] : [r, g, tile, 255];
}
// The color of the first quad at its center, from 0 to 255.
function colorAtCenter() {
  const [u, v] = transformed(USES[0], SETS[USES[0].set]([0.5, 0.5]));
  return texel('color', ...[u, v].map((t) => Math.floor((t - Math.floor(t)) * SIZE))).slice(0, 3);
}

// name: of the file. is_baked: set 0 has the transformed coordinates, and nothing else is used.
function writeTexcoords(to, name, is_baked) {
  fs.mkdirSync(to, { recursive: true });
  for (const file of FILES) fs.writeFileSync(path.join(to, `${file}.png`), writePng(SIZE, SIZE, (x, y) => texel(file, x, y)));
  const buffer = buffers(), flat = (rows) => new Float32Array(rows.flat());
  const POSITION = positions(buffer, [-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0]);
  const NORMAL = buffer.add(new Float32Array([0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1]), 'VEC3');
  const indices = buffer.add(new Uint32Array([0, 1, 2, 0, 2, 3]), 'SCALAR');
  const sets = SETS.map((set) => buffer.add(flat(CORNERS.map(set)), 'VEC2'));
  const attributes = (use) => is_baked
    ? { POSITION, NORMAL, TEXCOORD_0: buffer.add(flat(CORNERS.map((corner) => transformed(use, SETS[use.set](corner)))), 'VEC2') }
    : { POSITION, NORMAL, TEXCOORD_0: sets[0], TEXCOORD_1: sets[1], TEXCOORD_2: sets[2] };
  const texture = (index) => {
    const { set, ...transform } = USES[index];
    return is_baked ? { index } : { index, texCoord: set, extensions: { KHR_texture_transform: transform } };
  };
  const at = [[0, 0, 0], [-2.2, 1.1, 0], [2.2, 1.1, 0], [-2.2, -1.1, 0], [2.2, -1.1, 0]];
  fs.writeFileSync(path.join(to, `${name}.gltf`), JSON.stringify({
    asset: { version: '2.0' }, scene: 0, scenes: [{ nodes: [0, 1, 2, 3, 4] }],
    extensionsUsed: ['KHR_materials_unlit', ...is_baked ? [] : ['KHR_texture_transform']],
    nodes: at.map((translation, mesh) => ({ mesh, translation })),
    meshes: USES.map((use, material) => ({ primitives: [{ attributes: attributes(use), indices, material }] })),
    materials: [
      { pbrMetallicRoughness: { baseColorTexture: texture(0) }, extensions: { KHR_materials_unlit: {} } },
      { pbrMetallicRoughness: { metallicRoughnessTexture: texture(1) } },
      { normalTexture: texture(2), pbrMetallicRoughness: { metallicFactor: 1, roughnessFactor: 0.2 } },
      { occlusionTexture: texture(3), pbrMetallicRoughness: { metallicFactor: 0 } },
      { emissiveTexture: texture(4), emissiveFactor: [1, 1, 1], pbrMetallicRoughness: { baseColorFactor: [0, 0, 0, 1] } }],
    textures: FILES.map((_, source) => ({ source })), images: FILES.map((file) => ({ uri: `${file}.png` })),
    ...buffer.json(),
  }));
}

// Lines and points beside a quad.
function writeStrokes(to) {
  const buffer = buffers(), steps = Array.from({ length: 20 }, (_, i) => i / 19);
  const colored = (mode, values, color) => ({ mode, material: 0,
    attributes: { POSITION: positions(buffer, values), COLOR_0: buffer.add(new Float32Array(color), 'VEC3') } });
  const grid = steps.flatMap((y) => steps.map((x) => [0.1 + 2 * x, 2 * y - 1, 0]));
  const quad = { material: 1, indices: buffer.add(new Uint32Array([0, 1, 2, 0, 2, 3]), 'SCALAR'),
    attributes: { POSITION: positions(buffer, [-2.1, -1, -0.2, -1.1, -1, -0.2, -1.1, 0, -0.2, -2.1, 0, -0.2]) } };
  const meshes = [
    { primitives: [quad, colored(1, steps.flatMap((y) => [-2.1, 2 * y - 1, 0, -0.1, 2 * y - 1.1, 0]),
      steps.flatMap((y) => [1, y, 0, 1, y, 0]))] },
    { primitives: [colored(0, grid.flat(), grid.flatMap(([x, y]) => [0, x / 2.1, (y + 1) / 2]))] }];
  fs.mkdirSync(to, { recursive: true });
  fs.writeFileSync(path.join(to, 'strokes.gltf'), JSON.stringify({
    asset: { version: '2.0' }, scene: 0, scenes: [{ nodes: [0, 1] }], nodes: [{ mesh: 0 }, { mesh: 1 }], meshes,
    materials: [{}, { pbrMetallicRoughness: { baseColorFactor: [0.1, 0.1, 0.6, 1], metallicFactor: 0 } }], ...buffer.json(),
  }));
}

module.exports = { writeTexcoords, colorAtCenter, writeStrokes };
