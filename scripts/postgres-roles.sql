-- The roles of a production database, made once by a superuser of Postgres in the database that banca is to use:
--
--   POSTGRES_OWNER_PASSWORD=... POSTGRES_APP_PASSWORD=... psql -d banca -f scripts/postgres-roles.sql
--
-- banca_owner owns the tables; `banca migrate` connects as this role, nothing else does. banca_app is what api, worker, scheduler,
-- verify and init connect as: it reads and writes rows, and can neither change a table nor switch off the triggers that keep
-- the ledger and the trails append-only. deploy/compose/docker-compose.yml runs this file when its database is made.
\set ON_ERROR_STOP on
\getenv owner_password POSTGRES_OWNER_PASSWORD
\getenv app_password POSTGRES_APP_PASSWORD

CREATE ROLE banca_owner LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE PASSWORD :'owner_password';
CREATE ROLE banca_app LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE PASSWORD :'app_password';

-- Sessions that a pooler in transaction mode lends have these settings of the role; connections to Postgres itself set them at their start.
ALTER ROLE banca_app SET statement_timeout = '30s';
ALTER ROLE banca_app SET idle_in_transaction_session_timeout = '60s';
ALTER ROLE banca_app SET plan_cache_mode = 'force_custom_plan';
ALTER ROLE banca_app SET max_parallel_workers_per_gather = 0;
ALTER ROLE banca_app SET jit = 'off';

ALTER DATABASE :"DBNAME" OWNER TO banca_owner;
REVOKE ALL ON DATABASE :"DBNAME" FROM PUBLIC;
GRANT CONNECT, TEMPORARY ON DATABASE :"DBNAME" TO banca_app;

ALTER SCHEMA public OWNER TO banca_owner;
REVOKE ALL ON SCHEMA public FROM PUBLIC;
GRANT USAGE ON SCHEMA public TO banca_app;

-- What later migrations make is covered, too.
ALTER DEFAULT PRIVILEGES FOR ROLE banca_owner IN SCHEMA public GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO banca_app;
ALTER DEFAULT PRIVILEGES FOR ROLE banca_owner IN SCHEMA public GRANT USAGE, SELECT ON SEQUENCES TO banca_app;

-- The health page shows the size of the log, which grows while a receiver is away.
GRANT EXECUTE ON FUNCTION pg_ls_waldir() TO banca_app;
