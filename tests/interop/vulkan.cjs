// Builds examples/vulkan with the installed package, draws the demo and, if there is a corpus, other models, and
// compares the pictures with tests/data/vulkan. The validation layer is enabled and must report nothing.
//
//   node vulkan.cjs ASSETC BUILD SOURCE [CORPUS]             exits 1 on a difference, 77 (skipped) without Vulkan
//   node vulkan.cjs ASSETC BUILD SOURCE CORPUS --update      writes the pictures of tests/data/vulkan
//
// ASSETC is the built command, BUILD its build folder, SOURCE the root of the sources. The pictures are those of Mesa's
// lavapipe, which is used if it is installed, even if there are other devices.
'use strict';
const fs = require('fs');
const os = require('os');
const path = require('path');
const { spawnSync } = require('child_process');
const { readPng } = require('./png.cjs');
const { checkClusters } = require('./vulkan_clusters.cjs');
const { writeTexcoords, colorAtCenter, writeStrokes } = require('./vulkan_scenes.cjs');

const SKIPPED = 77;
const SIZE = 256;
// Tolerances for other versions of the driver: the mean difference of an 8-bit channel, and the share of texels in
// which a channel differs by more than OFF.
const MEAN = 0.75, OFF = 24, SHARE = 0.01;

const [assetc, build, source, corpus, update] = process.argv.slice(2);
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assetc-vulkan-'));
const references = path.join(source, 'tests/data/vulkan');
let faults = 0;

function finish(code, why) {
  if (why !== undefined) console.log(why);
  fs.rmSync(folder, { recursive: true, force: true });
  process.exit(code);
}
function fail(why) {
  console.log(why);
  faults += 1;
}
function run(program, args, options = {}) {
  const done = spawnSync(program, args, { encoding: 'utf8', maxBuffer: 1 << 26, ...options });
  if (done.error) throw done.error;
  return { code: done.status, out: done.stdout + done.stderr };
}
function must(program, args, options = {}) {
  const done = run(program, args, options);
  if (done.code !== 0) finish(1, `${program} ${args.join(' ')}: ${done.code}\n${done.out}`);
  return done.out;
}

function environment() {
  // Most of the time of a picture is Mesa's compiler; without optimization it takes a third less, for the same picture.
  const env = { ...process.env, CMAKE_GENERATOR: 'Ninja', MESA_SHADER_CACHE_DIR: path.join(folder, 'shaders'), GALLIVM_PERF: 'nopt' };
  const drivers = '/usr/share/vulkan/icd.d';
  const lavapipe = fs.existsSync(drivers) ? fs.readdirSync(drivers).find((name) => name.startsWith('lvp_icd')) : undefined;
  if (lavapipe !== undefined) env.VK_ICD_FILENAMES = path.join(drivers, lavapipe);
  // Paths below the temporary folder count as relative, so that ccache finds the objects of the last run.
  if (run('ccache', ['--version']).code === 0)
    Object.assign(env, { CMAKE_CXX_COMPILER_LAUNCHER: 'ccache', CCACHE_BASEDIR: folder, CCACHE_NOHASHDIR: '1' });
  return env;
}

function buildExample(env) {
  const prefix = path.join(folder, 'install'), at = path.join(folder, 'build');
  must('cmake', ['--install', build, '--prefix', prefix]);
  must('cmake', ['-S', path.join(source, 'examples/vulkan'), '-B', at, '-DCMAKE_BUILD_TYPE=Release',
    '-DCMAKE_CXX_FLAGS=-Wall -Wextra -Wshadow -Wno-missing-field-initializers -Werror',
    `-DCMAKE_PREFIX_PATH=${prefix}`, `-DASSETC_PROGRAM=${assetc}`], { env });
  must('cmake', ['--build', at], { env });
  return { program: path.join(at, 'vulkan'), pack: path.join(at, 'renderer.hpack') };
}

// Two leaves cut out by alpha, one of them unlit.
function writeLeaves(to) {
  const corners = new Float32Array([-1, 0, 0, 1, 0, 0, 1, 2, 0, -1, 2, 0]), texcoords = new Float32Array([0, 1, 1, 1, 1, 0, 0, 0]);
  const normals = new Float32Array([0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1]), indices = new Uint16Array([0, 1, 2, 0, 2, 3]);
  const buffer = Buffer.concat([corners, texcoords, normals, indices].map((a) => Buffer.from(a.buffer)));
  const views = [[0, 48], [48, 32], [80, 48], [128, 12]].map(([byteOffset, byteLength]) => ({ buffer: 0, byteOffset, byteLength }));
  const accessor = (bufferView, componentType, count, type, more) => ({ bufferView, componentType, count, type, ...more });
  const material = (more) => ({ alphaMode: 'MASK', alphaCutoff: 0.5, doubleSided: true,
    pbrMetallicRoughness: { baseColorTexture: { index: 0 }, metallicFactor: 0 }, ...more });
  const primitive = (m) => ({ attributes: { POSITION: 0, TEXCOORD_0: 1, NORMAL: 2 }, indices: 3, material: m });
  fs.mkdirSync(to, { recursive: true });
  fs.copyFileSync(path.join(source, 'examples/demo/assets/decals/leaf.png'), path.join(to, 'leaf.png'));
  fs.writeFileSync(path.join(to, 'leaves.gltf'), JSON.stringify({
    asset: { version: '2.0' }, scene: 0, scenes: [{ nodes: [0, 1] }], extensionsUsed: ['KHR_materials_unlit'],
    nodes: [{ mesh: 0 }, { mesh: 1, translation: [2.2, 0, -0.5], rotation: [0, 0.38268343, 0, 0.92387953] }],
    meshes: [{ primitives: [primitive(0)] }, { primitives: [primitive(1)] }],
    materials: [material({}), material({ extensions: { KHR_materials_unlit: {} } })],
    textures: [{ source: 0 }], images: [{ uri: 'leaf.png' }],
    accessors: [accessor(0, 5126, 4, 'VEC3', { min: [-1, 0, 0], max: [1, 2, 0] }), accessor(1, 5126, 4, 'VEC2'),
      accessor(2, 5126, 4, 'VEC3'), accessor(3, 5123, 6, 'SCALAR')],
    bufferViews: views,
    buffers: [{ byteLength: buffer.length, uri: `data:application/octet-stream;base64,${buffer.toString('base64')}` }],
  }));
}

// Compiles a pack: of the demo unchanged, or of the files that fill() puts into assets/, with meshes in a container.
// scene, lod: the settings mesh.scene and mesh.lod.
function compile(name, fill, container = 'hmesh', scene = 'auto', lod = 'levels') {
  const pack = path.join(folder, `${name}.hpack`), options = ['-q', '--pack', '-o', path.join(folder, name)];
  if (fill === undefined) {
    must(assetc, options, { cwd: path.join(source, 'examples', name) });
    return pack;
  }
  const at = path.join(folder, `${name}-sources`);
  fill(path.join(at, 'assets'));
  fs.writeFileSync(path.join(at, 'assetc.yml'),
    `default: {mesh: {lods: 2, container: ${container}, scene: ${scene}, lod: ${lod}}, texture: {quality: fast, max_size: 256}}\n`);
  must(assetc, options, { cwd: at });
  return pack;
}

// Cooks the same sources. Returns the folder, and the virtual path of each asset by its last name.
function cook(name) {
  const cwd = path.join(folder, `${name}-sources`), cooked = path.join(cwd, 'build/Cooked/Linux');
  must(assetc, ['import', '-q'], { cwd });
  must(assetc, ['cook', '-q', '--platform', 'Linux'], { cwd });
  const rows = must(assetc, ['registry', 'query', cooked, '--json'], { cwd }).trim().split('\n').map((line) => JSON.parse(line));
  const find = (type, end) => {
    const found = rows.filter((row) => row.type === type && row.virtual_path.endsWith(end));
    if (found.length !== 1) finish(1, `${found.length} ${type} end in ${end}`);
    return found[0].virtual_path;
  };
  return { cooked, find };
}

// Returns the difference between two pictures: {mean, share}.
function difference(a, b) {
  if (a.width !== b.width || a.height !== b.height) return { mean: Infinity, share: 1 };
  let sum = 0, off = 0;
  for (let y = 0; y < a.height; ++y) {
    for (let x = 0; x < a.width; ++x) {
      const channels = [0, 1, 2].map((c) => 255 * Math.abs(a.at(x, y, c) - b.at(x, y, c)));
      sum += channels[0] + channels[1] + channels[2];
      off += Math.max(...channels) > OFF;
    }
  }
  return { mean: sum / (3 * a.width * a.height), share: off / (a.width * a.height) };
}
const isClose = ({ mean, share }) => mean <= MEAN && share <= SHARE;
const read = (file) => readPng(fs.readFileSync(file));

function main() {
  if (!fs.existsSync('/usr/include/vulkan/vulkan.h')) finish(SKIPPED, 'skipped: there are no headers of Vulkan (libvulkan-dev)');
  const env = environment();
  const { program, pack } = buildExample(env);
  const demo = compile('demo'), leaves = compile('leaves', writeLeaves);
  const all_mounts = ['--mount', pack, '--mount', demo, '--mount', leaves];
  if (corpus && fs.existsSync(path.join(corpus, 'models/FlightHelmet')) && fs.existsSync(path.join(corpus, 'models/Fox.glb'))) {
    all_mounts.push('--mount', compile('corpus', (to) => {
      fs.cpSync(path.join(corpus, 'models/FlightHelmet'), path.join(to, 'FlightHelmet'), { recursive: true });
      fs.copyFileSync(path.join(corpus, 'models/Fox.glb'), path.join(to, 'Fox.glb'));
    }));
  }
  const hasCorpus = all_mounts.length > 6;

  // Draws a picture. Returns its file, and the counts that the program prints.
  function draw(name, args, mounts = all_mounts) {
    const out = path.join(folder, `${name}.png`);
    const common = ['--light', 'sky/noon.env', '--exposure', 2, '--size', SIZE, SIZE, '--validate', '--out', out];
    const done = run(program, [...mounts, ...common, ...args].map(String), { env });
    if (/no device of Vulkan|VkResult -9/.test(done.out)) finish(SKIPPED, `skipped: ${done.out}`);
    if (done.code !== 0 || !done.out.includes('\n0 validation messages')) finish(1, `${name}: ${done.code}\n${done.out}`);
    const budget = /^GPU budget of (\d+) bytes: (\d+) in use, (\d+) at most, (\d+) assets coarser/m.exec(done.out);
    const [, limit, used, most, coarser] = budget === null ? [] : budget.map(Number);
    const reloads = Number((/^mod: (\d+) assets loaded again$/m.exec(done.out) ?? [])[1]);
    const said = /: (\d+) draws, (\d+) skinned, (\d+) of less detail; meshlets: (\d+) drawn, (\d+) outside, (\d+) facing away/;
    const [draws, skinned, lods, drawn, outside, away] = said.exec(done.out).slice(1).map(Number);
    return { out, draws, skinned, lods, drawn, outside, away, limit, used, most, coarser, reloads, said: done.out };
  }
  function compare(name, args) {
    const drawn = draw(name, args), reference = path.join(references, `${name}.png`);
    if (update === '--update') fs.copyFileSync(drawn.out, reference);
    const found = difference(read(drawn.out), read(reference));
    console.log(`${name}: mean ${found.mean.toFixed(3)}, ${(100 * found.share).toFixed(2)} % off, ${drawn.drawn} meshlets drawn, ` +
      `${drawn.outside} outside, ${drawn.away} facing away, ${drawn.lods} of ${drawn.draws} draws of less detail`);
    if (!isClose(found)) {
      fs.copyFileSync(drawn.out, path.join(os.tmpdir(), `assetc-vulkan-${name}.png`));
      fail(`${name}: differs from tests/data/vulkan/${name}.png; compare ${os.tmpdir()}/assetc-vulkan-${name}.png`);
    }
    return drawn;
  }
  const expect = (what, holds) => holds || fail(`expected ${what}`);

  const lantern = ['--model', 'models/lantern/lantern.hmesh'], tentacle = ['--model', 'models/tentacle.hmesh', '--clip', 0];
  const three = [...lantern, '--model', 'models/crate/crate.hmesh', '--at', 1.1, 0, -0.4, '--yaw', 30,
    ...tentacle, '--time', 0.6, '--at', -0.9, 0, 0.2, '--zoom', 1.5];
  const all = compare('demo', three);
  expect('one skinned draw', all.skinned === 1);
  compare('leaves', ['--model', 'leaves.hmesh']);
  const near = compare('lantern', [...lantern, '--zoom', 2.5]);
  expect('meshlets outside of the frustum and some facing away', near.outside > 0 && near.away > 0);
  const far = compare('levels', [...lantern, '--at', 0.3, 0.5, -1, ...lantern, '--at', -0.6, 0, -4, ...lantern, '--at', -2.2, 0, -12,
    '--view', 12, 8, '--zoom', 3.2]);
  expect('less detail far away and full detail near', far.lods > 0 && far.lods < far.draws);
  const less = draw('lod', [...lantern, '--lod', 2]);
  expect('all of it at less detail', less.lods === less.draws && less.drawn === 0);

  // Within a large budget, streaming must not change the picture. Within a small one, it differs little.
  const roomy = draw('roomy', [...three, '--gpu-budget', 1 << 28]);
  expect('nothing coarser within a large budget', roomy.coarser === 0 && roomy.used === roomy.most);
  expect('the same picture within a large budget', fs.readFileSync(roomy.out).equals(fs.readFileSync(all.out)));
  for (const part of [0.9, 0.75, 0.6, 0.5]) {
    const limit = Math.floor(part * roomy.used), tight = draw('tight', [...three, '--gpu-budget', limit]);
    const found = difference(read(tight.out), read(all.out));
    console.log(`budget of ${limit} bytes: ${tight.most} in use at most, ${tight.coarser} assets coarser, mean ` +
      `${found.mean.toFixed(3)}, ${(100 * found.share).toFixed(2)} % off`);
    expect(`less detail, and at most ${limit} bytes in use`, tight.coarser > 0 && tight.limit === limit && tight.most <= limit);
    expect('nearly the same picture', found.mean > 0 && found.mean < 2 * MEAN && found.share < 2 * SHARE);
  }

  // A mod with another picture of the crate is mounted and unmounted.
  const mod = compile('mod', (to) => {
    fs.cpSync(path.join(source, 'examples/demo/assets/models/crate'), path.join(to, 'models/crate'),
      { recursive: true, filter: (from) => !from.endsWith('.meta') });
    fs.copyFileSync(path.join(source, 'examples/demo/assets/models/lantern/brass_color.png'),
      path.join(to, 'models/crate/planks.png'));
  });
  const small = Math.floor(0.75 * roomy.used);
  for (const more of [[], ['--gpu-budget', 1 << 28], ['--gpu-budget', small]]) {
    const first = draw('modded', [...three, ...more, '--mod', mod]);
    const [modded, after] = ['mod', 'unmounted'].map((name) => first.out.replace(/png$/, `${name}.png`));
    const found = difference(read(modded), read(first.out));
    console.log(`mod: ${first.reloads} assets loaded again, mean ${found.mean.toFixed(3)}, ${(100 * found.share).toFixed(2)} % off`);
    expect('the mesh, material and texture of the mod', first.reloads === 3);
    expect('the picture of a mod to differ', found.share > SHARE);
    if (more[1] === small) {
      expect(`a mod within ${small} bytes`, first.coarser > 0 && first.most <= small);
      expect('nearly the same picture after the mod', isClose(difference(read(after), read(first.out))));
      continue;
    }
    expect('the same picture after the mod', fs.readFileSync(after).equals(fs.readFileSync(first.out)));
    expect('the same picture before the mod', fs.readFileSync(first.out).equals(fs.readFileSync(all.out)));
  }

  // Culling must not remove anything visible: the picture is the same, byte for byte.
  const helmet = ['--model', 'FlightHelmet/FlightHelmet.hmesh'];
  for (const [name, model] of hasCorpus ? [['lantern', lantern], ['helmet', helmet]] : [['lantern', lantern]]) {
    for (const zoom of [1, 4]) {
      const culled = draw('culled', [...model, '--zoom', zoom]), whole = draw('whole', [...model, '--zoom', zoom, '--no-culling']);
      expect(`fewer meshlets of the ${name} with culling`, culled.drawn < whole.drawn && whole.outside + whole.away === 0);
      expect(`as many meshlets of the ${name} as without culling`, culled.drawn + culled.outside + culled.away === whole.drawn);
      expect(`the same picture of the ${name} with culling`, fs.readFileSync(culled.out).equals(fs.readFileSync(whole.out)));
    }
  }
  // A pose must move something: the picture at another time differs.
  const still = draw('still', [...tentacle, '--time', 0]), moved = draw('moved', [...tentacle, '--time', 0.6]);
  expect('another pose at another time', !isClose(difference(read(still.out), read(moved.out))));

  // A model must look the same in every container. Draws the full detail from the same place: levels and bounds belong
  // to a mesh, and the cooked model has several meshes.
  const demoAssets = (to) => fs.cpSync(path.join(source, 'examples/demo/assets'), to, { recursive: true });
  const packs = {};
  for (const container of ['hmesh', 'hmesh-v1', 'galileo']) packs[container] = compile(`in-${container}`, demoAssets, container);
  const { cooked, find } = cook('in-hmesh');
  const around = { crate: [0, 0.13, 0, 0.95], lantern: [0, 0.53, 0, 0.65], tentacle: [0, 0.8, 0, 0.95] };
  const files = { crate: 'models/crate/crate', lantern: 'models/lantern/lantern', tentacle: 'models/tentacle' };
  const posed = ['--clip', 0, '--time', 0.6];
  const drawFrom = (container, model, args, mount = packs[container]) =>
    read(draw(`${model}-${container}`, [...args, '--frame', ...around[model]],
      ['--mount', pack, '--mount', mount, ...(mount === cooked ? ['--mount', packs.hmesh] : [])]).out);
  const inFile = (container, model, pose = []) => drawFrom(container, model,
    ['--model', `${files[model]}.${container === 'galileo' ? 'gali' : 'hmesh'}`, '--lod', 0, ...pose]);
  const inParts = (model, parts) => drawFrom('cooked', model,
    parts.flatMap(([type, end, ...args]) => ['--model', find(type, end), '--lod', 0, ...args]), cooked);
  const bar = (x, z) => ['Mesh', '/lantern/bar', '--at', x, 0.13, z];
  const pairs = [
    // Version 1 has no materials and no poses.
    ...['crate', 'lantern', 'tentacle'].map((model) =>
      [`${model} of .hmesh 1`, ...['hmesh-v1', 'hmesh'].map((container) => inFile(container, model, ['--no-materials']))]),
    ...['crate', 'lantern'].map((model) => [`${model} of Galileo`, inFile('galileo', model), inFile('hmesh', model)]),
    ['tentacle of Galileo', inFile('galileo', 'tentacle', posed), inFile('hmesh', 'tentacle', posed)],
    ['cooked crate', inParts('crate', [['Mesh', 'crate/crate'], ['Mesh', 'crate/ball']]), inFile('hmesh', 'crate')],
    ['cooked lantern', inParts('lantern', [...['foot', 'burner', 'flame_Mesh', 'glass_Mesh', 'cap', 'handle base'].map(
      (name) => ['Mesh', `/lantern/${name}`]), bar(0.21, 0.21), bar(-0.21, 0.21), bar(0.21, -0.21), bar(-0.21, -0.21)]),
      inFile('hmesh', 'lantern')],
    ['cooked tentacle', inParts('tentacle', [['Mesh', 'tentacle/tentacle', '--animation', find('Animation', '/sway'), '--time', 0.6]]),
      inFile('hmesh', 'tentacle', posed)],
  ];
  for (const [what, a, b] of pairs) {
    const found = difference(a, b);
    console.log(`${what}: mean ${found.mean.toFixed(3)}, ${(100 * found.share).toFixed(2)} % off`);
    if (!isClose(found)) fail(`the picture of ${what} differs from that of .hmesh 2`);
  }

  // Each texture has its own set and transform. The picture must be that of vertices with transformed coordinates.
  for (const container of ['hmesh', 'galileo']) {
    const name = `texcoords-${container}`;
    const scenes = compile(name, (to) => {
      writeTexcoords(path.join(to, 'sets'), 'sets', false);
      writeTexcoords(path.join(to, 'baked'), 'baked', true);
    }, container, 'true');
    const drawTexcoords = (what, mount, model) => read(draw(`${name}-${what}`,
      ['--model', model, '--view', 0, 0, '--frame', 0, 0, 0, 2.6], ['--mount', pack, '--mount', demo, '--mount', mount]).out);
    const baked = drawTexcoords('baked', scenes, 'baked/baked.hscene');
    const pictures = { scene: drawTexcoords('sets', scenes, 'sets/sets.hscene') };
    if (container === 'hmesh') {
      const model = cook(name);
      pictures['cooked scene'] = drawTexcoords('cooked', model.cooked, model.find('Model', '/sets'));
    }
    for (const [what, picture] of Object.entries(pictures)) {
      const found = difference(picture, baked);
      console.log(`texture coordinates of a ${what} (${container}): mean ${found.mean.toFixed(3)}, ${(100 * found.share).toFixed(2)} % off`);
      expect(`the picture of transformed coordinates from a ${what} (${container})`, isClose(found));
      const center = [0, 1, 2].map((c) => Math.round(255 * picture.at(SIZE / 2, SIZE / 2, c)));
      expect(`about the color ${colorAtCenter()} in the center and not ${center}`,
        colorAtCenter().every((value, c) => Math.abs(value - center[c]) <= OFF));
    }
  }

  // Points and lines of every container, beside triangles.
  const strokes = compile('strokes', writeStrokes);
  all_mounts.push('--mount', strokes);
  const front = ['--view', 0, 0, '--frame', 0, 0, 0, 2.2];
  const drawn = compare('strokes', ['--model', 'strokes.hmesh', ...front]);
  expect('a draw of triangles, one of lines and one of points, at full detail', drawn.draws === 3 && drawn.lods === 0);
  const galileo = compile('strokes-galileo', writeStrokes, 'galileo'), scene = compile('strokes-scene', writeStrokes, 'hmesh', 'true');
  const inCook = cook('strokes');
  for (const [mount, model] of [[galileo, 'strokes.gali'], [scene, 'strokes.hscene'], [inCook.cooked, inCook.find('Model', 'strokes')]]) {
    const other = draw('other-strokes', ['--model', model, ...front], ['--mount', pack, '--mount', demo, '--mount', mount]);
    expect(`the same points and lines from ${model}`, isClose(difference(read(other.out), read(drawn.out))));
  }

  checkClusters({ compile, cook, draw, difference, isClose, read, expect }, ['--mount', pack, '--mount', demo]);

  if (hasCorpus) {
    compare('helmet', helmet);
    compare('fox', ['--model', 'Fox.hmesh', '--clip', 1, '--time', 0.3]);
  }
  finish(faults === 0 ? 0 : 1, `${faults} faults`);
}
main();
