// Loads in three.js a .glb of a model with smoothing groups and no normals: the normals must be those of the groups,
// and of the levels of detail only the full mesh is shown.
//
//   node three.cjs ASSETC       exits 1 on a difference, 77 (skipped) when node_modules is absent
'use strict';
const fs = require('fs');
const os = require('os');
const path = require('path');
const { pathToFileURL } = require('url');
const { spawnSync } = require('child_process');

const SKIPPED = 77;
const AROUND = 48, RINGS = 24;
const FACES = AROUND * (RINGS - 1) * 2;

// A ball of two halves, each smooth by itself.
function ball() {
  const lines = [];
  for (let r = 0; r <= RINGS; ++r) {
    const height = 0.98 * Math.cos(Math.PI * r / RINGS), radius = Math.sqrt(1 - height * height);  // open at the poles
    for (let a = 0; a < AROUND; ++a) {
      const angle = 2 * Math.PI * a / AROUND;
      lines.push(`v ${radius * Math.cos(angle)} ${height} ${-radius * Math.sin(angle)}`);
    }
  }
  for (let r = 0; r + 1 < RINGS; ++r) {
    if (r === 0 || r === RINGS / 2) lines.push(`s ${r === 0 ? 1 : 2}`);
    for (let a = 0; a < AROUND; ++a) {
      const at = (ring, around) => ring * AROUND + around % AROUND + 1;
      lines.push(`f ${at(r, a)} ${at(r + 1, a)} ${at(r + 1, a + 1)} ${at(r, a + 1)}`);
    }
  }
  return lines.join('\n');
}

async function main() {
  const assetc = path.resolve(process.argv[2] ?? '');
  let GLTFLoader;
  try {
    globalThis.self ??= globalThis;
    ({ GLTFLoader } = await import(pathToFileURL(require.resolve('three/examples/jsm/loaders/GLTFLoader.js')).href));
  } catch (error) {
    console.log(`skipped: ${error.message}`);
    process.exit(SKIPPED);
  }
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assetc-three-'));
  let failures = 0;
  const convert = (...args) => {
    const done = spawnSync(assetc, ['convert', ...args], { cwd: folder, encoding: 'utf8' });
    if (done.status !== 0) throw new Error(done.stderr);
  };
  fs.writeFileSync(path.join(folder, 'ball.obj'), ball());
  convert('ball.obj', 'straight.glb');
  convert('ball.obj', 'ball.hmesh', '--mesh.lods', '3');
  convert('ball.hmesh', 'levels.glb');
  for (const [name, hasLevels] of [['straight.glb', false], ['levels.glb', true]]) {
    const fail = (why) => {
      console.log(`${name}: ${why}`);
      ++failures;
    };
    const file = fs.readFileSync(path.join(folder, name));
    const gltf = await new GLTFLoader().parseAsync(file.buffer.slice(file.byteOffset, file.byteOffset + file.byteLength), '');
    const shown = [];
    gltf.scene.traverse((object) => { if (object.isMesh) shown.push(object.geometry); });
    const triangles = shown.reduce((sum, geometry) => sum + geometry.index.count / 3, 0);
    if (triangles !== FACES) fail(`${triangles} triangles are shown, expected ${FACES}`);
    const listed = gltf.parser.json.nodes.flatMap((node) => node.extensions?.MSFT_lod?.ids ?? []);
    if ((listed.length > 0) !== hasLevels) fail(`MSFT_lod lists ${listed.length} nodes`);
    const under = gltf.parser.json.nodes.flatMap((node) => node.children ?? []).concat(gltf.parser.json.scenes.flatMap((scene) => scene.nodes));
    if (listed.some((id) => under.includes(id))) fail('a level of detail is in the scene');

    let edge = 0, smooth = 0;
    for (const geometry of shown) {
      const { position, normal } = geometry.attributes;
      if (!normal) {
        fail('there are no normals');
        continue;
      }
      for (let i = 0; i < position.count; ++i) {
        const p = [position.getX(i), position.getY(i), position.getZ(i)], n = [normal.getX(i), normal.getY(i), normal.getZ(i)];
        const size = Math.hypot(...p), along = n.reduce((sum, v, c) => sum + v * p[c] / size, 0);
        if (Math.abs(Math.hypot(...n) - 1) > 0.01) fail(`normal ${i} has length ${Math.hypot(...n)}`);
        // On the seam the normal of each half is that of its last ring, half a ring away.
        const onSeam = Math.abs(p[1]) < 1e-3;
        edge += onSeam;
        smooth += !onSeam && Math.abs(p[1]) < 0.9 && along > 0.999;
        if (along < (onSeam || Math.abs(p[1]) > 0.9 ? 0.98 : 0.999)) fail(`normal ${i} at ${p} is ${n}`);
      }
    }
    if (edge !== 2 * AROUND) fail(`${edge} vertices on the seam, expected ${2 * AROUND}: two for each corner`);
    if (smooth < AROUND * RINGS / 2) fail(`only ${smooth} smooth vertices`);
  }
  fs.rmSync(folder, { recursive: true, force: true });
  console.log(`2 files read by three.js, ${failures} faults`);
  process.exit(failures === 0 ? 0 : 1);
}
main();
