import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { sentenceOf } from '../../service/service.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { useMay } from '../../workspaces/use-may.ts';
import { useWorkspace } from '../../workspaces/use-workspace.ts';
import { readTags, withTags } from '../selection/tags.ts';
import { changeItem, refreshItem, type SeenItem } from './use-item.ts';

type TagChange = { readonly add: readonly string[] } | { readonly remove: string };

const withChange = (tags: readonly string[], change: TagChange): string[] =>
  'add' in change ? withTags(tags, change.add) : tags.filter((tag) => tag !== change.remove);

/** An item's tags. Users who are allowed to change the item can edit the tags. Each change is saved immediately. */
export function ItemTags({ item, version }: SeenItem) {
  const { id: workspace } = useWorkspace();
  const mayChange = useMay('media:write');
  const [typed, setTyped] = useState('');
  const tags = item.details?.tags ?? [];
  const saving = useMutation({
    mutationFn: (change: TagChange) =>
      changeItem({ item, version }, (now) => ({ tags: withChange(now.details?.tags ?? [], change) })),
    onSuccess: () => refreshItem(item.id),
  });
  // A change is shown before it is saved, and the next change is based on it.
  const shown = saving.isPending ? withChange(tags, saving.variables) : tags;
  const add = (event: FormEvent): void => {
    event.preventDefault();
    const tags = readTags(typed);
    if (tags.length === 0 || saving.isPending) return;
    // The field is cleared at once, because the user may type the next tag while this one is being saved.
    setTyped('');
    if (withTags(shown, tags).length === shown.length) return;
    saving.mutate({ add: tags }, { onError: () => setTyped((next) => next || typed) });
  };
  if (!mayChange && shown.length === 0) return null;
  return (
    <section className="item-tags" aria-labelledby="item-tags">
      <h3 id="item-tags">Tags</h3>
      {shown.length > 0 && (
        <ul aria-label="Tags">
          {shown.map((tag) => (
            <li key={tag}>
              <Link to="/" search={{ workspace, tag }}>
                {tag}
              </Link>
              {mayChange && (
                <Button
                  variant="quiet"
                  aria-label={`Remove tag ${tag}`}
                  isPending={saving.isPending}
                  onPress={({ target }) => {
                    focusNext(target);
                    saving.mutate({ remove: tag });
                  }}
                >
                  ×
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
      {mayChange && (
        <form onSubmit={add}>
          <TextField
            label="Add tag"
            value={typed}
            onChange={(text) => {
              if (saving.error) saving.reset();
              setTyped(text);
            }}
            error={saving.error ? sentenceOf(saving.error) : undefined}
          />
          <Button type="submit" isDisabled={typed.trim() === ''} isPending={saving.isPending}>
            Add
          </Button>
        </form>
      )}
    </section>
  );
}

/** Moves the focus from a tag that is about to be removed to the one next to it, or to the field. */
function focusNext(button: Element): void {
  const tag = button.closest('li');
  const next = (tag?.nextElementSibling ?? tag?.previousElementSibling)?.querySelector('button');
  (next ?? tag?.closest('section')?.querySelector('input'))?.focus();
}
