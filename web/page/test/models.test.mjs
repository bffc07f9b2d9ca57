// The view of a model draws what `assetc render` draws, and has what its file has.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { Bench, readCanvas, run, skip, viewed } from './browser.mjs';
import { makeSite } from './site.mjs';

/** @type {Bench} */
let bench;
before(async () => {
  if (!skip) bench = await Bench.start();
});
after(async () => {
  await bench?.close();
});

/** Which texels differ from the first one, which is background. */
function silhouette({ data, width, height }) {
  const out = new Uint8Array(width * height);
  for (let i = 0; i < out.length; ++i) out[i] = [0, 1, 2].some((c) => Math.abs(data[4 * i + c] - data[c]) > 4) ? 1 : 0;
  return out;
}

/** Covered by both, as a part of what is covered by one of them. */
function overlap(a, b) {
  let both = 0,
    any = 0;
  for (let i = 0; i < a.length; ++i) {
    both += a[i] & b[i];
    any += a[i] | b[i];
  }
  return both / any;
}

for (const path of ['models/crate/crate.hmesh', 'models/lantern/lantern.hmesh', 'models/tentacle.hmesh']) {
  test(`the silhouette of ${path} is that of assetc render`, { skip }, async () => {
    const { page, errors } = await bench.open(bench.site(), { hash: `/assets/0/${path}` });
    await viewed(page);
    const canvas = await readCanvas(page),
      picture = join(bench.folder, 'render.png');
    run(bench.output, 'render', path, picture, '--size', `${canvas.width}x${canvas.height}`);
    const { data } = await sharp(picture).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
    const found = silhouette(canvas),
      expected = silhouette({ data, width: canvas.width, height: canvas.height }),
      part = overlap(found, expected);
    assert.ok(part > 0.97, `the silhouettes overlap by ${part.toFixed(4)}`);
    assert.deepEqual(errors, []);
    await page.close();
  });
}

for (const colorScheme of ['light', 'dark'])
  test(`white models and models without materials stand out in the ${colorScheme} theme`, { skip }, async () => {
    const folder = join(bench.folder, `white-${colorScheme}`);
    mkdirSync(join(folder, 'assets'), { recursive: true });
    const corners = [0, 1, 2, 3, 4, 5, 6, 7].map((i) => `v ${i & 1} ${(i >> 1) & 1} ${i >> 2}\n`).join(''),
      faces = 'f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n';
    writeFileSync(join(folder, 'assets/bare.obj'), corners + faces);
    writeFileSync(join(folder, 'assets/white.mtl'), 'newmtl white\nKd 1 1 1\n');
    writeFileSync(join(folder, 'assets/white.obj'), `mtllib white.mtl\n${corners}usemtl white\n${faces}`);
    run(folder, 'build');
    const site = makeSite([{ output: join(folder, 'runtime'), input: join(folder, 'assets'), events: [] }]);
    for (const path of ['bare.hmesh', 'white.hmesh']) {
      const { page, errors } = await bench.open(site, { hash: `/assets/0/${path}`, context: { colorScheme } });
      await viewed(page);
      const { data, width, height } = await readCanvas(page),
        picture = join(folder, 'render.png');
      run(join(folder, 'runtime'), 'render', path, picture, '--size', `${width}x${height}`);
      const rendered = await sharp(picture).ensureAlpha().raw().toBuffer(),
        expected = silhouette({ data: rendered, width, height });
      let covered = 0,
        seen = 0;
      for (let i = 0; i < expected.length; ++i) {
        if (!expected[i]) continue;
        ++covered;
        if ([0, 1, 2].some((c) => Math.abs(data[4 * i + c] - data[c]) > 32)) ++seen;
      }
      assert.ok(covered > 0.05 * expected.length);
      assert.ok(seen > 0.95 * covered, `${path}: ${((100 * seen) / covered).toFixed(1)} % of it differs from the ground`);
      assert.deepEqual(errors, []);
      await page.close();
    }
  });

test('levels, styles and meshlets of a mesh', { skip }, async () => {
  const { page, errors } = await bench.open(bench.site(), { hash: '/assets/0/models/crate/crate.hmesh' });
  await viewed(page);
  const triangles = () =>
    page.evaluate(() => {
      const { view } = globalThis.assetcPage;
      return view.model.drawn.reduce((sum, { object }) => sum + object.geometry.getIndex().count / 3, 0);
    });
  const full = await triangles();
  assert.equal(full, 450);
  await page.keyboard.press('3');
  assert.ok((await triangles()) < full);
  await page.keyboard.press('1');
  for (const style of ['plain', 'normals', 'uv', 'tangents', 'meshlets']) {
    await page.getByLabel('Show', { exact: true }).selectOption(style);
    if (style === 'meshlets')
      await page.waitForFunction(() => globalThis.assetcPage.view.overlays.extras.some((extra) => extra.name === 'meshlets'));
    const { data } = await readCanvas(page);
    const colors = new Set();
    for (let i = 0; i < data.length; i += 64) colors.add(`${data[i] >> 4} ${data[i + 1] >> 4} ${data[i + 2] >> 4}`);
    assert.ok(colors.size > 3, `${style} draws ${colors.size} colors`);
  }
  const meshlets = await page.evaluate(() => new Set([...globalThis.assetcPage.view.overlays.meshlets.values()][0].meshlets).size);
  assert.equal(meshlets, 6);
  assert.deepEqual(errors, []);
  await page.close();
});

test('clips play, and the skeleton moves', { skip }, async () => {
  const { page, errors } = await bench.open(bench.site(), { hash: '/assets/0/models/tentacle.hmesh' });
  await viewed(page);
  assert.deepEqual(await page.getByLabel('Clip', { exact: true }).locator('option').allTextContents(), ['Rest pose', 'sway', 'curl']);
  const tip = () =>
    page.evaluate(() => {
      const { bones } = globalThis.assetcPage.view.model.drawn[0].object.skeleton;
      bones[0].updateMatrixWorld(true);
      return [...bones.at(-1).matrixWorld.elements];
    });
  const rest = await tip();
  await page.getByLabel('Clip', { exact: true }).selectOption('1');
  await page.evaluate(() => globalThis.assetcPage.view.timeline.setTime(1.5));
  assert.notDeepEqual(await tip(), rest);
  await page.getByRole('button', { name: 'Skeleton' }).click();
  await page.getByRole('button', { name: 'Play' }).click();
  await page.waitForFunction(() => globalThis.assetcPage.view.timeline.action.time > 1.6);
  await page.keyboard.press(' ');
  await page.getByRole('button', { name: 'Play', exact: true }).waitFor();
  assert.deepEqual(errors, []);
  await page.close();
});

test('after a build, a model reads only what has changed, and keeps its view', { skip }, async () => {
  const { page, server, errors } = await bench.open(bench.site({ live: true }), { hash: '/assets/0/models/lantern/lantern.hscene' });
  await viewed(page);
  await page.waitForFunction(() => document.getElementById('live').classList.contains('on'));
  await page.getByLabel('Show', { exact: true }).selectOption('plain');
  const camera = await page.evaluate(() => {
    const { view } = globalThis.assetcPage;
    globalThis.before = { group: view.model.group, geometry: view.model.drawn[0].object.geometry };
    view.stage.camera.position.x += 0.3;
    view.stage.controls.update();
    return view.stage.camera.position.toArray();
  });
  /** @type {string[]} */
  const requested = [];
  page.on('request', (request) => requested.push(request.url().replace(/.*\/data\//, '')));
  // Thumbnails of the tree are made first.
  for (let last = -1; last !== requested.length; ) {
    last = requested.length;
    await page.waitForTimeout(1500);
  }
  requested.length = 0;
  const begin = await page.evaluate(() => performance.now());
  const built = { event: 'built', ok: true, seconds: 0.02, everything: false, removed: [], errors: [] };
  server.emit({ ...built, written: ['models/lantern/lantern.hmat'] });
  await page.waitForFunction(() => performance.getEntriesByName('assetc-refreshed').length > 0);
  // Later, the thumbnail of the material is made again, which reads its texture.
  const read = await page.evaluate((from) => {
    const [{ startTime: end }] = performance.getEntriesByName('assetc-refreshed');
    const reads = performance.getEntriesByType('resource').filter(({ startTime }) => startTime > from && startTime <= end);
    return reads.map(({ name }) => name.replace(/.*\/data\//, ''));
  }, begin);
  assert.deepEqual(read.filter((url) => /hmesh|hscene|ktx2/.test(url)), []);
  assert.ok(read.includes('0/files/models/lantern/lantern.hmat'));
  const now = await page.evaluate(() => {
    const { view } = globalThis.assetcPage;
    return {
      isNew: view.model.group !== globalThis.before.group,
      sharesGeometry: view.model.drawn[0].object.geometry === globalThis.before.geometry,
      style: view.style,
      camera: view.stage.camera.position.toArray(),
    };
  });
  assert.deepEqual(now, { isNew: true, sharesGeometry: true, style: 'plain', camera });
  server.emit({ ...built, written: ['models/lantern/lantern/mesh_0.hmesh'] });
  await page.waitForFunction(() => performance.getEntriesByName('assetc-refreshed').length > 1);
  assert.ok(requested.includes('0/files/models/lantern/lantern/mesh_0.hmesh'));
  assert.deepEqual(errors, []);
  await page.close();
});

test('a scene has its nodes, materials and textures, and links to them', { skip }, async () => {
  const { page, errors } = await bench.open(bench.site(), { hash: '/assets/0/models/lantern/lantern.hscene' });
  await viewed(page);
  assert.equal(await page.locator('.nodes [role=treeitem]').count(), 11);
  await page.locator('.nodes [role=treeitem]').nth(3).click();
  assert.equal(await page.locator('.nodes [aria-selected=true]').count(), 1);
  await page.locator('#inspector').getByRole('button', { name: 'Brass' }).first().click();
  await viewed(page, 'models/lantern/lantern.hmat');
  await page.getByRole('heading', { name: 'Row 0' }).waitFor();
  await page.locator('#inspector .links').getByRole('button', { name: 'tex_0.ktx2' }).first().click();
  await viewed(page, 'models/lantern/lantern/tex_0.ktx2');
  await page.getByRole('heading', { name: /Used by/ }).waitFor();
  assert.ok((await page.locator('#inspector').textContent()).includes('lantern.hmat'));
  assert.deepEqual(errors, []);
  await page.close();
});
