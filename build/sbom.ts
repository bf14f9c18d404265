import manifest from '../package.json' with { type: 'json' };
import lock from '../package-lock.json' with { type: 'json' };

// `npm run sbom` prints what runs in production, from the lockfile and offline. `npm sbom --omit dev` leaves out packages that
// tests use as well.

interface Locked {
  version?: string;
  license?: string;
  integrity?: string;
  link?: boolean;
  dev?: boolean;
  devOptional?: boolean;
  optional?: boolean;
}

const OF_A_PACKAGE = /.*node_modules\//;

const components = Object.entries<Locked>(lock.packages)
  .filter(([place, { dev, devOptional, link }]) => OF_A_PACKAGE.test(place) && !dev && !devOptional && !link)
  .map(([place, locked]) => componentOf(place.replace(OF_A_PACKAGE, ''), locked));

console.log(
  JSON.stringify(
    {
      bomFormat: 'CycloneDX',
      specVersion: '1.5',
      version: 1,
      metadata: {
        component: {
          type: 'application',
          name: manifest.name,
          version: manifest.version,
          purl: purlOf(manifest.name, manifest.version),
          licenses: [{ license: { id: manifest.license } }],
        },
      },
      components,
    },
    null,
    2,
  ),
);

function componentOf(name: string, { version = '', license, integrity, optional }: Locked) {
  const purl = purlOf(name, version);
  return {
    type: 'library',
    'bom-ref': purl,
    name,
    version,
    purl,
    scope: optional ? 'optional' : 'required',
    ...(license === undefined ? {} : { licenses: [{ license: { id: license } }] }),
    ...(integrity === undefined ? {} : { hashes: [hashOf(integrity)] }),
  };
}

function purlOf(name: string, version: string): string {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`;
}

/** Such as `sha512-BASE64`. */
function hashOf(integrity: string): { alg: string; content: string } {
  const [algorithm = '', digest = ''] = integrity.split('-', 2);
  return { alg: algorithm.replace('sha', 'SHA-'), content: Buffer.from(digest, 'base64').toString('hex') };
}
