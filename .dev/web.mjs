// Builds the web app (apps/web) into apps/web/dist/web.tar, the file that the server reads. The file also contains
// compressed variants. This script runs in Bun, and so doesn't depend on the version of Node. install.mjs decides
// whether a build is needed.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const web = join(import.meta.dirname, '..', 'apps', 'web');
const dist = join(web, 'dist');

/** Maximum bytes of the page, which is sent uncompressed, because each response has a different nonce. */
const MAX_PAGE = 16 * 1024;
/** The placeholder that the server replaces with a nonce (apps/server/src/http/web). */
const NONCE = 'CSP_NONCE';
/** The minimum share of a file's size that a compressed variant has to save. */
const MIN_SAVING = 0.1;

/**
 * The compressed variants of a file: each file name extension, and a function that compresses as much as its content
 * coding allows.
 */
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
  // The file is replaced atomically, because two builds may run at the same time.
  renameSync(join(scratch, 'web.tar'), join(dist, 'web.tar'));
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

/** Returns all files of a build by their paths, and the compressed variants that are small enough. */
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
      if (compressed.length <= bytes.length * (1 - MIN_SAVING)) files[name + ending] = compressed;
    }
  }
  return files;
}
