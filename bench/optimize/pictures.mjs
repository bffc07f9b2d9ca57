// Draws each model and what programs made of it, with three.js and Babylon.js in a headless Chromium, and compares the
// pictures. Each engine has one camera and one light for the source and all files made of it.
//
//   node pictures.mjs [--sheets FOLDER] [--share 0.37] SOURCE=MADE[,MADE]...
//
// Needs npm ci in bench, tests/interop and web, and Chromium. The first clip is drawn at --share of its length. Prints a
// Markdown table: PSNR in dB over the whole picture, and the mean difference of the worst tile of 16 x 16 pixels, out of
// 255. FOLDER gets a sheet of each model: a row for each engine, with the source and then what was made of it.
import { mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { difference, engines, missing, SIDE, Viewer } from './viewer.mjs';

const text = { type: 'string' };
const { values: given, positionals: pairs } = parseArgs({
  allowPositionals: true,
  options: { sheets: text, share: { ...text, default: '0.37' } },
});
if (missing) {
  console.error(`pictures.mjs: there is no ${missing}; run scripts/setup`);
  process.exit(2);
}
if (given.sheets) mkdirSync(given.sheets, { recursive: true });
const viewer = await Viewer.start();
const heads = engines.map((one) => `${one}: PSNR dB | ${one}: worst tile, at`).join(' | ');
console.log(`| model | file | ${heads} |\n|---|---|${engines.map(() => '---|---').join('|')}|`);
for (const pair of pairs) {
  const [source, made] = pair.split('='), files = [source, ...made.split(',')], name = basename(source).replace(/\.\w+$/, '');
  const rows = files.slice(1).map(() => []), cells = [];
  let view;
  for (const [line, engine] of engines.entries()) {
    const page = await viewer.open(engine, (words) => console.error(`${name}, ${engine}: ${words}`));
    let first;
    for (const [at, file] of files.entries()) {
      try {
        const drawn = await viewer.draw(page, engine, file, view, Number(given.share));
        view ??= drawn.view;
        first ??= drawn;
        cells.push({ input: drawn.png, left: at * SIDE, top: line * SIDE });
        if (at > 0) rows[at - 1][line] = difference(first.texels, drawn.texels);
      } catch (error) {
        console.error(`${file}, ${engine}: ${error.message.split('\n')[0]}`);
      }
    }
    await page.close();
  }
  for (const [at, row] of rows.entries()) {
    const show = ({ psnr, tile, x, y }) => `${psnr.toFixed(1)} | ${tile.toFixed(1)} at ${x}, ${y}`;
    const columns = engines.map((_, line) => (row[line] ? show(row[line]) : 'not drawn |'));
    console.log(`| ${name} | ${basename(files[at + 1])} | ${columns.join(' | ')} |`);
  }
  if (given.sheets) {
    const sheet = viewer.sharp({ create: { width: SIDE * files.length, height: SIDE * engines.length, channels: 3, background: '#000' } });
    await sheet.composite(cells).png().toFile(join(given.sheets, `${name}.png`));
  }
}
await viewer.close();
