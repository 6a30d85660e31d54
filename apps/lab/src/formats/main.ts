import { copyFile, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { classesOf, describeClass } from './classes.ts';
import type { Loss } from './oracles/view.ts';
import { compareAll, type Outcome, PACKAGES } from './run.ts';
import { FAMILIES, findSpecimens, makeSpecimens, type Specimen } from './specimen.ts';

const RESULTS = join(import.meta.dir, '../../results/formats');

/** The maximum number of classes to print, and the maximum number of refused files to name per reason. */
const MAX_CLASSES = 60;
const MAX_NAMES = 10;

/**
 * `npm run formats -- [--seed S] [--only FAMILY]… [--having AXIS=TRAIT]… [--part P] [--videos N] [--keep FOLDER]`: makes
 * files of all kinds, stores them in a new service, and compares how the service and other programs show them. `npm run
 * formats -- DIR`: does the same for the files below a folder, which are only read.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string', default: '1' },
    only: { type: 'string', multiple: true, default: FAMILIES.map(({ name }) => name) },
    having: { type: 'string', multiple: true, default: [] },
    part: { type: 'string', default: '1' },
    videos: { type: 'string', default: '200' },
    keep: { type: 'string' },
    'no-browser': { type: 'boolean', default: false },
  },
});
const [seed, part, videos] = [Number(values.seed), Number(values.part), Number(values.videos)];
const unknown = values.only.filter((name) => FAMILIES.every((family) => family.name !== name));
if (
  unknown.length > 0 ||
  !Number.isSafeInteger(seed) ||
  !(part > 0) ||
  !Number.isSafeInteger(videos) ||
  positionals.length > 1
) {
  const names = FAMILIES.map(({ name }) => name).join(', ');
  fail(
    `--seed and --videos are whole numbers, --part one above 0, --only one of ${names}; there is one folder or none.`,
  );
}
const say = (line: string): void => void process.stderr.write(`formats: ${line}\n`);
const [folder] = positionals;
const scratch = await mkdtemp(join(tmpdir(), 'postshelf-formats-'));
const start = performance.now();
let hasDisagreed = true;
try {
  const specimens = await specimensOf(folder);
  if (specimens.length === 0) fail('There are no such files.');
  say(`${specimens.length} files, seed ${seed}`);
  const outcome = await compareAll(specimens, { seed, videos, hasBrowser: !values['no-browser'], progress: say });
  hasDisagreed = outcome.disagreements.length > 0;
  await report(outcome, specimens);
} finally {
  await rm(scratch, { recursive: true, force: true });
}
process.exit(hasDisagreed ? 1 : 0);

async function specimensOf(path: string | undefined): Promise<readonly Specimen[]> {
  if (path === undefined)
    return makeSpecimens(values.keep ?? join(scratch, 'files'), {
      seed,
      only: values.only,
      part,
      having: values.having,
    });
  const isFolder = await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (!isFolder) fail(`${path} is no folder.`);
  return findSpecimens(path);
}

async function report(
  { files, accepted, refused, disagreements, asked, losses, missing }: Outcome,
  specimens: readonly Specimen[],
): Promise<void> {
  for (const name of missing) say(`no ${name} on this machine, so it was not asked: apt-get install ${PACKAGES[name]}`);
  const lines: string[] = [];
  if (folder !== undefined) {
    for (const [reason, those] of refused) {
      lines.push(`refused ${those.length}: ${reason}`);
      lines.push(...those.slice(0, MAX_NAMES).map(({ name }) => `  ${name}`));
      if (those.length > MAX_NAMES) lines.push(`  and ${those.length - MAX_NAMES} more`);
    }
  }
  if (losses.size > 0) lines.push(...lossesTable(losses));
  const classes = classesOf(disagreements, specimens);
  lines.push(...classes.slice(0, MAX_CLASSES).map(describeClass));
  if (classes.length > MAX_CLASSES) lines.push(`and ${classes.length - MAX_CLASSES} more classes`);
  const seconds = Math.round((performance.now() - start) / 1000);
  const questions = Object.entries(asked).map(([name, count]) => `${name} ${count}`);
  lines.push(
    `${files} files: ${accepted} accepted, ${files - accepted} refused; asked ${questions.join(', ')}; ${seconds} s.`,
    `${disagreements.length} disagreements of ${classes.length} classes.`,
  );
  process.stdout.write(`${lines.join('\n')}\n`);
  await rm(RESULTS, { recursive: true, force: true });
  await mkdir(RESULTS, { recursive: true });
  await writeFile(
    join(RESULTS, 'report.json'),
    `${JSON.stringify({ files, accepted, asked, classes, disagreements }, null, 2)}\n`,
  );
  // A user's own files aren't copied into the results, because they stay where they are.
  if (folder !== undefined) return;
  for (const { example } of classes)
    await copyFile(example.specimen.path, join(RESULTS, basename(example.specimen.name)));
  if (classes.length > 0) say(`the examples are in ${RESULTS}`);
}

/** Formats how much stored copies differ from the decoders' output, grouped by family and PSNR. */
function lossesTable(losses: Outcome['losses']): readonly string[] {
  const groups = new Map<string, Loss[]>();
  for (const [{ family }, loss] of losses) {
    const part = loss.psnr >= 99 ? 'equal' : loss.psnr >= 40 ? '40 dB and more' : 'below 40 dB';
    const name = `${family ?? 'files'}, ${part}`;
    groups.set(name, [...(groups.get(name) ?? []), loss]);
  }
  return [...groups].sort().map(([name, all]) => {
    const [mean, psnr] = [Math.max(...all.map((loss) => loss.mean)), Math.min(...all.map((loss) => loss.psnr))];
    return `pixels of ${name}: ${all.length} files, mean difference at most ${mean.toFixed(2)} of 255, PSNR at least ${psnr.toFixed(1)} dB`;
  });
}

function fail(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
