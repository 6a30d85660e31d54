import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { realpathSync } from 'node:fs';
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { namedOperations } from '@postshelf/api';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import ts from 'typescript-api';

const here = import.meta.dir;
/** The path of Node's types, which Bun's types depend on. */
const nodeTypes = createRequire(Bun.resolveSync('bun-types/package.json', here)).resolve('@types/node/package.json');
let folder: string;
const installed = () => join(folder, 'node_modules/@postshelf/client');

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'postshelf-client-'));
  await run(process.execPath, [join(here, 'support/install.mjs'), 'client', folder]);
});

afterAll(() => rm(folder, { recursive: true, force: true }));

async function run(command: string, args: readonly string[], cwd = folder): Promise<void> {
  const child = Bun.spawn([command, ...args], { cwd, stdout: 'pipe', stderr: 'pipe' });
  const [code, out, err] = await Promise.all([
    child.exited,
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  expect(code === 0 ? '' : out + err).toBe('');
}

const tarball = async () => new Uint8Array(await readFile(join(folder, 'client.tgz')));

/** Returns the text of every file in the package, by path. */
async function files(): Promise<Map<string, string>> {
  const entries = await readdir(installed(), { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return new Map(
    await Promise.all(
      paths.map(async (path) => [path.slice(installed().length + 1), await readFile(path, 'utf8')] as const),
    ),
  );
}

describe('the published package', () => {
  test('has no problems according to publint', async () => {
    const { messages, pkg } = await publint({ pack: { tarball: (await tarball()).buffer }, strict: true });
    expect(messages.map((message) => formatMessage(message, pkg))).toEqual([]);
  });

  test('has types that resolve as an ES module, in Node and in bundlers', async () => {
    const result = await checkPackage(createPackageFromTarballData(await tarball()));
    if (!result.types) throw new Error('The package has no types.');
    // This problem is intended: the package has no CommonJS build.
    const problems = result.problems.filter(({ kind }) => kind !== 'CJSResolvesToESM');
    expect(problems).toEqual([]);
  });

  test('contains the built modules, their declarations, the README and the licence, and no source', async () => {
    const paths = [...(await files()).keys()];
    expect(paths).toContain('dist/index.js');
    expect(paths).toContain('dist/index.d.ts');
    expect(paths.filter((path) => !path.startsWith('dist/')).sort()).toEqual(['LICENSE', 'README.md', 'package.json']);
    expect(paths.filter((path) => !/\.(?:js|d\.ts)$/.test(path) && path.startsWith('dist/'))).toEqual([]);
  });

  test('imports only the tRPC client, and the tRPC server for the types of its router', async () => {
    const imported = new Set<string>();
    for (const [path, text] of await files()) {
      if (!path.startsWith('dist/')) continue;
      for (const [, name = ''] of text.matchAll(/(?<!['"])\b(?:from|import\(|import) ?['"]([^'"]+)['"]/g)) {
        if (!name.startsWith('.')) imported.add(`${path} ${name}`);
      }
    }
    expect([...imported].sort()).toEqual(['dist/router.d.ts @trpc/server', 'dist/trpc.js @trpc/client']);
  });

  test('loads the file checks on first use, as one module of at most 60 KB compressed', async () => {
    const published = await files();
    expect([...published.keys()].filter((path) => path.startsWith('dist/check/'))).toEqual(['dist/check/check.js']);
    const check = published.get('dist/check/check.js') ?? '';
    expect(check).toContain('Mozilla Public License');
    expect(gzipSync(check).length).toBeLessThan(60_000);
    expect(published.get('dist/check-file.js')).toMatch(/await import\(.\.\/check\/check\.js.\)/);
  });
});

describe('client.trpc', () => {
  test('has every operation of the router, and every documented JSON operation that requires a token', async () => {
    const text = (await files()).get('dist/operations.d.ts') ?? '';
    const declared = operationsOf(text);
    const served = namedOperations.map(([name, { method }]): [string, string] => [
      name,
      method === 'GET' ? 'query' : 'mutation',
    ]);
    expect([...declared].sort()).toEqual(served.sort());
    const { paths } = JSON.parse(await readFile(join(here, '../../../docs/openapi.json'), 'utf8')) as Document;
    const documented = Object.values(paths).flatMap((methods) => Object.values(methods));
    // Every JSON operation of the REST API that requires a token must be declared. Operations that need no token start
    // sessions (`client.signIn`) or redirect. The event stream (`client.events`), the tus operations
    // (`client.uploadResumable`) and the previews of deleted items aren't JSON.
    const ofJson = documented.filter(
      ({ operationId, requestBody, security }) =>
        !/^(?:eventsSubscribe|uploads|trashPreview$)/.test(operationId) &&
        security.length > 0 &&
        (!requestBody || 'application/json' in requestBody.content),
    );
    const names = ofJson.map(({ operationId }) => operationId.replace(/[A-Z]/, (letter) => `.${letter.toLowerCase()}`));
    expect(names.length).toBeGreaterThan(15);
    expect([...declared.keys()]).toEqual(expect.arrayContaining(names));
  });
});

/** The parts of the OpenAPI document that the test reads. */
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
}

interface DocumentedOperation {
  readonly operationId: string;
  readonly security: readonly object[];
  readonly requestBody?: { readonly content: Readonly<Record<string, unknown>> };
}

/** Returns the type of each declared operation: `folders.create` is a `mutation`. */
function operationsOf(declarations: string): Map<string, string> {
  const found = new Map<string, string>();
  const file = ts.createSourceFile('operations.d.ts', declarations, ts.ScriptTarget.ES2023);
  const aliases = file.statements.filter(ts.isTypeAliasDeclaration);
  for (const [resource, verbs] of aliases.flatMap(({ type }) => [...membersOf(type)])) {
    for (const [verb, operation] of membersOf(verbs)) {
      const type = membersOf(operation).get('type')?.getText(file) ?? '';
      found.set(`${resource}.${verb}`, type.replaceAll('"', ''));
    }
  }
  return found;
}

function membersOf(type: ts.TypeNode | undefined): Map<string, ts.TypeNode | undefined> {
  const members = type && ts.isTypeLiteralNode(type) ? type.members.filter(ts.isPropertySignature) : [];
  return new Map(members.map(({ name, type: of }) => [ts.isIdentifier(name) ? name.text : '', of]));
}

/** Declarations of the names that the README's samples use without declaring them. */
const GIVEN = `
import type { PostshelfClient } from '@postshelf/client';
declare global {
  const client: PostshelfClient;
  const workspace: string;
  const input: HTMLInputElement;
  const bar: HTMLProgressElement;
  const signal: AbortSignal;
  function askForToken(): Promise<string>;
}`;

/** Returns the TypeScript code blocks of a Markdown document. */
async function samplesOf(path: string): Promise<string[]> {
  const text = await readFile(join(here, path), 'utf8');
  return Array.from(text.matchAll(/^```ts\n(.*?)^```/gms), ([, block = '']) => block);
}

describe("a user's program", () => {
  const dom = ['ES2023', 'DOM', 'DOM.Iterable', 'DOM.AsyncIterable'];
  const programs = [
    {
      name: 'for Node without the DOM',
      sample: 'sample.ts',
      resolution: 'nodenext',
      lib: ['ES2023'],
      types: ['node'],
    },
    { name: 'for bundlers and browsers', sample: 'sample.ts', resolution: 'bundler', lib: dom, types: [] },
    {
      name: "with tRPC's own client",
      sample: 'router.ts',
      resolution: 'bundler',
      lib: [...dom, 'ESNext.Disposable'],
      types: [],
    },
  ];
  for (const { name, sample, resolution, lib, types } of programs) {
    test(`${name} type-checks strictly, declarations included, without the service's packages`, async () => {
      await cp(join(here, 'sample', sample), join(folder, sample));
      const module = resolution === 'bundler' ? 'esnext' : resolution;
      await check([sample], { module, moduleResolution: resolution, lib, types, skipLibCheck: false });
    });
  }

  // The React sample is checked by the acceptance tests, where its dependencies are installed.
  test('in the README and docs/examples/library.ts type-checks strictly', async () => {
    const ofReadme = await samplesOf('../README.md');
    expect(ofReadme.length).toBeGreaterThan(4);
    const samples = [...ofReadme, await readFile(join(here, '../../../docs/examples/library.ts'), 'utf8')];
    await writeFile(join(folder, 'given.d.ts'), GIVEN);
    const files = await Promise.all(
      samples.map(async (sample, index) => {
        const name = `sample-${index}.ts`;
        await writeFile(join(folder, name), `${sample}\nexport {};\n`);
        return name;
      }),
    );
    // `skipLibCheck` is set, because Bun's types include Node's types, whose declarations aren't checked here.
    const runtimes = { types: ['bun-types'], typeRoots: [join(here, '../node_modules')], skipLibCheck: true };
    const bundled = { module: 'esnext', moduleResolution: 'bundler', lib: dom };
    await check(['given.d.ts', ...files], { ...bundled, ...runtimes });
  });

  async function check(files: readonly string[], options: object): Promise<void> {
    const compilerOptions = {
      target: 'ES2023',
      typeRoots: [join(dirname(realpathSync(nodeTypes)), '..')],
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      noEmit: true,
      ...options,
    };
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
    await run('node', [join(here, '../../../.dev/node_modules/typescript/bin/tsc'), '-p', folder]);
  }
});
