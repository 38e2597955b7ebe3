import { createHash } from 'node:crypto';

/** One thing that is in the image. */
export interface Component {
  readonly type: 'application' | 'library' | 'operating-system' | 'data';
  readonly name: string;
  readonly version: string;
  /** A package URL, which is also its name within the bill. */
  readonly purl: string;
  readonly license?: string;
  /** What it was built from. */
  readonly parts?: readonly Component[];
}

/** The bill of materials of an image in CycloneDX 1.6: sorted, and the same for the same content. */
export function billOfMaterials(
  image: { readonly name: string; readonly version: string },
  found: readonly Component[],
): object {
  const all = new Map<string, Component>();
  for (const component of [...found, ...found.flatMap(({ parts }) => parts ?? [])]) {
    if (!all.has(component.purl)) all.set(component.purl, component);
  }
  const components = [...all.values()].sort(byPurl).map(written);
  const self = { type: 'container', 'bom-ref': 'image', name: image.name, version: image.version };
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: serialNumber(JSON.stringify([self, components])),
    version: 1,
    metadata: { component: self },
    components,
    dependencies: [
      dependency('image', found),
      ...found
        .filter(({ parts }) => parts)
        .sort(byPurl)
        .map(ofParts),
    ],
  };
}

/** A package URL: what it is, where it is from, which version. */
export function packageUrl(
  type: string,
  name: string,
  version: string,
  qualifiers: Readonly<Record<string, string>> = {},
): string {
  const path = name.split('/').map(encodeURIComponent).join('/');
  const query = Object.entries(qualifiers).map(([key, value]) => `${key}=${encodeURIComponent(value)}`);
  return `pkg:${type}/${path}@${encodeURIComponent(version)}${query.length === 0 ? '' : `?${query.join('&')}`}`;
}

function written({ type, name, version, purl, license }: Component): object {
  const licenses = license === undefined || license === '' ? {} : { licenses: [{ license: { name: license } }] };
  return { type, 'bom-ref': purl, name, version, ...licenses, purl };
}

function ofParts({ purl, parts = [] }: Component): object {
  return dependency(purl, parts);
}

function dependency(ref: string, on: readonly Component[]): object {
  return { ref, dependsOn: [...new Set(on.map(({ purl }) => purl))].sort() };
}

function byPurl(a: Component, b: Component): number {
  return a.purl < b.purl ? -1 : 1;
}

/** A name for this content, in the shape of a UUID. */
function serialNumber(content: string): string {
  const hex = createHash('sha256').update(content).digest('hex');
  return `urn:uuid:${[hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join('-')}`;
}
