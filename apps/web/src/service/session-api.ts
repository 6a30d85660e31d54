import { PostshelfError } from '@postshelf/client';

// Replaced by the client's own `signIn`, `signOut` and `trpc.me.get` with the next merge.

export const ME_KEY = ['me'] as const;

export interface Me {
  readonly token: {
    readonly id: string;
    readonly name: string;
    readonly scopes: readonly string[];
    readonly expires_at: string | null;
  };
  readonly workspaces: readonly { readonly id: string; readonly name: string; readonly timezone: string }[];
}

export type Credential = { readonly token: string } | { readonly code: string };

async function call(method: string, path: string, body?: Credential): Promise<unknown> {
  const response = await fetch(`/v1${path}`, {
    method,
    ...(body && { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }),
  }).catch((cause: unknown) => {
    throw new PostshelfError('unreachable', 'The service could not be reached.', { cause });
  });
  const text = await response.text();
  const answer: unknown = text === '' ? null : JSON.parse(text);
  if (!response.ok) {
    const { message } = answer as { message: string };
    throw new PostshelfError('refused', message, { status: response.status });
  }
  return answer;
}

export const readMe = async (): Promise<Me> => ((await call('GET', '/me')) as { data: Me }).data;
export const signIn = (credential: Credential): Promise<unknown> => call('POST', '/sessions', credential);
export const signOut = (): Promise<unknown> => call('DELETE', '/sessions/current');
