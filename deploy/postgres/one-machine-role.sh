#!/bin/bash
# Makes the role and the database of banca in docker-compose.yml: the role owns its database and is no superuser.
set -eu
psql -v ON_ERROR_STOP=1 -v password="$(cat /secrets/banca)" -U postgres postgres <<'END'
CREATE ROLE banca LOGIN PASSWORD :'password';
CREATE DATABASE banca OWNER banca TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C.UTF-8';
END
