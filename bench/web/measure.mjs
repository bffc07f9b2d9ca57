// Runs in Node.js and in Chromium: our WebAssembly and Binomial's on the same pictures, one after the other, on one core.

// Least time of several runs, in milliseconds.
async function least(runs, work) {
  let best = Infinity, result;
  for (let i = 0; i < runs; ++i) {
    const start = performance.now();
    result = await work();
    best = Math.min(best, performance.now() - start);
  }
  return [best, result];
}

function squaredError(texels, decoded) {
  let sum = 0;
  for (let i = 0; i < texels.length; ++i) if (i % 4 !== 3) sum += (texels[i] - decoded[i]) ** 2;
  return sum;
}

// pictures: [{name, width, height, data}], RGBA. theirEncode(picture, level): a KTX 2 file. basis: three's transcoder.
// Returns {encode: {ours, theirs}, decode}: rows of speed in million texels a second, and PSNR over R, G and B.
export async function measure({ codec, theirEncode, basis, pictures, levels, log }) {
  // Their encoder prints its progress.
  const quietly = async (work) => {
    const print = console.log;
    console.log = () => {};
    try {
      return await work();
    } finally {
      console.log = print;
    }
  };
  const encoder = await codec.loadEncoder({ workers: 0 }), plain = await codec.loadEncoder({ workers: 0, simd: false });
  const transcoder = await codec.loadTranscoder();
  const texels = pictures.reduce((sum, { width, height }) => sum + width * height, 0);
  const row = async (label, runs, encode) => {
    let ms = 0, error = 0, files = [];
    await encode(pictures[0]); // engines compile a module first fast, then well
    for (const picture of pictures) {
      const [time, file] = await least(runs, () => encode(picture));
      const texture = transcoder.open(file);
      ms += time;
      error += squaredError(picture.data, texture.transcode({}, 'rgba8').data);
      texture.close();
      files.push(file);
    }
    const made = { label, mpx_per_s: texels / ms / 1000, psnr_db: 10 * Math.log10(255 ** 2 * texels * 3 / error) };
    log(`${label.padEnd(34)} ${made.mpx_per_s.toFixed(3).padStart(9)} million texels/s  ${made.psnr_db.toFixed(2)} dB`);
    return { ...made, files };
  };
  const ours = [], theirs = [];
  for (const quality of ['fast', 'normal', 'best']) {
    const settings = { format: 'uastc', color: 'srgb', mips: false, quality };
    ours.push(await row(`@assetc/codec ${quality}`, 3, (picture) => encoder.encode(picture, settings)));
    ours.push(await row(`@assetc/codec ${quality}, no SIMD`, 3, (picture) => plain.encode(picture, settings)));
  }
  for (const level of levels) theirs.push(await row(`ktx2-encoder level ${level}`, 3, (picture) => quietly(() => theirEncode(picture, level))));

  // Whole files, as a loader does it: open, transcode, copy out.
  const decode = [];
  const file = ours[2].files[0], { width, height } = pictures[0];
  for (const [target, format] of Object.entries({ rgba8: 13, bc7: 6, bc1: 2, bc3: 3, 'astc-4x4': 10, etc1: 0, 'etc2-rgba': 1 })) {
    const [our_ms] = await least(40, () => {
      const texture = transcoder.open(file), { data } = texture.transcode({}, target);
      texture.close();
      return data;
    });
    const [their_ms] = await least(40, () => {
      const texture = new basis.KTX2File(file);
      if (!texture.startTranscoding()) throw new Error('refused');
      const out = new Uint8Array(texture.getImageTranscodedSizeInBytes(0, 0, 0, format));
      texture.transcodeImage(out, 0, 0, 0, format, 0, -1, -1);
      texture.close();
      texture.delete();
      return out;
    });
    const speed = (ms) => width * height / ms / 1000;
    decode.push({ target, ours_mpx_per_s: speed(our_ms), theirs_mpx_per_s: speed(their_ms), ratio: their_ms / our_ms });
    log(`UASTC to ${target.padEnd(10)} ${speed(our_ms).toFixed(1).padStart(8)} against ${speed(their_ms).toFixed(1)} million texels/s: ${(their_ms / our_ms).toFixed(2)} times`);
  }
  // Each level of theirs against our fastest setting whose PSNR is at least as high.
  const ratios = theirs.map((their) => {
    const match = ours.filter((our) => !our.label.includes('no SIMD') && our.psnr_db >= their.psnr_db)
      .sort((a, b) => b.mpx_per_s - a.mpx_per_s)[0];
    return { against: their.label, ours: match?.label, ratio: match ? match.mpx_per_s / their.mpx_per_s : undefined };
  });
  for (const { against, ours: our, ratio } of ratios)
    log(our ? `${our} is ${ratio.toFixed(1)} times as fast as ${against}, at its PSNR or better` : `no setting of ours has the PSNR of ${against}`);
  const bare = ({ files, ...rest }) => rest;
  return { encode: { ours: ours.map(bare), theirs: theirs.map(bare) }, ratios, decode };
}
