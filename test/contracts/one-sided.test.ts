import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { oneSided } from './one-sided.ts';

describe('cases that run on one cluster only', () => {
  it.each(Object.entries(oneSided))('%s has a reason, and exactly one case', (key, { because }) => {
    expect(because).toMatch(/^\w+( \S+){6,}/);
    const uses = contracts().flatMap((text) => [...text.matchAll(new RegExp(`oneSided: '${key}'`, 'g'))]);
    expect(uses).toHaveLength(1);
  });
});

function contracts(): string[] {
  return readdirSync(new URL('.', import.meta.url))
    .filter((file) => file.endsWith('.test.ts') && file !== 'one-sided.test.ts')
    .map((file) => readFileSync(new URL(file, import.meta.url), 'utf8'));
}
