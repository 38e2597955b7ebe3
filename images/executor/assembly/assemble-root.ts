import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { addAnsible } from './add-ansible.ts';
import { addDebianPackages } from './add-debian-packages.ts';
import { addNode } from './add-node.ts';
import { addPrograms } from './add-programs.ts';
import { addSystemFiles } from './add-system-files.ts';
import { addTiphys } from './add-tiphys.ts';
import { billOfMaterials, type Component, packageUrl } from './bill-of-materials.ts';
import { compileBytecode } from './compile-bytecode.ts';
import { chartComponents, debianComponents, goComponents, npmComponents, pythonComponents } from './find-components.ts';
import { type Layer, layers, type Order } from './order.ts';
import { run } from './run.ts';

/** Makes the root file system of the image, a folder for each layer; gives the folders in their order. */
export async function assembleRoot(order: Order, folder: string, version: string): Promise<string[]> {
  await rm(folder, { recursive: true, force: true });
  const at = (layer: Layer): string => join(folder, layer);
  for (const layer of layers) await mkdir(at(layer), { recursive: true });
  await addDebianPackages(order, at('system'));
  await addSystemFiles(order.contents, at('system'));
  const node = await addNode(order, at('system'));
  await addPrograms(order, at('programs'));
  await addAnsible(order, at('ansible'));
  const packages = await addTiphys(order, at('tiphys'));
  order.report('compiling Python files');
  const { python, home } = order.contents.ansible;
  await compileBytecode(at('system'), [`usr/lib/python${python}`]);
  await compileBytecode(at('ansible'), [home]);
  await writeBill(order, { at, node, packages, version });
  // As a checkout or pip has made them, modes depend on whose they are.
  for (const layer of ['programs', 'ansible', 'tiphys'] as const) await run('chmod', ['-R', 'u=rwX,go=rX', at(layer)]);
  return layers.map(at);
}

interface Assembled {
  readonly at: (layer: Layer) => string;
  /** The version of Node.js. */
  readonly node: string;
  /** Folders of the repository. */
  readonly packages: readonly string[];
  readonly version: string;
}

async function writeBill({ contents, repository }: Order, { at, node, packages, version }: Assembled): Promise<void> {
  const { ansible, debian, programs, tiphys, name } = contents;
  const nodejs: Component = {
    type: 'application',
    name: 'node',
    version: node,
    purl: packageUrl('generic', 'node', node),
  };
  const components = [
    nodejs,
    ...(await debianComponents(at('system'), debian.suite)),
    ...(await goComponents(at('programs'), programs)),
    ...(await pythonComponents(join(at('ansible'), ansible.home, `lib/python${ansible.python}/site-packages`))),
    ...(await npmComponents(packages.map((path) => join(repository, path)))),
    ...(await chartComponents(join(at('tiphys'), tiphys.charts))),
  ];
  const bill = billOfMaterials({ name, version }, components);
  await writeFile(join(at('tiphys'), tiphys.home, 'sbom.cdx.json'), `${JSON.stringify(bill, undefined, 1)}\n`);
}
