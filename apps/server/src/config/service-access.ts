import * as v from 'valibot';
import { type Environment, readSettings } from './read-settings.ts';
import { httpUrl, withoutTrailingSlash } from './setting-kinds.ts';

/**
 * The running service that `postshelf mcp` and `postshelf import` are clients of. It may run on another machine, so this
 * is the only configuration that these commands read.
 */
export interface ServiceAccess {
  /** The root of the service, without a trailing slash. */
  readonly url: string;
  readonly token: string;
}

const settings = v.object({
  POSTSHELF_URL: v.optional(httpUrl, 'http://127.0.0.1:3000'),
  POSTSHELF_TOKEN: v.pipe(
    v.optional(v.string(), ''),
    v.trim(),
    v.nonEmpty('is missing: give it a token, as "token create" prints it'),
    v.regex(/^[\w.-]+$/, 'is not a token, as "token create" prints it'),
  ),
  POSTSHELF_TOKEN_FILE: v.optional(v.string()),
});

/**
 * Reads the settings of commands that are clients of a service. The examples of the API client use variables with the
 * same names.
 *
 * @throws ConfigError that names the first invalid setting
 */
export function readServiceAccess(environment: Environment = process.env): ServiceAccess {
  // An empty token gets the sentence about a missing one, which says where to get a token.
  const given = { ...environment, POSTSHELF_TOKEN: environment.POSTSHELF_TOKEN || undefined };
  const { POSTSHELF_URL: url, POSTSHELF_TOKEN: token } = readSettings(settings, given);
  return { url: withoutTrailingSlash(url), token };
}
