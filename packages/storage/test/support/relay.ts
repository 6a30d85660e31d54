import { connect, createServer, type Socket } from 'node:net';

type Direction = 'sent' | 'received';

/** A way to a server that can be made bad. It carries bytes and understands none. */
export interface Relay {
  readonly endpoint: string;
  /** Connections that were cut so far. */
  readonly cuts: number;
  /** Cuts one connection once, when so many bytes of that direction have passed in all. */
  cutAfter(bytes: number, direction: Direction): void;
  /** Cuts one connection once, when the answer begins to a request in which the text stands: it is done, and lost. */
  cutAnswerTo(text: string): void;
  /** Resolves when the next connection is closed, by whichever side. */
  nextClose(): Promise<void>;
  close(): Promise<void>;
}

/** Relays to the server at the URL. */
export async function openRelay(endpoint: string): Promise<Relay> {
  const { hostname, port } = new URL(endpoint);
  const sockets = new Set<Socket>();
  let cuts = 0;
  let closed = Promise.withResolvers<void>();
  let due: (direction: Direction, bytes: Buffer, seen: { lost: boolean }) => boolean = () => false;

  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    const seen = { lost: false };
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
  if (typeof address !== 'object' || address === null) throw new Error('The relay listens nowhere.');

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
