import { connect, createServer, type Socket } from 'node:net';

type Direction = 'sent' | 'received';

/** A TCP relay to a server. Tests can cut its connections. The relay doesn't interpret the bytes. */
export interface Relay {
  readonly endpoint: string;
  /** The number of connections that have been cut so far. */
  readonly cuts: number;
  /** Cuts a single connection when this many bytes in total have passed in this direction. */
  cutAfter(bytes: number, direction: Direction): void;
  /**
   * Cuts a single connection when the answer to a request that contains the text begins. The request was executed, but
   * its answer is lost.
   */
  cutAnswerTo(text: string): void;
  /**
   * Passes on only the head of the answer to a request that contains the text, and nothing after it, until
   * {@link resume}. The connection stays open.
   */
  holdBodyAfter(text: string): void;
  /** Passes on whole answers again, on new connections. */
  resume(): void;
  /** Resolves when the next connection is closed by either side. */
  nextClose(): Promise<void>;
  close(): Promise<void>;
}

/** Opens a relay to the server at the URL. */
export async function openRelay(endpoint: string): Promise<Relay> {
  const { hostname, port } = new URL(endpoint);
  const sockets = new Set<Socket>();
  let cuts = 0;
  let closed = Promise.withResolvers<void>();
  let held: string | null = null;
  let due: (direction: Direction, bytes: Buffer, seen: { lost: boolean }) => boolean = () => false;

  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    const seen = { lost: false, holds: false, hasHead: false };
    const end = (): void => {
      client.destroy();
      upstream.destroy();
      sockets.delete(client);
      closed.resolve();
    };
    const pass = (from: Socket, to: Socket, direction: Direction): void => {
      from.on('data', (data) => {
        const bytes = Buffer.from(data);
        if (due(direction, bytes, seen)) {
          cuts += 1;
          due = () => false;
          return end();
        }
        if (direction === 'sent') seen.holds ||= held !== null && bytes.includes(held);
        else if (seen.holds) {
          // The headers arrive in one packet.
          if (!seen.hasHead) to.write(bytes.subarray(0, bytes.indexOf('\r\n\r\n') + 4));
          seen.hasHead = true;
          return;
        }
        if (!to.write(bytes)) from.pause();
      });
      to.on('drain', () => from.resume());
      from.on('close', end);
      from.on('error', end);
    };
    sockets.add(client);
    pass(client, upstream, 'sent');
    pass(upstream, client, 'received');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('The relay has no address.');

  return {
    endpoint: `http://127.0.0.1:${address.port}`,
    get cuts() {
      return cuts;
    },
    cutAfter: (count, direction) => {
      let left = count;
      due = (of, bytes) => {
        if (of === direction) left -= bytes.length;
        return left <= 0;
      };
    },
    cutAnswerTo: (text) => {
      due = (of, bytes, seen) => {
        if (of === 'sent') seen.lost ||= bytes.includes(text);
        return of === 'received' && seen.lost;
      };
    },
    holdBodyAfter: (text) => {
      held = text;
    },
    resume: () => {
      held = null;
    },
    nextClose: () => {
      closed = Promise.withResolvers();
      return closed.promise;
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
