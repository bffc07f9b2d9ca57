// Chromium draws scenes of assetc and their source glTF with three.js; the pictures must be nearly equal.
//
// ASSETC_PICTURES names a folder that keeps the pictures.
import assert from 'node:assert/strict';
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import sharp from 'sharp';
import { corpus, run, serve, skipCorpus, temporary } from '../../test/support.mjs';

const web = join(dirname(fileURLToPath(import.meta.url)), '../..');
const executablePath = ['/usr/bin/chromium', '/usr/bin/google-chrome'].find(existsSync);
const skip = skipCorpus || (!executablePath ? 'Chromium is not installed' : false)
  || (!existsSync(join(web, 'codec/wasm/transcode.wasm')) ? 'run scripts/build-web' : false);

// Models, with the most that a channel may differ on average of 255, and the part of the texels that may differ by more than 24.
const MODELS = [
  { name: 'BoxTextured', source: 'BoxTextured/BoxTextured.gltf', scene: 'BoxTextured/BoxTextured.hscene', mean: 1, outliers: 0.01 },
  { name: 'FlightHelmet', source: 'FlightHelmet/FlightHelmet.gltf', scene: 'FlightHelmet/FlightHelmet.hscene', mean: 1.5, outliers: 0.02 },
  { name: 'AnisotropyBarnLamp', source: 'AnisotropyBarnLamp/AnisotropyBarnLamp.gltf', scene: 'AnisotropyBarnLamp/AnisotropyBarnLamp.hscene', mean: 1.5, outliers: 0.02 },
  { name: 'BoxVertexColors', source: 'BoxVertexColors.glb', scene: 'BoxVertexColors.hscene', mean: 0.5, outliers: 0.005 },
  { name: 'CesiumMan', source: 'CesiumMan/CesiumMan.gltf', scene: 'CesiumMan/CesiumMan.hscene', mean: 1, outliers: 0.01 },
  { name: 'Fox', source: 'Fox.glb', scene: 'Fox.hscene', mean: 1, outliers: 0.01 },
  { name: 'morph', source: 'SparseMorphTargets/singleBlendshapeCube_sparse.glb', scene: 'SparseMorphTargets/singleBlendshapeCube_sparse.hscene', mean: 0.5, outliers: 0.005 },
];

async function compare(a, b) {
  const [x, y] = await Promise.all([a, b].map((png) => sharp(png).removeAlpha().raw().toBuffer()));
  assert.equal(x.length, y.length);
  let sum = 0, far = 0, colors = new Set();
  for (let i = 0; i < x.length; i += 3) {
    const differences = [0, 1, 2].map((c) => Math.abs(x[i + c] - y[i + c]));
    sum += differences[0] + differences[1] + differences[2];
    far += Math.max(...differences) > 24;
    colors.add(x[i] << 16 | x[i + 1] << 8 | x[i + 2]);
  }
  return { mean: sum / x.length, outliers: far / (x.length / 3), colors: colors.size };
}

test('pictures of scenes equal those of their sources', { skip, timeout: 300000 }, async (t) => {
  const folder = temporary(t);
  for (const { source } of MODELS) {
    const part = source.includes('/') ? dirname(source) : source;
    cpSync(join(corpus, 'models', part), join(folder, 'assets', part), { recursive: true });
  }
  // three.js loads no .ktx2 of three channels of 8 bits; the source of this model gets .png in their place.
  const lamp = join(folder, 'assets', MODELS[2].source), json = JSON.parse(readFileSync(lamp, 'utf8'));
  for (const image of json.images) {
    if (!image.uri.endsWith('.ktx2')) continue;
    const png = image.uri.replace('.ktx2', '.png');
    run(dirname(lamp), 'convert', image.uri, png);
    image.uri = png;
  }
  chmodSync(lamp, 0o644);
  writeFileSync(lamp, JSON.stringify(json));
  writeFileSync(join(folder, 'assetc.yml'), JSON.stringify({ default: { mesh: { scene: true, attributes: 'all' } } }));
  run(folder, 'build', '-q');
  const root = await serve(t, folder, { web });

  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist'] });
  t.after(() => browser.close());
  const page = await browser.newPage(), said = [];
  page.on('console', (message) => said.push(message.text()));
  page.on('pageerror', (error) => said.push(String(error)));
  await page.goto(`${root}web/three/test/drawing.html`);
  await page.waitForFunction('window.ready', undefined, { timeout: 30000 }).catch(() => assert.fail(said.join('\n')));
  for (const { name, source, scene, mean, outliers } of MODELS) {
    const found = await page.evaluate(([path, file]) => window.drawScene(path, file), [`${root}runtime/`, scene]);
    const [expected, withOurs] = await Promise.all([false, true].map((isOurs) => page.evaluate(([url, ours]) => window.drawGltf(url, ours), [`${root}assets/${source}`, isOurs])));
    const pictures = [found, expected, withOurs].map(({ picture }) => Buffer.from(picture.split(',')[1], 'base64'));
    if (process.env.ASSETC_PICTURES) {
      mkdirSync(process.env.ASSETC_PICTURES, { recursive: true });
      pictures.forEach((png, i) => writeFileSync(join(process.env.ASSETC_PICTURES, `${name}-${['scene', 'source', 'source-ours'][i]}.png`), png));
    }
    for (const [what, png, most] of [['scene', pictures[0], { mean, outliers }], ['Ktx2Loader in GLTFLoader', pictures[2], { mean: 0.5, outliers: 0.005 }]]) {
      const difference = await compare(png, pictures[1]);
      t.diagnostic(`${name}, ${what}: mean ${difference.mean.toFixed(3)} of 255, ${(100 * difference.outliers).toFixed(2)} % of texels differ by more than 24; formats ${found.formats}`);
      assert.ok(difference.colors > 4, `${name}: the picture has ${difference.colors} colors`);
      assert.ok(difference.mean <= most.mean && difference.outliers <= most.outliers, `${name}, ${what}: ${JSON.stringify(difference)}; ${said.join('\n')}`);
    }
  }
});
