import { createRandom } from '../src/sandbox/world/random.ts';

export const environmentText = `name: bench
domain: bench.example.com
gitRepository: https://git.example.com/bench.git
gitRevision: main
`;

/** A platform of so many apps in stacks of fifty under one root; on average every app needs three earlier ones. */
export function syntheticDag(apps: number, edges: number): string {
  const random = createRandom(apps);
  const needs = Array.from({ length: apps }, () => new Set<number>());
  for (let missing = edges; missing > 0; ) {
    const from = 1 + Math.floor(random.next() * (apps - 1));
    const to = Math.floor(random.next() * from);
    if (needs[from]?.has(to) === true) continue;
    needs[from]?.add(to);
    missing--;
  }
  const lines = ['apiVersion: tiphys.dev/v1', 'kind: Platform', 'name: bench', 'root: bench-root', 'stacks:'];
  needs.forEach((own, index) => {
    if (index % 50 === 0) {
      const stack = `stack-${index / 50}`;
      lines.push(`  ${stack}:`, `    application: bench-${stack}`, '    apps:');
    }
    lines.push(`      app-${index}:`, `        layer: ${Math.floor(index / 50)}`);
    if (own.size > 0) lines.push(`        needs: [${[...own].map((need) => `app-${need}`).join(', ')}]`);
  });
  return `${lines.join('\n')}\n`;
}

/** Chains that all run at once: every need is the only one of its app. */
export function chainsDag(chains: number, length: number, hasParents: boolean): string {
  const lines = ['apiVersion: tiphys.dev/v1', 'kind: Platform', 'name: chains'];
  if (hasParents) lines.push('root: chains-root');
  lines.push('stacks:');
  for (let chain = 0; chain < chains; chain++) {
    lines.push(`  chain-${chain}:`);
    if (hasParents) lines.push(`    application: parent-${chain}`);
    lines.push('    apps:');
    for (let link = 0; link < length; link++) {
      lines.push(`      link-${chain}-${link}: { needs: [${link === 0 ? '' : `link-${chain}-${link - 1}`}] }`);
    }
  }
  return `${lines.join('\n')}\n`;
}
