// Thumbnails of models, scenes and materials: what they draw, and that the page makes them for visible rows alone.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { drawTriangles, sphere } from '../src/raster.js';
import { compose, multiply, transform } from '../src/model_thumbnail.js';
import { Bench, skip, viewed } from './browser.mjs';

/** @type {Bench} */
let bench;
before(async () => {
  if (!skip) bench = await Bench.start();
});
after(async () => {
  await bench?.close();
});

const RED = { color: [0.8, 0.05, 0.05], texture: null, cutoff: 0 };

test('a sphere is a disk in its color, lit from above', () => {
  const { data } = drawTriangles([sphere(RED)], 48),
    at = (x, y) => [...data.subarray(4 * (48 * y + x), 4 * (48 * y + x) + 4)];
  let covered = 0;
  for (let i = 3; i < data.length; i += 4) covered += data[i] / 255;
  const area = Math.PI * (24 / 1.02) ** 2;
  assert.ok(Math.abs(covered / area - 1) < 0.05, `${covered} pixels are covered, expected about ${area}`);
  assert.equal(at(0, 0)[3], 0);
  const [red, green, blue, alpha] = at(24, 24);
  assert.ok(alpha === 255 && red > 2 * green && red > 2 * blue);
  assert.ok(at(18, 12)[0] > at(28, 40)[0], 'the top is brighter');
});

test('nearer triangles hide those behind them, in any order', () => {
  const blue = { color: [0.05, 0.05, 0.8], texture: null, cutoff: 0 },
    small = sphere(blue),
    near = { ...small, ...transform(small, [0.3, 0, 0, 0, 0, 0.3, 0, 0, 0, 0, 0.3, 0, 0.5, 0.26, 0.84, 1]) };
  for (const parts of [
    [sphere(RED), near],
    [near, sphere(RED)],
  ]) {
    const { data } = drawTriangles(parts, 48),
      middle = [...data.subarray(4 * (48 * 24 + 24), 4 * (48 * 24 + 24) + 3)];
    assert.ok(middle[2] > middle[0], `the middle is ${middle}`);
  }
});

test('transforms of nodes', () => {
  const turned = compose({ translation: [1, 2, 3], rotation: [0, 0, Math.SQRT1_2, Math.SQRT1_2], scale: [2, 2, 2] }),
    { positions } = transform({ positions: new Float32Array([1, 0, 0]), normals: null }, multiply(turned, turned));
  assert.deepEqual(
    [...positions].map((value) => Math.round(1000 * value) / 1000),
    [-7, 4, 9],
  );
});

test('triangles that are not finite are left out', () => {
  const bad = sphere(RED);
  bad.positions.fill(NaN, 0, 300);
  drawTriangles([bad], 16);
  drawTriangles([{ ...bad, positions: new Float32Array(bad.positions.length).fill(1e38) }], 16);
});

test('rows of models, scenes and materials get pictures', { skip }, async () => {
  const { page, errors } = await bench.open(bench.site(), { size: { width: 1280, height: 1600 } });
  await page.getByText('43 files').first().waitFor();
  for (const name of ['lantern.hscene', 'lantern.hmesh', 'crate.hmesh', 'tentacle.hmesh', 'gold.hmat', 'lantern.hmat'])
    await page.getByRole('treeitem', { name: new RegExp(`^${name}`) }).first().locator('canvas.shape').waitFor();
  const [colors, bytes] = await page.evaluate(() => {
    const row = [...document.querySelectorAll('[role=treeitem]')].find((one) => one.title.endsWith('gold.hmat')),
      canvas = row.querySelector('canvas'),
      { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height),
      at = 4 * (canvas.width * (canvas.height >> 1) + (canvas.width >> 1));
    return [[...data.subarray(at, at + 4)], canvas.width];
  });
  assert.equal(bytes, 48);
  assert.ok(colors[3] === 255 && colors[0] > colors[2] + 30, `gold is ${colors}`);
  await page.getByRole('treeitem', { name: /^lantern\.hscene/ }).click();
  await viewed(page, 'models/lantern/lantern.hscene');
  assert.deepEqual(errors, []);
  await page.close();
});
