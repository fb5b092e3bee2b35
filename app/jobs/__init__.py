"""The durable engine: DBOS Transact behind one module."""
