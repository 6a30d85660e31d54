import fc from 'fast-check';
import { anyJson } from '../arbitraries/json.ts';
import { AUTHORIZATION, framing, HOST } from '../arbitraries/request.ts';
import { weighted, words } from '../arbitraries/text.ts';
import type { RequestCase } from '../case.ts';
import { operations } from '../oracle/document.ts';
import type { Target } from './target.ts';
import { inputFor } from './trpc.ts';

const tools = operations.filter(({ tool }) => tool !== null);

const call = fc
  .constantFrom(...tools)
  .chain((operation) => inputFor(operation).map((input) => `{"name":"${operation.tool}","arguments":${input}}`));

const oddCall = fc
  .tuple(fc.constantFrom(...words('media_list me_get tokens_create __proto__ constructor')), anyJson, anyJson)
  .map(([name, input, meta]) => `{"name":"${name}","arguments":${input},"_meta":${meta},"task":${meta}}`);

const resource = fc
  .tuple(
    fc.constantFrom('{{media}}', '{{workspace}}', '..', '%00', ''),
    fc.constantFrom('postshelf://media/', 'file:///', ''),
  )
  .map(([id, scheme]) => `{"uri":"${scheme}${id}"}`);

const page = fc
  .constantFrom('{{workspace}}:1', '{{workspace}}:999999999', 'x:1', ':', '')
  .map((at) => `{"cursor":"${at}"}`);

const hello = anyJson.map(
  (client) => `{"protocolVersion":"2025-11-25","capabilities":${client},"clientInfo":{"name":"fuzz","version":"1"}}`,
);

const METHODS = words('ping tools/list resources/templates/list prompts/list logging/setLevel notifications/cancelled');

interface Asked {
  readonly method: string;
  readonly params: string;
}

const ask = (method: string, params: fc.Arbitrary<string>): fc.Arbitrary<Asked> =>
  params.map((text) => ({ method, params: text }));

const asked = weighted<Asked>(
  [10, ask('tools/call', call)],
  [2, ask('tools/call', oddCall)],
  [2, ask('resources/read', resource)],
  [2, ask('resources/list', page)],
  [1, ask('initialize', hello)],
  [2, fc.record({ method: fc.constantFrom(...METHODS), params: anyJson })],
);

const id = fc.constantFrom('1', '"a"', '-1', '1.5', '1e400', 'null', '{}', '[]', 'true', '""');

const message = weighted(
  [
    12,
    fc
      .tuple(asked, weighted([6, fc.constant('1')], [1, id]))
      .map(
        ([{ method, params }, number]) => `{"jsonrpc":"2.0","id":${number},"method":"${method}","params":${params}}`,
      ),
  ],
  [1, asked.map(({ method, params }) => `{"jsonrpc":"2.0","method":"${method}","params":${params}}`)],
  [1, fc.tuple(id, anyJson).map(([number, result]) => `{"jsonrpc":"2.0","id":${number},"result":${result}}`)],
  [1, asked.map(({ method, params }) => `[{"jsonrpc":"2.0","id":1,"method":"${method}","params":${params}}]`)],
  [1, anyJson],
);

const accept = weighted(
  [12, fc.constant('application/json, text/event-stream')],
  [1, fc.constantFrom('application/json', '*/*', 'text/event-stream', '')],
);

const type = weighted(
  [12, fc.constant('application/json')],
  [1, fc.constantFrom('text/plain', 'application/json; charset=latin1', '')],
);

const oddLine = fc
  .tuple(
    fc.constantFrom('MCP-Protocol-Version', 'Mcp-Session-Id', 'Last-Event-ID'),
    fc.constantFrom('2025-11-25', '2024-10-07', '1999-01-01', '{{media}}', '*', '"', ''),
  )
  .map(([name, value]) => `${name}: ${value}`);

const lines = fc
  .tuple(accept, type, weighted<readonly string[]>([8, fc.constant([])], [1, fc.tuple(oddLine)]))
  .map(([accepted, given, more]) => [`Accept: ${accepted}`, `Content-Type: ${given}`, ...more]);

/** The documented operations, called as tools of assistants. */
export const mcp: Target = {
  about: 'MCP: calls of every tool, resources, invalid messages',
  cases: fc
    .record({
      message,
      lines,
      framing,
      method: weighted([20, fc.constant('POST')], [1, fc.constantFrom('GET', 'DELETE', 'PUT')]),
    })
    .map(
      ({ message: bytes, lines: more, framing: how, method }): RequestCase => ({
        kind: 'request',
        method,
        target: '/mcp',
        lines: [HOST, AUTHORIZATION, ...more],
        body: { bytes, framing: how },
      }),
    ),
};
