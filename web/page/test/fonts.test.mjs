// Fonts: what readers.wasm reads and lays out, what the page draws of it, and what `assetc render` draws.
import assert from 'node:assert/strict';
import { existsSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { loadTranscoder } from '@assetc/codec';
import sharp from 'sharp';
import { drawText } from '../src/font_draw.js';
import { Readers } from '../src/readers.js';
import { attack } from './attack.mjs';
import { Bench, run, skip as noBrowser, viewed } from './browser.mjs';
import { makeSite } from './site.mjs';

const source = ['/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf', '/usr/share/fonts/truetype/liberation/LiberationSans-Regular.ttf'].find(
  (path) => existsSync(path),
);
const skip = noBrowser || (source ? false : 'there is no font; install fonts-dejavu-core');

/** @type {string} */
let folder;
/** @type {Readers} */
let readers;
/** @type {Bench} */
let bench;
before(async () => {
  if (skip) return;
  folder = mkdtempSync(join(tmpdir(), 'assetc-fonts-'));
  mkdirSync(join(folder, 'assets/fonts'), { recursive: true });
  cpSync(/** @type {string} */ (source), join(folder, 'assets/fonts/ui.ttf'));
  writeFileSync(join(folder, 'assetc.yml'), '{}');
  run(folder, 'build');
  readers = await Readers.load(readFileSync(new URL('../wasm/readers.wasm', import.meta.url)));
  bench = await Bench.start();
});
after(async () => {
  await bench?.close();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

const bytesOf = (path) => new Uint8Array(readFileSync(join(folder, 'runtime', path)));

test('text is drawn as assetc render draws it', { skip }, async () => {
  const font = readers.font(bytesOf('fonts/ui.hfont'), 'ui.hfont'),
    facts = font.facts(),
    file = (await loadTranscoder()).open(bytesOf('fonts/ui.atlas.ktx2')),
    { data } = file.transcode({}, 'rgba8');
  file.close();
  for (const [text, size] of [
    ['AVATAR To, "Wa".', 18],
    ['AVATAR\nÄgypten', 61],
  ]) {
    const picture = join(folder, 'text.png');
    run(folder, 'render', 'runtime/fonts/ui.hfont', picture, '--text', text, '--text-size', String(size));
    const { data: expected, info } = await sharp(picture).ensureAlpha().raw().toBuffer({ resolveWithObject: true }),
      layout = font.layout(text, { size }),
      margin = (info.width - Math.ceil(layout.width)) / 2,
      drawn = drawText(facts, { width: facts.width, height: facts.height, data }, layout, margin);
    assert.deepEqual([drawn.width, drawn.height], [info.width, info.height]);
    let ink = 0;
    drawn.data.forEach((covered, i) => {
      ink += covered;
      assert.ok(Math.abs(255 - covered - expected[4 * i]) <= 1, `pixel ${i}: ${255 - covered}, expected ${expected[4 * i]}`);
    });
    assert.ok(ink > 255 * size, 'something is drawn');
  }
});

test('kerning moves glyphs, and lines break at a width', { skip }, () => {
  const font = readers.font(bytesOf('fonts/ui.hfont'), 'ui.hfont');
  assert.ok(font.facts().kerning.length > 0 && font.facts().kerningPairs >= font.facts().kerning.length);
  assert.ok(font.layout('AVAVAV', { size: 40 }).width < font.layout('AVAVAV', { size: 40, kerning: false }).width);
  assert.equal(font.layout('one two three', { size: 40, maxWidth: 90 }).lines, 3);
  assert.equal(font.layout('', { size: 40 }).quads.length, 0);
});

test('damaged fonts are refused', { skip }, () => {
  attack(
    bytesOf('fonts/ui.hfont'),
    (bytes, file) => {
      const font = readers.font(bytes, file);
      font.facts();
      font.layout('AVA', { size: 20 });
    },
    { prefixes: 100, changes: 500, head: 4096 },
  );
});

test('the page draws what is typed, the atlas, and tables of glyphs', { skip }, async () => {
  const site = makeSite([{ output: join(folder, 'runtime'), input: join(folder, 'assets') }]),
    { page, errors } = await bench.open(site, { hash: '/assets/0/fonts/ui.hfont' });
  await viewed(page);
  await page.getByRole('treeitem', { name: 'ui.hfont' }).locator('canvas.shape').waitFor();
  assert.equal(await page.locator('.text-line canvas').count(), 6);
  const ink = () =>
    page.evaluate(() => {
      const canvas = /** @type {HTMLCanvasElement} */ (document.querySelector('.text-line canvas'));
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      let sum = 0;
      for (let i = 3; i < data.length; i += 4) sum += data[i];
      return sum;
    });
  const before = await ink();
  assert.ok(before > 0);
  await page.getByLabel('Text', { exact: true }).fill('i漢');
  await page.getByText('The font does not have: 漢').waitFor();
  assert.ok((await ink()) < before);
  await page.getByLabel('Size', { exact: true }).selectOption('48');
  await page.waitForFunction(() => document.querySelectorAll('.text-line canvas').length === 1);
  const glyphs = await page.getByRole('region', { name: 'Glyphs' }).ariaSnapshot();
  assert.match(glyphs, /cell "0041"/);
  assert.ok(await page.getByRole('region', { name: 'Kerning pairs' }).isVisible());
  await page.getByRole('region', { name: 'Glyphs' }).getByRole('button', { name: 'A', exact: true }).click();
  await page.getByText(/^glyph \d+ A U\+0041/).waitFor();
  await page.getByLabel('Zoom', { exact: true }).fill('3');
  const widths = await page.evaluate(() => [document.querySelector('.atlas canvas').width, globalThis.assetcPage.view.facts.width]);
  assert.equal(widths[0], 3 * widths[1]);
  await page.locator('#inspector .links').getByRole('button', { name: 'ui.atlas.ktx2' }).click();
  await viewed(page, 'fonts/ui.atlas.ktx2');
  assert.deepEqual(errors, []);
  await page.close();
});

test('a damaged font, and one without its atlas, say what is wrong', { skip }, async () => {
  const hostile = join(folder, 'hostile'),
    bytes = bytesOf('fonts/ui.hfont');
  mkdirSync(hostile, { recursive: true });
  writeFileSync(join(hostile, 'cut.hfont'), bytes.subarray(0, bytes.length >> 1));
  writeFileSync(join(hostile, 'lonely.hfont'), bytes);
  const { page } = await bench.open(makeSite([{ output: hostile }]), { hash: '/assets/0/cut.hfont' });
  await page.locator('main .problem').getByText('cut.hfont').first().waitFor();
  await page.getByRole('treeitem', { name: 'lonely.hfont' }).click();
  await page.locator('main .problem').getByText('lonely.atlas.ktx2').first().waitFor();
  await page.getByRole('region', { name: 'Glyphs' }).waitFor();
  await page.close();
});
