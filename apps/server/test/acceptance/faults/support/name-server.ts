import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';

/** An answer for a name: its IPv4 addresses, "no such name", or no answer at all. */
export type Answer = readonly string[] | 'nothing' | 'silence';

const TYPE_A = 1;
const NO_SUCH_NAME = 3;

/** A name server (RFC 1035) on port 53 of its own loopback address. The tests set its answers. */
export class NameServer {
  /** The names in the queries for IPv4 addresses so far, in order. */
  readonly asked: string[] = [];
  /** Returns the answer to the next query for a name's addresses. Tests set this function. */
  answer: (name: string) => Answer = () => 'nothing';
  /** The last answer for each name, with which the separate query for the name's IPv6 addresses is answered. */
  readonly #last = new Map<string, Answer>();

  private constructor(
    readonly address: string,
    private readonly socket: Socket,
  ) {
    socket.on('message', (question, from) => this.#take(question, from));
  }

  static async open(): Promise<NameServer> {
    const [a = 0, b = 0, c = 0] = crypto.getRandomValues(new Uint8Array(3));
    const address = `127.${(a % 254) + 1}.${b}.${(c % 254) + 1}`;
    const socket = createSocket('udp4');
    await new Promise<void>((done, fail) => {
      socket.once('error', fail);
      socket.bind(53, address, done);
    });
    return new NameServer(address, socket);
  }

  close(): void {
    this.socket.close();
  }

  #take(question: Buffer, from: RemoteInfo): void {
    const { name, type, end } = readQuestion(question);
    if (type === TYPE_A) {
      this.asked.push(name);
      this.#last.set(name, this.answer(name));
    }
    const answer = this.#last.get(name) ?? 'nothing';
    if (answer === 'silence') return;
    const addresses = type === TYPE_A && answer !== 'nothing' ? answer : [];
    // The flags say that this is an authoritative response, and that recursion is desired and available (section
    // 4.1.1).
    const flags = 0x8580 | (answer === 'nothing' ? NO_SUCH_NAME : 0);
    const head = Buffer.alloc(12);
    head.writeUInt16BE(question.readUInt16BE(0), 0);
    head.writeUInt16BE(flags, 2);
    head.writeUInt16BE(1, 4);
    head.writeUInt16BE(addresses.length, 6);
    const records = addresses.map((address) =>
      // The record has a pointer to the name in the question, the type, the class, a TTL of 0 seconds, the length, and
      // the address.
      Buffer.from([0xc0, 12, 0, TYPE_A, 0, 1, 0, 0, 0, 0, 0, 4, ...address.split('.').map(Number)]),
    );
    this.socket.send(Buffer.concat([head, question.subarray(12, end), ...records]), from.port, from.address);
  }
}

function readQuestion(message: Buffer): { readonly name: string; readonly type: number; readonly end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = message.readUInt8(at); length > 0; length = message.readUInt8(at)) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: message.readUInt16BE(at + 1), end: at + 5 };
}
