import { Link } from '@tanstack/react-router';
import { Page } from '../ui/page.tsx';

export const NotFound = () => (
  <Page title="Not found">
    <p>
      Nothing is at this address. <Link to="/">Go to the library</Link>
    </p>
  </Page>
);
