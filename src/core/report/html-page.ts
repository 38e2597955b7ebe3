import { escapeHtml } from './escape-html.ts';
import { pageStyle } from './html-style.ts';

export interface HtmlPage {
  readonly title: string;
  /** Everything between the body's tags. */
  readonly body: string;
  /** Without one, none may run. */
  readonly script?: string;
}

/** One HTML file that needs nothing else and may load nothing else. */
export function htmlPage({ title, body, script }: HtmlPage): string {
  const scripts = script === undefined ? '' : " script-src 'unsafe-inline';";
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline';${scripts} base-uri 'none'; form-action 'none'">
<title>${escapeHtml(title)}</title>
<style>${pageStyle}</style>
</head>
<body>
${body}
${script === undefined ? '' : `<script>${script}</script>\n`}</body>
</html>
`;
}
