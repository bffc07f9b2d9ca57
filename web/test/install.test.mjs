// The packed packages install into an empty folder without a network, and work there.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { assetc, corpus, skip, skipCorpus, temporary } from './support.mjs';

const web = join(dirname(fileURLToPath(import.meta.url)), '..');
const platform = `linux-${process.arch}`;
const skipPlatform = skip || (process.platform !== 'linux' ? 'the program is packed on Linux only' : false);
const skipPacked = skipPlatform || (!existsSync(join(web, 'codec/wasm/transcode.wasm')) ? 'run scripts/build-web' : false);

/** Runs a program and throws what it wrote if it fails. */
function command(cwd, program, ...args) {
  const done = spawnSync(program, args, { cwd, encoding: 'utf8' });
  if (done.status !== 0) throw new Error(`${program} ${args.join(' ')}: ${done.stdout}${done.stderr}`);
  return done.stdout;
}

/** The package of this platform with the program under test. */
function platformPackage(folder) {
  const { version } = JSON.parse(readFileSync(join(web, 'assetc/package.json'), 'utf8'));
  mkdirSync(join(folder, 'bin'), { recursive: true });
  copyFileSync(assetc, join(folder, 'bin/assetc'));
  chmodSync(join(folder, 'bin/assetc'), 0o755);
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: `@assetc/${platform}`, version, os: ['linux'], cpu: [process.arch], files: ['bin'] }));
}

/** Packs packages and installs them into an empty folder. */
function installed(t, names) {
  const folder = temporary(t), packs = join(folder, 'packs'), project = join(folder, 'project');
  mkdirSync(packs);
  mkdirSync(project);
  for (const name of names) {
    const source = name === platform ? join(folder, platform) : join(web, name);
    if (name === platform) platformPackage(source);
    command(source, 'npm', 'pack', '--silent', '--pack-destination', packs);
  }
  writeFileSync(join(project, 'package.json'), '{"name": "project", "private": true, "type": "module"}');
  command(project, 'npm', 'install', '--offline', '--no-audit', '--no-fund', '--legacy-peer-deps', ...readdirSync(packs).map((name) => join(packs, name)));
  return project;
}

/** Peers that a project has already. */
function link(project, ...names) {
  for (const name of names) {
    mkdirSync(dirname(join(project, 'node_modules', name)), { recursive: true });
    symlinkSync(join(web, 'node_modules', name), join(project, 'node_modules', name));
  }
}

test('npx assetc runs the program, with its exit code', { skip: skipCorpus || skipPlatform }, (t) => {
  const project = installed(t, ['assetc', platform]);
  const npx = (...args) => spawnSync('npx', ['--offline', 'assetc', ...args], { cwd: project, encoding: 'utf8' });
  const version = command(project, assetc, '--version');
  assert.equal(npx('--version').stdout, version);
  for (const name of ['assetc', 'codec', 'three', 'gltf-transform'])
    assert.equal(JSON.parse(readFileSync(join(web, name, 'package.json'), 'utf8')).version, version.split(/\s/)[1], `the version of ${name}`);
  const done = npx('optimize', join(corpus, 'models/Box.glb'), 'box.glb');
  assert.equal(done.status, 0, done.stderr);
  assert.equal(readFileSync(join(project, 'box.glb')).toString('latin1', 0, 4), 'glTF');
  const wrong = npx('optimize', 'none.glb', 'out.glb'), expected = spawnSync(assetc, ['optimize', 'none.glb', 'out.glb'], { cwd: project, encoding: 'utf8' });
  assert.equal(wrong.status, expected.status);
  assert.equal(wrong.stderr, expected.stderr);

  writeFileSync(join(project, 'run.js'), `
    import { run } from 'assetc';
    const { code, stdout, stderr } = await run(['--version']);
    const failed = await run(['no-such-command']);
    console.log(JSON.stringify({ code, stdout, stderr, failed: failed.code !== 0 && failed.stderr.length > 0 }));`);
  const { code, stdout, failed } = JSON.parse(command(project, 'node', 'run.js'));
  assert.equal(code, 0);
  assert.equal(stdout, command(project, assetc, '--version'));
  assert.ok(failed);
});

test('a signal that ends the program ends npx in the same way', { skip: skipPlatform }, (t) => {
  const project = installed(t, ['assetc', platform]);
  writeFileSync(join(project, 'node_modules/@assetc', platform, 'bin/assetc'), '#!/bin/sh\nkill -TERM $$\n');
  const done = spawnSync('node', ['node_modules/assetc/bin/assetc.js'], { cwd: project, encoding: 'utf8' });
  assert.equal(done.signal, 'SIGTERM');
});

test('without the package of the platform, the message says what to install', { skip: skipPlatform }, (t) => {
  const project = installed(t, ['assetc']);
  const done = spawnSync('npx', ['--offline', 'assetc', '--version'], { cwd: project, encoding: 'utf8' });
  assert.equal(done.status, 1);
  assert.equal(done.stderr, `assetc: the package @assetc/${platform} with the program for ${platform} is not installed; run npm install --include=optional\n`);
});

test('@assetc/three loads from its package, with types', { skip: skipPacked }, (t) => {
  const project = installed(t, ['codec', 'three']);
  link(project, 'three', '@types/three', '@types/node');
  writeFileSync(join(project, 'load.js'), `
    import { HmeshLoader, Ktx2Loader } from '@assetc/three';
    try {
      await new Ktx2Loader().parseAsync(new Uint8Array(10), 'a.ktx2');
    } catch (error) {
      console.log(error.name, error.message.startsWith('a.ktx2: '));
    }
    try {
      new HmeshLoader().parse(new Uint8Array(40), 'b.hmesh');
    } catch (error) {
      console.log(error.message);
    }`);
  assert.equal(command(project, 'node', 'load.js'),
    'AssetcError true\nb.hmesh: the file begins with "\\u0000\\u0000\\u0000\\u0000", expected "HMSH"\n');
  writeFileSync(join(project, 'types.ts'), `
    import { HmeshLoader, HsceneLoader, Ktx2Loader } from '@assetc/three';
    import type { Texture } from 'three';
    import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
    export const gltf = new GLTFLoader().setKTX2Loader(new Ktx2Loader());
    export const texture: Promise<Texture> = new Ktx2Loader().loadAsync('a.ktx2');
    export const names: Promise<string[]> = new HsceneLoader().setPath('/').loadAsync('a.hscene').then((scene) => scene.variants);
    export const count: number = new HmeshLoader().parse(new Uint8Array(), 'x').levels.length;
    // @ts-expect-error a name must be a text
    new HmeshLoader().parse(new Uint8Array(), 7);`);
  command(project, 'node', join(web, 'node_modules/typescript/bin/tsc'), '--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', '--target', 'es2022', 'types.ts');
});

test('@assetc/gltf-transform encodes from its package', { skip: skipPacked || skipCorpus }, (t) => {
  const project = installed(t, ['codec', 'gltf-transform']);
  link(project, '@gltf-transform/core', '@gltf-transform/extensions', '@gltf-transform/functions', 'sharp');
  writeFileSync(join(project, 'encode.js'), `
    import { NodeIO } from '@gltf-transform/core';
    import { ALL_EXTENSIONS } from '@gltf-transform/extensions';
    import { toktx2 } from '@assetc/gltf-transform';
    const document = await new NodeIO().registerExtensions(ALL_EXTENSIONS).read(process.argv[2]);
    document.setLogger({ debug() {}, info() {}, warn() {}, error() {} });
    await document.transform(toktx2({ quality: 'fast' }));
    console.log(document.getRoot().listTextures().map((texture) => texture.getMimeType()).join());`);
  assert.equal(command(project, 'node', 'encode.js', join(corpus, 'models/Fox.glb')), 'image/ktx2\n');
});

test('packages hold no tests and no sources of their builds', { skip: skipPlatform }, (t) => {
  const folder = temporary(t);
  for (const name of ['assetc', 'three', 'gltf-transform']) {
    command(join(web, name), 'npm', 'pack', '--silent', '--pack-destination', folder);
    const [archive] = readdirSync(folder), files = command(folder, 'tar', '-tzf', archive).trim().split('\n');
    assert.deepEqual(files.filter((file) => /test|tsconfig|node_modules/.test(file)), [], name);
    for (const wanted of ['package/README.md', 'package/LICENSE', 'package/types/index.d.ts', 'package/index.js', ...(name === 'three' ? ['package/types.d.ts'] : [])])
      assert.ok(files.includes(wanted), `${name} lacks ${wanted}`);
    t.diagnostic(`${archive}: ${statSync(join(folder, archive)).size} bytes`);
    rmSync(join(folder, archive));
  }
});
