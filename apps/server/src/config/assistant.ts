import * as v from 'valibot';
import { type Environment, readSecretFile } from './secret-files.ts';
import { ConfigError, httpUrl, withoutTrailingSlash } from './setting-kinds.ts';

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
});

/**
 * Reads the settings of `postshelf mcp`. The examples of the API client use variables with the same names.
 *
 * @throws ConfigError that names the first invalid setting
 */
export function readAssistant(environment: Environment = process.env): AssistantConfig {
  const given = { ...environment, ...readSecretFile('POSTSHELF_TOKEN_FILE', environment) };
  const { success, output, issues } = v.safeParse(settings, given);
  if (!success) throw new ConfigError(`${issues[0].path?.[0]?.key}: ${issues[0].message}`);
  return { url: withoutTrailingSlash(output.POSTSHELF_URL), token: output.POSTSHELF_TOKEN };
}
