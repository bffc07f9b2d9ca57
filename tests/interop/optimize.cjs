// Checks with other readers the files that assetc optimize writes.
//
//   node optimize.cjs ASSETC MODEL...        exits 1 on a difference, 77 (skipped) when node_modules is absent
//
// Khronos' validator must find no error in any file, whatever the options. three.js, with the decoders of npm's meshoptimizer and draco3dgltf, must
// show every corner where it shows it in the source, at the start and in the middle of each clip, with the same names, extras and
// hierarchy of named nodes. Without names and nodes, only the corners are compared.
'use strict';
const fs = require('fs');
const os = require('os');
const path = require('path');
const { pathToFileURL } = require('url');
const { spawnSync } = require('child_process');

const SKIPPED = 77;
const MOST_CORNERS = 20000;   // of a model that is compared
const SMALL = ['--texture.max_size', '256'];
const FAST = [...SMALL, '--texture.format', 'uastc', '--texture.quality', 'fast'];
// Options whose files the validator checks; the suffix is that of the output.
const VALIDATED = [
  ['.glb', ...FAST],
  ['.glb', '--keep', 'none', '--for', 'phone', '--texture.quality', 'fast'],
  ['.glb', ...SMALL],
  ['.glb', '--texture.format', 'etc1s', ...SMALL],
  ['.glb', '--mesh.compress', 'meshopt-khr', '--keep-pictures'],
  ['.glb', '--mesh.compress', 'draco', '--keep-pictures'],
  ['.gltf', '--for', 'web', ...FAST],
];
// Options whose files three.js shows, and whether names must be the same.
const SHOWN = [
  [true],
  [true, '--mesh.compress', 'meshopt-khr'],
  [true, '--mesh.compress', 'draco'],
  [false, '--keep', 'none', '--animation.error', 'auto'],
];
const RIGID = 2e-4, SKINNED = 1e-3;  // of the extent: positions of 14 bits, weights of 8 bits

let validator, THREE, GLTFLoader, MeshoptDecoder, draco, faults = 0;
function fail(file, why) {
  console.log(`${file}: ${why}`);
  ++faults;
}

async function validate(file, name) {
  const report = await validator.validateBytes(new Uint8Array(fs.readFileSync(file)), {
    maxIssues: 0,
    externalResourceFunction: async (uri) => new Uint8Array(fs.readFileSync(path.join(path.dirname(file), decodeURIComponent(uri)))),
  });
  const errors = report.issues.messages.filter((issue) => issue.severity === 0);
  if (name) for (const m of errors) fail(name, `${m.code} at ${m.pointer}: ${m.message}`);
  return errors.length;
}

// The part of three's DRACOLoader that its GLTFLoader calls; three's own needs the workers of a browser.
const dracoLoader = {
  preload() { return this; },
  decodeDracoFile(bytes, done, ids, types) {
    const decoder = new draco.Decoder(), buffer = new draco.DecoderBuffer(), mesh = new draco.Mesh();
    buffer.Init(new Int8Array(bytes), bytes.byteLength);
    const status = decoder.DecodeBufferToMesh(buffer, mesh);
    if (!status.ok()) throw new Error(status.error_msg());
    const copy = (Type, count, fill) => {
      const size = count * Type.BYTES_PER_ELEMENT, at = draco._malloc(size);
      fill(size, at);
      const values = new Type(draco.HEAPU8.slice(at, at + size).buffer);
      draco._free(at);
      return values;
    };
    const geometry = new THREE.BufferGeometry();
    for (const [name, id] of Object.entries(ids)) {
      const attribute = decoder.GetAttributeByUniqueId(mesh, id), width = attribute.num_components();
      const Type = THREE[types[name]] ?? globalThis[types[name]];
      const kind = draco[{ Float32Array: 'DT_FLOAT32', Uint8Array: 'DT_UINT8', Int8Array: 'DT_INT8', Uint16Array: 'DT_UINT16', Int16Array: 'DT_INT16' }[types[name]]];
      const values = copy(Type, mesh.num_points() * width, (size, at) => decoder.GetAttributeDataArrayForAllPoints(mesh, attribute, kind, size, at));
      geometry.setAttribute(name, new THREE.BufferAttribute(values, width));
    }
    geometry.setIndex(new THREE.BufferAttribute(copy(Uint32Array, mesh.num_faces() * 3, (size, at) => decoder.GetTrianglesUInt32Array(mesh, size, at)), 1));
    for (const object of [mesh, buffer, decoder]) draco.destroy(object);
    done(geometry);
  },
};

async function load(file) {
  const bytes = fs.readFileSync(file), loader = new GLTFLoader();
  loader.setMeshoptDecoder(MeshoptDecoder);
  loader.setDRACOLoader(dracoLoader);
  loader.setKTX2Loader({ load: (url, done) => done(new THREE.Texture()) });
  loader.register((parser) => {
    parser.textureLoader = { load: (url, done) => done(new THREE.Texture()) };
    return { name: 'no_pictures' };
  });
  return loader.parseAsync(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength), '');
}

// Objects with a name in the file, by path of such names.
function named(gltf) {
  const out = [];
  const walk = (object, at) => {
    const name = object.userData.name ?? object.name, node = gltf.parser.associations.get(object)?.nodes;
    const here = node !== undefined && gltf.parser.json.nodes[node].name ? `${at}/${gltf.parser.json.nodes[node].name}` : at;
    if (here !== at) {
      const { name: _, ...extras } = object.userData;
      out.push(`${here} ${JSON.stringify(gltf.parser.json.nodes[node].extras ?? {})} ${name ? '' : 'nameless'}`);
    }
    for (const child of object.children) walk(child, here);
  };
  walk(gltf.scene, '');
  // convert makes a node with the same name of each instance.
  return out.filter((line) => !/(\/[^/ ]*)\1 /.test(line)).sort();
}

// The corners of all meshes as they are shown, by the name of their material.
function corners(gltf) {
  gltf.scene.updateMatrixWorld(true);
  const points = [];
  let skinned = false;
  gltf.scene.traverse((object) => {
    if (!object.isMesh) return;
    if (object.isSkinnedMesh) object.skeleton.update(), skinned = true;
    const { index, attributes: { position } } = object.geometry, p = new THREE.Vector3();
    const count = Math.min(index ? index.count : position.count, MOST_CORNERS + 1 - points.length);
    for (let instance = 0; instance < (object.isInstancedMesh ? object.count : 1) && points.length <= MOST_CORNERS; ++instance) {
      const world = object.matrixWorld.clone(), own = new THREE.Matrix4();
      if (object.isInstancedMesh) object.getMatrixAt(instance, own), world.multiply(own);
      for (let i = 0; i < count; ++i) points.push(object.getVertexPosition(index ? index.getX(i) : i, p).applyMatrix4(world).toArray());
    }
  });
  return { points, skinned };
}

// The largest distance of a point of a to the nearest of b, up to limit, through a grid of cells of that size.
function gap(a, b, limit) {
  const cell = (v) => Math.floor(v / limit), grid = new Map();
  for (const p of b) {
    const key = p.map(cell).join();
    if (!grid.has(key)) grid.set(key, []);
    grid.get(key).push(p);
  }
  let worst = 0;
  for (const p of a) {
    const [x, y, z] = p.map(cell);
    let best = Infinity;
    for (let i = -1; i < 2; ++i) for (let j = -1; j < 2; ++j) for (let k = -1; k < 2; ++k) {
      for (const q of grid.get(`${x + i},${y + j},${z + k}`) ?? []) best = Math.min(best, Math.hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]));
    }
    worst = Math.max(worst, best);
  }
  return worst;
}

function pose(gltf, clip, time) {
  const mixer = new THREE.AnimationMixer(gltf.scene);
  if (clip) mixer.clipAction(clip).play(), mixer.setTime(time);
}

async function compare(name, source, made, has_names) {
  const a = await load(source), b = await load(made);
  if (has_names && named(a).join('\n') !== named(b).join('\n')) fail(name, `nodes are\n${named(b).join('\n')}\nexpected\n${named(a).join('\n')}`);
  if (a.animations.map((c) => c.name).join() !== b.animations.map((c) => c.name).join()) fail(name, 'clips differ');
  for (let c = -1; c < a.animations.length; ++c) {
    const clip = a.animations[c];
    for (const share of clip ? [0, 0.37] : [0]) {
      pose(a, clip, share * (clip?.duration ?? 0));
      pose(b, b.animations[c], share * (clip?.duration ?? 0));
      const before = corners(a), after = corners(b);
      if (before.points.length === 0 || before.points.length > MOST_CORNERS) return false;
      if (before.points.length !== after.points.length) return fail(name, `${after.points.length} corners, expected ${before.points.length}`);
      const box = new THREE.Box3().setFromPoints(before.points.map((p) => new THREE.Vector3(...p)));
      const limit = (before.skinned ? SKINNED : RIGID) * box.getSize(new THREE.Vector3()).length() + 1e-6;
      const found = Math.max(gap(before.points, after.points, limit), gap(after.points, before.points, limit));
      if (found > limit) fail(name, `a corner moved by more than ${limit}${clip ? ` in ${clip.name} at ${share}` : ''}`);
    }
  }
  return true;
}

async function main() {
  const [assetc, ...models] = process.argv.slice(2).map((f) => path.resolve(f));
  try {
    globalThis.self ??= globalThis;
    validator = require('gltf-validator');
    draco = await require('draco3dgltf').createDecoderModule();
    THREE = await import(pathToFileURL(require.resolve('three')).href.replace('three.cjs', 'three.module.js'));
    ({ GLTFLoader } = await import(pathToFileURL(require.resolve('three/examples/jsm/loaders/GLTFLoader.js')).href));
    ({ MeshoptDecoder } = await import(pathToFileURL(require.resolve('three/examples/jsm/libs/meshopt_decoder.module.js')).href));
  } catch (error) {
    console.log(`skipped: ${error.message}`);
    process.exit(SKIPPED);
  }
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assetc-optimize-'));
  const run = (...args) => spawnSync(assetc, args, { encoding: 'utf8', env: { ...process.env, ASSETC_CACHE: path.join(folder, 'store') } });
  let valid = 0, compared = 0, refused = 0;
  for (const model of models) {
    const name = path.basename(model), plain = path.join(folder, 'plain.glb');
    let is_broken = false;
    for (const [suffix, ...options] of VALIDATED) {
      const small = path.join(folder, `small${suffix}`), shown = `${name} ${options.join(' ')}`;
      const done = run('optimize', model, small, ...options);
      if ((is_broken = done.status === 1)) break;
      if (done.status !== 0) { fail(shown, `assetc ended with ${done.status ?? done.signal}: ${done.stderr}`); continue; }
      await validate(small, shown);
      ++valid;
    }
    if (is_broken) { ++refused; continue; }
    if (run('convert', model, plain).status !== 0) continue;
    for (const [has_names, ...options] of SHOWN) {
      const small = path.join(folder, 'small.glb'), shown = `${name} ${options.join(' ')}`;
      if (run('optimize', model, small, '--keep-pictures', ...options).status !== 0) continue;
      try {
        if (await compare(shown, plain, small, has_names)) ++compared;
      } catch (error) {
        fail(shown, error.stack);
      }
    }
  }
  fs.rmSync(folder, { recursive: true, force: true });
  console.log(`${valid} files without errors for Khronos' validator, ${compared} equal to their source in three.js, ${refused} broken models refused, ${faults} faults`);
  process.exit(faults === 0 && valid > 0 && compared > 0 ? 0 : 1);
}
main();
