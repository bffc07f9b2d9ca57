// Loads Binomial's transcoder from three's WebAssembly.
'use strict';
const fs = require('fs');
const path = require('path');

const SKIPPED = 77;

// Returns the initialized module. Ends the process with SKIPPED if node_modules is absent.
async function loadTranscoder() {
  let script;
  try {
    script = require.resolve('three/examples/jsm/libs/basis/basis_transcoder.js');
  } catch {
    console.log('skipped: run npm ci in tests/interop to compare with the reference transcoder');
    process.exit(SKIPPED);
  }
  // three is an ES module package, but this file of it is not, so it is run as a plain script.
  const holder = { exports: {} };
  new Function('module', 'exports', 'require', '__filename', '__dirname', fs.readFileSync(script, 'utf8'))(
    holder, holder.exports, require, script, path.dirname(script));
  const basis = await holder.exports({ wasmBinary: fs.readFileSync(script.replace(/\.js$/, '.wasm')) });
  basis.initializeBasis();
  return basis;
}

// Returns the module ktx-parse, which is an ES module. Ends the program as skipped if it is not installed.
async function loadKtxParse() {
  try {
    return await import('ktx-parse');
  } catch {
    console.log('skipped: run npm ci in tests/interop to read outputs with ktx-parse');
    process.exit(SKIPPED);
  }
}

module.exports = { SKIPPED, loadTranscoder, loadKtxParse };
