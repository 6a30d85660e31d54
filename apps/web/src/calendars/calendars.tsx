import './calendars.css';
import type { Operations } from '@postshelf/client';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useProfiles } from '../posts/use-profiles.ts';
import { client, queryClient, sentenceOf, trpc } from '../service/service.ts';
import { Button } from '../ui/button.tsx';
import { CancelButton, Dialog, DialogActions } from '../ui/dialog.tsx';
import { Loaded } from '../ui/loaded.tsx';
import { TextField } from '../ui/text-field.tsx';
import { useCopyText } from '../ui/use-copy-text.ts';
import { dayIn } from '../ui/zoned-time.ts';
import { useWorkspace } from '../workspaces/use-workspace.ts';

type Calendar = Operations['calendars']['list']['output']['data'][number];

/** Page size. A workspace can't have more calendars, so one page contains all of them. */
const PER_PAGE = 100;

const refresh = () => void queryClient.invalidateQueries({ queryKey: trpc.calendars.pathKey() });

/** Lists the links by which calendar programs read the suggested times, and creates a link for the page's profile. */
export function Calendars({ profile }: { readonly profile: string | undefined }) {
  const { id: workspace, scopes, timezone } = useWorkspace();
  const { profiles } = useProfiles();
  const query = useQuery(trpc.calendars.list.queryOptions({ workspace, per_page: PER_PAGE }));
  const [revoked, setRevoked] = useState<Calendar | null>(null);
  const making = useMutation({
    mutationFn: () => client.trpc.calendars.create.mutate({ workspace, ...(profile !== undefined && { profile }) }),
    onSettled: refresh,
  });
  const revoking = useMutation({
    mutationFn: ({ id }: Calendar) => client.trpc.calendars.delete.mutate({ id }),
    onSuccess(_, { id }) {
      if (id === made?.id) making.reset();
      close();
    },
    onSettled: refresh,
  });
  const close = (): void => {
    setRevoked(null);
    revoking.reset();
  };
  const nameOf = ({ profile: id, created_at }: Calendar): string => {
    const of = id === null ? 'Whole workspace' : (profiles.find((each) => each.id === id)?.name ?? 'A profile');
    return `${of}, created ${dayIn(created_at, timezone)}`;
  };
  const mayChange = scopes.includes('analytics:write');
  const made = making.data?.data;
  return (
    <fieldset className="calendars" aria-labelledby="calendar">
      <h2 id="calendar">Calendar</h2>
      <p className="best-times-about">
        Calendar programs can subscribe to the suggested times of the next 7 days. Anyone with the link can view them.
      </p>
      {mayChange && (
        <Button isPending={making.isPending} onPress={() => making.mutate()}>
          Create calendar link
        </Button>
      )}
      {making.error && <p role="alert">{sentenceOf(making.error)}</p>}
      {/* The link of another profile would look like that of the chosen one. */}
      {made && made.profile === (profile ?? null) && <Address key={made.id} url={made.url} />}
      <Loaded query={query}>
        {({ data }) =>
          data.length > 0 && (
            <ul aria-label="Calendars">
              {data.map((calendar) => (
                <li key={calendar.id}>
                  <span id={`calendar-${calendar.id}`}>{nameOf(calendar)}</span>
                  {mayChange && (
                    <Button aria-describedby={`calendar-${calendar.id}`} onPress={() => setRevoked(calendar)}>
                      Revoke
                    </Button>
                  )}
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      {revoked && (
        <Dialog title="Revoke this calendar link?" role="alertdialog" isOpen onClose={close}>
          <p>{nameOf(revoked)}. Calendar programs that subscribed to it stop getting suggested times.</p>
          {revoking.error && <p role="alert">{sentenceOf(revoking.error)}</p>}
          <DialogActions>
            <CancelButton hasStarted={revoking.isPending} onPress={close} />
            <Button variant="danger" isPending={revoking.isPending} onPress={() => revoking.mutate(revoked)}>
              Revoke
            </Button>
          </DialogActions>
        </Dialog>
      )}
    </fieldset>
  );
}

/** Shows the link of a new calendar. The service returns the link only once. */
function Address({ url }: { readonly url: string }) {
  const copyText = useCopyText();
  return (
    <>
      <TextField
        label="Calendar link"
        value={url}
        isReadOnly
        autoFocus
        description="Subscribe to it in your calendar program. It won’t be shown again."
      />
      <Button onPress={() => void copyText(url, 'Link copied.')}>Copy</Button>
    </>
  );
}
