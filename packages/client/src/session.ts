import { factsOf, parseJson, readAnswer, refusal } from './answer.ts';
import type { Connection } from './connection.ts';
import { unreachable } from './error.ts';
import type { Operations } from './operations.ts';

export type Session = Operations['sessions']['list']['output']['data'][number];

/** A token, or the code of a sign-in link, which is valid once. */
export type SignInOptions = ({ readonly token: string } | { readonly code: string }) & {
  /** The session's name. Default: the token's name. */
  readonly name?: string | undefined;
};

/** Starts a session. @throws PostshelfError `refused` with 401 if the token or code isn't valid */
export async function signIn(connection: Connection, options: SignInOptions): Promise<Session> {
  const answer = await ask(connection, 'POST', '', JSON.stringify(options));
  return (readAnswer(answer) as { data: Session }).data;
}

/** Ends the session; also resolves if it had already ended. @throws PostshelfError */
export async function signOut(connection: Connection): Promise<void> {
  const { status, text, ...facts } = await ask(connection, 'DELETE', '/current');
  if (status !== 204 && status !== 401) throw refusal(status, parseJson(text), facts);
}

/** Sends a request without a token; only the cookie identifies the session. */
async function ask({ root }: Connection, method: string, path: string, body: string | null = null) {
  try {
    const response = await fetch(`${root}/v1/sessions${path}`, {
      method,
      body,
      headers: body === null ? {} : { 'Content-Type': 'application/json' },
      credentials: 'same-origin',
    });
    return {
      status: response.status,
      text: await response.text(),
      ...factsOf((name) => response.headers.get(name)),
    };
  } catch (cause) {
    throw unreachable(cause);
  }
}
