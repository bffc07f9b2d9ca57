export { toktx2 } from './src/toktx2.js';
