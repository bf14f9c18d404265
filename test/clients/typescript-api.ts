import { registerHooks } from 'node:module';

/**
 * openapi-typescript is written against the compiler's JavaScript API, which TypeScript 7 no longer has. This hands it
 * the TypeScript 5 that oazapfts brings along.
 */
const parentURL = import.meta.resolve('oazapfts');

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'typescript' ? next(specifier, { ...context, parentURL }) : next(specifier, context),
});
