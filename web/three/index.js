export { buildClips } from './src/clips.js';
export { parseHanim } from './src/hanim.js';
export { HmeshLoader } from './src/HmeshLoader.js';
export { HsceneLoader } from './src/HsceneLoader.js';
export { chooseTarget, Ktx2Loader } from './src/Ktx2Loader.js';
export { Manifest, parseManifest } from './src/hman.js';
export { parseHmat } from './src/hmat.js';
export { parseHmesh } from './src/hmesh.js';
export { parseHscene } from './src/hscene.js';
