import type { ProvenIdentity } from '@postshelf/domain';
import type { Ports } from '../ports.ts';
import { authenticatedAs } from './sessions.ts';
import type { SignIn } from './sign-in.ts';

/**
 * Signs in the people who have an identity. Before that, binds the identity to people who were invited with its
 * verified e-mail address. Creates no people.
 *
 * @returns null if nobody has the identity
 */
export async function signInByProvider(
  { people, clock }: Pick<Ports, 'people' | 'clock'>,
  { issuer, subject, email }: ProvenIdentity,
): Promise<SignIn | null> {
  const identity = { issuer, subject };
  const [first, ...others] = await people.bind(identity, email, clock.now());
  if (!first) return null;
  return { who: authenticatedAs([first, ...others], null), grounds: { kind: 'identity', identity } };
}
