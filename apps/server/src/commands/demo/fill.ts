import {
  createFolder,
  createProfile,
  importPosts,
  type Resources,
  UploadBatch,
  updateMedia,
} from '@postshelf/application';
import { type Random, randomFrom, summarise, type Uuid, type Workspace } from '@postshelf/domain';
import { type DemoItem, demoItems, isVideo } from './catalogue.ts';
import { type DemoMedia, makePosts, PROFILES } from './make-posts.ts';
import { makeVideo } from './make-video.ts';
import { PICTURES } from './pictures.ts';

export const MAX_ITEMS = 10_000;

const PAGE = 1000;

export interface DemoOptions {
  /** Number of images and videos. Fewer are created without ffmpeg. */
  readonly items: number;
  readonly seed: number;
  readonly ffmpeg: string | null;
  readonly onStored: () => void;
}

export interface DemoReport {
  readonly folders: number;
  readonly images: number;
  readonly videos: number;
  readonly profiles: number;
  readonly posts: number;
  readonly noVideos: string | null;
}

/** Fills a workspace with images, videos and posts, through the same use cases as requests. */
export async function fillDemo(ports: Resources, workspace: Workspace, options: DemoOptions): Promise<DemoReport> {
  const { items, seed, ffmpeg, onStored } = options;
  const folders = new Folders(ports, workspace);
  const stored: Record<'images' | 'videos', DemoMedia[]> = { images: [], videos: [] };
  let noVideos = ffmpeg === null ? 'ffmpeg was not found: install it or set FFMPEG_PATH' : null;
  const make = async (item: DemoItem, random: Random): Promise<Uint8Array | null> => {
    if (!isVideo(item)) return Bun.file(PICTURES[item.picture]).bytes();
    if (ffmpeg === null || noVideos !== null) return null;
    return makeVideo(ffmpeg, item, random).catch((error: Error) => {
      noVideos = error.message;
      return null;
    });
  };
  // The order is reversed, because lists show the latest item first.
  for (const [index, item] of [...demoItems(items).entries()].reverse()) {
    const bytes = await make(item, randomFrom(seed * MAX_ITEMS + index));
    if (bytes === null) continue;
    const id = await store(ports, workspace, item, bytes, await folders.at(item.folder));
    stored[isVideo(item) ? 'videos' : 'images'].push({ id, scene: item.scene });
    onStored();
  }
  const profiles = [];
  for (const kind of PROFILES) {
    const { id } = await createProfile(ports, workspace, { name: kind.name, network: kind.network });
    profiles.push({ id, kind });
  }
  const plan = { ...stored, profiles, now: ports.clock.now(), timezone: workspace.timezone };
  const { created, rejections } = await importPosts(ports, workspace, inTurn(makePosts(plan, randomFrom(seed))));
  const [first] = rejections;
  if (first) throw new Error(`A post of the demo was refused: ${first.message}`);
  const counts = { images: stored.images.length, videos: stored.videos.length, profiles: profiles.length };
  return { folders: folders.made, ...counts, posts: created, noVideos };
}

async function store(
  ports: Resources,
  workspace: Workspace,
  { name, label, alt, tags }: DemoItem,
  bytes: Uint8Array,
  folderId: Uuid | null,
): Promise<Uuid> {
  const batch = new UploadBatch(ports, workspace);
  try {
    await batch.add(name, inTurn([bytes]));
    if (Object.keys(batch.errors).length > 0) throw new Error(`${name} was refused: ${summarise(batch.errors)}`);
    const [media] = await batch.commit({ label, folderId });
    if (!media) throw new Error(`${name} was not stored.`);
    await updateMedia(ports, media.item, { altText: alt, tags });
    return media.item.id;
  } finally {
    await batch.discard();
  }
}

async function* inTurn<T>(all: Iterable<T>): AsyncGenerator<T> {
  yield* all;
}

class Folders {
  made = 0;
  readonly #known = new Map<string, Uuid | null>([['', null]]);

  constructor(
    private readonly ports: Resources,
    private readonly workspace: Workspace,
  ) {}

  async at(path: string): Promise<Uuid | null> {
    const known = this.#known.get(path);
    if (known !== undefined) return known;
    const cut = path.lastIndexOf('/');
    const parentId = await this.at(path.slice(0, Math.max(0, cut)));
    const name = path.slice(cut + 1);
    const { items } = await this.ports.folders.list(this.workspace.id, { parentId }, { offset: 0, limit: PAGE });
    const found = items.find((folder) => folder.name === name);
    const { id } = found ?? (await createFolder(this.ports, this.workspace, { name, parentId }));
    if (!found) this.made += 1;
    this.#known.set(path, id);
    return id;
  }
}
