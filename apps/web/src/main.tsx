// This style sheet contains all subsets of the font. The browser loads only the subsets whose characters occur on the
// page.
import '@fontsource-variable/inter/wght.css';
import '@postshelf/browser/styles/tokens.css';
import './styles/base.css';
// This module must be imported first: it removes the code of a sign-in link from the URL before the router reads it.
import './sessions/link-code.ts';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { I18nProvider, RouterProvider as LinkProvider } from 'react-aria-components';
import { createRoot } from 'react-dom/client';
import { router } from './app/router.tsx';
import { queryClient } from './service/service.ts';
import { NoticesProvider } from './ui/notices.tsx';

const root = document.getElementById('root');
if (root === null) throw new Error('The page has no element with the id “root”.');

createRoot(root).render(
  <StrictMode>
    <I18nProvider locale="en-GB">
      <QueryClientProvider client={queryClient}>
        <NoticesProvider>
          <LinkProvider navigate={(to) => void router.navigate({ href: to })}>
            <RouterProvider router={router} />
          </LinkProvider>
        </NoticesProvider>
      </QueryClientProvider>
    </I18nProvider>
  </StrictMode>,
);
