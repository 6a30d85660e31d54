import type { AdoptionPlan } from '@postshelf/application';
import type { LibraryLocations } from '@postshelf/domain';
import { composeAdoption } from '../../compose/adoption.ts';
import { readConfig } from '../../config/config.ts';
import { print, showTime } from '../print.ts';
import { count } from '../progress.ts';

interface AdoptOptions {
  readonly yes?: boolean;
  readonly json?: boolean;
}

/** `postshelf storage adopt`: shows the changes, and makes them if `--yes` is given. */
export async function adopt({ yes = false, json }: AdoptOptions): Promise<void> {
  const adoption = await composeAdoption(readConfig());
  try {
    const { locations } = adoption;
    const plan = await adoption.plan();
    const isWanted = plan.problem !== null;
    const adopted = yes && isWanted ? await adoption.apply() : null;
    print(json, show(plan, locations, adopted?.id ?? null), [
      ...describe(plan, locations),
      ...(adopted === null ? othersInUse(plan) : []),
      ...(isWanted
        ? consequences(plan, locations, adopted !== null)
        : ['The database and the storage belong to the same library. There is nothing to do.']),
    ]);
  } finally {
    await adoption.close();
  }
}

const show = (
  { problem, library, workspaces, items, mark, sample }: AdoptionPlan,
  locations: LibraryLocations,
  adopted: string | null,
) => ({
  adopted,
  problem: typeof problem === 'object' ? (problem?.reason ?? null) : problem,
  database: { place: locations.database, library: library?.id ?? null, workspaces, items },
  storage: {
    place: locations.storage,
    library: mark?.library ?? null,
    restoring: showTime(mark?.restoring ?? null),
    objects_looked_at: sample.objects,
    objects_known: sample.known,
    items_looked_at: sample.items,
    items_present: sample.present,
  },
});

const NAMED = 5;

function describe({ library, workspaces, items, mark, sample }: AdoptionPlan, locations: LibraryLocations): string[] {
  const named = workspaces.slice(0, NAMED).join(', ') + (workspaces.length > NAMED ? ', …' : '');
  const holds = `${count(workspaces.length, 'workspace')}${named && ` (${named})`} and ${count(items, 'active item')}`;
  const whose = mark?.library ? `marked as the media of library ${mark.library}` : 'without a mark';
  const restoring =
    mark?.restoring == null ? '' : `; a restore into it was started at ${showTime(mark.restoring)} and not finished`;
  const { objects, known, items: sampledItems, present } = sample;
  return [
    library
      ? `Database ${locations.database}: library ${library.id}, ${holds}.`
      : `Database ${locations.database}: none.`,
    `Storage ${locations.storage}: ${whose}${restoring}.`,
    `The database knows ${count(known)} of ${count(objects)} sampled objects; ${count(present)} of ${count(sampledItems)} sampled items have their object in the storage.`,
  ];
}

/** Returns what has to stop before this database adopts the storage. */
function othersInUse({ problem }: AdoptionPlan): string[] {
  if (problem === null || problem === 'unmarked') return [];
  if (problem.reason === 'moved')
    return [`The library was copied to ${problem.to}. Stop the services that use it there first.`];
  if (problem.reason === 'copy') return ['Another database of this library uses the storage. Stop its services first.'];
  return [];
}

function consequences({ library }: AdoptionPlan, locations: LibraryLocations, isDone: boolean): string[] {
  const made = library === null ? (isDone ? 'a database was created, and ' : 'a database is created, and ') : '';
  const joined = `${made}the storage is marked as the media of ${library ? `library ${library.id}` : 'its new library'}.`;
  return [
    `${isDone ? 'Done:' : 'Nothing was changed. With --yes:'} ${joined}`,
    'No object is deleted: those without a row stay until someone runs postshelf gc --yes-really.',
    ...(isDone ? [] : [`Services that use ${locations.storage} with another database become read-only.`]),
  ];
}
