// Chromium encodes the textures of a document to the same bytes as Node.js. So both read the same texels, also below alpha 0.
import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Document, NodeIO } from '@gltf-transform/core';
import { ALL_EXTENSIONS } from '@gltf-transform/extensions';
import { build } from 'esbuild';
import { chromium } from 'playwright-core';
import sharp from 'sharp';
import { toktx2 } from '../index.js';
import { serve, temporary } from '../../test/support.mjs';

const here = dirname(fileURLToPath(import.meta.url)), web = join(here, '../..');
const executablePath = ['/usr/bin/chromium', '/usr/bin/google-chrome'].find(existsSync);
const skip = !executablePath ? 'Chromium is not installed' : !existsSync(join(web, 'codec/wasm/encode.wasm')) ? 'run scripts/build-web' : false;

test('a browser gives the bytes of Node.js', { skip, timeout: 120000 }, async (t) => {
  const folder = temporary(t), made = new Document(), material = made.createMaterial();
  made.createBuffer();
  made.createScene().addChild(made.createNode());
  const data = Buffer.alloc(60 * 36 * 4);
  for (let i = 0; i < 60 * 36; ++i) data.set([i % 60 * 4, Math.floor(i / 60) * 7, i % 251, [0, 3, 128, 255][i % 4]], 4 * i);
  const picture = sharp(data, { raw: { width: 60, height: 36, channels: 4 } });
  const bytes = { png: await picture.clone().png().toBuffer(), webp: await picture.clone().webp({ lossless: true, exact: true }).toBuffer() };
  material.setBaseColorTexture(made.createTexture('color').setImage(new Uint8Array(bytes.png)).setMimeType('image/png'));
  material.setOcclusionTexture(made.createTexture('data').setImage(new Uint8Array(bytes.webp)).setMimeType('image/webp'));
  made.createExtension(ALL_EXTENSIONS.find((extension) => extension.EXTENSION_NAME === 'EXT_texture_webp')).setRequired(true);
  writeFileSync(join(folder, 'in.glb'), await new NodeIO().registerExtensions(ALL_EXTENSIONS).writeBinary(made));

  // An application bundles its modules; the codec finds its WebAssembly beside its own.
  await build({
    stdin: { contents: `export { toktx2 } from '${join(web, 'gltf-transform/index.js')}'; export { WebIO } from '@gltf-transform/core'; export { ALL_EXTENSIONS } from '@gltf-transform/extensions';`, resolveDir: web },
    bundle: true, format: 'esm', platform: 'browser', external: ['@assetc/codec', 'sharp', 'node:*'], outfile: join(folder, 'bundle.js'), logLevel: 'error',
  });
  const root = await serve(t, folder, { web });
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'] });
  t.after(() => browser.close());
  const page = await browser.newPage(), said = [];
  page.on('console', (message) => said.push(message.text()));
  page.on('pageerror', (error) => said.push(String(error)));
  await page.goto(`${root}web/gltf-transform/test/browser.html`);
  await page.waitForFunction('window.ready', undefined, { timeout: 30000 }).catch(() => assert.fail(said.join('\n')));
  const found = await page.evaluate(([url, options]) => window.encode(url, options), [`${root}in.glb`, { maxSize: 48 }]);

  const expected = await new NodeIO().registerExtensions(ALL_EXTENSIONS).read(join(folder, 'in.glb'));
  await expected.transform(toktx2({ maxSize: 48 }));
  const images = expected.getRoot().listTextures().map((texture) => texture.getImage());
  assert.equal(found.length, 2);
  found.forEach((list, i) => assert.ok(Buffer.from(list).equals(Buffer.from(images[i])), `texture ${i}: ${list.length} bytes, expected ${images[i].length}; ${said.join('\n')}`));
  assert.deepEqual(expected.getRoot().listExtensionsUsed().map((extension) => extension.extensionName), ['KHR_texture_basisu']);
});
