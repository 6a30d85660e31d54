import { fileURLToPath } from 'node:url';
import optimizeLocales from '@react-aria/optimize-locales-plugin';
import { defineConfig } from 'vite';

/** Where the service runs while pages are worked on by `npm run dev`. */
const service = process.env.POSTSHELF_URL ?? 'http://127.0.0.1:3000';

const token = process.env.POSTSHELF_TOKEN;

/** Packages as they stand here; their exports are those of what is published. */
const client = fileURLToPath(new URL('../../packages/client/src/', import.meta.url));
const elements = fileURLToPath(new URL('../../packages/elements/src/', import.meta.url));

export default defineConfig({
  // The service writes the way up to its root into the page: a proxy may add a path that nobody told it.
  base: './',
  resolve: {
    alias: [
      { find: /^@postshelf\/client\/router$/, replacement: `${client}router.ts` },
      { find: /^@postshelf\/client$/, replacement: `${client}index.ts` },
      { find: /^@postshelf\/elements\//, replacement: elements },
    ],
  },
  // What is in every answer is checked by the service; a placeholder becomes the answer's own nonce.
  html: { cspNonce: 'CSP_NONCE' },
  // Everything has an address: the policy of the page allows `data:` for pictures alone.
  build: {
    assetsInlineLimit: 0,
    target: 'es2023',
    modulePreload: { polyfill: false },
    rolldownOptions: {
      // Packages say `use client` for frameworks that render on a server.
      checks: { moduleLevelDirective: false },
    },
  },
  plugins: [
    // The pages speak English; react-aria brings its words in thirty-four languages.
    optimizeLocales.vite({ locales: ['en-US'] }),
  ],
  server: {
    proxy: Object.fromEntries(
      ['/v1', '/trpc', '/files', '/previews', '/uploads'].map((path) => [
        path,
        {
          target: service,
          // Requests count as from the service's own pages.
          headers: { Origin: service, ...(token && { Authorization: `Bearer ${token}` }) },
        },
      ]),
    ),
  },
});
