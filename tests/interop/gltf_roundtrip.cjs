// Checks with other readers a .glb that was converted from a compiled mesh: samplers, the skin that the mesh uses, and
// joints below several roots.
//
//   node gltf_roundtrip.cjs ASSETC       exits 1 on a difference, 77 (skipped) when node_modules is absent
//
// Khronos' validator must find nothing wrong with the files. In three.js they must have the samplers of the source, and
// every vertex must move as in the source.
'use strict';
const fs = require('fs');
const os = require('os');
const path = require('path');
const { pathToFileURL } = require('url');
const { spawnSync } = require('child_process');
const { writeGlb } = require('./glb_file.cjs');
const { writePng } = require('./png.cjs');

const SKIPPED = 77;
const TIMES = [0, 0.4, 1];
const TOLERANCE = 1e-4;  // the precision of 16-bit weights

let validator, THREE, GLTFLoader, faults = 0;
function fail(file, why) {
  console.log(`${file}: ${why}`);
  ++faults;
}

// Two joints below one armature, which is not a joint, so both joints are roots. A skin that no node uses comes first.
// Three textures: one with nearest filters, one that is mirrored and has no filters, one without a sampler.
function writeSource(file) {
  const parts = [], views = [], accessors = [];
  let size = 0;
  const view = (bytes) => {
    const padded = Buffer.concat([bytes, Buffer.alloc(-bytes.length & 3)]);
    views.push({ buffer: 0, byteOffset: size, byteLength: bytes.length });
    parts.push(padded);
    size += padded.length;
    return views.length - 1;
  };
  const floats = (values, type, width, bounds) => {
    const array = Float32Array.from(values), accessor = { bufferView: view(Buffer.from(array.buffer)), componentType: 5126, count: values.length / width, type };
    if (bounds) {
      accessor.min = Array.from({ length: width }, (_, c) => Math.min(...values.filter((_, i) => i % width === c)));
      accessor.max = Array.from({ length: width }, (_, c) => Math.max(...values.filter((_, i) => i % width === c)));
    }
    return accessors.push(accessor) - 1;
  };
  const joints = view(Buffer.from([0, 1, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0]));
  const attributes = {
    POSITION: floats([0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0], 'VEC3', 3, true),
    NORMAL: floats([0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1], 'VEC3', 3),
    TEXCOORD_0: floats([0, 1, 1, 1, 1, 0, 0, 0], 'VEC2', 2),
    TANGENT: floats([1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1], 'VEC4', 4),
    JOINTS_0: accessors.push({ bufferView: joints, componentType: 5121, count: 4, type: 'VEC4' }) - 1,
    WEIGHTS_0: floats([0.5, 0.5, 0, 0, 1, 0, 0, 0, 0.25, 0.75, 0, 0, 1, 0, 0, 0], 'VEC4', 4),
  };
  const indices = accessors.push({ bufferView: view(Buffer.from(Uint16Array.from([0, 1, 2, 0, 2, 3]).buffer)), componentType: 5123, count: 6, type: 'SCALAR' }) - 1;
  const bind = floats([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, -1, -2, 0, 1], 'MAT4', 16);
  const times = floats([0, 1], 'SCALAR', 1, true);
  const turns = floats([0, 0, 0, 1, 0, 0, 0.6, 0.8], 'VEC4', 4), moves = floats([1, 2, 0, 3, 2, 1], 'VEC3', 3);
  const images = [[255, 0, 0], [128, 128, 255], [0, 0, 255]].map((c, i) => ({ name: `picture ${i}`, mimeType: 'image/png', bufferView: view(writePng(4, 4, () => [...c, 255])) }));
  const json = {
    asset: { version: '2.0' }, scene: 0, scenes: [{ nodes: [0, 1] }],
    nodes: [{ name: 'body', mesh: 0, skin: 1 }, { name: 'armature', translation: [0, 0, 2], children: [2, 3, 4] }, { name: 'left' },
      { name: 'right', translation: [1, 2, 0] }, { name: 'other' }],
    skins: [{ joints: [4] }, { joints: [2, 3], inverseBindMatrices: bind }],
    meshes: [{ primitives: [{ attributes, indices, material: 0 }] }],
    materials: [{ name: 'paper', pbrMetallicRoughness: { baseColorTexture: { index: 0 } }, normalTexture: { index: 1 }, emissiveTexture: { index: 2 }, emissiveFactor: [1, 1, 1] }],
    samplers: [{ wrapS: 33071, wrapT: 33648, magFilter: 9728, minFilter: 9984 }, { wrapS: 33648 }],
    textures: [{ source: 0, sampler: 0 }, { source: 1, sampler: 1 }, { source: 2 }], images,
    animations: [{ name: 'wave', channels: [{ sampler: 0, target: { node: 2, path: 'rotation' } }, { sampler: 1, target: { node: 3, path: 'translation' } }],
      samplers: [{ input: times, output: turns }, { input: times, output: moves }] }],
    buffers: [{ byteLength: size }], bufferViews: views, accessors,
  };
  writeGlb(file, json, Buffer.concat(parts));
}

async function validate(file) {
  const report = await validator.validateBytes(new Uint8Array(fs.readFileSync(file)), { maxIssues: 0 });
  for (const m of report.issues.messages.filter((issue) => issue.severity < 2)) fail(path.basename(file), `${m.code} at ${m.pointer}: ${m.message}`);
}

// Loads a file in three.js without its pictures, which need a browser.
async function load(file) {
  const bytes = fs.readFileSync(file), loader = new GLTFLoader();
  loader.register((parser) => {
    parser.textureLoader = { load: (url, done) => done(new THREE.Texture()) };
    return { name: 'no_pictures' };
  });
  const gltf = await loader.parseAsync(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength), '');
  let mesh;
  gltf.scene.traverse((object) => { mesh = object.isSkinnedMesh ? object : mesh; });
  const { map, normalMap, emissiveMap } = mesh.material;
  const samplers = [map, normalMap, emissiveMap].map((t) => [t.wrapS, t.wrapT, t.magFilter, t.minFilter]);
  const mixer = new THREE.AnimationMixer(gltf.scene);
  mixer.clipAction(gltf.animations[0]).play();
  // By position in the rest pose, because the compiler reorders vertices.
  const moved = TIMES.map((time) => {
    mixer.setTime(time === 1 ? 1 - 1e-6 : time);
    gltf.scene.updateMatrixWorld(true);
    mesh.skeleton.update();
    const at = new Map(), position = mesh.geometry.attributes.position;
    for (let i = 0; i < position.count; ++i) {
      const p = new THREE.Vector3().fromBufferAttribute(position, i), key = p.toArray().join(' ');
      at.set(key, mesh.applyBoneTransform(i, p).applyMatrix4(mesh.matrixWorld).toArray());
    }
    return at;
  });
  return { samplers, moved, bones: mesh.skeleton.bones.map((bone) => bone.name) };
}

function compare(name, source, back) {
  if (JSON.stringify(source.samplers) !== JSON.stringify(back.samplers)) fail(name, `samplers are ${JSON.stringify(back.samplers)}, expected ${JSON.stringify(source.samplers)}`);
  if (source.bones.join() !== back.bones.join()) fail(name, `bones are ${back.bones}, expected ${source.bones}`);
  source.moved.forEach((at, t) => {
    for (const [key, expected] of at) {
      const got = back.moved[t].get(key);
      if (!got) fail(name, `the vertex at ${key} is lost`);
      else if (expected.some((v, c) => Math.abs(v - got[c]) > TOLERANCE)) fail(name, `at ${TIMES[t]} s the vertex at ${key} is at ${got}, expected ${expected}`);
    }
  });
}

async function main() {
  const assetc = path.resolve(process.argv[2] ?? '');
  try {
    globalThis.self ??= globalThis;
    validator = require('gltf-validator');
    THREE = await import(pathToFileURL(require.resolve('three')).href.replace('three.cjs', 'three.module.js'));
    ({ GLTFLoader } = await import(pathToFileURL(require.resolve('three/examples/jsm/loaders/GLTFLoader.js')).href));
  } catch (error) {
    console.log(`skipped: ${error.message}`);
    process.exit(SKIPPED);
  }
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assetc-roundtrip-'));
  const run = (...args) => {
    const done = spawnSync(assetc, args, { cwd: folder, encoding: 'utf8' });
    if (done.status !== 0) throw new Error(`assetc ${args.join(' ')}: ${done.stderr}`);
  };
  fs.mkdirSync(path.join(folder, 'assets'));
  const source = path.join(folder, 'assets/card.glb');
  writeSource(source);
  await validate(source);
  const expected = await load(source);
  const seen = expected.samplers[0].join(), wanted = [THREE.ClampToEdgeWrapping, THREE.MirroredRepeatWrapping, THREE.NearestFilter, THREE.NearestMipmapNearestFilter].join();
  if (seen !== wanted) fail('card.glb', `three.js reads the sampler as ${seen}, expected ${wanted}`);
  let files = 1;
  const check = async (name) => {
    await validate(path.join(folder, name));
    compare(name, expected, await load(path.join(folder, name)));
    ++files;
  };
  run('convert', 'assets/card.glb', 'straight.glb');
  await check('straight.glb');
  for (const [container, suffix] of [['hmesh', '.hmesh'], ['galileo', '.gali']]) {
    fs.writeFileSync(path.join(folder, 'assetc.yml'), `default: {mesh: {container: ${container}}}\n`);
    run('-q');
    run('convert', `runtime/card${suffix}`, `${container}.glb`);
    await check(`${container}.glb`);
  }
  fs.rmSync(folder, { recursive: true, force: true });
  console.log(`${files} files read by three.js and Khronos' validator, ${faults} faults`);
  process.exit(faults === 0 ? 0 : 1);
}
main();
