import {
  type CollectionPlan,
  type CollectOptions,
  collectGarbage,
  GARBAGE_AGE,
  planCollection,
  type RestoredObject,
  restoreFromTrash,
} from '@postshelf/application';
import { describeWithheld, inMegabytes, invalid, type TrashedObject, type WithheldCollection } from '@postshelf/domain';
import { Command } from 'commander';
import ms from 'ms';
import { type Composition, composeExisting } from '../compose/compose.ts';
import { composeForReading } from '../compose/read-only-disk.ts';
import { showReason, showReport, timed } from '../telemetry/garbage.ts';
import { EXIT } from './exit-codes.ts';
import { print, printEach, showTime } from './print.ts';
import { count } from './progress.ts';
import { withComposition } from './run.ts';

interface JsonOption {
  readonly json?: boolean;
}

interface GcOptions extends JsonOption {
  readonly olderThan: string;
  readonly dryRun?: boolean;
  readonly yesReally?: boolean;
}

export function gcCommand(): Command {
  const gc = new Command('gc')
    .description(
      'move objects without an item to the trash, and remove leftovers of crashed requests and unconfirmed uploads',
    )
    .option(
      '--older-than <time>',
      'minimum age of files without a known owner; lower it only while no Postshelf process is running',
      ms(GARBAGE_AGE),
    )
    .option('--dry-run', 'only print what would be moved or removed')
    .option(
      '--yes-really',
      'move objects without an item to the trash even if there are many or the database was restored',
    )
    .option('--json', 'print one JSON object')
    .action(collect);
  // `gc` itself has the option `--json`, and Commander assigns a `--json` after a subcommand to `gc`. Subcommands
  // therefore also read the options of `gc`.
  gc.command('list')
    .description('list the objects in the trash, latest first')
    .option('--json', 'print one JSON object')
    .action((_, command: Command) => list(command.optsWithGlobals()));
  gc.command('restore')
    .description('restore objects from the trash, without overwriting existing ones')
    .argument('[key...]', '{workspace}/{id}/{name}, as list prints it')
    .option('--all', 'all objects in the trash')
    .option('--json', 'print one JSON object')
    .action((keys: readonly string[], _, command: Command) => restore(keys, command.optsWithGlobals()));
  return gc;
}

async function collect({ olderThan, dryRun, yesReally, json }: GcOptions): Promise<void> {
  const age = readAge(olderThan);
  await withComposition(
    async ({ ports }, { trashAge, maxOrphansPercent }) => {
      const options = { trashAge, maxOrphansPercent, age, hasConsent: yesReally ?? false };
      const withheld = dryRun
        ? printPlan(json, await planCollection(ports, options))
        : await printCollection(json, ports, options);
      if (withheld && !dryRun) {
        process.stderr.write(`postshelf: ${describeWithheld(withheld)}\n`);
        process.exitCode = EXIT.failed;
      }
    },
    dryRun ? composeForReading : composeExisting,
  );
}

async function printCollection(
  json: boolean | undefined,
  ports: Composition['ports'],
  options: CollectOptions,
): Promise<WithheldCollection | null> {
  const { result: report, seconds } = await timed(() => collectGarbage(ports, options));
  const { staged, trashed, restored, trash, unconfirmed, uploads, previews, bytes } = report;
  print(json, { ...showReport(report), ...showReason(report), seconds }, [
    `Moved ${count(trashed, 'object')} without an item to the trash; "postshelf gc list" shows them.`,
    `Restored ${count(restored, 'object')} that items need, and removed ${count(trash, 'expired object')} from the trash.`,
    `Removed ${count(staged, 'staged upload')}, ${count(unconfirmed, 'unconfirmed presigned upload')}, and ${count(uploads, 'uploaded file')} that no upload refers to.`,
    `Removed ${count(previews, 'preview')} without an item.`,
    `That freed ${bytes} bytes in ${seconds} seconds.`,
  ]);
  return report.withheld;
}

function printPlan(json: boolean | undefined, plan: CollectionPlan): WithheldCollection | null {
  const { objects, trashed, restored, trash, withheld } = plan;
  const figures = { objects, trashed, restored, trash, withheld: withheld?.orphans ?? 0 };
  print(json, { dry_run: true, ...figures, ...showReason(plan) }, [
    `Of ${count(objects, 'object')}, ${count(trashed)} would be moved to the trash.`,
    `Of the objects in the trash, ${count(restored)} would be restored and ${count(trash)} removed.`,
    ...(withheld ? [`The collection would wait for your consent. ${describeWithheld(withheld)}`] : []),
  ]);
  return withheld;
}

async function list({ json }: JsonOption): Promise<void> {
  await withComposition(async ({ ports }) => {
    let objects = 0;
    let bytes = 0;
    const entries = async function* (): AsyncGenerator<TrashedObject> {
      for await (const trashed of ports.trash.list()) {
        objects += 1;
        bytes += trashed.size;
        yield trashed;
      }
    };
    await printEach(json, entries(), {
      name: 'objects',
      show: ({ key, size, trashedAt }) => ({ key, size, trashed_at: showTime(trashedAt) }),
      line: ({ key, size, trashedAt }) => `${showTime(trashedAt)}  ${size}  ${key}`,
      last: () => `The trash holds ${count(objects, 'object')} (${inMegabytes(bytes)}).`,
    });
  }, composeForReading);
}

async function restore(keys: readonly string[], { all = false, json }: JsonOption & { all?: boolean }): Promise<void> {
  if (all === keys.length > 0) throw invalid('keys', 'Name the keys to restore, or pass --all.');
  await withComposition(async ({ ports }) => {
    let isMissing = false;
    const entries = async function* (): AsyncGenerator<RestoredObject> {
      for await (const restored of restoreFromTrash(ports, all ? 'all' : keys)) {
        isMissing ||= restored.outcome === 'not_in_trash';
        yield restored;
      }
    };
    await printEach(json, entries(), {
      name: 'objects',
      show: ({ key, outcome, hasItem }) => ({ key, outcome, has_item: hasItem }),
      line: (restored) => `${restored.key}  ${describe(restored)}`,
    });
    if (isMissing) process.exitCode = EXIT.failed;
  });
}

const OUTCOMES = {
  restored: 'was restored',
  object_there: 'exists already; the one in the trash stays there',
  not_in_trash: 'is not in the trash',
} as const satisfies Record<RestoredObject['outcome'], string>;

function describe({ outcome, hasItem }: RestoredObject): string {
  const note = outcome === 'restored' && !hasItem ? ', and no item has it: gc will move it to the trash again' : '';
  return OUTCOMES[outcome] + note;
}

function readAge(text: string): number {
  const age = /^\d+\s*[a-z]+$/i.test(text) ? ms(text as ms.StringValue) : undefined;
  if (age === undefined) throw invalid('older_than', `--older-than ${text} is not a duration such as 0s or 24h.`);
  return age;
}
