// Compares poses of three.js' AnimationMixer with those of our runtime on files that assetc compiled: skinning matrices
// of clips in .hmesh and .hanim, of blends of two clips, nodes of cooked models, and curves of every kind. Also compares
// joints of the source with those of compressed clips that were converted back to GLB.
//
//   node animation.cjs ASSETC ANIMATION_PROBE AAS1_PROBE MODEL...
//
// Exits 1 on a difference, 77 (skipped) when node_modules is absent. Skips models without a skin or clips.
'use strict';
const fs = require('fs');
const os = require('os');
const path = require('path');
const { pathToFileURL } = require('url');
const { spawnSync } = require('child_process');
const { writeGlb } = require('./glb_file.cjs');

const SKIPPED = 77;
// Relative to the largest number in a matrix or value: the precision of floats after several joints.
const TOLERANCE = 1e-5;
// For clips that were cubic splines, which are compiled to nearby straight pieces: the error after a chain of joints.
const SPLINE_TOLERANCE = 6e-3;

const [assetc, probe, aas1, ...models] = process.argv.slice(2).map((p) => path.resolve(p));
let THREE, GLTFLoader, faults = 0, compared = 0;

function run(program, args, options = {}) {
  const done = spawnSync(program, args, { encoding: 'utf8', maxBuffer: 1 << 28, ...options });
  if (done.status !== 0) throw new Error(`${program} ${args.join(' ')}: ${done.stderr}`);
  return done.stdout;
}
const lines = (text) => text.trim().split('\n').map((line) => line.trim().split(' ').map(Number));

// Returns the JSON of a glTF and its only buffer.
function read(file) {
  const bytes = fs.readFileSync(file);
  if (bytes.toString('latin1', 0, 4) === 'glTF') {
    const size = bytes.readUInt32LE(12);
    return { json: JSON.parse(bytes.toString('utf8', 20, 20 + size)), buffer: bytes.subarray(28 + size) };
  }
  const json = JSON.parse(bytes), uri = json.buffers?.length === 1 ? json.buffers[0].uri : undefined;
  const views = json.bufferViews ?? [];
  if (json.buffers?.length > 1) {  // the buffers are concatenated
    const parts = [], starts = [];
    for (const b of json.buffers) {
      starts.push(parts.reduce((sum, p) => sum + p.length, 0));
      const part = bufferOf(file, b.uri);
      parts.push(part, Buffer.alloc(-part.length & 3));
    }
    for (const v of views) Object.assign(v, { buffer: 0, byteOffset: (v.byteOffset ?? 0) + starts[v.buffer] });
    const buffer = Buffer.concat(parts);
    json.buffers = [{ byteLength: buffer.length }];
    return { json, buffer };
  }
  return { json, buffer: uri === undefined ? Buffer.alloc(0) : bufferOf(file, uri) };
}
function bufferOf(file, uri) {
  if (uri.startsWith('data:')) return Buffer.from(uri.slice(uri.indexOf(',') + 1), 'base64');
  return fs.readFileSync(path.join(path.dirname(file), decodeURIComponent(uri)));
}

// Normalizes rotation keys as glTF requires; three.js uses other lengths unchanged.
function makeUnit(json, buffer) {
  for (const { channels, samplers } of json.animations ?? []) {
    for (const { sampler, target } of channels) {
      const { interpolation } = samplers[sampler], accessor = json.accessors[samplers[sampler].output];
      if (target.path !== 'rotation' || interpolation === 'CUBICSPLINE' || accessor.componentType !== 5126) continue;
      const view = json.bufferViews[accessor.bufferView], start = (view.byteOffset ?? 0) + (accessor.byteOffset ?? 0);
      for (let at = start; at < start + 16 * accessor.count; at += 16) {
        const q = [0, 4, 8, 12].map((i) => buffer.readFloatLE(at + i)), length = Math.hypot(...q);
        if (Math.abs(length - 1) > 1e-6) q.forEach((v, i) => buffer.writeFloatLE(v / length, at + 4 * i));
      }
    }
  }
}

// Adds tangents to the same keys (Catmull-Rom).
function makeSplines(json, buffer) {
  const parts = [buffer, Buffer.alloc(-buffer.length & 3)];
  let end = parts[0].length + parts[1].length;
  const floats = (index, width) => {
    const accessor = json.accessors[index], view = json.bufferViews[accessor.bufferView];
    const start = (view.byteOffset ?? 0) + (accessor.byteOffset ?? 0);
    return Array.from({ length: accessor.count * width }, (_, i) => buffer.readFloatLE(start + 4 * i));
  };
  for (const { channels, samplers } of json.animations ?? []) {
    for (const { sampler, target } of channels) {
      const s = samplers[sampler], from = json.accessors[s.output], width = target.path === 'rotation' ? 4 : 3;
      if (target.path === 'weights' || from.componentType !== 5126 || s.interpolation === 'CUBICSPLINE') continue;
      const times = floats(s.input, 1), values = floats(s.output, width), out = [];
      const at = (k, i) => values[Math.min(Math.max(k, 0), times.length - 1) * width + i];
      for (let k = 0; k < times.length; ++k) {
        const span = times[Math.min(k + 1, times.length - 1)] - times[Math.max(k - 1, 0)];
        const tangent = Array.from({ length: width }, (_, i) => span > 0 ? (at(k + 1, i) - at(k - 1, i)) / span : 0);
        out.push(...tangent, ...values.slice(k * width, (k + 1) * width), ...tangent);
      }
      const bytes = Buffer.from(new Float32Array(out).buffer);
      json.bufferViews.push({ buffer: 0, byteOffset: end, byteLength: bytes.length });
      json.accessors.push({ bufferView: json.bufferViews.length - 1, componentType: 5126, count: 3 * times.length, type: from.type });
      parts.push(bytes);
      end += bytes.length;
      samplers.push({ input: s.input, output: json.accessors.length - 1, interpolation: 'CUBICSPLINE' });
      channels.find((c) => c.sampler === sampler && c.target === target).sampler = samplers.length - 1;
    }
  }
  json.buffers[0].byteLength = end;
  return Buffer.concat(parts);
}

// Writes the model without its pictures: three.js cannot load them outside of a browser, and a pose does not need them.
function writeBare(model, file, hasSplines) {
  let { json, buffer } = read(model);
  makeUnit(json, buffer);
  if (hasSplines) buffer = makeSplines(json, buffer);
  for (const key of ['images', 'textures', 'samplers', 'materials', 'extensionsUsed', 'extensionsRequired']) delete json[key];
  for (const mesh of json.meshes ?? []) for (const p of mesh.primitives) delete p.material;
  if (json.buffers?.length > 0) delete json.buffers[0].uri;
  writeGlb(file, json, buffer);
  return json;
}

async function load(file) {
  const bytes = fs.readFileSync(file);
  return new GLTFLoader().parseAsync(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength), '');
}

// Poses the scene as a line requests: one clip, or two and the weight of the second.
function pose(gltf, { clips, weight }) {
  const mixer = new THREE.AnimationMixer(gltf.scene);
  const actions = clips.map(({ clip, time, loops }, i) => {
    const action = mixer.clipAction(gltf.animations[clip], undefined);
    action.setLoop(loops ? THREE.LoopRepeat : THREE.LoopOnce);
    action.clampWhenFinished = true;
    action.weight = clips.length === 1 ? 1 : i === 0 ? 1 - weight : weight;
    action.play();
    if (clips.length > 1) action.time = time;
    return action;
  });
  mixer.update(clips.length > 1 ? 0 : clips[0].time);
  gltf.scene.updateMatrixWorld(true);
  const undo = () => {
    actions.forEach((action) => action.stop());
    mixer.uncacheRoot(gltf.scene);
  };
  return undo;
}
const wordsOf = ({ clips, weight }) =>
  clips.map((c) => `${c.clip} ${c.time} ${c.loops ? 1 : 0}`).join(' ') + (clips.length > 1 ? ` ${weight}` : '');

function* asked(animations, json) {
  for (let clip = 0; clip < animations.length; ++clip) {
    const duration = animations[clip].duration;
    const times = json.animations[clip].samplers.flatMap((s) => json.accessors[s.input].max ?? []);
    for (let i = 0; i <= 40; ++i) yield { clips: [{ clip, time: duration * i / 40 * 0.999, loops: false }] };
    for (const time of [duration * 1.3, duration * 5.77, duration * 0.31]) yield { clips: [{ clip, time, loops: true }] };
    for (const time of [duration, ...times.slice(0, 2)]) yield { clips: [{ clip, time, loops: false }] };
    for (const weight of [0.25, 0.5, 0.9]) {
      const second = (clip + 1) % animations.length;
      if (second === clip) continue;
      const at = (c, share) => ({ clip: c, time: animations[c].duration * share, loops: true });
      yield { clips: [at(clip, 0.4), at(second, 0.7)], weight };
    }
  }
}

function compare(name, ours, theirs, tolerance = TOLERANCE) {
  if (ours.length !== theirs.length) {
    faults += 1;
    return console.log(`${name}: ${ours.length} numbers, three.js has ${theirs.length}`);
  }
  const scale = Math.max(1e-3, ...theirs.map(Math.abs));
  const worst = ours.reduce((w, v, i) => Math.max(w, Number.isFinite(v) ? Math.abs(v - theirs[i]) : Infinity), 0) / scale;
  compared += ours.length;
  if (!(worst <= tolerance)) {
    faults += 1;
    if (faults <= 20) console.log(`${name}: differs by ${worst} of ${scale}`);
  }
  return worst;
}

async function compareModel(model, folder, hasSplines) {
  const name = path.basename(model) + (hasSplines ? ' with splines' : ''), at = fs.mkdtempSync(path.join(folder, 'm'));
  const json = writeBare(model, path.join(at, 'm.glb'), hasSplines), tolerance = hasSplines ? SPLINE_TOLERANCE : TOLERANCE;
  if (!json.animations?.length || !json.skins?.length) return false;
  run(assetc, ['convert', 'm.glb', 'm.hmesh', '--mesh.lods', '0'], { cwd: at });
  if (!fs.existsSync(path.join(at, 'm.hanim'))) return false;
  const gltf = await load(path.join(at, 'm.glb'));
  const poses = [...asked(gltf.animations, json)];
  const input = poses.map(wordsOf).join('\n') + '\n';

  const skinned = lines(run(probe, ['mesh', 'm.hmesh', 'm.hanim'], { cwd: at, input }));
  fs.mkdirSync(path.join(at, 'out'));
  const cooked = run(aas1, [at, 'm.glb', path.join(at, 'out')]).trim().split('\n').filter((l) => l[0] !== '#');
  const uuid = (asset) => cooked.find((l) => l.endsWith(` ${asset}`))?.split(' ')[0];
  const blob = (asset) => path.join(at, 'out', `${uuid(asset)}.bin`);
  const clips = json.animations.map((_, i) => blob(`m.glb#Animation/${i}`));
  const nodes = lines(run(probe, ['model', blob('m.glb'), ...clips], { cwd: at, input }));

  let mesh;
  gltf.scene.traverse((object) => { if (object.isSkinnedMesh) mesh ??= object; });
  const objects = await Promise.all(json.nodes.map((_, i) => gltf.parser.getDependency('node', i)));
  let worst = 0;
  poses.forEach((one, i) => {
    const undo = pose(gltf, one);
    const skin = mesh.skeleton.bones.flatMap((bone, j) =>
      new THREE.Matrix4().multiplyMatrices(bone.matrixWorld, mesh.skeleton.boneInverses[j]).elements);
    worst = Math.max(worst, compare(`${name}, ${wordsOf(one)}, skin`, skinned[i], skin, tolerance));
    worst = Math.max(worst, compare(`${name}, ${wordsOf(one)}, nodes`, nodes[i], objects.flatMap((o) => o.matrixWorld.elements), tolerance));
    undo();
  });
  console.log(`${name}: ${poses.length} poses of ${json.animations.length} clips, at most ${worst.toExponential(1)} off`);
  return true;
}

// Compares joints of the source with those of a GLB made from the compressed clips (.hanim version 2). The distance is
// at most the error that the compressor promises: the size of the skeleton / 18000.
async function compareCompressed(model, folder) {
  const name = `${path.basename(model)} compressed`, at = fs.mkdtempSync(path.join(folder, 'c'));
  const json = writeBare(model, path.join(at, 'm.glb'), false);
  if (!json.animations?.length || !json.skins?.length) return false;
  run(assetc, ['convert', 'm.glb', 'm.hmesh', '--mesh.lods', '0', '--animation.container', 'hanim'], { cwd: at });
  if (!fs.existsSync(path.join(at, 'm.hanim'))) return false;
  if (fs.readFileSync(path.join(at, 'm.hanim')).readUInt32LE(4) !== 2) throw new Error(`${name}: m.hanim is not version 2`);
  run(assetc, ['convert', 'm.hmesh', 'back.glb'], { cwd: at });
  const [source, back] = [await load(path.join(at, 'm.glb')), await load(path.join(at, 'back.glb'))];
  const bones = (gltf) => {
    let mesh;
    gltf.scene.traverse((object) => { if (object.isSkinnedMesh) mesh ??= object; });
    return mesh.skeleton.bones.map((bone) => new THREE.Vector3().setFromMatrixPosition(bone.matrixWorld));
  };
  let worst = 0, size = 0, count = 0;
  for (let clip = 0; clip < source.animations.length; ++clip) {
    for (let i = 0; i <= 60; ++i) {
      const one = { clips: [{ clip, time: source.animations[clip].duration * i / 60 * 0.999, loops: false }] };
      const [a, b] = [source, back].map((gltf) => {
        const undo = pose(gltf, one), points = bones(gltf);
        undo();
        return points;
      });
      size = Math.max(size, ...new THREE.Box3().setFromPoints(a).getSize(new THREE.Vector3()).toArray());
      a.forEach((p, j) => { worst = Math.max(worst, Number.isFinite(b[j].x) ? p.distanceTo(b[j]) : Infinity); });
      count += a.length;
    }
  }
  compared += count;
  // three.js samples in floats.
  if (!(worst <= size * (1.1 / 18000 + 1e-6))) {
    faults += 1;
    console.log(`${name}: joints are ${worst} off, expected ${size / 18000}`);
  }
  console.log(`${name}: ${count} joints, at most ${(worst / Math.max(size, 1e-9) * 18000).toFixed(2)} of the bound off`);
  return true;
}

// Compares curves of every path and interpolation with GLTFLoader's reading of a file.
async function compareCurves(folder) {
  let state = 7;
  const random = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 4294967296 * 2 - 1;
  const PATHS = ['translation', 'rotation', 'scale'], KINDS = ['STEP', 'LINEAR', 'CUBICSPLINE'];
  const TIMES = [0, 0.25, 1, 1.5, 3.75];
  const floats = [], accessors = [], samplers = [], channels = [], nodes = [], input = [];
  const add = (values, type) => {
    const width = type === 'SCALAR' ? 1 : Number(type[3]);
    accessors.push({ bufferView: 0, byteOffset: floats.length * 4, componentType: 5126, count: values.length / width, type });
    floats.push(...values.map(Math.fround));
    return accessors.length - 1;
  };
  const wanted = [];
  for (let i = 0; i <= 80; ++i) wanted.push(Math.fround(-0.2 + i * 0.05));
  for (const kind of KINDS) {
    for (const target of PATHS) {
      const width = target === 'rotation' ? 4 : 3, values = [];
      for (let k = 0; k < TIMES.length; ++k) {
        for (let part = 0; part < (kind === 'CUBICSPLINE' ? 3 : 1); ++part) {
          const v = Array.from({ length: width }, random);
          const isUnit = target === 'rotation' && (kind !== 'CUBICSPLINE' || part === 1);
          values.push(...v.map((x) => Math.fround(x / (isUnit ? Math.hypot(...v) : 1))));
        }
      }
      const times = add(TIMES, 'SCALAR'), output = add(values, `VEC${width}`);
      samplers.push({ input: times, output, interpolation: kind });
      channels.push({ sampler: samplers.length - 1, target: { node: nodes.length, path: target } });
      nodes.push({ name: `n${nodes.length}` });
      input.push([PATHS.indexOf(target), KINDS.indexOf(kind), TIMES.length, ...TIMES, ...values, wanted.length, ...wanted].join(' '));
    }
  }
  const buffer = Buffer.from(new Float32Array(floats).buffer);
  const json = {
    asset: { version: '2.0' }, scene: 0, scenes: [{ nodes: nodes.map((_, i) => i) }], nodes, accessors,
    buffers: [{ byteLength: buffer.length, uri: `data:application/octet-stream;base64,${buffer.toString('base64')}` }],
    bufferViews: [{ buffer: 0, byteLength: buffer.length }], animations: [{ samplers, channels }],
  };
  const file = path.join(folder, 'curves.gltf');
  fs.writeFileSync(file, JSON.stringify(json));
  writeBare(file, path.join(folder, 'curves.glb'));
  const gltf = await load(path.join(folder, 'curves.glb'));
  const ours = lines(run(probe, ['curve'], { input: input.join('\n') + '\n' }));
  let worst = 0;
  gltf.animations[0].tracks.forEach((track) => {
    const channel = Number(/n(\d+)\./.exec(`${objectName(gltf, track)}.`)[1]);
    const interpolant = track.createInterpolant();
    const at = (time) => [...interpolant.evaluate(time)].slice(0, channels[channel].target.path === 'rotation' ? 4 : 3);
    wanted.forEach((time, i) => {
      const four = at(time);
      if (four.length === 3) four.push(0);
      worst = Math.max(worst, compare(`curve ${channel} at ${time}`, ours[channel].slice(4 * i, 4 * i + 4), four));
    });
  });
  console.log(`${channels.length} curves at ${wanted.length} times, at most ${worst.toExponential(1)} off`);
}
function objectName(gltf, track) {
  const uuid = track.name.split('.')[0];
  let name = uuid;
  gltf.scene.traverse((object) => { if (object.uuid === uuid) name = object.name; });
  return name;
}

async function main() {
  try {
    globalThis.self ??= globalThis;
    THREE = await import(pathToFileURL(require.resolve('three')).href.replace('three.cjs', 'three.module.js'));
    ({ GLTFLoader } = await import(pathToFileURL(require.resolve('three/examples/jsm/loaders/GLTFLoader.js')).href));
  } catch (error) {
    console.log(`skipped: ${error.message}`);
    process.exit(SKIPPED);
  }
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assetc-animation-'));
  await compareCurves(folder);
  let count = 0;
  for (const model of models) {
    for (const hasSplines of [false, true]) count += await compareModel(model, folder, hasSplines);
    await compareCompressed(model, folder);
  }
  fs.rmSync(folder, { recursive: true, force: true });
  if (count === 0) {
    console.log('no model is skinned and has clips');
    ++faults;
  }
  console.log(`${count} models, ${compared} numbers compared with three.js ${THREE.REVISION}, ${faults} differ`);
  process.exit(faults === 0 ? 0 : 1);
}
main();
