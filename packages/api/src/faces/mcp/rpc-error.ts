import { ErrorCode } from '@modelcontextprotocol/sdk/types.js';
import { type Exchange, renderFailure } from '../../exchange.ts';

/** The protocol's code for a resource that doesn't exist (revision 2025-11-25, "Resources", "Error Handling"). */
const RESOURCE_NOT_FOUND = -32002;

/** An error of JSON-RPC 2.0, section 5.1. The SDK's own class isn't used, because it puts the code into the message. */
export class RpcError extends Error {
  override readonly name = 'RpcError';

  constructor(
    readonly code: number,
    message: string,
    readonly data?: object,
  ) {
    super(message);
  }
}

export const invalidParams = (message: string): RpcError => new RpcError(ErrorCode.InvalidParams, message);

/**
 * Runs a method whose refusals can only be reported as JSON-RPC errors. The error's `data` is the body that a REST
 * response would have.
 *
 * @throws RpcError
 */
export async function answerOrRpcError<T>(exchange: Exchange, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof RpcError) throw error;
    const { status, body, isFault } = renderFailure(exchange, error);
    const code = status === 404 ? RESOURCE_NOT_FOUND : isFault ? ErrorCode.InternalError : ErrorCode.InvalidParams;
    throw new RpcError(code, body.message, body);
  }
}
