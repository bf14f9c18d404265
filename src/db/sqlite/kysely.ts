import {
  type DatabaseConnection,
  type Dialect,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';

/** Without a connection, queries can only be compiled. */
export function kyselyDialect(connection?: DatabaseConnection): Dialect {
  const transactionsElsewhere = () => Promise.reject(new Error('use Database.transaction'));
  return {
    createAdapter: () => new SqliteAdapter(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createDriver: () => ({
      init: async () => {},
      destroy: async () => {},
      acquireConnection: async () => connection ?? Promise.reject(new Error('this builder only compiles')),
      releaseConnection: async () => {},
      beginTransaction: transactionsElsewhere,
      commitTransaction: transactionsElsewhere,
      rollbackTransaction: transactionsElsewhere,
    }),
  };
}
