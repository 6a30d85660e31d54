import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Program, program } from './program.ts';
import { stringAt } from './reply.ts';
import { jsonCommand, removeFolder, type Settings, scratchFolder } from './server.ts';

/** What a world begins with. */
export interface Beginning {
  readonly ids: Readonly<Record<string, string>>;
  readonly tokens: Readonly<Record<string, string>>;
}

/** Makes the workspaces `{workspace}` and `{foreign}`, and their tokens `all` and `foreign`. */
export async function issueTokens(
  settings: Settings,
  workspaceArgs: readonly string[],
  by: Program,
): Promise<Beginning> {
  const issue = async (name: string, args: readonly string[]) => {
    const id = stringAt(await jsonCommand(['workspace', 'create', '--name', name, ...args], settings, by), 'id');
    return { id, token: stringAt(await jsonCommand(['token', 'create', '--workspace', id], settings, by), 'token') };
  };
  const [own, foreign] = await Promise.all([issue('Acceptance', workspaceArgs), issue('Elsewhere', [])]);
  return {
    ids: { workspace: own.id, foreign: foreign.id, unknown: '01890000-0000-7000-8000-000000000000' },
    tokens: { all: own.token, foreign: foreign.token },
  };
}

export interface PreparedLibrary extends Beginning {
  readonly dataDir: string;
}

const prepared = new Map<boolean, Promise<PreparedLibrary>>();

/**
 * The library, over SQLite and files, that worlds begin with. They copy it, since a copy takes a millisecond and the
 * commands that make it start five processes.
 *
 * @param hasOwnSecret whether its tokens are signed by a secret that it has made itself
 */
export function preparedLibrary(hasOwnSecret: boolean): Promise<PreparedLibrary> {
  const library = prepared.get(hasOwnSecret) ?? shareLibrary(hasOwnSecret);
  prepared.set(hasOwnSecret, library);
  return library;
}

/** Where all processes of `npm test` find what one of them has made (.dev/scratch.mjs). */
const shared = process.env.POSTSHELF_TEST_SHARED;

/** The one that another process of this run has made; else one that is made now, for others too. */
async function shareLibrary(hasOwnSecret: boolean): Promise<PreparedLibrary> {
  const place = join(shared ?? scratchFolder(), `library-${hasOwnSecret ? 'own' : 'given'}-secret`);
  if (shared === undefined) process.on('exit', () => removeFolder(join(place, '..')));
  if (!existsSync(place)) {
    mkdirSync(join(place, '..'), { recursive: true });
    const draft = mkdtempSync(`${place}-`);
    const settings = { DATA_DIR: join(draft, 'data'), ...(hasOwnSecret ? { JWT_SECRET: undefined } : {}) };
    await jsonCommand(['migrate'], settings);
    writeFileSync(join(draft, 'beginning.json'), JSON.stringify(await issueTokens(settings, [], program)));
    try {
      renameSync(draft, place);
    } catch (error) {
      // Of several that are made at once the first one counts.
      if (!existsSync(place)) throw error;
      removeFolder(draft);
    }
  }
  const beginning: Beginning = JSON.parse(readFileSync(join(place, 'beginning.json'), 'utf8'));
  return { dataDir: join(place, 'data'), ...beginning };
}
