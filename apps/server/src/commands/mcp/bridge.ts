import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport, StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import {
  type CallToolRequest,
  CallToolRequestSchema,
  type CallToolResult,
  CallToolResultSchema,
  ListResourcesRequestSchema,
  ListResourcesResultSchema,
  ListResourceTemplatesRequestSchema,
  ListResourceTemplatesResultSchema,
  ListToolsRequestSchema,
  ListToolsResultSchema,
  McpError,
  ReadResourceRequestSchema,
  ReadResourceResultSchema,
} from '@modelcontextprotocol/sdk/types.js';
import type { ServiceAccess } from '../../config/service-access.ts';
import { firstLine } from '../../telemetry/system-errors.ts';
import { CommandError } from '../run.ts';
import { Refused } from './refused.ts';
import type { OnSent } from './send-file.ts';
import { describeUpload, UPLOAD, uploadBelow } from './upload-tool.ts';

/** Maximum milliseconds that a call may take. The service itself takes up to two minutes for an image by URL. */
const TIMEOUT = 5 * 60_000;

interface BridgeOptions extends ServiceAccess {
  /** The real path of the folder whose files may be uploaded. */
  readonly folder: string;
  readonly version: string;
}

interface Streams {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
}

/**
 * Passes messages of the Model Context Protocol between the standard streams and a service, and adds a tool that
 * uploads files. Every call is a separate request, so the service may restart between calls.
 *
 * @returns when the input has ended
 * @throws CommandError if the service can't be reached, or refuses the token
 */
export async function bridgeTo(options: BridgeOptions, { input, output }: Streams): Promise<void> {
  const client = await connect(options);
  const instructions = client.getInstructions();
  const server = new Server(client.getServerVersion() ?? { name: 'postshelf', version: options.version }, {
    capabilities: { tools: {}, resources: {} },
    ...(instructions !== undefined && { instructions }),
  });
  const ask = { timeout: TIMEOUT };
  server.setRequestHandler(ListToolsRequestSchema, (request, { signal }) =>
    said(options, async () => {
      const { tools, ...rest } = await client.request(request, ListToolsResultSchema, { ...ask, signal });
      return { ...rest, tools: [...tools, describeUpload(tools)] };
    }),
  );
  server.setRequestHandler(CallToolRequestSchema, ({ params }, { signal, _meta, sendNotification }) => {
    const progressToken = _meta?.progressToken;
    // While progress notifications arrive, assistants that requested them wait longer for the answer.
    const onSent: OnSent = async (progress, total) => {
      if (progressToken === undefined) return;
      await sendNotification({ method: 'notifications/progress', params: { progressToken, progress, total } });
    };
    return callTool(options, client, params, { signal, onSent });
  });
  server.setRequestHandler(ListResourcesRequestSchema, (request, { signal }) =>
    said(options, () => client.request(request, ListResourcesResultSchema, { ...ask, signal })),
  );
  server.setRequestHandler(ListResourceTemplatesRequestSchema, (request, { signal }) =>
    said(options, () => client.request(request, ListResourceTemplatesResultSchema, { ...ask, signal })),
  );
  server.setRequestHandler(ReadResourceRequestSchema, (request, { signal }) =>
    said(options, () => client.request(request, ReadResourceResultSchema, { ...ask, signal })),
  );
  const ended = new Promise<void>((resolve) => input.once('end', resolve).once('close', resolve));
  await server.connect(new StdioServerTransport(input, output));
  await ended;
  // Calls that are still running are cancelled, because nobody would read their answers.
  await server.close();
  await client.close();
}

async function connect({ url, token, version }: BridgeOptions): Promise<Client> {
  const client = new Client({ name: 'postshelf-mcp', version });
  const requestInit = { headers: { Authorization: `Bearer ${token}` } };
  try {
    await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }));
    return client;
  } catch (error) {
    throw new CommandError(`${url}: ${reasonOf(error)}`);
  }
}

/** Calls a tool. A refusal becomes the tool's answer, so that the assistant reads it. */
async function callTool(
  options: BridgeOptions,
  client: Client,
  params: CallToolRequest['params'],
  { signal, onSent }: { readonly signal: AbortSignal; readonly onSent: OnSent },
): Promise<CallToolResult> {
  const call = async (asked: CallToolRequest['params']): Promise<CallToolResult> =>
    client.request({ method: 'tools/call', params: asked }, CallToolResultSchema, { timeout: TIMEOUT, signal });
  try {
    if (params.name !== UPLOAD) return await call(params);
    const id = await uploadBelow(options.folder, { ...options, signal }, params.arguments, onSent);
    return await call({ name: 'media_confirm', arguments: { id } });
  } catch (error) {
    if (error instanceof McpError) throw passedOn(error);
    const text = error instanceof Refused ? error.message : `${options.url}: ${reasonOf(error)}`;
    return { isError: true, content: [{ type: 'text', text }] };
  }
}

async function said<T>({ url }: BridgeOptions, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof McpError ? passedOn(error) : new Error(`${url}: ${reasonOf(error)}`);
  }
}

/**
 * Returns the service's error without the code at the start of its message. The SDK put it there, and would add it
 * again when the error is passed on.
 */
const passedOn = ({ code, message, data }: McpError): Error =>
  Object.assign(new Error(message.replace(/^MCP error -?\d+: /, '')), { code, data });

/** Returns the reason for a failure on one line. */
function reasonOf(error: unknown): string {
  if (error instanceof StreamableHTTPError && error.code === 401) return 'the token of POSTSHELF_TOKEN is refused';
  return error instanceof Error ? firstLine(error.message) : String(error);
}
