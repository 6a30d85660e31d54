import { type AnyOperation, changes, inputFieldsOf, namedOperations, type RawInput } from '@postshelf/api';
import { Command } from 'commander';
import { print, requireChange } from '../run.ts';
import type { Difference } from './difference.ts';
import { ADDED, DIFFERENCES, NAMES } from './differences.ts';
import { type Here, kindOf, withOperations } from './here.ts';
import {
  decapitalised,
  type Field,
  type Given,
  hyphenated,
  namingOptions,
  optionsOf,
  readFields,
  readGiven,
  singularOf,
} from './options.ts';
import { isResource, jsonOf, linesOf, printPages, type Resource } from './output.ts';

/**
 * Returns the commands of all operations, which run in this process, over the database, as whoever has a shell here.
 *
 * - **Names**: `folders.list` is `folder list` or `folders list`, `webhooks.rotateSecret` is `webhook rotate-secret`
 *   ({@link NAMES} has the others).
 * - **Arguments**: the id in the operation's path, but `--workspace` for the workspace that something is in.
 * - **Options**: each other field, of the path, query or body: `folder_id` is `--folder-id`. A list's option is in the
 *   singular, and is repeated for each value. true and false are `--enabled` and `--no-enabled`, a choice that may be
 *   null `on`, `off` or `default`; null is `none` otherwise. Seconds are times such as `90d`, and objects JSON.
 * - **Lists** are printed whole, unless `--page` or `--per-page` asks for a page.
 * - **Output**: what the operation answers, without the envelope around a single resource; a table of its plain fields
 *   or a line for each field without `--json`. Where it answers nothing, `{id}`.
 *
 * Left out are operations about their caller, which need no scope. What isn't JSON, such as a file or a stream of events,
 * isn't an operation.
 *
 * @param args the command line: options are only made for the resources that it names, as making all takes a while
 */
export function operationCommands(args: readonly string[]): readonly Command[] {
  const groups = new Map<string, Command>();
  for (const [operationName, operation] of namedOperations) {
    if (operation.scope === null && !operation.isConstant) continue;
    const [resource = '', name = ''] = (NAMES[operationName] ?? operationName).split('.');
    const group = groups.get(resource) ?? groupOf(resource);
    groups.set(resource, group);
    // What is written by hand takes precedence.
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
  const { summary, description } = difference.described ?? operation;
  command
    .summary(decapitalised(summary))
    .description(`${summary}. ${description}`)
    .aliases([...(difference.aliases ?? [])]);
  if (!isDescribed) return;
  const argument = within && (within.param !== 'workspace' || resource === 'workspaces') ? within.param : null;
  const shownBy = `as shown by ${kindOf(operation)[1]}`;
  if (argument !== null) command.argument('<id>', shownBy);
  const fields = readFields(inputFieldsOf(operation), argument === null ? [] : [argument]).map((field) => {
    const usual = difference.optional?.[field.name];
    if (usual !== undefined) return { ...field, isRequired: false, about: `${field.about}; default: ${usual}` };
    return field.name === within?.param ? { ...field, about: shownBy } : field;
  });
  const isPaged = fields.some(({ name }) => name === 'per_page');
  for (const field of fields) {
    for (const option of optionsOf(field, operation.method === 'PATCH')) command.addOption(option);
  }
  for (const option of difference.options ?? []) command.addOption(option);
  command.option('--json', 'print one JSON object').action(async () => {
    const [id = ''] = command.args;
    const given: Given = command.opts();
    const read = readGiven(fields, given);
    if (await difference.instead?.(read, given)) return;
    if (operation.method === 'PATCH') requireField(fields, read);
    const raw = difference.complete?.(read, given) ?? read;
    const input = argument === null ? raw : { ...raw, [argument]: id };
    // What is included may be signed.
    const needs = { reads: !changes(operation), signs: operation.signs === true || 'include' in raw };
    const isWhole = isPaged && raw.page === undefined && raw.per_page === undefined;
    const printing = { difference, summary, id, json: given.json === true, isWhole };
    await withOperations(needs, (here) => run(here, operationName, input, printing)).catch((error: unknown) => {
      throw namingOptions(error, fields, given);
    });
  });
}

function requireField(fields: readonly Field[], { if_match: _, ...change }: RawInput): void {
  const options = fields.filter(({ name }) => name !== 'if_match').map(({ option }) => option.slice('--'.length));
  requireChange(change, ...options);
}

interface Printing {
  readonly difference: Difference;
  readonly summary: string;
  readonly id: string;
  readonly json: boolean;
  /** Whether the answer is a page of a list that is to be printed whole. */
  readonly isWhole: boolean;
}

async function run(
  here: Here,
  name: string,
  input: RawInput,
  { difference: { columns, also, value, lines }, summary, id, json, isWhole }: Printing,
): Promise<void> {
  const shown = async (item: Resource): Promise<Resource> => ({ ...item, ...(await also?.(here.ports, item)) });
  if (isWhole) return printPages(json, await here.pages(name, input), shown, columns);
  const answer = await here.call(name, input);
  if (answer === null)
    return print(json, value ? value(answer, id) : { id }, lines?.(answer, id) ?? [`${summary}: done.`]);
  const { data } = Object(answer);
  const whole = isResource(data) ? { ...answer, data: await shown(data) } : answer;
  print(json, value ? value(whole, id) : jsonOf(whole), lines?.(whole, id) ?? linesOf(whole, columns));
}
