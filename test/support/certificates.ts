import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { folderOf } from "./cli.ts";

/**
 * A certificate for localhost, 127.0.0.1 and ::1 with its key, and the authority that issued it, both as mkcert would
 * create them. The certificate is valid for a hundred years. The key of the authority was discarded.
 */
export const ISSUED = {
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg83y4VqEfJr18wjoZ
bM6IJhtludmqEcKujcNf1fuOgLihRANCAATPadCaerS2A1iDKrFBpSQy64/yTmNI
dxkcs4taK76AQkwxcQjka87ZcpD0A8Mj0VqPjkgdjXvtWcS3FQT3RzYs
-----END PRIVATE KEY-----
`,
  cert: `-----BEGIN CERTIFICATE-----
MIIBxTCCAWqgAwIBAgIUMGAdHBVT36I/Sb6AmSYrCj4/sW4wCgYIKoZIzj0EAwIw
GjEYMBYGA1UEAwwPU2FuZGdsYXNzIHRlc3RzMCAXDTI2MTEyNjAwMjczM1oYDzIx
MjYxMTAyMDAyNzMzWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIB
BggqhkjOPQMBBwNCAATPadCaerS2A1iDKrFBpSQy64/yTmNIdxkcs4taK76AQkwx
cQjka87ZcpD0A8Mj0VqPjkgdjXvtWcS3FQT3RzYso4GRMIGOMCwGA1UdEQQlMCOC
CWxvY2FsaG9zdIcEfwAAAYcQAAAAAAAAAAAAAAAAAAAAATATBgNVHSUEDDAKBggr
BgEFBQcDATAJBgNVHRMEAjAAMB0GA1UdDgQWBBRVMKLWZ6RyTMEDM9asXhNJZq2b
wTAfBgNVHSMEGDAWgBTsZ9Jl0ZGbw5f7qVai29ZtoB2rSjAKBggqhkjOPQQDAgNJ
ADBGAiEA54QRzFcyuRfiP1MBL/ZzJIr4frCI6HxqwK6dFoV4D/ICIQCklYht2t3u
OMXqUEWO4gXMRjg120fI8guuZy6+78GnTw==
-----END CERTIFICATE-----
`,
  ca: `-----BEGIN CERTIFICATE-----
MIIBnDCCAUGgAwIBAgIUEGEQm+XPI/BMAs2RfpiS/RPB5VAwCgYIKoZIzj0EAwIw
GjEYMBYGA1UEAwwPU2FuZGdsYXNzIHRlc3RzMCAXDTI2MTEyNjAwMjczM1oYDzIx
MjYxMTAyMDAyNzMzWjAaMRgwFgYDVQQDDA9TYW5kZ2xhc3MgdGVzdHMwWTATBgcq
hkjOPQIBBggqhkjOPQMBBwNCAARvQjPU+Ker1xXsClNdPGMyekFCFmEUNr4EuQ06
U+pzvARO1xljjKjOEH07S744b7NUPlMi+49NEoEzSTgc0tlqo2MwYTAdBgNVHQ4E
FgQU7GfSZdGRm8OX+6lWotvWbaAdq0owHwYDVR0jBBgwFoAU7GfSZdGRm8OX+6lW
otvWbaAdq0owDwYDVR0TAQH/BAUwAwEB/zAOBgNVHQ8BAf8EBAMCAgQwCgYIKoZI
zj0EAwIDSQAwRgIhAMZYxf7/bvTgHwnwmv+V6uK4lSvGQofj5ocJA+cy3s3QAiEA
pmyGR05Hq+qRT0Mbu99KaE5trCYY6Mfw9RJ1zzrX0f4=
-----END CERTIFICATE-----
`,
};

/** The certificate as files, under the field names that `https` has in the configuration. */
export function issuedFiles(): Record<keyof typeof ISSUED, string> {
  const folder = folderOf();
  const write = (name: keyof typeof ISSUED) => {
    const file = join(folder, `${name}.pem`);
    writeFileSync(file, ISSUED[name]);
    return file;
  };
  return { key: write("key"), cert: write("cert"), ca: write("ca") };
}
