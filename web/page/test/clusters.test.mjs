// Clusters: what readers.wasm selects and decodes, and what the page draws of it.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync, cpSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { ClusterPool } from '../src/cluster_pool.js';
import { Readers } from '../src/readers.js';
import { attack } from './attack.mjs';
import { Bench, readCanvas, run, skip, viewed } from './browser.mjs';
import { bumpySphere } from './models.mjs';
import { makeSite } from './site.mjs';

/** @type {string} */
let folder;
/** @type {Readers} */
let readers;
/** @type {Bench} */
let bench;
/** @type {any} */
let site;
const mesh = 'big/sphere/mesh_0.hcluster';

before(async () => {
  if (skip) return;
  folder = mkdtempSync(join(tmpdir(), 'assetc-clusters-'));
  mkdirSync(join(folder, 'assets/big'), { recursive: true });
  writeFileSync(join(folder, 'assets/big/sphere.glb'), bumpySphere(70));
  writeFileSync(join(folder, 'assets/tall.glb'), bumpySphere(30, true));
  cpSync(fileURLToPath(new URL('../../../examples/demo/assets/models/tentacle.glb', import.meta.url)), join(folder, 'assets/tentacle.glb'));
  writeFileSync(join(folder, 'assetc.yml'), '{"default": {"mesh": {"lod": "cluster"}}}');
  const log = run(folder, 'build', '--json');
  readers = await Readers.load(readFileSync(new URL('../wasm/readers.wasm', import.meta.url)));
  bench = await Bench.start();
  site = makeSite([{ output: join(folder, 'runtime'), input: join(folder, 'assets'), events: log.split('\n').filter(Boolean).map((line) => JSON.parse(line)) }]);
});
after(async () => {
  await bench?.close();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

const bytesOf = (path) => new Uint8Array(readFileSync(join(folder, 'runtime', path)));

/** The area of what is drawn. */
function areaOf({ indices }, positions) {
  let sum = 0;
  for (let t = 0; t < indices.length; t += 3) {
    const [a, b, c] = [0, 1, 2].map((corner) => positions.subarray(3 * indices[t + corner], 3 * indices[t + corner] + 3)),
      [u, v] = [b, c].map((to) => [0, 1, 2].map((k) => to[k] - a[k]));
    sum += Math.hypot(u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]) / 2;
  }
  return sum;
}

test('each cut covers the mesh once', { skip }, () => {
  const opened = readers.clusters(bytesOf(mesh), mesh),
    { facts } = opened,
    pool = new ClusterPool(opened);
  assert.equal(facts.levels[0].triangles, facts.sourceTriangles);
  let positions = new Float32Array(),
    before = Infinity;
  const cut = (view) => {
    const { cuts, added } = pool.cut([{ eye: [0, 0, 3], near: 0.01, limit: 1, level: null, ...view }]).result,
      all = new Float32Array(3 * (added.first + added.count));
    all.set(positions);
    all.set(added.position, 3 * added.first);
    positions = all;
    return cuts[0];
  };
  const full = areaOf(cut({ level: 0 }), positions);
  for (let level = 0; level < facts.levels.length; ++level) {
    const found = cut({ level });
    assert.ok(found.indices.length < before, `level ${level} has fewer triangles`);
    if (level < 6) assert.ok(Math.abs(areaOf(found, positions) / full - 1) < 0.12, `level ${level} covers ${areaOf(found, positions) / full}`);
    before = found.indices.length;
  }
  before = Infinity;
  for (const limit of [1e-6, 1e-3, 1e-2, 1e-1]) {
    const found = cut({ limit });
    assert.ok(found.indices.length <= before);
    assert.ok(Math.abs(areaOf(found, positions) / full - 1) < 0.12, `${limit} covers ${areaOf(found, positions) / full}`);
    assert.deepEqual(found.groups.map(({ material }) => material), [0, 1]);
    before = found.indices.length;
  }
  assert.equal(cut({ limit: 1e-6 }).indices.length / 3, facts.sourceTriangles);
});

test('a pool that is full drops what is not drawn, and then draws less', { skip }, () => {
  const opened = readers.clusters(bytesOf(mesh), mesh),
    view = { eye: [0, 0, 3], near: 0.01, limit: 1e-6, level: null };
  const whole = new ClusterPool(opened).cut([view]).result,
    small = new ClusterPool(opened, Math.floor(whole.added.count / 2)).cut([view]).result;
  assert.ok(small.isReset && small.added.count <= whole.added.count / 2);
  assert.ok(small.cuts[0].indices.length < whole.cuts[0].indices.length && small.cuts[0].limit > view.limit);
  assert.throws(() => new ClusterPool(opened, 10).cut([view, { ...view, level: 2 }]), /coarsest level/);
});

test('the first bytes of a file give its coarse clusters', { skip }, () => {
  const bytes = bytesOf(mesh),
    opened = readers.clusters(bytes.subarray(0, 160 << 10), mesh, bytes.length);
  assert.ok(opened.facts.loadedPages > 0 && opened.facts.loadedPages < opened.facts.pages);
  const { cuts } = new ClusterPool(opened).cut([{ eye: [0, 0, 3], near: 0.01, limit: 1e-6, level: null }]).result;
  assert.ok(cuts[0].indices.length > 0 && cuts[0].indices.length / 3 < opened.facts.sourceTriangles);
});

test('damaged clusters are refused', { skip }, () => {
  const read = (bytes, file) => {
    const pool = new ClusterPool(readers.clusters(bytes, file));
    pool.cut([{ eye: [0, 0, 3], near: 0.01, limit: 1e-6, level: null }]);
    pool.cut([{ eye: [0, 0, 3], near: 0.01, limit: 1, level: 1 }]);
  };
  attack(bytesOf('tentacle.hcluster'), read, { prefixes: 100, changes: 300, head: 4096 });
  attack(bytesOf('tentacle.hcluster'), read, { prefixes: 1, changes: 200, head: 1 << 20 });
  attack(bytesOf('tall/mesh_0.hcluster'), read, { prefixes: 20, changes: 100, head: 4096 });
  attack(bytesOf('tall/mesh_0.hcluster'), read, { prefixes: 1, changes: 100, head: 1 << 20 });
});

/** What the page draws. */
const drawn = (page) => page.evaluate(() => globalThis.assetcPage.view.clusters.view.counts());
const settled = (page) => page.evaluate(() => globalThis.assetcPage.view.clusters.view.settle());

test('the page draws the clusters that the camera needs', { skip }, async () => {
  const { page, errors } = await bench.open(site, { hash: `/assets/0/${mesh}` });
  await viewed(page);
  const first = await drawn(page);
  assert.ok(first.triangles > 1000 && first.triangles <= first.total);
  await page.getByLabel('Error', { exact: true }).fill('4');
  await settled(page);
  const coarse = await drawn(page);
  assert.ok(coarse.triangles < first.triangles, `${coarse.triangles} of ${first.triangles} triangles with 16 pixels`);
  await page.getByText(/^[\d,]+ of [\d,]+ triangles in [\d,]+ clusters, \d+ of \d+ pages$/).waitFor();
  // Far away, less is needed. A frozen cut stays.
  await page.getByRole('button', { name: 'Freeze' }).click();
  await page.evaluate(() => {
    const { stage } = globalThis.assetcPage.view;
    stage.camera.position.multiplyScalar(4);
    stage.controls.update();
  });
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 50))));
  assert.deepEqual(await drawn(page), coarse);
  await page.getByRole('button', { name: 'Freeze' }).click();
  await settled(page);
  assert.ok((await drawn(page)).triangles < coarse.triangles);
  await page.keyboard.press('1');
  await settled(page);
  assert.equal((await drawn(page)).triangles, first.total);
  await page.keyboard.press('4');
  await settled(page);
  assert.ok((await drawn(page)).triangles < first.total / 3);
  assert.equal(await page.getByLabel('Cut', { exact: true }).inputValue(), '3');
  for (const style of ['clusters', 'clusterLevels', 'plain', 'normals']) {
    await page.getByLabel('Show', { exact: true }).selectOption(style);
    const { data } = await readCanvas(page);
    const colors = new Set();
    for (let i = 0; i < data.length; i += 64) colors.add(`${data[i] >> 4} ${data[i + 1] >> 4} ${data[i + 2] >> 4}`);
    assert.ok(colors.size > 3, `${style} draws ${colors.size} colors`);
  }
  await page.keyboard.press('w');
  await page.keyboard.press('b');
  await settled(page);
  await page.waitForFunction(() => globalThis.assetcPage.view.overlays.extras.some((one) => one.isLineSegments && one.geometry.getAttribute('position').count > 100));
  const inspector = await page.getByRole('region', { name: 'Clusters: levels' }).ariaSnapshot();
  assert.match(inspector, /columnheader "Triangles"/);
  assert.deepEqual(errors, []);
  await page.close();
});

test('the silhouette of clusters is that of assetc render', { skip }, async () => {
  const { page, errors } = await bench.open(site, { hash: `/assets/0/${mesh}` });
  await viewed(page);
  await page.keyboard.press('1');
  await settled(page);
  await page.evaluate(() => {
    const { stage, model } = globalThis.assetcPage.view;
    stage.measure(model.group);
    stage.fit();
  });
  const canvas = await readCanvas(page),
    picture = join(folder, 'render.png');
  run(join(folder, 'runtime'), 'render', mesh, picture, '--size', `${canvas.width}x${canvas.height}`);
  const { data } = await sharp(picture).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
  let both = 0,
    any = 0;
  const covers = (texels, i) => [0, 1, 2].some((c) => Math.abs(texels[4 * i + c] - texels[c]) > 4);
  for (let i = 0; i < canvas.width * canvas.height; ++i) {
    const [a, b] = [covers(canvas.data, i), covers(data, i)];
    both += a && b;
    any += a || b;
  }
  assert.ok(both / any > 0.97, `the silhouettes overlap by ${(both / any).toFixed(4)}`);
  assert.deepEqual(errors, []);
  await page.close();
});

test('clusters of a scene: each instance has its own cut', { skip }, async () => {
  const { page, errors } = await bench.open(site, { hash: '/assets/0/big/sphere.hscene' });
  await viewed(page);
  const cuts = await page.evaluate(() => globalThis.assetcPage.view.model.clusters[0].instances.map(({ cut }) => cut.indices.length));
  assert.equal(cuts.length, 2);
  await page.evaluate(async () => {
    const { stage, model, clusters } = globalThis.assetcPage.view;
    const [near] = model.clusters[0].instances;
    stage.controls.target.setFromMatrixPosition(near.object.matrixWorld);
    stage.camera.position.copy(stage.controls.target).add({ x: 0, y: 0, z: 3 });
    stage.controls.update();
    await clusters.view.settle();
  });
  const [near, far] = await page.evaluate(() => globalThis.assetcPage.view.model.clusters[0].instances.map(({ cut }) => cut.indices.length));
  assert.ok(near > 1.5 * far, `${near} indices near, ${far} far away`);
  assert.equal(await page.locator('.nodes [role=treeitem]').count(), 2);
  assert.deepEqual(errors, []);
  await page.close();
});

test('skinned clusters have joints and clips', { skip }, async () => {
  const { page, errors } = await bench.open(site, { hash: '/assets/0/tentacle.hcluster' });
  await viewed(page);
  const before = await readCanvas(page);
  await page.getByLabel('Clip', { exact: true }).selectOption('1');
  await page.evaluate(() => globalThis.assetcPage.view.timeline.setTime(1.5));
  await settled(page);
  const now = await readCanvas(page);
  let changed = 0;
  for (let i = 0; i < now.data.length; i += 4) if (Math.abs(now.data[i] - before.data[i]) > 16) ++changed;
  assert.ok(changed > 500, `${changed} texels changed`);
  await page.getByRole('button', { name: 'Skeleton' }).click();
  for (const name of ['tentacle.hcluster', 'mesh_0.hcluster']) await page.getByRole('treeitem', { name }).first().locator('canvas.shape').waitFor();
  assert.deepEqual(errors, []);
  await page.close();
});

test('morph targets of clusters have sliders', { skip }, async () => {
  const path = 'tall/mesh_0.hcluster',
    opened = readers.clusters(bytesOf(path), path);
  assert.deepEqual(opened.facts.targets, [{ name: 'tall', weight: 0 }]);
  const view = { eye: [0, 0, 9], near: 0.01, limit: 1e-6, level: null },
    pool = new ClusterPool(opened),
    height = ({ position }) => Math.max(...position.filter((_, i) => i % 3 === 1));
  const rest = pool.cut([view], [0]).result,
    tall = pool.cut([view], [1]).result;
  assert.ok(!rest.isReset && tall.isReset);
  assert.ok(Math.abs(height(tall.added) / height(rest.added) - 2) < 0.02, `${height(rest.added)} becomes ${height(tall.added)}`);
  const { page, errors } = await bench.open(site, { hash: `/assets/0/${path}` });
  await viewed(page);
  const before = await readCanvas(page);
  await page.getByLabel('tall', { exact: true }).fill('1');
  await settled(page);
  const now = await readCanvas(page);
  let changed = 0;
  for (let i = 0; i < now.data.length; i += 4) if (Math.abs(now.data[i] - before.data[i]) > 16) ++changed;
  assert.ok(changed > 5000, `${changed} texels changed`);
  assert.deepEqual(errors, []);
  await page.close();
});

test('damaged clusters are an error at their asset', { skip }, async () => {
  const hostile = join(folder, 'hostile'),
    bytes = bytesOf('tentacle.hcluster');
  mkdirSync(hostile, { recursive: true });
  writeFileSync(join(hostile, 'cut.hcluster'), bytes.subarray(0, bytes.length >> 1));
  const changed = bytes.slice();
  changed[bytes.length - 1000] ^= 255;
  writeFileSync(join(hostile, 'changed.hcluster'), changed);
  const { page } = await bench.open(makeSite([{ output: hostile }]), { hash: '/assets/0/cut.hcluster' });
  await page.locator('main .problem').getByText('cut.hcluster').first().waitFor();
  await page.getByRole('treeitem', { name: 'changed.hcluster' }).click();
  await page.locator('main .problem').getByText('changed.hcluster').first().waitFor();
  await page.close();
});
