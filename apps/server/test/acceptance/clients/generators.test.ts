import { afterAll, beforeAll, expect, test } from 'bun:test';
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { serve } from '../imports/support/answers.ts';
import { loopback } from '../imports/support/imports.ts';
import { Origin } from '../imports/support/origin.ts';
import * as fixtures from '../support/fixtures.ts';
import { sized } from '../support/long.ts';
import { run } from '../support/run.ts';
import { removeFolder, scratchFolder } from '../support/server.ts';
import { World } from '../support/world.ts';
import { installPackages } from './support/install.ts';

const repository = resolve(import.meta.dir, '../../../../..');
const document = join(repository, 'docs/openapi.json');

/**
 * The generators, with the commands that their READMEs give. Only orval reads the service's address from its
 * configuration.
 */
const all = [
  ['openapi-typescript', ['openapi-typescript', document, '--output', 'generated/openapi-typescript.ts']],
  [
    'swagger-typescript-api',
    [
      'swagger-typescript-api',
      'generate',
      '--path',
      document,
      '--output',
      'generated/swagger-typescript-api',
      '--name',
      'api.ts',
    ],
  ],
  ['hey-api', ['openapi-ts', '--input', document, '--output', 'generated/hey-api']],
  ['orval', ['orval', '--config', 'orval.config.mjs']],
  ['oazapfts', ['oazapfts', document, 'generated/oazapfts.ts']],
] as const;

/** The tested generators. By default these are one that only generates types, and one that generates named calls. */
const generators = sized(all.slice(0, 2), [...all]);

/** The generators whose code sends text as JSON. Their programs therefore don't import posts. */
const WITHOUT_TEXT: ReadonlySet<string> = new Set(['orval', 'swagger-typescript-api']);

let world: World;
let origin: Origin;
let folder: string;
let environment: Readonly<Record<string, string>>;

beforeAll(async () => {
  folder = scratchFolder();
  [world, origin] = await Promise.all([
    World.open(loopback),
    Origin.open(),
    installPackages(join(import.meta.dir, 'generators'), folder),
  ]);
  cpSync(join(import.meta.dir, 'generators/program'), folder, { recursive: true });
  mkdirSync(join(folder, 'generated'));
  environment = {
    PATH: String(process.env.PATH),
    HOME: folder,
    NO_COLOR: '1',
    DOCUMENT: document,
    BASE: `${world.server.url}/v1`,
    TOKEN: String(world.tokens.all),
    WORKSPACE: String(world.ids.workspace),
    PICTURE_URL: origin.page('web.png', serve(fixtures.png())).url,
    PNG: Buffer.from(fixtures.png()).toString('base64'),
    JPEG: Buffer.from(fixtures.jpeg()).toString('base64'),
  };
});

afterAll(async () => {
  origin.close();
  await world.close();
  removeFolder(folder);
});

const inFolder = (program: string, args: readonly string[]) =>
  run([join(folder, 'node_modules/.bin', program), ...args], { cwd: folder, env: environment });

test.each(generators)(
  '%s generates a client from the document, without a type named Error',
  async (name, [program, ...args]) => {
    await inFolder(program, args);
    const sources = sourcesBelow(join(folder, 'generated')).filter((path) => path.includes(name));
    expect(sources).not.toBeEmpty();
    for (const path of sources) expect(readFileSync(path, 'utf8')).not.toMatch(/\b(type|interface|class|enum) Error\b/);
  },
);

test('the generated clients and the programs that use them type-check strictly', async () => {
  const compilerOptions = {
    target: 'ES2023',
    module: 'ESNext',
    moduleResolution: 'bundler',
    lib: ['ES2023', 'DOM', 'DOM.Iterable', 'DOM.AsyncIterable'],
    types: ['node'],
    strict: true,
    allowImportingTsExtensions: true,
    skipLibCheck: true,
    noEmit: true,
  };
  const files = generators.map(([name]) => `${name}.ts`);
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
  const tsc = join(repository, '.dev/node_modules/typescript/bin/tsc');
  await run(['node', tsc, '--project', '.'], { cwd: folder, env: environment });
});

test.each(generators)('the client of %s imports by URL, uploads files, and reads a validation error', async (name) => {
  const printed = await run([process.execPath, join(folder, `${name}.ts`)], { cwd: folder, env: environment });
  expect(JSON.parse(printed)).toEqual({
    imported: [{ name: 'web.png', label: 'Web', status: 'active' }],
    uploaded: [
      { name: 'beach.png', label: 'Own', status: 'active' },
      { name: 'dunes.jpg', label: 'Own', status: 'active' },
    ],
    rejected: WITHOUT_TEXT.has(name) ? null : 1,
    refusal: { name: ['The name field is required.'] },
  });
});

const sourcesBelow = (path: string): string[] =>
  readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => join(entry.parentPath, entry.name));
