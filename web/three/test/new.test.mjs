// The page of `assetc new --for web` draws its crate, without a bundler.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import sharp from 'sharp';
import { run, serve, skip as skipCommand, temporary } from '../../test/support.mjs';

const web = join(dirname(fileURLToPath(import.meta.url)), '../..');
const executablePath = ['/usr/bin/chromium', '/usr/bin/google-chrome'].find(existsSync);
const skip = skipCommand || (!executablePath ? 'Chromium is not installed' : false)
  || (!existsSync(join(web, 'codec/wasm/transcode.wasm')) ? 'run scripts/build-web' : false);

test('the page of a new project draws its crate', { skip, timeout: 120000 }, async (t) => {
  const folder = temporary(t), project = join(folder, 'page');
  run(folder, 'new', 'page', '--for', 'web');
  run(project, 'build', '-q');
  const root = await serve(t, project, { node_modules: join(web, 'node_modules') });
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist'] });
  t.after(() => browser.close());
  const page = await browser.newPage({ viewport: { width: 400, height: 300 } }), said = [];
  page.on('console', (message) => { if (message.type() === 'error') said.push(message.text()); });
  page.on('pageerror', (error) => said.push(String(error)));
  await page.goto(`${root}index.html`);
  // The background is gray. Wood has more red than blue.
  const isDrawn = async () => {
    const { data } = await sharp(await page.screenshot()).removeAlpha().extract({ left: 200, top: 150, width: 1, height: 1 }).raw().toBuffer({ resolveWithObject: true });
    return data[0] > data[2] + 30;
  };
  let drawn = false;
  for (let tries = 0; !drawn && tries < 100; ++tries) {
    await page.waitForTimeout(200);
    drawn = await isDrawn();
  }
  if (process.env.ASSETC_PICTURES) await page.screenshot({ path: join(process.env.ASSETC_PICTURES, 'new.png') });
  assert.ok(drawn, said.join('\n'));
  assert.deepEqual(said.filter((text) => !text.includes('404')), []);  // the browser asks for favicon.ico
});
