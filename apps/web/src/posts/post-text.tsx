import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { trpc } from '../service/service.ts';
import { Button } from '../ui/button.tsx';

/** Number of characters of a text that a row shows initially. */
const SHOWN = 160;

export interface PostTextProps {
  readonly id: string;
  readonly text: string | null;
  /** Whether the list only returned the beginning of the text. */
  readonly isCut: boolean;
}

/** A post's text, shortened until the user asks for the rest. */
export function PostText({ id, text, isCut }: PostTextProps) {
  const [isOpen, setIsOpen] = useState(false);
  const whole = useQuery(trpc.posts.get.queryOptions({ id }, { enabled: isOpen && isCut, staleTime: 60_000 }));
  if (text === null) return <span className="post-no-text">No text</span>;
  const isLong = isCut || text.length > SHOWN + 40;
  if (!isLong) return <p className="post-text">{text}</p>;
  return (
    <>
      <p className="post-text">{isOpen ? (whole.data?.data.text ?? text) : `${startOf(text)}…`}</p>
      <Button variant="quiet" className="post-more" aria-expanded={isOpen} onPress={() => setIsOpen(!isOpen)}>
        {isOpen ? 'Show less' : 'Show more'}
      </Button>
    </>
  );
}

/** Returns the beginning of a text, without splitting words or characters. */
function startOf(text: string): string {
  const cut = text.slice(0, SHOWN);
  const space = cut.search(/\s\S*$/);
  return space > SHOWN / 2 ? cut.slice(0, space) : Array.from(cut).slice(0, -1).join('');
}
