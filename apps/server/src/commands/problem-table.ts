import type { ObjectProblem } from '@postshelf/application';
import { EXIT } from './exit-codes.ts';
import { standardOutput } from './print.ts';

/**
 * Prints problems with objects as they are found. With `--json`, collects them instead, and prints them as part of the
 * result's JSON object. If there is any problem, the command exits with 1.
 *
 * @param note returns the text to print after each problem
 */
export function problemTable<P extends ObjectProblem>(
  json: boolean | undefined,
  { to = standardOutput(), note = () => '' }: { to?: NodeJS.WritableStream; note?: (problem: P) => string } = {},
) {
  const all: P[] = [];
  let any = false;
  return {
    all,
    add(problem: P): void {
      any = true;
      if (json) all.push(problem);
      else to.write(`${describeProblem(problem)}${note(problem)}\n`);
    },
    conclude(): void {
      if (any) process.exitCode = EXIT.failed;
    },
  };
}

export function describeProblem({ id, key, problem, expected, found }: ObjectProblem): string {
  if (problem === 'missing') return `${id}  ${key}  missing`;
  if (problem === 'unreadable')
    return `${id}  ${key}  cannot be read (${found}): give it to the service's user (chown, chmod)`;
  return `${id}  ${key}  ${problem} is ${found} and should be ${expected}`;
}
