// Geometry that HmeshLoader reads equals the geometry of the .glb that the command writes from the same file.
import assert from 'node:assert/strict';
import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
import { HmeshLoader } from '../index.js';
import { bufferOf, build, corpus, run, serve, skipCorpus, temporary } from '../../test/support.mjs';

const FLOAT = 1e-6;        // positions, texture coordinates: floats of the file
const NORMAL = 4e-4;       // 16-bit octahedral, and glTF writers that quantize
const MODELS = ['Fox.glb', 'BoxVertexColors.glb', 'suzanne_lods.gltf', 'CesiumMan', 'AnisotropyBarnLamp', 'SparseMorphTargets',
  'gltf_primitives.glb', 'FlightHelmet'];

/** The geometries that a .glb shows at full detail, in order. */
async function geometriesOf(glb) {
  const gltf = await new GLTFLoader().parseAsync(bufferOf(readFileSync(glb)), '');
  const meshes = [];
  gltf.scene.updateMatrixWorld(true);
  gltf.scene.traverse((object) => { if (object.isMesh) meshes.push(object); });
  return meshes;
}

/** The values of an attribute at the corners of a range of indices. */
function corners(geometry, name, from, count) {
  const attribute = geometry.getAttribute(name), index = geometry.getIndex(), out = [];
  for (let i = from; i < from + count; ++i)
    for (let c = 0; c < attribute.itemSize; ++c) out.push(attribute.getComponent(index.getX(i), c));
  return out;
}

function near(found, expected, tolerance, what) {
  assert.equal(found.length, expected.length, what);
  for (let i = 0; i < found.length; ++i) {
    const bound = tolerance * Math.max(1, Math.abs(expected[i]));
    if (!(Math.abs(found[i] - expected[i]) <= bound)) assert.fail(`${what}: value ${i} is ${found[i]}, expected ${expected[i]}`);
  }
}

test('geometry equals that of the converted glb', { skip: skipCorpus }, async (t) => {
  const folder = build(t, MODELS);
  const alone = temporary(t);
  let compared = 0;
  const files = readdirSync(join(folder, 'runtime'), { recursive: true }).filter((name) => name.endsWith('.hmesh'));
  for (const name of files) {
    // Without its materials the file needs no pictures, which Node.js cannot decode.
    const mesh = `${compared}-${basename(name)}`, glb = mesh.replace('.hmesh', '.glb');
    cpSync(join(folder, 'runtime', name), join(alone, mesh));
    run(alone, 'convert', mesh, glb);
    const { geometry, levels } = new HmeshLoader().parse(readFileSync(join(alone, mesh)), name);
    const expected = await geometriesOf(join(alone, glb));
    assert.equal(geometry.groups.length, expected.length, `${name}: submeshes`);
    geometry.groups.forEach(({ start, count }, s) => {
      const other = expected[s].geometry;
      assert.equal(count, other.getIndex().count, `${name}: indices of submesh ${s}`);
      near(corners(geometry, 'position', start, count), corners(other, 'position', 0, count), FLOAT, `${name} submesh ${s}: positions`);
      near(corners(geometry, 'normal', start, count), corners(other, 'normal', 0, count), NORMAL, `${name} submesh ${s}: normals`);
      for (const set of ['uv', 'color', 'skinIndex', 'skinWeight'])
        if (other.hasAttribute(set)) near(corners(geometry, set, start, count), corners(other, set, 0, count), 1e-5, `${name} submesh ${s}: ${set}`);
      assert.equal(other.morphAttributes.position?.length ?? 0, geometry.morphAttributes.position?.length ?? 0, `${name}: morph targets`);
    });
    for (const level of levels) assert.ok(level.getIndex().count > 0 && level.getIndex().count <= geometry.getIndex().count, name);
    ++compared;
  }
  assert.ok(compared >= 15, `${compared} meshes were compared`);
});

test('files load over HTTP, and a missing one is an error', { skip: skipCorpus }, async (t) => {
  const folder = build(t, ['Fox.glb']);
  const loader = new HmeshLoader().setPath(await serve(t, join(folder, 'runtime')));
  const [name] = readdirSync(join(folder, 'runtime'), { recursive: true }).filter((file) => file.endsWith('.hmesh'));
  const { geometry } = await loader.loadAsync(name);
  assert.equal(geometry.getIndex().count, 1728);
  await assert.rejects(loader.loadAsync('no.hmesh'), /404/);
});

test('encoded meshes equal the plain ones, with the decoders of three.js and of meshoptimizer', { skip: skipCorpus }, async (t) => {
  const { MeshoptDecoder } = await import('three/addons/libs/meshopt_decoder.module.js');
  const { MeshoptDecoder: other } = await import('meshoptimizer');
  const { ZSTDDecoder } = await import('three/addons/libs/zstddec.module.js');
  const folder = temporary(t);
  let compared = 0, smaller = 0;
  for (const model of ['Fox.glb', 'CesiumMan/CesiumMan.gltf', 'suzanne_lods.gltf', 'BoxVertexColors.glb', 'SparseMorphTargets/singleBlendshapeCube_sparse.glb'])
    for (const quantize of ['false', 'true'])
      for (const compress of ['meshopt', 'meshopt-zstd']) {
        run(folder, 'convert', join(corpus, 'models', model), 'small.hmesh', '--mesh.compress', compress, '--mesh.quantize', quantize);
        run(folder, 'convert', 'small.hmesh', 'plain.hmesh', '--mesh.compress', 'none');
        const small = readFileSync(join(folder, 'small.hmesh')), plain = readFileSync(join(folder, 'plain.hmesh'));
        const loader = new HmeshLoader();
        assert.throws(() => loader.parse(small, 'small.hmesh'), /call setMeshoptDecoder/);
        loader.setMeshoptDecoder(compared % 2 ? MeshoptDecoder : other);
        if (compress === 'meshopt-zstd') assert.throws(() => loader.parse(small, 'small.hmesh'), /call setZstdDecoder/);
        loader.setZstdDecoder(new ZSTDDecoder());
        await loader.readyDecoders();
        assert.deepEqual(loader.parse(small, 'small.hmesh').mesh, loader.parse(plain, 'small.hmesh').mesh, `${model} ${quantize} ${compress}`);
        smaller += small.length < plain.length;
        ++compared;
      }
  assert.equal(smaller, compared);
});
