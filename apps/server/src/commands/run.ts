import type { Ports } from '@postshelf/application';
import { type AuditEntry, type FieldErrors, type LibraryChange, parseUuid, type Uuid } from '@postshelf/domain';
import { type Composition, composeExisting } from '../compose/compose.ts';
import { type Config, readConfig } from '../config/config.ts';
import { isOneFile } from '../telemetry/version.ts';
import { reasonOf } from './reason.ts';

/**
 * Reads the settings, runs a command with the composed program, and always closes it afterwards.
 *
 * @param compose opens the library; the default refuses a library that does not exist
 */
export async function withComposition<T>(
  use: (composition: Composition, config: Config) => Promise<T>,
  compose: (config: Config) => Promise<Composition> = composeExisting,
): Promise<T> {
  const config = readConfig();
  const composition = await compose(config);
  try {
    return await use(composition, config);
  } finally {
    await composition.close();
  }
}

/** Records when a command ran, for `doctor` and `/metrics`. If recording fails, only a warning is printed. */
export const noteRun = ({ library }: Pick<Ports, 'library'>, change: LibraryChange): Promise<void> =>
  warned(library.update(change), 'note when this was done');

/**
 * Prints a warning if recording a command fails. The command itself still succeeds.
 *
 * @param what the words that complete "could not …"
 */
const warned = (noted: Promise<unknown>, what: string): Promise<void> =>
  noted.then(
    () => undefined,
    (error: unknown) => void process.stderr.write(`postshelf: could not ${what}: ${reasonOf(error)}\n`),
  );

/** Adds an entry for a command's change to the audit log. The entry has neither a token nor an address. */
export const recordCommand = (
  { audit, clock, ids }: Pick<Ports, 'audit' | 'clock' | 'ids'>,
  action: string,
  ofWhat: Partial<Pick<AuditEntry, 'subjectId' | 'workspaceId'>> = {},
): Promise<void> => {
  const nowhere = { tokenId: null, personId: null, subjectId: null, workspaceId: null, address: null, counts: null };
  return warned(
    audit.record([{ ...nowhere, ...ofWhat, id: ids.next(), at: clock.now(), action }]),
    'record this in the audit log',
  );
};

/** A command can't be carried out in the current state. The message is one line for an operator. */
export class CommandError extends Error {
  override readonly name = 'CommandError';

  /** @param details properties that are added to the message in the JSON object of the error */
  constructor(
    message: string,
    readonly details: Readonly<Record<string, unknown>> = {},
  ) {
    super(message);
  }
}

/** Returns the error for an unknown id. @param kind the word for the kind of resource */
export const unknownId = (kind: string, id: string): CommandError => new CommandError(`There is no ${kind} ${id}.`);

/** Parses an id. @throws CommandError for an invalid id, with the same message as for an unknown id */
export function readId(kind: string, text: string): Uuid {
  const id = parseUuid(text);
  if (!id) throw unknownId(kind, text);
  return id;
}

/** An error about refused values of options. */
export class OptionsRefused extends Error {
  override readonly name = 'OptionsRefused';

  /**
   * @param message a text that names the options
   * @param errors the errors by field, as the API names the fields
   */
  constructor(
    message: string,
    readonly errors: FieldErrors,
  ) {
    super(message);
  }
}

export const invocation = (): string => (isOneFile() ? 'postshelf' : 'npm run --silent postshelf --');

export const appendValue = (value: string, before: readonly string[]): readonly string[] => [...before, value];
