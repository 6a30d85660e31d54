import type { CallToolRequest, CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import type { Caller } from '../../admit.ts';
import { type Exchange, renderFailure } from '../../exchange.ts';
import { type AnyOperation, changes } from '../../operations/operation.ts';
import { performFields } from '../../operations/perform.ts';
import { jsonBytes } from '../../reply.ts';
import { toolOperations } from './describe-tools.ts';
import { invalidParams, RpcError } from './rpc-error.ts';

/**
 * For each answer, this many times its size is reserved in memory. A message contains the answer twice: as values, and
 * as text, which is longer because its quotes are escaped.
 */
const COPIES = 3;

/**
 * Runs the operation of a tool. A refusal becomes the tool's answer, so that the assistant reads it. The answer's text
 * is then the body that a REST response would have.
 *
 * @param count counts the call as an operation
 * @throws RpcError if there is no such tool
 */
export async function callTool(
  exchange: Exchange,
  caller: Caller,
  { name, arguments: input = {} }: CallToolRequest['params'],
  count: () => Promise<void>,
): Promise<CallToolResult> {
  const operation = toolOperations.get(name);
  if (operation) exchange.record.tool = name;
  try {
    await count();
    if (!operation) throw invalidParams(`Unknown tool: ${name}`);
    return await runTool(operation, exchange, caller.within(operation.scope), input);
  } catch (error) {
    if (error instanceof RpcError) throw error;
    const { body } = renderFailure(exchange, error);
    return { isError: true, content: [{ type: 'text', text: JSON.stringify(body) }] };
  }
}

async function runTool(
  operation: AnyOperation,
  exchange: Exchange,
  caller: Caller,
  input: Readonly<Record<string, unknown>>,
): Promise<CallToolResult> {
  const { reply } = exchange;
  const isChange = changes(operation);
  // Memory is reserved before the change is made, because afterwards the answer can't be refused any more.
  if (isChange) reply.hold(COPIES * jsonBytes(input));
  const shown = await performFields(operation, exchange, caller, input);
  if (operation.status === 204) return { content: [{ type: 'text', text: 'Done.' }] };
  const structuredContent = Object(shown);
  const text = JSON.stringify(structuredContent);
  if (!isChange) reply.hold(COPIES * Buffer.byteLength(text));
  return { structuredContent, content: [{ type: 'text', text }] };
}
