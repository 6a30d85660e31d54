import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Program, program } from './program.ts';
import { stringAt } from './reply.ts';
import { jsonCommand, removeFolder, type Settings, scratchFolder } from './server.ts';

/** The ids of a library's workspaces, and tokens for them. */
export interface Workspaces {
  readonly ids: Readonly<Record<string, string>>;
  readonly tokens: Readonly<Record<string, string>>;
}

const scopesOf = (...words: readonly string[]) => words.flatMap((word) => [`${word}:read`, `${word}:write`]);

/** The scopes that `token create` gives to a token by default. */
export const ORDINARY_SCOPES: readonly string[] = scopesOf('media', 'folders', 'analytics', 'webhooks');

/** Options of `token create` that give a token every scope. */
export const EVERY_SCOPE: readonly string[] = [...ORDINARY_SCOPES, ...scopesOf('people')].flatMap((scope) => [
  '--scope',
  scope,
]);

/**
 * Creates the workspaces `{workspace}` and `{foreign}`, and their tokens `all` and `foreign`.
 *
 * @param workspaceArgs further arguments of the command that creates `{workspace}`
 */
export async function createWorkspaces(
  settings: Settings,
  workspaceArgs: readonly string[],
  by: Program,
): Promise<Workspaces> {
  const create = async (name: string, args: readonly string[]) => {
    const id = stringAt(await jsonCommand(['workspace', 'create', '--name', name, ...args], settings, by), 'id');
    const issue = ['token', 'create', '--workspace', id, ...EVERY_SCOPE];
    return { id, token: stringAt(await jsonCommand(issue, settings, by), 'token') };
  };
  const [own, foreign] = await Promise.all([create('Acceptance', workspaceArgs), create('Elsewhere', [])]);
  return {
    ids: { workspace: own.id, foreign: foreign.id, unknown: '01890000-0000-7000-8000-000000000000' },
    tokens: { all: own.token, foreign: foreign.token },
  };
}

/** Issues an operator token. */
export const issueOperatorToken = async (settings: Settings, by: Program): Promise<string> =>
  stringAt(await jsonCommand(['token', 'create', '--operator'], settings, by), 'token');

export interface PreparedLibrary extends Workspaces {
  readonly dataDir: string;
}

const prepared = new Map<boolean, Promise<PreparedLibrary>>();

/**
 * A library with an SQLite database, files in a folder, and an operator token, `operator`. Each world gets a copy of the
 * library, because creating one runs six processes, while copying it takes only a millisecond.
 *
 * @param hasOwnSecret whether the library's tokens are signed with a secret that the service has generated
 */
export function preparedLibrary(hasOwnSecret: boolean): Promise<PreparedLibrary> {
  const library = prepared.get(hasOwnSecret) ?? sharedLibrary(hasOwnSecret);
  prepared.set(hasOwnSecret, library);
  return library;
}

/** A folder that all processes of one `npm test` share (.dev/scratch.mjs). */
const shared = process.env.POSTSHELF_TEST_SHARED;

/**
 * Returns the library that another process of this run has created. If there is none, creates one for all processes.
 */
async function sharedLibrary(hasOwnSecret: boolean): Promise<PreparedLibrary> {
  const folder = join(shared ?? scratchFolder(), `library-${hasOwnSecret ? 'own' : 'given'}-secret`);
  if (shared === undefined) process.on('exit', () => removeFolder(join(folder, '..')));
  if (!existsSync(folder)) {
    mkdirSync(join(folder, '..'), { recursive: true });
    const draft = mkdtempSync(`${folder}-`);
    const settings = { DATA_DIR: join(draft, 'data'), ...(hasOwnSecret ? { JWT_SECRET: undefined } : {}) };
    await jsonCommand(['migrate'], settings);
    const { ids, tokens } = await createWorkspaces(settings, [], program);
    const operator = await issueOperatorToken(settings, program);
    const workspaces: Workspaces = { ids, tokens: { ...tokens, operator } };
    writeFileSync(join(draft, 'workspaces.json'), JSON.stringify(workspaces));
    try {
      renameSync(draft, folder);
    } catch (error) {
      // Another process has created a library at the same time, and finished first. Its library is used.
      if (!existsSync(folder)) throw error;
      removeFolder(draft);
    }
  }
  const workspaces: Workspaces = JSON.parse(readFileSync(join(folder, 'workspaces.json'), 'utf8'));
  return { dataDir: join(folder, 'data'), ...workspaces };
}
