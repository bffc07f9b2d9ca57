// Checks our decoder of BasisLZ and ETC1S against Binomial's transcoder, which three ships as WebAssembly.
//
//   node etc1s.cjs PROBE [FILE.ktx2...]       exits 1 if a texel differs
//
// PROBE is the built etc1s_probe; it writes files of every shape that the tests use. Files without BasisLZ are skipped.
// Exits 77 (skipped) when node_modules is absent.
'use strict';
const fs = require('fs');
const os = require('os');
const path = require('path');
const { spawnSync } = require('child_process');
const { loadTranscoder } = require('./basis.cjs');

const RGBA8 = 13;

// All images of a file by level, layer and face, or null if their transcoder refuses it.
function transcode(basis, bytes) {
  const file = new basis.KTX2File(new Uint8Array(bytes));
  try {
    if (!file.isValid() || !file.startTranscoding()) return null;
    const images = [];
    for (let level = 0; level < file.getLevels(); ++level) {
      for (let layer = 0; layer < Math.max(file.getLayers(), 1); ++layer) {
        for (let face = 0; face < file.getFaces(); ++face) {
          const out = new Uint8Array(file.getImageTranscodedSizeInBytes(level, layer, face, RGBA8));
          if (!file.transcodeImage(out, level, layer, face, RGBA8, 0, -1, -1)) return null;
          images.push(out);
        }
      }
    }
    return Buffer.concat(images);
  } finally {
    file.close();
    file.delete();
  }
}

async function main() {
  const [probe, ...given] = process.argv.slice(2);
  if (!probe) {
    console.error('usage: node etc1s.cjs PROBE [FILE.ktx2...]');
    process.exit(2);
  }
  const basis = await loadTranscoder();
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'assetc-etc1s-'));
  let failures = 0, files = 0, texels = 0;
  try {
    if (spawnSync(probe, ['write', dir], { stdio: 'inherit' }).status !== 0) process.exit(2);
    const own = fs.readdirSync(dir).sort().map((name) => path.join(dir, name));
    const decoded = path.join(dir, 'decoded.rgba');
    for (const file of [...own, ...given]) {
      const result = spawnSync(probe, ['decode', file, decoded], { encoding: 'utf8' });
      if (result.status === 3) continue;
      if (result.status !== 0) {
        console.log(`${file}: assetc refuses it: ${result.stderr.trim()}`);
        ++failures;
        continue;
      }
      const ours = fs.readFileSync(decoded), theirs = transcode(basis, fs.readFileSync(file));
      ++files;
      texels += ours.length / 4;
      if (theirs === null) {
        console.log(`${file}: the reference refuses it`);
        ++failures;
      } else if (!ours.equals(theirs)) {
        let at = 0;
        while (at < ours.length && ours[at] === theirs[at]) ++at;
        console.log(`${file}: texel ${at >> 2} differs (${ours.length} and ${theirs.length} bytes)`);
        ++failures;
      }
    }
  } finally {
    fs.rmSync(dir, { recursive: true, force: true });
  }
  console.log(`${files} files, ${texels} texels, ${failures} failures`);
  process.exit(failures ? 1 : 0);
}

main();
