// Checks our UASTC decoder and transcoders against Binomial's transcoder, which three ships as WebAssembly.
//
//   node uastc.cjs PROBE       exits 1 on any difference that matters
//
// PROBE is the built uastc_probe. Exits 77 (skipped) when node_modules is absent.
//   - every block that we write, in every mode, decodes to the same texels;
//   - both accept and refuse the same random bytes;
//   - ETC1 and ASTC are the same bytes; other targets are not farther from the texels than theirs.
'use strict';
const fs = require('fs');
const os = require('os');
const path = require('path');
const { spawnSync } = require('child_process');
const { loadTranscoder } = require('./basis.cjs');

// Their transcoder_texture_format for each of our names.
const TARGETS = {
  etc1: 0, etc2_rgba: 1, bc1: 2, bc3: 3, bc4: 4, bc5: 5, bc7: 6, astc4x4: 10, rgba8: 13, eac_r11: 20, eac_rg11: 21,
};
const BLOCK_BYTES = { etc1: 8, bc1: 8, bc4: 8, eac_r11: 8, rgba8: 64 };
const SAME_BYTES = ['rgba8', 'etc1', 'astc4x4'];

// Transcodes one row of blocks; null if they refuse it.
function transcode(basis, blocks, name) {
  const count = blocks.length / 16;
  const out = new Uint8Array(count * (BLOCK_BYTES[name] || 16));
  const units = name === 'rgba8' ? count * 16 : count;
  const channels = name === 'bc5' || name === 'eac_rg11' ? [0, 1] : name === 'bc4' || name === 'eac_r11' ? [0, -1] : [-1, -1];
  const ok = basis.transcodeUASTCImage(TARGETS[name], out, units, blocks, count, 1, count * 4, 4, 0, 0, blocks.length, 0,
    true, false, 0, 0, ...channels);
  if (!ok) return null;
  if (name !== 'rgba8') return out;
  // From rows of the picture to 16 texels per block.
  const gathered = new Uint8Array(out.length);
  for (let b = 0; b < count; ++b) {
    for (let row = 0; row < 4; ++row) {
      const from = (row * count + b) * 16;
      gathered.set(out.subarray(from, from + 16), b * 64 + row * 16);
    }
  }
  return gathered;
}

function firstDifference(a, b) {
  for (let i = 0; i < a.length; ++i) if (a[i] !== b[i]) return i;
  return -1;
}

function run(probe, mode, dir) {
  const result = spawnSync(probe, [mode, dir], { encoding: 'utf8' });
  process.stdout.write(result.stdout || '');
  process.stderr.write(result.stderr || '');
  return result.status;
}

async function main() {
  const probe = process.argv[2];
  if (!probe) {
    console.error('usage: node uastc.cjs PROBE');
    process.exit(2);
  }
  const basis = await loadTranscoder();
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'assetc-uastc-'));
  let failures = 0;
  try {
    if (run(probe, 'write', dir) !== 0) process.exit(2);
    const sets = fs.readdirSync(dir).filter((f) => f.endsWith('.uastc')).map((f) => f.slice(0, -6)).sort();
    for (const set of sets) {
      const blocks = new Uint8Array(fs.readFileSync(path.join(dir, `${set}.uastc`)));
      for (const name of Object.keys(TARGETS)) {
        const ours = fs.readFileSync(path.join(dir, `${set}.${name}`));
        const theirs = transcode(basis, blocks, name);
        if (!theirs) {
          console.log(`${set} ${name}: the reference refuses blocks that assetc writes`);
          ++failures;
          continue;
        }
        fs.writeFileSync(path.join(dir, `${set}.${name}.theirs`), theirs);
        if (!SAME_BYTES.includes(name)) continue;
        const at = firstDifference(ours, theirs);
        if (at < 0) continue;
        const block = Math.floor(at / (BLOCK_BYTES[name] || 16));
        console.log(`${set} ${name}: differs from byte ${at}, block ${block} (${Buffer.from(blocks.subarray(block * 16, block * 16 + 16)).toString('hex')})`);
        ++failures;
      }
    }

    const strings = new Uint8Array(fs.readFileSync(path.join(dir, 'random.bin')));
    const valid = fs.readFileSync(path.join(dir, 'random.valid'));
    let refused = 0;
    for (let i = 0; i < valid.length; ++i) {
      const block = strings.slice(i * 16, i * 16 + 16);
      const accepted = transcode(basis, block, 'rgba8') !== null;
      refused += accepted ? 0 : 1;
      if (accepted === (valid[i] === 1)) continue;
      console.log(`random bytes ${Buffer.from(block).toString('hex')}: we ${valid[i] ? 'accept' : 'refuse'}, they do not`);
      ++failures;
    }
    console.log(`${sets.length} sets of blocks, ${valid.length} random strings of which both refuse ${refused}`);
    if (run(probe, 'compare', dir) !== 0) ++failures;
  } finally {
    fs.rmSync(dir, { recursive: true, force: true });
  }
  process.exit(failures ? 1 : 0);
}

main();
