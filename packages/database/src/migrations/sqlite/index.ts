import type { Migrations } from '../migrate.ts';
import * as archives from './archives.ts';
import * as baseline from './baseline/index.ts';
import * as focalPoints from './focal-points.ts';
import * as ignoredSigns from './ignored-signs.ts';
import * as jobs from './jobs.ts';
import * as punctuation from './punctuation.ts';

/**
 * The migrations of SQLite databases, in this order. A migration that was released is never changed: a later one
 * corrects it. The migrations are listed here because the compiled program has no folder with them.
 */
export const SQLITE_MIGRATIONS: Migrations = {
  '1000-baseline': baseline,
  '1001-jobs': jobs,
  '1002-archives': archives,
  '1003-focal-points': focalPoints,
  '1004-punctuation': punctuation,
  '1005-ignored-signs': ignoredSigns,
};
