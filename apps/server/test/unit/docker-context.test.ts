import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

const root = join(import.meta.dir, '../../../..');

const lines = readFileSync(join(root, 'docs/deploy/Dockerfile.dockerignore'), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'));

/**
 * The Dockerfile's build context: everything below `givenPaths`, which the ignore file re-includes with `!`, except for
 * what matches `withheld`.
 */
const givenPaths = lines.filter((line) => line.startsWith('!')).map((line) => line.slice(1));
const withheld = lines.filter((line) => !/^(?:!|\*$)/.test(line)).map((line) => new Bun.Glob(`${line}/**`));

const isGiven = (path: string): boolean =>
  givenPaths.some((given) => path === given || path.startsWith(`${given}/`)) &&
  !withheld.some((glob) => glob.match(path));

test('the Docker build context has every source file of the program, and no tests', async () => {
  const { outputs, metafile } = await Bun.build({
    entrypoints: [join(root, 'apps/server/src/main.ts')],
    root,
    target: 'bun',
    conditions: ['target-linux-x64'],
    metafile: true,
  });
  expect(outputs.length).toBeGreaterThan(0);
  const ours = Object.keys(metafile?.inputs ?? {})
    .map((path) => relative(root, join(process.cwd(), path)))
    // This leaves out third-party files, and files that only exist after a build.
    .filter((path) => !/(?:^|\/)(?:node_modules|dist)\//.test(path));
  expect(ours).toContain('apps/server/src/main.ts');
  expect(ours.filter((path) => !isGiven(path))).toEqual([]);
  expect(isGiven('apps/server/test/unit/docker-context.test.ts')).toBe(false);
});
