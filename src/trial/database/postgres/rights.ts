import { type Connection, quoted } from "./client.ts";

/** Before this version of Postgres, only a superuser may turn triggers off for a session. */
const PARAMETER_GRANTS = 150_000;

/**
 * The statements by which a superuser gives the connection's user all permissions that it lacks for a trial, so that a
 * single error names them all. Permissions for individual tables are not included.
 * @param copied the database to copy; undefined if it is used in place
 */
export async function missingGrants({ query }: Connection, copied?: string): Promise<string> {
  const [{ role, version, creates, owns }] = await query(
    `select current_user as role, current_setting('server_version_num')::int as version,
       rolcreatedb or rolsuper as creates,
       (select pg_has_role(datdba, 'usage') from pg_database where datname = $1) as owns
     from pg_roles where rolname = current_user`,
    [copied ?? null],
  );
  const user = quoted(role);
  if (version < PARAMETER_GRANTS) return `alter role ${user} superuser`;
  const [{ restores }] = await query(
    "select has_parameter_privilege(current_user, 'session_replication_role', 'set') as restores",
  );
  return [
    ...(copied !== undefined && !creates ? [`alter role ${user} createdb`] : []),
    ...(owns === false ? [`alter database ${quoted(copied!)} owner to ${user}`] : []),
    ...(restores ? [] : [`grant set on parameter session_replication_role to ${user}`]),
  ].join("; ");
}
