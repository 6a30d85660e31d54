import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import styles from 'swagger-ui-dist/swagger-ui.css' with { type: 'file' };
import bundle from 'swagger-ui-dist/swagger-ui-bundle.js' with { type: 'file' };
import type { Asset } from '../asset.ts';

/**
 * The script that starts the page in the browser. Relative URLs work behind a proxy that adds a path. Swagger UI has a
 * dark scheme, which this class turns on; its own button for it is in a bar that the page doesn't show.
 */
const START = `const dark = matchMedia('(prefers-color-scheme: dark)');
const applyScheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
applyScheme();
dark.addEventListener('change', applyScheme);
SwaggerUIBundle({
  url: 'v1/openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  tryItOutEnabled: true,
  showExtensions: true,
  displayRequestDuration: true,
  // These settings keep Swagger UI from contacting a validator on the internet and from storing the token.
  validatorUrl: null,
  persistAuthorization: false,
});
`;

/**
 * Rules that complete Swagger UI's style sheet: for the page's own first paragraph, for texts that its dark scheme leaves
 * dark, and for phones, on which its tables are wider than the screen.
 */
const STYLES = `
body { margin: 0; }
body > p { max-width: 1460px; margin: 0 auto; padding: 16px 20px 0; font: 14px/1.5 sans-serif; }
html.dark-mode body > :is(p, noscript) { color: #e4e6e6; }
html.dark-mode body > p a { color: #8ab4f8; }
html.dark-mode .swagger-ui .header-col { color: #e4e6e6; }
@media (width < 640px) {
  .swagger-ui .responses-inner { overflow-x: auto; }
  .swagger-ui .parameters > tbody > tr,
  .swagger-ui .parameters > tbody > tr > td { display: block; }
  .swagger-ui .parameters > thead { display: none; }
}
`;

export interface PageFiles {
  readonly styles: Asset;
  readonly bundle: Asset;
  readonly start: Asset;
}

export async function readPageFiles(): Promise<PageFiles> {
  const script = 'text/javascript; charset=utf-8';
  const [readBundle, readStyles] = await Promise.all([Bun.file(bundle).bytes(), Bun.file(styles).bytes()]);
  const files = await Promise.all([
    pageFile('swagger-ui.css', 'text/css; charset=utf-8', await new Blob([readStyles, STYLES]).bytes()),
    pageFile('swagger-ui.js', script, readBundle),
    pageFile('start.js', script, new TextEncoder().encode(START)),
  ]);
  return { styles: files[0], bundle: files[1], start: files[2] };
}

async function pageFile(name: string, type: string, plain: Uint8Array<ArrayBuffer>): Promise<Asset> {
  const hash = createHash('sha256').update(plain).digest('hex').slice(0, 16);
  const gzipped = new Uint8Array(await promisify(gzip)(plain, { level: 9 }));
  return {
    name: name.replace('.', `-${hash}.`),
    type,
    plain: new Blob([plain]),
    coded: new Map([['gzip', new Blob([gzipped])]]),
  };
}
