import { createRoot } from 'react-dom/client';
// `readme` is the unchanged sample of the client's README.
import { Library, Postshelf } from './readme';

const baseUrl: string = import.meta.env.VITE_POSTSHELF_URL;
const token: string = import.meta.env.VITE_POSTSHELF_TOKEN;
const workspace: string = import.meta.env.VITE_POSTSHELF_WORKSPACE;

const root = document.getElementById('root');
if (!root) throw new Error('The page has no place for the library.');
createRoot(root).render(
  <Postshelf baseUrl={baseUrl} token={token}>
    <Library baseUrl={baseUrl} token={token} workspace={workspace} />
  </Postshelf>,
);
