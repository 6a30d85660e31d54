import { confirmLater, createFolder, deleteItem, moveFolder, moveItem } from './changing.ts';
import { createPost, updateMetrics } from './posting.ts';
import type { Scene } from './scene.ts';
import { importByUrl, upload, uploadPresigned } from './storing.ts';

/** Requests under way at the same time. */
const CLIENTS = 8;

/** Folders and posts that are made at most: they are moved and counted anew, not deleted. */
const MAX_FOLDERS = 25;
const MAX_POSTS = 200;

/** Media from which on more is deleted than stored. */
const MANY_MEDIA = 250;

type Operation = (scene: Scene) => Promise<void>;

/** Asks for this and that, from several clients at once, until the scene is over. @throws Violation */
export async function load(scene: Scene): Promise<void> {
  await Promise.all(Array.from({ length: CLIENTS }, () => client(scene)));
}

async function client(scene: Scene): Promise<void> {
  try {
    while (!scene.isOver) await choose(scene)(scene);
  } finally {
    scene.isOver = true;
  }
}

function choose({ ledger, random }: Scene): Operation {
  const isFull = ledger.media.size >= MANY_MEDIA;
  const shares: readonly (readonly [number, Operation])[] = [
    [20, upload],
    [14, importByUrl],
    [14, uploadPresigned],
    [5, confirmLater],
    [isFull ? 60 : 12, deleteItem],
    [12, moveItem],
    [ledger.folders.size < MAX_FOLDERS ? 4 : 0, createFolder],
    [5, moveFolder],
    [ledger.posts.size < MAX_POSTS ? 6 : 0, createPost],
    [8, updateMetrics],
  ];
  let at = random.next() * shares.reduce((sum, [share]) => sum + share, 0);
  for (const [share, operation] of shares) {
    if (at < share) return operation;
    at -= share;
  }
  return upload;
}
