import type { RawInput } from '@postshelf/api';
import { issueSignInCode, issueToken } from '@postshelf/application';
import {
  DEFAULT_SCOPES,
  invalid,
  isLive,
  MAX_TOKEN_NAME_LENGTH,
  OPERATOR,
  readName,
  signInLink,
  TOKEN_LIFETIME,
} from '@postshelf/domain';
import { Command, Option } from 'commander';
import { type Composition, composeExisting } from '../../compose/compose.ts';
import { deleteJwtSecret } from '../../compose/host/secret-file.ts';
import type { Config } from '../../config/config.ts';
import { print, showTime } from '../print.ts';
import { count } from '../progress.ts';
import { readId, recordCommand, unknownId, withComposition } from '../run.ts';
import type { Difference } from './difference.ts';
import { withOperations } from './here.ts';
import { type Column, type Resource, resourceIn } from './output.ts';

export const tokenColumns: readonly Column[] = [
  'id',
  'name',
  ['WORKSPACES', ({ workspaces }) => String((workspaces as readonly unknown[]).length)],
  ['STATE', ({ revoked_at, expires_at }) => (revoked_at === null ? `until ${expires_at}` : `revoked ${revoked_at}`)],
  ['LAST USED', ({ last_used_at }) => String(last_used_at ?? 'never')],
];

const valueOfIssued = ({ token, id, expires_at }: Resource): Resource => ({ token, id, expires_at });

const linesOfIssued = ({ token, id, name, expires_at }: Resource): readonly string[] => [
  `Token ${id} (${name}), valid until ${expires_at}. It is shown only this once:`,
  String(token),
];

/** The output for a new token: `{token, id, expires_at}`, or the text of the token on a line of its own. */
const shownOnce: Difference = {
  value: (answer) => valueOfIssued(resourceIn(answer)),
  lines: (answer) => linesOfIssued(resourceIn(answer)),
};

export const tokenRotation = shownOnce;

/** Only this command can create an operator's token: the API has no operation for that. */
async function createForOperator({ name = 'token', expires_in, ...rest }: RawInput, json: boolean): Promise<void> {
  if (rest.workspaces !== undefined || rest.scopes !== undefined) {
    throw invalid('operator', '--operator cannot be combined with --workspace or --scope.');
  }
  const read = readName(String(name), MAX_TOKEN_NAME_LENGTH);
  if ('problem' in read) throw invalid('name', `The name field ${read.problem}`);
  const lifetime = expires_in === undefined ? TOKEN_LIFETIME.default : Number(expires_in) * 1000;
  const request = { name: read.name, scopes: [OPERATOR], workspaceIds: [], lifetime } as const;
  await withComposition(async ({ ports }) => {
    const { token, text } = await issueToken(ports, request);
    const { id } = token;
    const shown = { id, name: token.name, token: text, expires_at: showTime(token.expiresAt) };
    await recordCommand(ports, 'tokens.create', { subjectId: id });
    print(json, valueOfIssued(shown), linesOfIssued(shown));
  }, signing);
}

export const tokenCreation: Difference = {
  ...shownOnce,
  optional: {
    name: 'default: token',
    workspaces: 'at least one, except with --operator',
    scopes: 'default: all but those of people',
  },
  options: [new Option('--operator', 'a token that runs the service over HTTP; it has no access to any workspace')],
  complete(raw) {
    if (Array.isArray(raw.scopes) && raw.scopes.includes(OPERATOR))
      throw invalid('scope', 'The scope operator cannot be combined with others: use --operator.');
    const { scopes = DEFAULT_SCOPES, workspaces } = raw;
    return { name: 'token', ...raw, scopes: onceEach(scopes), workspaces: onceEach(workspaces) };
  },
  async instead(raw, { operator, json }) {
    if (operator === true) await createForOperator(raw, json === true);
    return operator === true;
  },
};

/** Removes repeated values. The operation refuses them, but a script may pass the same option twice. */
const onceEach = (values: unknown): unknown => (Array.isArray(values) ? [...new Set(values)] : values);

interface RevokeOptions {
  readonly name?: string;
  readonly workspace?: string;
  readonly json?: boolean;
}

export const revokeCommand = (): Command =>
  new Command('revoke')
    .description('revoke a token immediately, or all tokens with a given name or with access to a given workspace')
    .argument('[id]', 'as shown by token list')
    .option('--name <name>', 'all tokens with exactly this name')
    .option('--workspace <id>', 'all tokens with access to this workspace, including those with access to others')
    .option('--json', 'print one JSON object')
    .action(revoke);

async function revoke(id: string | undefined, { name, workspace, json }: RevokeOptions): Promise<void> {
  if ([id, name, workspace].filter((given) => given !== undefined).length !== 1) {
    throw invalid('id', 'Specify the tokens: an id, --name or --workspace.');
  }
  if (id !== undefined) {
    await withOperations({}, ({ call }) => call('tokens.delete', { id }));
    return print(json, { id }, [`Revoked token ${id}.`]);
  }
  const workspaceId = workspace === undefined ? null : readId('workspace', workspace);
  // Doesn't use the filters of `tokens.list`. They refuse the ids of deleted workspaces, and names that are no longer
  // valid, although tokens with such workspaces or names may exist.
  const isMeant = (token: Resource): boolean =>
    token.revoked_at === null &&
    (workspaceId === null ? token.name === name : (token.workspaces as readonly unknown[]).includes(workspaceId));
  const revoked = await withOperations({}, async ({ call, pages }) => {
    const meant: Resource[] = [];
    for await (const page of await pages('tokens.list', {})) meant.push(...page.filter(isMeant));
    for (const { id } of meant) await call('tokens.delete', { id });
    return meant.length;
  });
  print(json, { revoked }, [`Revoked ${count(revoked, 'token')}.`]);
}

export const signInLinkCommand = (): Command =>
  new Command('sign-in-link')
    .description('print a link that signs a browser in with a token; valid once, for 10 minutes')
    .argument('<id>', 'as shown by token list')
    .option('--json', 'print one JSON object')
    .action(printSignInLink);

async function printSignInLink(id: string, { json }: { json?: boolean }): Promise<void> {
  await withComposition(async ({ ports }, { publicUrl }) => {
    const token = await ports.tokens.find(readId('token', id));
    if (!token) throw unknownId('token', id);
    if (!isLive(token, ports.clock.now())) throw invalid('id', `The token ${token.id} is no longer valid.`);
    const link = signInLink(publicUrl, await issueSignInCode(ports, token));
    await recordCommand(ports, 'tokens.signInLink', { subjectId: token.id });
    print(json, { link }, [link]);
  }, signing);
}

export const resetSecretCommand = (): Command =>
  new Command('reset-secret')
    .description(
      'replace the secret of the library, which ends all tokens, sessions, sign-in links and calendars; without --yes, only show the consequences',
    )
    .option('--yes', 'replace the secret')
    .option('--json', 'print one JSON object')
    .action(resetSecret);

/** Removes the secret. The next start uses the configured secret, or creates one. */
async function resetSecret({ yes = false, json }: { yes?: boolean; json?: boolean }): Promise<void> {
  await withComposition(async ({ ports }, config) => {
    // The command is recorded first, so that it leaves a trace even if it is killed.
    if (yes) await recordCommand(ports, 'tokens.resetSecret');
    const ended = await endTokens(ports, yes);
    if (yes) {
      if (await ports.library.find()) await ports.library.update({ secretFingerprint: null });
      if (config.jwtSecret === null) await deleteJwtSecret(config.dataDir);
    }
    const next = config.jwtSecret === null ? 'a new one, as JWT_SECRET is not set' : 'the one in JWT_SECRET';
    print(json, { reset: yes, tokens: ended }, [
      yes ? 'The secret of the library was removed.' : 'Nothing was changed. With --yes, the secret is removed.',
      `${yes ? 'Revoked' : 'It revokes'} ${ended === 1 ? 'the valid token' : `all ${ended} valid tokens`}, and ends all sessions, sign-in links, unused invitations and calendar addresses.`,
      `The next start uses ${next}. If it differs from the secret used so far, signed addresses become invalid, and secrets of webhooks have to be rotated.`,
      ...(yes ? ['Stop every "postshelf serve" that still runs with the old secret.'] : []),
    ]);
  });
}

/**
 * Counts the valid tokens. If the operator confirmed (`isMeant`), also revokes them, and ends all sessions, sign-in
 * links and calendars.
 * @returns the number of tokens that were valid
 */
async function endTokens(
  { tokens, sessions, calendars, clock }: Composition['ports'],
  isMeant: boolean,
): Promise<number> {
  const now = clock.now();
  const valid = (await tokens.list()).filter((token) => isLive(token, now));
  if (isMeant) {
    for (const { id } of valid) await tokens.revoke(id, now);
    await sessions.endAll();
    await calendars.deleteAll();
  }
  return valid.length;
}

/**
 * Composes the program for issuing tokens and links. It signs them with the library's secret, so that the service
 * accepts them.
 */
const signing = (config: Config) => composeExisting(config, { signs: true });
