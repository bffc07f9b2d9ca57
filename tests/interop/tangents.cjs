// Compares our tangents with the reference (npm mikktspace, the C library in WebAssembly), corner by corner.
//
//   node tangents.cjs PROBE MODEL.gltf...          exits 1 on a corner that differs
//   node tangents.cjs --golden FILE                writes tests/mesh/data/tangents_golden.bin
//
// PROBE is the built tangents_probe. Exits 77 (skipped) when node_modules is absent.
'use strict';
const fs = require('fs');
const path = require('path');
const { spawnSync } = require('child_process');

let generateTangents;
try {
  ({ generateTangents } = require('mikktspace'));
} catch {
  console.log('skipped: run npm ci in tests/interop to compare tangents with the reference');
  process.exit(77);
}

// The reference takes triangles without indices and gives w for V up; in glTF, V points down.
function reference(mesh) {
  const gather = (array, width) => {
    const out = new Float32Array(mesh.indices.length * width);
    mesh.indices.forEach((v, k) => { for (let c = 0; c < width; ++c) out[k * width + c] = array[v * width + c]; });
    return out;
  };
  const tangents = generateTangents(gather(mesh.positions, 3), gather(mesh.normals, 3), gather(mesh.texcoords, 2));
  for (let k = 3; k < tangents.length; k += 4) tangents[k] = -tangents[k];
  return tangents;
}

function serialize(mesh) {
  const counts = new Uint32Array([mesh.positions.length / 3, mesh.indices.length]);
  return Buffer.concat([counts, mesh.positions, mesh.normals, mesh.texcoords, mesh.indices]
    .map((a) => Buffer.from(a.buffer, a.byteOffset, a.byteLength)));
}

function floats(buffer) {
  return new Float32Array(buffer.buffer.slice(buffer.byteOffset, buffer.byteOffset + buffer.byteLength));
}

function readGltf(file) {
  const bytes = fs.readFileSync(file);
  let json, binary;
  if (bytes.subarray(0, 4).toString() === 'glTF') {
    const length = bytes.readUInt32LE(12);
    json = JSON.parse(bytes.subarray(20, 20 + length));
    binary = bytes.subarray(28 + length);
  } else {
    json = JSON.parse(bytes);
  }
  const buffers = (json.buffers ?? []).map(({ uri }) =>
    uri === undefined ? binary
      : uri.startsWith('data:') ? Buffer.from(uri.slice(uri.indexOf(',') + 1), 'base64')
        : fs.readFileSync(path.join(path.dirname(file), decodeURIComponent(uri))));
  // Compressed views are tested by meshopt.cjs.
  if ((json.bufferViews ?? []).some((view) => view.extensions)) return [];
  const width = { SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4 };
  const read = {
    5121: [1, (b, o) => b[o]], 5123: [2, (b, o) => b.readUInt16LE(o)],
    5125: [4, (b, o) => b.readUInt32LE(o)], 5126: [4, (b, o) => b.readFloatLE(o)],
  };
  const accessor = (index) => {
    const { bufferView, byteOffset = 0, componentType, count, type } = json.accessors[index];
    const view = json.bufferViews[bufferView];
    const [size, at] = read[componentType];
    const stride = view.byteStride ?? width[type] * size;
    const out = new (componentType === 5126 ? Float32Array : Uint32Array)(count * width[type]);
    for (let k = 0; k < out.length; ++k) {
      const item = Math.floor(k / width[type]);
      out[k] = at(buffers[view.buffer], (view.byteOffset ?? 0) + byteOffset + item * stride + (k % width[type]) * size);
    }
    return out;
  };
  const meshes = [];
  for (const { primitives } of json.meshes ?? []) {
    for (const p of primitives) {
      const { POSITION, NORMAL, TEXCOORD_0 } = p.attributes;
      if (POSITION === undefined || NORMAL === undefined || TEXCOORD_0 === undefined) continue;
      if ((p.mode ?? 4) !== 4 || p.extensions || json.accessors[TEXCOORD_0].componentType !== 5126) continue;
      const positions = accessor(POSITION);
      const indices = p.indices === undefined
        ? Uint32Array.from({ length: positions.length / 3 }, (_, i) => i) : accessor(p.indices);
      meshes.push({ positions, normals: accessor(NORMAL), texcoords: accessor(TEXCOORD_0), indices });
    }
  }
  return meshes;
}

// Random triangles between few points with few texture coordinates: mirrored, degenerate, without texture area, with
// edges shared by three.
function soup() {
  let state = 12345;
  const below = (n) => Math.floor((state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 4294967296 * n);
  const vertices = 60, triangles = 200;
  const directions = [[0, 0, 1], [0, 1, 0], [1, 0, 0], [Math.fround(0.6), Math.fround(0.8), 0]];
  const pick = (count, f) => Float32Array.from({ length: count }, f);
  const normals = new Float32Array(vertices * 3);
  for (let v = 0; v < vertices; ++v) normals.set(directions[below(4)], v * 3);
  return {
    positions: pick(vertices * 3, () => below(4)), normals, texcoords: pick(vertices * 2, () => below(4) / 4),
    indices: Uint32Array.from({ length: triangles * 3 }, () => below(vertices)),
  };
}

const [first, ...files] = process.argv.slice(2);
if (first === '--golden') {
  const mesh = soup();
  const tangents = reference(mesh);
  fs.writeFileSync(files[0], Buffer.concat([serialize(mesh), Buffer.from(tangents.buffer)]));
  process.exit(0);
}

let corners = 0, differ = 0;
function compare(mesh, name) {
  const run = spawnSync(first, [], { input: serialize(mesh), maxBuffer: 1 << 30 });
  if (run.status !== 0) throw new Error(`${first} failed on ${name}`);
  const ours = floats(run.stdout), theirs = reference(mesh);
  let bad = 0;
  for (let k = 0; k < theirs.length; k += 4) {
    // If tangents cancel out, the reference gives no direction at all, but a vertex needs one.
    if (theirs[k] === 0 && theirs[k + 1] === 0 && theirs[k + 2] === 0) theirs[k] = 1;
    if ([0, 1, 2, 3].some((c) => ours[k + c] !== theirs[k + c])) bad += 1;
  }
  if (bad > 0) console.log(`${name}: ${bad} of ${theirs.length / 4} corners differ`);
  corners += theirs.length / 4;
  differ += bad;
}
compare(soup(), 'soup');
for (const file of files) readGltf(file).forEach((mesh, m) => compare(mesh, `${file}: primitive ${m}`));
console.log(`${corners} corners compared with the reference, ${differ} differ`);
process.exit(differ === 0 ? 0 : 1);
