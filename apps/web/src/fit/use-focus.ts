import type { MediaItem } from '@postshelf/client';
import { useEffect, useState } from 'react';
import { client, queryClient, sentenceOf, trpc } from '../service/service.ts';
import { useNotify } from '../ui/notices.tsx';
import { CENTRE, type Place } from './shapes.ts';

/** Milliseconds from the last move until the focus is saved. */
const PAUSE = 500;

interface KeptFocus {
  place(): Place;
  /** Moves the focus. It is saved with the item after a pause, or when the component unmounts. */
  move(to: Place): void;
}

/** Returns the focus of an item's image, and a function that moves it. */
export function useFocus({ id, details }: MediaItem): KeptFocus {
  const notify = useNotify();
  const [focus] = useState(() => new Focus(id, details?.focus ?? CENTRE));
  useEffect(() => {
    focus.onFailure = (error) =>
      notify({ text: `The image’s position couldn’t be saved: ${sentenceOf(error)}`, tone: 'bad' });
  });
  useEffect(() => () => focus.save(), [focus]);
  return focus;
}

class Focus implements KeptFocus {
  onFailure: (error: unknown) => void = () => undefined;
  #place: Place;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** The previous save; saves run one after the other, so that the last one wins. */
  #saving: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly id: string,
    place: Place,
  ) {
    this.#place = place;
  }

  place(): Place {
    return this.#place;
  }

  move(to: Place): void {
    this.#place = to;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.save(), PAUSE);
  }

  save(): void {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const { id } = this;
    const focus = { x: this.#place.x, y: this.#place.y };
    this.#saving = this.#saving
      .then(() => client.trpc.media.update.mutate({ id, focus }))
      .then(() => queryClient.invalidateQueries({ queryKey: trpc.media.get.pathKey() }))
      .catch((error: unknown) => this.onFailure(error));
  }
}
