import { compile } from 'svelte/compiler';

export default {
  plugins: [
    {
      name: 'svelte',
      transform: (code, id) =>
        id.endsWith('.svelte') ? compile(code, { filename: id, generate: 'client' }).js : null,
    },
  ],
};
