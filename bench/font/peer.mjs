// msdfgen as WebAssembly (npm: @zappar/msdf-generator) on the glyphs that font_bench lists.
//   node peer.mjs FONT JOBS OUT
// JOBS: JSON, {width, height, size, range, glyphs: [{character, x, y, width, height, left, bottom}]}, in texels.
// OUT: the atlas, RGBA8. Prints the milliseconds of the fields alone.
import {readFileSync, writeFileSync} from 'node:fs';

const [font, jobsPath, out] = process.argv.slice(2);
// The package exports only its worker for browsers.
const folder = new URL('../node_modules/@zappar/msdf-generator/dist/', import.meta.url);
const {default: create} = await import(new URL('msdfgen_wasm.js', folder));
const module = await create({wasmBinary: readFileSync(new URL('msdfgen_wasm.wasm', folder))});
const jobs = JSON.parse(readFileSync(jobsPath, 'utf8'));

const bytes = new module.VectorUnsignedChar();
for (const byte of readFileSync(font)) bytes.push_back(byte);
const face = new module.Font();
if (!face.loadFromMemory(bytes)) throw new Error('the peer cannot read the font');
const scale = jobs.size / face.getMetrics().emSize;
const atlas = Buffer.alloc(jobs.width * jobs.height * 4);
let milliseconds = 0;
for (const g of jobs.glyphs) {
  const start = performance.now();
  const result = face.generateMSDFWithOverlapFix(
    g.character, g.width, g.height, jobs.range, -g.left / scale, -g.bottom / scale, scale);
  milliseconds += performance.now() - start;
  for (let y = 0; y < g.height; ++y) {
    for (let x = 0; x < g.width; ++x) {
      const from = (y * g.width + x) * 3, to = ((g.y + y) * jobs.width + g.x + x) * 4;
      for (let c = 0; c < 3; ++c) atlas[to + c] = result.data.get(from + c);
      atlas[to + 3] = 255;
    }
  }
  result.data.delete();
}
writeFileSync(out, atlas);
console.log(milliseconds.toFixed(1));
