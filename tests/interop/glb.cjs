// Runs Khronos' validator on every .glb that assetc converts from a set of models, directly and from each container of
// them.
//
//   node glb.cjs ASSETC MODEL...        exits 1 on an error or a warning
//
// ASSETC is the built command. Exits 77 (skipped) when node_modules is absent.
'use strict';
const fs = require('fs');
const os = require('os');
const path = require('path');
const { spawnSync } = require('child_process');

let validator;
try {
  validator = require('gltf-validator');
} catch {
  console.log('skipped: run npm ci in tests/interop to validate .glb files');
  process.exit(77);
}
const [assetc, ...models] = process.argv.slice(2);
if (models.length === 0) {
  console.error('usage: node glb.cjs ASSETC MODEL...');
  process.exit(2);
}

// Findings about the source's own data, which is kept unchanged: an ICC profile or a gamma in a picture, a skinned node
// with a parent, a joint with a weight of zero, a normal map without tangents.
const SOURCE = new Set(['IMAGE_FEATURES_UNSUPPORTED', 'ACCESSOR_JOINTS_USED_ZERO_WEIGHT',
  'NODE_SKINNED_MESH_NON_ROOT', 'MESH_PRIMITIVE_GENERATED_TANGENT_SPACE']);
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assetc-glb-'));
let files = 0, bad = 0;

function convert(from, to, ...options) {
  const run = spawnSync(assetc, ['convert', from, to, ...options], { encoding: 'utf8' });
  if (run.status !== 0) {
    console.log(`${from}: ${run.stderr}`);
    bad += 1;
  }
  return run.status === 0;
}

async function validate(file, of, isSource) {
  const report = await validator.validateBytes(new Uint8Array(fs.readFileSync(file)), { maxIssues: 0 });
  files += 1;
  const ours = report.issues.messages.filter((m) => m.severity === 0 || (m.severity === 1 && !(isSource && SOURCE.has(m.code))));
  for (const m of ours.slice(0, 5)) console.log(`${of}: ${m.code} at ${m.pointer}: ${m.message}`);
  bad += ours.length > 0 ? 1 : 0;
}

async function run() {
  for (const [i, model] of models.entries()) {
    const at = (name) => path.join(folder, `${i}${name}`);
    const name = model.split('/').slice(-2).join('/');
    if (convert(model, at('.glb'))) await validate(at('.glb'), name, true);
    for (const [container, suffix] of [['hmesh', '.hmesh'], ['hmesh-v1', '.v1.hmesh'], ['galileo', '.gali']]) {
      if (!convert(model, at(suffix), '--mesh.container', container)) continue;
      if (convert(at(suffix), at(`${suffix}.glb`))) await validate(at(`${suffix}.glb`), `${name} through ${container}`, false);
    }
  }
}

run().then(() => {
  fs.rmSync(folder, { recursive: true });
  console.log(`${files} files validated, ${bad} have errors or warnings`);
  process.exit(bad === 0 ? 0 : 1);
});
