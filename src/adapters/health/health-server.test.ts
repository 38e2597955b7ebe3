import { afterEach, describe, expect, it } from 'vitest';
import { type HealthServer, serveHealth } from './health-server.ts';

let server: HealthServer | undefined;
afterEach(() => server?.close());

describe('the health of a long-lived process', () => {
  it('says that it lives even when it is of no use, so that it is not restarted for somebody else’s fault', async () => {
    const ask = await served({ isReady: false, sentence: 'cannot reach the cluster' });
    expect(await ask('/healthz')).toEqual([200, 'cannot reach the cluster\n']);
    expect(await ask('/readyz')).toEqual([503, 'cannot reach the cluster\n']);
  });

  it('says that it is ready when it is', async () => {
    const ask = await served({ isReady: true, sentence: 'works' });
    expect(await ask('/readyz')).toEqual([200, 'works\n']);
  });

  it('serves nothing else', async () => {
    const ask = await served({ isReady: true, sentence: 'works' });
    expect(await ask('/')).toEqual([404, 'only /healthz and /readyz are served\n']);
  });
});

async function served(standing: { isReady: boolean; sentence: string }) {
  const { port, close } = await serveHealth({ host: '127.0.0.1', port: 0 }, () => standing);
  server = { port, close };
  return async (path: string): Promise<[number, string]> => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`);
    return [response.status, await response.text()];
  };
}
