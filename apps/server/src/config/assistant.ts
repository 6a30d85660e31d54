import * as v from 'valibot';
import { type Environment, readSettings } from './read-settings.ts';
import { httpUrl, withoutTrailingSlash } from './setting-kinds.ts';

/**
 * The service to which `postshelf mcp` passes an assistant's calls. It may run on another machine, so this is the only
 * configuration that the command reads.
 */
export interface AssistantConfig {
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
 * Reads the settings of `postshelf mcp`. The examples of the API client use variables with the same names.
 *
 * @throws ConfigError that names the first invalid setting
 */
export function readAssistant(environment: Environment = process.env): AssistantConfig {
  // An empty token gets the sentence about a missing one, which says where to get a token.
  const given = { ...environment, POSTSHELF_TOKEN: environment.POSTSHELF_TOKEN || undefined };
  const { POSTSHELF_URL: url, POSTSHELF_TOKEN: token } = readSettings(settings, given);
  return { url: withoutTrailingSlash(url), token };
}
