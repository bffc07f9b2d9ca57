// Scenes that HsceneLoader reads equal, in three.js, the .glb that the command writes from the same file.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';
import { AnimationMixer, Group, Matrix4, Mesh, SkinnedMesh, Texture, Vector3 } from 'three';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
import { buildClips, HmeshLoader, HsceneLoader, parseHanim } from '../index.js';
import { bufferOf, build, run, serve, skip, skipCorpus, temporary } from '../../test/support.mjs';

const { writeSource } = createRequire(import.meta.url)('../../../tests/interop/scene_source.cjs');
const ERROR = 4e-4;  // meters: twice the error that the build allows clips
const TIMES = [0, 0.2, 0.5, 0.7, 0.99];

/** Loads a .glb without its pictures, which Node.js cannot decode. */
async function loadGlb(path) {
  const loader = new GLTFLoader().register(() => ({ name: 'no pictures', loadTexture: () => Promise.resolve(new Texture()) }));
  return loader.parseAsync(bufferOf(readFileSync(path)), '');
}

/** What is drawn: for each node in order, and there for each kind, the object and a range of its indices. */
function draws(scene, nodeOf) {
  const order = new Map(), list = [];
  scene.traverse((object) => order.set(object, order.size));
  scene.traverse((object) => {
    if (!object.isMesh && !object.isLine && !object.isPoints) return;
    const kind = object.isMesh ? 0 : object.isLine ? 1 : 2, geometry = object.geometry, whole = geometry.getIndex()?.count ?? geometry.attributes.position.count;
    const ranges = geometry.groups.length > 0 ? geometry.groups : [{ start: 0, count: whole, materialIndex: 0 }];
    for (const { start, count, materialIndex } of ranges)
      list.push({ object, kind, start, count, node: order.get(nodeOf(object)), material: Array.isArray(object.material) ? object.material[materialIndex] : object.material });
  });
  return list.map((draw, i) => ({ draw, i })).sort((a, b) => a.draw.node - b.draw.node || a.draw.kind - b.draw.kind || a.i - b.i).map(({ draw }) => draw);
}

/** The places in the world of the corners that a draw shows. */
function places({ object, start, count }) {
  const index = object.geometry.getIndex(), at = new Vector3(), out = [];
  for (let i = start; i < start + count; ++i) {
    (object.getVertexPosition ?? Mesh.prototype.getVertexPosition).call(object, index ? index.getX(i) : i, at).applyMatrix4(object.matrixWorld);
    out.push(at.x, at.y, at.z);
  }
  return out;
}

function comparePlaces(found, expected, what, error = ERROR) {
  assert.equal(found.length, expected.length, `${what}: draws`);
  found.forEach((draw, d) => {
    assert.equal(draw.kind, expected[d].kind, `${what}: kind of draw ${d}`);
    const a = places(draw), b = places(expected[d]);
    assert.equal(a.length, b.length, `${what}: corners of draw ${d}`);
    a.forEach((value, i) => {
      if (!(Math.abs(value - b[i]) <= error)) assert.fail(`${what}: corner ${Math.floor(i / 3)} of draw ${d} (${draw.object.name}) is at ${value}, expected ${b[i]}`);
    });
  });
}

/** Compares an attribute at the corners of all draws of the .glb that have it. */
function compareAttribute(found, expected, name) {
  let compared = 0;
  expected.forEach((draw, d) => {
    const wanted = draw.object.geometry.getAttribute(name), had = found[d].object.geometry.getAttribute(name);
    if (!wanted) return;
    assert.ok(had, `draw ${d} has no ${name}`);
    assert.equal(had.itemSize, wanted.itemSize, `${name} of draw ${d}`);
    const at = ({ object, start }, i) => object.geometry.getIndex() ? object.geometry.getIndex().getX(start + i) : start + i;
    for (let i = 0; i < draw.count; ++i)
      for (let c = 0; c < wanted.itemSize; ++c) {
        const [x, y] = [had.getComponent(at(found[d], i), c), wanted.getComponent(at(draw, i), c)];
        if (!(Math.abs(x - y) < 4e-4)) assert.fail(`${name} ${c} of corner ${i} of draw ${d} is ${x}, expected ${y}`);
      }
    ++compared;
  });
  assert.ok(compared > 0, `no draw has ${name}`);
}

test('a scene with everything equals the converted glb, at rest and in motion', { skip }, async (t) => {
  const folder = temporary(t);
  mkdirSync(join(folder, 'assets'));
  writeSource(join(folder, 'assets/yard.glb'));
  writeFileSync(join(folder, 'assetc.yml'), 'default: {mesh: {scene: true, attributes: all, lods: 0}, animation: {error: 2.0e-4, radius: 1}}\n');
  run(folder, 'build', '-q');
  run(folder, 'convert', 'runtime/yard.hscene', 'back.glb');
  const found = await new HsceneLoader().setPath(await serve(t, join(folder, 'runtime'))).loadAsync('yard.hscene');
  const gltf = await loadGlb(join(folder, 'back.glb'));
  found.scene.updateMatrixWorld(true);
  gltf.scene.updateMatrixWorld(true);

  const ours = new Set(found.nodes);
  const nodeOf = (object) => ours.has(object) ? object : nodeOf(object.parent);
  const { associations } = gltf.parser;
  const glbNodeOf = (object) => associations.get(object)?.nodes !== undefined ? object : glbNodeOf(object.parent);
  const a = draws(found.scene, nodeOf), b = draws(gltf.scene, glbNodeOf);
  comparePlaces(a, b, 'at rest');
  for (const name of ['normal', 'uv', 'uv1', 'color', 'tangent']) compareAttribute(a, b, name);
  a.forEach((draw, d) => {
    const x = draw.material, y = b[d].material;
    assert.equal(x.type, y.type, `material of draw ${d}`);
    assert.equal(x.name, y.name, `name of the material of draw ${d}`);
    for (const key of ['opacity', 'transparent', 'side', 'alphaTest', 'roughness', 'metalness', 'clearcoat', 'clearcoatRoughness', 'vertexColors']) {
      const near = typeof x[key] !== 'number' || Math.abs(x[key] - y[key]) < 1e-5;
      assert.ok(near && typeof x[key] === typeof y[key] && (typeof x[key] === 'number' || x[key] === y[key]), `${key} of the material of draw ${d} is ${x[key]}, expected ${y[key]}`);
    }
    for (const [key, strength] of [['color', 1], ['emissive', 'emissiveIntensity']]) {
      if (!y[key]) continue;
      const [from, to] = [x, y].map((material) => material[key].clone().multiplyScalar(material[strength] ?? 1));
      assert.ok(Math.hypot(from.r - to.r, from.g - to.g, from.b - to.b) < 1e-4, `${key} of draw ${d} is ${from.toArray()}, expected ${to.toArray()}`);
    }
    for (const key of ['map', 'normalMap', 'roughnessMap', 'emissiveMap', 'aoMap', 'clearcoatMap', 'clearcoatNormalMap']) {
      assert.equal(Boolean(x[key]), Boolean(y[key]), `${key} of draw ${d}`);
      if (!x[key]) continue;
      assert.equal(x[key].channel, y[key].channel, `set of ${key}`);
      for (const place of ['offset', 'repeat']) assert.ok(x[key][place].distanceTo(y[key][place]) < 1e-5, `${place} of ${key}`);
      assert.ok(Math.abs(x[key].rotation - y[key].rotation) < 1e-5, `rotation of ${key}`);
    }
  });

  // Names are those of the source; three.js replaces some characters in those of the .glb.
  assert.ok(found.nodes.some((node) => node.name === 'other head'));
  assert.equal(found.scene.getObjectByName('eye').userData.role, 'start');
  assert.equal(found.cameras.length, gltf.cameras.length);
  const lights = (scene) => {
    const list = [];
    scene.traverse((object) => { if (object.isLight) list.push([object.type, object.intensity, object.distance ?? 0, object.angle ?? 0, object.penumbra ?? 0, ...object.color.toArray()]); });
    return list;
  };
  const [x, y] = [lights(found.scene), lights(gltf.scene)];
  assert.equal(x.length, y.length);
  x.forEach((light, l) => light.forEach((value, i) => assert.ok(value === y[l][i] || Math.abs(value - y[l][i]) < 1e-4, `light ${l}: ${light}, expected ${y[l]}`)));

  assert.deepEqual(found.animations.map((clip) => clip.name), gltf.animations.map((clip) => clip.name));
  assert.ok(found.animations.length > 0);
  let moved = 0;
  const rest = a.map(places);
  found.animations.forEach((clip, c) => {
    const mixers = [new AnimationMixer(found.scene), new AnimationMixer(gltf.scene)];
    mixers[0].clipAction(clip).play();
    mixers[1].clipAction(gltf.animations[c]).play();
    for (const part of TIMES) {
      for (const mixer of mixers) mixer.setTime(part * clip.duration);
      found.scene.updateMatrixWorld(true);
      gltf.scene.updateMatrixWorld(true);
      comparePlaces(a, b, `${clip.name} at ${part}`);
      moved += a.some((draw, d) => places(draw).some((value, i) => Math.abs(value - rest[d][i]) > 0.01));
    }
    for (const mixer of mixers) mixer.stopAllAction();
  });
  assert.ok(moved > 5, `${moved} poses differ from the rest`);
});

test('variants change the materials of submeshes, and back', { skip }, async (t) => {
  const folder = temporary(t);
  mkdirSync(join(folder, 'assets'));
  writeSource(join(folder, 'assets/yard.glb'));
  writeFileSync(join(folder, 'assetc.yml'), 'default: {mesh: {scene: true}}\n');
  run(folder, 'build', '-q');
  const { scene, variants, setVariant } = await new HsceneLoader().setPath(await serve(t, join(folder, 'runtime'))).loadAsync('yard.hscene');
  assert.ok(variants.length > 0);
  const names = () => {
    const list = [];
    scene.traverse((object) => { if (object.isMesh) list.push([object.material].flat().map((material) => material.name).join()); });
    return list.join(' | ');
  };
  const before = names();
  const seen = new Set([before]);
  for (const variant of variants) {
    setVariant(variant);
    seen.add(names());
  }
  assert.ok(seen.size > 1, before);
  setVariant(null);
  assert.equal(names(), before);
  assert.throws(() => setVariant('none such'), /no variant "none such"/);
});

test('clips move a skinned mesh as in the converted glb', { skip: skipCorpus }, async (t) => {
  const folder = build(t, ['Fox.glb', 'CesiumMan'], { scene: false, lods: 0 });
  for (const name of ['Fox', 'CesiumMan/CesiumMan']) {
    run(folder, 'convert', `runtime/${name}.hmesh`, 'back.glb');
    const { geometry, skeleton } = new HmeshLoader().parse(readFileSync(join(folder, `runtime/${name}.hmesh`)), name);
    const mesh = new SkinnedMesh(geometry), scene = new Group().add(mesh, ...skeleton.roots);
    scene.updateMatrixWorld(true);
    mesh.bind(skeleton.skeleton, new Matrix4());
    const clips = buildClips(parseHanim(readFileSync(join(folder, `runtime/${name}.hanim`)), name), skeleton.skeleton.bones);
    const gltf = await loadGlb(join(folder, 'back.glb'));
    const [a, b] = [scene, gltf.scene].map((root) => draws(root, (object) => object));
    assert.equal(clips.length, gltf.animations.length);
    clips.forEach((clip, c) => {
      const mixers = [new AnimationMixer(scene), new AnimationMixer(gltf.scene)];
      mixers[0].clipAction(clip).play();
      mixers[1].clipAction(gltf.animations[c]).play();
      for (const part of TIMES) {
        for (const mixer of mixers) mixer.setTime(part * clip.duration);
        scene.updateMatrixWorld(true);
        gltf.scene.updateMatrixWorld(true);
        comparePlaces(a, b, `${name} ${clip.name} at ${part}`, 1e-5 * geometry.boundingSphere.radius);
      }
      for (const mixer of mixers) mixer.stopAllAction();
    });
  }
});
