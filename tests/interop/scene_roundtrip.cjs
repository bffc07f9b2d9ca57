// Builds a glTF that has everything a scene can hold, converts the .hscene back to .glb, and compares values with the
// source: in three.js, and by plain reading of JSON and accessors for what three.js does not show.
//
//   node scene_roundtrip.cjs ASSETC      exits 1 on a difference, 77 (skipped) when node_modules is absent
//
// Khronos' validator must find no error in either file. A cooked model of the same source must have as many parts.
'use strict';
const fs = require('fs');
const os = require('os');
const path = require('path');
const { pathToFileURL } = require('url');
const { spawnSync } = require('child_process');
const { readGlb } = require('./glb_file.cjs');
const { validate, writeSource } = require('./scene_source.cjs');

const SKIPPED = 77;
const TIMES = [0, 0.2, 0.5, 0.7, 0.99];
const FLOAT = 2e-6;      // relative: values that pass through a float, or through a matrix that is decomposed
const ERROR = 2e-4;      // meters: animation.error
const NORMAL = 4e-4;     // 16-bit octahedral
const STEP = 1 / 32767;  // of a morph target, for offsets up to 1
const WEIGHT = 1 / 2048;  // of a morph target in a clip
const COLOR = 1e-7;      // a fraction as a float

let THREE, GLTFLoader, faults = 0, compared = 0;
function fail(what, found, expected) {
  console.log(`${what}: found ${JSON.stringify(found)}, expected ${JSON.stringify(expected)}`);
  ++faults;
}

// Compares values of JSON. Numbers may differ by a tolerance, relative to those above 1.
function same(what, found, expected, tolerance = FLOAT) {
  const equal = (a, b) => {
    if (typeof a === 'number' && typeof b === 'number') return Math.abs(a - b) <= tolerance * Math.max(1, Math.abs(b));
    if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((v, i) => equal(v, b[i]));
    if (a === null || b === null || typeof a !== 'object' || typeof b !== 'object' || Array.isArray(a) !== Array.isArray(b)) return a === b;
    const keys = Object.keys(a).sort();
    return keys.join('\n') === Object.keys(b).sort().join('\n') && keys.every((key) => equal(a[key], b[key]));
  };
  ++compared;
  if (!equal(found, expected)) fail(what, found, expected);
}

const SIZES = { 5120: 1, 5121: 1, 5122: 2, 5123: 2, 5125: 4, 5126: 4 };
const WIDTHS = { SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4, MAT4: 16 };

// The values of an accessor as rows; of integers that are normalized, as fractions.
function rows({ json, binary }, index) {
  const a = json.accessors[index], width = WIDTHS[a.type], bytes = SIZES[a.componentType];
  const read = (at) => ({ 5120: () => binary.readInt8(at), 5121: () => binary.readUInt8(at), 5122: () => binary.readInt16LE(at),
    5123: () => binary.readUInt16LE(at), 5125: () => binary.readUInt32LE(at), 5126: () => binary.readFloatLE(at) })[a.componentType]();
  const scale = a.normalized ? { 5120: 127, 5121: 255, 5122: 32767, 5123: 65535 }[a.componentType] : 1;
  const row = (start) => Array.from({ length: width }, (_, c) => read(start + c * bytes) / scale);
  const out = Array.from({ length: a.count }, () => Array(width).fill(0));
  if (a.bufferView !== undefined) {
    const view = json.bufferViews[a.bufferView], start = (view.byteOffset ?? 0) + (a.byteOffset ?? 0);
    for (let i = 0; i < a.count; ++i) out[i] = row(start + i * (view.byteStride ?? width * bytes));
  }
  if (a.sparse) {
    const { indices, values, count } = a.sparse, from = json.bufferViews[values.bufferView].byteOffset ?? 0;
    const numbers = rows({ json: { accessors: [{ ...indices, count, type: 'SCALAR' }], bufferViews: json.bufferViews }, binary }, 0);
    for (let i = 0; i < count; ++i) out[numbers[i][0]] = row(from + (values.byteOffset ?? 0) + i * width * bytes);
  }
  return out;
}

const byName = (items) => new Map((items ?? []).map((item) => [item.name, item]));
const without = (object, ...keys) => Object.fromEntries(Object.entries(object ?? {}).filter(([key]) => !keys.includes(key)));

// Names instead of numbers, which differ between the files.
function named({ json }) {
  const { nodes, meshes, skins, cameras, materials, extensions } = json;
  const lights = extensions.KHR_lights_punctual.lights, variants = extensions.KHR_materials_variants.variants;
  const of = (items, i) => (i === undefined ? null : items[i].name);
  const parents = new Map();
  nodes.forEach((node) => (node.children ?? []).forEach((child) => parents.set(child, node.name)));
  return {
    scene: { name: json.scenes[json.scene].name, extras: json.scenes[json.scene].extras, roots: json.scenes[json.scene].nodes.map((n) => nodes[n].name).sort() },
    asset: without(json.asset, 'version', 'generator', 'minVersion'),
    extras: json.extras, unknown: extensions.ACME_document,
    nodes: new Map(nodes.map((node, i) => [node.name, {
      parent: parents.get(i) ?? null, mesh: of(meshes, node.mesh), skin: of(skins, node.skin), camera: of(cameras, node.camera),
      light: of(lights, node.extensions?.KHR_lights_punctual?.light), visible: node.extensions?.KHR_node_visibility?.visible ?? true,
      unknown: node.extensions?.ACME_thing ?? null, extras: node.extras ?? null, weights: node.weights ?? null,
      matrix: matrixOf(node),
    }])),
    cameras: byName(cameras), lights: byName(lights), variants: variants.map((v) => v.name),
    materials: byName(materials.map((m) => ({ ...m, ...texturesOf(json, m) }))),
    skins: byName(skins.map((skin) => ({ name: skin.name, extras: skin.extras, joints: skin.joints.map((j) => nodes[j].name) }))),
    meshes: byName(meshes.map((mesh) => ({ name: mesh.name, extras: mesh.extras ?? null, weights: mesh.weights ?? null,
      primitives: mesh.primitives.map((p) => ({ material: of(materials, p.material), extras: p.extras ?? null, unknown: p.extensions?.ACME_thing ?? null,
        variants: (p.extensions?.KHR_materials_variants?.mappings ?? []).flatMap((m) => m.variants.map((v) => `${variants[v].name}: ${materials[m.material].name}`)).sort() })) }))),
  };
}
function matrixOf(node) {
  if (node.matrix) return node.matrix;
  const m = new THREE.Matrix4();
  return m.compose(new THREE.Vector3(...(node.translation ?? [0, 0, 0])), new THREE.Quaternion(...(node.rotation ?? [0, 0, 0, 1])), new THREE.Vector3(...(node.scale ?? [1, 1, 1]))).elements;
}

// A material with the values of its samplers in place of the numbers of its textures, and with defaults filled in.
function texturesOf(json, material) {
  const info = (t) => {
    if (t === undefined) return undefined;
    const texture = json.textures[t.index], sampler = without(json.samplers[texture.sampler], 'name');
    const transform = { offset: [0, 0], rotation: 0, scale: [1, 1], ...t.extensions?.KHR_texture_transform };
    return { ...without(t, 'index', 'extensions'), texCoord: transform.texCoord ?? t.texCoord ?? 0, sampler: { wrapS: 10497, wrapT: 10497, ...sampler }, transform: without(transform, 'texCoord') };
  };
  const all = (object) => Object.fromEntries(Object.entries(object).map(([key, value]) => [key, key.endsWith('Texture') ? info(value)
    : value !== null && typeof value === 'object' && !Array.isArray(value) && key !== 'extras' ? all(value) : value]));
  const out = all(material);
  out.pbrMetallicRoughness = { baseColorFactor: [1, 1, 1, 1], metallicFactor: 1, roughnessFactor: 1, ...out.pbrMetallicRoughness };
  return out;
}

function compareJson(source, back) {
  const expected = named(source), found = named(back);
  for (const key of ['scene', 'asset', 'extras', 'unknown', 'variants']) same(key, found[key], expected[key]);
  for (const key of ['nodes', 'cameras', 'lights', 'materials', 'skins', 'meshes']) {
    same(`names of ${key}`, [...found[key].keys()].sort(), [...expected[key].keys()].sort());
    for (const [name, value] of expected[key]) if (found[key].has(name)) same(`${key} ${name}`, found[key].get(name), value);
  }
}

// The triangles, lines or points of a primitive as positions. Strips and loops are lists of lines.
function elements(file, primitive) {
  const positions = rows(file, primitive.attributes.POSITION), mode = primitive.mode ?? 4;
  const list = primitive.indices === undefined ? positions.map((_, i) => i) : rows(file, primitive.indices).map(([i]) => i);
  const pairs = () => list.slice(1).map((to, i) => [list[i], to]);
  const groups = mode === 3 ? pairs() : mode === 2 ? [...pairs(), [list.at(-1), list[0]]]
    : Array.from({ length: list.length / ([1, 2, 0, 0, 3][mode]) }, (_, i) => list.slice(i * [1, 2, 0, 0, 3][mode], (i + 1) * [1, 2, 0, 0, 3][mode]));
  return groups.map((group) => group.map((i) => positions[i].join(' ')).join(', '));
}

// Attributes of each vertex. Positions name the vertices, because the compiler reorders them.
function compareVertices(source, back) {
  const names = byName(back.json.meshes);
  for (const mesh of source.json.meshes) {
    const made = names.get(mesh.name);
    mesh.primitives.forEach((primitive, p) => {
      const where = `${mesh.name} ${p}`, other = made?.primitives[p];
      if (!other) return fail(where, undefined, 'a primitive');
      // Points and lines keep their order. Triangles may be ordered and turned.
      if ((primitive.mode ?? 4) !== 4) same(`elements of ${where}`, elements(back, other), elements(source, primitive));
      same(`mode of ${where}`, other.mode ?? 4, [0, 1, 1, 1, 4][primitive.mode ?? 4]);
      // All parts of a mesh have the same attributes; those that a part has not in the source are white or 0.
      const added = Object.keys(other.attributes).filter((a) => a !== 'TANGENT' && primitive.attributes[a] === undefined);
      for (const name of added) {
        const neutral = name.startsWith('COLOR_') ? 1 : 0;
        same(`added ${name} of ${where}`, rows(back, other.attributes[name]).flat().every((v) => v === neutral), true);
      }
      for (const name of Object.keys(primitive.attributes)) same(`${name} of ${where}`, other.attributes[name] !== undefined, true);
      same(`targets of ${where}`, (other.targets ?? []).map((t) => Object.keys(t).sort()), (primitive.targets ?? []).map((t) => Object.keys(t).sort()));
      const at = new Map(rows(back, other.attributes.POSITION).map((position, i) => [position.join(' '), i]));
      const keys = rows(source, primitive.attributes.POSITION).map((position) => position.join(' '));
      const column = (what, from, to, tolerance) => {
        if (to === undefined) return;
        const expected = rows(source, from), found = rows(back, to);
        keys.forEach((key, i) => {
          if (!at.has(key)) fail(`${where} at ${key}`, undefined, 'a vertex');
          else same(`${what} of ${where} at ${key}`, found[at.get(key)], expected[i], tolerance);
        });
      };
      for (const [name, accessor] of Object.entries(primitive.attributes)) {
        if (name.startsWith('JOINTS_') || name.startsWith('WEIGHTS_')) continue;
        column(name, accessor, other.attributes[name], name === 'NORMAL' ? NORMAL : name.startsWith('COLOR_') ? COLOR : 0);
      }
      (primitive.targets ?? []).forEach((target, t) => Object.entries(target).forEach(([name, accessor]) => column(`target ${t} ${name}`, accessor, other.targets?.[t]?.[name], STEP)));
      const weights = (file, attributes, i) => {
        const sum = {};
        for (let set = 0; attributes[`JOINTS_${set}`] !== undefined; ++set) {
          const joints = rows(file, attributes[`JOINTS_${set}`])[i];
          rows(file, attributes[`WEIGHTS_${set}`])[i].forEach((w, k) => { if (w !== 0) sum[joints[k]] = (sum[joints[k]] ?? 0) + w; });
        }
        return sum;
      };
      if (primitive.attributes.JOINTS_0 === undefined) return;
      keys.forEach((key, i) => same(`weights of ${where} at ${key}`, weights(back, other.attributes, at.get(key)), weights(source, primitive.attributes, i), 2e-5));
    });
  }
}

// Keys of the channels that three.js does not play: what they move, by name, and where they are at TIMES.
function pointerChannels(file) {
  const { json } = file, out = new Map();
  const of = { nodes: json.nodes, cameras: json.cameras, lights: json.extensions.KHR_lights_punctual.lights };
  for (const clip of json.animations) {
    for (const channel of clip.channels) {
      const pointer = channel.target.extensions?.KHR_animation_pointer?.pointer;
      if (pointer === undefined) continue;
      const [, array, number, property] = pointer.match(/(nodes|cameras|lights)\/(\d+)\/(.*)$/);
      const sampler = clip.samplers[channel.sampler], times = rows(file, sampler.input).map(([t]) => t), values = rows(file, sampler.output);
      const at = (time) => {
        const k = Math.max(0, times.findLastIndex((t) => t <= time)), next = Math.min(k + 1, times.length - 1);
        const part = sampler.interpolation === 'STEP' || next === k ? 0 : Math.max(0, (time - times[k]) / (times[next] - times[k]));
        return values[k].map((v, c) => v + part * (values[next][c] - v));
      };
      out.set(`${clip.name}: ${array} ${of[array][number].name} ${property}`, TIMES.map(at));
    }
  }
  return out;
}

function compareClips(source, back) {
  const found = pointerChannels(back), expected = pointerChannels(source);
  same('properties that clips move', [...found.keys()].sort(), [...expected.keys()].sort());
  // Properties of cameras and lights are within 1/4096 of their range in the clip.
  for (const [key, values] of expected) {
    const all = values.flat(), range = Math.max(...all) - Math.min(...all);
    if (found.has(key)) values.forEach((row, i) => row.forEach((v, c) => same(`${key} at ${TIMES[i]} s`, Math.abs(found.get(key)[i][c] - v) <= range / 2048 + FLOAT, true)));
  }
  const clips = byName(back.json.animations);
  same('clips', [...clips.keys()], source.json.animations.map((a) => a.name));
  for (const clip of source.json.animations) {
    same(`extras of clip ${clip.name}`, clips.get(clip.name)?.extras, clip.extras);
    const targets = (file, a) => (a?.channels ?? []).filter((c) => c.target.node !== undefined).map((c) => `${file.json.nodes[c.target.node].name} ${c.target.path}`).sort();
    same(`targets of clip ${clip.name}`, targets(back, clips.get(clip.name)), targets(source, clip));
    const step = (a) => a?.samplers.filter((s) => s.interpolation === 'STEP').length;
    same(`steps of clip ${clip.name}`, step(clips.get(clip.name)), step(clip));
  }
}

// The influences of each vertex of the skinned meshes: three.js applies only four.
function influences(file) {
  const out = new Map();
  for (const mesh of file.json.meshes) {
    for (const { attributes } of mesh.primitives) {
      if (attributes.JOINTS_0 === undefined) continue;
      const sets = [0, 1].filter((set) => attributes[`JOINTS_${set}`] !== undefined).map((set) => [rows(file, attributes[`JOINTS_${set}`]), rows(file, attributes[`WEIGHTS_${set}`])]);
      rows(file, attributes.POSITION).forEach((p, i) => out.set(p.join(' '), sets.flatMap(([joints, weights]) => joints[i].map((joint, k) => [joint, weights[i][k]]))));
    }
  }
  return out;
}
function skinned(mesh, list, point, p) {
  const sum = new THREE.Vector3(), q = new THREE.Vector3();
  const { bones, boneInverses } = mesh.skeleton;
  for (const [joint, weight] of list) sum.addScaledVector(q.copy(p.fromArray(point)).applyMatrix4(boneInverses[joint]).applyMatrix4(bones[joint].matrixWorld), weight);
  return sum.toArray();
}

// What three.js shows: objects by name with their places, and where each vertex is in each clip.
async function load(file) {
  const of = influences(readGlb(file));
  const bytes = fs.readFileSync(file), loader = new GLTFLoader();
  loader.register((parser) => {
    parser.textureLoader = { load: (url, done) => done(new THREE.Texture()) };
    return { name: 'no_pictures' };
  });
  const gltf = await loader.parseAsync(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength), '');
  const objects = new Map(), meshes = [];
  gltf.scene.traverse((object) => {
    if (object.isMesh || object.isLine || object.isPoints) meshes.push(object);
    if (object.userData.name ?? object.name) objects.set(object.userData.name ?? object.name, object);
  });
  const mixer = new THREE.AnimationMixer(gltf.scene), p = new THREE.Vector3();
  const state = () => {
    gltf.scene.updateMatrixWorld(true);
    const vertices = new Map();
    meshes.forEach((mesh) => {
      const { position } = mesh.geometry.attributes;
      for (let i = 0; i < position.count; ++i) {
        const point = [position.getX(i), position.getY(i), position.getZ(i)];
        vertices.set(`${mesh.name} ${point.join(' ')}`, mesh.isSkinnedMesh ? skinned(mesh, of.get(point.join(' ')), point, p)
          : THREE.Mesh.prototype.getVertexPosition.call(mesh, i, p).applyMatrix4(mesh.matrixWorld).toArray());
      }
    });
    const places = new Map([...objects].map(([name, object]) => [name, p.setFromMatrixPosition(object.matrixWorld).toArray()]));
    const weights = new Map(meshes.filter((mesh) => mesh.morphTargetInfluences).map((mesh) => [mesh.name, [...mesh.morphTargetInfluences]]));
    return { vertices, places, weights };
  };
  const states = new Map([['rest', state()]]);
  for (const clip of gltf.animations) {
    const action = mixer.clipAction(clip).play();
    for (const time of TIMES) {
      mixer.setTime(time);
      states.set(`${clip.name} at ${time} s`, state());
    }
    action.stop();
  }
  const shown = {};
  for (const [name, o] of objects) {
    shown[name] = o.isPerspectiveCamera ? [o.type, o.fov, o.aspect, o.near, o.far] : o.isOrthographicCamera ? [o.type, o.left, o.right, o.top, o.bottom, o.near, o.far]
      : o.isLight ? [o.type, o.color.toArray(), o.intensity, o.distance ?? 0, o.angle ?? 0, o.penumbra ?? 0]
        : o.isMesh || o.isLine || o.isPoints ? [o.isLine ? 'Line' : o.type, Object.keys(o.morphTargetDictionary ?? {}), o.material.name, o.material.type, o.material.map?.channel ?? null, o.material.clearcoat ?? null] : [o.type];
  }
  return { states, shown };
}

function compareShown(source, back) {
  same('objects in three.js', Object.keys(back.shown).sort(), Object.keys(source.shown).sort());
  for (const [name, value] of Object.entries(source.shown)) same(`${name} in three.js`, back.shown[name], value, 1e-5);
  same('states', [...back.states.keys()], [...source.states.keys()]);
  for (const [when, expected] of source.states) {
    const found = back.states.get(when), tolerance = when === 'rest' ? 1e-5 : ERROR;
    for (const [part, bound] of [['places', tolerance], ['weights', when === 'rest' ? 1e-5 : WEIGHT], ['vertices', tolerance + STEP + (when === 'rest' ? 0 : WEIGHT)]]) {
      same(`${part}, ${when}`, [...found[part].keys()].sort(), [...expected[part].keys()].sort());
      for (const [key, value] of expected[part]) same(`${part} of ${key}, ${when}`, found[part].get(key), value, bound);
    }
  }
}

// The cooked parts of the source, as `assetc info` counts them.
function checkCook(folder, source, assetc) {
  const run = (...args) => {
    const done = spawnSync(assetc, args, { cwd: folder, encoding: 'utf8', env: { ...process.env, ASSETC_CACHE: 'off' } });
    if (done.status !== 0) fail(`assetc ${args.join(' ')}`, done.stdout + done.stderr, 'no error');
    return done.stdout;
  };
  fs.mkdirSync(path.join(folder, 'Assets'), { recursive: true });
  fs.copyFileSync(source, path.join(folder, 'Assets/yard.glb'));
  fs.writeFileSync(path.join(folder, 'assetc.yml'), 'platforms: {Linux: {}}\ndefault: {mesh: {attributes: all}}\n');
  run('cook', '-q', '--platform', 'Linux');
  const assets = path.join(folder, 'build/Cooked/Linux/Assets'), kinds = {};
  let model = '';
  for (const file of fs.readdirSync(assets)) {
    const [, kind, rest] = run('info', path.join(assets, file)).match(/ (\w+): (.*)/s);
    kinds[kind] = (kinds[kind] ?? 0) + 1;
    if (kind === 'Model') model = rest.trim();
  }
  const { json } = readGlb(source);
  same('cooked parts', kinds, { Animation: json.animations.length, Material: json.materials.length, Mesh: json.meshes.length, Model: 1, Skeleton: json.skins.length, Texture2D: json.images.length });
  same('cooked model', model, `NodeCount ${json.nodes.length}, CameraCount ${json.cameras.length}, LightCount ${json.extensions.KHR_lights_punctual.lights.length}, Variants ["day","night"]`);
}

async function main() {
  const assetc = path.resolve(process.argv[2] ?? '');
  try {
    globalThis.self ??= globalThis;
    require('gltf-validator');
    THREE = await import(pathToFileURL(require.resolve('three')).href.replace('three.cjs', 'three.module.js'));
    ({ GLTFLoader } = await import(pathToFileURL(require.resolve('three/examples/jsm/loaders/GLTFLoader.js')).href));
  } catch (error) {
    console.log(`skipped: ${error.message}`);
    process.exit(SKIPPED);
  }
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assetc-scene-'));
  const run = (...args) => {
    const done = spawnSync(assetc, args, { cwd: folder, encoding: 'utf8', env: { ...process.env, ASSETC_CACHE: 'off' } });
    if (done.status !== 0) throw new Error(`assetc ${args.join(' ')}: ${done.stdout}${done.stderr}`);
    return done.stdout + done.stderr;
  };
  fs.mkdirSync(path.join(folder, 'assets'));
  const source = path.join(folder, 'assets/yard.glb'), back = path.join(folder, 'back.glb');
  writeSource(source);
  fs.writeFileSync(path.join(folder, 'assetc.yml'), `default: {mesh: {scene: true, attributes: all, lods: 0}, animation: {error: ${ERROR}, radius: 1}}\n`);
  const said = run('build', '-q');
  if (said !== '') fail('the build', said, 'no warning');
  run('check', 'runtime');
  run('convert', 'runtime/yard.hscene', 'back.glb');
  for (const file of [source, back]) for (const issue of await validate(file)) fail(path.basename(file), issue, 'no error');
  const files = [readGlb(source), readGlb(back)];
  compareJson(...files);
  compareVertices(...files);
  compareClips(...files);
  compareShown(await load(source), await load(back));
  checkCook(path.join(folder, 'cook'), source, assetc);
  fs.rmSync(folder, { recursive: true, force: true });
  console.log(`${compared} values compared, ${faults} faults`);
  process.exit(faults === 0 ? 0 : 1);
}
main();
