// How far vertices move: compares files made of a model with the model.
//
//   node distance.mjs SOURCE=MADE[,MADE]...
//
// three.js (npm ci in tests/interop) places the vertices in the world, without clips. The distance of a vertex is that to
// the nearest vertex of the other file. Prints a Markdown table: the largest and the mean distance in both directions,
// in millionths of the diagonal of the model's box.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { readGltf } from './glb.mjs';

const require = createRequire(new URL('../../tests/interop/', import.meta.url));
globalThis.self ??= globalThis;
globalThis.ProgressEvent ??= class extends Event {};
const load = (name) => import(pathToFileURL(require.resolve(name).replace('three.cjs', 'three.module.js')).href);
const THREE = await load('three'), { GLTFLoader } = await load('three/examples/jsm/loaders/GLTFLoader.js');
const { MeshoptDecoder } = await load('meshoptimizer');

/** World positions of the vertices that triangles use, each once. */
async function vertices(file) {
  const { json, buffers } = readGltf(file), loader = new GLTFLoader();
  const whole = file.endsWith('.glb');
  for (const [at, buffer] of buffers.entries()) json.buffers[at].uri &&= `data:;base64,${buffer.toString('base64')}`;
  for (const part of ['images', 'textures', 'materials']) delete json[part];
  loader.setMeshoptDecoder(MeshoptDecoder);
  loader.setKTX2Loader({ load: (url, done) => done(new THREE.Texture()) });
  loader.register((parser) => ((parser.textureLoader = { load: (url, done) => done(new THREE.Texture()) }), { name: 'no_pictures' }));
  for (const { primitives } of json.meshes) for (const primitive of primitives) delete primitive.material;
  const bytes = whole ? readFileSync(file) : Buffer.from(JSON.stringify(json));
  const gltf = await loader.parseAsync(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length), '');
  gltf.scene.updateMatrixWorld(true);
  const seen = new Map(), point = new THREE.Vector3();
  gltf.scene.traverse((object) => {
    if (!object.isMesh) return;
    object.skeleton?.update();
    const { index, attributes } = object.geometry;
    for (const at of new Set(index ? index.array : attributes.position.array.keys())) {
      if (at >= attributes.position.count) break;
      const place = object.getVertexPosition(at, point).applyMatrix4(object.matrixWorld).toArray();
      seen.set(place.map(Math.fround).join(), place);
    }
  });
  return [...seen.values()];
}

/** Distances of points of a to the nearest of b, which is at most limit away: the largest, the sum, and how many have none. */
function distances(a, b, limit) {
  const cell = (v) => Math.floor(v / limit), grid = new Map();
  for (const p of b) {
    const key = p.map(cell).join();
    if (!grid.has(key)) grid.set(key, []);
    grid.get(key).push(p);
  }
  let largest = 0, sum = 0, lost = 0;
  for (const p of a) {
    const [x, y, z] = p.map(cell);
    let best = Infinity;
    for (let i = -1; i < 2; ++i) for (let j = -1; j < 2; ++j) for (let k = -1; k < 2; ++k) {
      for (const q of grid.get(`${x + i},${y + j},${z + k}`) ?? []) {
        best = Math.min(best, Math.hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]));
      }
    }
    if (best > limit) ++lost;
    else [largest, sum] = [Math.max(largest, best), sum + best];
  }
  return { largest, sum, lost };
}

console.log('| model | file | vertices | largest | mean | farther than 1 ‰ |\n|---|---|---|---|---|---|');
for (const pair of process.argv.slice(2)) {
  const [source, made] = pair.split('='), before = await vertices(resolve(source));
  const box = new THREE.Box3().setFromPoints(before.map((p) => new THREE.Vector3(...p))), size = box.getSize(new THREE.Vector3()).length();
  for (const file of made.split(',')) {
    const after = await vertices(resolve(file)), limit = 1e-3 * size;
    const there = distances(before, after, limit), back = distances(after, before, limit);
    const largest = Math.max(there.largest, back.largest) / size, mean = (there.sum + back.sum) / (before.length + after.length) / size;
    const numbers = [after.length, (1e6 * largest).toFixed(1), (1e6 * mean).toFixed(1), there.lost + back.lost];
    console.log(`| ${[basename(source), basename(file), ...numbers].join(' | ')} |`);
  }
}
