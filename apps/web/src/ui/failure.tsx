import { sentenceOf } from '../service/service.ts';
import { Button } from './button.tsx';

/** What went wrong where something should be, and another try. */
export const Failure = ({ error, retry }: { readonly error: unknown; readonly retry: () => void }) => (
  <div className="failure">
    <p role="alert">{sentenceOf(error)}</p>
    <Button onPress={retry}>Try again</Button>
  </div>
);
