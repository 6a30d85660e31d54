import type { AnyTRPCProcedure } from '@trpc/server';
import { appRouter } from '../../operations/index.ts';
import { type Context, type Meta, statusForTrpc } from '../trpc/router.ts';
import type { Service } from '../../service.ts';
import { type Call, callerOf } from '../../rest/call-procedure.ts';
import { readJsonBody } from '../../body/json.ts';

/** A procedure as REST knows it. */
export interface RestOperation extends Meta {
  /** Calls it with what the request holds: path parameters win over the body, so no body can name another resource. */
  call(service: Service, request: Request, params: Readonly<Record<string, string>>): Promise<Response>;
}

/** Every procedure of the router that has a REST route. */
export function restOperations(): readonly RestOperation[] {
  const procedures = Object.entries(appRouter._def.procedures as unknown as Record<string, AnyTRPCProcedure>);
  return procedures.map(([path, procedure]) => {
    const { type } = procedure._def;
    const operation = { path, type, meta: procedure._def.meta as Meta, call: callerOf(procedure, statusForTrpc) };
    return { ...operation.meta, call: (...request) => callOver(operation, ...request) };
  });
}

interface Operation {
  readonly path: string;
  readonly type: Call['type'];
  readonly meta: Meta;
  readonly call: ReturnType<typeof callerOf>;
}

async function callOver(
  { path, type, meta, call }: Operation,
  service: Service,
  request: Request,
  params: Readonly<Record<string, string>>,
): Promise<Response> {
  const takesBody = type === 'mutation' && meta.openapi.method !== 'DELETE';
  // Read only once a procedure's first input is parsed: a body is nobody's business before the token is known.
  let read: RawInput | Promise<RawInput> | undefined;
  const getRawInput = (): RawInput | Promise<RawInput> => {
    read ??= takesBody ? readBody(service, request, params) : { ...readQuery(request.url), ...params };
    return read;
  };
  const ctx: Context = { service, request };
  const result = await call({ path, type, ctx, getRawInput, request });
  if (meta.status === 204) return new Response(null, { status: 204 });
  return Response.json(result, { status: meta.status === 201 && isProcessing(result) ? 202 : meta.status });
}

type RawInput = Readonly<Record<string, unknown>>;

const readBody = async (service: Service, request: Request, params: RawInput): Promise<RawInput> => ({
  ...(await readJsonBody(request, service.bodyPace)),
  ...params,
});

/** The query, the last of a repeated name; an empty value is as good as none. */
function readQuery(url: string): Record<string, string> {
  const at = url.indexOf('?');
  if (at < 0) return {};
  const entries = [...new URLSearchParams(url.slice(at))].filter(([, value]) => value !== '');
  return Object.fromEntries(entries);
}

/** Whether an answer holds an item that isn't there yet (docs/api.md, "Upload media"). */
function isProcessing(result: unknown): boolean {
  const { data } = result as { readonly data?: unknown };
  return Array.isArray(data) && data.some((item: { readonly status?: unknown }) => item.status === 'processing');
}
