import { isRefused } from '@postshelf/browser/queries/retries.ts';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { isSignedOut, isUnreachable, sentenceOf } from '../service/service.ts';
import { Button } from './button.tsx';

export interface LoadedProps<Data> {
  readonly query: UseQueryResult<Data, unknown>;
  readonly children: (data: Data) => ReactNode;
}

/**
 * Shows the result of a query, or that the query is running, or why it failed. An earlier result stays visible while
 * the service is unreachable, and when the session has ended.
 */
export function Loaded<Data>({ query: { data, error, isPlaceholderData, refetch }, children }: LoadedProps<Data>) {
  if (error && (data === undefined || (isRefused(error) && !isSignedOut(error)))) {
    return (
      <div className="page-failure">
        <p role="alert">{sentenceOf(error)}</p>
        <Button onPress={() => void refetch()}>Try again</Button>
      </div>
    );
  }
  if (data === undefined) {
    return (
      <p className="page-loading" role="status">
        Loading…
      </p>
    );
  }
  return (
    <div className="page-found" aria-busy={isPlaceholderData}>
      {error && !isUnreachable(error) && !isSignedOut(error) ? <p role="alert">{sentenceOf(error)}</p> : null}
      {children(data)}
    </div>
  );
}
