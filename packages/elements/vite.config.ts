import { fileURLToPath } from 'node:url';
import optimizeLocales from '@react-aria/optimize-locales-plugin';
import { defineConfig } from 'vite';

/** The client's source, as its package.json exports the published build. */
const client = fileURLToPath(new URL('../client/src/', import.meta.url));

/**
 * Bundles everything into one module, so that a page needs no bundler, and the uploader into a second one, which is
 * loaded with the first file.
 */
export default defineConfig({
  resolve: {
    alias: [
      { find: /^@postshelf\/client\/(resumable|retry)$/, replacement: `${client}$1.ts` },
      { find: /^@postshelf\/client$/, replacement: `${client}index.ts` },
    ],
  },
  define: { 'process.env.NODE_ENV': '"production"' },
  build: {
    lib: { entry: 'src/index.ts', formats: ['es'], fileName: 'index' },
    target: 'es2023',
    // The first versions with `light-dark()`: the replacement for older ones follows the system's scheme, not the
    // page's.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    rolldownOptions: {
      // None of the bundled modules has an effect by reading a property or a global; this saves 2 KB.
      treeshake: { propertyReadSideEffects: false, unknownGlobalSideEffects: false },
      // In library mode Vite doesn't remove white space by default.
      // Nor comments for bundlers, which have nothing to leave out of one module.
      output: { chunkFileNames: '[name].js', minify: true, comments: false },
      // Dependencies contain `use client` for frameworks that render on a server; don't warn about it.
      checks: { moduleLevelDirective: false },
    },
  },
  plugins: [
    // The picker's texts are English: leaves out react-aria's translations to thirty-four languages.
    optimizeLocales.vite({ locales: ['en-US'] }),
  ],
});
