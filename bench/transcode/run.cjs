// Compares our transcoders with Binomial's (WebAssembly, from the npm package three) on the same blocks, on one core.
//
//   node run.cjs TRANSCODE_BENCH PICTURE.png...
//
// Needs npm ci in tests/interop. Binomial's transcoder is timed as users run it: one call for the whole picture,
// including its copies into and out of WebAssembly's memory.
'use strict';
const fs = require('fs');
const os = require('os');
const path = require('path');
const { spawnSync } = require('child_process');

const RUNS = 9;
const TARGETS = {
  rgba8: 13, bc1: 2, bc3: 3, bc4: 4, bc5: 5, bc7: 6, astc4x4: 10, etc1: 0, etc2_rgba: 1, eac_r11: 20, eac_rg11: 21,
};
const BLOCK_BYTES = { etc1: 8, bc1: 8, bc4: 8, eac_r11: 8, rgba8: 64 };

async function loadTranscoder() {
  const interop = path.join(__dirname, '../../tests/interop');
  const script = require.resolve('three/examples/jsm/libs/basis/basis_transcoder.js', { paths: [interop] });
  const holder = { exports: {} };
  new Function('module', 'exports', 'require', '__filename', '__dirname', fs.readFileSync(script, 'utf8'))(
    holder, holder.exports, require, script, path.dirname(script));
  const basis = await holder.exports({ wasmBinary: fs.readFileSync(script.replace(/\.js$/, '.wasm')) });
  basis.initializeBasis();
  return basis;
}

function best(run) {
  let least = Infinity;
  for (let i = 0; i < RUNS; ++i) {
    const start = process.cpuUsage();
    run();
    const used = process.cpuUsage(start);
    least = Math.min(least, used.user + used.system);
  }
  return least * 1000;
}

async function main() {
  const [bench, ...pictures] = process.argv.slice(2);
  if (!bench || pictures.length === 0) {
    console.error('usage: node run.cjs TRANSCODE_BENCH PICTURE.png...');
    process.exit(2);
  }
  const basis = await loadTranscoder();
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'assetc-transcode-'));
  const file = path.join(dir, 'blocks');
  try {
    for (const picture of pictures) {
      const result = spawnSync(bench, ['--blocks', file, picture], { encoding: 'utf8' });
      if (result.status !== 0) throw new Error(result.stderr);
      const ours = Object.fromEntries(result.stdout.trim().split('\n').map((line) => line.split(' ')));
      const blocks = new Uint8Array(fs.readFileSync(file));
      const count = blocks.length / 16;
      console.log(`${path.basename(picture)}: ${count} blocks, ns a block on one core`);
      console.log('target        ours   theirs    ratio');
      for (const [name, format] of Object.entries(TARGETS)) {
        const out = new Uint8Array(count * (BLOCK_BYTES[name] || 16));
        const units = name === 'rgba8' ? count * 16 : count;
        const theirs = best(() => {
          if (!basis.transcodeUASTCImage(format, out, units, blocks, count, 1, count * 4, 4, 0, 0, blocks.length, 0, true, false,
            0, 0, -1, -1)) throw new Error(`they refuse ${name}`);
        }) / count;
        console.log(`${name.padEnd(10)} ${Number(ours[name]).toFixed(1).padStart(7)} ${theirs.toFixed(1).padStart(8)} ${(theirs / ours[name]).toFixed(2).padStart(8)}`);
      }
    }
  } finally {
    fs.rmSync(dir, { recursive: true, force: true });
  }
}

main();
