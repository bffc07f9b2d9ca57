// Draws with three.js the files that assetc optimize writes, in a headless Chromium. The pictures must be those of the
// source, within LEAST_PSNR and MOST_TILES. With npm ci in bench, Babylon.js draws them too.
//
//   node optimize_pictures.mjs ASSETC MODEL...   exits 1 on a difference, 77 (skipped) without node_modules or Chromium
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';

const SKIPPED = 77, LEAST_PSNR = 40;  // dB
// Mean of 16 x 16 pixels, out of 255: of WebP, whose colors have half the size, and of KTX 2.
const MOST_TILES = { webp: 12, uastc: 8 };
let viewer;
try {
  viewer = await import('../../bench/optimize/viewer.mjs');
} catch (error) {
  console.log(`skipped: ${error.message}`);
  process.exit(SKIPPED);
}
const { difference, engines, missing, Viewer } = viewer;
if (missing) {
  console.log(`skipped: there is no ${missing}`);
  process.exit(SKIPPED);
}

const [assetc, ...models] = process.argv.slice(2).map((path) => resolve(path));
const folder = mkdtempSync(join(tmpdir(), 'assetc-pictures-')), made = join(folder, 'made.glb'), shown = await Viewer.start();
let faults = 0;
function fail(why) {
  console.log(why);
  ++faults;
}
for (const [model, format] of models.flatMap((model) => Object.keys(MOST_TILES).map((format) => [model, format]))) {
  const options = format === 'webp' ? [] : ['--texture.format', format], most = MOST_TILES[format];  // webp: the default
  const done = spawnSync(assetc, ['optimize', model, made, ...options], { env: { ...process.env, ASSETC_CACHE: 'off' }, encoding: 'utf8' });
  if (done.status !== 0) {
    fail(`${basename(model)}: ${done.stderr}`);
    continue;
  }
  let view;
  for (const engine of engines) {
    const what = `${[basename(model), ...options].join(' ')} in ${engine}`;
    const page = await shown.open(engine, (words) => console.log(`${what}: ${words}`));
    const before = await shown.draw(page, engine, model, view, 0.37);
    view = before.view;
    const after = await shown.draw(page, engine, made, view, 0.37);
    const { psnr, tile, x, y } = difference(before.texels, after.texels);
    console.log(`${what}: ${psnr.toFixed(1)} dB, worst tile ${tile.toFixed(1)} at ${x}, ${y}`);
    if (psnr < LEAST_PSNR || tile > most) fail(`${what}: expected at least ${LEAST_PSNR} dB and at most ${most}`);
    if (new Set(before.texels).size < 16) fail(`${what}: the picture of the source is empty`);
    await page.close();
  }
}
await shown.close();
rmSync(folder, { recursive: true });
console.log(`${models.length} models drawn by ${engines.join(' and ')}, ${faults} faults`);
process.exit(faults === 0 ? 0 : 1);
