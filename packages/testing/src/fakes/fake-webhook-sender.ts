import type { Attempt, SendRequest, WebhookSender } from '@postshelf/domain';

export interface FakeWebhookSender extends WebhookSender {
  /** Sets what comes of tries of a URL, one after another; the last one is repeated. Without any, each is delivered. */
  answer(url: string, ...attempts: readonly (Attempt | 'silent')[]): void;
  /** In their order. */
  readonly sent: readonly Omit<SendRequest, 'signal'>[];
}

/** A sender without a network. `silent` ends with the caller's signal alone. URLs with `refused` are refused. */
export function fakeWebhookSender(): FakeWebhookSender {
  const scripts = new Map<string, readonly (Attempt | 'silent')[]>();
  const sent: Omit<SendRequest, 'signal'>[] = [];
  return {
    sent,
    answer: (url, ...attempts) => void scripts.set(url, attempts),
    async send({ signal, ...request }) {
      signal.throwIfAborted();
      sent.push(request);
      const [first, ...rest] = scripts.get(request.url) ?? [];
      if (rest.length > 0) scripts.set(request.url, rest);
      if (first !== 'silent') return first ?? { ok: true, status: 200 };
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));
    },
    refuse: (url) => (url.includes('refused') ? 'The host is not publicly reachable.' : null),
  };
}
