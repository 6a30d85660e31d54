import { findToken, type IssuedToken, issueToken, listTokens, rotateToken, signToken } from '@postshelf/application';
import { invalid, selectedInvalid, TOKEN_LIFETIME } from '@postshelf/domain';
import * as v from 'valibot';
import type { Caller } from '../../admit.ts';
import { baseUrl } from '../../service.ts';
import { dataAndMessageOf } from '../envelopes.ts';
import { given } from '../fields/values.ts';
import type { Withheld } from '../idempotency/withheld.ts';
import { operation, within } from '../operation.ts';
import { pageEnvelope, pageOf, readPage } from '../pagination.ts';
import { newToken, showToken, token, tokenQuery, tokenRotation, tokenWithText } from './schema.ts';

const tag = 'Tokens';
const ONE = '/tokens/{id}';

/**
 * Whether the caller may know the tokens of operators. Such tokens are issued on the machine itself, so only commands
 * on the machine may know them. A command has no actor.
 */
const known = ({ actor }: Pick<Caller, 'actor'>) => ({ withOperators: actor === null });

const oneToken = within('id', (ports, caller, id) => findToken(ports, id, known(caller)));

const show = ({ token: item, text }: IssuedToken) => ({ ...showToken(item), token: text });

interface Answer {
  readonly data: v.InferOutput<typeof tokenWithText>;
  readonly message: string;
}

/** The text of a token isn't stored. The answer to a repeat contains a new text for the same token. */
const withheld: Withheld<Answer> = {
  strip: ({ data: { token: _, ...data }, message }) => ({ data, message }),
  async restore({ ports }, stripped) {
    const { data, message } = stripped as Answer;
    const found = await findToken(ports, data.id);
    return { data: { ...data, token: await signToken(ports, found) }, message };
  },
};

export const tokens = {
  list: operation({
    method: 'GET',
    path: '/tokens',
    summary: 'List tokens',
    description: 'Lists all tokens except operator tokens, including revoked and expired ones, newest first.',
    tag,
    scope: 'operator',
    status: 200,
    extension: true,
    input: tokenQuery,
    output: pageOf(token, 'TokenPage'),
    async run({ service, caller, input }) {
      const { workspace: workspaceId, name } = input;
      if (workspaceId && !(await service.ports.workspaces.find(workspaceId))) {
        throw invalid('workspace', selectedInvalid('workspace'));
      }
      const rows = await listTokens(
        service.ports,
        { ...given({ workspaceId, name }), ...known(caller) },
        readPage(input),
      );
      return pageEnvelope(`${baseUrl(service)}/tokens`, input, rows, showToken);
    },
  }),

  create: operation({
    method: 'POST',
    path: '/tokens',
    summary: 'Create token',
    description:
      'The token’s text is shown only in this answer. For browsers and pickers, choose few scopes and a short lifetime.',
    tag,
    scope: 'operator',
    status: 201,
    extension: true,
    signs: true,
    input: newToken,
    output: dataAndMessageOf(tokenWithText, 'CreatedToken'),
    withheld,
    async run({ service, input, completes }) {
      const { name, workspaces: workspaceIds, scopes, expires_in: life = TOKEN_LIFETIME.default / 1000 } = input;
      const answer = (issued: IssuedToken) => ({ data: show(issued), message: 'The token was created.' });
      const request = { name, workspaceIds, scopes, lifetime: life * 1000 };
      return answer(await issueToken(service.ports, request, completes(answer)));
    },
  }),

  rotate: operation({
    method: 'POST',
    path: `${ONE}/rotate`,
    summary: 'Rotate token',
    description:
      'Creates a new token with the same rights and lifetime. Its text is shown only in this answer. The old token and its sessions end after the overlap. Each token can be rotated once.',
    tag,
    scope: 'operator',
    status: 201,
    extension: true,
    signs: true,
    within: oneToken,
    input: tokenRotation,
    output: dataAndMessageOf(tokenWithText, 'RotatedToken'),
    withheld,
    async run({ service, within: found, input: { overlap = 0 }, completes }) {
      const answer = (issued: IssuedToken) => ({ data: show(issued), message: 'The token was rotated.' });
      return answer(await rotateToken(service.ports, found, overlap * 1000, completes(answer)));
    },
  }),

  delete: operation({
    method: 'DELETE',
    path: ONE,
    summary: 'Revoke token',
    description:
      'The token is refused from the next request on, and its sessions end. Revoking it again changes nothing.',
    tag,
    scope: 'operator',
    status: 204,
    extension: true,
    within: oneToken,
    output: v.null(),
    async run({ service, within: { id } }) {
      await service.ports.tokens.revoke(id, service.ports.clock.now());
      return null;
    },
  }),
};
