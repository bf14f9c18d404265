// The part of Astro's runtime that a page without components needs. Astro itself would be 90 MB.

export const createComponent = (component) => component;
export const createMetadata = () => undefined;
export const maybeRenderHead = () => '';
export const render = (texts, ...values) => String.raw({ raw: texts }, ...values);

/** Only custom elements, which Astro writes as they are. */
export function renderComponent(_result, name, element, attributes, slots = {}) {
  if (name !== element) throw new Error(`${name} is a component`);
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${value}"`);
  return `<${name}${written.join('')}>${slots.default?.() ?? ''}</${name}>`;
}
