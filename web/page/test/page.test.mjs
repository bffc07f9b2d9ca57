// The page around the views: the tree, keys, reports, live builds, files that are dropped, and files that are hostile.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
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

/** Drops files on the page. */
async function drop(page, files) {
  await page.evaluate(
    (list) => {
      const transfer = new DataTransfer();
      for (const { name, data } of list) transfer.items.add(new File([Uint8Array.from(atob(data), (c) => c.charCodeAt(0))], name));
      dispatchEvent(new DragEvent('drop', { dataTransfer: transfer, bubbles: true, cancelable: true }));
    },
    files.map(({ name, bytes }) => ({ name, data: Buffer.from(bytes).toString('base64') })),
  );
}

test('screen readers find the tree, the tabs, the facts and tables', { skip }, async () => {
  const { page, errors } = await bench.open(bench.site(), { hash: '/assets/0/textures/wall.ktx2' });
  await viewed(page);
  const tree = await page.getByRole('tree', { name: 'Assets' }).ariaSnapshot();
  assert.match(tree, /treeitem "wall\.ktx2.*\[level=2\] \[selected\]/);
  assert.equal(await page.getByRole('tab', { selected: true }).textContent(), 'Assets');
  const inspector = await page.getByRole('complementary', { name: 'Inspector' }).ariaSnapshot();
  assert.match(inspector, /term: Format\n\s+- definition: uastc/);
  assert.match(inspector, /columnheader "In memory"/);
  assert.match(inspector, /cell "128 × 128"/);
  const unnamed = await page.evaluate(() =>
    [...document.querySelectorAll('button, input, select')]
      .filter((one) => !one.hidden && !one.textContent.trim() && !one.getAttribute('aria-label') && !one.closest('label'))
      .map((one) => one.outerHTML),
  );
  assert.deepEqual(unnamed, []);
  assert.deepEqual(errors, []);
  await page.close();
});

test('keys, search and filters choose assets', { skip }, async () => {
  const { page, errors } = await bench.open(bench.site());
  await page.getByText('43 files').first().waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type('lantern tex_3');
  await page.getByText('1 of 43 files').waitFor();
  await page.keyboard.press('Enter');
  await viewed(page, 'models/lantern/lantern/tex_3.ktx2');
  await page.getByLabel('Search assets').fill('');
  await page.getByRole('button', { name: /^Shader/ }).click();
  await page.getByText('3 of 43 files').waitFor();
  await page.getByRole('tree', { name: 'Assets' }).focus();
  await page.keyboard.press('End');
  await viewed(page, 'shaders/lit.shader/vertex.spv');
  await page.keyboard.press('ArrowUp');
  await viewed(page, 'shaders/lit.shader/fragment.spv');
  assert.ok((await page.locator('#inspector').textContent()).includes('combined image sampler'));
  await page.goBack();
  await viewed(page, 'shaders/lit.shader/vertex.spv');
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keys' }).getByRole('button', { name: 'Close' }).click();
  assert.deepEqual(errors, []);
  await page.close();
});

test('the report maps bytes, and a click opens the asset', { skip }, async () => {
  const site = bench.site();
  site.roots[0].diagnostics.push(
    { event: 'budget', place: '/budgets/0', match: 'textures/*', kind: 'texture', unit: 'bytes', used: 300, allowed: 200 },
    { event: 'budget', place: '/budgets/1', match: '**', kind: '', unit: 'bytes', used: 100, allowed: 200 },
    {
      event: 'diagnostic',
      severity: 'warning',
      code: 'unsupported',
      file: 'textures/wall.png',
      place: 'PNG iCCP',
      what: 'found a profile',
      hint: 'convert it',
      kind: 'picture-colors',
    },
  );
  const { page, errors } = await bench.open(site, { hash: '/report/0' });
  await page.getByRole('region', { name: 'Report' }).waitFor();
  const report = page.getByRole('region', { name: 'Report' });
  await report.getByText('over the limit').waitFor();
  await report.getByText('textures of textures/*').waitFor();
  await report.getByText('all files').waitFor();
  await report.getByText('picture-colors (1)').waitFor();
  await report.getByText(/not built yet \(\d+ steps\)/).waitFor();
  const text = await report.textContent();
  assert.ok(text.includes('Slowest steps') && text.includes('Largest files') && text.includes('Duplicates'));
  await report.getByRole('button', { name: 'Open textures/wall.ktx2' }).click();
  await viewed(page, 'textures/wall.ktx2');
  await page.locator('#inspector').getByText('found a profile').waitFor();
  await page.getByRole('tab', { name: 'Report' }).click();
  await page.waitForFunction(() => document.querySelector('.treemap canvas')?.width > 300);
  const box = await page.locator('.treemap canvas').boundingBox();
  await page.mouse.click(box.x + 40, box.y + box.height - 40);
  await page.waitForFunction(() => globalThis.assetcPage.path.startsWith('models/lantern/'));
  await viewed(page);
  assert.deepEqual(errors, []);
  await page.close();
});

test('a live build shows the new texels in place, and its errors', { skip }, async () => {
  const site = bench.site({ live: true }),
    { page, server, errors } = await bench.open(site, { hash: '/assets/0/ui/button.ktx2' });
  await viewed(page);
  await page.waitForFunction(() => document.getElementById('live').classList.contains('on'));
  const before = await readCanvas(page),
    path = join(bench.output, 'ui/button.ktx2'),
    bytes = readFileSync(path);
  cpSync(join(bench.demo, 'assets/ui/button.png'), join(bench.folder, 'flat/assets/ui/button.png'), { recursive: true });
  const sharp = (await import('sharp')).default;
  writeFileSync(
    join(bench.folder, 'flat/assets/ui/button.png'),
    await sharp({ create: { width: 96, height: 48, channels: 4, background: '#ff00ff' } })
      .png()
      .toBuffer(),
  );
  writeFileSync(join(bench.folder, 'flat/assetc.yml'), '{"default": {"texture": {"compress": false, "mips": false}}}');
  run(join(bench.folder, 'flat'), 'build');
  cpSync(join(bench.folder, 'flat/runtime/ui/button.ktx2'), path);
  site.roots[0].files.find((file) => file.path === 'ui/button.ktx2').format = 'its new format';
  server.emit({ event: 'built', ok: true, seconds: 0.02, everything: false, written: ['ui/button.ktx2'], removed: [], errors: [] });
  await page.waitForFunction(() => globalThis.assetcPage.view.image.data[0] === 255 && globalThis.assetcPage.view.image.data[1] === 0);
  const middle = ({ data, width, height }) => [
    ...data.subarray(4 * (width * (height >> 1) + (width >> 1)), 4 * (width * (height >> 1) + (width >> 1)) + 3),
  ];
  const now = await readCanvas(page);
  assert.notDeepEqual(middle(before), middle(now));
  assert.deepEqual(middle(now), [255, 0, 255]);
  await page.locator('#inspector').getByText('its new format').waitFor();
  assert.equal(await page.locator('#inspector h3').getByText('Facts').count(), 1);
  server.emit({
    event: 'built',
    ok: false,
    seconds: 0.02,
    everything: false,
    written: [],
    removed: [],
    errors: [{ file: 'ui/button.png', place: 'byte 8', what: 'found no IHDR', hint: 'save it again' }],
  });
  await page.locator('#bar').getByText('found no IHDR').waitFor();
  await page.locator('#inspector .problem').getByText('found no IHDR').waitFor();
  server.dropListeners();
  while (server.listeners.size === 0) await new Promise((done) => setTimeout(done, 20));
  server.emit({ event: 'built', ok: true, seconds: 0.5, everything: false, written: [], removed: [], errors: [] });
  await page.locator('#live').getByText('Built in 500 ms').waitFor();
  assert.ok(await page.locator('#bar').isHidden(), 'the errors are gone');
  writeFileSync(path, bytes);
  assert.deepEqual(errors, []);
  await page.close();
});

test('two builds side by side', { skip }, async () => {
  run(bench.demo, 'build', '--preset', 'mobile');
  const { page, errors } = await bench.open(bench.site({}, [{ output: join(bench.demo, 'runtime/mobile'), input: '', label: 'mobile' }]), {
    hash: '/compare/0',
  });
  await page.getByRole('heading', { name: /changes/ }).waitFor();
  const table = await page.getByRole('region', { name: 'Changes' }).textContent();
  assert.ok(table.includes('textures/wall.ktx2') && table.includes('grown'));
  await page.getByRole('button', { name: 'decals/leaf.ktx2' }).click();
  await page.getByText(/^PSNR .* SSIM/).waitFor();
  assert.equal(await page.locator('.pane').count(), 3);
  assert.deepEqual(errors, []);
  await page.close();
});

test('a cooked folder has a graph, and textures of blobs', { skip }, async () => {
  const folder = join(bench.folder, 'cook');
  for (const path of ['textures', 'models/crate', 'models/tentacle.glb', 'materials'])
    cpSync(join(bench.demo, 'assets', path), join(folder, 'Assets', path), { recursive: true });
  writeFileSync(join(folder, 'assetc.yml'), '{}');
  run(folder, 'import');
  run(folder, 'cook', '--platform', 'Linux');
  const output = ['build/Cooked/Linux', 'Cooked/Linux']
    .map((path) => join(folder, path))
    .find((path) => {
      try {
        readFileSync(join(path, 'Registry/AssetRegistry.json'));
        return true;
      } catch {
        return false;
      }
    });
  const { page, errors } = await bench.open(bench.site({}, []), {});
  await page.close();
  const cooked = await bench.open(makeSite([{ output, type: 'cooked', label: 'Linux' }]), { hash: '/dependencies/0' });
  await cooked.page.getByRole('heading', { name: /assets of the registry/ }).waitFor();
  await cooked.page.getByText('Why is it here?').waitFor();
  await cooked.page.getByLabel('Search assets of the registry').fill('wall texture2d');
  await cooked.page.getByRole('region', { name: 'Assets' }).locator('tbody button').first().click();
  await cooked.page.getByRole('button', { name: 'Open', exact: true }).click();
  await viewed(cooked.page);
  assert.equal(await cooked.page.evaluate(() => globalThis.assetcPage.view.image.width), 256);
  const pathOf = (type, name) =>
    cooked.page.evaluate(
      ([wanted, end]) =>
        globalThis.assetcPage.root.registry.Assets.find((asset) => asset.Type === wanted && asset.VirtualPath.endsWith(end)).CookedPath,
      [type, name],
    );
  const mesh = await pathOf('Mesh', '/crate');
  await cooked.page.evaluate((path) => globalThis.assetcPage.open(path), mesh);
  await viewed(cooked.page, mesh);
  const drawn = await cooked.page.evaluate(() => {
    const [{ object, levels }] = globalThis.assetcPage.view.model.drawn;
    return { triangles: object.geometry.getIndex().count / 3, levels: levels.length, hasTexture: Boolean([object.material].flat()[0].map) };
  });
  assert.equal(drawn.triangles, await cooked.page.evaluate((path) => globalThis.assetcPage.root.assetOf(path).Desc.IndexCount / 3, mesh));
  assert.ok(drawn.hasTexture, 'the material has its texture');
  const skinned = await pathOf('Mesh', '/tentacle');
  await cooked.page.evaluate((path) => globalThis.assetcPage.open(path), skinned);
  await viewed(cooked.page, skinned);
  assert.deepEqual((await cooked.page.getByLabel('Clip', { exact: true }).locator('option').allTextContents()).sort(), ['Rest pose', 'curl', 'sway']);
  const rest = await readCanvas(cooked.page);
  await cooked.page.getByRole('button', { name: 'Skeleton', exact: true }).click();
  const tip = await cooked.page.evaluate(() => {
    const { view } = globalThis.assetcPage,
      [{ object }] = view.model.drawn;
    object.skeleton.bones.at(-1).parent.rotation.z += 1;
    view.stage.drawNow();
    return object.skeleton.bones.length;
  });
  assert.ok(tip > 1, 'it has joints');
  const bent = await readCanvas(cooked.page);
  let moved = 0;
  for (let i = 0; i < bent.data.length; i += 4) if (Math.abs(bent.data[i] - rest.data[i]) > 16) ++moved;
  assert.ok(moved > 200, `${moved} texels changed`);
  const material = await pathOf('Material', '/gold');
  await cooked.page.evaluate((path) => globalThis.assetcPage.open(path), material);
  await viewed(cooked.page, material);
  await cooked.page.getByRole('heading', { name: 'Row 0' }).waitFor();
  assert.deepEqual([...errors, ...cooked.errors], []);
  await cooked.page.close();
  // The entries of a bundle: UUIDs with types.
  const entries = join(bench.folder, 'entries'),
    registry = JSON.parse(readFileSync(join(output, 'Registry/AssetRegistry.json'), 'utf8'));
  for (const { Uuid, CookedPath } of registry.Assets) cpSync(join(output, CookedPath), join(entries, Uuid));
  const site = makeSite([{ output: entries, type: 'bundle', label: 'base' }]);
  site.roots[0].files = registry.Assets.map(({ Uuid, Type }) => ({
    event: 'file',
    path: Uuid,
    kind: 'asset',
    bytes: readFileSync(join(entries, Uuid)).length,
    type: Type,
  }));
  const { Uuid: uuid } = registry.Assets.find(({ VirtualPath }) => VirtualPath.endsWith('/tentacle/tentacle'));
  const bundle = await bench.open(site, { hash: `/assets/0/${uuid}` });
  await viewed(bundle.page);
  await bundle.page.getByRole('button', { name: /^Skeleton ?1$/ }).waitFor();
  await bundle.page.getByRole('button', { name: 'Skeleton', exact: true }).waitFor();
  await bundle.page.getByRole('treeitem', { name: uuid }).locator('canvas.shape').waitFor();
  assert.deepEqual(bundle.errors, []);
  await bundle.page.close();
});

test('files that are dropped are shown without a server', { skip }, async () => {
  const { page, errors } = await bench.open(bench.site());
  await page.getByText('43 files').first().waitFor();
  const at = (path) => ({ name: basename(path), bytes: readFileSync(join(bench.output, path)) });
  await drop(page, [at('ui/button.ktx2')]);
  await viewed(page, 'button.ktx2');
  assert.equal(await page.evaluate(() => globalThis.assetcPage.view.image.width), 96);
  await drop(
    page,
    ['models/tentacle.hmesh', 'models/tentacle.hanim', 'models/tentacle.hmat', 'models/tentacle/tex_0.ktx2', 'assets.hman'].map(at),
  );
  await page.locator('#totals').getByText('5 files').waitFor();
  await page.getByRole('treeitem', { name: 'tentacle.hmesh' }).click();
  await viewed(page, 'tentacle.hmesh');
  assert.equal(await page.evaluate(() => globalThis.assetcPage.view.model.clips.length), 2);
  assert.deepEqual(errors, []);
  await page.close();
});

test('a damaged file is an error at its asset, and names are only text', { skip }, async () => {
  const folder = join(bench.folder, 'hostile'),
    evil = '<img src=x onerror=alert(1)>.ktx2';
  mkdirSync(folder, { recursive: true });
  const texture = readFileSync(join(bench.output, 'textures/wall.ktx2')),
    mesh = readFileSync(join(bench.output, 'models/crate/crate.hmesh'));
  writeFileSync(join(folder, 'cut.ktx2'), texture.subarray(0, 5000));
  writeFileSync(join(folder, 'cut.hmesh'), mesh.subarray(0, mesh.length >> 1));
  writeFileSync(join(folder, evil), texture);
  const site = makeSite([{ output: folder }]);
  site.roots[0].diagnostics.push({
    event: 'diagnostic',
    severity: 'warning',
    code: 'x',
    file: evil,
    place: '<b>1</b>',
    what: '<script>globalThis.hacked = 1</script>',
    hint: '<i>',
    kind: '',
  });
  const { page } = await bench.open(site, { hash: '/assets/0/cut.ktx2' });
  let dialogs = 0;
  page.on('dialog', (dialog) => {
    ++dialogs;
    dialog.dismiss();
  });
  await page.locator('main .problem').getByText('cut.ktx2').first().waitFor();
  await page.getByRole('treeitem', { name: 'cut.hmesh' }).click();
  await page.locator('main .problem').getByText('cut.hmesh').first().waitFor();
  await page.getByRole('button', { name: /^With problems/ }).waitFor();
  await page.getByRole('treeitem', { name: 'onerror' }).click();
  await viewed(page, evil);
  await page.locator('#inspector').getByText('<script>globalThis.hacked = 1</script>').waitFor();
  assert.equal(await page.locator('main img, #inspector img, #tree img').count(), 0);
  assert.equal(await page.evaluate(() => globalThis.hacked), undefined);
  assert.equal(dialogs, 0);
  await page.close();
});

test('a reader that does not end is stopped', { skip }, async () => {
  const { page } = await bench.open(bench.site());
  await page.getByText('43 files').first().waitFor();
  const error = await page.evaluate(async () => {
    const { root } = globalThis.assetcPage;
    return globalThis.assetcPage.jobs
      .run('image', 'slow.ktx2', { bytes: await root.read('textures/wall.ktx2'), index: {}, as: '' }, { limit: 0 })
      .then(
        () => 'it ended',
        (one) => one.message,
      );
  });
  assert.match(error, /slow\.ktx2: reading took longer than/);
  await page.evaluate(() => globalThis.assetcPage.open('textures/wall.ktx2'));
  await viewed(page, 'textures/wall.ktx2');
  await page.close();
});

test('20,000 assets: few elements exist, and the last one is reached', { skip }, async () => {
  const site = bench.site();
  site.roots[0].files = Array.from({ length: 20_000 }, (_, i) => ({
    event: 'file',
    path: `set_${String(i % 100).padStart(2, '0')}/asset_${i}.ktx2`,
    kind: 'texture',
    bytes: 1000 + i,
    width: 4,
    height: 4,
    levels: 1,
    format: 'uastc',
  }));
  const { page, errors } = await bench.open(site);
  await page.getByText('20,000 files').first().waitFor();
  await page.getByLabel('Order').selectOption('bytes');
  await page.waitForFunction(() => globalThis.assetcPage.list.tree.rows.length === 20_000);
  const seen = await page.evaluate(async () => {
    const tree = document.getElementById('tree'),
      { rows } = globalThis.assetcPage.list.tree;
    tree.scrollTop = 30 * rows.length;
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    return {
      last: [...tree.querySelectorAll('.row')].some((row) => row.textContent.startsWith('asset_0.ktx2 set_00')),
      elements: tree.querySelectorAll('.row').length,
    };
  });
  assert.ok(seen.last, 'the smallest asset is at the end');
  assert.ok(seen.elements < 100, `${seen.elements} rows exist`);
  assert.deepEqual(errors, []);
  await page.close();
});

test('a page without its token says what to do', { skip }, async () => {
  const { page, server } = await bench.open(bench.site(), { token: 'secret' });
  await page.getByText('43 files').first().waitFor();
  const other = await bench.browser.newPage();
  await other.goto(server.url.replace('#secret', '#wrong'));
  await other.getByText('open the address that assetc printed').waitFor();
  await other.close();
  await page.close();
});

test('on a phone the tree is a drawer', { skip }, async () => {
  const { page, errors } = await bench.open(bench.site(), { hash: '/assets/0/textures/wall.ktx2', size: { width: 390, height: 844 } });
  await viewed(page);
  assert.ok(!(await page.locator('#assets').isVisible()));
  await page.getByRole('button', { name: 'Show the assets' }).click();
  await page.getByRole('treeitem', { name: 'wall.n.ktx2' }).click();
  await viewed(page, 'textures/wall.n.ktx2');
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'nothing is wider than the screen');
  assert.deepEqual(errors, []);
  await page.close();
});
