import type {
  ListResourcesResult,
  ReadResourceResult,
  Resource,
  ResourceTemplate,
} from '@modelcontextprotocol/sdk/types.js';
import { notFound } from '@postshelf/domain';
import type { InferOutput } from 'valibot';
import type { Caller } from '../../admit.ts';
import type { Exchange } from '../../exchange.ts';
import { operations } from '../../operations/index.ts';
import type { AnyOperation } from '../../operations/operation.ts';
import { perform } from '../../operations/perform.ts';
import { jsonBytes } from '../../reply.ts';
import { answerOrRpcError, invalidParams } from './rpc-error.ts';

const { get, list } = operations.media;
const me = operations.me.get;

const JSON_TYPE = 'application/json';
const PREFIX = 'postshelf://media/';
const SCOPE = 'media:read';

const PER_PAGE = 50;

/** The template of media items. Each item is shown with its details, as in the answer of the `media_get` tool. */
export const TEMPLATES: readonly ResourceTemplate[] = [
  {
    uriTemplate: `${PREFIX}{id}`,
    name: 'media',
    title: 'Media item',
    description: 'A media item by its id: its metadata, and the link to its file.',
    mimeType: JSON_TYPE,
  },
];

/** Matches a cursor, which contains the workspace and the page of its items at which a list continues. */
const CURSOR = /^([^:]+):(\d{1,9})$/;

/**
 * Returns a page of the active items. All items of one workspace are listed before those of the next.
 *
 * @param cursor the cursor that the previous page contained; undefined for the first page
 * @throws RpcError
 */
export async function listResources(
  exchange: Exchange,
  caller: Caller,
  cursor: string | undefined,
): Promise<ListResourcesResult> {
  return answerOrRpcError(exchange, async () => {
    const reader = caller.within(SCOPE);
    const { data } = await run(me, exchange, reader, {});
    const workspaces = data.workspaces.filter(({ scopes }) => scopes.includes(SCOPE)).map(({ id }) => id);
    const [, asked = workspaces[0], page = '1'] = cursor === undefined ? [] : (CURSOR.exec(cursor) ?? ['', '']);
    if (asked === undefined) return { resources: [] };
    const at = workspaces.indexOf(asked);
    if (at < 0) throw invalidParams('The cursor does not belong to this list.');
    const found = await run(list, exchange, reader, { workspace: asked, page, per_page: PER_PAGE, status: 'active' });
    const hasMore = found.meta.current_page < found.meta.last_page;
    const next = hasMore ? `${asked}:${found.meta.current_page + 1}` : workspaces[at + 1] && `${workspaces[at + 1]}:1`;
    const resources = found.data.map(resourceOf);
    exchange.reply.hold(jsonBytes(resources));
    return { resources, ...(next && { nextCursor: next }) };
  });
}

/** @throws RpcError */
export async function readResource(exchange: Exchange, caller: Caller, uri: string): Promise<ReadResourceResult> {
  return answerOrRpcError(exchange, async () => {
    if (!uri.startsWith(PREFIX)) throw notFound();
    const input = { id: uri.slice(PREFIX.length), include: 'details' };
    const { data } = await run(get, exchange, caller.within(SCOPE), input);
    const text = JSON.stringify(data);
    exchange.reply.hold(2 * Buffer.byteLength(text));
    return { contents: [{ uri, mimeType: JSON_TYPE, text }] };
  });
}

type Item = InferOutput<typeof list.output>['data'][number];

const resourceOf = ({ id, name, label }: Item): Resource => ({
  uri: `${PREFIX}${id}`,
  name,
  ...(label !== null && { title: label }),
  mimeType: JSON_TYPE,
});

/**
 * Returns the answer of an operation. The answer's type is derived from the operation's schema, which `perform`
 * enforces.
 */
async function run<const O extends Pick<AnyOperation, 'output'>>(
  operation: O,
  exchange: Exchange,
  caller: Caller,
  input: Readonly<Record<string, unknown>>,
): Promise<InferOutput<O['output']>> {
  const { shown } = await perform(operation as unknown as AnyOperation, exchange, caller, input);
  return shown as InferOutput<O['output']>;
}
