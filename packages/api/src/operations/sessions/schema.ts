import { MAX_SESSION_NAME, type Session } from '@postshelf/domain';
import * as v from 'valibot';
import { documented } from '../fields/documented.ts';
import { dateTime, nameOf, showTime } from '../fields/values.ts';

const text = (description: string, examples: readonly string[]) =>
  v.optional(documented(v.string(), { description, minLength: 1, examples }));

const fields = v.object({
  token: text('A personal access token.', ['eyJhbGciOiJIUzI1NiJ9.e30.c2lnbmF0dXJl']),
  code: text(
    'The code of a sign-in link, instead of a token. It works once: the code of an invitation within 7 days, any other within 10 minutes.',
    ['pYlXx0sCoTAbkJ2nHgNfcVdKzQwR4uE5yM1tLi8aZ7o'],
  ),
  name: v.optional(
    nameOf(MAX_SESSION_NAME, {
      description: 'The session’s name in the list; the name of the token or the person if omitted.',
      examples: ['Firefox on the laptop'],
    }),
  ),
});

/** The body that starts a session, with either a token or a code. */
export const newSession = documented(
  v.pipe(
    fields,
    v.rawCheck(({ dataset, addIssue }) => {
      if (!dataset.typed) return;
      const input = dataset.value;
      const refuse = (key: 'token' | 'code', message: string): void =>
        addIssue({ message, path: [{ type: 'object', origin: 'value', input, key, value: input[key] }] });
      if (input.token === undefined && input.code === undefined) refuse('token', 'is required.');
      if (input.token !== undefined && input.code !== undefined) refuse('code', 'must be absent if there is a token.');
    }),
  ),
  { title: 'NewSession', description: 'Either a token or a code.' },
);

export const session = documented(
  v.object({
    id: documented(v.string(), { format: 'uuid' }),
    name: v.string(),
    created_at: dateTime('When it started.'),
    expires_at: dateTime('When it ends: after 30 days, or with its token, if it has one.'),
    last_used_at: v.nullable(dateTime('When the session was last used, to the minute.')),
    is_current: documented(v.boolean(), { description: 'Whether it is the request’s own session.' }),
  }),
  {
    title: 'SessionResource',
    examples: [
      {
        id: '019f5b0e-9c11-7d20-8b64-2a5d0e4f7c93',
        name: 'Firefox on the laptop',
        created_at: '2026-11-21T18:30:00.000Z',
        expires_at: '2026-12-21T18:30:00.000Z',
        last_used_at: '2026-11-22T09:00:00.000Z',
        is_current: true,
      },
    ],
  },
);

/** @param current the session that makes the request, if any */
export const showSession = (
  { id, name, createdAt, expiresAt, lastUsedAt }: Session,
  current: Session | null,
): v.InferOutput<typeof session> => ({
  id,
  name,
  created_at: showTime(createdAt),
  expires_at: showTime(expiresAt),
  last_used_at: lastUsedAt === null ? null : showTime(lastUsedAt),
  is_current: id === current?.id,
});
