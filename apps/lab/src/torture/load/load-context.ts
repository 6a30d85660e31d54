import type { Random } from '@postshelf/harness';
import type { Origin } from '@postshelf/harness/origin';
import type { Ledger } from '../ledger/ledger.ts';
import type { Content, Contents } from '../support/contents.ts';
import type { Api } from './api.ts';
import type { Requester } from './requester.ts';

/** The state that all clients of the load share. */
export interface LoadContext {
  readonly api: Api;
  /** The API with the token of an operator, who belongs to no workspace. */
  readonly operator: Api;
  readonly ledger: Ledger;
  readonly contents: Contents;
  readonly origin: Origin;
  readonly random: Random;
  readonly requester: Requester;
  /** The id of the profile whose posts are created. */
  readonly profile: string;
  /** Whether the processes are about to be killed, so that no client sends another request. */
  isOver: boolean;
}

/**
 * Maximum bytes of noise in a small file, and bytes of noise in a large one. A bucket receives a large file in several
 * parts. Few files are large.
 */
const SMALL = 120_000;
const LARGE = 9_000_000;

/** Returns a new, unique file. It is a video with the given probability in percent, otherwise an image. */
export function newContent({ contents, ledger, random }: LoadContext, videos: number): Content {
  const kind = random.percent(videos) ? 'mp4' : random.percent(50) ? 'jpeg' : 'png';
  const filling = random.percent(1) ? LARGE : random.below(SMALL);
  return contents.describe(ledger.number(), kind, filling);
}

/** Returns the id of an existing folder, or null for the root of the library. */
export function anyFolder({ ledger, random }: LoadContext): string | null {
  const there = [...ledger.folders.values()].filter(({ id, exists }) => id !== null && exists.is(true));
  return random.percent(30) ? null : (random.pickIfAny(there)?.id ?? null);
}

/** Returns a new `Idempotency-Key`. */
export const newKey = ({ ledger }: LoadContext): string => `key-${ledger.number()}`;

/** Returns a unique label. */
export const newLabel = ({ ledger }: LoadContext): string => `label ${ledger.number()}`;
