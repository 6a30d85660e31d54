import { resolve } from 'node:path';
import { namedOperations, operationIdOf } from '../../operations/index.ts';
import type { Document, Operation } from './document-shape.ts';
import type { JsonSchema } from './json-schema.ts';
import { SHARED_DESCRIPTIONS } from './responses.ts';

/** The path of the reference in the repository. The server shows it at `/docs/reference`. */
export const referencePath = resolve(import.meta.dir, '../../../../../docs/reference.md');

const HEAD = `# Reference

Generated from [openapi.json](openapi.json) by \`npm run openapi\`: each operation, its fields, a command, an answer, and the
errors that have a meaning of their own there. [The guide](api.md) has what operations have in common: other errors, pages,
limits, keys of repeats, versions. An operation with a tRPC name is a procedure as well, one with a tool's name a
[tool](mcp.md) of assistants. A field that isn't marked as required may be left out. Answers show one element of a list, and of
a page only its \`data\`.`;

/** Headers that a resumable upload needs. In the document all headers are optional. */
const TUS: Readonly<Record<string, string>> = {
  'Tus-Resumable': '1.0.0',
  'Upload-Length': '482113',
  'Upload-Metadata': 'filename YmVhY2guanBn',
  'Upload-Offset': '0',
};

/** Renders the document as one page for people, one operation after another. */
export function referenceOf(document: Document): string {
  const schemas = document.components.schemas ?? {};
  const procedures = new Map(
    [...namedOperations.map(([name]) => name), 'events.subscribe'].map((name) => [operationIdOf(name), name]),
  );
  /** The resources that answers contain. Their fields are listed only once, at the end. */
  const answered = new Map<string, JsonSchema>();
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => [operation, method.toUpperCase(), path] as const),
  );
  const tags = document.tags ?? [];
  const contents = tags.map(({ name }) => `[${name}](#${name.toLowerCase()})`).join(' · ');
  const chapters = tags.flatMap(({ name, description }) => {
    const own = operations.filter(([{ tags }]) => tags.includes(name));
    return [`## ${name}`, description, ...own.flatMap((each) => chapterOf(...each))];
  });
  const resources = Array.from(answered)
    .sort()
    .flatMap(([name, schema]) => [`### ${name}`, tableOf(partsOf(schema).map(([field, part]) => rowOf(field, part)))]);
  return `${[HEAD, contents, ...chapters, '## Fields of answers', ...resources].join('\n\n')}\n`;

  function chapterOf(operation: Operation, method: string, path: string): string[] {
    const { operationId, summary, description, 'x-scope': scope, 'x-tool': tool, 'x-extension': extension } = operation;
    const procedure = procedures.get(operationId);
    const traits = [
      scope && `scope \`${scope}\``,
      procedure && `tRPC \`${procedure}\``,
      tool && `tool \`${tool}\``,
      extension && 'extension',
    ];
    return [
      `### ${summary}`,
      [`\`${method} ${path}\``, ...traits.filter(Boolean)].join(', '),
      description.replace(/\n\nScope: .*$/, ''),
      ...requestFields(operation),
      `\`\`\`sh\n${commandOf(operation, method, path)}\n\`\`\``,
      ...answerOf(operation),
      ...refusalsOf(operation),
    ];
  }

  /** Returns what failures mean in this operation alone. The guide explains all others. */
  function refusalsOf({ responses }: Operation): string[] {
    const lines = Object.entries(responses).flatMap(([status, response]) =>
      status < '400' || '$ref' in response || SHARED_DESCRIPTIONS.has(response.description)
        ? []
        : `- **${status}**: ${response.description}`,
    );
    return lines.length > 0 ? [lines.join('\n')] : [];
  }

  /**
   * Returns the fields and headers of a request, except the path's parameters and the headers that the guide explains.
   */
  function requestFields({ parameters = [], requestBody }: Operation): string[] {
    const shown = parameters.filter((each) => each.in !== 'path' && !/^(Idempotency-Key|If-)/.test(each.name));
    const rows = shown.map(({ name, schema, description, required }) =>
      rowOf(name, { ...schema, description }, required),
    );
    for (const { schema } of Object.values(requestBody?.content ?? {})) rows.push(...bodyFields(schema));
    return rows.length > 0 ? [tableOf([...new Map(rows.map((cells) => [cells[0], cells])).values()])] : [];
  }

  /** Returns the fields of an object. The fields of nested objects have dotted names. */
  function bodyFields(given: JsonSchema, prefix = ''): string[][] {
    return partsOf(resolved(given)).flatMap(([name, part]) => {
      const whole = resolved(part);
      const inner = whole.type === 'array' ? `${name}[].` : `${name}.`;
      const inside = bodyFields((whole.items ?? whole) as JsonSchema, prefix + inner);
      return [rowOf(prefix + name, part, requiredOf(resolved(given)).includes(name)), ...inside];
    });
  }

  function answerOf({ responses }: Operation): string[] {
    const [status = '', response] = Object.entries(responses).find(([code]) => code < '300') ?? [];
    if (!response || '$ref' in response) return [];
    const schema = response.content?.['application/json']?.schema;
    if (!schema) return [`Answer: ${status}.`];
    note(schema);
    const { links, meta, ...data } = exampleOf(schema) as Record<string, unknown>;
    const shown = JSON.stringify(meta && !links ? { ...data, meta } : data, null, 2);
    return [`Answer: ${status}${links ? ', [a page](api.md#pages)' : ''}.`, `\`\`\`json\n${shown}\n\`\`\``];
  }

  function note(schema: JsonSchema): void {
    const [name, whole] = [nameOf(schema), resolved(schema)];
    if (name && answered.has(name)) return;
    if (name && !partsOf(whole).some(([field]) => field === 'data')) answered.set(name, whole);
    for (const [, part] of partsOf(whole)) note(part);
    if (whole.items) note(whole.items as JsonSchema);
  }

  function rowOf(name: string, given: JsonSchema, isRequired = false): string[] {
    const schema = { ...resolved(given), ...given };
    const text = [
      isRequired && 'Required.',
      schema.description,
      'default' in schema && `Default: \`${schema.default}\`.`,
    ];
    return [`\`${name}\``, typeOf(given), text.filter(Boolean).join(' ').replace(/\n+/g, ' ').replaceAll('|', '\\|')];
  }

  function typeOf(given: JsonSchema): string {
    const [name, schema] = [nameOf(given), { ...resolved(given), ...given }];
    const choices = choicesOf(schema);
    const types = [schema.type, choices.map(({ type }) => type)].flat(2);
    const type = types.find((one) => one && one !== 'null') ?? 'any';
    const word = { uuid: 'id', 'date-time': 'RFC 3339', uri: 'URL' }[String(schema.format)] ?? type;
    const typed = () => {
      if (name && answered.has(name)) return `[${name}](#${name.toLowerCase()})`;
      if (schema.const) return `\`${schema.const}\``;
      if (schema.enum) return (schema.enum as unknown[]).map((value) => `\`${value}\``).join(', ');
      if (choices.length > 0 && !name)
        return choices
          .filter((one) => one.type !== 'null')
          .map(typeOf)
          .join(' or ');
      if (type === 'array')
        return `list${range(schema.minItems, schema.maxItems, '')} of ${typeOf(schema.items as JsonSchema)}`;
      if (type === 'string') return `${word}${range(schema.minLength, schema.maxLength, ' characters')}`;
      return `${word}${range(schema.minimum, schema.maximum, '')}`;
    };
    return `${typed()}${types.includes('null') ? ' or null' : ''}`;
  }

  function commandOf({ parameters = [], requestBody, security }: Operation, method: string, path: string): string {
    const address = path.replace(/#.*/, '').replace(/\{(\w+)\}/g, (_, name: string) => `$${name.toUpperCase()}`);
    const query = parameters.some((each) => each.in === 'query' && each.name === 'workspace')
      ? '?workspace=$WORKSPACE'
      : '';
    const headers = parameters.flatMap(({ name }) => (name in TUS ? [`${name}: ${TUS[name]}`] : []));
    const [[type = '', { schema }] = ['', { schema: {} }]] = Object.entries(requestBody?.content ?? {});
    const body = {
      '': [],
      'application/json': ["-H 'Content-Type: application/json'", `-d '${JSON.stringify(exampleOf(schema, true))}'`],
      'multipart/form-data': ["-F 'files[]=@beach.jpg'"],
    }[type] ?? [`-H 'Content-Type: ${type}'`, '--data-binary @file'];
    const words = [
      `curl -X ${method} "$BASE${address}${query}"`,
      ...(security.length > 0 ? ['-H "Authorization: Bearer $TOKEN"'] : []),
      ...headers.map((header) => `-H '${header}'`),
      ...body,
    ];
    return words.join(' \\\n  ').replace(' -X GET', '');
  }

  /**
   * Returns an example value of the schema: for an object, its required fields, or in a request that requires none, the
   * first field.
   */
  function exampleOf(given: JsonSchema, isRequest = false, within: readonly string[] = []): unknown {
    const [name, schema] = [nameOf(given), { ...resolved(given), ...given }];
    if (name && within.includes(name)) return null;
    const inside = (part: unknown) => exampleOf(part as JsonSchema, isRequest, name ? [...within, name] : within);
    const values = [schema.examples, schema.const, schema.enum].flatMap((list) => (list ?? []) as unknown);
    const types = [schema.type ?? choicesOf(schema).map(({ type }) => type)].flat();
    if (values.length > 0) return values[0];
    if (schema.properties) {
      const needed = partsOf(schema).filter(([field]) => requiredOf(schema).includes(field));
      const shown = needed.length > 0 || !isRequest ? needed : partsOf(schema).slice(0, 1);
      return Object.fromEntries(shown.map(([field, part]) => [field, inside(part)]));
    }
    if (types.includes('null')) return null;
    if (choicesOf(schema)[0]) return inside(choicesOf(schema)[0]);
    if (types.includes('array')) return [inside(schema.items)];
    const text = { uuid: '019f5b0e-…', 'date-time': '2026-01-31T18:30:00.000Z', uri: 'https://…' }[
      String(schema.format)
    ];
    const plain = { integer: schema.minimum ?? 0, number: 0, boolean: true, object: {}, string: text ?? '…' };
    return plain[String(types[0]) as keyof typeof plain] ?? null;
  }

  function resolved(schema: JsonSchema): JsonSchema {
    const name = nameOf(schema);
    return name ? (schemas[name] ?? {}) : schema;
  }
}

/** Returns the component that a schema refers to, either directly or as an alternative to null. */
function nameOf(schema: JsonSchema): string | null {
  if (typeof schema.$ref === 'string') return schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1);
  const [some, none] = choicesOf(schema);
  return some && none?.type === 'null' ? nameOf(some) : null;
}

const choicesOf = ({ anyOf = [] }: JsonSchema) => anyOf as readonly JsonSchema[];
const requiredOf = ({ required = [] }: JsonSchema) => required as readonly string[];
const partsOf = ({ properties = {} }: JsonSchema) => Object.entries(properties as Readonly<Record<string, JsonSchema>>);

function range(min: unknown, max: unknown, unit: string): string {
  const isBounded = max !== undefined && Number(max) < Number.MAX_SAFE_INTEGER / 1000;
  const words = isBounded ? `${min === undefined ? 'at most' : `${min} to`} ${max}` : `at least ${min}`;
  return min === undefined && !isBounded ? '' : ` (${min === max ? max : words}${unit})`;
}

const tableOf = (rows: readonly string[][]): string =>
  ['| field | type | what it is |', '| --- | --- | --- |', ...rows.map((cells) => `| ${cells.join(' | ')} |`)].join(
    '\n',
  );
