import { createHmac } from 'node:crypto';
import type { LibraryRepository, Uuid } from '@postshelf/domain';
import { type Config, ConfigError } from '../config/config.ts';
import { knownJwtSecret, loadJwtSecret } from './host/secret-file.ts';
import { systemClock, systemIds } from './host/system.ts';

/**
 * Returns the secret that signs the tokens of a library. The library is bound to the first secret that is used, because
 * all issued tokens would be invalid with a different one. If there is no secret, one is created in the data directory.
 *
 * @throws ConfigError if the library is bound to a different secret
 */
export async function claimSecret(
  { jwtSecret, dataDir }: Pick<Config, 'jwtSecret' | 'dataDir'>,
  library: LibraryRepository,
): Promise<string> {
  // If the storage was unreachable, no id has been stored for the library yet.
  const found = (await library.find()) ?? (await library.findOrCreate(systemIds.next(), systemClock.now()));
  const { id, secretFingerprint } = found;
  const known = jwtSecret ?? (await knownJwtSecret(dataDir));
  if (known === null && secretFingerprint !== null) throw new ConfigError(`JWT_SECRET: ${missing(dataDir, id)}`);
  const secret = known ?? (await made(dataDir));
  const fingerprint = fingerprintOf(secret, id);
  if ((await library.claimSecret(fingerprint)) === fingerprint) return secret;
  const which = jwtSecret === null ? `JWT_SECRET: the one in ${dataDir}/jwt-secret` : 'JWT_SECRET:';
  throw new ConfigError(`${which} is not the secret that signs the tokens of library ${id}. ${WHAT_TO_DO}`);
}

const WHAT_TO_DO = 'Set that secret; to replace it, which invalidates all tokens, see "postshelf token reset-secret".';

const missing = (dataDir: string, id: Uuid): string =>
  `is not set, ${dataDir} contains none, and library ${id} already has one. ${WHAT_TO_DO}`;

/**
 * Returns a fingerprint that reveals no more about a secret than a token signed with it.
 *
 * @returns 128 bits of an HMAC (RFC 2104), lower-case hex
 */
export const fingerprintOf = (secret: string, library: Uuid): string =>
  createHmac('sha256', secret).update(`postshelf library fingerprint ${library}`).digest('hex').slice(0, 32);

/** Whether a secret is the one that a library was bound to. */
export async function isSecretOf(library: LibraryRepository, secret: string): Promise<boolean> {
  const found = await library.find();
  return found !== null && found.secretFingerprint === fingerprintOf(secret, found.id);
}

/**
 * Returns a sentence about a problem with the secret in use: the library has a different secret, or the file from which
 * the secret was read has changed or is missing. Returns null if there is no problem.
 *
 * @throws Refusal `unavailable`
 */
export async function findSecretProblem(
  { jwtSecret, dataDir }: Pick<Config, 'jwtSecret' | 'dataDir'>,
  library: LibraryRepository,
  secret: string,
): Promise<string | null> {
  const found = await library.find();
  const expected = found?.secretFingerprint ?? null;
  if (found && expected !== fingerprintOf(secret, found.id))
    return `The secret that signs tokens does not belong to library ${found.id}, or was reset: correct it, or run "postshelf token reset-secret --yes", then restart every "postshelf serve".`;
  if (jwtSecret !== null) return null;
  const stored = await knownJwtSecret(dataDir).catch(() => '');
  if (stored === secret) return null;
  const what = stored === null ? 'is gone' : 'was changed';
  return `${dataDir}/jwt-secret ${what}, so the next start will fail: put it back, for instance from a backup (tar xf BACKUP jwt-secret), or run "postshelf token reset-secret --yes".`;
}

/**
 * Does the same as {@link findSecretProblem} for the secret that a start would use. A missing secret is also a problem.
 */
export async function verifySecret(config: Config, library: LibraryRepository): Promise<string | null> {
  const known = config.jwtSecret ?? (await knownJwtSecret(config.dataDir).catch(() => ''));
  const found = await library.find();
  if (found === null || found.secretFingerprint === null) return null;
  return known === null ? `JWT_SECRET ${missing(config.dataDir, found.id)}` : findSecretProblem(config, library, known);
}

async function made(dataDir: string): Promise<string> {
  try {
    return await loadJwtSecret(dataDir);
  } catch (cause) {
    const isMissing = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT';
    if (!isMissing) throw cause;
    throw new ConfigError(`JWT_SECRET: is not set, and there is no directory ${dataDir} to store one in`, { cause });
  }
}
