// Builds the library in the browser (apps/web) into the one file that the server reads, apps/web/dist/web.tar, with what it
// compresses beforehand. By Bun, whatever version of Node is there. Whether that is needed, install.mjs finds out.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const web = join(import.meta.dirname, '..', 'apps', 'web');
const dist = join(web, 'dist');

/** Bytes of the page, which goes out uncompressed, as each answer is another. */
const MAX_PAGE = 16 * 1024;
/** What answers put a nonce for (apps/server/src/http/web). */
const NONCE = 'CSP_NONCE';
/** Of its size, what a variant has to save to be worth its room. */
const WORTH = 0.1;

/** Each coding's ending, and its best. */
const VARIANTS = {
  '.br': (bytes) =>
    brotliCompressSync(bytes, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
        [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
        [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
      },
    }),
  '.gz': (bytes) => gzipSync(bytes, { level: constants.Z_BEST_COMPRESSION }),
};

const scratch = mkdtempSync(join(web, '.build-'));
try {
  const { build } = await import(Bun.resolveSync('vite', web));
  const built = join(scratch, 'dist');
  await build({ root: web, logLevel: 'warn', build: { outDir: built, emptyOutDir: true } });
  await Bun.write(join(scratch, 'web.tar'), new Bun.Archive(pack(built)));
  mkdirSync(dist, { recursive: true });
  // Whole or not at all, also where two build at once.
  renameSync(join(scratch, 'web.tar'), join(dist, 'web.tar'));
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

/** All files of a build by their paths, and the variants of those that get smaller. */
function pack(folder) {
  const page = readFileSync(join(folder, 'index.html'));
  if (page.length > MAX_PAGE) throw new Error(`index.html has ${page.length} bytes, more than ${MAX_PAGE}.`);
  if (!page.includes(NONCE)) throw new Error(`index.html has no ${NONCE}.`);
  const files = { 'index.html': page };
  for (const name of readdirSync(folder, { recursive: true })) {
    const path = join(folder, name);
    if (name === 'index.html' || statSync(path).isDirectory()) continue;
    const bytes = readFileSync(path);
    files[name] = bytes;
    for (const [ending, compress] of Object.entries(VARIANTS)) {
      const compressed = compress(bytes);
      if (compressed.length <= bytes.length * (1 - WORTH)) files[name + ending] = compressed;
    }
  }
  return files;
}
