#!/usr/bin/env node
import { main } from '../index.js';

try {
  main(process.argv.slice(2));
} catch (error) {
  console.error(/** @type {Error} */ (error).message);
  process.exitCode = 1;
}
