import { fileURLToPath } from 'node:url';
import optimizeLocales from '@react-aria/optimize-locales-plugin';
import { defineConfig } from 'vite';

/** The address of the service to which the development server (`npm run dev`) forwards requests. */
const service = process.env.POSTSHELF_URL ?? 'http://127.0.0.1:3000';

const token = process.env.POSTSHELF_TOKEN;

/** The client's source, as its package.json exports the published build. */
const client = fileURLToPath(new URL('../../packages/client/src/', import.meta.url));

export default defineConfig({
  // Relative, as a proxy may add a path that the service doesn't know; the service inserts the path up to its root.
  base: './',
  resolve: {
    alias: [
      { find: /^@postshelf\/client\/(resumable|retry|router)$/, replacement: `${client}$1.ts` },
      { find: /^@postshelf\/client$/, replacement: `${client}index.ts` },
    ],
  },
  // The service replaces this placeholder with the nonce of each answer's content security policy.
  html: { cspNonce: 'CSP_NONCE' },
  // No inlined assets: the content security policy allows `data:` only for images.
  build: {
    assetsInlineLimit: 0,
    target: 'es2023',
    modulePreload: { polyfill: false },
    rolldownOptions: {
      // Dependencies contain `use client` for frameworks that render on a server; don't warn about it.
      checks: { moduleLevelDirective: false },
    },
  },
  plugins: [
    // The pages are in English: leaves out react-aria's translations to thirty-four languages.
    optimizeLocales.vite({ locales: ['en-US'] }),
  ],
  server: {
    proxy: Object.fromEntries(
      ['/v1', '/trpc', '/files', '/previews', '/calendars', '/uploads'].map((path) => [
        path,
        {
          target: service,
          // Makes the service treat requests as coming from its own pages.
          headers: { Origin: service, ...(token && { Authorization: `Bearer ${token}` }) },
        },
      ]),
    ),
  },
});
