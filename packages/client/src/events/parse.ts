import { createParser } from 'eventsource-parser';

export interface Message {
  readonly id: string | null;
  readonly type: string;
  readonly data: string;
}

/**
 * Yields the messages of an event stream as they arrive (HTML, section 9.2, "Server-sent events").
 *
 * @param heard called whenever data arrives, including comments
 */
export async function* parseMessages(
  body: ReadableStream<Uint8Array>,
  heard: () => void,
): AsyncGenerator<Message, void, undefined> {
  let messages: Message[] = [];
  const parser = createParser({
    onEvent: ({ id = null, event = 'message', data }) => messages.push({ id, type: event, data }),
  });
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
  try {
    for (let { done, value } = await reader.read(); !done; { done, value } = await reader.read()) {
      heard();
      parser.feed(value ?? '');
      yield* messages;
      messages = [];
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
