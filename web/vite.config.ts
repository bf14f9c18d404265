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
      // Most icons are smaller than a request for them.
      output: {
        codeSplitting: {
          groups: [{ name: 'icons', test: /node_modules\/lucide-react\//, minShareCount: 2 }],
        },
      },
    },
  },
});
