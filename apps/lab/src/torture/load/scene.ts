import type { Random } from '@postshelf/harness';
import type { Origin } from '@postshelf/harness/origin';
import type { Ledger } from '../ledger/ledger.ts';
import type { Content, Contents } from '../support/contents.ts';
import type { Api } from './api.ts';
import type { Asker } from './asker.ts';

/** What every client of the load works with. */
export interface Scene {
  readonly api: Api;
  readonly ledger: Ledger;
  readonly contents: Contents;
  readonly origin: Origin;
  readonly random: Random;
  readonly asker: Asker;
  /** The profile whose posts are made. */
  readonly profile: string;
  /** Whether the processes are about to be killed: no client begins anything then. */
  isOver: boolean;
}

/** Bytes of noise: mostly few, at times so many that a bucket gets them in parts. */
const SMALL = 120_000;
const LARGE = 9_000_000;

/** A file that nobody has yet: a picture, or in so many of a hundred cases a film. */
export function newContent({ contents, ledger, random }: Scene, films: number): Content {
  const kind = random.percent(films) ? 'mp4' : random.percent(50) ? 'jpeg' : 'png';
  const filling = random.percent(1) ? LARGE : random.below(SMALL);
  return contents.describe(ledger.number(), kind, filling);
}

/** The id of a folder that is there, or null: the root of the library. */
export function anyFolder({ ledger, random }: Scene): string | null {
  const there = [...ledger.folders.values()].filter(({ id, exists }) => id !== null && exists.is(true));
  return random.percent(30) ? null : (random.pickIfAny(there)?.id ?? null);
}

/** The key of a request that may be sent again. */
export const newKey = ({ ledger }: Scene): string => `key-${ledger.number()}`;

/** A label that no other request gives. */
export const newLabel = ({ ledger }: Scene): string => `label ${ledger.number()}`;
