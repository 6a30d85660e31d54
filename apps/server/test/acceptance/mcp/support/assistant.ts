import { expect } from 'bun:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { document, operations } from '../../support/contract.ts';
import { at, stringAt } from '../../support/reply.ts';
import type { World } from '../../support/world.ts';

/** The tool names of the operations that assistants may call, by operation id. */
export const toolNames: ReadonlyMap<string, string> = new Map(
  operations.flatMap(({ method, path }): [string, string][] => {
    const operation = at(document, 'paths', path, method);
    const tool = at(operation, 'x-tool');
    return typeof tool === 'string' ? [[stringAt(operation, 'operationId'), tool]] : [];
  }),
);

export const TOOLS: readonly string[] = [...toolNames.values()].sort();

export interface ToolRefusal {
  readonly message: string;
  readonly errors?: Readonly<Record<string, readonly string[]>>;
}

/** An assistant that uses the SDK's client, which checks every answer against the tool's own schema. */
export class Assistant {
  private constructor(
    readonly client: Client,
    private readonly world: World,
  ) {}

  static async byHttp(world: World, token = 'all', headers: Record<string, string> = {}): Promise<Assistant> {
    const authorization = `Bearer ${world.tokens[token] ?? token}`;
    const requestInit = { headers: { authorization, ...headers } };
    return Assistant.#over(
      world,
      new StreamableHTTPClientTransport(new URL(`${world.server.url}/mcp`), { requestInit }),
    );
  }

  /** @param dir the folder from which the assistant may upload files */
  static async byCommand(world: World, dir: string, env: Readonly<Record<string, string>> = {}): Promise<Assistant> {
    const { command, cwd, environment } = world.server.program;
    const [program = '', ...args] = command;
    const own = { POSTSHELF_URL: world.server.url, POSTSHELF_TOKEN: String(world.tokens.all) };
    return Assistant.#over(
      world,
      new StdioClientTransport({
        command: program,
        args: [...args, 'mcp', '--dir', dir],
        cwd,
        env: { ...environment, ...own, ...env },
      }),
    );
  }

  static async #over(world: World, transport: Parameters<Client['connect']>[0]): Promise<Assistant> {
    const client = new Client({ name: 'test', version: '1.0.0' });
    await client.connect(transport);
    // This call loads the tools' output schemas, against which the client then checks every result.
    await client.listTools();
    return new Assistant(client, world);
  }

  /** Calls a tool that must succeed. @returns its structured answer; undefined if it has none */
  async call(name: string, input: Readonly<Record<string, unknown>> = {}): Promise<unknown> {
    const result = await this.#ask(name, input);
    const text = stringAt(result.content, 0, 'text');
    if (result.isError) throw new Error(`${name} was refused: ${text}`);
    if (result.structuredContent !== undefined) expect(JSON.parse(text)).toEqual(result.structuredContent);
    return result.structuredContent;
  }

  /** Calls a tool that must be refused. @returns the text of the refusal */
  async refusedText(name: string, input: Readonly<Record<string, unknown>> = {}): Promise<string> {
    const result = await this.#ask(name, input);
    expect(result).toEqual({ isError: true, content: [{ type: 'text', text: expect.any(String) }] });
    return stringAt(result.content, 0, 'text');
  }

  /** Calls a tool that the service must refuse. @returns the body of the refusal */
  async refused(name: string, input: Readonly<Record<string, unknown>> = {}): Promise<ToolRefusal> {
    return JSON.parse(await this.refusedText(name, input));
  }

  async tools() {
    return (await this.client.listTools()).tools;
  }

  /** Polls an item until it is `active`. */
  async active(id: string): Promise<unknown> {
    for (;;) {
      const data = at(await this.call('media_get', { id }), 'data');
      if (at(data, 'status') === 'active') return data;
      expect(data).toMatchObject({ status: 'processing' });
      await Bun.sleep(50);
    }
  }

  close(): Promise<void> {
    return this.client.close();
  }

  async #ask(name: string, input: Readonly<Record<string, unknown>>) {
    return CallToolResultSchema.parse(await this.client.callTool({ name, arguments: this.world.fill({ ...input }) }));
  }
}

/** Sends a raw message, which {@link Assistant} cannot. */
export const post = (world: World, message: unknown, headers: Readonly<Record<string, string>> = {}) =>
  fetch(`${world.server.url}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    body: typeof message === 'string' ? message : JSON.stringify(message),
  });

export const bearer = (world: World, token = 'all') => ({ authorization: `Bearer ${world.tokens[token] ?? token}` });

export const LIST_TOOLS = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
