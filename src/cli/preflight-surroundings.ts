import { dirname, resolve } from 'node:path';
import { systemClock } from '../adapters/clock/system-clock.ts';
import { systemId, systemRandom } from '../adapters/clock/system-random.ts';
import { linkedAbort } from '../adapters/kubernetes/abort.ts';
import { createClient, type KubeClient } from '../adapters/kubernetes/client.ts';
import { ConnectionError } from '../adapters/kubernetes/connection.ts';
import type { Transport } from '../adapters/kubernetes/transport.ts';
import { readAuthorities } from '../adapters/network/read-authorities.ts';
import type { PreflightSpec } from '../core/platform/environment-schema.ts';
import { preflightSection } from '../core/preflight/preflight-section.ts';
import { type ClusterLook, openLook } from '../preflight/open-look.ts';
import type { Surroundings } from '../preflight/surroundings.ts';
import { openPrivateFolder } from '../provision/private-folder.ts';
import { ansibleScratch } from '../provision/program-environment.ts';
import { ExitError, type Io } from './io.ts';
import type { LoadedPlatform } from './load-platform.ts';
import { namesOnly } from './names-only.ts';
import { type OpenedTransport, openTransport } from './open-transport.ts';
import { ansiblePath, chartPlaces, earlierSnapshot } from './preflight-inputs.ts';
import type { Settings } from './settings.ts';

export interface LookAroundOrder {
  readonly io: Io;
  readonly loaded: LoadedPlatform;
  readonly settings: Settings;
  readonly purpose: Surroundings['purpose'];
}

/** Everything that checks may look at. Nothing is contacted yet; whoever opens them closes them. */
export async function openSurroundings(
  order: LookAroundOrder,
): Promise<{ readonly surroundings: Surroundings; close(): Promise<void> }> {
  const { io, loaded, settings, purpose } = order;
  const { raw } = settings;
  // What is wrong with the command line is told before anything is opened.
  const asked = {
    fromCluster: podPlace(raw.fromCluster),
    before: await earlierSnapshot(io, raw.compare),
    charts: await chartPlaces(io, raw.charts),
  };
  const section = preflightSection(loaded.source.environment.text);
  const { ca, unreadable } = await readAuthorities(authorityFiles(io, loaded, section));
  const opened = await openOrExplain(io, settings);
  const looking = linkedAbort(io.stop);
  // Ansible writes down something for itself even to tell its version, and a home cannot always be written.
  const scratch = await openPrivateFolder();
  const surroundings: Surroundings = {
    ...asked,
    clock: systemClock,
    platform: loaded.platform,
    section,
    purpose,
    cluster: lookAt(opened, loaded, looking.signal),
    network: { clock: systemClock, env: io.env, ca },
    env: { ...ansibleScratch(scratch.path), ...io.env, PATH: await ansiblePath(io) },
    home: io.home,
    gitCredentials: raw.gitCredentials === undefined ? undefined : resolve(io.cwd, raw.gitCredentials),
    secretsFolder: resolve(io.cwd, raw.secrets ?? '/secrets'),
    badAuthorities: unreadable,
  };
  return {
    surroundings,
    async close() {
      looking.abort(new Error('preflight is over'));
      looking.release();
      opened.close();
      await scratch.remove();
    },
  };
}

/** Named by variables, as other programs understand them, or by environment.yaml, beside which they may lie. */
function authorityFiles({ env, cwd }: Io, { source }: LoadedPlatform, section: PreflightSpec): readonly string[] {
  const own = section.certificateAuthority;
  const beside = own === undefined ? [] : [resolve(cwd, dirname(source.environment.file), own)];
  const named = [env['NODE_EXTRA_CA_CERTS'], env['SSL_CERT_FILE']].filter((file) => file !== undefined && file !== '');
  return [...named.map((file) => resolve(cwd, file ?? '')), ...beside];
}

type Opened = Omit<OpenedTransport, 'context'> & { readonly name: string };

function lookAt({ transport, name, server }: Opened, { platform }: LoadedPlatform, signal: AbortSignal): ClusterLook {
  return openLook({
    name,
    server,
    client: clientOf(transport),
    metadata: clientOf(namesOnly(transport)),
    clock: systemClock,
    argocdNamespace: platform.environment.argocdNamespace,
    signal,
  });
}

/** Where there is no way to a cluster every request says why, and the rest of phase 0 goes on. */
async function openOrExplain(io: Io, settings: Settings): Promise<Opened> {
  try {
    const { transport, context, server, close } = await openTransport(io, settings);
    return { transport, name: context, server, close };
  } catch (error) {
    if (!(error instanceof ConnectionError)) throw error;
    const transport: Transport = () => Promise.reject(error);
    return { transport, name: 'none', server: '', close: () => undefined };
  }
}

/** Phase 0 wants to know now: a server that is away is tried again for a moment only. */
function clientOf(transport: Transport): KubeClient {
  const patience = { requestTimeoutMs: 10_000, retryForMs: 2_500 };
  return createClient(transport, {
    clock: systemClock,
    random: systemRandom,
    userAgent: 'tiphys-preflight',
    ...patience,
  });
}

function podPlace(asked: string | boolean | undefined): Surroundings['fromCluster'] {
  if (asked === undefined || asked === false) return undefined;
  const namespace = asked === true ? 'default' : asked;
  // A folder behind the option would be taken for it.
  if (!/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(namespace))
    throw new ExitError(
      3,
      `--from-cluster cannot be “${namespace}”`,
      'Use a namespace, and write the folder before the option.',
    );
  return { namespace, name: `tiphys-preflight-${systemId()}` };
}
