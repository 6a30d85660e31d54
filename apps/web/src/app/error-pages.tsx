import { Link } from '@tanstack/react-router';
import { Button } from '../ui/button.tsx';
import { Page } from '../ui/page.tsx';

/** Browsers' error messages for a script that no longer exists, as after an upgrade. */
const GONE = /dynamically imported module|importing a module script failed|unable to preload/i;

/** Shown in place of a page that failed to load or render. The frame around it stays. */
export function PageError({ error }: { readonly error: unknown }) {
  const message = error instanceof Error ? error.message : String(error);
  const isGone = GONE.test(message);
  return (
    <Page title={isGone ? 'This page couldn’t be loaded' : 'This page can’t be shown'}>
      <div className="page-failure">
        <p role="alert">
          {isGone ? 'Can’t reach the server, or the page has been updated. Reload to try again.' : message}
        </p>
        <Button variant="primary" onPress={() => location.reload()}>
          Reload
        </Button>
      </div>
    </Page>
  );
}

export const NotFound = () => (
  <Page title="Not found">
    <p>
      There’s nothing at this address. <Link to="/">Go to the library</Link>
    </p>
  </Page>
);
