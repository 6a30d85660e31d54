/** What an id of the API names. */
export type Kind = 'workspace' | 'folder' | 'media' | 'profile' | 'post' | 'session';

export const kinds: readonly Kind[] = ['workspace', 'folder', 'media', 'profile', 'post', 'session'];

const KINDS: Readonly<Record<string, Kind>> = {
  workspace: 'workspace',
  folder: 'folder',
  parent: 'folder',
  media_content: 'media',
  profile: 'profile',
  post: 'post',
  session: 'session',
};

/** Fields in which a client writes what it likes, and that look nothing up. */
const TEXTS: ReadonlySet<string> = new Set([
  'alt_text',
  'external_id',
  'from',
  // Of a batch, whose answer says of each what it would say of an unknown one: see the batch's own tests.
  'ids',
  'include',
  'label',
  'name',
  'network',
  'search',
  'sha256',
  'sha256[]',
  'tag',
  'tags',
  'targets',
  'text',
  'to',
]);

/** Strings that a schema itself says to be no id. */
const isSaidToBeOther = (schema: StringSchema): boolean =>
  schema.enum !== undefined ||
  schema.contentMediaType !== undefined ||
  (schema.format !== undefined && schema.format !== 'uuid');

export interface StringSchema {
  readonly format?: unknown;
  readonly enum?: unknown;
  readonly contentMediaType?: unknown;
}

/** `folder_id`, `folders` and `folder` are all ids of folders. */
const kindNamed = (name: string): Kind | undefined => KINDS[name.replace(/_ids?$/, '').replace(/s$/, '')];

/**
 * What a string of the document names; null where it is no id.
 *
 * @param segment what stands before it in the path, for a parameter there
 * @throws Error that says what to add here, where the document doesn't say
 */
export function kindOf(place: string, name: string, schema: StringSchema, segment?: string): Kind | null {
  const kind = kindNamed(name) ?? (segment === undefined ? undefined : kindNamed(segment));
  if (kind !== undefined) return kind;
  if (segment === undefined && schema.format !== 'uuid' && (isSaidToBeOther(schema) || TEXTS.has(name))) return null;
  throw new Error(`${place} takes "${name}": say in isolation/support/kinds.ts what id that is, or that it is none.`);
}
