import { chooseCover, confirmLater, createFolder, deleteItem, moveFolder, moveItem, restoreItem } from './changing.ts';
import { fitItem } from './fitting.ts';
import { useGuest } from './guest-use.ts';
import type { LoadContext } from './load-context.ts';
import { checkObjects, openGuest, removeGuest } from './operating.ts';
import { createPost, updateMetrics } from './posting.ts';
import { continueResumable, uploadResumable } from './resumable.ts';
import { importByUrl, upload, uploadPresigned } from './storing.ts';

/** Number of clients, each with one request at a time. */
const CLIENTS = 8;

/** Maximum number of folders and posts, which are changed, but never deleted. */
const MAX_FOLDERS = 25;
const MAX_POSTS = 200;

/** Maximum number of guests' workspaces. */
const MAX_GUESTS = 4;

/** Number of media above which more items are deleted than stored. */
const MANY_MEDIA = 250;

type Operation = (context: LoadContext) => Promise<void>;

/**
 * Sends random requests from several clients until the load is over.
 *
 * @throws Violation
 */
export async function load(context: LoadContext): Promise<void> {
  await Promise.all(Array.from({ length: CLIENTS }, () => client(context)));
}

async function client(context: LoadContext): Promise<void> {
  try {
    while (!context.isOver) await choose(context)(context);
  } finally {
    context.isOver = true;
  }
}

function choose({ ledger, random }: LoadContext): Operation {
  const isFull = ledger.media.size >= MANY_MEDIA;
  const shares: readonly (readonly [number, Operation])[] = [
    [20, upload],
    [14, importByUrl],
    [14, uploadPresigned],
    [14, uploadResumable],
    [14, continueResumable],
    [5, confirmLater],
    [5, fitItem],
    [isFull ? 60 : 12, deleteItem],
    [isFull ? 8 : 4, restoreItem],
    [12, moveItem],
    [8, chooseCover],
    [ledger.folders.size < MAX_FOLDERS ? 4 : 0, createFolder],
    [5, moveFolder],
    [ledger.posts.size < MAX_POSTS ? 6 : 0, createPost],
    [8, updateMetrics],
    [ledger.guests.size < MAX_GUESTS ? 10 : 0, openGuest],
    [20, useGuest],
    [3, removeGuest],
    [4, checkObjects],
  ];
  let at = random.next() * shares.reduce((sum, [share]) => sum + share, 0);
  for (const [share, operation] of shares) {
    if (at < share) return operation;
    at -= share;
  }
  return upload;
}
