// Serves the built page with a folder of data, for work on the page: node web/page/dev.mjs OUTPUT [INPUT] [PORT]
// OUTPUT is an output folder of assetc, INPUT its input folder. ASSETC_PROGRAM names the program. The data is what `assetc view` serves.
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeSite, serveSite } from './test/site.mjs';

const [output, input, port] = process.argv.slice(2);
if (!output) {
  console.error('usage: node web/page/dev.mjs OUTPUT [INPUT] [PORT]');
  process.exit(2);
}
const page = join(dirname(fileURLToPath(import.meta.url)), '../../build/web/page');
const site = makeSite([
  { output, input, log: process.env.BUILD_LOG },
  ...(process.env.OLDER ? [{ output: process.env.OLDER, input: '' }] : []),
]);
const { url } = await serveSite(page, site, { port: Number(port ?? 8420) });
console.log(url);
