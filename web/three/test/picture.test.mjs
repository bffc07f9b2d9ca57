// Chromium draws scenes of assetc and their source glTF with three.js; the pictures must be nearly equal.
//
// ASSETC_PICTURES names a folder that keeps the pictures.
import assert from 'node:assert/strict';
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { NodeIO } from '@gltf-transform/core';
import { ALL_EXTENSIONS } from '@gltf-transform/extensions';
import { toktx2 } from '@assetc/gltf-transform';
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

/** Opens drawing.html; `said` collects what it writes. */
async function open(t, root) {
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist'] });
  t.after(() => browser.close());
  const page = await browser.newPage(), said = [];
  page.on('console', (message) => said.push(message.text()));
  page.on('pageerror', (error) => said.push(String(error)));
  await page.goto(`${root}web/three/test/drawing.html`);
  await page.waitForFunction('window.ready', undefined, { timeout: 30000 }).catch(() => assert.fail(said.join('\n')));
  return { page, said };
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

  const { page, said } = await open(t, root);
  for (const { name, source, scene, mean, outliers } of MODELS) {
    const [found, decompressed] = await Promise.all([true, false].map((is) => page.evaluate(([path, file, compressed]) => window.drawScene(path, file, compressed), [`${root}runtime/`, scene, is])));
    const [expected, withOurs] = await Promise.all([false, true].map((isOurs) => page.evaluate(([url, ours]) => window.drawGltf(url, ours), [`${root}assets/${source}`, isOurs])));
    const pictures = [found, expected, withOurs, decompressed].map(({ picture }) => Buffer.from(picture.split(',')[1], 'base64'));
    if (process.env.ASSETC_PICTURES) {
      mkdirSync(process.env.ASSETC_PICTURES, { recursive: true });
      pictures.forEach((png, i) => writeFileSync(join(process.env.ASSETC_PICTURES, `${name}-${['scene', 'source', 'source-ours', 'decompressed'][i]}.png`), png));
    }
    for (const [what, png, most] of [['scene', pictures[0], { mean, outliers }], ['scene without compressed formats', pictures[3], { mean, outliers }], ['Ktx2Loader in GLTFLoader', pictures[2], { mean: 0.5, outliers: 0.005 }]]) {
      const difference = await compare(png, pictures[1]);
      t.diagnostic(`${name}, ${what}: mean ${difference.mean.toFixed(3)} of 255, ${(100 * difference.outliers).toFixed(2)} % of texels differ by more than 24; formats ${found.formats}`);
      assert.ok(difference.colors > 4, `${name}: the picture has ${difference.colors} colors`);
      assert.ok(difference.mean <= most.mean && difference.outliers <= most.outliers, `${name}, ${what}: ${JSON.stringify(difference)}; ${said.join('\n')}`);
    }
  }
});

test('three.js draws what toktx2 encodes like its source', { skip, timeout: 120000 }, async (t) => {
  const folder = temporary(t), source = join(corpus, 'models/FlightHelmet');
  cpSync(source, join(folder, 'source'), { recursive: true });
  const io = new NodeIO().registerExtensions(ALL_EXTENSIONS), document = await io.read(join(source, 'FlightHelmet.gltf'));
  document.setLogger({ debug() {}, info() {}, warn() {}, error() {} });
  await document.transform(toktx2());
  writeFileSync(join(folder, 'encoded.glb'), await io.writeBinary(document));
  const root = await serve(t, folder, { web });
  const { page, said } = await open(t, root);
  const [a, b] = await Promise.all(['encoded.glb', 'source/FlightHelmet.gltf'].map(async (name) => {
    const { picture } = await page.evaluate((url) => window.drawGltf(url, false), `${root}${name}`);
    return Buffer.from(picture.split(',')[1], 'base64');
  }));
  const difference = await compare(a, b);
  t.diagnostic(`encoded: mean ${difference.mean.toFixed(3)} of 255, ${(100 * difference.outliers).toFixed(2)} % of texels differ by more than 24`);
  assert.ok(difference.colors > 100 && difference.mean < 0.6 && difference.outliers < 0.005, `${JSON.stringify(difference)}; ${said.join('\n')}`);
});

test('the examples of docs/guide/three.md and web/three/README.md run as they are written', { skip, timeout: 120000 }, async (t) => {
  const folder = temporary(t);
  for (const name of ['yard', 'levels/yard', 'chair']) {
    mkdirSync(dirname(join(folder, 'assets', name)), { recursive: true });
    cpSync(join(corpus, 'models/Fox.glb'), join(folder, 'assets', `${name}.glb`));
  }
  writeFileSync(join(folder, 'assetc.yml'), JSON.stringify({ default: { mesh: { scene: true }, rules: [{ match: 'chair.glb', mesh: { scene: false } }] } }));
  run(folder, 'build', '-q');
  cpSync(join(folder, 'runtime/yard/tex_0.ktx2'), join(folder, 'runtime/tex_0.ktx2'));
  const root = await serve(t, folder, { web });
  const { page, said } = await open(t, root);
  let count = 0;
  for (const source of ['docs/guide/three.md', 'web/three/README.md']) {
    for (const [, code] of readFileSync(join(web, '..', source), 'utf8').matchAll(/```js\n(.*?)```/gs)) {
      // The names that the examples use for the reader's own values, and for those of earlier examples.
      const own = [`import * as THREE from 'three';`, `import * as all from '@assetc/three';`,
        'const renderer = new THREE.WebGLRenderer(), scene = new THREE.Scene(), material = new THREE.MeshStandardMaterial();', "const runtime = '/runtime/';"];
      if (!code.includes('const loader =')) own.push('const loader = new all.Ktx2Loader().detectSupport(renderer).setPath(runtime);');
      const name = `example${count++}.js`;
      writeFileSync(join(folder, name), `${own.join('\n')}\n${code}`);
      const failed = await page.evaluate((url) => import(url).then(() => '', (error) => String(error.stack)), `${root}${name}`);
      assert.equal(failed, '', `${source}:\n${code}${said.join('\n')}`);
    }
  }
  assert.ok(count >= 6);
});
