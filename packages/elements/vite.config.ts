import { fileURLToPath } from 'node:url';
import optimizeLocales from '@react-aria/optimize-locales-plugin';
import { defineConfig } from 'vite';

/** The client as it stands here; its package's exports are those of what is published. */
const client = fileURLToPath(new URL('../client/src/index.ts', import.meta.url));

/** Everything in one module, so that a page needs no bundler, and what uploads in a second one, which is loaded with the first file. */
export default defineConfig({
  resolve: { alias: [{ find: /^@postshelf\/client$/, replacement: client }] },
  define: { 'process.env.NODE_ENV': '"production"' },
  build: {
    lib: { entry: 'src/index.ts', formats: ['es'], fileName: 'index' },
    target: 'es2023',
    // Those that know `light-dark()`: what stands for it elsewhere asks the system, and not the page.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    rolldownOptions: {
      // Vite leaves the white space of libraries as it is.
      output: { chunkFileNames: '[name].js', minify: true },
      // Packages say `use client` for frameworks that render on a server.
      checks: { moduleLevelDirective: false },
    },
  },
  plugins: [
    // It speaks English; react-aria brings its words in thirty-four languages.
    optimizeLocales.vite({ locales: ['en-US'] }),
  ],
});
