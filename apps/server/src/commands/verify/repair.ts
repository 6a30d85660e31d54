import { type ObjectProblem, repair, type UnrepairedProblem } from '@postshelf/application';
import { digest, loadBackupTools } from '../../compose/backup.ts';
import { composeExisting } from '../../compose/compose.ts';
import { readConfig } from '../../config/config.ts';
import { problemTable } from '../problem-table.ts';
import { count, describeProblem, megabytes, showProgress } from '../progress.ts';
import { print, standardOutput } from '../run.ts';

/** `postshelf verify --repair-from PATH` */
export async function repairLibrary(path: string, hashes: boolean, json: boolean | undefined): Promise<void> {
  const { openObjectSource } = await loadBackupTools();
  const source = await openObjectSource(path);
  const { ports, close } = await composeExisting(readConfig());
  try {
    const why = { absent: `not in ${source.name}`, damaged: `damaged in ${source.name} too` } as const;
    const problems = problemTable<UnrepairedProblem>(json, { note: (problem) => `: ${why[problem.source]}` });
    const repaired: ObjectProblem[] = [];
    let failure: string | null = null;
    const report = await repair({ ...ports, digest }, source, {
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
    const { objects, bytes } = report;
    const done = `${count(report.repaired)} were repaired, ${count(report.problems)} are not as they should be`;
    print(json, { objects, bytes, repaired, problems: problems.all, source_error: failure }, [
      `Looked at ${count(objects)} objects, ${megabytes(bytes)}: ${done}.`,
    ]);
    problems.conclude();
  } finally {
    await close();
  }
}
