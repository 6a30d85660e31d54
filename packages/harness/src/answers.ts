import type { Answer, Exchange } from './origin.ts';

/** A gate at which an answer waits until the test opens it. */
export interface Gate {
  readonly opened: Promise<void>;
  open(): void;
}

export function gate(): Gate {
  let open = () => {};
  const opened = new Promise<void>((done) => {
    open = done;
  });
  return { opened, open };
}

export interface HeadOptions {
  readonly status?: number;
  readonly type?: string;
  /** The declared length, which may be wrong. Without one, the end of the connection ends the body. */
  readonly length?: number | string;
  readonly headers?: Readonly<Record<string, string>>;
}

export function head({ status = 200, type, length, headers = {} }: HeadOptions = {}): string {
  const lines = Object.entries({
    ...(type === undefined ? {} : { 'Content-Type': type }),
    ...(length === undefined ? {} : { 'Content-Length': String(length) }),
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} Whatever\r\n${lines.join('')}Connection: close\r\n\r\n`;
}

export function serve(bytes: Uint8Array, options: HeadOptions = {}): Answer {
  return async ({ send, finish }) => {
    await send(head({ length: bytes.length, ...options }));
    await send(bytes);
    finish();
  };
}

/** Serves a body without a declared length; the end of the connection ends it. */
export function serveUntilClose(bytes: Uint8Array): Answer {
  return async ({ send, finish }) => {
    await send(head());
    await send(bytes);
    finish();
  };
}

/** Serves a body in pieces, with a pause in milliseconds after each. */
export function serveSlowly(bytes: Uint8Array, pieces: number, pause: number): Answer {
  return async ({ send, finish }) => {
    await send(head({ length: bytes.length }));
    const length = Math.ceil(bytes.length / pieces);
    for (let at = 0; at < bytes.length; at += length) {
      if (!(await send(bytes.subarray(at, at + length)))) return;
      await Bun.sleep(pause);
    }
    finish();
  };
}

/** Serves `bytes` up to `stop`, and the rest when the gate is opened. */
export function serveGated(bytes: Uint8Array, stop: number, { opened }: Gate, options: HeadOptions = {}): Answer {
  return async ({ send, finish, closed }) => {
    await send(head({ length: bytes.length, ...options }));
    await send(bytes.subarray(0, stop));
    await Promise.race([opened, closed]);
    await send(bytes.subarray(stop));
    finish();
  };
}

export function status(code: number, headers: Readonly<Record<string, string>> = {}): Answer {
  return serve(new Uint8Array(), { status: code, headers });
}

export function redirect(location: string, code = 302, headers: Readonly<Record<string, string>> = {}): Answer {
  return status(code, { Location: location, ...headers });
}

export function raw(bytes: string | Uint8Array): Answer {
  return async ({ send, finish }) => {
    await send(bytes);
    finish();
  };
}

/** Sends the pieces, and then nothing while the client stays connected. */
export function stallAfter(...pieces: readonly (string | Uint8Array)[]): Answer {
  return async ({ send }) => {
    for (const piece of pieces) await send(piece);
  };
}

export function cutAfter(bytes: Uint8Array, stop: number): Answer {
  return async ({ send, cut }) => {
    await send(head({ length: bytes.length }));
    await send(bytes.subarray(0, stop));
    cut();
  };
}

/** Answers requests with the given answers, one after the other. The last one is repeated. */
export function inTurn(...answers: readonly [Answer, ...Answer[]]): Answer {
  return (exchange: Exchange) => answers[Math.min(exchange.attempt, answers.length) - 1]?.(exchange);
}

const block = Buffer.alloc(1024 * 1024);

/**
 * Sends zeros.
 *
 * @returns how many the client has accepted
 */
export async function sendZeros({ send }: Pick<Exchange, 'send'>, count: number): Promise<number> {
  let sent = 0;
  while (sent < count) {
    const piece = block.subarray(0, Math.min(block.length, count - sent));
    if (!(await send(piece))) break;
    sent += piece.length;
  }
  return sent;
}
