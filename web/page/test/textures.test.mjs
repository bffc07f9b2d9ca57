// The view of a texture shows the texels that the compiler wrote, and measures as `assetc diff` does.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { join } from 'node:path';
import sharp from 'sharp';
import { Bench, readCanvas, run, skip, viewed } from './browser.mjs';

/** @type {Bench} */
let bench;
before(async () => {
  if (!skip) bench = await Bench.start();
});
after(async () => {
  await bench?.close();
});

/** The texel of a picture in a canvas. */
function colorAt(canvas, x, y) {
  const at = 4 * (Math.round(y) * canvas.width + Math.round(x));
  return [...canvas.data.subarray(at, at + 3)];
}

/** Where a texel of the texture is drawn. */
async function placeOf(page, x, y) {
  return page.evaluate(
    ([u, v]) => {
      const { canvas } = globalThis.assetcPage.view,
        [ox, oy] = canvas.origin();
      return [ox + (u + 0.5) * canvas.scale, oy + (v + 0.5) * canvas.scale];
    },
    [x, y],
  );
}

test('an uncompressed texture has the colors of its source', { skip }, async () => {
  const { page, errors } = await bench.open(bench.site(), { hash: '/assets/0/ui/button.ktx2' });
  await viewed(page);
  const { data, info } = await sharp(join(bench.demo, 'assets/ui/button.png')).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
  const canvas = await readCanvas(page);
  let opaque = 0;
  for (const [x, y] of [
    [10, 10],
    [48, 24],
    [20, 30],
    [80, 40],
    [1, 24],
    [90, 12],
  ]) {
    const at = 4 * (y * info.width + x);
    if (data[at + 3] !== 255) continue;
    ++opaque;
    assert.deepEqual(colorAt(canvas, ...(await placeOf(page, x, y))), [...data.subarray(at, at + 3)], `texel ${x}, ${y}`);
  }
  assert.ok(opaque >= 3, 'opaque texels were compared');
  assert.deepEqual(errors, []);
  await page.close();
});

test('channels, levels and the value under the pointer', { skip }, async () => {
  const { page, errors } = await bench.open(bench.site(), { hash: '/assets/0/textures/wall.ktx2' });
  await viewed(page);
  const [x, y] = await placeOf(page, 128, 128);
  const color = colorAt(await readCanvas(page), x, y);
  await page.keyboard.press('g');
  await page.keyboard.press('b');
  const red = colorAt(await readCanvas(page), x, y);
  assert.deepEqual(red, [color[0], color[0], color[0]], 'one channel is shown as gray');
  const box = await page.locator('main canvas').boundingBox();
  await page.mouse.move(box.x + x, box.y + y);
  await assert.doesNotReject(page.getByText(`R ${color[0]}  G ${color[1]}  B ${color[2]}`).waitFor());
  await page.keyboard.press('9');
  await page.waitForFunction(() => globalThis.assetcPage.view.image.width === 1);
  assert.equal(await page.getByLabel('Level', { exact: true }).inputValue(), '8');
  assert.deepEqual(errors, []);
  await page.close();
});

test('the difference of equal pictures is black, and PSNR and SSIM are those of assetc diff', { skip }, async () => {
  const { page, errors } = await bench.open(bench.site(), { hash: '/assets/0/ui/button.ktx2' });
  await viewed(page);
  await page.getByRole('button', { name: 'Difference' }).click();
  await page.getByText('PSNR equal').waitFor();
  const canvas = await readCanvas(page),
    [left, top] = await placeOf(page, 0, 0),
    [right, bottom] = await placeOf(page, 95, 47);
  for (let y = Math.ceil(top); y < bottom; y += 3)
    for (let x = Math.ceil(left); x < right; x += 3)
      assert.ok(
        colorAt(canvas, x, y).every((c) => c < 60 && c === colorAt(canvas, x, y)[0]),
        `texel at ${x}, ${y} is no difference`,
      );
  await page.evaluate(() => globalThis.assetcPage.open('textures/wall.ktx2'));
  await viewed(page, 'textures/wall.ktx2');
  await page.getByRole('button', { name: 'Split' }).click();
  await page.waitForFunction(() => globalThis.assetcPage.view.found);
  const found = await page.evaluate(() => globalThis.assetcPage.view.found);
  const [line] = run(bench.demo, 'diff', '--json', 'assets/textures/wall.png', 'runtime/desktop/textures/wall.ktx2')
    .split('\n')
    .map((text) => JSON.parse(text || '{}'))
    .filter((one) => one.event === 'difference');
  assert.ok(Math.abs(found.psnr - line.psnr_db) < 1e-3, `PSNR ${found.psnr}, assetc diff says ${line.psnr_db}`);
  assert.ok(Math.abs(found.ssim - line.ssim) < 1e-4, `SSIM ${found.ssim}, assetc diff says ${line.ssim}`);
  assert.deepEqual(errors, []);
  await page.close();
});

test('a texture as each format that it becomes', { skip }, async () => {
  const { page, errors } = await bench.open(bench.site(), { hash: '/assets/0/decals/leaf.ktx2' });
  await viewed(page);
  const formats = await page
    .getByLabel('As', { exact: true })
    .locator('option')
    .evaluateAll((options) => options.map((option) => option.value).filter(Boolean));
  assert.ok(formats.includes('bc7') && formats.includes('astc-4x4') && formats.includes('etc2-rgba') && formats.includes('bc1'));
  const own = await page.evaluate(() => [...globalThis.assetcPage.view.image.data]);
  for (const format of formats) {
    await page.getByLabel('As', { exact: true }).selectOption(format);
    await page.waitForFunction(
      (name) =>
        globalThis.assetcPage.view.image.encodedBytes > 0 &&
        document.querySelector('.note.right').textContent.startsWith(`as ${name.toUpperCase()}`),
      format,
    );
    const data = await page.evaluate(() => [...globalThis.assetcPage.view.image.data]);
    let squared = 0;
    for (let i = 0; i < data.length; i += 4) squared += (data[i + 1] - own[i + 1]) ** 2;
    const psnr = 10 * Math.log10((255 * 255 * (data.length / 4)) / Math.max(squared, 1e-9));
    assert.ok(psnr > 30, `${format}: green differs with a PSNR of ${psnr}`);
  }
  assert.deepEqual(errors, []);
  await page.close();
});

test('cubemaps, arrays, volumes and half floats', { skip }, async () => {
  const { page, errors } = await bench.open(bench.site(), { hash: '/assets/0/sky/dusk.env.ktx2' });
  await viewed(page);
  const faces = [];
  for (const face of ['0', '2', '3']) {
    await page.getByLabel('Face').selectOption(face);
    await page.waitForFunction((wanted) => globalThis.assetcPage.view.image.index.face === Number(wanted), face);
    faces.push((await page.evaluate(() => [...globalThis.assetcPage.view.image.data.slice(0, 64)])).join());
  }
  assert.equal(new Set(faces).size, 3, 'faces differ');
  assert.ok(await page.evaluate(() => globalThis.assetcPage.view.image.half));
  for (const [path, label, count] of [
    ['terrain/ground.arr.ktx2', 'Layer', 3],
    ['grading/evening.lut.ktx2', 'Slice', 9],
  ]) {
    await page.evaluate((to) => globalThis.assetcPage.open(to), path);
    await viewed(page, path);
    assert.equal(await page.getByLabel(label).locator('option').count(), count);
    await page.getByLabel(label).selectOption(String(count - 1));
    await page.waitForFunction(([name, i]) => globalThis.assetcPage.view.image.index[name] === i, [label.toLowerCase(), count - 1]);
  }
  assert.deepEqual(errors, []);
  await page.close();
});
