import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import styles from 'swagger-ui-dist/swagger-ui.css' with { type: 'file' };
import bundle from 'swagger-ui-dist/swagger-ui-bundle.js' with { type: 'file' };
import type { Asset } from '../asset.ts';

/** The script that starts the page in the browser. Relative URLs work behind a proxy that adds a path. */
const START = `SwaggerUIBundle({
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

export interface PageFiles {
  readonly styles: Asset;
  readonly bundle: Asset;
  readonly start: Asset;
}

export async function readPageFiles(): Promise<PageFiles> {
  const script = 'text/javascript; charset=utf-8';
  const [readBundle, readStyles] = await Promise.all([Bun.file(bundle).bytes(), Bun.file(styles).bytes()]);
  const files = await Promise.all([
    pageFile('swagger-ui.css', 'text/css; charset=utf-8', readStyles),
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
