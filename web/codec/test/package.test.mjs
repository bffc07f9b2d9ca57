// The packed file installs in an empty folder without a network, and works there.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import zlib from 'node:zlib';
import { folder, packageFolder } from './tools.mjs';

const run = (command, args, cwd) => {
  const ran = spawnSync(command, args, { cwd, encoding: 'utf8' });
  assert.equal(ran.status, 0, `${command} ${args.join(' ')}: ${ran.stderr}${ran.stdout}`);
  return ran.stdout;
};

test('each transcoder takes at most 120 KiB after gzip, and no module imports anything', () => {
  for (const [name, limit] of [['transcode', 120 << 10], ['transcode-simd', 120 << 10], ['encode', 512 << 10], ['encode-simd', 512 << 10]]) {
    const bytes = fs.readFileSync(path.join(packageFolder, 'wasm', `${name}.wasm`));
    const size = zlib.gzipSync(bytes, { level: 9 }).length;
    assert.ok(size <= limit, `${name}.wasm: ${size} bytes after gzip`);
    assert.deepEqual(WebAssembly.Module.imports(new WebAssembly.Module(bytes)), []);
  }
});

test('npm pack, npm install in an empty folder, encode and transcode', () => {
  run('npm', ['pack', '--silent', '--pack-destination', folder], packageFolder);
  const tarball = fs.readdirSync(folder).find((name) => name.endsWith('.tgz'));
  const user = path.join(folder, 'user');
  fs.mkdirSync(user);
  fs.writeFileSync(path.join(user, 'package.json'), '{"type": "module", "private": true}');
  run('npm', ['install', '--offline', '--no-audit', '--no-fund', path.join(folder, tarball)], user);
  const installed = fs.readdirSync(path.join(user, 'node_modules/@assetc/codec')).sort();
  assert.deepEqual(installed, ['LICENSE', 'README.md', 'index.d.ts', 'package.json', 'src', 'wasm']);
  fs.writeFileSync(path.join(user, 'use.js'), `
    import { loadEncoder, loadTranscoder } from '@assetc/codec';
    const encoder = await loadEncoder();
    const file = await encoder.encode({ width: 16, height: 8, data: new Uint8Array(16 * 8 * 4).fill(200) }, { format: 'uastc', color: 'srgb' });
    const texture = (await loadTranscoder()).open(file);
    console.log(texture.levels, texture.transcode({ level: 0 }, 'rgba8').data.join() === new Uint8Array(16 * 8 * 4).fill(200).join());
    texture.close();
  `);
  assert.equal(run('node', ['use.js'], user), '5 true\n'); // and the process ends, although the encoder is not closed
});
