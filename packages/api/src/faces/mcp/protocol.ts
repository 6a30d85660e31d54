import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import {
  CallToolRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';
import { Refusal } from '@postshelf/domain';
import type { Caller } from '../../admit.ts';
import type { Exchange } from '../../exchange.ts';
import { jsonBytes } from '../../reply.ts';
import { callTool } from './call-tool.ts';
import { TOOLS } from './describe-tools.ts';
import { invalidRequest, takingAnswers, withoutNullArguments } from './lenient.ts';
import { listResources, readResource, TEMPLATES } from './resources.ts';
import { answerOrRpcError } from './rpc-error.ts';

const INSTRUCTIONS = [
  'A library of images and videos for posts on social networks, which also suggests when to post.',
  'Begin with `me_get`: it returns the ids of the workspaces, which most tools need.',
  'Import a file by its URL with `media_import`. To upload files, call `media_presign`, PUT each file, then call `media_confirm`. While an item is `processing`, repeat `media_get` until it is `active`.',
  '`media_list` finds items by words, tags and folders. `readiness_item` returns what a network would refuse, and `media_fit` makes a version that the network accepts.',
  'To plan a post, take a profile from `profiles_list` and a time from `analytics_slots`, and pass both to `posts_create`. Nothing is published: the posts are only planned.',
].join('\n');

const TOOLS_BYTES = jsonBytes(TOOLS);

/**
 * The SDK uses this validator for clients' answers to elicitation requests, which this server never sends. Without a
 * shared validator, each `Server` would create its own.
 */
const jsonSchemaValidator = new AjvJsonSchemaValidator();

/**
 * Answers one message with a new `Server`, so that no state is kept between messages.
 *
 * @param sent the message as received
 * @param count counts a tool call as an operation
 */
export async function answerMessage(
  exchange: Exchange,
  caller: Caller,
  sent: Readonly<Record<string, unknown>>,
  count: () => Promise<void>,
): Promise<Response> {
  const message = withoutNullArguments(sent);
  const invalid = invalidRequest(message);
  if (invalid) {
    exchange.record.refused(new Refusal({ code: 'malformed', message: invalid.error.message }));
    return Response.json(invalid);
  }
  const server = new Server(
    { name: 'postshelf', title: 'Postshelf', version: exchange.service.version },
    { capabilities: { tools: {}, resources: {} }, instructions: INSTRUCTIONS, jsonSchemaValidator },
  );
  server.setRequestHandler(ListToolsRequestSchema, () =>
    answerOrRpcError(exchange, () => {
      exchange.reply.hold(TOOLS_BYTES);
      return { tools: [...TOOLS] };
    }),
  );
  server.setRequestHandler(CallToolRequestSchema, ({ params }) => callTool(exchange, caller, params, count));
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({ resourceTemplates: [...TEMPLATES] }));
  server.setRequestHandler(ListResourcesRequestSchema, ({ params }) => listResources(exchange, caller, params?.cursor));
  server.setRequestHandler(ReadResourceRequestSchema, ({ params }) => readResource(exchange, caller, params.uri));
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  try {
    await server.connect(transport);
    return await transport.handleRequest(takingAnswers(exchange.facts.request), { parsedBody: message });
  } finally {
    await server.close();
  }
}
