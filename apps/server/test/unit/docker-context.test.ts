import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

const root = join(import.meta.dir, '../../../..');

/** What the Dockerfile's build is given: everything below what the list lets through again. */
const givenPaths = readFileSync(join(root, 'docs/deploy/Dockerfile.dockerignore'), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('!'))
  .map((line) => line.slice(1));

test('the build of the image gets every file of the program', async () => {
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
    .filter((path) => !path.includes('node_modules/'));
  expect(ours).toContain('apps/server/src/main.ts');
  expect(ours.filter((path) => !givenPaths.some((given) => path === given || path.startsWith(`${given}/`)))).toEqual(
    [],
  );
});
