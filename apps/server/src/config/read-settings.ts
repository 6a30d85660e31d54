import { readFileSync } from 'node:fs';
import { ConfigError } from './setting-kinds.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads the file at the path that a setting such as `JWT_SECRET_FILE` contains. Returns an object with the file's
 * contents as the value of `JWT_SECRET`; `{}` if the setting isn't given.
 *
 * @param name the name of the setting with the path, which ends with `_FILE`
 * @throws ConfigError if the file can't be read or is empty, or if both settings are given
 */
export function readSecretFile(name: string, { [name]: path, ...others }: Environment): Environment {
  if (path === undefined) return {};
  const setting = name.replace(/_FILE$/, '');
  if (others[setting] !== undefined)
    throw new ConfigError(`${name}: is set together with ${setting}; remove one of them`);
  let value: string;
  try {
    value = readFileSync(path, 'utf8').trim();
  } catch (error) {
    throw new ConfigError(`${name}: can't be read: ${error instanceof Error ? error.message : error}`);
  }
  if (value === '') throw new ConfigError(`${name}: ${path} is empty`);
  return { [setting]: value };
}
