import { describe, expect, test } from 'bun:test';
import type { Me } from '../../src/service/service.ts';
import { keepSession } from '../../src/sessions/kept-session.ts';

const me = (person: string | null, ...workspaces: readonly string[]): Me =>
  ({
    person: person === null ? null : { name: person },
    workspaces: workspaces.map((id) => ({ id })),
  }) as unknown as Me;

describe('a session that has ended', () => {
  const ada = me('ada', 'shop');
  const active = keepSession(null, ada);
  const ended = keepSession(active, null);

  test('is kept, but not if it was ended by signing out, which resets the query', () => {
    expect(ended).toEqual({ me: ada, state: 'ended' });
    expect(keepSession(ended, null)).toBe(ended);
    expect(keepSession(active, undefined)).toBeNull();
    expect(keepSession(null, null)).toBeNull();
  });

  test('continues when the same person signs in, even with another workspace', () => {
    expect(keepSession(ended, ada)).toEqual({ me: ada, state: 'active' });
    const more = me('ada', 'club', 'shop');
    expect(keepSession(ended, more)).toEqual({ me: more, state: 'active' });
  });

  test.each([
    ['another person', me('bob', 'shop')],
    ['a token', me(null, 'shop')],
    ['the same person without the workspace', me('ada', 'club')],
  ])('is replaced by %s, and stays so until everything is reset', (_, other) => {
    const replaced = keepSession(ended, other);
    expect(replaced).toEqual({ me: ada, state: 'replaced' });
    expect(keepSession(replaced, other)).toBe(replaced);
    expect(keepSession(replaced, undefined)).toBeNull();
  });

  test('continues with another token of the same workspaces', () => {
    const token = me(null, 'shop');
    const next = me(null, 'shop');
    expect(keepSession(keepSession(keepSession(null, token), null), next)).toEqual({ me: next, state: 'active' });
  });
});

test('an active session follows changes of roles and workspaces', () => {
  const active = keepSession(null, me('ada', 'shop', 'club'));
  const now = me('ada', 'shop');
  expect(keepSession(active, now)).toEqual({ me: now, state: 'active' });
});
