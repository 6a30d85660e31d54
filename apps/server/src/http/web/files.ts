import packed from '../../../../web/dist/web.tar' with { type: 'file' };
import type { Asset, Coding } from '../asset.ts';

/** The suffixes that the build gives to compressed variants. */
const ENDINGS: Readonly<Record<Coding, string>> = { br: '.br', gzip: '.gz' };

export interface WebFiles {
  /** The HTML of the page. Its nonce is a placeholder, and its URLs are relative to the root. */
  readonly page: string;
  readonly assets: ReadonlyMap<string, Asset>;
}

const FOLDER = 'assets/';

/**
 * Reads everything that `.dev/web.mjs` has built from apps/web. The files are several megabytes, so they are read only
 * once.
 */
export async function readWebFiles(): Promise<WebFiles> {
  const files = await new Bun.Archive(await Bun.file(packed).bytes()).files();
  const page = await files.get('index.html')?.text();
  if (page === undefined) throw new Error(`There is no index.html in ${packed}.`);
  const variants = Object.entries(ENDINGS) as [Coding, string][];
  const isVariant = (path: string): boolean => variants.some(([, ending]) => path.endsWith(ending));
  const assets = [...files].filter(([path]) => path.startsWith(FOLDER) && !isVariant(path));
  return {
    page,
    assets: new Map(
      assets.map(([path, plain]) => {
        const name = path.slice(FOLDER.length);
        const coded = variants.flatMap(([coding, ending]) => {
          const blob = files.get(path + ending);
          return blob ? [[coding, blob] as const] : [];
        });
        return [name, { name, type: Bun.file(path).type, plain, coded: new Map(coded) }];
      }),
    ),
  };
}
