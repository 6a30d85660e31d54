import { type ObjectProblem, repair, type UnrepairedProblem, verify } from '@postshelf/application';
import { inMegabytes } from '@postshelf/domain';
import { Command } from 'commander';
import { digest, loadBackupTools } from '../compose/backup.ts';
import { verifySecret } from '../compose/library-secret.ts';
import { composeForReading } from '../compose/read-only-disk.ts';
import { EXIT } from './exit-codes.ts';
import { print, standardOutput } from './print.ts';
import { describeProblem, problemTable } from './problem-table.ts';
import { count, showProgress } from './progress.ts';
import { noteRun, withComposition } from './run.ts';

interface VerifyOptions {
  readonly hashes: boolean;
  readonly repairFrom?: string;
  readonly json?: boolean;
}

export const verifyCommand = (): Command =>
  new Command('verify')
    .description('check that every active media item has its object, with the right size and hash')
    .option('--no-hashes', 'check only presence and size, without reading objects')
    .option(
      '--repair-from <backup or folder>',
      'restore missing or damaged objects from a backup or a copy of the media',
    )
    .option('--json', 'print one JSON object')
    .action(verifyLibrary);

async function verifyLibrary({ hashes, json, repairFrom }: VerifyOptions): Promise<void> {
  if (repairFrom !== undefined) return repairLibrary(repairFrom, hashes, json);
  await withComposition(async ({ ports }, config) => {
    const problems = problemTable(json);
    const verifiedAt = ports.clock.now();
    const secret = await verifySecret(config, ports.library);
    const report = await verify({ ...ports, digest }, { hashes, onProblem: problems.add, onProgress: showProgress() });
    const { objects, bytes } = report;
    if (report.problems === 0) await noteRun(ports, { verifiedAt });
    const checked = `Checked ${count(objects, 'object')}, ${inMegabytes(bytes)}`;
    print(json, { objects, bytes, problems: problems.all, secret_problem: secret }, [
      `${checked}: ${report.problems === 0 ? 'no problems found' : `${count(report.problems)} missing or damaged`}.`,
      ...(secret === null ? [] : [secret]),
    ]);
    problems.conclude();
    if (secret !== null) process.exitCode = EXIT.failed;
  }, composeForReading);
}

async function repairLibrary(path: string, hashes: boolean, json: boolean | undefined): Promise<void> {
  const { openObjectSource } = await loadBackupTools();
  const source = await openObjectSource(path);
  await withComposition(async ({ ports }, config) => {
    const why = { absent: `not in ${source.name}`, damaged: `damaged in ${source.name} too` } as const;
    const problems = problemTable<UnrepairedProblem>(json, { note: (problem) => `: ${why[problem.source]}` });
    const secret = await verifySecret(config, ports.library);
    const repaired: ObjectProblem[] = [];
    let failure: string | null = null;
    const { objects, bytes, ...counts } = await repair({ ...ports, digest }, source, {
      hashes,
      onProblem: problems.add,
      onRepaired: (problem) => {
        if (json) repaired.push(problem);
        else standardOutput().write(`${describeProblem(problem)}: repaired\n`);
      },
      onSourceFailure: (error) => {
        failure = error.message;
        process.stderr.write(`postshelf: ${error.message}\n`);
      },
      onProgress: showProgress(),
    });
    const done = `${count(counts.repaired)} repaired, ${count(counts.problems)} missing or damaged`;
    const report = { objects, bytes, repaired, problems: problems.all, source_error: failure, secret_problem: secret };
    print(json, report, [
      `Checked ${count(objects, 'object')}, ${inMegabytes(bytes)}: ${done}.`,
      ...(secret === null ? [] : [secret]),
    ]);
    problems.conclude();
    if (secret !== null) process.exitCode = EXIT.failed;
  });
}
