// The examples of guides and READMEs that run in Node.js work as they are written, and all compile as TypeScript.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { corpus, skipCorpus, temporary } from './support.mjs';

const web = join(dirname(fileURLToPath(import.meta.url)), '..');

/** The JavaScript of a page, without names that were imported before. */
export function examples(page) {
  return [...readFileSync(join(web, '..', page), 'utf8').matchAll(/```js\n(.*?)```/gs)].map(([, code]) => code);
}

for (const page of ['docs/guide/gltf-transform.md', 'web/gltf-transform/README.md']) {
  test(page, { skip: skipCorpus }, (t) => {
    const folder = temporary(t);
    copyFileSync(join(corpus, 'models/Fox.glb'), join(folder, 'in.glb'));
    symlinkSync(join(web, 'node_modules'), join(folder, 'node_modules'));
    writeFileSync(join(folder, 'all.mjs'), examples(page).join('\n'));
    const done = spawnSync(process.execPath, ['all.mjs'], { cwd: folder, encoding: 'utf8' });
    assert.equal(done.status, 0, done.stderr);
    assert.ok(existsSync(join(folder, 'out.glb')));
    assert.ok(readFileSync(join(folder, 'out.glb')).includes('KHR_texture_basisu'));
  });
}

test('web/assetc/README.md', { skip: skipCorpus }, (t) => {
  const folder = temporary(t), program = join(folder, 'node_modules/@assetc', `linux-${process.arch}`);
  mkdirSync(join(program, 'bin'), { recursive: true });
  writeFileSync(join(program, 'package.json'), '{"name": "x", "version": "0.1.0"}');
  copyFileSync(process.env.ASSETC_PROGRAM, join(program, 'bin/assetc'));
  mkdirSync(join(folder, 'node_modules/assetc'));
  for (const file of ['package.json', 'index.js']) copyFileSync(join(web, 'assetc', file), join(folder, 'node_modules/assetc', file));
  copyFileSync(join(corpus, 'models/Box.glb'), join(folder, 'in.glb'));
  writeFileSync(join(folder, 'all.mjs'), examples('web/assetc/README.md').join('\n'));
  const done = spawnSync(process.execPath, ['all.mjs'], { cwd: folder, encoding: 'utf8' });
  assert.equal(done.status, 0, done.stderr);
  assert.ok(existsSync(join(folder, 'out.glb')));
});

/** What examples take from the code around them, by name. */
const AROUND = {
  THREE: "typeof import('three')",
  renderer: "import('three').WebGLRenderer",
  scene: "import('three').Scene",
  material: "import('three').MeshStandardMaterial",
  loader: "import('@assetc/three').Ktx2Loader",
  runtime: 'string',
  wasmUrl: 'string',
  bytes: 'Uint8Array',
  picture: '{ width: number, height: number, data: Uint8Array }',
  upload: '(...values: unknown[]) => void',
  replaceMesh: '(mesh: unknown) => void',
  reload: '() => void',
  document: "import('@gltf-transform/core').Document",
  toktx2: "typeof import('@assetc/gltf-transform').toktx2",
};

/** An example as a module of its own. @param {string} code */
function moduleOf(code) {
  const own = (/** @type {string} */ name) => new RegExp(`(const|function|import|[{,]) *(\\* as )?${name}\\b[^;]*(=|from)`).test(code);
  const around = Object.entries(AROUND).filter(([name]) => new RegExp(`\\b${name}\\b`).test(code) && !own(name));
  return `${around.map(([name, type]) => `declare const ${name}: ${type};\n`).join('')}${code}\nexport {};\n`;
}

test('examples compile as TypeScript', (t) => {
  const folder = temporary(t), tsc = join(web, 'node_modules/typescript/bin/tsc');
  for (const name of ['three', 'gltf-transform', 'assetc']) {
    if (existsSync(join(web, name, 'types/index.d.ts'))) continue;
    const made = spawnSync(process.execPath, [tsc, '--project', join(web, name)], { encoding: 'utf8' });
    assert.equal(made.status, 0, made.stdout);
  }
  symlinkSync(join(web, 'node_modules'), join(folder, 'node_modules'));
  const pages = ['docs/guide/three.md', 'docs/guide/web.md', 'docs/guide/watch.md', 'docs/guide/http.md', 'docs/guide/gltf-transform.md',
    'web/three/README.md', 'web/runtime/README.md', 'web/codec/README.md', 'web/gltf-transform/README.md'];
  const files = pages.flatMap((page) => examples(page).map((code, i) => {
    const file = `${page.replaceAll(/[/.]/g, '-')}-${i}.mts`;
    writeFileSync(join(folder, file), moduleOf(code));
    return file;
  }));
  writeFileSync(join(folder, 'loaders.mts'), `
    import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
    import { KTX2Loader } from 'three/addons/loaders/KTX2Loader.js';
    import { Ktx2Loader } from '@assetc/three';
    new GLTFLoader().setKTX2Loader(new Ktx2Loader()).setKTX2Loader(new KTX2Loader()).setKTX2Loader(null);
    // @ts-expect-error no loader
    new GLTFLoader().setKTX2Loader(7);
`);
  assert.ok(files.length > 12);
  copyFileSync(join(web, '../src/cli/templates/web/main.js'), join(folder, 'new.mts'));  // the page of `assetc new --for web`
  const done = spawnSync(process.execPath, [tsc, '--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', '--target', 'es2022', ...files, 'loaders.mts', 'new.mts'],
    { cwd: folder, encoding: 'utf8' });
  assert.equal(done.status, 0, done.stdout);
});
