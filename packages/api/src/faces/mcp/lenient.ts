import {
  CallToolRequestSchema,
  ErrorCode,
  InitializeRequestSchema,
  type JSONRPCErrorResponse,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
  type RequestId,
} from '@modelcontextprotocol/sdk/types.js';
import { acceptedTypes } from '../../accept-header.ts';

/** The media types that a client must accept (MCP revision 2025-11-25, "Sending Messages to the Server"). */
const BOTH = 'application/json, text/event-stream';

const JSON_RANGES: ReadonlySet<string> = new Set(['application/json', 'application/*', '*/*']);

/**
 * Returns the request without its body, and with an `Accept` header that the SDK's transport accepts. The transport
 * requires JSON and event streams, but answers are JSON, so it is enough if the client accepts JSON.
 */
export function takingAnswers({ url, headers, method }: Request): Request {
  const changed = new Headers(headers);
  if (acceptedTypes(headers).some((range) => JSON_RANGES.has(range))) changed.set('accept', BOTH);
  return new Request(url, { method, headers: changed });
}

type Message = Readonly<Record<string, unknown>>;

/** Returns the message without `arguments: null`, which some clients send to a tool that needs no arguments. */
export function withoutNullArguments(message: Message): Message {
  const { method, params } = message;
  if (method !== 'tools/call' || !isObject(params) || params.arguments !== null) return message;
  const { arguments: _, ...rest } = params;
  return { ...message, params: rest };
}

const REQUESTS = [
  InitializeRequestSchema,
  ListToolsRequestSchema,
  CallToolRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ReadResourceRequestSchema,
];

/**
 * Returns the error for a request whose `params` don't match its method (JSON-RPC 2.0, section 5.1); null for any other
 * message. The SDK itself would report an internal server error.
 */
export function invalidRequest(message: Message): JSONRPCErrorResponse | null {
  const { jsonrpc, id, method } = message;
  if (jsonrpc !== '2.0' || !isId(id)) return null;
  const schema = REQUESTS.find(({ shape }) => shape.method.value === method);
  const { error } = schema?.safeParse(message) ?? {};
  const [issue] = error?.issues ?? [];
  if (issue === undefined) return null;
  return {
    jsonrpc,
    id,
    error: { code: ErrorCode.InvalidParams, message: `${issue.path.join('.')}: ${issue.message}` },
  };
}

const isId = (value: unknown): value is RequestId => typeof value === 'string' || Number.isInteger(value);

const isObject = (value: unknown): value is Message =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
