/** The form on a site, in the ways that most sites are built, as in docs/snippets.md. */
export function formSnippets(origin: string, key: string): { language: string; code: string }[] {
  const script = `<script src="${origin}/form.js" async></script>`;
  const element = `<doorlist-form form-key="${key}"></doorlist-form>`;
  return [
    {
      language: 'HTML',
      code: `${script}
<doorlist-form form-key="${key}">
  <form method="post" action="${origin}/form/v1/${key}">
    <label>Email <input type="email" name="email" required /></label>
    <button>Join the waitlist</button>
  </form>
</doorlist-form>`,
    },
    {
      language: 'React',
      code: `export function WaitlistForm() {
  return (
    <>
      <script async src="${origin}/form.js" />
      <doorlist-form form-key="${key}" />
    </>
  );
}`,
    },
    {
      language: 'Next.js',
      code: `import Script from 'next/script';

export default function WaitlistForm() {
  return (
    <>
      <Script src="${origin}/form.js" />
      <doorlist-form form-key="${key}" />
    </>
  );
}`,
    },
    {
      language: 'Vue',
      code: `<!-- index.html -->
${script}

<!-- vite.config.js: vue({ template: { compilerOptions: { isCustomElement: (tag) => tag === 'doorlist-form' } } }) -->

<!-- your component -->
<template>
  ${element}
</template>`,
    },
    {
      language: 'Svelte',
      code: `<!-- src/app.html -->
${script}

<!-- your component -->
${element}`,
    },
    {
      language: 'Astro',
      code: `<script is:inline src="${origin}/form.js" async></script>
${element}`,
    },
    {
      language: 'Webflow',
      code: `<!-- in a Code Embed element -->
${script}
${element}`,
    },
    {
      language: 'WordPress',
      code: `// functions.php of your theme. Then add a Shortcode block with [doorlist_form] to a page.
add_shortcode('doorlist_form', function () {
    wp_enqueue_script('doorlist-form', '${origin}/form.js', [], null, ['strategy' => 'async']);
    return '${element}';
});`,
    },
  ];
}
