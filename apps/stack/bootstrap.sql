-- Prepares one database for the platform. Run with psql by a superuser; running it again changes nothing.
--
-- MEMORY_DATABASE_PASSWORD   password of the login role `memory` (left as it is when unset)
-- MEMORY_MIGRATION_PASSWORD  password of the login role `memory_migrator`, which migrates and runs commands; `memory`
--                            then may no longer act as the tables' owner. Unset: `memory` does both
-- MEMORY_DATABASE_NAME       name of the database, by default `memory`
--
-- The embedded server, the container (mounted into docker-entrypoint-initdb.d) and the tests all use this file.
\set ON_ERROR_STOP on
\getenv login_password MEMORY_DATABASE_PASSWORD
\getenv migration_password MEMORY_MIGRATION_PASSWORD
\getenv database MEMORY_DATABASE_NAME
\if :{?database}
\else
    \set database memory
\endif

SET client_min_messages = warning;
-- Two stacks that start on one server at once would both create the roles.
SELECT pg_advisory_lock(hashtext('memory_platform.bootstrap')) \g (tuples_only=on) /dev/null

SELECT format('CREATE ROLE %I', role)
FROM unnest(ARRAY['memory_owner', 'memory_app', 'memory_eraser', 'memory', 'memory_migrator']) AS role
WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = role)
\gexec

ALTER ROLE memory_owner NOLOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE;
ALTER ROLE memory_app NOLOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE;
ALTER ROLE memory_eraser NOLOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE;
ALTER ROLE memory LOGIN NOINHERIT NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE;
\if :{?login_password}
    ALTER ROLE memory PASSWORD :'login_password';
\endif
ALTER ROLE memory_migrator LOGIN NOINHERIT NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE;
-- The login roles own nothing and see nothing by themselves: they must step into a role, transaction by transaction.
GRANT memory_app TO memory, memory_migrator WITH INHERIT FALSE, SET TRUE;
GRANT memory_owner TO memory_migrator WITH INHERIT FALSE, SET TRUE;
-- What a request may call, a command may, too.
GRANT memory TO memory_migrator WITH INHERIT TRUE, SET FALSE;
\if :{?migration_password}
    ALTER ROLE memory_migrator PASSWORD :'migration_password';
    REVOKE memory_owner FROM memory;
\else
    GRANT memory_owner TO memory WITH INHERIT FALSE, SET TRUE;
\endif

SELECT format('CREATE DATABASE %I OWNER memory_owner', :'database')
WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = :'database')
\gexec

SELECT pg_advisory_unlock(hashtext('memory_platform.bootstrap')) \g (tuples_only=on) /dev/null
\connect :"database"
SET client_min_messages = warning;

ALTER DATABASE :"database" OWNER TO memory_owner;
REVOKE ALL ON DATABASE :"database" FROM PUBLIC;
GRANT CONNECT, TEMPORARY ON DATABASE :"database" TO memory, memory_migrator;

ALTER SCHEMA public OWNER TO memory_owner;
REVOKE ALL ON SCHEMA public FROM PUBLIC;
GRANT USAGE ON SCHEMA public TO memory, memory_migrator, memory_app, memory_eraser;

CREATE EXTENSION IF NOT EXISTS vector WITH SCHEMA public;
