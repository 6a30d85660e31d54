import { Link } from '@tanstack/react-router';

export const NotFound = () => (
  <main className="frame-page">
    <h1>Not found</h1>
    <p>
      Nothing is at this address. <Link to="/">Go to the library</Link>
    </p>
  </main>
);
