// The examples of the guide and of the README run as they are written.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { pathToFileURL } from 'node:url';
import { folder, packageFolder, root } from './tools.mjs';

// The names that the examples use for the reader's own values.
const PREAMBLE = `
  import { loadEncoder as load } from '@assetc/codec';
  const picture = { width: 20, height: 12, data: new Uint8Array(20 * 12 * 4).fill(90) };
  const bytes = await (await load({ workers: 0 })).encode(picture, { format: 'uastc', color: 'srgb' });
  const wasmUrl = ${JSON.stringify(pathToFileURL(path.join(packageFolder, 'wasm/transcode.wasm')).href)};
`;

const modules = path.join(folder, 'node_modules/@assetc');
fs.mkdirSync(modules, { recursive: true });
fs.symlinkSync(packageFolder, path.join(modules, 'codec'));

for (const page of ['docs/guide/web.md', 'web/codec/README.md']) {
  test(page, () => {
    const examples = [...fs.readFileSync(path.join(root, page), 'utf8').matchAll(/```js\n(.*?)```/gs)];
    assert.ok(examples.length > 0);
    for (const [, code] of examples) {
      const file = path.join(folder, 'example.mjs');
      fs.writeFileSync(file, PREAMBLE + code);
      const ran = spawnSync(process.execPath, [file], { encoding: 'utf8' });
      assert.equal(ran.status, 0, `${code}\n${ran.stderr}`);
    }
  });
}
