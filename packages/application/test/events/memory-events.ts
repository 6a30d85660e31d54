import type { EventRepository, EventType, PlacedEvent, Uuid } from '@postshelf/domain';
import { sequentialIds } from '@postshelf/testing/fakes';

/** An outbox in memory whose answers may be delayed or fail. */
export class MemoryEvents implements EventRepository {
  readonly #ids = sequentialIds();
  #placed: PlacedEvent[] = [];
  #last = 0;
  readonly #marks = new Map<Uuid, number>();
  /** Number of calls of {@link listAfter}. */
  polls = 0;
  failure: Error | null = null;
  /** Awaited before each answer. */
  pause: () => Promise<void> = async () => undefined;

  /** Adds an event. @returns the id of the event */
  commit(workspaceId: Uuid, type: EventType = 'folder.deleted'): Uuid {
    const id = this.#ids.next();
    // Positions have gaps, as in real databases.
    this.#last += 1 + (this.#last % 3);
    const event = { id, type, workspaceId, at: this.#last, content: { kind: 'deleted', id } } as const;
    this.#placed.push({ position: this.#last, event });
    return id;
  }

  readonly listened = new Map<Uuid, number>();

  async listen(workspaceIds: readonly Uuid[], until: number): Promise<void> {
    await this.#answer(() => {
      for (const id of workspaceIds) this.listened.set(id, until);
    });
  }

  async endListening(now: number): Promise<void> {
    for (const [id, until] of this.listened) if (until < now) this.listened.delete(id);
  }

  async newest(): Promise<number> {
    return this.#answer(() => this.#last);
  }

  async listAfter(after: number, limit: number): Promise<readonly PlacedEvent[]> {
    this.polls += 1;
    return this.#answer(() => this.#placed.filter(({ position }) => position > after).slice(0, limit));
  }

  async listOf(workspaceId: Uuid, after: number, upTo: number, limit: number): Promise<readonly PlacedEvent[]> {
    return this.#answer(() =>
      this.#of(workspaceId)
        .filter(({ position }) => position > after && position <= upTo)
        .slice(0, limit),
    );
  }

  async find(workspaceId: Uuid, id: Uuid, since: number): Promise<number | null> {
    const isIt = ({ event }: PlacedEvent): boolean => event.id === id && event.at >= since;
    return this.#answer(() => this.#of(workspaceId).find(isIt)?.position ?? this.#marks.get(id) ?? null);
  }

  async mark(workspaceId: Uuid, since: number): Promise<Uuid> {
    return this.#answer(() => {
      const last = this.#of(workspaceId).at(-1)?.event;
      if (last && last.at >= since) return last.id;
      const id = this.#ids.next();
      this.#last += 1;
      this.#marks.set(id, this.#last);
      return id;
    });
  }

  async prune(before: number, limit: number): Promise<number> {
    const gone = this.#placed.filter(({ event }) => event.at < before).slice(0, limit);
    this.#placed = this.#placed.filter((placed) => !gone.includes(placed));
    return gone.length;
  }

  #of(workspaceId: Uuid): readonly PlacedEvent[] {
    return this.#placed.filter(({ event }) => event.workspaceId === workspaceId);
  }

  async #answer<T>(read: () => T): Promise<T> {
    await this.pause();
    if (this.failure) throw this.failure;
    const answer = read();
    await this.pause();
    return answer;
  }
}
