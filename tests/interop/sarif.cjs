// Validates the output of --sarif with the SARIF schema of OASIS, for a build, a cook and a check.
//
//   node sarif.cjs ASSETC       exits 1 on a log that breaks the schema, 77 (skipped) when node_modules is absent
'use strict';
const fs = require('fs');
const os = require('os');
const path = require('path');
const { spawnSync } = require('child_process');

let Ajv, schema, draft4;
try {
  Ajv = require('ajv');
  draft4 = require('ajv/lib/refs/json-schema-draft-04.json');
  schema = require('@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json');
} catch {
  console.log('skipped: run npm ci in tests/interop');
  process.exit(77);
}
const ajv = new Ajv({ schemaId: 'auto', allErrors: true, format: 'full' });
ajv.addMetaSchema(draft4);
const validate = ajv.compile(schema);

let failures = 0;
const expect = (what, is) => {
  if (is) return;
  console.log(what);
  ++failures;
};

const assetc = path.resolve(process.argv[2] ?? '');
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assetc-sarif-'));
const save = (name, text) => {
  fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
  fs.writeFileSync(path.join(folder, name), text);
};
// Runs a command, validates its log, and counts the results of each rule.
const log_of = (name, ...words) => {
  const done = spawnSync(assetc, [...words, '--sarif', `${name}.sarif`], { cwd: folder, encoding: 'utf8' });
  const text = fs.readFileSync(path.join(folder, `${name}.sarif`), 'utf8');
  const log = JSON.parse(text);
  expect(`${name}: ${ajv.errorsText(validate.errors)}\n${text}`, validate(log));
  const rules = {};
  for (const result of log.runs[0].results) rules[result.ruleId] = (rules[result.ruleId] ?? 0) + 1;
  console.log(`${name}: exit code ${done.status}, ${JSON.stringify(rules)}`);
  return { log, rules };
};

save('assets/red.mat', 'base_color: [1, 0, 0]\nnot_a_key: 1\n');
save('assets/sub folder/blue.mat', 'base_color: [0, 0, 1]\nnot_a_key: 1\n');
save('assets/broken.mat', 'roughness: [\n');
save('assets/.hidden.png', '');
save('assetc.yml', 'accept: [{kind: unknown-key, path: "red.mat", reason: "of another \\"engine\\""}]\n' +
  'platforms: [Linux]\n');
const build = log_of('build');
expect('the warnings of a build', build.rules['unknown-key'] === 2 && build.rules['hidden-file'] === 1);
const suppressed = build.log.runs[0].results.filter((result) => result.suppressions);
expect('one is accepted', suppressed.length === 1);
fs.rmSync(path.join(folder, 'assets/broken.mat'));
log_of('again');
save('Assets/green.mat', 'base_color: [0, 1, 0]\nnot_a_key: 1\n');
expect('the warnings of a cook', log_of('cook', 'cook', '--platform', 'Linux').rules['unknown-key'] >= 1);
fs.truncateSync(path.join(folder, 'runtime/red.hmat'), 20);
expect('the problems of a check', Object.keys(log_of('check', 'check').rules).length > 0);
// Not every kind of warning and every code is tested here: tests/cli has them all.
fs.rmSync(folder, { recursive: true });
process.exit(failures ? 1 : 0);
