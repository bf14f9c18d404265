import { readFileSync } from 'node:fs';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

/** Sets the chosen theme before the first paint. The policy of the page allows no inline script. */
function themeScript(): Plugin {
  const source = () => readFileSync(new URL('./src/before-paint.js', import.meta.url), 'utf8');
  let file: string;
  return {
    name: 'theme-script',
    apply: 'build',
    buildStart() {
      file = this.emitFile({ type: 'asset', name: 'before-paint.js', source: source() });
    },
    transformIndexHtml: {
      order: 'post',
      handler: (_html, { bundle }) => {
        const name = Object.keys(bundle ?? {}).find((each) => /^assets\/before-paint-.*\.js$/.test(each));
        if (!name) throw new Error(`the theme script ${file} is not in the bundle`);
        return [{ tag: 'script', attrs: { src: `./${name}` }, injectTo: 'head-prepend' }];
      },
    },
  };
}

/**
 * A request costs a phone more than a few kilobytes do, so that modules which pages share are in few chunks: what
 * every page needs, what dialogs need, the larger controls, and what only the pages of one kind have.
 * `test/dashboard/build.test.ts` bounds what a page loads.
 */
const CHUNKS = [
  {
    name: 'app',
    priority: 4,
    test: oneOf([
      /preload-helper/,
      /node_modules\/(@tanstack|react|react-dom|scheduler|use-sync-external-store)\//,
      /csp-context/,
      /src\/command\.ts$/,
      /src\/api\/(?!passkeys|use-sign-in)/,
      /src\/shell\/([^/]+\.ts|sidebar\.tsx|account-menu\.tsx)$/,
      /src\/pages\/.*(-search|-tabs|-words|periods|\/segment)\.ts$/,
      /src\/ui\/(alert|badge|button|card|code-block|copy-button|day|empty-state|has-words|menu|page-header)\./,
      /src\/ui\/(query-problem|relative-time|scrollable|segments|skeleton|slug|use-act)\./,
    ]),
  },
  { name: 'icons', priority: 3, test: /node_modules\/lucide-react\//, minShareCount: 2 },
  {
    name: 'dialogs',
    priority: 2,
    test: oneOf([
      /src\/api\/(passkeys|use-sign-in)/,
      /src\/ui\/(dialog|form-dialog|confirm-dialog|field|use-marked-fields|use-typed)\./,
    ]),
  },
  {
    name: 'controls',
    priority: 1,
    test: /^(?!.*\/src\/pages\/(api|emails|queue|entry\/(entry-(?!drawer)|event|metadata-(?!text))|keys|waves|webhooks))/,
    minShareCount: 2,
  },
  { name: 'keys', test: /\/src\/pages\/keys\// },
  { name: 'waves', test: /\/src\/pages\/waves\//, minShareCount: 2 },
  { name: 'queue', priority: 1, test: /\/src\/pages\/queue\//, minShareCount: 2 },
  { name: 'person', test: /\/src\/pages\/entry\//, minShareCount: 2 },
  { name: 'mails', test: /\/src\/pages\/emails\//, minShareCount: 2 },
  { name: 'developers', test: /\/src\/pages\/(api|webhooks)\//, minShareCount: 2 },
];

function oneOf(patterns: readonly RegExp[]): RegExp {
  return new RegExp(patterns.map(({ source }) => source).join('|'));
}

export default defineConfig({
  root: import.meta.dirname,
  base: './', // Files link to each other relatively. The server completes the links of the page.
  plugins: [react(), tailwindcss(), themeScript()],
  build: {
    assetsInlineLimit: 0,
    // Injects a script element, which Trusted Types forbids; every browser we support preloads modules itself.
    modulePreload: { polyfill: false },
    target: 'es2022',
    manifest: true,
    reportCompressedSize: false,
    rolldownOptions: {
      output: { codeSplitting: { groups: CHUNKS } },
    },
  },
});
