import './composer/composer.css';
import './post-dialog.css';
import './posts.css';
import { PostshelfError } from '@postshelf/client';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type FormEvent, useId, useState } from 'react';
import { client, fieldErrorsOf, sentenceOf, trpc } from '../service/service.ts';
import { Button } from '../ui/button.tsx';
import { CalendarField } from '../ui/calendar-field.tsx';
import { CancelButton, ConfirmButton, Dialog, DialogActions } from '../ui/dialog.tsx';
import { Loaded } from '../ui/loaded.tsx';
import { useNotify } from '../ui/notices.tsx';
import { TextField } from '../ui/text-field.tsx';
import { useUnsaved } from '../ui/use-unsaved.tsx';
import { instantOf, timeFieldOf } from '../ui/zoned-time.ts';
import { useWorkspace } from '../workspaces/use-workspace.ts';
import { NetworkReadiness, TextCount } from './composer/network-readiness.tsx';
import { PostMediaField } from './composer/post-media-field.tsx';
import { Preview } from './composer/preview.tsx';
import { METRICS } from './post-table.tsx';
import { ProfileField } from './profile-field.tsx';
import { refreshPosts } from './refresh-posts.ts';
import type { Post } from './use-posts.ts';
import { useProfiles } from './use-profiles.ts';

export interface PostDialogProps {
  /** The post's id; null for a new post. */
  readonly id: string | null;
  /** The profile of a new post. */
  readonly profile?: string | undefined;
  readonly publishedAt?: string | undefined;
  readonly media?: readonly string[];
  onClose(): void;
}

/**
 * Shows a post with its whole text so that it can be changed or deleted, or creates a new post. Asks for confirmation
 * before discarding what was typed.
 */
export function PostDialog({ id, onClose, ...start }: PostDialogProps) {
  const query = useQuery({
    ...trpc.posts.get.queryOptions({ id: id ?? '' }),
    enabled: id !== null,
    // The query isn't refreshed, because the typed values have to be compared with the version that was opened.
    refetchOnWindowFocus: false,
    // A closed post isn't kept, because the form would start with what it contained, and others may change it.
    gcTime: 0,
  });
  const { close, onDirty, done, question } = useUnsaved(id === null, onClose);
  const form = { onClose: close, onDirty, onDone: done };
  return (
    <Dialog title="Post" isOpen isWide staysOpen onClose={close}>
      {id === null ? (
        <PostForm start={start} {...form} />
      ) : (
        <Loaded query={query}>
          {({ data, version }) => <PostForm key={id} post={data} version={version} start={{}} {...form} />}
        </Loaded>
      )}
      {question}
    </Dialog>
  );
}

interface PostFormProps {
  readonly post?: Post;
  readonly version?: number;
  readonly start: Pick<PostDialogProps, 'profile' | 'publishedAt' | 'media'>;
  onClose(): void;
  /** Called after each change, with whether the form has unsaved changes. */
  onDirty(isDirty: boolean): void;
  /** Called when the post was saved or deleted. */
  onDone(): void;
}

function PostForm({ post: latest, version: latestVersion, start, onClose, onDirty, onDone }: PostFormProps) {
  const { id: workspace, timezone, scopes } = useWorkspace();
  const mayWrite = scopes.includes('analytics:write');
  const notify = useNotify();
  const [seen, setSeen] = useState({ post: latest, version: latestVersion });
  const { post } = seen;
  const published = post?.published_at ?? start.publishedAt;
  const first = {
    profile: post?.profile ?? start.profile ?? '',
    time: published === undefined ? '' : timeFieldOf(published, timezone),
    text: post?.text ?? '',
    media: post?.media_content_ids ?? [...(start.media ?? [])],
    metrics: Object.fromEntries(METRICS.map(({ name }) => [name, post ? String(post.metrics[name]) : ''])),
  };
  const [typed, setTyped] = useState<Partial<typeof first>>({});
  const now = { ...first, ...typed };
  const type = (change: Partial<typeof first>): void => {
    if (saving.error) saving.reset();
    const all = { ...typed, ...change };
    setTyped(all);
    onDirty(JSON.stringify({ ...first, ...all }) !== JSON.stringify(first));
  };
  const saving = useMutation({
    async mutationFn() {
      const changed = changesOf(first, now, timezone);
      if (!post) {
        const fields = {
          profile: now.profile,
          ...changed,
          ...(now.media.length > 0 && { media_content_ids: [...now.media] }),
          published_at: instantOf(now.time, timezone),
        };
        return client.trpc.posts.create.mutate({ workspace, ...fields });
      }
      return client.trpc.posts.update.mutate({ id: post.id, ...changed, if_match: seen.version });
    },
    onSuccess() {
      notify({ text: post ? 'The post was saved.' : 'The post was added.' });
      onDone();
    },
    async onError(error) {
      if (!post || !isChanged(error)) return;
      const { data, version } = await client.trpc.posts.get.query({ id: post.id });
      setSeen({ post: data, version });
    },
    onSettled: refreshPosts,
  });
  const errors = fieldErrorsOf(saving.error);
  const errorOf = (name: string): string | undefined => {
    const found = Object.entries(errors).filter(([field]) => field === name || field.startsWith(`${name}.`));
    return found.length > 0 ? found.flatMap(([, sentences]) => sentences).join(' ') : undefined;
  };
  const profile = useProfiles().profiles.find(({ id }) => id === now.profile);
  const reason = now.profile === '' ? 'Choose a profile.' : now.time === '' ? 'Enter a date and time.' : null;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (reason === null && !saving.isPending) saving.mutate();
  };
  return (
    <form onSubmit={submit} noValidate className="composer">
      <div className="composer-fields">
        <ProfileField
          value={now.profile}
          error={errorOf('profile')}
          isFixed={post !== undefined || !mayWrite}
          onChange={(profile) => type({ profile })}
        />
        <TextField
          label="Text"
          rows={5}
          value={now.text}
          isReadOnly={!mayWrite}
          error={errorOf('text')}
          onChange={(text) => type({ text })}
        />
        {profile && <TextCount network={profile.network} text={now.text} />}
        <TimeField
          value={now.time}
          error={errorOf('published_at')}
          isReadOnly={!mayWrite}
          onChange={(time) => type({ time })}
        />
        <PostMediaField
          ids={now.media}
          error={errorOf('media_content_ids')}
          isReadOnly={!mayWrite}
          onChange={(media) => type({ media: [...media] })}
        />
        <fieldset className="post-fields">
          <legend>Metrics</legend>
          {METRICS.map(({ name, label }) => (
            <TextField
              key={name}
              label={label}
              type="number"
              inputMode="numeric"
              value={now.metrics[name] ?? ''}
              isReadOnly={!mayWrite}
              error={errorOf(`metrics.${name}`)}
              onChange={(count) => type({ metrics: { ...now.metrics, [name]: count } })}
            />
          ))}
        </fieldset>
      </div>
      <div className="composer-side">
        <Preview
          profile={profile}
          text={now.text}
          media={now.media}
          at={isTime(now.time) ? instantOf(now.time, timezone) : null}
        />
        {profile && <NetworkReadiness network={profile.network} media={now.media} />}
      </div>
      {saving.error && (Object.keys(errors).length === 0 || errorOf('external_id')) && (
        <p role="alert">
          {isChanged(saving.error)
            ? 'Someone else changed this post in the meantime. Save again to apply your changes on top of theirs.'
            : sentenceOf(saving.error)}
        </p>
      )}
      <DialogActions>
        {post && mayWrite && <DeletePost id={post.id} onDeleted={onDone} />}
        <CancelButton hasStarted={saving.isPending || !mayWrite} onPress={onClose} />
        {mayWrite && (
          <ConfirmButton type="submit" isPending={saving.isPending} reason={reason}>
            Save
          </ConfirmButton>
        )}
      </DialogActions>
    </form>
  );
}

const isChanged = (error: unknown): boolean => error instanceof PostshelfError && error.status === 412;

interface Fields {
  readonly time: string;
  readonly text: string;
  readonly media: readonly string[];
  readonly metrics: Readonly<Record<string, string>>;
}

/** Whether a time is complete. It isn't while the user is typing a year that has more than four digits. */
const isTime = (text: string): boolean => /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(text);

/**
 * Returns only the changed fields. This keeps other users' changes to the rest, and the seconds of an unchanged time,
 * which the form doesn't show.
 */
function changesOf(first: Fields, now: Fields, timezone: string) {
  const counts = Object.entries(now.metrics).filter(([name, count]) => count !== first.metrics[name]);
  return {
    ...(now.time !== first.time && { published_at: instantOf(now.time, timezone) }),
    ...(now.text !== first.text && { text: now.text || null }),
    ...(now.media !== first.media && { media_content_ids: [...now.media] }),
    ...(counts.length > 0 && { metrics: Object.fromEntries(counts.map(([name, count]) => [name, Number(count)])) }),
  };
}

interface TimeFieldProps {
  readonly value: string;
  readonly error: string | undefined;
  readonly isReadOnly: boolean;
  onChange(time: string): void;
}

/** The time of day that is used if the user chooses a date before a time. */
const MIDDAY = '12:00';

/** The browser's own date and time field, in the workspace's time zone, with a calendar. */
function TimeField({ value, error, isReadOnly, onChange }: TimeFieldProps) {
  const { timezone } = useWorkspace();
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>Published at</label>
      <CalendarField
        date={value.slice(0, 10)}
        isDisabled={isReadOnly}
        onChange={(date) => onChange(`${date}T${value.slice(11) || MIDDAY}`)}
      >
        <input
          id={id}
          type="datetime-local"
          max="9999-12-31T23:59"
          value={value}
          readOnly={isReadOnly}
          aria-invalid={error !== undefined}
          aria-describedby={`${id}-about`}
          onChange={({ target }) => onChange(target.value)}
        />
      </CalendarField>
      <span id={`${id}-about`} slot={error === undefined ? 'description' : 'errorMessage'}>
        {error ?? `In ${timezone}. Choose a future time to plan the post.`}
      </span>
    </div>
  );
}

function DeletePost({ id, onDeleted }: { readonly id: string; onDeleted(): void }) {
  const [isAsking, setIsAsking] = useState(false);
  const notify = useNotify();
  const deleting = useMutation({
    mutationFn: () => client.trpc.posts.delete.mutate({ id }),
    onSuccess() {
      notify({ text: 'The post was deleted.' });
      onDeleted();
    },
    onSettled: refreshPosts,
  });
  return (
    <>
      <Button variant="danger" className="post-delete" onPress={() => setIsAsking(true)}>
        Delete
      </Button>
      <Dialog title="Delete this post?" role="alertdialog" isOpen={isAsking} onClose={() => setIsAsking(false)}>
        <p>
          Its metrics are deleted too, and it no longer counts towards best times. Its media are kept, and nothing is
          deleted on the network.
        </p>
        {deleting.error && <p role="alert">{sentenceOf(deleting.error)}</p>}
        <DialogActions>
          <CancelButton hasStarted={deleting.isPending} onPress={() => setIsAsking(false)} />
          <Button variant="danger" isPending={deleting.isPending} onPress={() => deleting.mutate()}>
            Delete
          </Button>
        </DialogActions>
      </Dialog>
    </>
  );
}
