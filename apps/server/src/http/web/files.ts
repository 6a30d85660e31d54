import packed from '../../../../web/dist/web.tar' with { type: 'file' };

/** Codings of which the build makes variants, the smallest first, and how their files end. */
export const CODINGS = { br: '.br', gzip: '.gz' } as const;

export type Coding = keyof typeof CODINGS;

/** A file of the page, whose name changes with what is in it. */
export interface Asset {
  readonly type: string;
  readonly plain: Blob;
  /** Made at build; none of what doesn't get smaller. */
  readonly coded: ReadonlyMap<Coding, Blob>;
}

export interface WebFiles {
  /** The page, in which {@link NONCE} and the way up to the root are to be put. */
  readonly page: string;
  /** By name, below `/assets/`. */
  readonly assets: ReadonlyMap<string, Asset>;
}

const FOLDER = 'assets/';

/** All that `.dev/web.mjs` has built of apps/web: some megabytes, read once. */
export async function readWebFiles(): Promise<WebFiles> {
  const files = await new Bun.Archive(await Bun.file(packed).bytes()).files();
  const page = await files.get('index.html')?.text();
  if (page === undefined) throw new Error(`There is no page in ${packed}.`);
  const isVariant = (path: string): boolean => Object.values(CODINGS).some((ending) => path.endsWith(ending));
  const assets = [...files].filter(([path]) => path.startsWith(FOLDER) && !isVariant(path));
  return {
    page,
    assets: new Map(
      assets.map(([path, plain]) => {
        const coded = Object.entries(CODINGS).flatMap(([coding, ending]) => {
          const blob = files.get(path + ending);
          return blob ? [[coding as Coding, blob] as const] : [];
        });
        return [path.slice(FOLDER.length), { type: Bun.file(path).type, plain, coded: new Map(coded) }];
      }),
    ),
  };
}
