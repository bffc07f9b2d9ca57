// Draws a glTF file with Babylon.js, in a browser. The scripts of npm's babylonjs, babylonjs-loaders and meshoptimizer
// and Basis Universal's transcoder are loaded. Babylon.js's own transcoder is not on npm, so this one stands in for it.
const { BABYLON } = globalThis, RGBA8 = 13, GL_RGBA8 = 0x8058;

class Decoder {
  async decode(bytes) {
    Decoder.basis ??= await globalThis.BASIS({ locateFile: (name) => `/three/examples/jsm/libs/basis/${name}` });
    Decoder.basis.initializeBasis();
    const file = new Decoder.basis.KTX2File(new Uint8Array(bytes.buffer ?? bytes, bytes.byteOffset ?? 0, bytes.byteLength)), mipmaps = [];
    if (!file.isValid() || !file.startTranscoding()) throw new Error('the transcoder refuses a texture');
    for (let level = 0; level < file.getLevels(); ++level) {
      const { origWidth: width, origHeight: height } = file.getImageLevelInfo(level, 0, 0);
      const data = new Uint8Array(file.getImageTranscodedSizeInBytes(level, 0, 0, RGBA8));
      if (!file.transcodeImage(data, level, 0, 0, RGBA8, 0, -1, -1)) throw new Error('the transcoder cannot decode a texture');
      mipmaps.push({ data, width, height });
    }
    const [isInGammaSpace, hasAlpha] = [file.getDFDTransferFunc() === 2, file.getHasAlpha()];
    file.close();
    file.delete();
    return { mipmaps, isInGammaSpace, hasAlpha, transcodedFormat: GL_RGBA8, transcoderName: 'basis', layerCount: 1 };
  }
}
const settings = ['MSCTranscoder', 'WASMMemoryManager', 'Transcoder', 'ZSTDDecoder'].map((name) => [name, {}]);
globalThis.KTX2DECODER = { KTX2Decoder: Decoder, ...Object.fromEntries(settings) };
BABYLON.KhronosTextureContainer2.DefaultNumWorkers = 0;
BABYLON.MeshoptCompression.Configuration = { decoder: { url: '/meshoptimizer/meshopt_decoder.cjs' } };
BABYLON.SceneLoader.OnPluginActivatedObservable.add((loader) => {
  if (loader.name === 'gltf') loader.animationStartMode = BABYLON.GLTFLoaderAnimationStartMode.NONE;
});

let engine;
/** As draw of draw_three.mjs, with a view that is given. */
export async function draw(canvas, url, view, share) {
  engine ??= new BABYLON.Engine(canvas, true, { preserveDrawingBuffer: true });
  const scene = new BABYLON.Scene(engine), center = new BABYLON.Vector3(...view.center);
  scene.useRightHandedSystem = true;
  scene.clearColor = BABYLON.Color4.FromHexString('#808890ff');
  await BABYLON.SceneLoader.AppendAsync('', url, scene, undefined, '.glb'.endsWith(url.slice(-4)) ? '.glb' : '.gltf');
  const back = new BABYLON.Vector3(1, 0.6, 1.4).normalize().scale(view.radius / Math.sin(Math.PI / 9));
  const camera = new BABYLON.FreeCamera('camera', center.add(back), scene);
  camera.setTarget(center);
  [camera.fov, camera.minZ, camera.maxZ] = [(40 * Math.PI) / 180, view.radius / 50, view.radius * 10];
  scene.activeCamera = camera;
  new BABYLON.HemisphericLight('sky', new BABYLON.Vector3(0, 1, 0), scene).intensity = 0.7;
  new BABYLON.DirectionalLight('sun', new BABYLON.Vector3(-1, -2, -1.5), scene).intensity = 1.5;
  const [clip] = scene.animationGroups;
  if (clip) {
    clip.start(false);
    clip.pause();
    clip.goToFrame(clip.from + share * (clip.to - clip.from));
  }
  await scene.whenReadyAsync();
  scene.render();
  scene.render();
  const errors = engine._gl.getError();
  scene.dispose();
  if (errors) throw new Error(`WebGL error ${errors}`);
  return view;
}
