import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';

const here = import.meta.dir;
let folder: string;
let published: Map<string, string>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'postshelf-elements-'));
  await run([process.execPath, join(here, '../../client/test/support/install.mjs'), 'elements', folder]);
  const installed = join(folder, 'node_modules/@postshelf/elements');
  const entries = await readdir(installed, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  published = new Map(
    await Promise.all(
      paths.map(async (path) => [path.slice(installed.length + 1), await readFile(path, 'utf8')] as const),
    ),
  );
});

afterAll(() => rm(folder, { recursive: true, force: true }));

async function run(command: readonly string[]): Promise<void> {
  const child = Bun.spawn([...command], { cwd: folder, stdout: 'pipe', stderr: 'pipe' });
  const [code, out, err] = await Promise.all([
    child.exited,
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  expect(code === 0 ? '' : out + err).toBe('');
}

const tarball = async () => new Uint8Array(await readFile(join(folder, 'elements.tgz')));

test('the published package has no problems according to publint', async () => {
  const { messages, pkg } = await publint({ pack: { tarball: (await tarball()).buffer }, strict: true });
  expect(messages.map((message) => formatMessage(message, pkg))).toEqual([]);
});

test('the types resolve as an ES module, in Node and in bundlers', async () => {
  const result = await checkPackage(createPackageFromTarballData(await tarball()));
  if (!result.types) throw new Error('The package has no types.');
  // This problem is expected: the package has no CommonJS build.
  const problems = result.problems.filter(({ kind }) => kind !== 'CJSResolvesToESM');
  expect(problems).toEqual([]);
});

test('the bundle imports no other package, is built for production, and is at most 160 KB compressed', () => {
  const paths = [...published.keys()];
  expect(paths.filter((path) => !path.startsWith('dist/')).sort()).toEqual(['LICENSE', 'README.md', 'package.json']);
  expect(paths.filter((path) => path.startsWith('dist/') && !/\.(?:js|d\.ts)$/.test(path))).toEqual([]);
  const modules = [...published].filter(([path]) => path.endsWith('.js'));
  expect(modules.reduce((sum, [, text]) => sum + gzipSync(text).length, 0)).toBeLessThanOrEqual(160_000);
  const imported = [...published]
    .filter(([path]) => path.startsWith('dist/'))
    .flatMap(([path, text]) =>
      Array.from(text.matchAll(/(?:\bfrom|\bimport\(|\bimport) ?['"`]([^'"`]+)['"`]/g), ([, name = '']) =>
        name.startsWith('.') ? name : `${name} in ${path}`,
      ),
    );
  expect(imported.length).toBeGreaterThan(2);
  expect(imported.filter((name) => !name.startsWith('./') && !name.startsWith('../'))).toEqual([
    'react in dist/react.d.ts',
  ]);
  expect(modules.filter(([, text]) => text.includes('jsxDEV'))).toEqual([]);
});

test('the package can be imported without a DOM, for server-side rendering', () =>
  run(['node', '--input-type=module', '--eval', "await import('@postshelf/elements')"]));

/** Returns the code blocks of a Markdown document in one language. */
async function samplesOf(path: string, language: string): Promise<string[]> {
  const text = await readFile(join(here, path), 'utf8');
  return Array.from(text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms')), ([, block = '']) => block);
}

test('the samples in docs/elements.md type-check strictly', async () => {
  const samples = await samplesOf('../../../docs/elements.md', 'ts');
  const react = await samplesOf('../../../docs/elements.md', 'tsx');
  expect([samples.length > 0, react.length > 0]).toEqual([true, true]);
  const files = [
    ...samples.map((text, at) => [`${at}.ts`, text]),
    ...react.map((text, at) => [`${at}.tsx`, text]),
  ] as const;
  for (const [name, text] of files) await writeFile(join(folder, name ?? ''), `${text}\nexport {};\n`);
  const compilerOptions = {
    ...{ target: 'ES2023', module: 'esnext', moduleResolution: 'bundler', lib: ['ES2023', 'DOM', 'DOM.Iterable'] },
    ...{ jsx: 'react-jsx', types: [], strict: true, exactOptionalPropertyTypes: true, noEmit: true },
    // React's types are taken from this package's `node_modules`.
    paths: {
      'react/*': [join(here, '../node_modules/@types/react/*')],
      react: [join(here, '../node_modules/@types/react')],
    },
  };
  await writeFile(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, files: files.map(([name]) => name) }),
  );
  await run(['node', join(here, '../../../.dev/node_modules/typescript/bin/tsc'), '-p', folder]);
});
