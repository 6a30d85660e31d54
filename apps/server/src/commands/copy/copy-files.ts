import type { CopyProblem, Progress } from '@postshelf/application';
import { inMegabytes } from '@postshelf/domain';
import { composeObjectMove } from '../../compose/copy.ts';
import type { Config } from '../../config/config.ts';
import { EXIT } from '../exit-codes.ts';
import { startMeter } from '../meter.ts';
import { print } from '../print.ts';
import { count } from '../progress.ts';

/** Maximum number of problems that are listed; all others are only counted. */
const SHOWN = 100;

/** Copies media to the bucket. The process ends with 1 if an object is missing or differs. */
export async function copyFiles(config: Config, directory: string, hashes: boolean, json: boolean): Promise<void> {
  const move = await composeObjectMove(config, directory);
  try {
    const meter = startMeter();
    const examples: CopyProblem[] = [];
    const report = await move
      .copy({
        hashes,
        onProblem: (problem) => {
          if (examples.length < SHOWN) examples.push(problem);
        },
        onProgress: (done, all) =>
          meter.show({ step: 'copying', done: done.bytes, total: all.bytes, text: describeProgress(done, all) }),
      })
      .finally(meter.end);
    const { isMoved: moved, ...figures } = report;
    const { copied, problems } = report;
    print(json, { ...figures, moved, hashes, examples }, [
      ...examples.map(describeProblem),
      `Copied ${describe(copied)} of ${describe(report)} to ${config.s3?.bucket}.`,
      problems === 0
        ? `All objects exist in the bucket, ${hashes ? 'and those that were read back have the right hash' : 'with the right sizes; none was read back'}.`
        : `${count(problems)} missing or damaged.`,
      moved
        ? `${directory} is marked as moved: a service that starts on it is read-only.`
        : `${directory} is not marked as moved: copy again when no service uses the library.`,
    ]);
    if (problems > 0) process.exitCode = EXIT.failed;
  } finally {
    await move.close();
  }
}

const describe = ({ objects, bytes }: Progress): string => `${count(objects, 'object')} (${inMegabytes(bytes)})`;

const describeProgress = (done: Progress, all: Progress): string =>
  `${count(done.objects)} of ${count(all.objects)} objects`;

function describeProblem({ at, id, key, problem, expected, found }: CopyProblem): string {
  const side = at === 'source' ? 'in the folder' : 'in the bucket';
  const values = expected === null ? found : `${found}, should be ${expected}`;
  return `${id}  ${key}  ${problem} ${side}${values === null ? '' : `: ${values}`}`;
}
