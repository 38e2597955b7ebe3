import { describe, expect, it } from 'vitest';
import type { Comparison } from '../run/events.ts';
import { emptyRun } from '../run/fold-run.ts';
import { htmlReport } from './html-report.ts';
import { markdownReport } from './markdown-report.ts';
import type { Report } from './report.ts';
import { terminalReport } from './terminal-report.ts';
import { toReport } from './to-report.ts';

const since = '2026-01-05T03:00:00.000Z';
const none: Comparison = { since, bootstrap: [], others: [], unread: [] };
const many = Array.from({ length: 14 }, (_, index) => `Secret argocd/s-${String(index).padStart(2, '0')}`);
const some: Comparison = {
  since,
  bootstrap: many,
  others: ['Namespace strangers', 'ConfigMap strangers/<b>'],
  unread: ['Widget.example.com'],
};

describe('the comparison of a teardown with an earlier snapshot (R3.5, R6.8)', () => {
  it('is in the text: whose each thing is, in few lines', () => {
    const text = terminalReport(report(some), { width: 100, color: false });
    expect(text).toContain(`Compared with before  also there, and not at ${since}`);
    expect(text).toContain('· installed by bootstrap, which teardown leaves (14): Secret argocd/s-00');
    expect(text.replaceAll(/\s+/g, ' ')).toContain('and 2 more');
    expect(text).toContain('· nothing on them says whose they are (2): Namespace strangers');
    expect(text).toContain('· not compared, because they could not be read (1): Widget.example.com');
  });

  it('names every object in HTML, Markdown and JSON, and lets no name be markup', () => {
    const html = htmlReport(report(some));
    for (const name of [...many, 'Namespace strangers', 'ConfigMap strangers/&lt;b&gt;', 'Widget.example.com'])
      expect(html).toContain(`<li>${name}</li>`);
    const markdown = markdownReport(report(some));
    for (const name of many) expect(markdown).toContain(name);
    expect(markdown).not.toContain('<b>');
    expect(report(some).comparison).toEqual(some);
  });

  it('says when nothing else is new, and nothing when nothing was compared', () => {
    const text = terminalReport(report(none), { width: 100, color: false });
    expect(text).toContain(`nothing else is there that was not there at ${since}`);
    expect(terminalReport(toReport(emptyRun), { width: 100, color: false })).not.toContain('Compared');
    expect(htmlReport(toReport(emptyRun))).not.toContain('Compared');
  });
});

function report(comparison: Comparison): Report {
  return toReport({ ...emptyRun, outcome: 'clean', exitCode: 0, comparison }, { action: 'teardown' });
}
