import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { CORPUS, Collection, readCorpus } from './corpus.ts';
import { cutFiles } from './cuts.ts';
import { fuzz, type Tally } from './fuzz.ts';
import { TARGETS } from './targets/targets.ts';

const RESULTS = join(import.meta.dir, '../../results/fuzz');

/**
 * `npm run fuzz -- [--minutes M] [--seed S] [--target NAME]… [--keep]`: attacks a new service, and reports failures.
 * `npm run fuzz -- --cuts FOLDER [--cuts FOLDER]… [--seed S]`: counts how many whole and truncated files below the
 * folders are accepted.
 */
const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '5' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    keep: { type: 'boolean', default: false },
    cuts: { type: 'string', multiple: true },
    target: { type: 'string', multiple: true, default: Object.keys(TARGETS) },
  },
});
const [minutes, seed] = [Number(values.minutes), Number(values.seed)];
const unknown = values.target.filter((name) => !Object.hasOwn(TARGETS, name));
if (unknown.length > 0 || !(minutes > 0) || !Number.isSafeInteger(seed)) {
  process.stderr.write(
    `--minutes is a number, --seed a whole one, --target one of ${Object.keys(TARGETS).join(', ')}.\n`,
  );
  process.exit(1);
}
if (values.cuts !== undefined) {
  process.stdout.write(`${JSON.stringify(await cutFiles(values.cuts, seed), null, 2)}\n`);
  process.exit();
}
const say = (line: string): void => void process.stderr.write(`fuzz: ${line}\n`);
say(`seed ${seed}, ${minutes} minutes of ${values.target.join(', ')}`);
const tally = await fuzz({ minutes, seed, targets: values.target }, say);
for (const [target, collection] of Object.entries(tally.collections)) {
  await collection.write(target, join(RESULTS, String(seed)));
  if (!values.keep) continue;
  const corpus = new Collection(await readCorpus(target));
  corpus.merge(collection);
  await corpus.write(target, CORPUS);
}
await mkdir(RESULTS, { recursive: true });
await writeFile(join(RESULTS, `${seed}.json`), `${JSON.stringify(reportOf(tally), null, 2)}\n`);
process.stdout.write(`${JSON.stringify({ ...reportOf(tally), failures: tally.failures.length }, null, 2)}\n`);
process.exit(tally.failures.length > 0 ? 1 : 0);

function reportOf({ cases, collections, failures, peak, rest, services }: Tally) {
  const answers = Object.fromEntries(Object.entries(collections).map(([target, { size }]) => [target, size]));
  const mebibytes = (bytes: number): number => Math.round(bytes / 2 ** 20);
  return { seed, minutes, cases, answers, services, peakMiB: mebibytes(peak), restMiB: mebibytes(rest), failures };
}
