import { describe, expect, it } from 'vitest';
import { tell } from './fake-io.fixture.ts';

describe('a repository that a variable names', () => {
  const notice =
    'The Git repository is that of the variable GIT_URL, whatever platforms/hello/environment.yaml says.\n';
  const env = { GIT_URL: 'https://git.example.com/other.git' };

  it('is told, because CI systems set such variables for purposes of their own', async () => {
    expect((await tell(['plan', 'platforms/hello'], { env })).err).toContain(notice);
  });

  it('is nothing to tell of when a flag wins over it, or nothing is deployed from it', async () => {
    const flag = ['--git-repository', 'https://git.example.com/mine.git'];
    expect((await tell(['plan', 'platforms/hello', ...flag], { env })).err).not.toContain('GIT_URL');
    expect((await tell(['plan', 'platforms/hello', '--sandbox'], { env })).err).not.toContain('GIT_URL');
  });
});
