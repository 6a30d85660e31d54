import { type IssuedToken, issueSignInCode, issueToken, rotateToken, type TokenRequest } from '@postshelf/application';
import {
  type AccessToken,
  DEFAULT_SCOPES,
  invalid,
  isLive,
  isScope,
  isWorkspaceScope,
  OPERATOR,
  parseUuid,
  SCOPES,
  type Scope,
  signInLink,
  type Uuid,
} from '@postshelf/domain';
import { Command } from 'commander';
import ms from 'ms';

import { type Composition, composeExisting } from '../compose/compose.ts';
import { forgetJwtSecret } from '../compose/host/secret-file.ts';
import { composeForReading } from '../compose/read-only.ts';
import { type Config, readConfig } from '../config/config.ts';
import { appendValue, print, recordCommand, showTime, table, withComposition } from './run.ts';
import { readId, unknownId } from './workspaces.ts';

interface CreateOptions {
  readonly workspace: readonly string[];
  readonly name: string;
  readonly scope: readonly string[];
  readonly operator?: boolean;
  readonly expiresIn: string;
  readonly json?: boolean;
}

export function tokenCommand(): Command {
  const token = new Command('token').description('issue, list and revoke access tokens');
  token
    .command('create')
    .description('issue a token; it is shown once and not stored')
    .option('--workspace <id>', 'a workspace that it gives access to; repeatable, at least one', appendValue, [])
    .option('--operator', 'a token that runs the service over HTTP; it has no access to any workspace')
    .option('--name <name>', 'what it is for', 'token')
    .option(
      '--scope <scope>',
      `one of ${SCOPES.join(', ')}; repeatable; default: all but those of people`,
      appendValue,
      [],
    )
    .option('--expires-in <time>', 'such as 12h or 90d, at most 365d', '90d')
    .option('--json', 'print one JSON object')
    .action(create);
  token
    .command('list')
    .description('list all tokens, without their texts')
    .option('--json', 'print one JSON object')
    .action(({ json }: { json?: boolean }) =>
      withComposition(async ({ ports }) => {
        const all = await ports.tokens.list();
        print(json, { data: all.map(show) }, table(HEADS, all.map(describe)));
      }, composeForReading),
    );
  token
    .command('revoke')
    .description('revoke a token immediately, or all with a name or with access to a workspace')
    .argument('[id]', 'as shown by token list')
    .option('--name <name>', 'all tokens with exactly this name')
    .option('--workspace <id>', 'all tokens with access to this workspace, including those with access to others')
    .option('--json', 'print one JSON object')
    .action(revoke);
  token
    .command('rotate')
    .description('replace a token by one with the same rights and lifetime; it is shown once')
    .argument('<id>', 'as shown by token list')
    .option('--overlap <time>', 'how long the old one stays valid, such as 1h, at most 24h', '0s')
    .option('--json', 'print one JSON object')
    .action(rotate);
  token
    .command('sign-in-link')
    .description('print a link that signs a browser in with a token; valid once, for 10 minutes')
    .argument('<id>', 'as shown by token list')
    .option('--json', 'print one JSON object')
    .action(printSignInLink);
  token
    .command('reset-secret')
    .description(
      'replace the secret of the library, which ends all tokens, sessions, sign-in links and calendars; without --yes only explain it',
    )
    .option('--yes', 'do it')
    .option('--json', 'print one JSON object')
    .action(resetSecret);
  return token;
}

interface RevokeOptions {
  readonly name?: string;
  readonly workspace?: string;
  readonly json?: boolean;
}

async function revoke(id: string | undefined, { name, workspace, json }: RevokeOptions): Promise<void> {
  if ([id, name, workspace].filter((given) => given !== undefined).length !== 1) {
    throw invalid('id', 'Specify the tokens: an id, --name or --workspace.');
  }
  await withComposition(async ({ ports }) => {
    if (id !== undefined) {
      const uuid = readId('token', id);
      if (!(await ports.tokens.revoke(uuid, ports.clock.now()))) throw unknownId('token', id);
      await recordCommand(ports, 'tokens.delete', { subjectId: uuid });
      return print(json, { id: uuid }, [`Revoked token ${uuid}.`]);
    }
    const workspaceId = workspace === undefined ? null : readId('workspace', workspace);
    const meant = (await ports.tokens.list()).filter(
      (token) =>
        token.revokedAt === null &&
        (workspaceId === null ? token.name === name : token.workspaceIds.includes(workspaceId)),
    );
    for (const token of meant) {
      await ports.tokens.revoke(token.id, ports.clock.now());
      await recordCommand(ports, 'tokens.delete', { subjectId: token.id });
    }
    const revoked = meant.length;
    print(json, { revoked }, [`Revoked ${revoked} ${revoked === 1 ? 'token' : 'tokens'}.`]);
  });
}

async function rotate(id: string, { overlap, json }: { overlap: string; json?: boolean }): Promise<void> {
  await withComposition(async ({ ports }) => {
    const old = await ports.tokens.find(readId('token', id));
    if (!old) throw unknownId('token', id);
    const issued = await rotateToken(ports, old, readTime('overlap', overlap));
    printIssued(json, issued);
    await recordCommand(ports, 'tokens.rotate', { subjectId: old.id });
  }, signing);
}

async function printSignInLink(id: string, { json }: { json?: boolean }): Promise<void> {
  const config = readConfig();
  await withComposition(async ({ ports }) => {
    const token = await ports.tokens.find(readId('token', id));
    if (!token) throw unknownId('token', id);
    if (!isLive(token, ports.clock.now())) throw invalid('id', `The token ${token.id} is no longer valid.`);
    const link = signInLink(config.publicUrl, await issueSignInCode(ports, token));
    await recordCommand(ports, 'tokens.signInLink', { subjectId: token.id });
    print(json, { link }, [link]);
  }, signing);
}

/** Removes the secret. The next start uses the configured one, or creates one. */
async function resetSecret({ yes = false, json }: { yes?: boolean; json?: boolean }): Promise<void> {
  const config = readConfig();
  await withComposition(async ({ ports }) => {
    const ended = await endTokens(ports, yes);
    if (yes) {
      if (await ports.library.find()) await ports.library.update({ secretFingerprint: null });
      if (config.jwtSecret === null) await forgetJwtSecret(config.dataDir);
      await recordCommand(ports, 'tokens.resetSecret');
    }
    const next = config.jwtSecret === null ? 'a new one, as JWT_SECRET is not set' : 'the one in JWT_SECRET';
    print(json, { reset: yes, tokens: ended }, [
      yes ? 'The secret of the library was removed.' : 'Nothing was changed. With --yes, the secret is removed.',
      `${yes ? 'Revoked' : 'It revokes'} all ${ended} valid tokens, and ends all sessions, sign-in links, unused invitations and calendar addresses.`,
      `The next start uses ${next}. If it differs, signed addresses become invalid, and secrets of webhooks have to be rotated.`,
      ...(yes ? ['Stop every serve that still runs with the old one.'] : []),
    ]);
  });
}

/** Revokes all tokens, and ends sessions, sign-in links and calendars. @returns the number of tokens */
async function endTokens(
  { tokens, sessions, calendars, clock }: Composition['ports'],
  isMeant: boolean,
): Promise<number> {
  const now = clock.now();
  const valid = (await tokens.list()).filter((token) => isLive(token, now));
  if (isMeant) {
    for (const { id } of valid) await tokens.revoke(id, now);
    await sessions.removeAll();
    await calendars.removeAll();
  }
  return valid.length;
}

async function create({ name, workspace, scope, operator = false, expiresIn, json }: CreateOptions): Promise<void> {
  if (operator && workspace.length + scope.length > 0) {
    throw invalid('operator', 'A token with --operator has no --workspace and no --scope.');
  }
  const rights: Pick<TokenRequest, 'scopes' | 'workspaceIds'> = operator
    ? { scopes: [OPERATOR], workspaceIds: [] }
    : { scopes: readScopes(scope), workspaceIds: readWorkspaces(workspace) };
  const request = { name, ...rights, lifetime: readTime('expires_in', expiresIn) };
  await withComposition(async ({ ports }) => {
    const issued = await issueToken(ports, request);
    printIssued(json, issued);
    await recordCommand(ports, 'tokens.create', { subjectId: issued.token.id });
  }, signing);
}

function printIssued(json: boolean | undefined, { text, token }: IssuedToken): void {
  const expires_at = showTime(token.expiresAt);
  print(json, { token: text, id: token.id, expires_at }, [
    `Token ${token.id} (${token.name}), valid until ${expires_at}. It is shown only this once:`,
    text,
  ]);
}

/**
 * Composes the program for issuing tokens and links. The serving processes must accept them, so it needs the library's
 * secret.
 */
export const signing = (config: Config) => composeExisting(config, { signs: true });

function readScopes(given: readonly string[]): readonly Scope[] {
  for (const scope of given) {
    if (scope === OPERATOR)
      throw invalid('scope', 'The scope operator cannot be combined with others: use --operator.');
    if (!isScope(scope)) throw invalid('scope', `There is no scope ${scope}.`);
  }
  const scopes = given.filter(isWorkspaceScope);
  return scopes.length > 0 ? [...new Set(scopes)] : DEFAULT_SCOPES;
}

function readWorkspaces(given: readonly string[]): readonly Uuid[] {
  if (given.length === 0) throw invalid('workspace', 'A token needs at least one --workspace.');
  return given.map((id) => {
    const uuid = parseUuid(id);
    if (!uuid) throw invalid('workspace', `There is no workspace ${id}.`);
    return uuid;
  });
}

function readTime(field: 'expires_in' | 'overlap', text: string): number {
  const time = /^\d+\s*[a-z]+$/i.test(text) ? ms(text as ms.StringValue) : undefined;
  if (time !== undefined && (time > 0 || field === 'overlap')) return time;
  throw invalid(field, `--${field.replace('_', '-')} ${text} is not a duration such as 12h or 90d.`);
}

function show({ id, name, scopes, workspaceIds, ...times }: AccessToken) {
  return {
    id,
    name,
    scopes,
    workspaces: workspaceIds,
    created_at: showTime(times.createdAt),
    expires_at: showTime(times.expiresAt),
    revoked_at: showTime(times.revokedAt),
    last_used_at: showTime(times.lastUsedAt),
  };
}

const HEADS = ['ID', 'NAME', 'WORKSPACES', 'STATE', 'LAST USED'];

function describe(token: AccessToken): readonly string[] {
  const { id, name, expires_at, revoked_at, last_used_at } = show(token);
  const state = revoked_at ? `revoked ${revoked_at}` : `until ${expires_at}`;
  return [id, name, String(token.workspaceIds.length), state, last_used_at ?? 'never'];
}
