import type { Fields, RawInput } from '@postshelf/api';
import { type FieldErrors, Refusal } from '@postshelf/domain';
import { Option } from 'commander';
import ms from 'ms';
import { appendValue, OptionsRefused } from '../run.ts';

type Schema = Readonly<Record<string, unknown>>;

/** The kind of a field's values, which determines the option's syntax and how its value is parsed. */
type Kind = 'flag' | 'switch' | 'json' | 'number' | 'duration' | 'text';

/** A field of an operation, and its option. */
export interface Field {
  readonly name: string;
  readonly option: string;
  readonly kind: Kind;
  readonly isList: boolean;
  readonly isNullable: boolean;
  readonly isRequired: boolean;
  readonly choices: readonly string[] | undefined;
  /** The placeholder for the value in the help. */
  readonly placeholder: string;
  readonly about: string;
}

export type Given = Readonly<Record<string, unknown>>;

/** Fields in seconds. Their options take times such as 90d. */
const DURATIONS: readonly string[] = ['expires_in', 'overlap'];

/** The values of a switch, by the words that the option takes. */
const SWITCH: Readonly<Record<string, boolean | null>> = { on: true, off: false, default: null };

/** The word for null. */
const NONE = 'none';

export const hyphenated = (name: string): string =>
  name.replace(/_/g, '-').replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** Words that look like plurals but aren't. */
const UNCOUNTED: readonly string[] = ['analytics', 'readiness'];

export const singularOf = (word: string): string => (UNCOUNTED.includes(word) ? word : word.replace(/s$/, ''));

/** Makes the first letter lowercase, unless the text begins with an abbreviation. */
export const decapitalised = (text: string): string =>
  text.replace(/^\p{Lu}(?!\p{Lu})/u, (letter) => letter.toLowerCase());

/** Reads the fields of an operation. @param ids the fields that are arguments instead of options */
export const readFields = (input: Fields, ids: readonly string[]): readonly Field[] =>
  Object.entries(input.properties)
    .filter(([name]) => !ids.includes(name))
    .map(([name, schema]) => readField(name, schema, input));

const listOf = (schema: Schema): Schema | undefined =>
  variantsOf(schema).find((variant) => typesOf(variant).includes('array'));

const optionOf = (name: string, schema: Schema): string => `--${hyphenated(listOf(schema) ? singularOf(name) : name)}`;

function readField(name: string, schema: Schema, input: Fields): Field {
  const variants = variantsOf(schema);
  const list = listOf(schema);
  const values = list ? variantsOf(list.items as Schema) : variants;
  const isNullable = variants.flatMap(typesOf).includes('null');
  const kind = valueKindOf(name, values.flatMap(typesOf), isNullable);
  const choices = values.find((variant) => Array.isArray(variant.enum))?.enum as readonly string[] | undefined;
  const isText = kind === 'text' && choices === undefined && !values.some(({ format }) => format);
  return {
    name,
    option: optionOf(name, schema),
    kind,
    isList: list !== undefined,
    isNullable,
    isRequired: input.required.includes(name),
    choices,
    placeholder: choices
      ? ' <choice>'
      : (PLACEHOLDERS[kind === 'text' ? String(values[0]?.format) : kind] ?? (isId(name) ? ' <id>' : ' <text>')),
    about: [
      describe(schema, input, kind, { isList: list !== undefined, isNullable }),
      // Names and searches need no example. The text fields in EXEMPLIFIED do, because they have a syntax of their own.
      kind === 'json' || (isText && EXEMPLIFIED.includes(name)) ? `such as ${exampleOf(values[0], schema)}` : '',
    ]
      .filter((part) => part !== '')
      .join('; '),
  };
}

const isId = (name: string): boolean => /^ids?$|_id$/.test(name);

/** Text fields that have a syntax of their own. */
const EXEMPLIFIED: readonly string[] = ['exclude', 'from', 'network', 'timezone', 'to'];

/** Returns the first example of the schemas, or builds one from the examples of their parts. */
function exampleOf(...schemas: readonly (Schema | undefined)[]): string {
  const [example] = schemas.flatMap((schema) => (schema?.examples as readonly unknown[] | undefined) ?? []);
  if (example !== undefined) return typeof example === 'string' ? example : JSON.stringify(example);
  const parts = Object.entries((schemas[0]?.properties ?? {}) as Readonly<Record<string, Schema>>);
  const examples = parts.map(([name, { examples, minimum }]) => [
    name,
    (examples as unknown[] | undefined)?.[0] ?? minimum,
  ]);
  return JSON.stringify(Object.fromEntries(examples));
}

const variantsOf = (schema: Schema): readonly Schema[] =>
  Array.isArray(schema.anyOf) ? schema.anyOf.flatMap(variantsOf) : [schema];

const typesOf = ({ type }: Schema): readonly unknown[] => [type].flat();

function valueKindOf(name: string, types: readonly unknown[], isNullable: boolean): Kind {
  if (types.includes('object')) return 'json';
  if (types.includes('boolean')) return isNullable ? 'switch' : 'flag';
  if (!types.includes('integer') && !types.includes('number')) return 'text';
  return DURATIONS.includes(name) ? 'duration' : 'number';
}

/** Replaces words of the API in a text by those of the command line. @param input the fields that are options */
export const inWordsOfCommands = (text: string, { properties }: Pick<Fields, 'properties'>): string =>
  text
    .replace('`GET /networks`', '"network list"')
    .replace(/`(\w+)=(\w+)`/g, (_, name: string, value: string) => `--${hyphenated(name)} ${value}`)
    .replace(/`(\w+)`/g, (_, word: string) => (properties[word] ? optionOf(word, properties[word]) : word))
    .replace(/\bNull\b/g, '"none"')
    .replace(/\bnull\b/g, NONE);

function describe(
  schema: Schema,
  input: Fields,
  kind: Kind,
  { isList, isNullable }: Pick<Field, 'isList' | 'isNullable'>,
): string {
  const { description = '', default: usual, maximum } = schema as Partial<Record<string, unknown>>;
  const text = inWordsOfCommands(String(description), input)
    .replace(/^Seconds/, 'Time')
    .replace(/\bnone\b/g, kind === 'switch' ? 'default' : NONE)
    .replace(/\.$/, '');
  const isDuration = kind === 'duration';
  const facts = [
    decapitalised(text),
    isList && 'repeatable',
    isNullable && kind !== 'switch' && !/\bnone\b/.test(text) && `or ${NONE}`,
    isDuration && `such as 12h, at most ${durationOf(maximum)}`,
    usual !== undefined && `default: ${isDuration ? durationOf(usual) : usual}`,
  ];
  return facts.filter((fact) => fact !== false && fact !== '').join('; ');
}

const durationOf = (seconds: unknown): string => ms(Number(seconds) * 1000);

/** The placeholders of values in the help, by the kind of the field or, for a text, by its format. */
const PLACEHOLDERS: Readonly<Record<string, string>> = {
  flag: '',
  switch: ' [choice]',
  json: ' <json>',
  number: ' <number>',
  duration: ' <time>',
  uuid: ' <id>',
  uri: ' <url>',
  email: ' <address>',
  'date-time': ' <time>',
};

/**
 * Returns the options of a field.
 *
 * @param mayTurnOff whether a flag has a second option, `--no-…`
 */
export function optionsOf(field: Field, mayTurnOff: boolean): readonly Option[] {
  const { option: name, kind, about, isList, isNullable } = field;
  const option = new Option(name + field.placeholder, about).makeOptionMandatory(field.isRequired);
  const choices = [...(field.choices ?? []), ...(field.choices && isNullable ? [NONE] : [])];
  if (kind === 'switch') return [option.choices(Object.keys(SWITCH)).preset('on')];
  if (kind === 'flag') {
    const [, on, off] = /^true: (.*)\. false: (.*)$/.exec(about) ?? [];
    option.description = on ?? about;
    return mayTurnOff ? [option, new Option(name.replace('--', '--no-'), off ?? `the opposite of ${name}`)] : [option];
  }
  if (!isList) return [choices.length > 0 ? option.choices(choices) : option];
  // Commander doesn't check the values of a list. The operation does, so that its error names the value that is wrong.
  if (choices.length > 0) option.argChoices = choices;
  return [option.argParser((value: string, before: readonly string[] = []) => appendValue(value, before))];
}

const keyOf = ({ option }: Field): string => new Option(option).attributeName();

/** Reads the given values as the operation expects them. @throws OptionsRefused for malformed JSON and times */
export function readGiven(fields: readonly Field[], given: Given): RawInput {
  const raw: Record<string, unknown> = {};
  for (const field of fields) {
    const value = given[keyOf(field)];
    if (value !== undefined) raw[field.name] = readValue(field, value);
  }
  return raw;
}

function readValue(field: Field, value: unknown): unknown {
  if (Array.isArray(value)) {
    if (value.length === 1 && value[0] === '') return [];
    return field.isNullable && value.length === 1 && value[0] === NONE ? null : value.map((one) => readOne(field, one));
  }
  return field.isNullable && value === NONE ? null : readOne(field, value);
}

function readOne({ name, option, kind }: Field, value: unknown): unknown {
  const text = String(value);
  if (kind === 'flag') return value;
  if (kind === 'switch') return SWITCH[text];
  if (kind === 'number') return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
  const refuse = (what: string): never => {
    const sentence = `${option}${shown(text)} is not ${what}.`;
    throw new OptionsRefused(sentence, { [name]: [sentence] });
  };
  if (kind === 'duration') {
    const time = /^\d+\s*[a-z]+$/i.test(text) ? ms(text as ms.StringValue) : undefined;
    return time === undefined ? refuse('a duration such as 12h or 90d') : time / 1000;
  }
  if (kind === 'text') return text;
  try {
    return JSON.parse(text);
  } catch {
    return refuse('JSON');
  }
}

/** Longer values aren't repeated in errors. */
const MAX_SHOWN = 60;

/**
 * If an operation refused the values of fields, returns an error that names their options; otherwise the same error.
 */
export function namingOptions(error: unknown, fields: readonly Field[], given: Given): unknown {
  if (!(error instanceof Refusal) || error.problem.code !== 'invalid') return error;
  const { errors } = error.problem;
  return new OptionsRefused(sentencesOf(errors, fields, given).join(' '), errors);
}

function sentencesOf(errors: FieldErrors, fields: readonly Field[], given: Given): readonly string[] {
  return Object.entries(errors).map(([path, sentences]) => {
    const [name, place] = path.split('.');
    const field = fields.find((each) => each.name === name);
    const text = sentences
      .join(' ')
      .replace(/whole number from (\d+) to (\d+)/, (range, min: string, max: string) =>
        field?.kind === 'duration' ? `time from ${durationOf(min)} to ${durationOf(max)}` : range,
      );
    if (!field) return text;
    const value = given[keyOf(field)];
    return `${field.option}${shown(Array.isArray(value) ? value[Number(place)] : value)}: ${text}`;
  });
}

function shown(value: unknown): string {
  if (typeof value !== 'string' || value.length > MAX_SHOWN) return '';
  return ` ${/^[\w./:@+-]+$/.test(value) ? value : JSON.stringify(value)}`;
}
