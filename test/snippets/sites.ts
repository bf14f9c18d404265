import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { build, type InlineConfig } from 'vite';

const run = promisify(execFile);
const here = (file: string) => path.join(import.meta.dirname, file);

/** Writes the site with this snippet to a new folder, built as its framework builds it, and returns the folder to serve. */
export type BuildSite = (code: string[], folder: string) => Promise<string>;

export const document = (body: string, head = '') =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Acme</title>${head}</head><body>${body}</body></html>`;

export const SITES: Record<string, BuildSite> = {
  HTML: ([code = ''], folder) => plain(folder, code),
  Webflow: ([code = ''], folder) => plain(folder, code),
  React: ([code = ''], folder) =>
    vite(folder, {
      'index.html': document('<div id="root"></div><script type="module" src="/main.jsx"></script>'),
      'snippet.jsx': code,
      'main.jsx': `import { createRoot } from 'react-dom/client';
        import { WaitlistForm } from './snippet.jsx';
        createRoot(document.getElementById('root')).render(<WaitlistForm />);`,
    }),
  'Next.js': async ([code = ''], folder) => {
    const config = { resolve: { alias: { 'next/script': here('next-script.mjs') } } };
    write(folder, {
      'snippet.jsx': code,
      'server.jsx': `import { renderToString } from 'react-dom/server';
        import WaitlistForm from './snippet.jsx';
        export const html = renderToString(<WaitlistForm />);`,
    });
    await build({ ...QUIET, ...config, root: folder, build: { ssr: 'server.jsx', outDir: 'server' } });
    const { html } = await import(pathToFileURL(path.join(folder, 'server/server.mjs')).href);
    return vite(
      folder,
      {
        'index.html': document(`<div id="root">${html}</div><script type="module" src="/main.jsx"></script>`),
        'main.jsx': `import { hydrateRoot } from 'react-dom/client';
          import WaitlistForm from './snippet.jsx';
          hydrateRoot(document.getElementById('root'), <WaitlistForm />);`,
      },
      config,
    );
  },
  Vue: ([script = '', plugin = '', component = ''], folder) =>
    vite(
      folder,
      {
        'index.html': document('<div id="app"></div><script type="module" src="/main.js"></script>', script),
        'vite.config.mjs': `import vue from '@vitejs/plugin-vue';\nexport default { plugins: [${plugin}] };`,
        'snippet.vue': component,
        'main.js': `import { createApp } from 'vue';
          import Snippet from './snippet.vue';
          createApp(Snippet).mount('#app');`,
      },
      { configFile: path.join(folder, 'vite.config.mjs') },
    ),
  Svelte: ([script = '', component = ''], folder) =>
    vite(
      folder,
      {
        'index.html': document('<div id="app"></div><script type="module" src="/main.js"></script>', script),
        'snippet.svelte': component,
        'main.js': `import { mount } from 'svelte';
          import Snippet from './snippet.svelte';
          mount(Snippet, { target: document.getElementById('app') });`,
      },
      { configFile: here('svelte.vite.mjs') },
    ),
  Astro: async ([code = ''], folder) => {
    write(folder, { 'snippet.astro': code });
    const { stdout } = await run(process.execPath, [
      here('render-astro.mjs'),
      path.join(folder, 'snippet.astro'),
    ]);
    return plain(folder, stdout);
  },
  WordPress: async ([php = ''], folder) => {
    write(folder, { 'functions.php': `<?php\n${php}` });
    const words = [here('render-wordpress.php'), path.join(folder, 'functions.php')];
    const rendered = await run('php', words).catch((error) => {
      if (error.code !== 'ENOENT') throw error;
      return { stdout: readShortcode(php) }; // There is no PHP on this machine.
    });
    return plain(folder, rendered.stdout);
  },
};

function readShortcode(php: string): string {
  const [, handle, src, strategy] =
    /wp_enqueue_script\('([^']+)', '([^']+)', \[\], null, \['strategy' => '(\w+)'\]\)/.exec(php) ?? [];
  const [, html] = /return '([^']+)';/.exec(php) ?? [];
  return `${html}<script src="${src}" id="${handle}-js" ${strategy} data-wp-strategy="${strategy}"></script>`;
}

const QUIET: InlineConfig = { configFile: false, configLoader: 'native', logLevel: 'silent' };

function write(folder: string, files: Record<string, string>): void {
  mkdirSync(folder, { recursive: true });
  for (const [name, content] of Object.entries(files)) writeFileSync(path.join(folder, name), content);
}

async function plain(folder: string, body: string): Promise<string> {
  write(folder, { 'index.html': document(body) });
  return folder;
}

async function vite(
  folder: string,
  files: Record<string, string>,
  config: InlineConfig = {},
): Promise<string> {
  write(folder, files);
  await build({ ...QUIET, ...config, root: folder });
  return path.join(folder, 'dist');
}
