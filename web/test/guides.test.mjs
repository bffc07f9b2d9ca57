// The examples of guides and READMEs that run in Node.js work as they are written.
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
