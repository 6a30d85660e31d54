import { expect } from 'bun:test';
import { existsSync } from 'node:fs';
import { restoreSqlite } from '@postshelf/database';
import { addWorkspace } from '@postshelf/testing/contracts/samples';
import { type BackupConsent, backUp, type ObjectProblem, restore } from '../../src/index.ts';
import { digest } from '../support/bodies.ts';
import { databases } from '../support/databases.ts';
import { addImages } from '../support/objects.ts';
import { inhabitedWorld, untouchedWorld, type World } from '../support/world.ts';
import { memoryArchive } from './memory-archive.ts';

export const SECRET = new TextEncoder().encode('a secret of more than thirty-two characters');

/** Creates a library of four items with their objects. */
export async function library(bare?: World) {
  const world = bare ? { ...bare, workspace: await addWorkspace(bare) } : await inhabitedWorld();
  return { world, items: await addImages(world, world.workspace.id, 4) };
}

export interface Taking {
  readonly withMedia: boolean;
  readonly archive: ReturnType<typeof memoryArchive>;
  readonly consent: Partial<BackupConsent>;
}

/** Makes a backup, and checks that the report about it agrees with the result. */
export async function take(
  world: World,
  { withMedia = true, archive = memoryArchive(), consent = {} }: Partial<Taking> = {},
) {
  const problems: ObjectProblem[] = [];
  const report = await backUp({ ...world, digest }, archive.place, {
    withMedia,
    secret: SECRET,
    program: '1.0.0',
    consent: { smaller: false, replace: false, ...consent },
    onProblem: (problem) => void problems.push(problem),
  });
  expect(report.summary.objects.problems).toBe(problems.length);
  expect(report.outcome).toBe(problems.length === 0 ? 'whole' : 'incomplete');
  expect(archive.state()).toBe(report.outcome);
  return { archive, summary: report.summary, path: report.path, problems };
}

/**
 * Returns a location to which a database can be restored; at first, no database is there. If a restore is killed, the
 * next one finds what it left there.
 */
export function restorePlace(file = databases.freePath()) {
  return {
    database: restoreSqlite(file),
    /** Opens the restored database; null if there is none. */
    open: async () => (existsSync(file) ? databases.open(file) : null),
  };
}

/** Restores a backup to the given world, or to a new, unused one. */
export async function putBack(
  archive: Pick<ReturnType<typeof memoryArchive>, 'read'>,
  given?: World,
  place: Pick<ReturnType<typeof restorePlace>, 'database' | 'open'> = restorePlace(),
) {
  const world = given ?? (await untouchedWorld());
  const damaged: string[] = [];
  const trashed: string[] = [];
  const secrets: Uint8Array[] = [];
  const ports = {
    ...world,
    storageBefore: world.storage,
    prepare: async () => world,
    digest,
    database: place.database,
  };
  const report = await restore(
    ports,
    { read: () => archive.read(), isRepeatable: true },
    {
      fingerprintOf: (secret, library) => `${library} ${new TextDecoder().decode(secret)}`,
      keepSecret: async (secret) => void secrets.push(secret),
      onDamaged: (key) => void damaged.push(key),
      onTrashed: (key) => void trashed.push(key),
    },
  );
  return { world, place, damaged, trashed, secrets, report };
}
