import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { describeMachine } from '@postshelf/harness';
import { deployBucket } from './deployments/bucket.ts';
import type { Deploy } from './deployments/deployment.ts';
import { deployFiles } from './deployments/files.ts';
import { CAN_FIT } from './load/fitting.ts';
import { tryNeighbours } from './neighbours/main.ts';
import { type Report, tableOf } from './report.ts';
import { useProgram } from './support/program.ts';
import { type Plan, Torture } from './torture.ts';
import { Violation } from './violation.ts';

const RESULTS = join(import.meta.dir, '../../results/torture');

const DEPLOYMENTS: Readonly<Record<string, Deploy>> = { files: deployFiles, bucket: deployBucket };

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '300' },
    deployment: { type: 'string', default: 'both' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
    'full-every': { type: 'string', default: '50' },
    program: { type: 'string' },
    neighbours: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true, default: [] },
    seconds: { type: 'string', default: '20' },
  },
});

/** `npm run torture`: kills the service repeatedly under load, and checks its state. */
const plan: Plan = {
  rounds: wholeNumber('--rounds', values.rounds),
  fullEvery: wholeNumber('--full-every', values['full-every']),
  endedLeases: 20,
};
const seed = wholeNumber('--seed', values.seed);
if (values.program !== undefined) useProgram(values.program);
const deployments = Object.entries(DEPLOYMENTS).filter(([name]) => ['both', name].includes(values.deployment));
if (deployments.length === 0) fail(`--deployment is files, bucket or both, not ${values.deployment}.`);
// Servers that were started for a run end together with the run.
if (values.neighbours) {
  const how = { only: values.only, seconds: wholeNumber('--seconds', values.seconds) };
  process.exit((await tryNeighbours(Object.fromEntries(deployments), how)) ? 0 : 1);
}
if (!CAN_FIT) process.stderr.write('No ffmpeg and ffprobe on the PATH: nothing is fitted.\n');
await mkdir(RESULTS, { recursive: true });
for (const [name, deploy] of deployments) {
  const report = await torture(name, deploy);
  if (!report) continue;
  await writeFile(join(RESULTS, `${name}.json`), `${JSON.stringify(report, null, 2)}\n`);
  process.stdout.write(`${tableOf(report)}\n`);
  if (report.violation) process.exit(1);
}
process.exit(0);

async function torture(name: string, deploy: Deploy): Promise<Report | null> {
  const progress = (line: string): void => void process.stderr.write(`${name}: ${line}\n`);
  const folder = await mkdtemp(join(tmpdir(), `postshelf-torture-${name}-`));
  progress(`seed ${seed}, in ${folder}`);
  const deployment = await deploy(folder);
  if (!deployment) return null;
  const [date, start] = [new Date().toISOString(), performance.now()];
  const torture = await Torture.open(deployment, folder, seed);
  let violation: Report['violation'] = null;
  // The service's processes end when a signal ends this process.
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void torture.kill().finally(() => process.exit(1)));
  try {
    await torture.run(plan, progress);
  } catch (error) {
    if (!(error instanceof Violation)) throw error;
    violation = { what: error.message, facts: error.facts, kept: folder };
    process.stderr.write(`${name}: ${error.message} ${JSON.stringify(error.facts, null, 2)}\n`);
  } finally {
    await torture.close();
  }
  if (!violation) {
    await deployment.close();
    await rm(folder, { recursive: true });
  }
  return {
    deployment: name,
    about: deployment.about,
    command: ['npm run torture --', ...process.argv.slice(2)].join(' '),
    seed,
    date,
    machine: describeMachine(),
    seconds: Math.round((performance.now() - start) / 1000),
    ...torture.figures,
    violation,
  };
}

function wholeNumber(option: string, text: string): number {
  if (/^\d{1,10}$/.test(text)) return Number(text);
  return fail(`${option} is a whole number, not ${text}.`);
}

function fail(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
