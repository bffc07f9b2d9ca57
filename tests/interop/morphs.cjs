// Compares every morphed vertex with three.js: of the source, of the compiled mesh, and of the .glb that is made from
// it.
//
//   node morphs.cjs ASSETC MORPH_PROBE      exits 1 on a difference, 77 (skipped) when node_modules is absent
'use strict';
const fs = require('fs');
const os = require('os');
const path = require('path');
const { pathToFileURL } = require('url');
const { spawnSync } = require('child_process');

const SKIPPED = 77;
const SIDE = 24;
const NAMES = ['wave', 'twist', 'bump', 'nothing'];
const WEIGHTS = [[0, 0, 0, 0], [1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0.3, -0.7, 1.6, 1], [1, 1, 1, 1]];
const TOLERANCE = 2e-5;         // of positions: half a step of each target, and rounding
const NORMAL_TOLERANCE = 4e-4;  // of normals: 16-bit octahedral

// A sheet with two dense targets, a sparse one over zeros, and a sparse one over a dense accessor that moves nothing.
// Positions differ in every vertex, so that they name it.
function model() {
  const binary = [], bufferViews = [], accessors = [];
  let length = 0;
  const view = (array) => {
    const bytes = Buffer.from(array.buffer, array.byteOffset, array.byteLength);
    const padded = Buffer.concat([bytes, Buffer.alloc((4 - bytes.length % 4) % 4)]);
    bufferViews.push({ buffer: 0, byteOffset: length, byteLength: bytes.length });
    binary.push(padded);
    length += padded.length;
    return bufferViews.length - 1;
  };
  const bounds = (values) => {
    const of = (pick) => [0, 1, 2].map((k) => values.reduce((m, v, i) => (i % 3 === k ? pick(m, v) : m), values[k]));
    return { min: of(Math.min), max: of(Math.max) };
  };
  const vec3 = (values, more = {}) => accessors.push({ bufferView: view(new Float32Array(values)), componentType: 5126,
    count: values.length / 3, type: 'VEC3', ...bounds(new Float32Array(values)), ...more }) - 1;
  const sparse = (count, indices, values, base) => accessors.push({ ...(base === undefined ? {} : { bufferView: base }),
    componentType: 5126, count, type: 'VEC3', ...bounds(new Float32Array([...values, 0, 0, 0])),
    sparse: { count: indices.length, indices: { bufferView: view(new Uint16Array(indices)), componentType: 5123 },
      values: { bufferView: view(new Float32Array(values)) } } }) - 1;

  const positions = [], normals = [], wave = [], waveNormals = [], twist = [], twistNormals = [];
  const bumpAt = [], bump = [], bumpNormals = [], zeroAt = [], zero = [], indices = [];
  for (let y = 0; y <= SIDE; ++y) {
    for (let x = 0; x <= SIDE; ++x) {
      const u = x / SIDE, v = y / SIDE, vertex = y * (SIDE + 1) + x;
      positions.push(u, v, 0.1 * u * v);
      const n = Math.hypot(0.1 * v, 0.1 * u, 1);
      normals.push(-0.1 * v / n, -0.1 * u / n, 1 / n);
      wave.push(0, 0.01 * u, 0.2 * Math.sin(7 * u));
      waveNormals.push(-1.4 * Math.cos(7 * u), 0, 0);
      twist.push(0.3 * v * v, -0.2 * u, 0.4 * u * v);
      twistNormals.push(-0.4 * v, -0.4 * u, 0);
      const distance = Math.hypot(u - 0.6, v - 0.4);
      if (distance < 0.2) {
        bumpAt.push(vertex);
        bump.push(0, 0, 0.5 * (0.2 - distance));
        bumpNormals.push(2 * (u - 0.6), 2 * (v - 0.4), 0);
      } else if (zeroAt.length < 5) {
        zeroAt.push(vertex);
        zero.push(0, 0, 0);
      }
      if (x < SIDE && y < SIDE) indices.push(vertex, vertex + 1, vertex + SIDE + 1, vertex + 1, vertex + SIDE + 2, vertex + SIDE + 1);
    }
  }
  const count = positions.length / 3;
  const targets = [
    { POSITION: vec3(wave), NORMAL: vec3(waveNormals) },
    { POSITION: vec3(twist), NORMAL: vec3(twistNormals) },
    { POSITION: sparse(count, bumpAt, bump), NORMAL: sparse(count, bumpAt, bumpNormals) },
    { POSITION: sparse(count, zeroAt, zero, view(new Float32Array(count * 3))) },
  ];
  // three.js needs the same attributes in all targets.
  targets[3].NORMAL = targets[3].POSITION;
  const mesh = { weights: [0.25, 0, 0, 1], extras: { targetNames: NAMES }, primitives: [{
    attributes: { POSITION: vec3(positions), NORMAL: vec3(normals) }, targets,
    indices: accessors.push({ bufferView: view(new Uint16Array(indices)), componentType: 5123, count: indices.length, type: 'SCALAR' }) - 1 }] };
  const buffer = Buffer.concat(binary);
  return JSON.stringify({ asset: { version: '2.0' }, scene: 0, scenes: [{ nodes: [0] }], nodes: [{ mesh: 0 }], meshes: [mesh],
    accessors, bufferViews, buffers: [{ byteLength: buffer.length, uri: `data:application/octet-stream;base64,${buffer.toString('base64')}` }] });
}

async function main() {
  const assetc = path.resolve(process.argv[2] ?? ''), probe = path.resolve(process.argv[3] ?? '');
  let THREE, GLTFLoader;
  try {
    globalThis.self ??= globalThis;
    globalThis.ProgressEvent ??= class { constructor(type, more) { Object.assign(this, { type }, more); } };  // for data URIs
    THREE = await import(pathToFileURL(require.resolve('three')).href.replace('three.cjs', 'three.module.js'));
    ({ GLTFLoader } = await import(pathToFileURL(require.resolve('three/examples/jsm/loaders/GLTFLoader.js')).href));
  } catch (error) {
    console.log(`skipped: ${error.message}`);
    process.exit(SKIPPED);
  }
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assetc-morphs-'));
  const run = (program, args, input) => {
    const done = spawnSync(program, args, { cwd: folder, encoding: 'utf8', input, maxBuffer: 1 << 28 });
    if (done.status !== 0) throw new Error(`${program} ${args.join(' ')}: ${done.stderr}`);
    return done.stdout;
  };
  // For each set of weights: the vertices as [base position, position, normal], in the order of the base position.
  const key = (v) => v.slice(0, 2).map((c) => c.toFixed(5)).join(' ');
  const sorted = (vertices) => vertices.sort((a, b) => (key(a) < key(b) ? -1 : 1));
  const inThree = async (name) => {
    const file = fs.readFileSync(path.join(folder, name));
    const gltf = await new GLTFLoader().parseAsync(file.buffer.slice(file.byteOffset, file.byteOffset + file.byteLength), '');
    let mesh;
    gltf.scene.traverse((object) => { mesh ??= object.isMesh ? object : undefined; });
    gltf.scene.updateMatrixWorld(true);
    const { geometry } = mesh, point = new THREE.Vector3();
    const defaults = [...mesh.morphTargetInfluences], names = Object.keys(mesh.morphTargetDictionary ?? {});
    const all = WEIGHTS.map((weights) => {
      weights.forEach((weight, t) => { mesh.morphTargetInfluences[t] = weight; });
      const vertices = [];
      for (let i = 0; i < geometry.attributes.position.count; ++i) {
        const base = new THREE.Vector3().fromBufferAttribute(geometry.attributes.position, i);
        mesh.getVertexPosition(i, point);
        // As three.js' vertex shader does it.
        const normal = new THREE.Vector3().fromBufferAttribute(geometry.attributes.normal, i);
        const offset = new THREE.Vector3();
        (geometry.morphAttributes.normal ?? []).forEach((offsets, t) => normal.addScaledVector(offset.fromBufferAttribute(offsets, i), weights[t]));
        normal.normalize();
        vertices.push([...base.toArray(), ...point.toArray(), ...normal.toArray()]);
      }
      return sorted(vertices);
    });
    return { all, defaults, names };
  };
  const inProbe = (name) => run(probe, [name], WEIGHTS.map((w) => w.join(' ')).join('\n') + '\n').trim().split('\n').map((line) => {
    const numbers = line.trim().split(' ').map(Number), vertices = [];
    for (let i = 0; i < numbers.length; i += 9) vertices.push(numbers.slice(i, i + 9));
    return sorted(vertices);
  });

  fs.writeFileSync(path.join(folder, 'sheet.gltf'), model());
  const source = await inThree('sheet.gltf');
  let failures = 0, compared = 0, worst = 0, worstNormal = 0;
  const compare = (name, all) => {
    for (const [w, vertices] of all.entries()) {
      if (vertices.length !== source.all[w].length) {
        console.log(`${name}: ${vertices.length} vertices, expected ${source.all[w].length}`);
        failures += 1;
        continue;
      }
      vertices.forEach((vertex, i) => {
        const want = source.all[w][i];
        const position = Math.max(...[0, 1, 2, 3, 4, 5].map((k) => Math.abs(vertex[k] - want[k])));
        const normal = Math.max(...[6, 7, 8].map((k) => Math.abs(vertex[k] - want[k])));
        worst = Math.max(worst, position);
        worstNormal = Math.max(worstNormal, normal);
        compared += 1;
        if (position <= TOLERANCE && normal <= NORMAL_TOLERANCE) return;
        if (failures++ < 5) console.log(`${name}: weights ${WEIGHTS[w]}: found ${vertex.slice(3)}, expected ${want.slice(3)}`);
      });
    }
  };
  for (const container of ['hmesh', 'galileo']) {
    const compiled = container === 'hmesh' ? 'sheet.hmesh' : 'sheet.gali';
    run(assetc, ['convert', 'sheet.gltf', compiled, '--mesh.container', container]);
    if (container === 'hmesh') compare(compiled, inProbe(compiled));
    run(assetc, ['convert', compiled, `${container}.glb`]);
    const back = await inThree(`${container}.glb`);
    compare(`${container}.glb`, back.all);
    if (back.names.join() !== NAMES.join()) failures += 1, console.log(`${container}.glb: names ${back.names}, expected ${NAMES}`);
    if (back.defaults.join() !== source.defaults.join()) failures += 1, console.log(`${container}.glb: weights ${back.defaults}, expected ${source.defaults}`);
  }
  run(assetc, ['convert', 'sheet.gltf', 'straight.glb']);
  compare('straight.glb', (await inThree('straight.glb')).all);
  if (process.env.KEEP) fs.cpSync(folder, process.env.KEEP, { recursive: true });
  fs.rmSync(folder, { recursive: true });
  console.log(`${compared} vertices; largest difference of a position ${worst.toExponential(2)}, of a normal ${worstNormal.toExponential(2)}`);
  process.exit(failures === 0 && compared > 0 ? 0 : 1);
}

main();
