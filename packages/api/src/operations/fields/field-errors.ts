import { type FieldErrors, Refusal, selectedInvalid } from '@postshelf/domain';
import { type BaseIssue, type GenericSchema, type InferOutput, safeParse } from 'valibot';

/** The messages for values of a wrong type, by the type of the schema. Every other check has a message of its own. */
const EXPECTED: Readonly<Record<string, string>> = {
  string: 'must be a string.',
  number: 'must be a number.',
  boolean: 'must be true or false.',
  array: 'must be an array.',
  object: 'must be an object.',
  picklist: 'is invalid.',
  union: 'is invalid.',
};

/**
 * Returns the `errors` of a 422: for each failing field, by its dotted name, sentences in Laravel's wording.
 *
 * @param isQuery whether the fields are a query, in which a list means a parameter that was given several times
 */
export function fieldErrorsOf(issues: readonly BaseIssue<unknown>[], isQuery = false): FieldErrors {
  const errors: Record<string, string[]> = {};
  for (const issue of issues) {
    const field = issue.path?.map(({ key }) => String(key)).join('.') || 'input';
    const sentences = errors[field] ?? [];
    errors[field] = sentences;
    const attribute = field.replaceAll('_', ' ');
    const sentence = isQuery && isRepeated(issue) ? `The ${attribute} field ${ONCE}` : sentenceOf(issue, attribute);
    if (!sentences.includes(sentence)) sentences.push(sentence);
  }
  return errors;
}

/**
 * Returns the fields as the schema reads them.
 *
 * @param isQuery as in {@link fieldErrorsOf}
 * @throws Refusal `invalid`
 */
export function readFields<Schema extends GenericSchema>(
  schema: Schema,
  given: unknown,
  isQuery = false,
): InferOutput<Schema> {
  const read = safeParse(schema, given);
  if (!read.success) throw new Refusal({ code: 'invalid', errors: fieldErrorsOf(read.issues, isQuery) });
  return read.output;
}

const ONCE = 'must not be given more than once.';

const isRepeated = ({ kind, input }: BaseIssue<unknown>): boolean => kind === 'schema' && Array.isArray(input);

function sentenceOf(issue: BaseIssue<unknown>, attribute: string): string {
  // A message that begins with a capital letter is a complete sentence. Any other message is the rest of a sentence.
  if (issue.kind !== 'schema')
    return /^[A-Z]/.test(issue.message) ? issue.message : `The ${attribute} field ${issue.message}`;
  if (issue.input === undefined || issue.input === null) return `The ${attribute} field is required.`;
  if (issue.type === 'picklist') return selectedInvalid(attribute);
  return `The ${attribute} field ${EXPECTED[issue.type] ?? 'is invalid.'}`;
}
