/** The kinds of resources that have ids. */
export type Kind =
  | 'workspace'
  | 'folder'
  | 'media'
  | 'trashed'
  | 'upload'
  | 'profile'
  | 'post'
  | 'calendar'
  | 'person'
  | 'session'
  | 'webhook'
  | 'delivery'
  | 'token'
  | 'job';

export const kinds: readonly Kind[] = [
  'workspace',
  'folder',
  'media',
  'trashed',
  'upload',
  'profile',
  'post',
  'calendar',
  'person',
  'session',
  'webhook',
  'delivery',
  'token',
  'job',
];

const KINDS: Readonly<Record<string, Kind>> = {
  workspace: 'workspace',
  folder: 'folder',
  parent: 'folder',
  media_content: 'media',
  trash: 'trashed',
  upload: 'upload',
  profile: 'profile',
  post: 'post',
  calendar: 'calendar',
  people: 'person',
  person: 'person',
  session: 'session',
  webhook: 'webhook',
  webhook_delivery: 'delivery',
  token: 'token',
  job: 'job',
};

/** String fields that don't hold a single id. */
const TEXTS: ReadonlySet<string> = new Set([
  'alt_text',
  'created_at',
  'exclude',
  'external_id',
  'from',
  // `ids` are the ids of a batch. A batch has a result for each id, which the tests of batches check.
  'ids',
  'include',
  'label',
  'mime',
  // Separate tests try foreign ids of events.
  'last_event_id',
  'name',
  'network',
  'search',
  'sha256',
  'sha256[]',
  'system_folders',
  'tag',
  'tags',
  'targets',
  'text',
  'timezone',
  'to',
  'types',
]);

/** Whether the schema alone shows that a string isn't an id. */
const cannotBeId = (schema: StringSchema): boolean =>
  schema.enum !== undefined ||
  schema.contentMediaType !== undefined ||
  (schema.format !== undefined && schema.format !== 'uuid');

export interface StringSchema {
  readonly format?: unknown;
  readonly enum?: unknown;
  readonly contentMediaType?: unknown;
}

/** The kind of resource that a field's name contains: `folder_id`, `folders` and `folder` all refer to folders. */
const kindNamed = (name: string): Kind | undefined =>
  KINDS[
    name
      .replace(/_ids?$/, '')
      .replace(/ies$/, 'y')
      .replace(/s$/, '')
  ];

/**
 * The kind of resource that a string in the document identifies; null if it is not an id.
 *
 * @param segment for a path parameter, the segment of the path before the parameter
 * @throws Error if neither the document nor this module says what the string is; it says what to add to this module
 */
export function kindOf(place: string, name: string, schema: StringSchema, segment?: string): Kind | null {
  // `ids` with the format `uuid` are ids of media. The `ids` of a batch have no format.
  const isMedia = name === 'ids' && schema.format === 'uuid';
  const kind = isMedia ? 'media' : (kindNamed(name) ?? (segment === undefined ? undefined : kindNamed(segment)));
  if (kind !== undefined) return kind;
  if (segment === undefined && schema.format !== 'uuid' && (cannotBeId(schema) || TEXTS.has(name))) return null;
  throw new Error(
    `${place} takes "${name}": add to isolation/support/kinds.ts which kind of id it is, or that it is not an id.`,
  );
}
