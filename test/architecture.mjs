// Checks the arrows between the rooms of src/ and testbed/ (.dependency-cruiser.cjs) and says which import breaks which rule.
import { createRequire } from 'node:module';
import { cruise } from 'dependency-cruiser';
import extractTSConfig from 'dependency-cruiser/config-utl/extract-ts-config';

// A cruise that sees nothing finds nothing wrong: when far fewer modules were read than exist, the check itself is broken.
const fewestModules = 100;

const { forbidden, options } = createRequire(import.meta.url)('../.dependency-cruiser.cjs');
const { output } = await cruise(['src', 'testbed'], { ...options, ruleSet: { forbidden }, validate: true }, undefined, {
  tsConfig: extractTSConfig('tsconfig.json'),
});

const { violations } = output.summary;
for (const { from, to, rule, cycle } of violations) {
  const reason = forbidden.find(({ name }) => name === rule.name)?.comment ?? '';
  const path = cycle === undefined ? to : cycle.map(({ name }) => name).join(' → ');
  console.error(`${from} → ${path}\n  ${rule.name}: ${reason}`);
}

const seen = output.modules.filter(({ source }) => /^src\/.*(?<!\.test)\.ts$/.test(source)).length;
if (seen < fewestModules) console.error(`only ${seen} modules of src/ were seen, at least ${fewestModules} expected`);
console.log(`${seen} modules, ${forbidden.length} rules, ${violations.length} violations`);
if (violations.length > 0 || seen < fewestModules) process.exitCode = 1;
