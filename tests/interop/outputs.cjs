// Reads the outputs of a build with third-party readers.
//
//   node outputs.cjs ASSETC FOLDER...       exits 1 on a file that a reader refuses
//
// Builds each folder (a project with an assetc.yml, or a tree of assets) into a temporary one. ktx-parse reads every
// .ktx2 and must agree with us on size, levels and format. Binomial's transcoder decodes every level of every UASTC
// texture. Exits 77 (skipped) when node_modules is absent.
'use strict';
const fs = require('fs');
const os = require('os');
const path = require('path');
const { spawnSync } = require('child_process');
const { loadTranscoder, loadKtxParse } = require('./basis.cjs');

const KHR_DF_MODEL_UASTC = 166;
const RGBA32 = 13;  // transcoder_texture_format

function findFiles(folder, extension) {
  return fs.readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(extension))
    .map((entry) => path.join(entry.parentPath ?? entry.path, entry.name))
    .sort();
}

function build(assetc, source) {
  const project = fs.mkdtempSync(path.join(os.tmpdir(), 'assetc-outputs-'));
  if (fs.existsSync(path.join(source, 'assetc.yml'))) {
    fs.cpSync(source, project, { recursive: true });
  } else {
    fs.cpSync(source, path.join(project, 'assets'), { recursive: true });
  }
  const result = spawnSync(assetc, ['-q', '-o', path.join(project, 'out')], { cwd: project, encoding: 'utf8' });
  if (result.status !== 0) throw new Error(`assetc failed in ${source}:\n${result.stdout}${result.stderr}`);
  return project;
}

// Returns the number of images that the transcoder decodes; it inflates Zstd itself.
function checkLevels(basis, bytes, container, fail) {
  const file = new basis.KTX2File(new Uint8Array(bytes));
  if (!file.isValid()) return fail('the transcoder refuses the file');
  let levels = 0;
  if (file.getLevels() !== container.levels.length) fail(`the transcoder sees ${file.getLevels()} levels, ktx-parse ${container.levels.length}`);
  if (!file.startTranscoding()) fail('the transcoder does not start');
  for (let level = 0; level < file.getLevels(); ++level) {
    for (let layer = 0; layer < Math.max(1, file.getLayers()); ++layer) {
      for (let face = 0; face < file.getFaces(); ++face) {
        const size = file.getImageTranscodedSizeInBytes(level, layer, face, RGBA32);
        if (!file.transcodeImage(new Uint8Array(size), level, layer, face, RGBA32, 0, -1, -1)) {
          fail(`the transcoder refuses level ${level}, layer ${layer}, face ${face}`);
        }
        ++levels;
      }
    }
  }
  file.close();
  file.delete();
  return levels;
}

async function main() {
  const [program, ...sources] = process.argv.slice(2);
  if (!program || sources.length === 0) {
    console.error('usage: node outputs.cjs ASSETC FOLDER...');
    process.exit(2);
  }
  const assetc = path.resolve(program);
  const basis = await loadTranscoder();
  const ktx = await loadKtxParse();
  let files = 0, images = 0, failures = 0;
  for (const source of sources) {
    if (!fs.existsSync(source)) {
      console.log(`${source} does not exist and is skipped`);
      continue;
    }
    const project = build(assetc, source);
    for (const file of findFiles(path.join(project, 'out'), '.ktx2')) {
      const fail = (why) => {
        console.log(`${file}: ${why}`);
        ++failures;
      };
      const bytes = fs.readFileSync(file);
      let container;
      try {
        container = ktx.read(new Uint8Array(bytes));
      } catch (error) {
        fail(`ktx-parse: ${error.message}`);
        continue;
      }
      ++files;
      if (container.pixelWidth !== bytes.readUInt32LE(20) || container.levels.length === 0) fail('ktx-parse reads another size');
      if (!container.keyValue.KTXwriter) fail('ktx-parse finds no KTXwriter');
      if (container.dataFormatDescriptor[0].colorModel === KHR_DF_MODEL_UASTC) images += checkLevels(basis, bytes, container, fail) ?? 0;
    }
    fs.rmSync(project, { recursive: true, force: true });
  }
  console.log(`${files} KTX2 files read, ${images} UASTC images decoded, ${failures} faults`);
  process.exit(failures === 0 && files > 0 ? 0 : 1);
}
main();
