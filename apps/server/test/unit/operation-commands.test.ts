import { describe, expect, test } from 'bun:test';
import { inputFieldsOf, namedOperations } from '@postshelf/api';
import { invalid } from '@postshelf/domain';
import type { Command } from 'commander';
import { operationCommands } from '../../src/commands/operations/commands.ts';
import { DIFFERENCES, NAMES } from '../../src/commands/operations/differences.ts';
import {
  type Field,
  hyphenated,
  inWordsOfCommands,
  namingOptions,
  optionsOf,
  readFields,
  readGiven,
} from '../../src/commands/operations/options.ts';
import { jsonOf, linesOf, type Resource } from '../../src/commands/operations/output.ts';

/** The commands with the options of all resources, which `completion` needs. */
const groups = operationCommands(['completion']);

const find = (commands: readonly Command[], word: string): Command | undefined =>
  commands.find((command) => command.name() === word || command.aliases().includes(word));

function commandOf(name: string): Command | undefined {
  const [resource = '', operation = ''] = (NAMES[name] ?? name).split('.');
  return find(find(groups, resource)?.commands ?? [], hyphenated(operation));
}

const longOf = (command: Command): readonly string[] => command.options.flatMap(({ long }) => long ?? []);

describe('the commands of operations', () => {
  test('exist for all operations except those about the caller', () => {
    const absent = namedOperations.filter(([name]) => commandOf(name) === undefined).map(([name]) => name);
    expect(absent).toEqual(['sessions.list', 'sessions.delete', 'me.get']);
  });

  const all = namedOperations.flatMap(([name, operation]) => {
    const command = commandOf(name);
    return command ? [{ name, operation, command }] : [];
  });

  test.each(all)('$name has help, and no option twice', ({ command }) => {
    expect(command.helpInformation()).toContain(`${command.parent?.name()} ${command.name()}`);
    expect(command.summary() || command.description()).not.toBe('');
    const options = longOf(command);
    expect(options).toContain('--json');
    expect(new Set([...options, '--help']).size).toBe(options.length + 1);
  });

  const derived = all.filter(({ name }) => !['workspaces.delete', 'tokens.delete'].includes(name));

  test.each(derived)('$name takes each field of its operation', ({ name, operation, command }) => {
    const taken = [...command.options.map((option) => option.attributeName()), ...command.registeredArguments];
    const fields = Object.keys(inputFieldsOf(operation).properties);
    // `--json` isn't a field. A `--no-…` option isn't a separate field, because it sets the same attribute as its
    // opposite.
    const own = taken.length - 1 - longOf(command).filter((long) => long.startsWith('--no-')).length;
    expect(own - (DIFFERENCES[name]?.options?.length ?? 0)).toBe(fields.length);
  });
});

test('docs/operating/commands.md lists the commands of operations', async () => {
  const text = await Bun.file(new URL('../../../../docs/operating/commands.md', import.meta.url)).text();
  for (const group of groups) {
    const names = group.commands.map((command) => `\`${command.name()}\``).join(', ');
    expect(text.replace(/ {2,}/g, ' ')).toContain(`| \`${group.name()}\` | ${names} |`);
  }
});

describe('printed responses', () => {
  const item = { id: 'a', name: 'One\nline', tags: ['x', 'y'], none: null, empty: [], part: { size: 5 } };

  test.each([
    ['one resource', { data: item, message: 'Made.' }, item],
    ['one with a version', { data: item, version: 3 }, { ...item, version: 3 }],
    ['a list', { data: [item], meta: { total: 1 } }, { data: [item], meta: { total: 1 } }],
    ['a resource and more', { data: item, meta: { zone: 'UTC' } }, { data: item, meta: { zone: 'UTC' } }],
    ['a sentence', { message: 'Done.' }, { message: 'Done.' }],
  ])('with --json contain %s', (_, answer, shown) => {
    expect(jsonOf(answer)).toEqual(shown);
  });

  test('have a line for each field', () => {
    const lines = ['Made.', 'id: a', 'name: One?line', 'tags: x y', 'none: none', 'empty: none', 'part.size: 5'];
    expect(linesOf({ data: item, message: 'Made.' })).toEqual(lines);
    expect(linesOf({ message: 'Done.' })).toEqual(['Done.']);
  });

  test('are tables for lists, with only plain fields by default', () => {
    expect(linesOf({ data: [item] })).toEqual(['ID  NAME      TAGS  NONE  EMPTY', 'a   One?line  x y']);
    const columns = ['part.size', ['WHO', ({ id }: Resource) => String(id)]] as const;
    expect(linesOf({ data: [item] }, columns)).toEqual(['PART SIZE  WHO', '5          a']);
    expect(linesOf({ data: [] })).toEqual(['None yet.']);
  });
});

const schema = {
  folder_id: { type: ['string', 'null'], format: 'uuid', description: 'A folder of `folder_id`; null: the root.' },
  max_items: { type: ['integer', 'null'] },
  strip_location: { type: ['boolean', 'null'] },
  enabled: { type: 'boolean', description: 'true: sends. false: sends nothing.' },
  expires_in: { type: 'integer', description: 'Seconds until it ends.', maximum: 604_800, default: 3600 },
  focus: { anyOf: [{ type: 'object', properties: { x: { examples: [0.5] }, y: { minimum: 0 } } }, { type: 'null' }] },
  tags: { type: 'array', items: { type: 'string' } },
  types: { type: ['array', 'null'], items: { type: 'string', enum: ['a', 'b'] } },
  tag: { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] },
  files: { type: 'array', items: { type: 'object' } },
};

const fields = readFields({ properties: schema, required: ['folder_id'] }, []);

const field = (name: string): Field => {
  const found = fields.find((each) => each.name === name);
  if (!found) throw new Error(name);
  return found;
};

describe('options', () => {
  test.each([
    ['folder_id', ['--folder-id <id>']],
    ['max_items', ['--max-items <number>']],
    ['strip_location', ['--strip-location [choice]']],
    ['enabled', ['--enabled', '--no-enabled']],
    ['expires_in', ['--expires-in <time>']],
    ['focus', ['--focus <json>']],
    ['tags', ['--tag <text>']],
    ['types', ['--type <choice>']],
    ['files', ['--file <json>']],
  ])('of the field %s are %j', (name, flags) => {
    expect(optionsOf(field(name), true).map((option) => option.flags)).toEqual(flags);
  });

  test('are described in terms of commands and options, not of API requests and fields', () => {
    expect(field('folder_id').about).toBe('a folder of --folder-id; none: the root');
    expect(field('types').about).toBe('repeatable; or none');
    expect(field('expires_in').about).toBe('time until it ends; such as 12h, at most 7d; default: 1h');
    expect(field('focus').about).toBe('or none; such as {"x":0.5,"y":0}');
    expect(optionsOf(field('enabled'), true).map(({ description }) => description)).toEqual(['sends', 'sends nothing']);
    const text = 'Null clears `tags`, as `include=link` does; see `GET /networks` and `meta`.';
    expect(inWordsOfCommands(text, { properties: schema })).toBe(
      '"none" clears --tag, as --include link does; see "network list" and meta.',
    );
  });

  test.each([
    [{ folderId: 'x' }, { folder_id: 'x' }],
    [{ folderId: 'none' }, { folder_id: null }],
    [{ maxItems: '-5' }, { max_items: -5 }],
    // The command passes an invalid number on to the operation, which says what is wrong.
    [{ maxItems: 'many' }, { max_items: 'many' }],
    [{ stripLocation: 'default' }, { strip_location: null }],
    [{ enabled: false }, { enabled: false }],
    [{ expiresIn: '90d' }, { expires_in: 7_776_000 }],
    [{ focus: '{"x":0.5}' }, { focus: { x: 0.5 } }],
    [{ focus: 'none' }, { focus: null }],
    [{ tag: ['a', 'none'] }, { tags: ['a', 'none'], tag: ['a', 'none'] }],
    [{ type: ['none'] }, { types: null }],
    [{ type: [''] }, { types: [] }],
    [{ file: ['{}', '{"a":1}'] }, { files: [{}, { a: 1 }] }],
  ])('%j are read as %j', (given, raw) => {
    expect(readGiven(fields, given)).toEqual(raw);
  });

  test.each([
    [{ expiresIn: 'soon' }, '--expires-in soon is not a duration such as 12h or 90d.'],
    [{ focus: '{' }, '--focus "{" is not JSON.'],
  ])('%j are refused', (given, message) => {
    expect(() => readGiven(fields, given)).toThrow(message);
  });

  test('are named with their values when an operation refuses a field', () => {
    const told = (name: string, given: Readonly<Record<string, unknown>>) =>
      String(namingOptions(invalid(name, 'Wrong.'), fields, given));
    expect(told('max_items', { maxItems: '-5' })).toBe('OptionsRefused: --max-items -5: Wrong.');
    expect(told('types.1', { type: ['a', 'b c'] })).toBe('OptionsRefused: --type "b c": Wrong.');
    expect(told('focus.x', { focus: 'x'.repeat(99) })).toBe('OptionsRefused: --focus: Wrong.');
    expect(told('folder', {})).toBe('OptionsRefused: Wrong.');
    const range = invalid('expires_in', 'It must be a whole number from 1 to 604800.');
    expect(String(namingOptions(range, fields, { expiresIn: '9d' }))).toBe(
      'OptionsRefused: --expires-in 9d: It must be a time from 1s to 7d.',
    );
  });
});
