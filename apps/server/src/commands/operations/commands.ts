import { type AnyOperation, changes, inputFieldsOf, namedOperations, type RawInput } from '@postshelf/api';
import { invalid } from '@postshelf/domain';
import { Command } from 'commander';
import { print } from '../print.ts';
import type { Difference } from './difference.ts';
import { ADDED, DIFFERENCES, NAMES } from './differences.ts';
import { type Here, kindOf, withOperations } from './here.ts';
import {
  decapitalised,
  type Field,
  type Given,
  hyphenated,
  inWordsOfCommands,
  namingOptions,
  optionsOf,
  readFields,
  readGiven,
  singularOf,
} from './options.ts';
import { isResource, jsonOf, linesOf, printPages, type Resource } from './output.ts';

/**
 * Returns the commands of all operations. They run in this process, directly on the database, with all permissions.
 *
 * - **Names**: `folders.list` is `folder list` or `folders list`, `webhooks.rotateSecret` is `webhook rotate-secret`.
 *   {@link NAMES} has the exceptions.
 * - **Arguments**: the id in the operation's path is an argument. The option `--workspace` names the workspace that a
 *   resource belongs to.
 * - **Options**: every other field of the path, query or body is an option: `folder_id` is `--folder-id`. The option
 *   for a list is in the singular, and is repeated for each value; a single `''` is an empty list. A boolean is
 *   `--enabled` or `--no-enabled`, or, if it may be null, `on`, `off` or `default`. For any other field that may be
 *   null, `none` means null. A field in seconds takes a time such as `90d`, and an object is given as JSON.
 * - **Lists** are printed in full, unless `--page` or `--per-page` asks for a page.
 * - **Output**: with `--json`, a command prints the operation's answer, without the envelope around a single resource;
 *   it prints `{id}` if there is no answer. Otherwise it prints a table of the plain fields of a list, or a line for
 *   each field of a resource.
 *
 * Operations about the caller's own token or session, which need no scope, are left out. Downloads of files and streams
 * of events aren't operations.
 *
 * @param args the command line. Options are made only for the resources that it names, because making all takes 80 ms.
 */
export function operationCommands(args: readonly string[]): readonly Command[] {
  const groups = new Map<string, Command>();
  for (const [operationName, operation] of namedOperations) {
    if (operation.scope === null && !operation.isConstant) continue;
    const [resource = '', name = ''] = (NAMES[operationName] ?? operationName).split('.');
    const group = groups.get(resource) ?? groupOf(resource);
    groups.set(resource, group);
    // If a command with this name is written by hand, no command is made from the operation.
    if (group.commands.some((command) => command.name() === hyphenated(name))) continue;
    const command = group.command(hyphenated(name));
    const words = [group.name(), ...group.aliases(), 'completion'];
    addTo(
      command,
      { operationName, operation, resource },
      words.some((word) => args.includes(word)),
    );
  }
  for (const group of groups.values()) group.description(group.commands.map((command) => command.name()).join(', '));
  return [...groups.values()];
}

function groupOf(resource: string): Command {
  const singular = singularOf(resource);
  const group = new Command(singular);
  if (singular !== resource) group.alias(resource);
  for (const add of ADDED[resource] ?? []) group.addCommand(add());
  return group;
}

interface Named {
  readonly operationName: string;
  readonly operation: AnyOperation;
  readonly resource: string;
}

function addTo(command: Command, { operationName, operation, resource }: Named, isDescribed: boolean): void {
  const { within } = operation;
  const difference = DIFFERENCES[operationName] ?? {};
  const { summary, description } = { ...operation, ...difference.described };
  command.summary(decapitalised(summary)).aliases([...(difference.aliases ?? [])]);
  if (!isDescribed) return;
  const input = inputFieldsOf(operation);
  command.description(`${summary}. ${inWordsOfCommands(description, input)}`);
  const argument = within && (within.param !== 'workspace' || resource === 'workspaces') ? within.param : null;
  const shownBy = `as shown by ${kindOf(operation)[1]}`;
  if (argument !== null) command.argument('<id>', shownBy);
  const isPaged = 'per_page' in input.properties;
  const fields = readFields(input, argument === null ? [] : [argument]).map((field) => {
    const usual = difference.optional?.[field.name];
    if (usual !== undefined) return { ...field, isRequired: false, about: `${field.about}; ${usual}` };
    if (field.name === within?.param) return { ...field, about: shownBy };
    return { ...field, about: (isPaged && PAGING[field.name]) || field.about };
  });
  for (const field of fields) {
    for (const option of optionsOf(field, operation.method === 'PATCH')) command.addOption(option);
  }
  for (const option of difference.options ?? []) command.addOption(option);
  const perform = async (read: RawInput, given: Given, id = ''): Promise<void> => {
    if (await difference.instead?.(read, given)) return;
    const raw = difference.complete?.(read, given) ?? read;
    // The resources that `include` adds to an answer may contain signed links.
    const needs = { reads: !changes(operation), signs: operation.signs === true || 'include' in raw };
    const isWhole = isPaged && raw.page === undefined && raw.per_page === undefined;
    const printing = { difference, summary, id, json: given.json === true, isWhole };
    const called = argument === null ? raw : { ...raw, [argument]: id };
    const printAnswer = await withOperations(needs, (here) => run(here, operationName, called, printing));
    // If the reader has closed standard output, printing ends the process. So the answer is printed last, after the
    // audit log has been written.
    printAnswer();
  };
  command.option('--json', 'print one JSON object').action(async () => {
    const given: Given = command.opts();
    const read = readGiven(fields, given);
    if (operation.method === 'PATCH') requireField(fields, read);
    await perform(read, given, command.args[0]).catch((error: unknown) => {
      throw namingOptions(error, fields, given);
    });
  });
}

/** Descriptions of the paging options for a list that is otherwise printed in full. */
const PAGING: Readonly<Record<string, string>> = {
  page: 'print only this page, counted from 1',
  per_page: 'print only one page, of this many items, at most 100; default: 25',
};

/** Requires at least one field that changes something. @throws Refusal `invalid` */
function requireField(fields: readonly Field[], { if_match: _, ...change }: RawInput): void {
  if (Object.keys(change).length > 0) return;
  const options = fields.filter(({ name }) => name !== 'if_match').map(({ option }) => option);
  throw invalid(options[0]?.slice('--'.length) ?? '', `Specify what to change: ${options.join(', ')}.`);
}

interface Printing {
  readonly difference: Difference;
  readonly summary: string;
  readonly id: string;
  readonly json: boolean;
  /** Whether the answer is a list that is to be printed in full, with all of its pages. */
  readonly isWhole: boolean;
}

/**
 * Runs the operation of a command.
 *
 * @returns a function that prints the answer, unless it was already printed page by page
 */
async function run(
  here: Here,
  name: string,
  input: RawInput,
  { difference: { columns, also, value, lines }, summary, id, json, isWhole }: Printing,
): Promise<() => void> {
  const shown = async (item: Resource): Promise<Resource> => ({ ...item, ...(await also?.(here.ports, item)) });
  if (isWhole) {
    await printPages(json, await here.pages(name, input), shown, columns);
    return () => undefined;
  }
  const answer = await here.call(name, input);
  if (answer === null)
    return () => print(json, value ? value(answer, id) : { id }, lines?.(answer, id) ?? [doneOf(summary)]);
  const { data } = Object(answer);
  const whole = isResource(data)
    ? { ...answer, data: await shown(data) }
    : Array.isArray(data)
      ? { ...answer, data: await Promise.all(data.map(shown)) }
      : answer;
  return () => print(json, value ? value(whole, id) : jsonOf(whole), lines?.(whole, id) ?? linesOf(whole, columns));
}

/** Returns the sentence for a finished operation: `Delete webhook` becomes `Deleted webhook.`. */
const doneOf = (summary: string): string => `${summary.replace(/^(\w+?)e? /, '$1ed ')}.`;
