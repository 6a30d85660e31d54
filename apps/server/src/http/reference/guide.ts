import { createHash } from 'node:crypto';
import { Marked } from 'marked';
import guide from '../../../../../docs/api.md' with { type: 'text' };
import reference from '../../../../../docs/reference.md' with { type: 'text' };

/** The pages below `/docs`. */
const PAGES = { guide: { title: 'the guide', text: guide }, reference: { title: 'the reference', text: reference } };

export type GuidePage = keyof typeof PAGES;

/** The URLs, relative to `/docs/`, of documents to which the pages link and which the service serves. */
const SERVED: Readonly<Record<string, string>> = {
  'openapi.json': '../v1/openapi.json',
  'api.md': 'guide',
  'reference.md': 'reference',
};

const STYLE = `
:root { color-scheme: light dark; }
body { max-width: 52rem; margin: 0 auto; padding: 1rem 1.25rem 4rem; font: 1rem/1.6 system-ui, sans-serif; }
h1, h2, h3 { line-height: 1.25; }
h2 { margin-top: 2.5rem; border-bottom: 1px solid #8886; padding-bottom: 0.25rem; }
code, pre { font: 0.875em/1.5 ui-monospace, monospace; background: #8882; border-radius: 4px; }
code { padding: 0.1em 0.3em; }
:is(h1, h2, h3), :is(p, li) > code { overflow-wrap: anywhere; }
pre { padding: 0.75rem 1rem; overflow-x: auto; }
pre code { padding: 0; background: none; font-size: inherit; }
.table { overflow-x: auto; }
table { border-collapse: collapse; }
th, td { border: 1px solid #8886; padding: 0.35rem 0.6rem; text-align: left; vertical-align: top; }
`;

/**
 * Allows nothing but the page's one inline style sheet, which is identified by its hash, and images in `data:` URLs.
 */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  'img-src data:',
  "form-action 'none'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ');

/**
 * Renders docs/api.md or docs/reference.md as a page. Headings have the anchors to which the page's links point. Links
 * to documents that the service doesn't serve become plain text.
 */
export async function readGuide(
  page: GuidePage,
): Promise<{ readonly html: string; readonly contentSecurityPolicy: string }> {
  const { title, text: source } = PAGES[page];
  const marked = new Marked({
    async: true,
    renderer: {
      heading({ tokens, depth, text }) {
        return `<h${depth} id="${anchorOf(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        const words = this.parser.parseInline(tokens);
        const isOutside = /^(?:https?:)?\/\//.test(href);
        const [path = '', chapter] = href.split('#');
        const served = SERVED[path] && (chapter ? `${SERVED[path]}#${chapter}` : SERVED[path]);
        const target = isOutside || href.startsWith('#') ? href : served;
        return target === undefined ? words : `<a href="${Bun.escapeHTML(target)}">${words}</a>`;
      },
    },
  });
  const body = (await marked.parse(source))
    .replaceAll('<table>', '<div class="table"><table>')
    .replaceAll('</table>', '</table></div>');
  const html = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Postshelf API: ${title}</title>
    <link rel="icon" href="data:,">
    <style>${STYLE}</style>
  </head>
  <body>
    <nav><a href="guide">Guide</a> · <a href="reference">Reference</a> · <a href="../docs">Try it</a></nav>
    <main>
${body}    </main>
  </body>
</html>
`;
  return { html, contentSecurityPolicy: CONTENT_SECURITY_POLICY };
}

/** Returns the anchor that GitHub gives a heading, so that a link works on GitHub and on the page. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');
