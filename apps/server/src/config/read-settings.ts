import { readFileSync } from 'node:fs';
import * as v from 'valibot';
import { ConfigError } from './setting-kinds.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads the settings of a schema. A setting `NAME_FILE` in the schema is the path of a file with the value of `NAME`.
 *
 * @throws ConfigError that names the first setting that is empty, can't be read or is invalid
 */
export function readSettings<Entries extends v.ObjectEntries>(
  schema: v.ObjectSchema<Entries, undefined>,
  environment: Environment,
): v.InferOutput<v.ObjectSchema<Entries, undefined>> {
  const names = Object.keys(schema.entries);
  const empty = names.find((name) => environment[name]?.trim() === '');
  if (empty !== undefined) throw new ConfigError(`${empty}: is empty; give it a value or leave it out`);
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== undefined));
  for (const name of names) if (name.endsWith('_FILE')) Object.assign(given, readSecretFile(name, environment));
  const { success, output, issues } = v.safeParse(schema, given);
  if (!success) throw new ConfigError(`${issues[0].path?.[0]?.key}: ${issues[0].message}`);
  return output;
}

/**
 * Reads the file at the path that a setting such as `JWT_SECRET_FILE` contains. Returns an object with the file's
 * contents as the value of `JWT_SECRET`; `{}` if the setting isn't given.
 *
 * @param name the name of the setting with the path, which ends with `_FILE`
 * @throws ConfigError if the file can't be read or is empty, or if both settings are given
 */
function readSecretFile(name: string, { [name]: path, ...others }: Environment): Environment {
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
